//! Constraints and preferences, as a client of the trading service writes them.

use armilla_trader::constraint::{
    Comparison, Constraint, ConstraintError, Found, Preference, Properties, Schema, Undefined,
    Value, ValueType,
};
use std::cmp::Ordering;

/// A service type in which the first letter of a property says its type.
struct ByLetter;

impl Schema for ByLetter {
    fn property_type(&self, name: &str) -> Option<ValueType> {
        Some(match name.as_bytes().first()? {
            b'b' => ValueType::Boolean,
            b'i' | b'f' => ValueType::Number,
            b't' => ValueType::Text,
            b's' => ValueType::NumberSequence,
            b'u' => ValueType::TextSequence,
            b'o' => ValueType::Other,
            b'd' | b'a' => ValueType::Number,
            _ => return None,
        })
    }

    fn property_names(&self) -> Vec<&str> {
        vec!["boolean", "integer", "float", "text"]
    }
}

/// An offer whose values follow from the names.
struct Offer(Vec<Option<Value>>);

impl Offer {
    fn new(names: &[Box<str>]) -> Self {
        Self(names.iter().map(|name| value(name)).collect())
    }
}

/// None stands for a dynamic property.
fn value(name: &str) -> Option<Value> {
    let length = name.len();
    Some(match name.as_bytes().first()? {
        b'b' => Value::Boolean(length.is_multiple_of(2)),
        b'i' => Value::Integer(length as i128 - 5),
        b'f' => Value::Float(length as f64 / 2.0),
        b't' => Value::Text(name.into()),
        b's' => Value::Sequence((0..length).map(|number| Value::Integer(number as i128)).collect()),
        b'u' => Value::Sequence([Value::Text(name.into())].into()),
        b'd' => return None,
        _ => Value::Other,
    })
}

impl Properties for Offer {
    fn property(&self, index: usize) -> Found<'_> {
        match &self.0[index] {
            Some(Value::Other) => Found::Absent,
            Some(value) => Found::Value(value),
            None => Found::Dynamic,
        }
    }
}

pub(crate) fn check(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else { return };
    match Constraint::compile(text, &ByLetter) {
        Ok(constraint) => evaluate(&constraint),
        Err(error) => check_error(text, &error),
    }
    match Preference::compile(text, &ByLetter) {
        Ok(preference) => {
            let offer = Offer::new(preference.property_names());
            let rank = preference.rank(&offer).ok().flatten();
            assert_eq!(preference.sort(vec![(rank, 1), (None, 2)]).len(), 2);
        }
        Err(error) => check_error(text, &error),
    }
}

fn evaluate(constraint: &Constraint) {
    let offer = Offer::new(constraint.property_names());
    match constraint.matches(&offer) {
        Ok(true) => constraint.restrictions().iter().for_each(|restriction| {
            let Found::Value(value) = offer.property(restriction.property) else {
                panic!("a match without {restriction:?}")
            };
            let ordering = value.compare(&restriction.value).unwrap();
            let holds = match restriction.comparison {
                Comparison::Equal => ordering == Ordering::Equal,
                Comparison::NotEqual => ordering != Ordering::Equal,
                Comparison::Less => ordering == Ordering::Less,
                Comparison::LessOrEqual => ordering != Ordering::Greater,
                Comparison::Greater => ordering == Ordering::Greater,
                Comparison::GreaterOrEqual => ordering != Ordering::Less,
            };
            assert!(holds, "a match without {restriction:?}");
        }),
        Ok(false) => {}
        Err(undefined) => assert!(matches!(undefined, Undefined::Dynamic(_))),
    }
}

fn check_error(text: &str, error: &ConstraintError) {
    assert!(error.column() <= text.chars().count() + 1, "{error}");
    assert!(error.to_string().len() < 3 * text.len() + 500, "{error}");
}
