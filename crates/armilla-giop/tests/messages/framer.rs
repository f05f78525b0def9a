//! Streams of messages, cut wherever a connection may cut them.

use crate::random;
use crate::requests;
use armilla_cdr::{ByteOrder, Encoder};
use armilla_giop::{
    Framer, HEADER_LEN, HeaderError, Message, MessageBuffer, MessageHeader, MessageKind,
    OwnedMessage, ReplyStatus, Version, begin_reply, cancel_request, close_connection,
    decode_reply, decode_request,
};
use random::Random;
use requests::{ORDERS, VERSIONS, request};

const LIMIT: usize = 1 << 20;
fn reply(version: Version, order: ByteOrder, request_id: u32) -> Vec<u8> {
    let mut out = Encoder::new(order);
    begin_reply(&mut out, version, request_id, ReplyStatus::NoException, &[]).unwrap();
    MessageHeader::finish(&mut out).unwrap();
    out.to_vec()
}

/// The message in fragments with at most `size` octets of it each; 1.2 wants multiples of eight.
fn fragmented(message: &[u8], size: usize) -> Vec<Vec<u8>> {
    let mut header = MessageHeader::decode(message.first_chunk().unwrap()).unwrap();
    let request_id = match header.version {
        Version::V1_2 => &message[HEADER_LEN..HEADER_LEN + 4],
        _ => &[],
    };
    let first = size.clamp(16, message.len());
    let mut pieces = vec![message[HEADER_LEN..first].to_vec()];
    pieces.extend(message[first..].chunks(size).map(|data| [request_id, data].concat()));
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

/// Gives the framer `octets`, as much at a time as `chunk` says, and collects what comes out.
fn run(
    framer: &mut Framer,
    mut octets: &[u8],
    mut chunk: impl FnMut() -> usize,
) -> Result<Vec<Vec<u8>>, HeaderError> {
    let mut messages = Vec::new();
    while !octets.is_empty() {
        let space = framer.space();
        let count = chunk().clamp(1, octets.len()).min(space.len());
        space[..count].copy_from_slice(&octets[..count]);
        framer.received(count);
        octets = &octets[count..];
        while let Some(message) = framer.next()? {
            assert_eq!(message.header.size as usize, message.octets.len() - HEADER_LEN);
            messages.push(message.octets.to_vec());
        }
    }
    Ok(messages)
}

/// The same with messages that are taken out, by readers who take turns.
fn run_taking(
    framer: &mut Framer,
    mut octets: &[u8],
    random: &mut Random,
) -> Result<Vec<Vec<u8>>, HeaderError> {
    let mut readers = [(); 3].map(|()| MessageBuffer::new());
    let mut messages = Vec::new();
    while !octets.is_empty() {
        let index = random.below(3) as usize;
        let space = framer.space_from(&mut readers[index]);
        let count = (random.below(100_000) as usize).clamp(1, octets.len()).min(space.len());
        space[..count].copy_from_slice(&octets[..count]);
        framer.received(count);
        octets = &octets[count..];
        // What was received may still lie where it was read.
        let mut reader = index;
        loop {
            let reader = &mut readers[std::mem::replace(&mut reader, random.below(3) as usize)];
            let Some(message) = framer.take(reader)? else { break };
            assert_eq!(message.header.size as usize, message.octets.len() - HEADER_LEN);
            messages.push(message.octets.to_vec());
        }
        if random.below(2) == 0 {
            framer.return_buffer(&mut readers[random.below(3) as usize]);
        }
    }
    Ok(messages)
}

#[test]
fn a_stream_cut_at_any_position_gives_the_same_messages() {
    for (version, order) in VERSIONS.iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
        let messages = [
            request(version, order, 1, b"hello"),
            close_connection(version).to_vec(),
            reply(version, order, 2),
        ];
        let stream = messages.concat();
        for cut in 1..stream.len() {
            let mut framer = Framer::new(LIMIT);
            let mut sizes = [cut].into_iter();
            let got = run(&mut framer, &stream, || sizes.next().unwrap_or(usize::MAX)).unwrap();
            assert_eq!(got, messages, "cut at {cut}");
            assert!(!framer.is_partial());
        }
    }
}

