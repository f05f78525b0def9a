//! Values in anys that nobody here can read, `custom` ones and those of types that are not known:
//! they are passed on as they came.

use armilla_cdr::value::{ValueHandle, ValueHead};
use armilla_cdr::{
    Any, ByteOrder, CdrErrorKind, CdrResult, CodeSet, Decode, Decoder, Encode, Encoder,
    FragmentedOctets, TypeCode,
};
use std::sync::Arc;

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

/// Of a value in chunks with one repository id, with a list of them, and with none.
const ONE: u32 = 0x7fff_ff0a;
const LIST: u32 = 0x7fff_ff0e;
const NONE: u32 = 0x7fff_ff08;

fn custom() -> TypeCode {
    TypeCode::value("IDL:C:1.0", "C", 1, TypeCode::Null, [("x", TypeCode::Long, true)])
}

fn base() -> TypeCode {
    TypeCode::value("IDL:B:1.0", "B", 0, TypeCode::Null, [("number", TypeCode::Long, true)])
}

/// A writer of values, octet by octet.
struct Raw(Encoder<'static>);

impl Raw {
    /// Behind so many octets.
    fn new(order: ByteOrder, before: usize) -> Self {
        Self(Encoder::with_buffer(vec![0xee; before], order, CodeSet::Utf8))
    }

    fn words(&mut self, words: &[u32]) -> &mut Self {
        words.iter().for_each(|word| self.0.put_u32(*word));
        self
    }

    fn id(&mut self, id: &str) -> &mut Self {
        self.0.put_string(id).unwrap();
        self
    }

    /// Where the next tag stands.
    fn place(&mut self) -> usize {
        self.0.align(4);
        self.0.len()
    }

    /// An indirection to what stands at `place`.
    fn back(&mut self, place: usize) -> &mut Self {
        self.0.put_u32(u32::MAX);
        let distance = place as i32 - self.0.len() as i32;
        self.0.put_i32(distance);
        self
    }

    fn chunk(&mut self, fill: impl FnOnce(&mut Self)) -> &mut Self {
        let place = self.place();
        self.0.put_u32(0);
        fill(self);
        let size = self.0.len() - place - 4;
        self.0.patch_u32(place, size as u32);
        self
    }

    /// What is in an opaque value: numbers of which some lie at multiples of eight.
    fn data(&mut self, number: f64) {
        self.0.put_u8(165);
        self.0.put_f64(number);
    }

    fn end(&mut self, level: u32) -> &mut Self {
        self.words(&[level.wrapping_neg()])
    }

    fn any(&mut self, code: &TypeCode) -> &mut Self {
        code.write(&mut self.0).unwrap();
        self
    }
}

fn read(raw: &Raw, before: usize) -> CdrResult<Any> {
    arrived(&raw.0.to_vec(), raw.0.order(), before)
}

fn arrived(octets: &[u8], order: ByteOrder, before: usize) -> CdrResult<Any> {
    let mut input = Decoder::at(octets, before, order).with_code_set(CodeSet::Utf8);
    let any = Any::decode(&mut input)?;
    assert_eq!(input.remaining(), 0);
    Ok(any)
}

/// A message that has it behind so many octets.
fn message(any: &Any, order: ByteOrder, before: usize) -> CdrResult<Vec<u8>> {
    let mut out = Encoder::with_buffer(vec![0xee; before], order, CodeSet::Utf8);
    any.encode(&mut out)?;
    Ok(out.to_vec())
}

/// The any after it has gone through such a message.
fn sent(any: &Any, order: ByteOrder, before: usize) -> CdrResult<Any> {
    arrived(&message(any, order, before)?, order, before)
}

/// What a type that knows it reads of an opaque value: its numbers, and what its nested values
/// hold.
#[derive(Debug, PartialEq, Clone)]
enum Seen {
    Null,
    /// The value that was met as the first, the second …
    Again(usize),
    Value(Vec<f64>, Vec<Seen>),
}

/// Reads a value of `numbers` numbers and `values` values, of which each nested one has one number.
fn see(input: &mut Decoder<'_>, numbers: usize, values: usize, met: &mut usize) -> CdrResult<Seen> {
    let head = match input.value_head()? {
        ValueHead::Null => return Ok(Seen::Null),
        ValueHead::Known(handle) => return Ok(Seen::Again(*handle.downcast().unwrap())),
        ValueHead::New(head) => head,
    };
    input.register_value(&head, Arc::new(*met) as ValueHandle);
    *met += 1;
    input.value_state(&head, false, |input| {
        let number = |input: &mut Decoder<'_>| {
            assert_eq!(input.u8()?, 165);
            input.f64()
        };
        let numbers = (0..numbers).map(|_| number(input)).collect::<CdrResult<_>>()?;
        let values = (0..values).map(|_| see(input, 1, 0, met)).collect::<CdrResult<_>>()?;
        Ok(Seen::Value(numbers, values))
    })
}

