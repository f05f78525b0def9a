//! How types and `any`s are shown to people.

use armilla_cdr::{Any, CdrResult, Decimal, Encode, Encoder, TypeCode};

struct Point(f64, &'static str);

impl Encode for Point {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.0.encode(out)?;
        self.1.encode(out)
    }
}

fn point() -> TypeCode {
    TypeCode::structure(
        "IDL:omg.org/Geometry/Point:1.0",
        "Point",
        [("x", TypeCode::Double), ("name", TypeCode::String(0))],
    )
}

#[test]
fn types_are_written_as_in_idl() {
    let matrix = TypeCode::array(TypeCode::array(TypeCode::Long, 3), 4);
    let unnamed = TypeCode::structure("IDL:Point:1.0", "", [("x", TypeCode::Long)]);
    let foreign = TypeCode::structure("RMI:a.b.C:00", "C", [("x", TypeCode::Long)]);
    let shown = [
        (TypeCode::LongLong, "long long"),
        (TypeCode::String(8), "string<8>"),
        (TypeCode::Fixed { digits: 5, scale: 2 }, "fixed<5,2>"),
        (matrix, "long[4][3]"),
        (TypeCode::sequence(point(), 7), "sequence<Geometry::Point, 7>"),
        (unnamed, "Point"),
        (foreign, "C"),
    ];
    for (code, text) in shown {
        assert_eq!(code.to_string(), text);
    }
}

#[test]
fn a_type_that_nests_without_end_is_cut() {
    let deep = (0..10_000).fold(TypeCode::Long, |inner, _| TypeCode::sequence(inner, 0));
    let text = deep.to_string();
    assert!(text.contains("..") && text.len() < 2_000, "{text}");
}

#[test]
fn an_any_shows_its_type_and_value() {
    let any = Any::with_type(point(), &Point(2.5, "Vega")).unwrap();
    assert_eq!(format!("{any:?}"), r#"Any(Geometry::Point: {x: 2.5, name: "Vega"})"#);
    assert_eq!(format!("{:?}", Any::default()), "Any(null)");
    let nested = Any::new(&Any::new(&vec![1_i32, 2]).unwrap()).unwrap();
    assert_eq!(format!("{nested:?}"), "Any(any: Any(sequence<long>: [1, 2]))");
}

#[test]
fn an_any_is_made_of_a_literal() {
    let any = Any::new("text").unwrap();
    assert_eq!(any, Any::new(&"text".to_owned()).unwrap());
    assert_eq!(format!("{any:?}"), r#"Any(string: "text")"#);
}

#[test]
fn an_enum_shows_its_enumerator() {
    let state = TypeCode::enumeration("IDL:Tango/DevState:1.0", "DevState", ["ON", "OFF"]);
    let any = Any::with_type(state, &1_u32).unwrap();
    assert_eq!(format!("{any:?}"), "Any(Tango::DevState: OFF)");
}

#[test]
fn long_values_are_cut() {
    let numbers = format!("{:?}", Any::new(&vec![7_i16; 100_000]).unwrap());
    assert!(numbers.ends_with("99968 more: ..)") && numbers.len() < 300, "{numbers}");
    let text = format!("{:?}", Any::new(&"é".repeat(100_000)).unwrap());
    assert!(text.ends_with("\"..)") && text.len() < 5_000, "{text}");
}

#[test]
fn an_any_shows_a_decimal_number() {
    let shown = |text: &str| {
        let value: Decimal<5, 2> = text.parse().unwrap();
        format!("{:?}", Any::new(&value).unwrap())
    };
    assert_eq!(shown("123.4"), "Any(fixed<5,2>: 123.40)");
    assert_eq!(shown("-0.05"), "Any(fixed<5,2>: -0.05)");
    let thousands = TypeCode::Fixed { digits: 2, scale: -3 };
    let dozen = Decimal::<2, 0>::from_unscaled(-12).unwrap();
    let any = Any::with_type(thousands, &dozen).unwrap();
    assert_eq!(format!("{any:?}"), "Any(fixed<2,-3>: -12000)");
    let hostile = TypeCode::Fixed { digits: 2, scale: i16::MIN };
    let any = Any::with_type(hostile, &dozen).unwrap();
    assert_eq!(format!("{any:?}"), "Any(fixed<2,-32768>: ..)");
    let whole: Decimal<3, 0> = "7".parse().unwrap();
    assert_eq!(format!("{:?}", Any::new(&whole).unwrap()), "Any(fixed<3,0>: 7)");
}