#[test]
fn random_streams_in_random_cuts_with_interleaved_fragments_come_out_whole() {
    let mut random = Random::new(1);
    for round in 0..60 {
        let order = ORDERS[round % 2];
        let mut expected = Vec::new();
        let mut threads: Vec<Vec<Vec<u8>>> = Vec::new();
        for request_id in 0..random.below(12) {
            let body = vec![u8::try_from(request_id).unwrap(); random.below(200_000) as usize];
            let message = request(Version::V1_2, order, request_id, &body);
            let frames = match random.below(2) {
                0 => vec![message.clone()],
                _ => fragmented(&message, 16 + 8 * random.below(4000) as usize),
            };
            expected.push(message);
            threads.push(frames);
        }
        let mut stream = Vec::new();
        while let Some(count) = u32::try_from(threads.len()).ok().filter(|count| *count > 0) {
            let index = random.below(count) as usize;
            stream.extend(threads[index].remove(0));
            if threads[index].is_empty() {
                threads.remove(index);
            }
        }
        let mut framer = Framer::new(4 * LIMIT);
        let mut got = run(&mut framer, &stream, || random.below(100_000) as usize).unwrap();
        let mut framer = Framer::new(4 * LIMIT);
        let taken = run_taking(&mut framer, &stream, &mut random).unwrap();
        assert!(taken == got, "round {round}, taken");
        got.sort();
        expected.sort();
        assert!(got == expected, "round {round}");
        assert!(!framer.is_partial());
    }
}

#[test]
fn a_partial_message_is_reported_as_in_progress() {
    let stream = request(Version::V1_2, ByteOrder::Big, 1, b"hello");
    let mut framer = Framer::new(LIMIT);
    assert!(!framer.is_partial());
    run(&mut framer, &stream[..1], || 1).unwrap();
    assert!(framer.is_partial(), "an octet of a header");
    run(&mut framer, &stream[1..], || usize::MAX).unwrap();
    assert!(!framer.is_partial());
    let frames = fragmented(&stream, 16);
    run(&mut framer, &frames[0], || usize::MAX).unwrap();
    assert!(framer.is_partial(), "the first of several fragments");
}

#[test]
fn the_buffer_grows_with_what_arrives_and_not_with_what_a_header_claims() {
    let mut framer = Framer::new(1 << 30);
    let header = MessageHeader {
        version: Version::V1_2,
        order: ByteOrder::Big,
        more_fragments: false,
        kind: MessageKind::Reply,
        size: 1 << 30,
    };
    run(&mut framer, &header.encode(), || usize::MAX).unwrap();
    let mut arrived = HEADER_LEN;
    let usual = framer.space().len() + arrived;
    while arrived < 50 * usual {
        let space = framer.space().len();
        assert!(space > 0 && space <= arrived.max(usual), "{space} octets after {arrived}");
        framer.received(space);
        arrived += space;
        assert!(framer.next().unwrap().is_none());
    }
}

#[test]
fn the_buffer_is_small_again_after_a_large_message() {
    let mut framer = Framer::new(1 << 24);
    let usual = framer.space().len();
    let small = request(Version::V1_2, ByteOrder::Big, 1, b"");
    let large = request(Version::V1_2, ByteOrder::Big, 1, &vec![7; 3 * usual]);
    let huge = request(Version::V1_2, ByteOrder::Big, 1, &vec![7; 100 * usual]);
    for messages in [[&large, &small], [&small, &huge]] {
        for message in messages {
            let got = run(&mut framer, message, || usize::MAX).unwrap();
            assert!(got == [message.as_slice()]);
        }
        assert_eq!(framer.space().len(), usual);
    }
    run(&mut framer, &large, || usize::MAX).unwrap();
    assert!(framer.space().len() > usual, "the next message may be as large");
}

#[test]
fn memory_stays_for_huge_messages_that_follow_each_other() {
    let message = |length| request(Version::V1_2, ByteOrder::Big, 1, &vec![7; length]);
    let (huge, less, small) = (message(6 << 20), message(2 << 20), message(0));
    let mut framer = Framer::new(1 << 24);
    let usual = framer.space().len();
    for (next, is_kept) in [
        (&huge, false),
        (&huge, true),
        (&huge, true),
        (&less, false),
        (&huge, false),
        (&huge, true),
        (&small, false),
    ] {
        assert!(run(&mut framer, next, || usize::MAX).unwrap() == [next.as_slice()]);
        let space = framer.space().len();
        assert_eq!(space, if is_kept { huge.len() } else { usual });
    }
}

