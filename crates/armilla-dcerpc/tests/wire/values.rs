//! NDR 2: where each octet of a value lies, in both byte orders.

use armilla_dcerpc::ByteOrder::{self, Big, Little};
use armilla_dcerpc::ndr::{
    Conformant, ConformantVarying, Decoder, Encoder, Full, NarrowString, Ndr, NdrErrorKind,
    Operation, Parameters, Reference, Unique, Varying, WideString, deserialize, from_stub,
    serialize, to_stub,
};
use armilla_dcerpc::{SyntaxId, Uuid};
use std::fmt::Debug;
use std::sync::Arc;

armilla_dcerpc::ndr_struct! {
    struct Mixed { small: u8, wide: u64, flag: bool, short: u16 }
    struct Tail { head: u8, wide: u64, values: Conformant<u16> }
    struct Link { number: u32, next: Unique<Link> }
    struct Pair { left: Unique<WideString>, right: Unique<u8> }
    struct Holder { sized: Reference<Tail>, number: u16 }
    struct Twins { left: Full<u32>, right: Full<u32> }
    struct Choice { number: u16, arm: Arm }
}
armilla_dcerpc::ndr_enum! {
    enum Short: u16 { One = 1, Two = 2 }
    enum Long: u32 { One = 1 }
}
armilla_dcerpc::ndr_union! {
    enum Arm: u16 {
        1 => Small(u8),
        2 => Large(u64),
        3 => Text(Unique<WideString>);
        default => Nothing,
    }
    enum Strict: u32 { 7 => Seven(u16) }
}

/// The value has these little-endian octets, and comes back from both byte orders.
fn travels<T: Ndr + PartialEq + Debug>(value: &T, octets: &[u8]) {
    assert_eq!(to_stub(value, Little).unwrap(), octets);
    for order in [Little, Big] {
        let stub = to_stub(value, order).unwrap();
        assert_eq!(stub.len(), octets.len());
        assert_eq!(from_stub::<T>(&stub, order).unwrap(), *value);
        for end in 0..stub.len() {
            assert!(from_stub::<T>(&stub[..end], order).is_err(), "{end} octets of {value:?}");
        }
    }
}

fn refused<T: Ndr + Debug>(octets: &[u8]) -> NdrErrorKind {
    from_stub::<T>(octets, Little).unwrap_err().kind
}

#[test]
fn numbers_are_aligned_to_their_size() {
    let value = Mixed { small: 1, wide: 2, flag: true, short: 3 };
    travels(&value, &[1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0]);
    let big = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 3];
    assert_eq!(to_stub(&value, Big).unwrap(), big);
    travels(&1.5f64, &[0, 0, 0, 0, 0, 0, 0xf8, 0x3f]);
    assert_eq!(refused::<bool>(&[2]), NdrErrorKind::InvalidBoolean(2));
}

#[test]
fn a_uuid_has_three_numbers() {
    let uuid = Uuid::literal("01020304-0506-0708-090a-0b0c0d0e0f10");
    travels(&uuid, &[4, 3, 2, 1, 6, 5, 8, 7, 9, 10, 11, 12, 13, 14, 15, 16]);
    let big: Vec<u8> = (1..=16).collect();
    assert_eq!(to_stub(&uuid, Big).unwrap(), big);
    travels(
        &SyntaxId { uuid, major: 3, minor: 1 },
        &[4, 3, 2, 1, 6, 5, 8, 7, 9, 10, 11, 12, 13, 14, 15, 16, 3, 0, 1, 0],
    );
}

#[test]
fn an_enum_has_two_octets_and_v1_enum_four() {
    travels(&Short::Two, &[2, 0]);
    travels(&Long::One, &[1, 0, 0, 0]);
    let unknown = NdrErrorKind::InvalidEnum { type_name: "Short", value: 3 };
    assert_eq!(refused::<Short>(&[3, 0]), unknown);
}

#[test]
fn the_size_of_a_conformant_array_precedes_its_structure() {
    let value = Tail { head: 1, wide: 2, values: vec![3, 4].into() };
    #[rustfmt::skip]
    travels(&value, &[
        2, 0, 0, 0, 0, 0, 0, 0,
        1, 0, 0, 0, 0, 0, 0, 0,
        2, 0, 0, 0, 0, 0, 0, 0,
        3, 0, 4, 0,
    ]);
    travels(&Conformant(vec![5u8]), &[1, 0, 0, 0, 5]);
}

