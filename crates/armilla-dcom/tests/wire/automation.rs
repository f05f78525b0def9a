//! Values of Automation, beside those that wine's marshaller writes (lab/interop/dcom/variants).

use armilla_dcerpc::ndr::{Decoder, Ndr, from_stub, to_stub};
use armilla_dcerpc::{ByteOrder, Status, Uuid};
use armilla_dcom::InterfacePointer;
use armilla_dcom::automation::{
    Bound, Bstr, Currency, Date, Decimal, Elements, SafeArray, SafeArrayPointer, Variant,
    VariantPointer,
};
use std::collections::BTreeMap;

const VECTORS: &str = include_str!("automation_vectors.txt");

/// wine writes the elements of these arrays without the pointers that MS-OAUT 2.2.30 and Windows
/// have, and no elements of an array of errors.
const WINE_ALONE: [&str; 5] =
    ["array_error", "array_bstr", "array_variant", "safearray_bstr", "safearray_variant"];

fn vectors() -> BTreeMap<&'static str, Vec<u8>> {
    let octets = |hex: &str| {
        let digit = |place| u8::from_str_radix(&hex[place..place + 2], 16).unwrap();
        (0..hex.len()).step_by(2).map(digit).collect()
    };
    let lines = VECTORS.lines().map(|line| line.split_once(' ').unwrap());
    lines.map(|(name, hex)| (name, octets(hex))).collect()
}

/// What `SafeArrayCreateVector` makes.
fn vector(array: impl Into<SafeArray>, lower: i32) -> SafeArray {
    let mut array = array.into();
    array.features = 0x2000;
    array.bounds[0].lower = lower;
    array
}

fn reference(value: impl Into<Variant>) -> Variant {
    Variant::Reference(Box::new(value.into()))
}

fn table() -> SafeArray {
    let bounds = vec![Bound { count: 2, lower: 0 }, Bound { count: 3, lower: -1 }];
    SafeArray { features: 0, bounds, elements: Elements::I2(vec![0, 11, 22, 33, 44, 55]) }
}

fn scalars() -> Vec<(&'static str, Variant)> {
    let decimal = Decimal { scale: 4, negative: true, high: 1, low: 0x1234_5678_9abc_def0 };
    vec![
        ("empty", Variant::Empty),
        ("null", Variant::Null),
        ("i1", Variant::I1(-5)),
        ("ui1", Variant::U1(250)),
        ("i2", Variant::I2(-300)),
        ("ui2", Variant::U2(65_000)),
        ("i4", Variant::I4(-70_000)),
        ("ui4", Variant::U4(4_000_000_000)),
        ("int", Variant::Int(-7)),
        ("uint", Variant::Uint(7)),
        ("i8", Variant::I8(-5_000_000_000)),
        ("ui8", Variant::U8(5_000_000_000)),
        ("r4", Variant::R4(1.5)),
        ("r8", Variant::R8(-2.25)),
        ("true", Variant::Bool(true)),
        ("false", Variant::Bool(false)),
        ("error", Variant::Error(Status::PARAMETER_NOT_FOUND)),
        ("date", Variant::Date(Date(36_526.5))),
        ("cy", Variant::Currency(Currency(-123_456_789))),
        ("decimal", Variant::Decimal(decimal)),
        ("bstr", "abc".into()),
        ("bstr_empty", "".into()),
        ("bstr_null", Variant::String(Bstr::null())),
        ("bstr_octets", Variant::String(Bstr::from_octets(b"odd"))),
        ("bstr_latin", "a\u{e9}\u{ff} z".into()),
        ("unknown_null", Variant::Unknown(None)),
        ("dispatch_null", Variant::Dispatch(None)),
    ]
}

fn references() -> Vec<(&'static str, Variant)> {
    let cents = Decimal { scale: 2, low: 314, ..Decimal::default() };
    vec![
        ("ref_i1", reference(-5i8)),
        ("ref_ui1", reference(250u8)),
        ("ref_i2", reference(-300i16)),
        ("ref_i4", reference(-70_000)),
        ("ref_i8", reference(-5_000_000_000i64)),
        ("ref_r4", reference(1.5f32)),
        ("ref_r8", reference(-2.25)),
        ("ref_bool", reference(true)),
        ("ref_date", reference(Date(36_526.5))),
        ("ref_cy", reference(Currency(10_000))),
        ("ref_decimal", reference(cents)),
        ("ref_bstr", reference("abcd")),
        ("ref_array_i4", reference(vector(vec![1, -2], 0))),
        ("ref_variant_i4", Variant::VariantReference(Box::new(Variant::I4(12)))),
        ("ref_variant_bstr", Variant::VariantReference(Box::new("abc".into()))),
    ]
}