#[test]
fn large_messages_are_read_one_by_one_into_the_same_memory() {
    for length in [4096, 20_000] {
        let message = request(Version::V1_2, ByteOrder::Little, 1, &vec![7; length]);
        let small = request(Version::V1_2, ByteOrder::Little, 2, b"");
        let (mut framer, mut reader) = (Framer::new(LIMIT), MessageBuffer::new());
        let mut stream = message.repeat(20);
        stream.extend(&small);
        let (mut reads, mut places, mut taken) = (Vec::new(), Vec::new(), 0);
        let mut left = &stream[..];
        while !left.is_empty() {
            let space = framer.space_from(&mut reader);
            let count = space.len().min(left.len());
            space[..count].copy_from_slice(&left[..count]);
            places.push(space.as_ptr());
            framer.received(count);
            left = &left[count..];
            reads.push(count);
            while let Some(taking) = framer.take(&mut reader).unwrap() {
                assert!(taking.octets == message || taking.octets == small);
                taken += 1;
            }
        }
        assert_eq!(taken, 21);
        // All that there is, then the rest of what has begun, then each by itself.
        let (length, begun) = (message.len(), 65_536 / message.len() + 1);
        let mut expected = vec![65_536, begun * length - 65_536];
        expected.resize(2 + 20 - begun, length);
        expected.push(small.len());
        assert_eq!(reads, expected);
        assert!(places[2..].iter().all(|place| *place == places[2]), "it is in the caches");
        // A small one ends it.
        assert_eq!(framer.space_from(&mut reader).len(), 65_536);
    }
}

#[test]
fn a_framer_that_is_parked_holds_no_more_than_has_arrived() {
    let mut framer = Framer::new(LIMIT);
    let mut reader = MessageBuffer::new();
    let usual = framer.space_from(&mut reader).len();
    framer.return_buffer(&mut reader);
    let message = request(Version::V1_2, ByteOrder::Big, 1, b"hello");
    for part in [&message[..20], &message[20..]] {
        // The reader's memory, and what was left behind at its front.
        let space = framer.space_from(&mut reader);
        assert!(space.len() + part.len() >= usual.min(space.len() + 20));
        space[..part.len()].copy_from_slice(part);
        framer.received(part.len());
        let whole = framer.take(&mut reader).unwrap();
        assert_eq!(whole.map(|whole| whole.octets), (part.len() != 20).then_some(&message[..]));
        framer.return_buffer(&mut reader);
        assert_eq!(framer.has_more(), part.len() == 20);
    }
}

#[test]
fn a_request_that_is_cancelled_further_back_is_known_before_its_turn() {
    let order = ByteOrder::NATIVE;
    let request = |id| request(Version::V1_2, order, id, b"");
    let cancel = |id| cancel_request(Version::V1_2, id).to_vec();
    let stream = [request(1), request(2), cancel(1), cancel(3), request(3), request(1)].concat();
    let mut framer = Framer::new(LIMIT);
    let mut reader = MessageBuffer::new();
    framer.space_from(&mut reader)[..stream.len()].copy_from_slice(&stream);
    framer.received(stream.len());
    let mut given_up = Vec::new();
    while let Some(message) = framer.take(&mut reader).unwrap() {
        if message.header.kind == MessageKind::Request {
            let id = decode_request(&message).unwrap().0.request_id;
            given_up.push((id, framer.has_cancel_for(id)));
        }
    }
    // What comes before a request does not concern it.
    assert_eq!(given_up, [(1, true), (2, false), (3, false), (1, false)]);
}

