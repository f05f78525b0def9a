//! Values of Automation as JSON. (Feature `json`.)

use super::bstr::Bstr;
use super::safe_array::{Elements, SafeArray};
use super::type_info::Type;
use super::variant::Variant;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Value, json};

/// A value as JSON. What JSON has no word for is text.
pub fn to_json(value: &Variant) -> Value {
    match value.value() {
        Variant::Empty | Variant::Null | Variant::NullArray(_) => Value::Null,
        Variant::Bool(on) => json!(on),
        Variant::U8(number) => json!(number),
        Variant::R4(number) => decimal(*number),
        Variant::String(text) => json!(text.to_text()),
        Variant::Date(date) => json!(date.to_string()),
        Variant::Currency(amount) => json!(amount.to_string()),
        Variant::Decimal(number) => json!(number.to_string()),
        Variant::Error(status) => json!(status.to_string()),
        Variant::Unknown(None) | Variant::Dispatch(None) => Value::Null,
        Variant::Unknown(Some(_)) | Variant::Dispatch(Some(_)) => json!("an object"),
        Variant::Array(array) => elements(&array.elements),
        other => match (other.as_i64(), other.as_f64()) {
            (Some(number), _) => json!(number),
            (None, Some(number)) => json!(number),
            (None, None) => json!(format!("{other:?}")),
        },
    }
}

/// A number of 32 bits with the digits that it has, not with those of the nearest one of 64.
fn decimal(number: f32) -> Value {
    number.to_string().parse::<f64>().map_or(Value::Null, |number| json!(number))
}

fn elements(elements: &Elements) -> Value {
    match elements {
        Elements::I1(all) => json!(all),
        Elements::U1(all) => json!(all),
        Elements::I2(all) => json!(all),
        Elements::U2(all) => json!(all),
        Elements::I4(all) | Elements::Int(all) => json!(all),
        Elements::U4(all) | Elements::Uint(all) => json!(all),
        Elements::I8(all) => json!(all),
        Elements::U8(all) => json!(all),
        Elements::R4(all) => all.iter().copied().map(decimal).collect(),
        Elements::R8(all) => json!(all),
        Elements::Bool(all) => json!(all),
        Elements::String(all) => all.iter().map(|text| json!(text.to_text())).collect(),
        Elements::Date(all) => all.iter().map(|date| json!(date.to_string())).collect(),
        Elements::Currency(all) => all.iter().map(|amount| json!(amount.to_string())).collect(),
        Elements::Variant(all) => all.iter().map(to_json).collect(),
        other => json!(format!("{other:?}")),
    }
}

/// The value that JSON means: of a type, if the parameter has one. `null` is no value, an array
/// becomes an array.
///
/// # Errors
///
/// What does not fit.
pub fn from_json(json: &Value, ty: Option<&Type>) -> Result<Variant, String> {
    let ty = match ty {
        // What a pointer leads to is what is given.
        Some(Type::Pointer(to)) => return from_json(json, Some(to)),
        Some(ty) if *ty != Type::VARIANT => Some(ty),
        _ => None,
    };
    match (json, ty) {
        (Value::Null, _) => Ok(Variant::Empty),
        (Value::Bool(on), _) => Ok((*on).into()),
        (Value::String(text), _) => Ok(Variant::from(&**text)),
        (Value::Number(number), Some(&(Type::R4 | Type::R8))) => {
            Ok(number.as_f64().unwrap_or(f64::NAN).into())
        }
        (Value::Number(number), _) => whole(number).ok_or_else(|| format!("{number} is too large")),
        (Value::Array(all), Some(Type::SafeArray(of))) => array(all, Some(of)),
        (Value::Array(all), None) => array(all, None),
        (Value::Array(_), Some(ty)) => Err(format!("{json} is no {ty}")),
        (Value::Object(_), _) => Err(format!("{json}: Automation has no value for it")),
    }
}

/// A number in as few bits as programs in Basic use for it.
fn whole(number: &serde_json::Number) -> Option<Variant> {
    if let Some(number) = number.as_i64() {
        return Some(i32::try_from(number).map_or(Variant::I8(number), Variant::I4));
    }
    number.as_u64().map(Variant::U8).or_else(|| number.as_f64().map(Variant::R8))
}

fn array(all: &[Value], of: Option<&Type>) -> Result<Variant, String> {
    let all = all
        .iter()
        .enumerate()
        .map(|(place, value)| from_json(value, of).map_err(|what| format!("[{place}]: {what}")));
    let all: Vec<Variant> = all.collect::<Result<_, String>>()?;
    let numbers = || all.iter().map(Variant::as_i64).collect::<Option<Vec<i64>>>();
    let elements = match of {
        Some(&Type::R8) => all.iter().map(Variant::as_f64).collect::<Option<_>>().map(Elements::R8),
        Some(&Type::BOOL) => {
            all.iter().map(Variant::as_bool).collect::<Option<_>>().map(Elements::Bool)
        }
        Some(&Type::BSTR) => {
            let texts = all.iter().map(|it| it.as_text().map(|text| Bstr::from(&*text)));
            texts.collect::<Option<_>>().map(Elements::String)
        }
        Some(&Type::UI1) => each(numbers()).map(Elements::U1),
        Some(&Type::I2) => each(numbers()).map(Elements::I2),
        Some(&Type::I4) => each(numbers()).map(Elements::I4),
        Some(&Type::I8) => numbers().map(Elements::I8),
        _ => Some(Elements::Variant(all.clone())),
    };
    let elements = elements.ok_or_else(|| {
        let of = of.map_or_else(String::new, ToString::to_string);
        format!("an element is no {of}")
    })?;
    Ok(Variant::Array(SafeArray::new(elements)))
}

fn each<T: TryFrom<i64>>(numbers: Option<Vec<i64>>) -> Option<Vec<T>> {
    numbers?.into_iter().map(|number| T::try_from(number).ok()).collect()
}
