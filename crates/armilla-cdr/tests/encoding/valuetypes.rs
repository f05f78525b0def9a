//! Values on the wire (CORBA 3.4 Part 2, 9.3.4), octet by octet: what is written, what others write
//! and is read, and what nobody should write.

use armilla_cdr::value::{ValueHandle, ValueHead};
use armilla_cdr::{
    ByteOrder, CdrError, CdrErrorKind, CdrResult, Decoder, Encoder, FragmentedOctets, TypeCode,
};
use std::sync::{Arc, Mutex};

/// A value with a number and a next one. The most special types have more behind it.
#[derive(Debug, Default)]
struct Node {
    number: i32,
    next: Mutex<Option<Arc<Node>>>,
}

const BASE: &[&str] = &["IDL:B:1.0"];
const DERIVED: &[&str] = &["IDL:D:1.0", "IDL:B:1.0"];

fn node(number: i32, next: Option<Arc<Node>>) -> Arc<Node> {
    Arc::new(Node { number, next: Mutex::new(next) })
}

fn put(out: &mut Encoder<'_>, node: Option<&Arc<Node>>, ids: &'static [&'static str]) -> CdrResult {
    let Some(node) = node else {
        out.put_null_value();
        return Ok(());
    };
    let handle: ValueHandle = node.clone();
    let Some(mut inner) = out.begin_value(&handle, "", ids, false, TypeCode::default)? else {
        return Ok(());
    };
    inner.put_i32(node.number);
    let next = node.next.lock().unwrap().clone();
    let encoded = put(&mut inner, next.as_ref(), ids);
    out.end_value(inner, encoded)
}

/// Reads a value as a `B`, and a number in front of it for a type with the id `"IDL:N:1.0"`.
fn get(input: &mut Decoder<'_>) -> CdrResult<Option<Arc<Node>>> {
    let head = match input.value_head()? {
        ValueHead::Null => return Ok(None),
        ValueHead::Known(handle) => return Ok(handle.downcast().ok()),
        ValueHead::New(head) => head,
    };
    let truncated = head.ids().first().is_some_and(|id| *id != b"IDL:B:1.0");
    // The value is not known before it is made, but its place must be.
    let mut read = Node::default();
    let node = Arc::new(Node::default());
    input.register_value(&head, node.clone());
    input.value_state(&head, truncated, |input| {
        read.number = input.i32()?;
        read.next = Mutex::new(get(input)?);
        Ok(())
    })?;
    *node.next.lock().unwrap() = Some(Arc::new(read));
    Ok(Some(node))
}

fn encode(values: &[Option<&Arc<Node>>], ids: &'static [&'static str]) -> Vec<u32> {
    let mut out = Encoder::new(ByteOrder::Big);
    values.iter().for_each(|value| put(&mut out, *value, ids).unwrap());
    let octets = out.to_vec();
    assert_eq!(octets.len() % 4, 0);
    octets.as_chunks().0.iter().map(|word| u32::from_be_bytes(*word)).collect()
}