#[test]
fn each_fault_in_a_stream_has_its_own_error_and_persists() {
    let refused = |stream: &[u8]| {
        let mut framer = Framer::new(1000);
        let error = run(&mut framer, stream, || usize::MAX).unwrap_err();
        assert_eq!(framer.next().map(|_| ()), Err(error), "nothing can be read after an error");
        error
    };
    let (big, little) = (ByteOrder::Big, ByteOrder::Little);
    assert_eq!(refused(b"HTTP/1.1 200"), HeaderError::BadMagic(*b"HTTP"));
    let large = request(Version::V1_0, big, 1, &[0; 1000]);
    let size = large.len() - HEADER_LEN;
    assert_eq!(refused(&large[..HEADER_LEN]), HeaderError::TooLarge { size, limit: 1000 });

    let old = fragmented(&request(Version::V1_1, big, 1, &[0; 100]), 20);
    assert_eq!(refused(&old[1]), HeaderError::StrayFragment);
    let limit = HeaderError::TooManyFragmented { limit: 1 };
    assert_eq!(refused(&[&old[0][..], &old[0]].concat()), limit);
    let other = fragmented(&request(Version::V1_1, little, 1, &[0; 100]), 20);
    assert_eq!(refused(&[&old[0][..], &other[1]].concat()), HeaderError::StrayFragment);

    let new = fragmented(&request(Version::V1_2, big, 9, &[0; 100]), 24);
    let twice = HeaderError::DuplicateFragmented { request_id: 9 };
    assert_eq!(refused(&[&new[0][..], &new[0]].concat()), twice);
    let mut cancel = cancel_request(Version::V1_2, 9);
    cancel[6] |= 2;
    assert_eq!(refused(&cancel), HeaderError::NotFragmentable(MessageKind::CancelRequest));
    assert_eq!(refused(b"GIOP\x01\x02\x02\x00\0\0\0\x03abc"), HeaderError::NoRequestId);
    assert_eq!(refused(b"GIOP\x01\x02\x00\x07\0\0\0\x03abc"), HeaderError::NoRequestId);
}

#[test]
fn fragmented_messages_are_limited_in_number_and_in_octets_together() {
    let open = |id: u32, size| {
        fragmented(&request(Version::V1_2, ByteOrder::Big, id, &vec![0; 2 * size]), size)
    };
    let many: Vec<u8> = (0..65).flat_map(|id| open(id, 24)[0].clone()).collect();
    let error = run(&mut Framer::new(LIMIT), &many, || usize::MAX).unwrap_err();
    assert_eq!(error, HeaderError::TooManyFragmented { limit: 64 });
    let large: Vec<u8> = (0..3).flat_map(|id| open(id, 400)[0].clone()).collect();
    let error = run(&mut Framer::new(1000), &large, || usize::MAX).unwrap_err();
    assert!(matches!(error, HeaderError::TooLarge { limit: 1000, .. }), "{error}");
    let endless = [&open(1, 24)[0][..], &open(1, 24)[1].repeat(100)].concat();
    let error = run(&mut Framer::new(1000), &endless, || usize::MAX).unwrap_err();
    assert!(matches!(error, HeaderError::TooLarge { limit: 1000, .. }), "{error}");
}

#[test]
fn a_request_that_is_cancelled_between_fragments_is_dropped() {
    let frames = fragmented(&request(Version::V1_2, ByteOrder::NATIVE, 9, &[0; 100]), 24);
    let cancel = cancel_request(Version::V1_2, 9);
    let other = reply(Version::V1_2, ByteOrder::NATIVE, 3);
    let mut framer = Framer::new(LIMIT);
    let late = &frames[1];
    let stream = [&frames[0][..], &cancel, late, &other].concat();
    assert_eq!(run(&mut framer, &stream, || 7).unwrap(), [&cancel[..], &other]);
    assert!(!framer.is_partial());
}

#[test]
fn fragments_of_1_1_are_read_with_the_alignment_of_each() {
    // A double does not fit behind the header and the octet any more; in its fragment it stands at
    // 16, four octets behind the header of that fragment.
    let value = 0.1_f64;
    let mut first = request(Version::V1_1, ByteOrder::Big, 5, b"");
    first.truncate(first.len() - 4);
    first.push(7);
    first[6] |= 2;
    let size = u32::try_from(first.len() - HEADER_LEN).unwrap();
    first[8..12].copy_from_slice(&size.to_be_bytes());
    let fragment = [b"GIOP\x01\x01\x00\x07\0\0\0\x0c\0\0\0\0", &value.to_be_bytes()[..]].concat();
    let mut framer = Framer::new(LIMIT);
    let stream = [first, fragment].concat();
    framer.space()[..stream.len()].copy_from_slice(&stream);
    framer.received(stream.len());
    let message = framer.next().unwrap().expect("both fragments are there");
    let (header, mut arguments) = decode_request(&message).unwrap();
    assert_eq!((header.request_id, header.operation.as_str()), (5, "operate"));
    assert_eq!((arguments.u8(), arguments.f64(), arguments.remaining()), (Ok(7), Ok(value), 0));
}

