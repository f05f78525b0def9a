//! Messages that leave in fragments, and arrive as if they had been sent in one piece.

use crate::random;
use armilla_cdr::{ByteOrder, CdrResult, Decoder, Encoder};
use armilla_giop::{
    Fragments, Framer, HEADER_LEN, Message, MessageHeader, MessageKind, OutgoingRequest,
    ReplyStatus, ResponseFlags, ServiceContext, TargetAddress, Version, begin_reply, begin_request,
    close_connection, decode_reply, decode_request, encode_locate_request, put_body,
};
use random::Random;

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];
const FRAGMENTING: [Version; 2] = [Version::V1_1, Version::V1_2];

/// What a message carries: numbers of every size around octets that are borrowed, and many of them
/// borrowed themselves.
#[derive(Debug, Clone, PartialEq)]
struct Contents {
    text: String,
    shorts: Vec<i16>,
    longs: Vec<i32>,
    first: Vec<u8>,
    double: f64,
    doubles: Vec<f64>,
    second: Vec<u8>,
    last: i64,
}

impl Contents {
    fn random(random: &mut Random) -> Self {
        let mut up_to = |limit| random.below(limit) as usize;
        Self {
            text: "é".repeat(up_to(300)),
            shorts: (0..up_to(12_000)).map(|n| n as i16).collect(),
            longs: (0..up_to(6_000)).map(|n| -(n as i32)).collect(),
            first: vec![1; 16_000 + up_to(2_000)],
            double: 0.5,
            doubles: (0..up_to(3_000)).map(|n| n as f64).collect(),
            second: vec![2; up_to(50_000)],
            last: -7,
        }
    }

    fn put<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_string(&self.text)?;
        out.put_sequence(&self.shorts)?;
        out.put_sequence(&self.longs)?;
        out.put_sequence(&self.first)?;
        out.put_f64(self.double);
        out.put_sequence(&self.doubles)?;
        out.put_sequence(&self.second)?;
        out.put_i64(self.last);
        Ok(())
    }

    fn take(input: &mut Decoder<'_>) -> CdrResult<Self> {
        Ok(Self {
            text: input.string()?.into_owned(),
            shorts: input.sequence()?,
            longs: input.sequence()?,
            first: input.sequence()?,
            double: input.f64()?,
            doubles: input.sequence()?,
            second: input.sequence()?,
            last: input.i64()?,
        })
    }
}

fn request<'p>(
    version: Version,
    order: ByteOrder,
    request_id: u32,
    contents: &'p Contents,
) -> Encoder<'p> {
    let mut out = Encoder::new(order);
    let contexts = &[ServiceContext { id: 1, data: b"context" }];
    let (response, target) = (ResponseFlags::Target, TargetAddress::Key(b"key"));
    let request = OutgoingRequest { request_id, response, target, operation: "operate", contexts };
    begin_request(&mut out, version, &request).unwrap();
    put_body(&mut out, version, |out| contents.put(out)).unwrap();
    MessageHeader::finish(&mut out).unwrap();
    out
}

/// Each fragment in one piece.
fn cut(message: &Encoder<'_>, size: usize) -> Vec<Vec<u8>> {
    let fragments = Fragments::of(message, size);
    fragments.map_or_else(
        || vec![message.to_vec()],
        |fragments| fragments.iter().map(|parts| parts.concat()).collect(),
    )
}