fn octets(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// The numbers of a list; every node that was read stands before what it holds.
fn read(words: &[u32], values: usize) -> CdrResult<Vec<Vec<i32>>> {
    let octets = octets(words);
    let mut input = Decoder::new(&octets, ByteOrder::Big);
    let lists = (0..values).map(|_| get(&mut input).map(numbers)).collect();
    assert_eq!(input.remaining(), 0, "all of the message belongs to the values");
    lists
}

fn numbers(mut node: Option<Arc<Node>>) -> Vec<i32> {
    let mut numbers = Vec::new();
    while let Some(here) = node {
        let Some(content) = here.next.lock().unwrap().clone() else { break };
        numbers.push(content.number);
        node = content.next.lock().unwrap().clone();
    }
    numbers
}

fn failure(words: &[u32]) -> CdrError {
    get(&mut Decoder::new(&octets(words), ByteOrder::Big)).unwrap_err()
}

/// `"IDL:B:1.0"` and `"IDL:D:1.0"` with their lengths.
const ID_B: [u32; 4] = [10, 0x4944_4c3a, 0x423a_312e, 0x3000_0000];
const ID_D: [u32; 4] = [10, 0x4944_4c3a, 0x443a_312e, 0x3000_0000];

const fn back(octets: u32) -> u32 {
    octets.wrapping_neg()
}

#[test]
fn a_value_is_its_tag_its_type_and_its_state() {
    let words = encode(&[Some(&node(7, None)), None], BASE);
    let expected = [&[0x7fff_ff02][..], &ID_B, &[7, 0], &[0]].concat();
    assert_eq!(words, expected);
    assert_eq!(read(&words, 2).unwrap(), [vec![7], vec![]]);
}

#[test]
fn values_and_types_that_were_there_are_named_by_their_distance() {
    let shared = node(7, None);
    let words = encode(&[Some(&shared), Some(&node(8, Some(shared.clone())))], BASE);
    let first = [&[0x7fff_ff02][..], &ID_B, &[7, 0]].concat();
    // The distance counts from where it stands: octet 36 and octet 48.
    let second = [0x7fff_ff02, u32::MAX, back(32), 8, u32::MAX, back(48)];
    assert_eq!(words, [&first[..], &second].concat());
    assert_eq!(read(&words, 2).unwrap(), [vec![7], vec![8, 7]]);
}

#[test]
fn a_value_that_may_be_truncated_lies_in_chunks() {
    let words = encode(&[Some(&node(7, Some(node(8, None))))], DERIVED);
    let outer = [&[0x7fff_ff0e, 2][..], &ID_D, &ID_B, &[4, 7]].concat();
    let inner = [0x7fff_ff0e, 2, u32::MAX, back(52), u32::MAX, back(44), 8, 8, 0];
    assert_eq!(words, [&outer[..], &inner, &[back(1)]].concat(), "one tag ends both");
    assert_eq!(read(&words, 1).unwrap(), [vec![7, 8]]);
}

/// The words of a value of the type `D` where that type is expected, whose state is such a value.
fn declared(mut out: Encoder<'_>, custom: bool) -> Vec<u32> {
    let [outer, inner]: [ValueHandle; 2] = [Arc::new(1), Arc::new(2)];
    let begin = |out: &mut Encoder<'_>, value, custom| {
        let begun = out.begin_value(value, DERIVED[0], DERIVED, custom, TypeCode::default);
        begun.unwrap().unwrap()
    };
    let mut state = begin(&mut out, &outer, custom);
    let mut within = begin(&mut state, &inner, false);
    within.put_i32(7);
    state.end_value(within, Ok(())).unwrap();
    out.end_value(state, Ok(())).unwrap();
    out.to_vec().as_chunks().0.iter().map(|word| u32::from_be_bytes(*word)).collect()
}

#[test]
fn a_value_of_the_declared_type_has_neither_ids_nor_chunks() {
    let words = declared(Encoder::new(ByteOrder::Big), false);
    assert_eq!(words, [0x7fff_ff00, 0x7fff_ff00, 7]);
}

#[test]
fn a_value_within_one_in_chunks_has_its_ids_and_chunks() {
    let words = declared(Encoder::new(ByteOrder::Big), true);
    let head = [&[0x7fff_ff0e, 2][..], &ID_D, &ID_B].concat();
    let inner = [0x7fff_ff0e, 2, u32::MAX, back(44), u32::MAX, back(36), 4, 7, back(1)];
    assert_eq!(words, [&head[..], &inner].concat());
}

