//! The type that the context of a constant expression expects, and the range of its values.

use crate::model::{ConstValue, DeclId};

/// The type to which a constant expression must evaluate.
#[derive(Debug, Clone)]
pub(super) enum Expected {
    /// An integer of so many bits.
    Integer {
        name: &'static str,
        bits: u32,
        signed: bool,
    },
    Float,
    Double,
    LongDouble,
    Boolean,
    Char,
    String(Option<u32>),
    WChar,
    WString(Option<u32>),
    /// With digits and scale, or with any.
    Fixed(Option<(u16, u16)>),
    Enum(DeclId),
}

impl Expected {
    pub(super) fn integer(name: &'static str, bits: u32, signed: bool) -> Option<Self> {
        Some(Expected::Integer { name, bits, signed })
    }
}

/// The smallest and the largest integer of so many bits.
pub(super) fn range(bits: u32, signed: bool) -> (i128, i128) {
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// The kind of a value, with an article.
pub(super) fn kind_of(value: &ConstValue) -> &'static str {
    match value {
        ConstValue::Integer(_) => "an integer",
        ConstValue::Float(_) | ConstValue::LongDouble(_) => "a floating-point number",
        ConstValue::Boolean(_) => "a boolean",
        ConstValue::Char(_) => "a character",
        ConstValue::String(_) => "a string",
        ConstValue::WChar(_) => "a wide character",
        ConstValue::WString(_) => "a wide string",
        ConstValue::Fixed(_) => "a fixed-point number",
        ConstValue::Enumerator(..) => "an enumerator",
    }
}