#[test]
fn flipped_bits_do_not_hang_the_framer() {
    let mut random = Random::new(2);
    let message = request(Version::V1_2, ByteOrder::Little, 1, &[1; 200]);
    let stream = [
        fragmented(&message, 40).concat(),
        fragmented(&request(Version::V1_1, ByteOrder::Big, 1, &[1; 200]), 40).concat(),
        reply(Version::V1_2, ByteOrder::Little, 4),
    ]
    .concat();
    for bit in 0..stream.len() * 8 {
        let mut octets = stream.clone();
        octets[bit / 8] ^= 1 << (bit % 8);
        let mut framer = Framer::new(LIMIT);
        if let Ok(messages) = run(&mut framer, &octets, || 1 + random.below(64) as usize) {
            for octets in messages {
                let message = armilla_giop::Message::parse(&octets).unwrap().unwrap();
                decode_request(&message).ok();
                decode_reply(&message).ok();
            }
        }
    }
}

#[test]
fn the_short_way_gives_a_message_that_came_alone_and_leaves_all_else_to_the_long_one() {
    let one = request(Version::V1_2, ByteOrder::Little, 1, b"hello");
    let two = request(Version::V1_2, ByteOrder::Big, 2, b"");
    let both = [&one[..], &two].concat();
    let parts = fragmented(&one, 16);
    let others = [&both[..], &one[..one.len() - 1], &parts[0], b"GIOP\x09rubbish"];
    for arrived in others.into_iter().chain([&one[..], &two]) {
        let alone = arrived == one || arrived == two;
        let mut framer = Framer::new(LIMIT);
        framer.space()[..arrived.len()].copy_from_slice(arrived);
        framer.received(arrived.len());
        let short = framer.next_single().map(|message| message.octets.to_vec());
        assert_eq!(short.as_deref(), alone.then_some(arrived));
        assert!(framer.next_single().is_none(), "it was returned already");
        let long = framer.next().map(|message| message.map(|message| message.octets.to_vec()));
        assert_eq!(long == Ok(None), alone || arrived != both && long.is_ok(), "{long:?}");

        let (mut framer, mut reader) = (Framer::new(LIMIT), MessageBuffer::new());
        framer.space_from(&mut reader)[..arrived.len()].copy_from_slice(arrived);
        framer.received(arrived.len());
        let short = framer.take_single(&mut reader).map(|message| message.octets.to_vec());
        assert_eq!(short.as_deref(), alone.then_some(arrived));
        let taken = framer.take(&mut reader);
        assert_eq!(taken.map(|message| message.map(|message| message.octets.to_vec())), long);
    }
}

/// Gives the framer all of `octets`, in reads of at most `step`, until a message is whole.
fn read_until_whole(framer: &mut Framer, octets: &mut &[u8]) -> Option<Vec<u8>> {
    loop {
        if let Some(message) = framer.next().unwrap() {
            return Some(message.octets.to_vec());
        }
        let space = framer.space();
        let count = space.len().min(octets.len());
        if count == 0 {
            return None;
        }
        space[..count].copy_from_slice(&octets[..count]);
        framer.received(count);
        *octets = &octets[count..];
    }
}

#[test]
fn the_current_message_can_be_taken_however_it_arrived() {
    let (version, order) = (Version::V1_2, ByteOrder::Little);
    let large = request(version, order, 1, &[7; 100_000]);
    let small = request(version, order, 2, b"small");
    let in_fragments = fragmented(&request(version, order, 3, &[9; 5_000]), 1_024).concat();
    let mut taken = OwnedMessage::new();
    // Alone, and followed by other messages that must stay.
    let streams = [
        vec![&large],
        vec![&small],
        vec![&small, &large, &small],
        vec![&large, &small, &large],
        vec![&in_fragments, &small, &in_fragments, &large],
    ];
    let mut framer = Framer::new(LIMIT);
    for stream in streams {
        let octets = stream.into_iter().flatten().copied().collect::<Vec<u8>>();
        let mut left = &octets[..];
        let mut seen = 0;
        while let Some(whole) = read_until_whole(&mut framer, &mut left) {
            let current = framer.current().map(|message| message.octets.to_vec());
            assert_eq!(current.as_ref(), Some(&whole));
            framer.take_current(&mut taken);
            let message = taken.message().expect("it was taken");
            assert_eq!(message.octets, whole);
            assert_eq!(Some(message.header), Message::parse(&whole).unwrap().map(|m| m.header));
            seen += 1;
        }
        assert!(seen > 0 && left.is_empty() && !framer.has_more());
    }
}
