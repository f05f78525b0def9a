//! Values as other ORBs write them: omniORB pads its chunks, and TAO breaks the rules of nesting.

use armilla_cdr::value::ValueHead;
use armilla_cdr::{ByteOrder, CdrErrorKind, CdrResult, Decoder};
use std::sync::{Arc, Mutex};

/// A value with a number, a label and a next one. The number is the state of its base, `B`.
#[derive(Debug, Default)]
struct Node {
    number: u32,
    label: String,
    next: Option<Arc<Self>>,
}

/// A value, whose state is known when it has been read.
#[derive(Default)]
struct Read(Mutex<Arc<Node>>);

/// `"IDL:B:1.0"` and `"IDL:D:1.0"` with their lengths.
const ID_B: [u32; 4] = [10, 0x4944_4c3a, 0x423a_312e, 0x3000_0000];
const ID_D: [u32; 4] = [10, 0x4944_4c3a, 0x443a_312e, 0x3000_0000];

/// The type as which a reader knows a value.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    /// A label and a next value, without a base.
    Label,
    /// The derived type, with all of its state.
    Derived,
    /// The base, with the number alone.
    Base,
}

fn get(input: &mut Decoder<'_>, known: Known) -> CdrResult<Option<Arc<Node>>> {
    let head = match input.value_head()? {
        ValueHead::Null => return Ok(None),
        ValueHead::Known(handle) => {
            let read: Arc<Read> = handle.downcast().unwrap();
            return Ok(Some(read.0.lock().unwrap().clone()));
        }
        ValueHead::New(head) => head,
    };
    let read = Arc::new(Read::default());
    input.register_value(&head, read.clone());
    let node = input.value_state(&head, known == Known::Base, |input| {
        let mut node = Node::default();
        if known != Known::Label {
            node.number = input.u32()?;
        }
        if known != Known::Base {
            node.label = input.string()?.into_owned();
            node.next = get(input, known)?;
        }
        Ok(Arc::new(node))
    })?;
    *read.0.lock().unwrap() = node.clone();
    Ok(Some(node))
}