/// Gives a framer `stream` in cuts that `random` chooses, and each message to `take`.
fn receive(stream: &[u8], random: &mut Random, mut take: impl FnMut(&Message<'_>)) {
    let (mut framer, mut rest) = (Framer::new(1 << 24), stream);
    while !rest.is_empty() {
        let space = framer.space();
        let count = (1 + random.below(40_000) as usize).min(rest.len()).min(space.len());
        space[..count].copy_from_slice(&rest[..count]);
        framer.received(count);
        rest = &rest[count..];
        while let Some(message) = framer.next().unwrap() {
            take(&message);
        }
    }
    assert!(!framer.is_partial());
}

#[test]
fn fragments_of_every_size_carry_the_same_values() {
    let mut random = Random::new(3);
    for round in 0..200 {
        let (version, order) = (FRAGMENTING[round % 2], ORDERS[round / 2 % 2]);
        let contents = Contents::random(&mut random);
        let size = 1 + random.below(if round % 5 == 0 { 100 } else { 20_000 }) as usize;
        let message = request(version, order, 5, &contents);
        let fragments = cut(&message, size);
        assert!(fragments.len() > 1 || size >= contents.first.len(), "{size}");
        let mut arrived = Vec::new();
        receive(&fragments.concat(), &mut random, |message| {
            let (header, mut arguments) = decode_request(message).unwrap();
            assert_eq!((header.request_id, header.operation.as_str()), (5, "operate"));
            assert_eq!(header.contexts.find(1), Some(&b"context"[..]));
            arrived.push(Contents::take(&mut arguments).unwrap());
            assert_eq!(arguments.remaining(), 0);
        });
        assert!(arrived == [contents], "GIOP {version} {order:?} in fragments of {size}");
    }
}

#[test]
fn fragments_keep_to_the_size_and_all_but_the_last_to_multiples_of_eight() {
    let contents = Contents::random(&mut Random::new(4));
    for (order, size) in ORDERS.iter().flat_map(|o| [64, 100, 1000, 4096, 8191].map(|s| (*o, s))) {
        let message = request(Version::V1_2, order, 9, &contents);
        let fragments = cut(&message, size);
        for (index, fragment) in fragments.iter().enumerate() {
            let header = MessageHeader::decode(fragment.first_chunk().unwrap()).unwrap();
            assert_eq!(header.size as usize + HEADER_LEN, fragment.len());
            assert!(fragment.len() <= size);
            let last = index + 1 == fragments.len();
            assert_eq!(header.more_fragments, !last);
            assert!(last || (fragment.len() % 8 == 0 && fragment.len() > size - 24));
            let kind = if index == 0 { MessageKind::Request } else { MessageKind::Fragment };
            assert_eq!(header.kind, kind);
        }
    }
}

#[test]
fn fragments_share_the_octets_of_the_payload() {
    let contents = Contents::random(&mut Random::new(5));
    let message = request(Version::V1_2, ByteOrder::NATIVE, 1, &contents);
    let fragments = Fragments::of(&message, 4096).unwrap();
    let payload = contents.first.as_ptr_range();
    let shared: usize = fragments
        .iter()
        .flatten()
        .filter(|part| payload.contains(&part.as_ptr()))
        .map(<[u8]>::len)
        .sum();
    assert_eq!(shared, contents.first.len());
}

#[test]
fn before_the_first_number_of_eight_octets_a_message_of_1_1_keeps_to_the_size_too() {
    let contents = Contents { double: 0.0, ..Contents::random(&mut Random::new(6)) };
    let mut out = Encoder::new(ByteOrder::Little);
    begin_reply(&mut out, Version::V1_1, 3, ReplyStatus::NoException, &[]).unwrap();
    let body = |out: &mut Encoder<'_>| {
        out.put_string(&contents.text)?;
        out.copy_i32s(&contents.longs.repeat(100));
        Ok(())
    };
    put_body(&mut out, Version::V1_1, body).unwrap();
    MessageHeader::finish(&mut out).unwrap();
    let fragments = cut(&out, 1000);
    assert!(fragments.len() > 10);
    assert!(fragments.iter().all(|fragment| fragment.len() <= 1000));
    receive(&fragments.concat(), &mut Random::new(7), |message| {
        let mut results = decode_reply(message).unwrap().1;
        assert_eq!(results.string().unwrap(), contents.text);
        let count = 100 * contents.longs.len();
        assert!(results.i32s(count).unwrap() == contents.longs.repeat(100));
    });
}

#[test]
fn numbers_of_eight_octets_are_never_cut_in_1_1() {
    // Few are copied, and many are borrowed in the order of the machine.
    for (count, order) in
        [(1000, ORDERS[0]), (1000, ORDERS[1]), (4000, ORDERS[0]), (4000, ORDERS[1])]
    {
        let doubles: Vec<f64> = (0..count).map(f64::from).collect();
        let mut out = Encoder::new(order);
        begin_reply(&mut out, Version::V1_1, 3, ReplyStatus::NoException, &[]).unwrap();
        put_body(&mut out, Version::V1_1, |out| out.put_sequence(&doubles)).unwrap();
        MessageHeader::finish(&mut out).unwrap();
        let fragments = cut(&out, 400);
        assert!(fragments.len() <= 2, "only what stands before them can be apart");
        receive(&fragments.concat(), &mut Random::new(10), |message| {
            assert!(decode_reply(message).unwrap().1.sequence::<f64>().unwrap() == doubles);
        });
    }
}

#[test]
fn messages_that_cannot_have_fragments_are_left_whole() {
    let contents = Contents::random(&mut Random::new(8));
    assert!(Fragments::of(&request(Version::V1_0, ByteOrder::Big, 1, &contents), 400).is_none());
    let message = request(Version::V1_2, ByteOrder::Big, 1, &contents);
    assert!(Fragments::of(&message, message.len()).is_none(), "it is no larger");
    let mut locate = Encoder::new(ByteOrder::Big);
    let target = TargetAddress::Key(&[7; 1000]);
    encode_locate_request(&mut locate, Version::V1_2, 1, target).unwrap();
    MessageHeader::finish(&mut locate).unwrap();
    assert!(Fragments::of(&locate, 400).is_none(), "no version before 1.2 could");
}

#[test]
fn fragments_of_many_messages_and_whole_messages_may_interleave() {
    let mut random = Random::new(9);
    let contents: Vec<_> = (0..20).map(|_| Contents::random(&mut random)).collect();
    let mut under_way: Vec<_> = (0_u32..)
        .zip(&contents)
        .map(|(id, contents)| {
            let size = 100 + random.below(9_000) as usize;
            let mut fragments =
                cut(&request(Version::V1_2, ORDERS[id as usize % 2], id, contents), size);
            fragments.reverse();
            fragments
        })
        .collect();
    let mut stream = Vec::new();
    while !under_way.is_empty() {
        let index = random.below(under_way.len() as u32) as usize;
        match under_way[index].pop() {
            Some(fragment) => stream.extend(fragment),
            None => drop(under_way.swap_remove(index)),
        }
    }
    stream.extend(close_connection(Version::V1_2));
    let mut arrived = 0;
    receive(&stream, &mut random, |message| {
        if message.header.kind == MessageKind::CloseConnection {
            return;
        }
        let (header, mut arguments) = decode_request(message).unwrap();
        assert!(Contents::take(&mut arguments).unwrap() == contents[header.request_id as usize]);
        arrived += 1;
    });
    assert_eq!(arrived, contents.len());
}
