//! Values of properties, as far as the languages look at them, and their types.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// A value of a property, or of a literal.
///
/// A `char` is a text of one character: the languages have no literals of their own for it. All
/// integer types are one, and so are both floating-point types.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A boolean; TRUE is greater than FALSE.
    Boolean(bool),
    /// An integer of any IDL type.
    Integer(i128),
    /// A floating-point number.
    Float(f64),
    /// A string or a character.
    Text(Arc<str>),
    /// A sequence of one of the other types, for `in`.
    Sequence(Arc<[Value]>),
    /// A value of any other type: only `exist` can ask for it.
    Other,
}

/// The type of a property or an expression, as the languages see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// `boolean`.
    Boolean,
    /// An integer or floating-point type.
    Number,
    /// `string`, `wstring`, `char`, `wchar`.
    Text,
    /// A sequence of booleans.
    BooleanSequence,
    /// A sequence of numbers.
    NumberSequence,
    /// A sequence of strings or characters.
    TextSequence,
    /// Any other type.
    Other,
}

impl ValueType {
    /// The type of the elements of a sequence.
    pub const fn element(self) -> Option<Self> {
        match self {
            Self::BooleanSequence => Some(Self::Boolean),
            Self::NumberSequence => Some(Self::Number),
            Self::TextSequence => Some(Self::Text),
            _ => None,
        }
    }

    /// The type of a sequence of this type.
    #[must_use]
    pub const fn sequence(self) -> Self {
        match self {
            Self::Boolean => Self::BooleanSequence,
            Self::Number => Self::NumberSequence,
            Self::Text => Self::TextSequence,
            _ => Self::Other,
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::Text => "a string",
            Self::BooleanSequence => "a sequence of booleans",
            Self::NumberSequence => "a sequence of numbers",
            Self::TextSequence => "a sequence of strings",
            Self::Other => "a value of this type",
        })
    }
}

impl Value {
    /// The type of the value. Of a sequence without elements it is [`ValueType::Other`].
    pub fn value_type(&self) -> ValueType {
        match self {
            Self::Boolean(_) => ValueType::Boolean,
            Self::Integer(_) | Self::Float(_) => ValueType::Number,
            Self::Text(_) => ValueType::Text,
            Self::Sequence(elements) => {
                elements.first().map_or(ValueType::Other, |first| first.value_type().sequence())
            }
            Self::Other => ValueType::Other,
        }
    }

    /// How this value compares with another one. `None` if the types differ or a number is a NaN.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Boolean(a), Self::Boolean(b)) => Some(a.cmp(b)),
            (Self::Integer(a), Self::Integer(b)) => Some(a.cmp(b)),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(b),
            (Self::Integer(a), Self::Float(b)) => compare_mixed(*a, *b),
            (Self::Float(a), Self::Integer(b)) => compare_mixed(*b, *a).map(Ordering::reverse),
            (Self::Text(a), Self::Text(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }
}

/// Compares an integer with a floating-point number exactly, also where a conversion would round.
fn compare_mixed(integer: i128, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    // 2^127 is the least power of two above every i128.
    const LIMIT: f64 = (1_u128 << 127) as f64;
    if float >= LIMIT {
        return Some(Ordering::Less);
    }
    if float < -LIMIT {
        return Some(Ordering::Greater);
    }
    let whole = float.trunc();
    Some(
        integer
            .cmp(&(whole as i128))
            .then_with(|| 0.0_f64.partial_cmp(&(float - whole)).unwrap_or(Ordering::Equal)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_floating_point_numbers_compare_exactly() {
        let cases = [
            (9_007_199_254_740_993, 9_007_199_254_740_992.0, Ordering::Greater),
            (2, 2.5, Ordering::Less),
            (-2, -2.5, Ordering::Greater),
            (i128::MAX, f64::INFINITY, Ordering::Less),
            (i128::MIN, f64::NEG_INFINITY, Ordering::Greater),
            (3, 3.0, Ordering::Equal),
        ];
        for (integer, float, expected) in cases {
            let (integer, float) = (Value::Integer(integer), Value::Float(float));
            assert_eq!(integer.compare(&float), Some(expected), "{integer:?} {float:?}");
            assert_eq!(float.compare(&integer), Some(expected.reverse()));
        }
        assert_eq!(Value::Integer(0).compare(&Value::Float(f64::NAN)), None);
    }
}
