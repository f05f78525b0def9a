//! Values of CORBA in the shapes of COM, and back.

use super::shape::Shape;
use super::value::{Elements, Pointer, Value};
use crate::model::{
    Crossing, Mismatch, boolean, decimal, digits, from_variant, integer, number, text_of,
    to_variant, wrong,
};
use armilla::TypeCode;
use armilla::dynamic::DynAny;
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::Unique;
use armilla_dcom::automation::dispatch::DISPATCH;
use armilla_dcom::automation::{Bstr, Currency, Date, SafeArrayPointer, Variant, VariantBool};
use armilla_dcom::remote::UNKNOWN;

type Result<T, E = Mismatch> = std::result::Result<T, E>;

/// A value of CORBA as it travels.
pub(crate) fn to_value(
    value: &mut DynAny,
    shape: &Shape,
    crossing: &dyn Crossing,
) -> Result<Value> {
    match shape {
        Shape::Struct(members) => {
            let known = value.as_struct()?.members();
            if known.len() != members.len() {
                let (is, wants) = (known.len(), members.len());
                return Err(Mismatch::ty(format!("it has {is} members, and {wants} travel")));
            }
            let parts = known.into_iter().zip(members.iter()).map(|((name, mut member), shape)| {
                to_value(&mut member, shape, crossing).map_err(|error| error.within(name))
            });
            Ok(Value::Parts(shape.alignment(), parts.collect::<Result<_>>()?))
        }
        Shape::Fixed(element, count) => {
            let parts = elements(value, element, crossing)?;
            if parts.len() != *count as usize {
                let is = parts.len();
                return Err(Mismatch::ty(format!("it has {is} elements, and {count} travel")));
            }
            Ok(Value::Parts(shape.alignment(), parts))
        }
        Shape::Array(element) | Shape::Varying(element) => {
            let (alignment, values) = (element.alignment(), elements(value, element, crossing)?);
            let varying = matches!(shape, Shape::Varying(_));
            Ok(Value::Elements(Elements { alignment, varying, room: 0, first: 0, values }))
        }
        Shape::Sequence(element) => {
            let (alignment, values) = (element.alignment(), elements(value, element, crossing)?);
            let count = u32::try_from(values.len()).map_err(|_| Mismatch::range("too many"))?;
            let elements = Elements { alignment, varying: true, room: 0, first: 0, values };
            let pointer = Value::pointer(Value::Elements(elements));
            Ok(Value::Parts(shape.alignment(), vec![Value::U4(count), Value::U4(count), pointer]))
        }
        Shape::Unique(inner) => to_value(value, inner, crossing).map(Value::pointer),
        Shape::Object(iid) => object(value, *iid, crossing),
        Shape::Interface => object(value, UNKNOWN, crossing),
        _ => simple(to_variant(value, crossing)?, shape),
    }
}

/// An object of CORBA as a view with an interface.
fn object(value: &mut DynAny, iid: Uuid, crossing: &dyn Crossing) -> Result<Value> {
    let iid = if iid == UNKNOWN { DISPATCH.uuid } else { iid };
    Ok(Value::Interface(crossing.view_of(value, iid)?.into()))
}

fn elements(value: &mut DynAny, element: &Shape, crossing: &dyn Crossing) -> Result<Vec<Value>> {
    let code = value.type_code();
    let all = match code.resolved() {
        TypeCode::Sequence(..) => value.as_sequence()?.elements(),
        _ => value.as_array()?.elements(),
    };
    let made = all.into_iter().enumerate().map(|(index, mut one)| {
        to_value(&mut one, element, crossing).map_err(|error| error.within(format!("[{index}]")))
    });
    made.collect()
}

/// A value without parts.
fn simple(given: Variant, shape: &Shape) -> Result<Value> {
    let given = &given;
    Ok(match shape {
        Shape::I1 => Value::I1(integer(given)?),
        Shape::U1 => Value::U1(match given {
            // `boolean` of COM is an octet.
            Variant::Bool(value) => u8::from(*value),
            other => integer(other)?,
        }),
        Shape::I2 => Value::I2(integer(given)?),
        Shape::U2 => Value::U2(match unit(given) {
            Some(unit) => unit,
            None => integer(given)?,
        }),
        Shape::I4 => Value::I4(integer(given)?),
        Shape::U4 => Value::U4(integer(given)?),
        Shape::I8 => Value::I8(integer(given)?),
        Shape::U8 => Value::U8(integer(given)?),
        Shape::R4 => Value::R4(number(given)? as f32),
        Shape::R8 => Value::R8(number(given)?),
        Shape::VariantBool => Value::VariantBool(VariantBool(boolean(given)?)),
        Shape::Date => Value::Date(Date(number(given)?)),
        Shape::Currency => Value::Currency(currency(given)?),
        Shape::Decimal => Value::Decimal(decimal(&digits(given)?)?),
        Shape::Guid => {
            let text = text_of(given)?;
            let guid = text.trim_matches(['{', '}']).parse();
            Value::Guid(guid.map_err(|_| Mismatch::ty(format!("{text:?} is no GUID")))?)
        }
        Shape::Bstr => Value::Bstr(Bstr::from(&*text_of(given)?)),
        Shape::WideString => Value::WideString((&*text_of(given)?).into()),
        Shape::Variant => Value::Variant(given.clone().into()),
        Shape::SafeArray => Value::SafeArray(match given {
            Variant::Array(array) => array.clone().into(),
            Variant::Empty | Variant::NullArray(_) => SafeArrayPointer::NULL,
            other => return Err(wrong("an array", other)),
        }),
        _ => return Err(wrong("a value with parts", given)),
    })
}

