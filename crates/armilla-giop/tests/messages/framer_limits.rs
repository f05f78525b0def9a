//! Requests above the limit of a framer: skipped, so that they can be answered.

use crate::requests;
use armilla_cdr::ByteOrder;
use armilla_giop::{
    Framer, HEADER_LEN, MessageBuffer, MessageHeader, MessageKind, OversizedRequest, Skipped,
    Version,
};
use requests::{ORDERS, VERSIONS, request};

/// The message of GIOP 1.2 in fragments with at most `size` octets of it each.
fn fragmented(message: &[u8], size: usize) -> Vec<Vec<u8>> {
    let mut header = MessageHeader::decode(message.first_chunk().unwrap()).unwrap();
    let (id, first) = (&message[HEADER_LEN..HEADER_LEN + 4], &message[HEADER_LEN..size]);
    let mut pieces = vec![first.to_vec()];
    pieces.extend(message[size..].chunks(size).map(|data| [id, data].concat()));
    let last = pieces.len() - 1;
    let frame = |(index, body): (usize, Vec<u8>)| {
        header.size = u32::try_from(body.len()).unwrap();
        header.more_fragments = index < last;
        let octets = [&header.encode()[..], &body].concat();
        header.kind = MessageKind::Fragment;
        octets
    };
    pieces.into_iter().enumerate().map(frame).collect()
}

/// A framer with a limit of 1,000 that has received these octets.
fn framer(octets: &[u8]) -> Framer {
    let mut framer = Framer::new(1000);
    framer.space()[..octets.len()].copy_from_slice(octets);
    framer.received(octets.len());
    framer
}

/// A request of 1,500 octets and a small one, for framers with a limit of 1,000.
fn large_and_small(version: Version, order: ByteOrder) -> (Vec<u8>, Vec<u8>) {
    let large = request(version, order, 7, &[0x47; 1500]);
    (large, request(version, order, 8, b"small"))
}

#[test]
fn a_request_above_the_limit_is_skipped_and_the_next_is_read() {
    for (version, order) in VERSIONS.iter().flat_map(|v| ORDERS.map(|order| (*v, order))) {
        let (large, small) = large_and_small(version, order);
        for chunk in [1, 7, 100, usize::MAX] {
            let mut framer = Framer::new(1000);
            let mut memory = MessageBuffer::default();
            let stream = [&large[..], &large, &small].concat();
            let (mut left, mut skipped, mut read) = (&stream[..], Vec::new(), Vec::new());
            while !left.is_empty() {
                let space = framer.space_from(&mut memory);
                let count = space.len().min(chunk).min(left.len());
                space[..count].copy_from_slice(&left[..count]);
                framer.received(count);
                left = &left[count..];
                if let Some(message) = framer.take_single(&mut memory) {
                    read.push(message.octets.to_vec());
                    continue;
                }
                loop {
                    match framer.take(&mut memory) {
                        Ok(Some(message)) => read.push(message.octets.to_vec()),
                        Ok(None) => break,
                        Err(error) => match framer.skip_oversized(error).unwrap() {
                            Skipped::Request(request) => skipped.push(request),
                            Skipped::Remainder => {}
                            Skipped::Incomplete => break,
                        },
                    }
                }
            }
            let request = OversizedRequest {
                version,
                request_id: 7,
                response_expected: true,
                refused: false,
            };
            assert_eq!(skipped, [request, request], "GIOP {version}, {chunk}");
            assert_eq!(read, std::slice::from_ref(&small), "GIOP {version}, {chunk}");
            assert!(!framer.is_partial());
        }
    }
}

#[test]
fn a_request_whose_fragments_exceed_the_limit_is_skipped_to_its_last() {
    for order in ORDERS {
        let (large, small) = large_and_small(Version::V1_2, order);
        let huge = request(Version::V1_2, order, 7, &[0x47; 9000]);
        for pieces in [fragmented(&large, 200), fragmented(&huge, 2000)] {
            let stream = [pieces.concat(), small.clone()].concat();
            let mut framer = framer(&stream);
            let (mut refused, mut read) = (Vec::new(), Vec::new());
            loop {
                match framer.next() {
                    Ok(Some(message)) => read.push(message.octets.to_vec()),
                    Ok(None) => break,
                    Err(error) => refused.push(framer.skip_oversized(error).unwrap()),
                }
            }
            let expected = OversizedRequest {
                version: Version::V1_2,
                request_id: 7,
                response_expected: true,
                refused: false,
            };
            refused.retain(|skipped| *skipped != Skipped::Remainder);
            let expected = vec![Skipped::Request(expected)];
            assert_eq!((refused, read), (expected, vec![small.clone()]));
        }
    }
}

