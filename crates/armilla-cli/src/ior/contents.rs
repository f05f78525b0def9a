//! The contents of a reference as a tree of named values: the JSON that `armilla ior --json`
//! prints.

use serde_json::{Map, Value, json};

/// Names and values in the order of printing.
pub(super) type Contents = Map<String, Value>;

pub(super) fn malformed(error: impl std::fmt::Display) -> Contents {
    members(json!({ "malformed": error.to_string() }))
}

/// Octets of an unknown format.
pub(super) fn data(octets: &[u8]) -> Contents {
    members(json!({ "data": octets.escape_ascii().to_string() }))
}

/// The members of an object.
pub(super) fn members(object: Value) -> Contents {
    match object {
        Value::Object(members) => members,
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}
