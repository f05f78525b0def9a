//! Values as text on the command line, and as JSON.

use armilla::dynamic::DynAny;
use armilla::{Any, Orb, TypeCode};
use serde_json::Value;

type Converted = Result<Any, String>;

/// A value of this type from text: JSON, or a text without quotes.
pub(crate) fn typed(ty: &TypeCode, text: &str, orb: &Orb) -> Converted {
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

/// A value of the type that its text suggests.
pub(crate) fn untyped(text: &str) -> Converted {
    let json = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    let any = match &json {
        Value::Bool(boolean) => Any::new(boolean),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => match i32::try_from(whole) {
                Ok(long) => Any::new(&long),
                Err(_) => Any::new(&whole),
            },
            (None, Some(whole)) => Any::new(&whole),
            (None, None) => Any::new(&number.as_f64().unwrap_or_default()),
        },
        Value::String(string) => Any::new(string),
        Value::Array(elements) => match strings(elements) {
            Some(strings) => Any::new(&strings),
            None => return Err(no_type(text)),
        },
        _ => return Err(no_type(text)),
    };
    any.map_err(|error| error.to_string())
}

fn no_type(text: &str) -> String {
    format!(
        "nothing declares the type of {text}\n  hint: a number, true or false, a text, and a list of texts \
         need no type; for the characters as a text, put them in quotes: {}",
        Value::from(text)
    )
}

fn strings(elements: &[Value]) -> Option<Vec<String>> {
    elements.iter().map(|element| element.as_str().map(str::to_owned)).collect()
}

/// A value as JSON. One that has no such form is described.
pub(crate) fn json(any: &Any) -> Value {
    let json = DynAny::from_any(any).and_then(|value| value.to_json());
    json.unwrap_or_else(|error| Value::from(format!("({error})")))
}