#[test]
fn varying_arrays_have_an_offset_and_a_count() {
    travels(&Varying::<u8, 4>(vec![7, 8]), &[0, 0, 0, 0, 2, 0, 0, 0, 7, 8]);
    let value = ConformantVarying { maximum: 9, first: 0, values: vec![1u16] };
    travels(&value, &[9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0]);
    let value = value.from_index(2);
    travels(&value, &[9, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0]);
    // There is room for what has an index.
    let value = ConformantVarying::from(vec![1u16]).from_index(2);
    assert_eq!((value.maximum, value.first), (3, 2));
    travels(
        &ConformantVarying { first: 9, ..value }.with_room(10),
        &[10, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0],
    );
    travels(&[1u8, 2, 3], &[1, 2, 3]);
    let beyond = NdrErrorKind::InvalidRange { maximum: 4, offset: 3, count: 2 };
    assert_eq!(refused::<Varying<u8, 4>>(&[3, 0, 0, 0, 2, 0, 0, 0, 7, 8]), beyond);
    let overflow = [9, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 1, 0];
    assert!(matches!(
        refused::<ConformantVarying<u16>>(&overflow),
        NdrErrorKind::InvalidRange { .. }
    ));
}

#[test]
fn a_string_ends_with_its_only_nul() {
    let octets = [3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, b'o', 0, b'k', 0, 0, 0];
    travels(&WideString::from("ok"), &octets);
    travels(&NarrowString::from("ok"), &[3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, b'o', b'k', 0]);
    let mut open = octets;
    open[16] = 1;
    assert_eq!(refused::<WideString>(&open), NdrErrorKind::InvalidString);
    let mut early = octets;
    early[12] = 0;
    assert_eq!(refused::<WideString>(&early), NdrErrorKind::InvalidString);
    assert!(to_stub(&WideString(vec![0]), Little).is_err());
    assert_eq!(WideString(vec![0xd800]).to_text(), "\u{fffd}");
}

#[test]
fn what_pointers_lead_to_follows_the_whole_structure() {
    let value = Pair { left: Unique::new("a".into()), right: Unique::new(9) };
    #[rustfmt::skip]
    travels(&value, &[
        0, 0, 2, 0, 4, 0, 2, 0,
        2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, b'a', 0, 0, 0,
        9,
    ]);
    travels(&Pair { left: Unique::NULL, right: Unique::NULL }, &[0; 8]);
    let array = [Unique::new(1u8), Unique::NULL, Unique::new(2)];
    travels(&array, &[0, 0, 2, 0, 0, 0, 0, 0, 4, 0, 2, 0, 1, 2]);
}

#[test]
fn a_structure_behind_a_pointer_has_its_size_there() {
    let tail = Tail { head: 1, wide: 2, values: vec![3].into() };
    let value = Holder { sized: Reference::new(tail), number: 5 };
    #[rustfmt::skip]
    travels(&value, &[
        0, 0, 2, 0, 5, 0, 0, 0,
        1, 0, 0, 0, 0, 0, 0, 0,
        1, 0, 0, 0, 0, 0, 0, 0,
        2, 0, 0, 0, 0, 0, 0, 0,
        3, 0,
    ]);
    assert_eq!(refused::<Holder>(&[0; 40]), NdrErrorKind::NullReference);
}

#[test]
fn a_shared_value_travels_once() {
    let shared = Arc::new(7u32);
    let value = Twins { left: Full::new(shared.clone()), right: Full::new(shared) };
    travels(&value, &[0, 0, 2, 0, 0, 0, 2, 0, 7, 0, 0, 0]);
    let stub = to_stub(&value, Little).unwrap();
    let twins: Twins = from_stub(&stub, Little).unwrap();
    assert!(twins.left.same(&twins.right));
    let apart = Twins { left: Full::new(Arc::new(1)), right: Full::new(Arc::new(1)) };
    assert_eq!(to_stub(&apart, Little).unwrap().len(), 16);
}

#[test]
fn a_full_pointer_to_another_type_is_refused() {
    let mut input = Decoder::new(&[1, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0], Little);
    Full::<u32>::read(&mut input).unwrap();
    let error = Full::<u16>::read(&mut input).unwrap_err();
    assert_eq!(error.kind, NdrErrorKind::InvalidAlias(1));
}