#[test]
fn other_messages_above_the_limit_cannot_be_skipped() {
    let reply = MessageHeader {
        version: Version::V1_1,
        order: ByteOrder::Big,
        more_fragments: false,
        kind: MessageKind::Reply,
        size: 1001,
    };
    let mut refusing = framer(&reply.encode());
    let error = refusing.next().unwrap_err();
    assert_eq!(refusing.skip_oversized(error), Err(error));
    assert_eq!(refusing.failed_version(), Version::V1_1);
    // Contexts that never end hide the request id.
    let mut octets = MessageHeader { kind: MessageKind::Request, ..reply }.encode().to_vec();
    octets.extend([0xff; 1001]);
    let mut refusing = framer(&octets);
    let error = refusing.next().unwrap_err();
    assert_eq!(refusing.skip_oversized(error), Err(error));
}

/// Puts `octets` into the framer as far as it has space for them at a time.
fn receive(framer: &mut Framer, buffer: &mut MessageBuffer, mut octets: &[u8]) {
    while !octets.is_empty() {
        let space = framer.space_from(buffer);
        let count = space.len().min(octets.len());
        space[..count].copy_from_slice(&octets[..count]);
        framer.received(count);
        octets = &octets[count..];
        if !octets.is_empty() {
            assert_eq!(framer.take(buffer), Ok(None));
        }
    }
}

#[test]
fn a_large_incomplete_request_is_refused_and_its_memory_is_free() {
    let (mut framer, mut buffer) = (Framer::new(1 << 20), MessageBuffer::new());
    let large = request(Version::V1_2, ByteOrder::Big, 7, &[0; 300_000]);
    receive(&mut framer, &mut buffer, &large[..200_000]);
    assert_eq!(framer.take(&mut buffer), Ok(None));
    assert!(framer.expected_memory() >= 200_000 - 64 * 1024);
    assert!(framer.refuse_incomplete());
    let error = framer.take(&mut buffer).unwrap_err();
    let Ok(Skipped::Request(skipped)) = framer.skip_oversized(error) else { panic!("{error}") };
    assert_eq!((skipped.request_id, skipped.refused), (7, true));
    assert_eq!(framer.take(&mut buffer), Ok(None));
    assert_eq!(framer.expected_memory(), 0);

    let small = request(Version::V1_2, ByteOrder::Big, 8, b"small");
    receive(&mut framer, &mut buffer, &[&large[200_000..], &small].concat());
    assert_eq!(framer.take(&mut buffer).unwrap().unwrap().octets, small);
}

#[test]
fn a_request_in_fragments_is_refused_with_its_next_fragment() {
    let (mut framer, mut buffer) = (Framer::new(1 << 20), MessageBuffer::new());
    let large = request(Version::V1_2, ByteOrder::Big, 7, &[0; 30_000]);
    let pieces = fragmented(&large, 10_000);
    let small = request(Version::V1_2, ByteOrder::Big, 8, b"small");
    receive(&mut framer, &mut buffer, &[&pieces[0][..], &small[..5]].concat());
    assert_eq!(framer.take(&mut buffer), Ok(None));
    assert!(framer.fragments_memory() >= 10_000);
    assert!(!framer.refuse_incomplete(), "nothing can be skipped before it arrives");

    receive(&mut framer, &mut buffer, &small[5..]);
    assert_eq!(framer.take(&mut buffer).unwrap().unwrap().octets, small, "another request is read");
    receive(&mut framer, &mut buffer, &pieces[1]);
    let error = framer.take(&mut buffer).unwrap_err();
    let Ok(Skipped::Request(skipped)) = framer.skip_oversized(error) else { panic!("{error}") };
    assert_eq!((skipped.request_id, skipped.refused), (7, true));
    assert_eq!(framer.take(&mut buffer), Ok(None));
    assert_eq!(framer.fragments_memory(), 0);
}