fn seen(any: &Any, numbers: usize, values: usize) -> Seen {
    see(&mut any.decoder(), numbers, values, &mut 0).unwrap()
}

#[test]
fn a_custom_value_passes_through_at_every_alignment() {
    for (order, before) in ORDERS.into_iter().zip(0..12) {
        let mut raw = Raw::new(order, before);
        raw.any(&custom()).words(&[ONE]).id("IDL:C:1.0");
        raw.chunk(|raw| raw.data(1.5)).chunk(|raw| raw.data(-2.5)).end(1);
        let any = read(&raw, before).unwrap();
        let wanted = Seen::Value(vec![1.5, -2.5], vec![]);
        assert_eq!(seen(&any, 2, 0), wanted);
        for place in 0..12 {
            let again = sent(&any, order, place).unwrap();
            assert_eq!(again, any, "{order:?} at {place}");
            assert_eq!(seen(&again, 2, 0), wanted);
        }
        // The octets are those that came.
        assert_eq!(message(&any, order, before).unwrap(), raw.0.to_vec());
    }
}

#[test]
fn values_within_it_are_kept_with_all_that_leads_to_them() {
    for (order, before) in ORDERS.into_iter().flat_map(|order| [(order, 0), (order, 4), (order, 7)])
    {
        let mut raw = Raw::new(order, before);
        let first = raw.any(&custom()).place();
        raw.words(&[ONE]).id("IDL:C:1.0").chunk(|raw| raw.data(1.0));
        let inner = raw.place();
        // A value of the same type, then null, then both of them again.
        raw.words(&[ONE]).back(first + 4).chunk(|raw| raw.data(2.0)).end(2);
        raw.chunk(|raw| _ = raw.words(&[0]).back(inner).back(first)).end(1);
        let any = read(&raw, before).unwrap();
        let nested = Seen::Value(vec![2.0], vec![]);
        let wanted =
            Seen::Value(vec![1.0], vec![nested, Seen::Null, Seen::Again(1), Seen::Again(0)]);
        for place in [0, 1, 4, 6] {
            assert_eq!(seen(&sent(&any, order, place).unwrap(), 1, 4), wanted);
        }
    }
}

#[test]
fn one_end_tag_may_end_several_of_them() {
    let mut raw = Raw::new(ByteOrder::Big, 0);
    raw.any(&custom()).words(&[ONE]).id("IDL:C:1.0").chunk(|raw| raw.data(1.0));
    raw.words(&[NONE]).chunk(|raw| raw.data(2.0)).end(1);
    let any = read(&raw, 0).unwrap();
    let wanted = Seen::Value(vec![1.0], vec![Seen::Value(vec![2.0], vec![])]);
    for place in [0, 4] {
        let again = sent(&any, ByteOrder::Big, place).unwrap();
        assert_eq!((seen(&again, 1, 1), &again), (wanted.clone(), &any));
    }
}

/// A value of a derived type of `B` as TAO writes it: the state of each base ends with an end tag,
/// and a nested value lies in the chunk, with its header.
fn of_tao(raw: &mut Raw, number: u32, next: impl FnOnce(&mut Raw)) {
    raw.words(&[LIST, 2]).id("IDL:D:1.0").id("IDL:B:1.0");
    raw.chunk(|raw| {
        raw.words(&[number]);
    })
    .end(2);
    raw.chunk(next).end(2).end(1);
}

