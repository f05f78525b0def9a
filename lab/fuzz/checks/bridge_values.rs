//! Values of Automation that cross to CORBA: each becomes a value of the type or is refused, and what
//! has become one crosses back and again.

use armilla::dynamic::DynAny;
use armilla::{Object, TypeCode};
use armilla_bridge::model::{Crossing, Mismatch, from_variant, to_variant, type_of};
use armilla_dcerpc::ndr::from_stub;
use armilla_dcerpc::{ByteOrder, Uuid};
use armilla_dcom::InterfacePointer;
use armilla_dcom::automation::{Variant, VariantPointer};
use std::sync::Arc;

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

/// The types that a value may be wanted for.
fn types() -> [TypeCode; 20] {
    let members = [("number", TypeCode::Long), ("text", TypeCode::String(8))];
    let point = TypeCode::structure("IDL:Point:1.0", "Point", members);
    [
        TypeCode::Any,
        TypeCode::Boolean,
        TypeCode::Char,
        TypeCode::WChar,
        TypeCode::Octet,
        TypeCode::Short,
        TypeCode::UShort,
        TypeCode::Long,
        TypeCode::ULong,
        TypeCode::LongLong,
        TypeCode::ULongLong,
        TypeCode::Float,
        TypeCode::Double,
        TypeCode::String(0),
        TypeCode::WString(5),
        TypeCode::Fixed { digits: 12, scale: 4 },
        TypeCode::enumeration("IDL:Colour:1.0", "Colour", ["red", "green"]),
        TypeCode::sequence(TypeCode::sequence(TypeCode::Any, 0), 4),
        TypeCode::Array(Arc::new(TypeCode::Octet), 3),
        point,
    ]
}

/// The first octet chooses the type, the rest is a VARIANT.
pub(crate) fn check(data: &[u8]) {
    let Some((&choice, stub)) = data.split_first() else { return };
    let Ok(given) = from_stub::<VariantPointer>(stub, ByteOrder::Little) else { return };
    let given = given.into_variant();
    let types = types();
    cross(&given, &types[usize::from(choice) % types.len()]);
    if let Some(own) = type_of(&given) {
        cross(&given, &own);
    }
}

fn cross(given: &Variant, code: &TypeCode) {
    let Ok(mut value) = from_variant(given, code, &Alone) else { return };
    value.to_any().expect("it is a value of its type");
    let Ok(back) = to_variant(&mut value, &Alone) else { return };
    let mut again = from_variant(&back, code, &Alone).expect("what came back goes again");
    let back_again = to_variant(&mut again, &Alone).expect("and comes back again");
    // Comparing texts: a NaN is not equal to itself.
    assert_eq!(format!("{back:?}"), format!("{back_again:?}"), "{given:?} as {code}");
}