#[test]
fn what_was_left_out_of_a_truncated_value_is_found_when_something_else_leads_to_it() {
    let head = [&[0x7fff_ff0e, 2][..], &ID_D, &ID_B, &[8, 7, 0]].concat();
    // What `D` has more: a value, which leads to another.
    let outer = [0x7fff_ff0a, u32::MAX, back(36), 4, 1];
    let inner = [0x7fff_ff0a, u32::MAX, back(56), 8, 2, 0, back(3), back(1)];
    // The inner one, then the outer one, and again; then a value of its own.
    let again = [u32::MAX, back(36), u32::MAX, back(64), u32::MAX, back(52)];
    let behind = [0x7fff_ff02, u32::MAX, back(112), 5, 0];
    let words = [&head[..], &outer, &inner, &again, &behind].concat();
    assert_eq!(read(&words, 5).unwrap(), [vec![7], vec![2], vec![1, 2], vec![2], vec![5]]);
    let octets_of = octets(&words);
    let mut input = Decoder::new(&octets_of, ByteOrder::Big);
    let [_, inner_one, outer_one, again_one] = [(); 4].map(|()| get(&mut input).unwrap().unwrap());
    let within = outer_one.next.lock().unwrap().clone().unwrap();
    let within = within.next.lock().unwrap().clone().unwrap();
    assert!(Arc::ptr_eq(&within, &inner_one) && Arc::ptr_eq(&inner_one, &again_one));
    // Where no value begins.
    let nowhere = [&head[..], &outer, &inner, &[u32::MAX, back(40)]].concat();
    let octets = octets(&nowhere);
    let mut input = Decoder::new(&octets, ByteOrder::Big);
    get(&mut input).unwrap();
    let kind = CdrErrorKind::Invalid("an indirection leads to no value");
    assert_eq!(get(&mut input).unwrap_err().kind, kind);
}

#[test]
fn what_a_truncated_value_has_beyond_its_base_is_skipped() {
    let head = [&[0x7fff_ff0e, 2][..], &ID_D, &ID_B].concat();
    // Behind the state of the base: the rest of a chunk, a value within which there is another,
    // both ended by one tag, and one more chunk.
    let base = [12, 7, 0, 99];
    let nested = [0x7fff_ff0a, u32::MAX, back(40), 4, 1, 0x7fff_ff08, 4, 2, back(2)];
    let rest = [8, 0, 0, back(1)];
    let behind = [0x7fff_ff02, u32::MAX, back(92), 5, 0];
    let words = [&head[..], &base, &nested, &rest, &behind].concat();
    assert_eq!(read(&words, 2).unwrap(), [vec![7], vec![5]]);
}

#[test]
fn one_end_tag_may_end_several_values() {
    let head = [&[0x7fff_ff0a][..], &ID_B].concat();
    let words =
        [&head[..], &[4, 7], &[0x7fff_ff08, 4, 8, 0x7fff_ff08, 8, 9, 0], &[back(1)]].concat();
    assert_eq!(read(&words, 1).unwrap(), [vec![7, 8, 9]]);
}

#[test]
fn null_and_indirections_may_stand_between_chunks_and_state_in_many() {
    let head = [&[0x7fff_ff0a][..], &ID_B].concat();
    let words = [&head[..], &[4, 7, 0], &[back(1)]].concat();
    assert_eq!(read(&words, 1).unwrap(), [vec![7]]);
    let words = [&head[..], &[4, 7, 4, 0], &[back(1)]].concat();
    assert_eq!(read(&words, 1).unwrap(), [vec![7]]);
    let itself = [&head[..], &[4, 7, 8, u32::MAX, back(36)], &[back(1)]].concat();
    let octets = octets(&itself);
    let node = get(&mut Decoder::new(&octets, ByteOrder::Big)).unwrap().unwrap();
    let content = node.next.lock().unwrap().clone().unwrap();
    assert!(Arc::ptr_eq(content.next.lock().unwrap().as_ref().unwrap(), &node));
    *content.next.lock().unwrap() = None;
}

#[test]
fn a_codebase_is_skipped() {
    let url = [5, u32::from_be_bytes(*b"file"), 0];
    let words = [&[0x7fff_ff03][..], &url[..2], &[0], &ID_B, &[7, 0]].concat();
    assert_eq!(read(&words, 1).unwrap(), [vec![7]]);
}