fn octets(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

const fn back(octets: u32) -> u32 {
    octets.wrapping_neg()
}

/// The numbers and labels of a list.
fn list(mut node: Option<&Arc<Node>>) -> Vec<(u32, String)> {
    let mut seen = Vec::new();
    while let Some(here) = node {
        seen.push((here.number, here.label.clone()));
        node = here.next.as_ref();
    }
    seen
}

/// The values of a message and the number 99 behind them.
fn read(octets: &[u8], known: Known, values: usize) -> CdrResult<Vec<Vec<(u32, String)>>> {
    let mut input = Decoder::new(octets, ByteOrder::Big);
    let lists: CdrResult<Vec<_>> =
        (0..values).map(|_| get(&mut input, known).map(|node| list(node.as_ref()))).collect();
    let lists = lists?;
    assert_eq!((input.u32(), input.remaining()), (Ok(99), 0), "all of it belongs to the values");
    Ok(lists)
}

/// A chunk with a label, its last octets padding, behind which a number of four could stand.
fn padded(label: &str) -> Vec<u8> {
    let mut chunk = u32::try_from(label.len() + 1).unwrap().to_be_bytes().to_vec();
    chunk.extend(label.as_bytes());
    chunk.push(0);
    // Whatever the memory held.
    chunk.resize(chunk.len().next_multiple_of(4), 0xa5);
    [&u32::try_from(chunk.len()).unwrap().to_be_bytes()[..], &chunk].concat()
}

#[test]
fn the_padding_of_a_chunk_is_skipped_before_a_nested_value() {
    for label in ["", "a", "ab", "abc", "abcd", "abcde"] {
        let inner = [octets(&[0x7fff_ff08]), padded(label), octets(&[4, 0])].concat();
        let outer = [octets(&[0x7fff_ff08]), padded(label), inner, octets(&[back(1), 99])];
        let expected = vec![(0, label.to_owned()); 2];
        assert_eq!(read(&outer.concat(), Known::Label, 1).unwrap(), [expected], "{label:?}");
    }
}

#[test]
fn the_padding_of_a_chunk_is_skipped_before_an_end_tag() {
    for label in ["", "a", "ab", "abc", "abcd", "abcde"] {
        let words = [octets(&[0x7fff_ff08]), padded(label), octets(&[back(1), 99])].concat();
        let mut input = Decoder::new(&words, ByteOrder::Big);
        let ValueHead::New(head) = input.value_head().unwrap() else { panic!("a value") };
        let read = input.value_state(&head, false, |input| Ok(input.string()?.into_owned()));
        assert_eq!((read.unwrap(), input.u32()), (label.to_owned(), Ok(99)));
    }
}

#[test]
fn what_is_more_than_padding_is_not_skipped() {
    let rest = [padded("abc"), octets(&[0x7fff_ff08, 8, 1, 0, back(1)])].concat();
    let mut words = [octets(&[0x7fff_ff08]), rest].concat();
    // The chunk has four octets more, in which a tag is read.
    words[7] += 4;
    words.splice(16..16, [1, 2, 3, 4]);
    assert!(read(&words, Known::Label, 1).is_err());
}

/// A value as TAO writes one of a truncatable type: the state of its base ends with an end tag of
/// its own, and so does the rest.
fn of_tao(number: u32, label: u32, next: &[u32]) -> Vec<u32> {
    let size = u32::try_from(next.len() * 4 + 8).unwrap();
    let head = [&[0x7fff_ff0e, 2][..], &ID_D, &ID_B].concat();
    [&head, &[4, number, back(2)][..], &[size, 2, label], next, &[back(2), back(1)]].concat()
}

const A: u32 = 0x6100_0000;
const B: u32 = 0x6200_0000;

#[test]
fn the_state_of_each_base_may_end_as_if_it_were_a_nested_value() {
    let words = octets(&[of_tao(7, A, &[0]), vec![99]].concat());
    assert_eq!(read(&words, Known::Derived, 1).unwrap(), [[(7, "a".to_owned())]]);
    assert_eq!(read(&words, Known::Base, 1).unwrap(), [[(7, String::new())]]);
    // A type with two bases.
    let head = [&[0x7fff_ff0e, 2][..], &ID_D, &ID_B].concat();
    let states = [4, 7, back(3), 8, 2, A, back(3), back(2), 4, 0, back(2), back(1), 99];
    let words = octets(&[&head[..], &states].concat());
    assert_eq!(read(&words, Known::Derived, 1).unwrap(), [[(7, "a".to_owned())]]);
    assert_eq!(read(&words, Known::Base, 1).unwrap(), [[(7, String::new())]]);
}

#[test]
fn a_nested_value_may_lie_in_a_chunk_with_its_header() {
    let words = [of_tao(7, A, &of_tao(8, B, &[0])), vec![99]].concat();
    let (seven, eight) = ((7, "a".to_owned()), (8, "b".to_owned()));
    assert_eq!(read(&octets(&words), Known::Derived, 1).unwrap(), [[seven.clone(), eight.clone()]]);
    assert_eq!(read(&octets(&words), Known::Base, 1).unwrap(), [[(7, String::new())]]);

    // The nested one is without chunks; then both are named again.
    let head = [&[0x7fff_ff02][..], &ID_D].concat();
    let inner = [&head[..], &[8, 2, B, 0]].concat();
    let first = of_tao(7, A, &inner);
    let again = |words: &[u32]| u32::try_from(words.len() * 4 + 4).unwrap();
    let mut words = first.clone();
    words.extend([u32::MAX, back(again(&words))]);
    let from_inner = again(&words) - 4 * (10 + 3 + 3);
    words.extend([u32::MAX, back(from_inner), 99]);
    let both = vec![seven, eight.clone()];
    let read = read(&octets(&words), Known::Derived, 3).unwrap();
    assert_eq!(read, [both.clone(), both, vec![eight]]);
}

#[test]
fn an_end_tag_that_ends_nothing_is_refused_within_a_nested_value() {
    let inner = [&[0x7fff_ff0a][..], &ID_D, &[4, 8, back(3), 12, 2, B, 0, back(2)]].concat();
    let head = [&[0x7fff_ff0a][..], &ID_D].concat();
    let words = [&head[..], &[12, 7, 2, A], &inner, &[back(1), 99]].concat();
    assert!(read(&octets(&words), Known::Derived, 1).is_err());
}

#[test]
fn a_value_in_a_chunk_does_not_reach_beyond_it() {
    let words = [of_tao(7, A, &of_tao(8, B, &[0])), vec![99]].concat();
    let chunk = 13;
    assert_eq!(words[chunk], 8 + 4 * 19);
    for size in 0..words[chunk] {
        let mut cut = words.clone();
        cut[chunk] = size;
        let failed = read(&octets(&cut), Known::Derived, 1).unwrap_err();
        assert_ne!(failed.kind, CdrErrorKind::NoContext, "{size}");
    }
}

#[test]
fn damaged_values_of_tao_end_in_an_error_or_are_values() {
    let words = [of_tao(7, A, &of_tao(8, B, &of_tao(9, A, &[0]))), vec![99]].concat();
    let tags =
        [0, 4, 12, 0x7fff_ff00, 0x7fff_ff08, 0x7fff_ff0a, back(1), back(2), back(3), back(40)];
    for place in 0..words.len() {
        for other in 0..words.len() {
            for tag in tags {
                let mut damaged = words.clone();
                (damaged[place], damaged[other]) = (tag, tag);
                let octets = octets(&damaged);
                for known in [Known::Derived, Known::Base, Known::Label] {
                    let mut input = Decoder::new(&octets, ByteOrder::Big);
                    let _ended = (get(&mut input, known), get(&mut input, known));
                }
            }
        }
    }
}

/// A value as [`of_tao`], of a type with two bases: each state ends with an end tag of level 2.
fn of_two_bases(number: u32, label: u32, next: &[u32]) -> Vec<u32> {
    let size = u32::try_from(next.len() * 4).unwrap();
    let head = [&[0x7fff_ff0e, 2][..], &ID_D, &ID_B].concat();
    let states = [4, number, back(2), 8, 2, label, back(2)];
    [&head[..], &states, &[size], next, &[back(2), back(1)]].concat()
}

#[test]
fn values_with_two_bases_nest_and_stand_behind_one_another() {
    let (seven, eight, nine) = ((7, "a".to_owned()), (8, "b".to_owned()), (9, "a".to_owned()));
    let innermost = of_two_bases(9, A, &[0]);
    let nested = of_two_bases(7, A, &of_two_bases(8, B, &innermost));
    let again = u32::try_from((nested.len() + innermost.len()) * 4 + 4).unwrap();
    let words = [&nested[..], &innermost, &[u32::MAX, back(again), 0, 99]].concat();
    let whole = vec![seven, eight, nine.clone()];
    let expected = [whole.clone(), vec![nine], whole, Vec::new()];
    assert_eq!(read(&octets(&words), Known::Derived, 4).unwrap(), expected);
    let numbers = [7, 9, 7].map(|number| vec![(number, String::new())]);
    let expected = [&numbers[..], &[Vec::new()]].concat();
    assert_eq!(read(&octets(&words), Known::Base, 4).unwrap(), expected);
}