#[test]
fn an_arm_is_aligned_to_the_largest_one() {
    travels(&Choice { number: 1, arm: Arm::Small(9) }, &[1, 0, 1, 0, 0, 0, 0, 0, 9]);
    travels(
        &Choice { number: 1, arm: Arm::Large(9) },
        &[1, 0, 2, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0],
    );
    let text = Choice { number: 1, arm: Arm::Text(Unique::new("".into())) };
    assert_eq!(from_stub::<Choice>(&to_stub(&text, Big).unwrap(), Big).unwrap(), text);
    travels(&Arm::Nothing(8), &[8, 0, 0, 0, 0, 0, 0, 0]);
    let unknown = NdrErrorKind::InvalidDiscriminant { type_name: "Strict", value: 8 };
    assert_eq!(refused::<Strict>(&[8, 0, 0, 0, 0, 0]), unknown);
    travels(&Strict::Seven(1), &[7, 0, 0, 0, 1, 0]);
}

#[test]
fn a_list_may_nest_but_not_without_end() {
    let nested = |depth: u32| {
        (0..depth).fold(Link { number: 0, next: Unique::NULL }, |next, number| Link {
            number,
            next: Unique::new(next),
        })
    };
    let value = nested(64);
    let stub = to_stub(&value, Little).unwrap();
    assert_eq!(from_stub::<Link>(&stub, Little).unwrap(), value);
    let stub = to_stub(&nested(65), Little).unwrap();
    assert_eq!(refused::<Link>(&stub), NdrErrorKind::TooDeep);
}

#[test]
fn a_count_beyond_the_octets_reserves_nothing() {
    let octets = [0xff, 0xff, 0xff, 0x7f, 1, 2, 3];
    assert!(matches!(refused::<Conformant<u8>>(&octets), NdrErrorKind::Truncated { .. }));
    assert!(matches!(refused::<Conformant<()>>(&octets), NdrErrorKind::Truncated { .. }));
}

armilla_dcerpc::ndr_parameters! {
    struct ResolveIn { exporter: u64, count: u16, protocols: Conformant<u16> }
    struct ResolveOut { name: Unique<WideString>, status: u32 }
}
armilla_dcerpc::ndr_interface! {
    const RESOLVER = "99fcfec4-5260-101b-bbcb-00aa0021347a", 0, 0;
    0 => Resolve(ResolveIn) -> ResolveOut;
}

#[test]
fn each_parameter_is_complete_before_the_next() {
    let given = ResolveIn { exporter: 1, count: 1, protocols: vec![7].into() };
    #[rustfmt::skip]
    assert_eq!(given.to_stub(Little).unwrap(), [
        1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 7, 0,
    ]);
    let out = ResolveOut { name: Unique::new("".into()), status: 9 };
    #[rustfmt::skip]
    let octets = [
        0, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0,
    ];
    assert_eq!(out.to_stub(Little).unwrap(), octets);
    let more = [&octets[..], &[1; 10]].concat();
    assert_eq!(ResolveOut::from_stub(&more, Little).unwrap(), out);
    assert_eq!((Resolve::OPNUM, Resolve::INTERFACE), (0, RESOLVER));
}

#[test]
fn a_serialized_value_carries_its_order() {
    for (order, head) in [(Little, [1, 0x10, 8, 0]), (Big, [1, 0, 0, 8])] {
        let octets = serialize(&5u32, order).unwrap();
        assert_eq!((octets.len(), &octets[..4]), (24, &head[..]));
        assert_eq!(deserialize::<u32>(&octets).unwrap(), (5, 24));
        let mut other = octets.clone();
        other[0] = 2;
        let error = deserialize::<u32>(&other).unwrap_err();
        assert_eq!(error.kind, NdrErrorKind::InvalidSerialization);
    }
}

#[test]
fn an_error_says_where() {
    let mut out = Encoder::new(ByteOrder::Little);
    1u8.write(&mut out).unwrap();
    out.align(4);
    assert_eq!(out.position(), 4);
    let error = from_stub::<Mixed>(&[1, 0, 0, 0], Little).unwrap_err();
    assert_eq!(error.position, 1);
    assert!(error.to_string().contains("7 more octets"), "{error}");
}