#[test]
fn values_of_tao_pass_through_as_they_came() {
    let mut raw = Raw::new(ByteOrder::Little, 0);
    of_tao(raw.any(&base()), 7, |raw| {
        of_tao(raw, 8, |raw| {
            raw.words(&[0]);
        })
    });
    let any = read(&raw, 0).unwrap();
    assert_eq!(sent(&any, ByteOrder::Little, 0).unwrap(), any);
    assert_eq!(message(&any, ByteOrder::Little, 0).unwrap(), raw.0.to_vec());
}

#[test]
fn values_of_tao_whose_type_is_known_are_passed_on_by_the_rules() {
    let next = ("next", TypeCode::Recursive("IDL:D:1.0".into()), true);
    let code = TypeCode::value("IDL:D:1.0", "D", 3, base(), [next]);
    let mut raw = Raw::new(ByteOrder::Little, 0);
    of_tao(raw.any(&code), 7, |raw| {
        of_tao(raw, 8, |raw| {
            raw.words(&[0]);
        })
    });
    let any = read(&raw, 0).unwrap();
    let mut expected = Raw::new(ByteOrder::Little, 0);
    expected.words(&[LIST, 2]);
    let ids = ["IDL:D:1.0", "IDL:B:1.0"].map(|id| {
        let place = expected.place();
        expected.id(id);
        place
    });
    expected
        .chunk(|raw| {
            raw.words(&[7]);
        })
        .words(&[LIST, 2])
        .back(ids[0])
        .back(ids[1]);
    expected
        .chunk(|raw| {
            raw.words(&[8, 0]);
        })
        .end(1);
    let mut written = Encoder::new(ByteOrder::Little);
    any.write(&mut written).unwrap();
    assert_eq!(written.to_vec(), expected.0.to_vec());
}

#[test]
fn a_value_of_a_type_that_is_not_known_is_not_truncated() {
    for order in ORDERS {
        let mut raw = Raw::new(order, 0);
        raw.any(&base()).words(&[LIST, 2]).id("IDL:Unknown:1.0").id("IDL:B:1.0");
        raw.chunk(|raw| _ = raw.words(&[7])).chunk(|raw| raw.data(0.5)).end(1);
        let any = read(&raw, 0).unwrap();
        for place in 0..12 {
            let again = sent(&any, order, place).unwrap();
            assert_eq!(again, any);
            let mut input = again.decoder();
            let ValueHead::New(head) = input.value_head().unwrap() else { panic!("a value") };
            assert_eq!(head.ids()[..2], [b"IDL:Unknown:1.0" as &[u8], b"IDL:B:1.0"]);
            let base = input.value_state(&head, true, Decoder::u32);
            assert_eq!((base, input.remaining()), (Ok(7), 0));
        }
        let list = Any::new(&vec![any.clone(), any.clone()]).unwrap();
        let list = sent(&list, order, 4).unwrap().get::<Vec<Any>>().unwrap().unwrap();
        assert_eq!(list, [any.clone(), any]);
    }
}

#[test]
fn known_values_may_lead_to_unknown_ones_and_share_them() {
    let node = [("own", base(), true), ("again", base(), true), ("number", TypeCode::Long, true)];
    let node = TypeCode::value("IDL:N:1.0", "N", 3, TypeCode::Null, node);
    let pair = TypeCode::structure("IDL:P:1.0", "P", [("node", node), ("own", base())]);
    let mut raw = Raw::new(ByteOrder::Little, 0);
    raw.any(&pair).words(&[ONE]).id("IDL:N:1.0");
    let own = raw.place();
    raw.words(&[ONE]).id("IDL:U:1.0").chunk(|raw| raw.data(3.0)).end(2);
    raw.chunk(|raw| _ = raw.back(own).words(&[9])).end(1);
    raw.back(own);
    let any = read(&raw, 0).unwrap();
    for place in [0, 4] {
        let again = sent(&any, ByteOrder::Little, place).unwrap();
        assert_eq!(again, any);
        let mut input = again.decoder();
        let ValueHead::New(head) = input.value_head().unwrap() else { panic!("a value") };
        let met = &mut 0;
        let state = input.value_state(&head, false, |input| {
            Ok((see(input, 1, 0, met)?, see(input, 1, 0, met)?, input.u32()?))
        });
        assert_eq!(state, Ok((Seen::Value(vec![3.0], vec![]), Seen::Again(0), 9)));
        assert_eq!(see(&mut input, 1, 0, met), Ok(Seen::Again(0)));
    }
}

