//! Values of properties as text on the command line, and as JSON.

use armilla::dynamic::DynAny;
use armilla::{Any, Orb, TypeCode};
use armilla_cos_trading::Property;
use armilla_cos_trading::repos::service_type_repository::PropStruct;
use armilla_terminal::{Failure, Outcome};
use serde_json::Value;

/// A property from `NAME=VALUE`, of the type that the service type declares for it, or else of the
/// one that the text suggests.
pub(super) fn property(text: &str, declared: &[PropStruct], orb: &Orb) -> Outcome<Property> {
    let Some((name, value)) = text.split_once('=') else {
        return Err(Failure::usage(format!("a property is NAME=VALUE, not {text:?}")));
    };
    let declared = declared.iter().find(|property| property.name == name);
    let value = match declared {
        Some(declared) => typed(&declared.value_type, value, orb),
        None => untyped(value),
    };
    let value = value.map_err(|error| Failure::usage(format!("the value of {name}: {error}")))?;
    Ok(Property { name: name.to_owned(), value })
}

/// The same from JSON.
pub(super) fn of_json(
    name: &str,
    value: &Value,
    declared: &[PropStruct],
    orb: &Orb,
) -> Result<Property, String> {
    let declared = declared.iter().find(|property| property.name == name);
    let converted = match declared {
        Some(declared) => DynAny::from_json_within(&declared.value_type, value, orb)
            .and_then(|value| value.to_any())
            .map_err(|error| error.to_string()),
        None => untyped(&value.to_string()),
    };
    let value = converted.map_err(|error| format!("the value of {name}: {error}"))?;
    Ok(Property { name: name.to_owned(), value })
}

type Converted = Result<Any, String>;

fn typed(ty: &TypeCode, text: &str, orb: &Orb) -> Converted {
    // The quotes of a string are optional.
    let is_text = matches!(
        ty.resolved(),
        TypeCode::String(_) | TypeCode::WString(_) | TypeCode::Char | TypeCode::WChar
    );
    let json = match serde_json::from_str::<Value>(text) {
        Ok(json) if !is_text || json.is_string() => json,
        Err(error) if !is_text && text.starts_with(['{', '[']) => return Err(error.to_string()),
        _ => Value::from(text),
    };
    let value = DynAny::from_json_within(ty, &json, orb).and_then(|value| value.to_any());
    value.map_err(|error| error.to_string())
}

fn untyped(text: &str) -> Converted {
    let json = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    let any = match &json {
        Value::Bool(boolean) => Any::new(boolean),
        Value::Number(number) => match number.as_i64().map(i32::try_from) {
            Some(Ok(long)) => Any::new(&long),
            Some(Err(_)) => Any::new(&number.as_i64().unwrap_or_default()),
            None => Any::new(&number.as_f64().unwrap_or_default()),
        },
        Value::String(string) => Any::new(string),
        Value::Array(elements) => match strings(elements) {
            Some(strings) => Any::new(&strings),
            None => return Err("the service type does not declare its type".to_owned()),
        },
        _ => return Err("the service type does not declare its type".to_owned()),
    };
    any.map_err(|error| error.to_string())
}

fn strings(elements: &[Value]) -> Option<Vec<String>> {
    elements.iter().map(|element| element.as_str().map(str::to_owned)).collect()
}

/// A value as JSON. One that has no such form is described.
pub(super) fn json(any: &Any) -> Value {
    let json = DynAny::from_any(any).and_then(|value| value.to_json());
    json.unwrap_or_else(|error| Value::from(format!("({error})")))
}
