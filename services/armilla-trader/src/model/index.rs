//! Which rows of a table have which values of a property.

use crate::constraint::{Comparison, Value};
use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::Arc;

/// The rows by their values, sorted. Only numbers and texts are in it: no other values tell many
/// rows apart.
#[derive(Debug, Default)]
pub(super) struct Index {
    entries: BTreeSet<(Key, u32)>,
}

/// A value as it is sorted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// A number as `f64`, mapped so that unsigned integers sort as it does. Integers that `f64`
    /// rounds keep their order but for ties, so a search must include its bounds.
    Number(u64),
    Text(Arc<str>),
}

impl Key {
    fn new(value: &Value) -> Option<Self> {
        match value {
            Value::Integer(integer) => Some(Self::number(*integer as f64)),
            Value::Float(float) if !float.is_nan() => Some(Self::number(*float)),
            Value::Text(text) => Some(Self::Text(text.clone())),
            _ => None,
        }
    }

    fn number(float: f64) -> Self {
        // The sum makes -0.0 equal to 0.0.
        let bits = (float + 0.0).to_bits();
        let is_negative = bits >> 63 == 1;
        Self::Number(if is_negative { !bits } else { bits | 1 << 63 })
    }
}

impl Index {
    pub(super) fn insert(&mut self, value: &Value, row: u32) {
        if let Some(key) = Key::new(value) {
            self.entries.insert((key, row));
        }
    }

    pub(super) fn remove(&mut self, value: &Value, row: u32) {
        if let Some(key) = Key::new(value) {
            self.entries.remove(&(key, row));
        }
    }

    /// The rows whose values may compare so with `value`, if the index can tell and they are
    /// not more than `limit`. Others certainly do not.
    pub(super) fn find(
        &self,
        comparison: Comparison,
        value: &Value,
        limit: usize,
    ) -> Option<Vec<u32>> {
        let key = Key::new(value)?;
        let lowest = Bound::Included((key.clone(), 0));
        let highest = Bound::Included((key, u32::MAX));
        let range = match comparison {
            Comparison::Equal => (lowest, highest),
            Comparison::Less | Comparison::LessOrEqual => (Bound::Unbounded, highest),
            Comparison::Greater | Comparison::GreaterOrEqual => (lowest, Bound::Unbounded),
            Comparison::NotEqual => return None,
        };
        let mut rows = Vec::new();
        for (_, row) in self.entries.range(range) {
            if rows.len() == limit {
                return None;
            }
            rows.push(*row);
        }
        Some(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_order() {
        let numbers = [f64::NEG_INFINITY, -2.5, -0.0, 0.0, 1.0, 2.5, f64::INFINITY];
        let mut index = Index::default();
        for (row, number) in (0..).zip(numbers) {
            index.insert(&Value::Float(number), row);
        }
        let find = |comparison, number| {
            let mut rows = index.find(comparison, &Value::Integer(number), 10).unwrap();
            rows.sort_unstable();
            rows
        };
        assert_eq!(find(Comparison::Less, 0), [0, 1, 2, 3]);
        assert_eq!(find(Comparison::Equal, 0), [2, 3]);
        assert_eq!(find(Comparison::GreaterOrEqual, 1), [4, 5, 6]);
        assert_eq!(index.find(Comparison::Less, &Value::Integer(9), 3), None);
        assert_eq!(index.find(Comparison::NotEqual, &Value::Integer(9), 9), None);
    }
}
