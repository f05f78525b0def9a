//! Requests above the limit of a framer: skipped, so that they can be answered.

use armilla_cdr::{ByteOrder, Encoder};
use armilla_giop::{
    Framer, HEADER_LEN, MessageBuffer, MessageHeader, MessageKind, OutgoingRequest,
    OversizedRequest, ResponseFlags, Skipped, TargetAddress, Version, begin_request, put_body,
};

const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];
const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

fn request(version: Version, order: ByteOrder, request_id: u32, body: &[u8]) -> Vec<u8> {
    let mut out = Encoder::new(order);
    let response = ResponseFlags::Target;
    let (target, operation, contexts) = (TargetAddress::Key(b"key"), "operate", &[]);
    let request = OutgoingRequest { request_id, response, target, operation, contexts };
    begin_request(&mut out, version, &request).unwrap();
    put_body(&mut out, version, |out| out.copy_octets(body)).unwrap();
    MessageHeader::finish(&mut out).unwrap();
    out.to_vec()
}

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