#[test]
fn each_any_of_a_message_contains_the_values_that_it_shares() {
    let mut raw = Raw::new(ByteOrder::Big, 0);
    let value = raw.any(&custom()).place();
    raw.words(&[ONE]).id("IDL:C:1.0").chunk(|raw| raw.data(1.0)).end(1);
    // The same value again, and another one of its type.
    raw.any(&custom()).back(value);
    raw.any(&custom()).words(&[ONE]).back(value + 4).chunk(|raw| raw.data(2.0)).end(1);
    let octets = raw.0.to_vec();
    let mut input = Decoder::new(&octets, ByteOrder::Big).with_code_set(CodeSet::Utf8);
    let anys = [(); 3].map(|()| Any::decode(&mut input).unwrap());
    assert_eq!((input.remaining(), &anys[0]), (0, &anys[1]));
    for (any, number) in anys.iter().zip([1.0, 1.0, 2.0]) {
        for place in [0, 4] {
            let again = sent(any, ByteOrder::Big, place).unwrap();
            assert_eq!(seen(&again, 1, 0), Seen::Value(vec![number], vec![]));
        }
    }
}

#[test]
fn a_codebase_is_kept_and_an_implied_type_is_written_if_needed() {
    let mut raw = Raw::new(ByteOrder::Big, 0);
    raw.any(&custom()).words(&[ONE | 1]).id("http://c/").id("IDL:C:1.0");
    raw.chunk(|raw| raw.data(1.0)).end(1);
    let any = read(&raw, 0).unwrap();
    assert_eq!(message(&any, ByteOrder::Big, 0).unwrap(), raw.0.to_vec());
    assert_eq!(sent(&any, ByteOrder::Big, 4).unwrap(), any);

    let mut raw = Raw::new(ByteOrder::Big, 0);
    raw.any(&custom()).words(&[NONE]).chunk(|raw| raw.data(1.0)).end(1);
    let any = read(&raw, 0).unwrap();
    for place in [0, 4] {
        let again = sent(&any, ByteOrder::Big, place).unwrap();
        assert_eq!(seen(&again, 1, 0), Seen::Value(vec![1.0], vec![]));
    }
}

#[test]
fn what_cannot_be_converted_is_refused() {
    let mut raw = Raw::new(ByteOrder::Big, 0);
    raw.any(&custom()).words(&[ONE]).id("IDL:C:1.0").chunk(|raw| raw.data(1.0)).end(1);
    let any = read(&raw, 0).unwrap();
    assert_eq!(sent(&any, ByteOrder::Little, 0).unwrap_err().kind, CdrErrorKind::OtherByteOrder);
    // Numbers have no code set.
    any.encode(&mut Encoder::new(ByteOrder::Big)).unwrap();
    let texts = |text: &str| {
        let mut raw = Raw::new(ByteOrder::Big, 0);
        raw.any(&custom()).words(&[ONE]).id("IDL:C:1.0");
        raw.chunk(|raw| _ = raw.words(&[u32::MAX]).id(text)).end(1);
        read(&raw, 0).unwrap()
    };
    texts("plain").encode(&mut Encoder::new(ByteOrder::Big)).unwrap();
    let beyond = texts("Ærø");
    assert_eq!(sent(&beyond, ByteOrder::Big, 4).unwrap(), beyond);
    let refused = beyond.encode(&mut Encoder::new(ByteOrder::Big)).unwrap_err();
    assert_eq!(refused.kind, CdrErrorKind::OtherCodeSet);
    assert_eq!(any.get::<String>(), Ok(None));
}

#[test]
fn what_is_incomplete_or_not_in_chunks_is_refused() {
    let refused = |code: &TypeCode, fill: &dyn Fn(&mut Raw)| {
        let mut raw = Raw::new(ByteOrder::Big, 0);
        fill(raw.any(code));
        read(&raw, 0).unwrap_err().kind
    };
    let unknown = refused(&base(), &|raw| _ = raw.words(&[0x7fff_ff02]).id("IDL:U:1.0"));
    assert_eq!(unknown, CdrErrorKind::UnknownValueType);
    let unchunked = refused(&custom(), &|raw| _ = raw.words(&[0x7fff_ff00, 7]));
    assert!(matches!(unchunked, CdrErrorKind::Invalid(_)), "{unchunked:?}");
    for words in [&[ONE][..], &[NONE, 4], &[NONE, 4, 1], &[NONE, 4, 1, 2_u32.wrapping_neg()]] {
        let refused = refused(&custom(), &|raw| _ = raw.words(words));
        assert_ne!(refused, CdrErrorKind::UnknownValueType, "{words:x?}");
    }
}