#[test]
fn numbers_are_aligned_and_long_sequences_read_across_chunks() {
    // A sequence of doubles whose length ends one chunk and whose elements lie in the next.
    let mut words = [&[0x7fff_ff0a][..], &ID_B, &[8, 7, 1]].concat();
    words.extend([12, 0, 0x3ff8_0000, 0, back(1)]);
    let octets = octets(&words);
    let mut input = Decoder::new(&octets, ByteOrder::Big);
    let ValueHead::New(head) = input.value_head().unwrap() else { panic!("a value") };
    let series = input.value_state(&head, false, |input| {
        assert_eq!(input.i32(), Ok(7));
        input.sequence::<f64>()
    });
    assert_eq!(series.unwrap(), [1.5]);
}

#[test]
fn malformed_values_are_refused() {
    let head = [&[0x7fff_ff0a][..], &ID_B].concat();
    for words in [
        &[0x7fff_ff04, 7, 0][..],
        &[0x7fff_ff10, 7, 0],
        &[0x7fff_fe00],
        &[0x8000_0000],
        &[u32::MAX, back(4)],
        &[u32::MAX, 4],
        &[u32::MAX, 0x8000_0000],
        &[0x7fff_ff02, u32::MAX, back(4), 7, 0],
        &[0x7fff_ff02, u32::MAX - 1],
        &[0x7fff_ff06, u32::MAX - 1],
        // Chunks: none, one that is too long, one too many, an end that is none, a value that is
        // not in chunks, a value in the middle of a chunk.
        &[&head[..], &[back(1)]].concat(),
        &[&head[..], &[400, 7, 0, back(1)]].concat(),
        &[&head[..], &[8, 7, 0, 4, 9, back(1)]].concat(),
        &[&head[..], &[12, 7, 0, 9, back(1)]].concat(),
        &[&head[..], &[8, 7, 0, back(2)]].concat(),
        &[&head[..], &[4, 7, 0x7fff_ff00, 1, 0, back(1)]].concat(),
        &[&head[..], &[12, 7, 0x7fff_ff08, 1, 0, back(1)]].concat(),
    ] {
        let error = failure(words);
        assert_ne!(error.kind, CdrErrorKind::NoContext, "{words:x?}");
    }
}

#[test]
fn values_nest_as_deep_as_the_limit_and_no_deeper() {
    let chain = |length: i32| (1..length).fold(node(0, None), |next, i| node(i, Some(next)));
    for ids in [BASE, DERIVED] {
        let words = encode(&[Some(&chain(256))], ids);
        assert_eq!(read(&words, 1).unwrap()[0].len(), 256);
        // Who sends looks to its own stack; others may take more.
        let words = encode(&[Some(&chain(257))], ids);
        assert_eq!(failure(&words).kind, CdrErrorKind::TooDeep { limit: 256 });
    }
    let mut words = [&[0x7fff_ff02][..], &ID_B, &[0]].concat();
    (0..100_000).for_each(|_| words.extend([0x7fff_ff00, 0]));
    assert_eq!(failure(&words).kind, CdrErrorKind::TooDeep { limit: 256 });
}

