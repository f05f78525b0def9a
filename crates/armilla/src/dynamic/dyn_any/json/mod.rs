//! Dynamic values as JSON: what a person types and reads.
//!
//! | IDL | JSON |
//! |---|---|
//! | numbers | a number; `"NaN"`, `"Infinity"`; a `long double` that no `double` equals as `"0x…"` |
//! | `char`, `wchar`, strings, sequences and arrays of `char` | a string |
//! | `fixed` | a string, `"12.50"` |
//! | enum | the name of the enumerator |
//! | struct, exception | an object with all members |
//! | union | an object with its member; `"$discriminator"` where the member does not say everything |
//! | sequence, array | an array |
//! | reference | its URL, or `null` |
//! | valuetype | an object or `null`; `"$type"`: its repository id, where it is of another type than was declared; `{"$ref": n}`: the value that is the n-th in this text, the first being 0 |
//! | boxed value | what is in it, or `null`; `{"$value": …}` where those could be confused |
//! | `any` | `{"$type": …, "$value": …}`; a plain value is read as a `string`, `boolean`, `long`, `long long` or `double` |
//! | `TypeCode` | the name of a basic type; else an object with its `kind` and what that consists of |

mod read;
mod type_code;
mod write;

use super::{DynAny, Result};
use crate::runtime::Orb;
use armilla_cdr::TypeCode;
use serde_json::Value;

impl DynAny {
    /// The value as JSON.
    ///
    /// # Errors
    /// When a reference in it cannot be written as text.
    pub fn to_json(&self) -> Result<Value> {
        write::Writer::default().value(self)
    }

    /// The value of this type that `json` says.
    ///
    /// # Errors
    /// [`InvalidValue`](super::DynAnyError::InvalidValue) when it says none; the error names the
    /// member.
    pub fn from_json(type_code: &TypeCode, json: &Value) -> Result<Self> {
        read::Reader::new(None).whole(type_code, json)
    }

    /// As [`from_json`](Self::from_json), where `"$type"` may also name a valuetype that
    /// `orb` [knows](Orb::register_value_type).
    ///
    /// # Errors
    /// As [`from_json`](Self::from_json).
    pub fn from_json_within(type_code: &TypeCode, json: &Value, orb: &Orb) -> Result<Self> {
        read::Reader::new(Some(orb)).whole(type_code, json)
    }
}

/// The key of what a valuetype or an any is of.
const TYPE: &str = "$type";

/// The key of what an any holds.
const VALUE: &str = "$value";

/// The key of the discriminator of a union.
const DISCRIMINATOR: &str = "$discriminator";

/// The key of the number of a value that was there before.
const REF: &str = "$ref";

/// An object with these members, which are not copied.
fn object_of<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}