fn arrays() -> Vec<(&'static str, SafeArray)> {
    let octets = vec![1u8, 2, 3, 4, 5];
    vec![
        ("array_ui1", vector(octets.clone(), 0)),
        ("array_i1", vector(vec![1i8, 2, 3, 4, 5], 0)),
        ("array_i2", vector(vec![1i16, -2, 3], 0)),
        ("array_ui2", vector(vec![1u16, 0xfffe, 3], 3)),
        ("array_i4", vector(vec![1, -2, 3], 0)),
        ("array_ui4", vector(vec![1u32, -2i32 as u32, 3], -4)),
        ("array_i8", vector(vec![1i64, -2], 0)),
        ("array_r4", vector(vec![0.5f32, -0.25, 8.0], 0)),
        ("array_r8", vector(vec![0.5, -0.25], 0)),
        ("array_date", vector(vec![Date(0.5), Date(-0.25)], 0)),
        ("array_bool", vector(vec![true, false], 0)),
        ("array_cy", vector(vec![Currency(10_000), Currency(-1)], 0)),
        ("array_empty", vector(Vec::<i32>::new(), 0)),
        ("array_table", table()),
    ]
}

fn all() -> Vec<(&'static str, Variant)> {
    let mut all = scalars();
    all.extend(references());
    all.extend(arrays().into_iter().map(|(name, array)| (name, Variant::Array(array))));
    all.push(("array_null", Variant::NullArray(3)));
    all
}

/// The octets of a value as a parameter, without the pointer to it.
fn octets(value: &Variant) -> Vec<u8> {
    let pointer = VariantPointer::from(value.clone());
    to_stub(&pointer, ByteOrder::Little).unwrap()[8..].to_vec()
}

/// Compares but for the words in which ours have pointers, and what a decimal number leaves open.
fn assert_same(name: &str, ours: &[u8], theirs: &[u8]) {
    assert_eq!(ours.len(), theirs.len(), "{name}: {ours:02x?} {theirs:02x?}");
    let pointer =
        |word: &[u8]| word.len() == 4 && word[1..] == [0, 2, 0] && word[0].is_multiple_of(4);
    for (place, (own, other)) in ours.chunks(4).zip(theirs.chunks(4)).enumerate() {
        let open = match (name, place) {
            ("decimal", 2 | 6) => true,
            // Where the upper digits lie in a program's VARIANT.
            ("decimal", 3) => true,
            _ => pointer(own),
        };
        assert!(open || own == other, "{name}, word {place}: {ours:02x?} {theirs:02x?}");
    }
}

#[test]
fn values_are_written_as_wine_writes_them() {
    let vectors = vectors();
    let all = all();
    for (name, value) in &all {
        let mut own = octets(value);
        if *name == "decimal" {
            // Sign and scale, which stand in the half of a word that is not open.
            assert_eq!(own[26..28], vectors[name][26..28]);
        }
        let theirs = &vectors[name];
        own.truncate(theirs.len().max(own.len()));
        assert_same(name, &own, theirs);
    }
    let arrays = [("safearray_i4", vector(vec![1, -2, 3], 0))];
    for (name, array) in arrays {
        let pointer = to_stub(&SafeArrayPointer::from(array), ByteOrder::Little).unwrap();
        assert_same(name, &pointer[4..], &vectors[name][4..]);
    }
    assert_eq!(to_stub(&SafeArrayPointer::NULL, ByteOrder::Little).unwrap(), [0; 4]);
    // With an array that is a parameter, and one that is null.
    let compared = all.len() + 2;
    assert!(compared >= 40, "{compared}");
    assert_eq!(vectors.len(), compared + WINE_ALONE.len());
}

#[test]
fn what_wine_writes_is_read() {
    let vectors = vectors();
    for (name, value) in all() {
        let read = read(&vectors[name]);
        match name {
            // wine says that the pointer is null, and writes what it leads to.
            "bstr_null" => assert!(matches!(&read, Variant::String(text) if text.is_null())),
            _ => assert_eq!(read, value, "{name}"),
        }
    }
}

