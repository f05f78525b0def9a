//! Values of both sides, without an ORB and without a network.

use armilla::dynamic::DynAny;
use armilla::{Object, TypeCode};
use armilla_bridge::model::{Crossing, Mismatch, from_variant, to_variant};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::InterfacePointer;
use armilla_dcom::automation::{Currency, Date, Variant};

/// Nothing crosses but values.
struct Alone;

impl Crossing for Alone {
    fn view_of(&self, _: &mut DynAny, _: Uuid) -> Result<Option<InterfacePointer>, Mismatch> {
        Ok(None)
    }
    fn reference_to(&self, _: &InterfacePointer, _: &TypeCode) -> Result<Object, Mismatch> {
        Err(Mismatch::ty("no object crosses here"))
    }
    fn with_members(&self, _value: DynAny) -> Result<InterfacePointer, Mismatch> {
        Err(Mismatch::ty("no object crosses here"))
    }
    fn members_of(&self, _pointer: &InterfacePointer) -> Option<DynAny> {
        None
    }
}

fn there(given: Variant, code: &TypeCode) -> Result<DynAny, Mismatch> {
    from_variant(&given, code, &Alone)
}

fn there_and_back(given: Variant, code: &TypeCode) -> Variant {
    to_variant(&mut there(given, code).unwrap(), &Alone).unwrap()
}

#[test]
fn numbers_keep_their_values() {
    for (given, code) in [
        (Variant::I2(i16::MIN), TypeCode::Short),
        (Variant::I4(65_535), TypeCode::UShort),
        (Variant::I4(i32::MIN), TypeCode::Long),
        (Variant::U4(u32::MAX), TypeCode::ULong),
        (Variant::I8(i64::MIN), TypeCode::LongLong),
        (Variant::U8(u64::MAX), TypeCode::ULongLong),
        (Variant::U1(255), TypeCode::Octet),
        (Variant::R4(-0.5), TypeCode::Float),
        (Variant::R8(1e300), TypeCode::Double),
        (Variant::Bool(true), TypeCode::Boolean),
        (Variant::from("ß"), TypeCode::WChar),
        (Variant::from("größer"), TypeCode::WString(0)),
    ] {
        assert_eq!(there_and_back(given.clone(), &code), given, "{code}");
    }
}

#[test]
fn numbers_of_other_types_become_what_is_wanted_if_they_fit() {
    assert_eq!(there_and_back(Variant::I2(7), &TypeCode::Double), Variant::R8(7.0));
    assert_eq!(there_and_back(Variant::R8(7.0), &TypeCode::Short), Variant::I2(7));
    assert_eq!(there_and_back(Variant::Bool(true), &TypeCode::Long), Variant::I4(-1));
    assert_eq!(there_and_back(Variant::I4(0), &TypeCode::Boolean), Variant::Bool(false));
    assert_eq!(there_and_back(Variant::Date(Date(2.5)), &TypeCode::Double), Variant::R8(2.5));
    let amount = Variant::Currency(Currency(125_000));
    assert_eq!(there_and_back(amount, &TypeCode::Double), Variant::R8(12.5));
    for (given, code, status) in [
        (Variant::I4(256), TypeCode::Octet, Status::OVERFLOW),
        (Variant::I4(-1), TypeCode::ULong, Status::OVERFLOW),
        (Variant::R8(f64::NAN), TypeCode::Long, Status::TYPE_MISMATCH),
        (Variant::R8(f64::INFINITY), TypeCode::Long, Status::TYPE_MISMATCH),
        (Variant::R8(1e30), TypeCode::LongLong, Status::OVERFLOW),
        (Variant::from("7"), TypeCode::Long, Status::TYPE_MISMATCH),
        (Variant::from("two"), TypeCode::WChar, Status::TYPE_MISMATCH),
        (Variant::from("a\0b"), TypeCode::String(0), Status::OVERFLOW),
        (Variant::from("long"), TypeCode::String(3), Status::OVERFLOW),
    ] {
        assert_eq!(there(given.clone(), &code).unwrap_err().status, status, "{given:?} {code}");
    }
}

#[test]
fn decimal_numbers_are_exact() {
    let code = TypeCode::Fixed { digits: 10, scale: 4 };
    let exact = there_and_back(Variant::from("-12.3456"), &code);
    let Variant::Decimal(number) = exact else { panic!("{exact:?}") };
    assert_eq!(number.to_string(), "-12.3456");
    assert_eq!(there_and_back(Variant::Decimal(number), &code), exact);
    assert!(there(Variant::from("0.00001"), &code).is_err());
    assert!(there(Variant::from("much"), &code).is_err());
}

#[test]
fn an_element_that_does_not_fit_is_told_by_its_place() {
    let code = TypeCode::sequence(TypeCode::sequence(TypeCode::Octet, 0), 0);
    let inner = |values: Vec<i32>| Variant::Array(values.into());
    let given = Variant::Array(vec![inner(vec![1]), inner(vec![2, 300])].into());
    let error = there(given, &code).unwrap_err();
    assert_eq!(error.what, "[1]: [1]: 300 is out of range");
    let three = TypeCode::Array(std::sync::Arc::new(TypeCode::Long), 3);
    assert!(there(inner(vec![1, 2]), &three).is_err());
    assert_eq!(there_and_back(inner(vec![1, 2, 3]), &three), inner(vec![1, 2, 3]));
}
