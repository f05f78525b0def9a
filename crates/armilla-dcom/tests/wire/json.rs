//! Values of Automation as JSON, both ways.

use armilla_dcom::automation::json::{from_json, to_json};
use armilla_dcom::automation::type_info::Type;
use armilla_dcom::automation::{
    Bound, Bstr, Currency, Date, Decimal, Elements, SafeArray, Variant,
};
use serde_json::{Value, json};

fn read(json: Value, ty: Type) -> Result<Variant, String> {
    from_json(&json, Some(&ty))
}

fn table(elements: Elements, bounds: &[(u32, i32)]) -> Variant {
    let bounds = bounds.iter().map(|&(count, lower)| Bound { count, lower }).collect();
    Variant::Array(SafeArray { features: 0, bounds, elements })
}

#[test]
fn a_table_is_rows_of_cells_both_ways() {
    // The first index fastest, as programs of Automation have them.
    let elements = Elements::I4(vec![11, 21, 12, 22, 13, 23]);
    let rows = json!([[11, 12, 13], [21, 22, 23]]);
    assert_eq!(to_json(&table(elements.clone(), &[(2, 1), (3, -4)])), rows);
    assert_eq!(read(rows, Type::I4.array()), Ok(table(elements, &[(2, 0), (3, 0)])));
    let cube =
        json!([[["a", "b"], ["c", "d"]], [["e", "f"], ["g", "h"]], [["i", "j"], ["k", null]]]);
    let read_cube = read(cube.clone(), Type::BSTR.array()).unwrap();
    let Variant::Array(array) = &read_cube else { panic!("{read_cube:?}") };
    assert_eq!(array.bounds.iter().map(|bound| bound.count).collect::<Vec<_>>(), [3, 2, 2]);
    let Elements::String(texts) = &array.elements else { panic!("{read_cube:?}") };
    assert_eq!((texts[1].to_text(), texts[11].clone()), ("e".to_owned(), Bstr::null()));
    // Where each may be a value of its own, rows need not be alike.
    let ragged = json!([[1], [2, "two"], 3]);
    assert_eq!(to_json(&from_json(&ragged, None).unwrap()), ragged);
    // Nothing in a dimension: nothing to show, however large the others are.
    let empty = table(Elements::R8(vec![]), &[(u32::MAX, 0), (0, 0)]);
    assert_eq!(to_json(&empty), json!([]));
    let hollow = table(Elements::I2(vec![]), &[(2, 0), (0, 0)]);
    assert_eq!(read(json!([[], []]), Type::I2.array()), Ok(hollow));
    assert_eq!(to_json(&table(Elements::U1(vec![7]), &[(1, 0); 1000])), json!([7]));
}

#[test]
fn rows_that_are_not_alike_are_named() {
    let fails = |json: Value| read(json, Type::I2.array()).unwrap_err();
    assert_eq!(fails(json!([[1, 2], [3]])), "[1]: 1 elements, where others have 2");
    assert_eq!(fails(json!([[1], 2])), "[1]: 2 is no array, as others are");
    assert_eq!(fails(json!([1, [2]])), "[1]: an array is no short");
    let text = fails(json!([[1, 2], [3, 40_000]]));
    assert_eq!(text, "[1][1]: 40000 is no short: it is a whole number from -32768 to 32767");
    assert_eq!(fails(json!([1, "x"])), "[1]: \"x\" is no short");
    assert_eq!(fails(json!([{}])), "[0]: {}: Automation has no value for it");
}

#[test]
fn a_described_number_is_of_its_type_or_refused() {
    assert_eq!(read(json!(200), Type::UI1), Ok(Variant::U1(200)));
    assert_eq!(read(json!(-7.0), Type::I2), Ok(Variant::I2(-7)));
    assert_eq!(read(json!(u64::MAX), Type::UI8), Ok(Variant::U8(u64::MAX)));
    assert_eq!(read(json!(7), Type::I4.pointer()), Ok(Variant::I4(7)));
    assert_eq!(read(json!(0.5), Type::R4), Ok(Variant::R4(0.5)));
    assert_eq!(read(json!("-Infinity"), Type::R8), Ok(Variant::R8(f64::NEG_INFINITY)));
    let text = read(json!(-1), Type::UI4).unwrap_err();
    assert_eq!(text, "-1 is no unsigned long: it is a whole number from 0 to 4294967295");
    for (json, ty) in [
        (json!(256), Type::UI1),
        (json!(1.5), Type::I4),
        (json!(1e20), Type::I8),
        (json!(1e39), Type::R4),
        (json!(1e30), Type::CURRENCY),
        (json!(1e-30), Type::DECIMAL),
        (json!([1]), Type::R8),
    ] {
        assert!(read(json.clone(), ty.clone()).is_err(), "{json} {ty}");
    }
}

#[test]
fn moments_money_and_decimals_are_read_as_they_are_written() {
    let cents = Decimal { scale: 2, negative: true, high: 0, low: 314 };
    for (text, ty, value) in [
        ("2026-11-28T18:30:15.250", Type::DATE, Date(46_354.0 + 66_615.25 / 86_400.0).into()),
        ("1899-12-29T06:00:00.000", Type::DATE, Date(-1.25).into()),
        ("0100-03-01T00:00:00.000", Type::DATE, Date(-657_375.0).into()),
        ("-922337203685477.5808", Type::CURRENCY, Currency(i64::MIN).into()),
        ("-3.14", Type::DECIMAL, Variant::Decimal(cents)),
    ] {
        assert_eq!(to_json(&value), json!(text));
        assert_eq!(read(json!(text), ty), Ok(value));
    }
    assert_eq!(read(json!("2024-02-29"), Type::DATE), Ok(Date(45_351.0).into()));
    assert_eq!(read(json!("1.50000"), Type::CURRENCY), Ok(Currency(15_000).into()));
    assert_eq!(read(json!(2.5), Type::CURRENCY), Ok(Currency(25_000).into()));
    let days = Elements::Date(vec![Date(1.0), Date(2.5)]);
    let written = json!(["1899-12-31", "1900-01-01 12:00"]);
    assert_eq!(read(written, Type::DATE.array()), Ok(table(days, &[(2, 0)])));
    // What only the object may understand reaches it as text.
    for text in ["28.11.2026", "2025-02-29", "2025-13-01", "2026-11-28T24:00", "+026-11-28"] {
        assert_eq!(read(json!(text), Type::DATE), Ok(Variant::from(text)), "{text}");
    }
    for text in ["", "-", ".5", "1.", "1e3", "79228162514264337593543950336"] {
        assert_eq!(Decimal::parse(text), None, "{text}");
    }
    assert_eq!(Currency::parse("922337203685477.5808"), None);
    assert_eq!(Currency::parse("0.00001"), None);
}

#[test]
fn numbers_without_a_word_in_json_are_text() {
    let values = Elements::R8(vec![f64::NAN, f64::INFINITY, -0.5]);
    assert_eq!(to_json(&table(values, &[(3, 0)])), json!(["NaN", "Infinity", -0.5]));
    assert_eq!(to_json(&Variant::R4(f32::NEG_INFINITY)), json!("-Infinity"));
    assert_eq!(to_json(&Variant::R4(0.1)), json!(0.1));
    assert_eq!(to_json(&Date(f64::NAN).into()), json!("NaN"));
    let objects = Elements::Dispatch(vec![None]);
    assert_eq!(to_json(&table(objects, &[(1, 0)])), json!([null]));
    assert_eq!(read(json!(null), Type::DISPATCH), Ok(Variant::Dispatch(None)));
}