fn read(octets: &[u8]) -> Variant {
    let mut stub = vec![1, 0, 0, 0, 0, 0, 0, 0];
    stub.extend(octets);
    from_stub::<VariantPointer>(&stub, ByteOrder::Little).unwrap().into_variant()
}

#[test]
fn every_value_comes_back_in_both_orders_and_anywhere() {
    let pointer = InterfacePointer { length: 3, octets: vec![1, 2, 3].into() };
    let objects = vec![None, Some(pointer.clone())];
    let mixed = vec![Variant::I4(5), "two".into(), Variant::Array(vec![0.5].into())];
    let mut all: Vec<_> = all().into_iter().map(|(_, value)| value).collect();
    all.extend([
        Variant::Unknown(Some(pointer.clone())),
        Variant::Dispatch(Some(pointer)),
        Variant::Array(vec![Bstr::from("one"), Bstr::null()].into()),
        Variant::Array(mixed.into()),
        Variant::Array(vec![Status::FAIL].into()),
        Variant::Array(SafeArray::new(Elements::Int(vec![1]))),
        Variant::Array(SafeArray::new(Elements::Uint(vec![1]))),
        Variant::Array(vec![7u64].into()),
        Variant::Array(SafeArray::new(Elements::Unknown(objects.clone()))),
        Variant::Array(SafeArray::new(Elements::Dispatch(objects.clone()))),
        Variant::Array(SafeArray::new(Elements::Interface(Uuid::NIL, objects))),
        Variant::VariantReference(Box::new(Variant::Null)),
    ]);
    for value in &all {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let pointers: Vec<_> =
                std::iter::repeat_n(VariantPointer::from(value.clone()), 3).collect();
            let array = armilla_dcerpc::ndr::Conformant(pointers);
            let stub = to_stub(&array, order).unwrap();
            let read: armilla_dcerpc::ndr::Conformant<VariantPointer> =
                from_stub(&stub, order).unwrap();
            assert_eq!(read, array);
            // Cut anywhere, it is refused, and nothing panics.
            for end in 0..stub.len() {
                let mut input = Decoder::new(&stub[..end], order);
                assert!(
                    armilla_dcerpc::ndr::Conformant::<VariantPointer>::read(&mut input).is_err()
                );
            }
        }
    }
}

#[test]
fn bounds_that_do_not_fit_are_refused() {
    let bounds = |count| vec![Bound { count, lower: 0 }];
    let array = |count| SafeArray { bounds: bounds(count), ..SafeArray::from(vec![1, 2]) };
    let written = |array: SafeArray| to_stub(&SafeArrayPointer::from(array), ByteOrder::Little);
    assert!(written(array(3)).is_err());
    assert!(written(SafeArray { bounds: vec![], ..array(2) }).is_err());
    let mut octets = written(array(2)).unwrap();
    octets[32] = 1;
    assert!(from_stub::<SafeArrayPointer>(&octets, ByteOrder::Little).is_err());
    // Values that nest without end.
    let mut deep = Variant::Null;
    for _ in 0..200 {
        deep = Variant::VariantReference(Box::new(deep));
    }
    let stub = to_stub(&VariantPointer::from(deep), ByteOrder::Little).unwrap();
    assert!(from_stub::<VariantPointer>(&stub, ByteOrder::Little).is_err());
}

#[test]
fn numbers_are_shown_as_people_write_them() {
    assert_eq!(Currency(-123_456_789).to_string(), "-12345.6789");
    let decimal = Decimal { scale: 2, negative: true, high: 0, low: 314 };
    assert_eq!(decimal.to_string(), "-3.14");
    assert_eq!(Decimal::from(-7).to_string(), "-7");
    assert_eq!(Date::from_unix(std::time::Duration::from_secs(86_400)), Date(25_570.0));
    assert_eq!(Date(25_569.5).to_unix_seconds(), 43_200.0);
    // Half past noon of the day before the day before the beginning.
    assert_eq!(Date(-1.5).to_unix_seconds() - Date(-1.0).to_unix_seconds(), 43_200.0);
    assert_eq!(Variant::from("7").as_text().unwrap(), "7");
    assert_eq!(reference(7i16).as_i64(), Some(7));
    assert_eq!(Variant::U4(7).as_f64(), Some(7.0));
}
