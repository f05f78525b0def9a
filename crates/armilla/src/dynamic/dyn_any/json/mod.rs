//! Converts dynamic values to JSON and back, for people to read and write.
//!
//! | IDL | JSON |
//! |---|---|
//! | numbers | a number, `"NaN"` or `"Infinity"` |
//! | `long double` | a number, or `"0x…"` if no `double` is equal to it |
//! | `char`, `wchar`, strings, sequences and arrays of `char` | a string |
//! | `fixed` | a string, `"12.50"` |
//! | enum | the name of the enumerator |
//! | struct, exception | an object with all members |
//! | union | an object with its member; `"$discriminator"` if it is not implied |
//! | sequence, array | an array |
//! | reference | its URL, or `null` |
//! | valuetype | `null`, an object, or `{"$ref": n}` |
//! | boxed value | its content or `null`; `{"$value": …}` if these are ambiguous |
//! | `any` | `{"$type": …, "$value": …}` |
//! | `TypeCode` | a type in IDL (`sequence<long>`), or an object with its `kind` and parameters |
//!
//! The object of a valuetype has a `"$type"`, its repository id, if its type is not the declared
//! one. `{"$ref": n}` is the n-th valuetype of the text, from 0. The `"$type"` of an `any` is that of
//! a `TypeCode`: `{"$type": "sequence<long>", "$value": [1, 2]}`. An `any` without one is read as a
//! `string`, `boolean`, `long`, `long long` or `double`.

mod read;
mod type_code;
mod type_name;
mod write;

use super::{DynAny, Result};
use crate::runtime::Orb;
use armilla_cdr::TypeCode;
use serde_json::Value;

impl DynAny {
    /// Converts the value to JSON.
    ///
    /// # Errors
    /// When a reference in it has no form as text.
    pub fn to_json(&self) -> Result<Value> {
        write::Writer::new(&|_| None).value(self)
    }

    /// Does what [`to_json`](Self::to_json) does. `names` finds the names of types, which then
    /// stand for their descriptions in the `"$type"` of an `any` and in TypeCodes: those by which
    /// [`from_json_with_types`](Self::from_json_with_types) finds them again.
    ///
    /// # Errors
    /// Those of [`to_json`](Self::to_json).
    pub fn to_json_with_types(&self, names: &dyn Fn(&TypeCode) -> Option<String>) -> Result<Value> {
        write::Writer::new(names).value(self)
    }

    /// Converts JSON to a value of this type.
    ///
    /// ```
    /// use armilla::TypeCode;
    /// use armilla::dynamic::DynAny;
    /// use serde_json::json;
    ///
    /// let members = [("x", TypeCode::Double), ("name", TypeCode::String(0))];
    /// let point = TypeCode::structure("IDL:Point:1.0", "Point", members);
    /// let text = json!({"x": 2.5, "name": "Vega"});
    /// assert_eq!(DynAny::from_json(&point, &text)?.to_json()?, text);
    /// let error = DynAny::from_json(&point, &json!({"x": "far", "name": "Vega"})).unwrap_err();
    /// assert!(error.to_string().contains('x'));
    /// # Ok::<(), armilla::dynamic::DynAnyError>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidValue`](super::DynAnyError::InvalidValue) when `json` does not describe one. The
    /// error names the member.
    pub fn from_json(type_code: &TypeCode, json: &Value) -> Result<Self> {
        read::Reader::new(None, &|_| None).whole(type_code, json)
    }

    /// Does what [`from_json`](Self::from_json) does. `"$type"` may also name a valuetype that is
    /// [registered](Orb::register_value_type) at `orb`.
    ///
    /// # Errors
    /// Those of [`from_json`](Self::from_json).
    pub fn from_json_within(type_code: &TypeCode, json: &Value, orb: &Orb) -> Result<Self> {
        read::Reader::new(Some(orb), &|_| None).whole(type_code, json)
    }

    /// Does what [`from_json_within`](Self::from_json_within) does. `lookup` finds the types that
    /// the `"$type"` of an `any` names, by scoped name (`Tango::DevState`) or repository id.
    ///
    /// # Errors
    /// Those of [`from_json`](Self::from_json), and when there is no such type.
    pub fn from_json_with_types(
        type_code: &TypeCode,
        json: &Value,
        orb: &Orb,
        lookup: &dyn Fn(&str) -> Option<TypeCode>,
    ) -> Result<Self> {
        read::Reader::new(Some(orb), lookup).whole(type_code, json)
    }
}

/// The key of the type of a valuetype or an `any`.
const TYPE: &str = "$type";

/// The key of the content of an `any` or of a boxed value.
const VALUE: &str = "$value";

/// The key of the discriminator of a union.
const DISCRIMINATOR: &str = "$discriminator";

/// The key of the number of an earlier valuetype.
const REF: &str = "$ref";

/// An object with these members. It takes them without copying.
fn object_of<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}