/// Fragments of GIOP 1.1 have the alignment of what follows their headers.
#[test]
fn a_value_in_fragments_passes_through_where_its_alignment_is_known() {
    const HEADER: usize = 12;
    for order in ORDERS {
        let mut raw = Raw::new(order, HEADER);
        let chunks = raw.any(&custom()).words(&[ONE]).id("IDL:C:1.0").place();
        raw.chunk(|raw| raw.data(1.5)).chunk(|raw| raw.data(-2.5));
        let ends = raw.place();
        let whole = raw.end(1).0.to_vec();
        let any = read(&raw, HEADER).unwrap();
        let read = |pieces: &FragmentedOctets, at| {
            Any::decode(&mut pieces.decoder(at, order).with_code_set(CodeSet::Utf8))
        };
        let mut refused = 0;
        for cut in (HEADER + 4..whole.len()).step_by(4) {
            let mut pieces = FragmentedOctets::new(whole[..cut].to_vec(), HEADER);
            pieces.push(&whole[cut..]);
            let found = read(&pieces, HEADER);
            match (cut - HEADER).is_multiple_of(8) {
                // Cut as if nothing were in between, or where nothing follows that is aligned.
                true => assert_eq!(seen(&found.unwrap(), 2, 0), seen(&any, 2, 0), "{cut}"),
                false if cut >= ends => assert_eq!(seen(&found.unwrap(), 2, 0), seen(&any, 2, 0)),
                false if cut > chunks => {
                    let error = found.unwrap_err().to_string();
                    assert!(error.contains("fragments of GIOP 1.1"), "{cut}: {error}");
                    refused += 1;
                }
                // Who cuts it there writes what follows with another alignment.
                false => {}
            }
        }
        assert!(refused > 3);
        // In a later fragment as in the first one.
        let mut pieces = FragmentedOctets::new(vec![0; HEADER + 4], HEADER);
        pieces.push(&whole[HEADER..]);
        assert_eq!(seen(&read(&pieces, HEADER + 4).unwrap(), 2, 0), seen(&any, 2, 0));
    }
}

#[test]
fn a_value_that_leads_out_of_its_any_is_refused() {
    let mut raw = Raw::new(ByteOrder::Big, 0);
    let other = raw.any(&base()).place();
    raw.words(&[0x7fff_ff02]).id("IDL:B:1.0").words(&[7]);
    raw.any(&custom()).words(&[NONE]).chunk(|raw| _ = raw.back(other)).end(1);
    let octets = raw.0.to_vec();
    let mut input = Decoder::new(&octets, ByteOrder::Big).with_code_set(CodeSet::Utf8);
    Any::decode(&mut input).unwrap();
    let refused = Any::decode(&mut input).unwrap_err();
    assert!(refused.to_string().contains("refers to a value outside its any"), "{refused}");
}

#[test]
fn what_looks_like_an_indirection_is_none_unless_a_value_is_there() {
    let words: Vec<u32> =
        (1..64).flat_map(|distance: u32| [u32::MAX, distance.wrapping_neg()]).collect();
    let mut raw = Raw::new(ByteOrder::Big, 0);
    raw.any(&custom())
        .words(&[ONE])
        .id("IDL:C:1.0")
        .chunk(|raw| _ = raw.words(&words[..16]))
        .end(1);
    let any = read(&raw, 0).unwrap();
    assert_eq!(message(&any, ByteOrder::Big, 0).unwrap(), raw.0.to_vec());
    // As many as fit.
    let mut raw = Raw::new(ByteOrder::Little, 0);
    raw.any(&custom()).words(&[ONE]).id("IDL:C:1.0");
    raw.chunk(|raw| _ = raw.words(&vec![u32::MAX; 1_000_000])).end(1);
    let any = read(&raw, 0).unwrap();
    assert_eq!(sent(&any, ByteOrder::Little, 4).unwrap(), any);
}
