//! Properties: their types and values as the constraint language sees them.

use crate::constraint::{Value, ValueType};
use armilla::{Any, CdrResult, Decode, LongDouble, Orb, TypeCode, Typed, WString};
use armilla_cos_trading::Property;
use armilla_cos_trading::dynamic::DynamicProp;

/// The type of a property as the languages see it.
pub fn value_type(code: &TypeCode) -> ValueType {
    match code.resolved() {
        TypeCode::Boolean => ValueType::Boolean,
        TypeCode::Octet
        | TypeCode::Short
        | TypeCode::UShort
        | TypeCode::Long
        | TypeCode::ULong
        | TypeCode::LongLong
        | TypeCode::ULongLong
        | TypeCode::Float
        | TypeCode::Double
        | TypeCode::LongDouble => ValueType::Number,
        TypeCode::String(_) | TypeCode::WString(_) | TypeCode::Char | TypeCode::WChar => {
            ValueType::Text
        }
        TypeCode::Sequence(element, _) => match value_type(element) {
            simple @ (ValueType::Boolean | ValueType::Number | ValueType::Text) => {
                simple.sequence()
            }
            _ => ValueType::Other,
        },
        _ => ValueType::Other,
    }
}

/// A value as the languages see it. What cannot be read is [`Value::Other`].
pub fn value(any: &Any) -> Value {
    simple(any).or_else(|| sequence(any)).unwrap_or(Value::Other)
}

/// A value that is of the type of the `any`, which `T` reads.
fn get<T: for<'a> Decode<'a>>(any: &Any) -> Option<T> {
    any.get_as::<T>(any.type_code()).ok().flatten()
}

fn simple(any: &Any) -> Option<Value> {
    Some(match any.type_code().resolved() {
        TypeCode::Boolean => Value::Boolean(get(any)?),
        TypeCode::Octet => integer(get::<u8>(any)?),
        TypeCode::Short => integer(get::<i16>(any)?),
        TypeCode::UShort => integer(get::<u16>(any)?),
        TypeCode::Long => integer(get::<i32>(any)?),
        TypeCode::ULong => integer(get::<u32>(any)?),
        TypeCode::LongLong => integer(get::<i64>(any)?),
        TypeCode::ULongLong => integer(get::<u64>(any)?),
        TypeCode::Float => float(get::<f32>(any)?),
        TypeCode::Double => float(get::<f64>(any)?),
        TypeCode::LongDouble => Value::Float(get::<LongDouble>(any)?.to_f64()),
        TypeCode::String(_) => text(&get::<String>(any)?),
        TypeCode::WString(_) => text(&get::<WString>(any)?),
        TypeCode::Char => character(get::<u8>(any)?),
        TypeCode::WChar => Value::Text(get::<char>(any)?.to_string().into()),
        _ => return None,
    })
}

fn sequence(any: &Any) -> Option<Value> {
    let TypeCode::Sequence(element, _) = any.type_code().resolved() else { return None };
    match element.resolved() {
        TypeCode::Boolean => elements(get::<Vec<bool>>(any)?, Value::Boolean),
        TypeCode::Octet => elements(get::<Vec<u8>>(any)?, integer),
        TypeCode::Short => elements(get::<Vec<i16>>(any)?, integer),
        TypeCode::UShort => elements(get::<Vec<u16>>(any)?, integer),
        TypeCode::Long => elements(get::<Vec<i32>>(any)?, integer),
        TypeCode::ULong => elements(get::<Vec<u32>>(any)?, integer),
        TypeCode::LongLong => elements(get::<Vec<i64>>(any)?, integer),
        TypeCode::ULongLong => elements(get::<Vec<u64>>(any)?, integer),
        TypeCode::Float => elements(get::<Vec<f32>>(any)?, float),
        TypeCode::Double => elements(get::<Vec<f64>>(any)?, float),
        TypeCode::String(_) => elements(get::<Vec<String>>(any)?, |one| text(&one)),
        TypeCode::WString(_) => elements(get::<Vec<WString>>(any)?, |one| text(&one)),
        TypeCode::Char => elements(get::<Vec<u8>>(any)?, character),
        _ => None,
    }
}

fn elements<T>(elements: Vec<T>, value: impl Fn(T) -> Value) -> Option<Value> {
    Some(Value::Sequence(elements.into_iter().map(value).collect()))
}

fn integer(integer: impl Into<i128>) -> Value {
    Value::Integer(integer.into())
}

fn float(float: impl Into<f64>) -> Value {
    Value::Float(float.into())
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

/// A `char`, as an octet of ISO 8859-1.
fn character(octet: u8) -> Value {
    Value::Text(char::from(octet).to_string().into())
}

/// Whether the value of a property has to be asked for.
pub fn is_dynamic(any: &Any) -> bool {
    matches!(any.type_code().resolved(), TypeCode::Struct(code) if code.id == DYNAMIC_PROP)
}

/// The repository id of `CosTradingDynamic::DynamicProp`.
const DYNAMIC_PROP: &str = "IDL:omg.org/CosTradingDynamic/DynamicProp:1.0";

/// The dynamic property in an `any`, if it is one.
pub(crate) fn dynamic(any: &Any, orb: &Orb) -> CdrResult<Option<DynamicProp>> {
    if !is_dynamic(any) {
        return Ok(None);
    }
    any.get_as_with_context(&DynamicProp::type_code(), orb)
}

/// The type of the value of a property, also of a dynamic one.
pub(super) fn type_of(property: &Property, orb: &Orb) -> CdrResult<TypeCode> {
    let dynamic = dynamic(&property.value, orb)?;
    Ok(dynamic.map_or_else(|| property.value.type_code().clone(), |dynamic| dynamic.returned_type))
}
