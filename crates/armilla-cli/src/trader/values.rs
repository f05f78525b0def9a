//! Properties of offers as text on the command line, and in JSON.

pub(super) use crate::values::json;
use crate::values::{typed, untyped};
use armilla::Orb;
use armilla::dynamic::DynAny;
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
