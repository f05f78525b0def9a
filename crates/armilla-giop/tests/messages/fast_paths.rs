//! A fast path reads what most messages look like and leaves the rest to the whole path. Over
//! generated messages and mutations of them, whatever a fast path accepts the whole path reads the
//! same way, and no message that it is meant for is left out.

use crate::random;
use armilla_cdr::{ByteOrder, CdrResult, Decoder, Encoder};
use armilla_giop::engine::{ClientEvent, Initiator};
use armilla_giop::{
    Framer, HEADER_LEN, Message, MessageBuffer, MessageHeader, OutgoingRequest, ReplyStatus,
    RequestHeader, ResponseFlags, ServiceContext, TargetAddress, Version, begin_reply,
    begin_request, close_connection, decode_request, decode_request_fast, put_body,
};
use random::Random;

const LIMIT: usize = 4096;
const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];
const CONTEXTS: &[ServiceContext<'static>] = &[ServiceContext { id: 9, data: b"abc" }];

fn order(random: &mut Random) -> ByteOrder {
    [ByteOrder::Big, ByteOrder::Little][random.below(2) as usize]
}

/// Version 1.2 two times in three.
fn version(random: &mut Random) -> Version {
    VERSIONS[random.below(9).min(2) as usize]
}

fn octets(random: &mut Random, most: u32) -> Vec<u8> {
    (0..random.below(most)).map(|_| random.next() as u8).collect()
}

fn finished(random: &mut Random, begin: impl FnOnce(&mut Encoder<'_>) -> CdrResult) -> Vec<u8> {
    let mut out = Encoder::new(order(random));
    begin(&mut out).unwrap();
    MessageHeader::finish(&mut out).unwrap();
    out.to_vec()
}

/// A request, and whether the fast path is meant for it.
fn request(random: &mut Random) -> (Vec<u8>, bool) {
    let (version, usual_contexts) = (version(random), random.below(4) > 0);
    let (key, body) = (octets(random, 40), octets(random, 20));
    let operation: String = (0..random.below(30)).map(|_| 'x').collect();
    let all = [ResponseFlags::None, ResponseFlags::Server, ResponseFlags::Target];
    let request = OutgoingRequest {
        request_id: random.next() as u32,
        response: all[random.below(3) as usize],
        target: TargetAddress::Key(&key),
        operation: &operation,
        contexts: if usual_contexts { &[] } else { CONTEXTS },
    };
    let message = finished(random, |out| {
        begin_request(out, version, &request)?;
        put_body(out, version, |out| {
            out.copy_raw(&body);
            Ok(())
        })
    });
    (message, version == Version::V1_2 && usual_contexts)
}

/// A reply to the request `id`, and whether the fast path is meant for it.
fn reply(random: &mut Random, id: u32) -> (Vec<u8>, bool) {
    let (version, usual_contexts) = (version(random), random.below(4) > 0);
    let status = ReplyStatus::from_number(random.below(4), version).unwrap();
    let contexts = if usual_contexts { &[] } else { CONTEXTS };
    let body = octets(random, 20);
    let message = finished(random, |out| {
        begin_reply(out, version, id, status, contexts)?;
        put_body(out, version, |out| {
            out.copy_raw(&body);
            Ok(())
        })
    });
    (message, version == Version::V1_2 && usual_contexts)
}

/// Hands `check` the message with its end cut off anywhere behind the header, and with each bit
/// flipped.
fn for_each_mutation(octets: &[u8], mut check: impl FnMut(&Message<'_>)) {
    let header = MessageHeader::decode(octets.first_chunk().unwrap()).unwrap();
    for end in HEADER_LEN..octets.len() {
        let size = (end - HEADER_LEN) as u32;
        let mut octets = octets[..end].to_vec();
        octets[..HEADER_LEN].copy_from_slice(&MessageHeader { size, ..header }.encode());
        check(&Message::parse(&octets).unwrap().unwrap());
    }
    for bit in 0..octets.len() * 8 {
        let mut octets = octets.to_vec();
        octets[bit / 8] ^= 1 << (bit % 8);
        if let Ok(Some(message)) = Message::parse(&octets) {
            check(&message);
        }
    }
}

fn place(input: &Decoder<'_>) -> impl PartialEq + std::fmt::Debug {
    (input.position(), input.remaining(), input.order(), input.wide_format())
}

fn same_requests((a, a_body): &(RequestHeader<'_>, Decoder<'_>), b: &Message<'_>) {
    let (b, b_body) = decode_request(b).expect("the whole path reads it too");
    assert_eq!(a.request_id, b.request_id);
    assert_eq!(a.response_expected, b.response_expected);
    assert_eq!(a.sync_with_server, b.sync_with_server);
    assert_eq!((a.target, a.operation, a.contexts), (b.target, b.operation, b.contexts));
    assert!(place(a_body) == place(&b_body), "{a_body:?} {b_body:?}");
}

#[test]
fn requests_read_the_same_by_either_path() {
    let mut random = Random::new(1);
    for _ in 0..60 {
        let (octets, usual) = request(&mut random);
        let message = Message::parse(&octets).unwrap().unwrap();
        assert_eq!(decode_request_fast(&message).is_some(), usual);
        for_each_mutation(&octets, |message| {
            if let Some(fast) = decode_request_fast(message) {
                same_requests(&fast, message);
            }
        });
    }
}

/// What a client does with a message, by the whole path: the call, the status, and where the result
/// begins.
fn received(initiator: &mut Initiator<u32>, message: &Message<'_>) -> Option<String> {
    match initiator.receive(message) {
        Ok(ClientEvent::Reply(call, header, body)) => {
            Some(format!("{call} {header:?} {:?}", place(&body)))
        }
        _ => None,
    }
}

fn waiting(random: &mut Random) -> (Initiator<u32>, Initiator<u32>, u32) {
    let (mut fast, mut whole) = (Initiator::new(8), Initiator::new(8));
    for call in 0..=random.below(3) {
        assert_eq!(fast.begin(call, None), whole.begin(call, None));
    }
    (fast, whole, random.below(4))
}

#[test]
fn replies_find_the_same_calls_by_either_path() {
    let mut random = Random::new(2);
    for _ in 0..60 {
        let (mut fast, _, id) = waiting(&mut random);
        let (octets, usual) = reply(&mut random, id);
        let message = Message::parse(&octets).unwrap().unwrap();
        let expected = usual && fast.is_pending(id);
        assert_eq!(fast.receive_reply_fast(&message).is_some(), expected);
        for_each_mutation(&octets, |message| {
            let (mut fast, mut whole, _) = waiting(&mut random);
            if let Some((call, header, body)) = fast.receive_reply_fast(message) {
                let fast_result = format!("{call} {header:?} {:?}", place(&body));
                assert_eq!(received(&mut whole, message), Some(fast_result));
                assert_eq!(fast.in_flight(), whole.in_flight());
            }
        });
    }
}

/// A stream of messages with a few bits flipped, in parts as they may arrive. Often a part is a
/// message.
fn stream(random: &mut Random) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    for id in 0..1 + random.below(6) {
        let mut message = match random.below(5) {
            0 => close_connection(version(random)).to_vec(),
            1 | 2 => request(random).0,
            _ => reply(random, id).0,
        };
        if random.below(4) == 0 {
            let bit = random.below(message.len() as u32 * 8) as usize;
            message[bit / 8] ^= 1 << (bit % 8);
        }
        let cut = random.below(message.len() as u32) as usize;
        match random.below(3) {
            0 => parts.extend([message[..cut].to_vec(), message[cut..].to_vec()]),
            1 if !parts.is_empty() => parts.last_mut().unwrap().extend(message),
            _ => parts.push(message),
        }
    }
    parts
}

/// A message as the framer returned it, in words.
fn shown(message: &Message<'_>) -> String {
    format!("{:?} {:?}", message.header, message.octets)
}

/// All that the framer returns for the stream, with the fast path or without it.
fn framed(parts: &[Vec<u8>], fast: bool) -> Vec<String> {
    let (mut framer, mut all) = (Framer::new(LIMIT), Vec::new());
    for part in parts {
        framer.space()[..part.len()].copy_from_slice(part);
        framer.received(part.len());
        if fast && let Some(message) = framer.next_single() {
            all.push(shown(&message));
        }
        loop {
            match framer.next() {
                Ok(Some(message)) => all.push(shown(&message)),
                Ok(None) => break,
                Err(error) => {
                    all.push(error.to_string());
                    return all;
                }
            }
        }
    }
    all
}

/// As [`framed`], with messages that are taken out.
fn taken(parts: &[Vec<u8>], fast: bool) -> Vec<String> {
    let (mut framer, mut buffer, mut all) = (Framer::new(LIMIT), MessageBuffer::new(), Vec::new());
    for part in parts {
        framer.space_from(&mut buffer)[..part.len()].copy_from_slice(part);
        framer.received(part.len());
        if fast && let Some(message) = framer.take_single(&mut buffer) {
            all.push(shown(&message));
        }
        loop {
            match framer.take(&mut buffer) {
                Ok(Some(message)) => all.push(shown(&message)),
                Ok(None) => break,
                Err(error) => {
                    all.push(error.to_string());
                    return all;
                }
            }
        }
    }
    all
}

#[test]
fn streams_come_apart_into_the_same_messages_by_either_path() {
    let mut random = Random::new(3);
    let mut single = 0;
    for _ in 0..1_000 {
        let parts = stream(&mut random);
        let whole = framed(&parts, false);
        assert_eq!(framed(&parts, true), whole, "{parts:?}");
        assert_eq!(taken(&parts, false), whole, "{parts:?}");
        assert_eq!(taken(&parts, true), whole, "{parts:?}");
        let mut framer = Framer::new(LIMIT);
        framer.space()[..parts[0].len()].copy_from_slice(&parts[0]);
        framer.received(parts[0].len());
        single += u32::from(framer.next_single().is_some());
    }
    assert!(single > 150, "the fast path took only {single} messages");
}