/// A character that is one unit of UTF-16.
fn unit(given: &Variant) -> Option<u16> {
    let one = crate::model::character(given)?;
    u16::try_from(u32::from(one)).ok()
}

/// Four digits behind the point.
fn currency(given: &Variant) -> Result<Currency> {
    let scaled = number(given)? * 10_000.0;
    match scaled.abs() < i64::MAX as f64 {
        true => Ok(Currency(scaled.round() as i64)),
        false => Err(Mismatch::range(format!("{scaled} is out of range"))),
    }
}

/// A value of CORBA of what has travelled.
pub(crate) fn from_value(value: Value, code: &TypeCode, crossing: &dyn Crossing) -> Result<DynAny> {
    match value {
        Value::Pointer(Pointer::To(value)) => from_value(*value, code, crossing),
        // CORBA has no null: it is an empty string, an empty array, zero.
        Value::Pointer(_) => Ok(DynAny::new(code)?),
        Value::Elements(Elements { values, .. }) => with_elements(values, code, crossing),
        Value::Parts(_, parts) => with_parts(parts, code, crossing),
        simple => from_variant(&variant(simple, code), code, crossing),
    }
}

fn with_parts(mut parts: Vec<Value>, code: &TypeCode, crossing: &dyn Crossing) -> Result<DynAny> {
    match (code.resolved(), &parts[..]) {
        (TypeCode::Sequence(..), [Value::U4(_), Value::U4(length), array @ Value::Pointer(_)]) => {
            let count = array.as_elements().map_or(0, |elements| elements.values.len());
            if usize::try_from(*length) != Ok(count) {
                return Err(Mismatch::range(format!("its length is {length}, and {count} came")));
            }
            let elements = parts.pop().unwrap_or(Value::Pointer(Pointer::Null));
            return from_value(elements, code, crossing);
        }
        (TypeCode::Sequence(..) | TypeCode::Array(..), _) => {
            return with_elements(parts, code, crossing);
        }
        _ => {}
    }
    let mut made = DynAny::new(code)?;
    let known = made.as_struct()?.members();
    if known.len() != parts.len() {
        let (is, wants) = (parts.len(), known.len());
        return Err(Mismatch::ty(format!("{is} members came, and it has {wants}")));
    }
    let members = known.into_iter().zip(parts).map(|((name, member), value)| {
        let member = from_value(value, &member.type_code(), crossing);
        member.map(|member| (name.clone(), member)).map_err(|error| error.within(name))
    });
    let members: Vec<(String, DynAny)> = members.collect::<Result<_>>()?;
    let members = members.iter().map(|(name, member)| (name.as_str(), member));
    made.as_struct()?.set_members_as_dyn_any(members)?;
    Ok(made)
}

fn with_elements(values: Vec<Value>, code: &TypeCode, crossing: &dyn Crossing) -> Result<DynAny> {
    let (TypeCode::Sequence(element, _) | TypeCode::Array(element, _)) = code.resolved() else {
        return Err(Mismatch::ty(format!("an array came, and a {code} is wanted")));
    };
    let made = values.into_iter().enumerate().map(|(index, value)| {
        from_value(value, element, crossing).map_err(|error| error.within(format!("[{index}]")))
    });
    let elements: Vec<DynAny> = made.collect::<Result<_>>()?;
    let mut made = DynAny::new(code)?;
    match code.resolved() {
        TypeCode::Sequence(..) => made.as_sequence()?.set_elements_as_dyn_any(&elements)?,
        _ => made.as_array()?.set_elements_as_dyn_any(&elements)?,
    }
    Ok(made)
}

/// A value without parts as a script would see it.
fn variant(value: Value, code: &TypeCode) -> Variant {
    match value {
        Value::I1(value) => Variant::I1(value),
        // It may be a `boolean`, and a `wchar_t`.
        Value::U1(value) if matches!(code.resolved(), TypeCode::Boolean) => {
            Variant::Bool(value != 0)
        }
        Value::U1(value) => Variant::U1(value),
        Value::I2(value) => Variant::I2(value),
        Value::U2(value) if matches!(code.resolved(), TypeCode::WChar) => {
            Variant::String(Bstr::from(&*String::from_utf16_lossy(&[value])))
        }
        Value::U2(value) => Variant::U2(value),
        Value::I4(value) => Variant::I4(value),
        Value::U4(value) => Variant::U4(value),
        Value::I8(value) => Variant::I8(value),
        Value::U8(value) => Variant::U8(value),
        Value::R4(value) => Variant::R4(value),
        Value::R8(value) => Variant::R8(value),
        Value::VariantBool(value) => Variant::Bool(value.0),
        Value::Date(value) => Variant::Date(value),
        Value::Currency(value) => Variant::Currency(value),
        Value::Decimal(value) => Variant::Decimal(value),
        Value::Guid(value) => Variant::from(&*value.to_string()),
        Value::Bstr(value) => Variant::String(value),
        Value::WideString(value) => Variant::from(&*value.to_text()),
        Value::Variant(value) => value.into_variant(),
        Value::SafeArray(value) => value.into_array().map_or(Variant::Empty, Variant::Array),
        Value::Interface(value) => Variant::Unknown(Unique::into_inner(value)),
        Value::Parts(..) | Value::Elements(_) | Value::Pointer(_) => Variant::Empty,
    }
}