/// Nests as deep, each level with 30,000 octets of the stack and more.
fn descend(
    input: &mut Decoder<'_>,
    levels: u32,
    below: &dyn Fn(&mut Decoder<'_>) -> CdrResult,
) -> CdrResult {
    let room = std::hint::black_box([0_u8; 30_000]);
    let done = match levels {
        0 => below(input),
        _ => input.nested(|input| descend(input, levels - 1, below)),
    };
    std::hint::black_box(room);
    done
}

/// What it comes to that so many levels enclose a value that encloses as many, and so on `values`
/// times.
fn alternating(input: &mut Decoder<'_>, levels: u32, values: u32) -> CdrResult {
    descend(input, levels, &|input| {
        let ValueHead::New(head) = input.value_head()? else { return Ok(()) };
        input.register_value(&head, Arc::new(()));
        input.deep_value_state(&head, false, 100, |input| match values {
            1 => descend(input, levels, &|_| Ok(())),
            _ => alternating(input, levels, values - 1),
        })
    })
}

#[test]
fn nesting_inside_and_outside_of_values_shares_one_stack_limit() {
    let words = [&[0x7fff_ff02][..], &ID_B].concat().repeat(100);
    let octets = octets(&words);
    let read = |levels, values| {
        let mut input = Decoder::new(&octets, ByteOrder::Big);
        alternating(&mut input, levels, values)
    };
    let in_thread = |levels, values, moved: bool| {
        std::thread::scope(|scope| {
            let small = std::thread::Builder::new().stack_size(if moved { 16 } else { 2 } << 20);
            let read = || match moved {
                false => read(levels, values),
                true => Decoder::new(&octets, ByteOrder::Big).on_another_stack(12 << 20, |input| {
                    assert_eq!(input.stack_used() >> 12, 0);
                    alternating(input, levels, values)
                }),
            };
            small.spawn_scoped(scope, read).unwrap().join().unwrap()
        })
    };
    assert_eq!(in_thread(5, 1, false), Ok(()));
    for (levels, values) in [(12, 1), (5, 20), (1, 99)] {
        let error = in_thread(levels, values, false).unwrap_err();
        assert!(error.to_string().contains("stack"), "{error}");
        assert!(levels == 1 || in_thread(levels, values.min(5), true).is_ok());
    }
}

#[test]
fn damaged_messages_end_in_an_error_or_a_value() {
    let nodes: Vec<_> = (0..4).fold(vec![node(0, None)], |mut nodes, number| {
        nodes.push(node(number, nodes.last().cloned()));
        nodes
    });
    let values: Vec<_> = nodes.iter().rev().map(Some).collect();
    for ids in [BASE, DERIVED] {
        let whole = octets(&encode(&values, ids));
        let parse = |octets: &[u8]| {
            let mut input = Decoder::new(octets, ByteOrder::Big);
            (0..values.len()).try_for_each(|_| get(&mut input).map(drop))
        };
        parse(&whole).unwrap();
        for end in 0..whole.len() {
            assert!(parse(&whole[..end]).is_err());
        }
        let mut damaged = whole.clone();
        for place in 0..whole.len() {
            for octet in [0, 1, 2, 4, 8, 0x0e, 0x7f, 0x80, 0xfe, 0xff] {
                damaged[place] = octet;
                let _ended = parse(&damaged);
            }
            damaged[place] = whole[place];
        }
    }
}

/// GIOP 1.1 aligns pieces one by one, in which a distance means nothing.
#[test]
fn what_has_values_in_it_is_not_cut_into_pieces() {
    let mut out = Encoder::new(ByteOrder::Big);
    out.copy_raw(&[0; 64]);
    assert_eq!(out.cut(16), Some(12));
    put(&mut out, Some(&node(7, None)), BASE).unwrap();
    assert_eq!(out.cut(16), None);
}

#[test]
fn large_payloads_before_values_stay_where_they_are() {
    let payload = vec![0x5a; 20_000];
    let (a, b) = (node(1, None), node(2, None));
    let mut out = Encoder::new(ByteOrder::Big);
    out.put_sequence(&payload).unwrap();
    for value in [&a, &b, &a] {
        put(&mut out, Some(value), DERIVED).unwrap();
    }
    let octets = out.to_vec();
    let mut input = Decoder::new(&octets, ByteOrder::Big);
    assert_eq!(input.octets().unwrap(), payload);
    let lists: Vec<_> = (0..3).map(|_| numbers(get(&mut input).unwrap())).collect();
    assert_eq!(lists, [[1], [2], [1]]);
}

/// GIOP 1.1 aligns each fragment from its own start, but distances and chunks count as if there
/// were no headers in between (CORBA 3.4 Part 2, 9.3.5.1).
#[test]
fn values_may_come_in_pieces_cut_at_any_multiple_of_four() {
    let shared = node(7, None);
    let nodes = [
        Some(node(1, Some(node(2, Some(shared.clone()))))),
        None,
        Some(shared.clone()),
        Some(node(3, Some(shared))),
    ];
    let values: Vec<_> = nodes.iter().map(Option::as_ref).collect();
    for ids in [BASE, DERIVED] {
        let whole = octets(&encode(&values, ids));
        for size in (4..whole.len()).step_by(4) {
            let mut cut = whole.chunks(size);
            let mut pieces = FragmentedOctets::new([&[0; 12], cut.next().unwrap()].concat(), 12);
            cut.for_each(|piece| pieces.push(piece));
            let mut input = pieces.decoder(12, ByteOrder::Big);
            let read: Vec<_> = (0..4).map(|_| get(&mut input).unwrap()).collect();
            assert_eq!(input.remaining(), 0, "{size}");
            let shared = read[2].clone().unwrap();
            for list in [&read[0], &read[3]] {
                assert!(Arc::ptr_eq(&last(list.clone().unwrap()), &shared), "{size}");
            }
            let lists: Vec<_> = read.into_iter().map(numbers).collect();
            assert_eq!(lists, [vec![1, 2, 7], vec![], vec![7], vec![3, 7]], "{size}");
        }
    }
}

/// What a truncated value leaves out, and what leads into it, may lie across pieces too.
#[test]
fn values_are_truncated_and_damaged_ones_refused_in_pieces_as_in_one() {
    let head = [&[0x7fff_ff0e, 2][..], &ID_D, &ID_B, &[8, 7, 0]].concat();
    let outer = [0x7fff_ff0a, u32::MAX, back(36), 4, 1];
    let inner = [0x7fff_ff0a, u32::MAX, back(56), 8, 2, 0, back(3), back(1)];
    let again = [u32::MAX, back(36), u32::MAX, back(64), u32::MAX, back(52)];
    let behind = [0x7fff_ff02, u32::MAX, back(112), 5, 0];
    let whole = octets(&[&head[..], &outer, &inner, &again, &behind].concat());
    let parse = |octets: &[u8], size: usize| {
        let mut cut = octets.chunks(size);
        let mut pieces =
            FragmentedOctets::new([&[0; 12], cut.next().unwrap_or_default()].concat(), 12);
        cut.for_each(|piece| pieces.push(piece));
        let mut input = pieces.decoder(12, ByteOrder::Big);
        (0..5).map(|_| get(&mut input).map(numbers)).collect::<CdrResult<Vec<_>>>()
    };
    for size in (4..whole.len()).step_by(4) {
        let lists = parse(&whole, size).unwrap();
        assert_eq!(lists, [vec![7], vec![2], vec![1, 2], vec![2], vec![5]], "{size}");
    }
    for size in [4, 12, 20] {
        let mut damaged = whole.clone();
        for place in 0..whole.len() {
            assert!(parse(&whole[..place], size).is_err());
            for octet in [0, 1, 4, 0x0e, 0x7f, 0x80, 0xff] {
                damaged[place] = octet;
                let in_one = parse(&damaged, whole.len());
                assert_eq!(parse(&damaged, size).ok(), in_one.ok(), "{place} {octet:x}");
            }
            damaged[place] = whole[place];
        }
    }
}

fn last(mut node: Arc<Node>) -> Arc<Node> {
    loop {
        let content = node.next.lock().unwrap().clone().unwrap();
        let next = content.next.lock().unwrap().clone();
        match next {
            Some(next) => node = next,
            None => return node,
        }
    }
}

/// Values that were left out of a truncated one, of which the last is needed first.
#[test]
fn what_was_left_out_is_found_in_any_order_without_taking_long() {
    const COUNT: u32 = 100_000;
    let mut words = [&[0x7fff_ff0e, 2][..], &ID_D, &ID_B, &[8, 7, 0]].concat();
    let mut places = Vec::new();
    for number in 0..COUNT {
        places.push(words.len() as u32 * 4);
        let id = back(words.len() as u32 * 4 + 8 - 24);
        words.extend([0x7fff_ff0a, u32::MAX, id, 8, number, 0, back(2)]);
    }
    words.push(back(1));
    for place in places.iter().rev() {
        words.push(u32::MAX);
        words.push(back(words.len() as u32 * 4 - place));
    }
    let octets = octets(&words);
    let mut input = Decoder::new(&octets, ByteOrder::Big);
    assert_eq!(numbers(get(&mut input).unwrap()), [7]);
    for number in (0..COUNT as i32).rev() {
        assert_eq!(numbers(get(&mut input).unwrap()), [number]);
    }
    assert_eq!(input.remaining(), 0);
}
