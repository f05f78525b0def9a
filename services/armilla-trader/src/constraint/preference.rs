//! Preferences: in which order a query returns the offers that match.

use super::check::{Schema, check};
use super::error::ConstraintError;
use super::parser::{self, Order};
use super::program::{Operand, Program, Properties, Undefined};
use super::value::{Value, ValueType};
use std::cmp::Ordering;
use std::hash::{BuildHasher, RandomState};

/// A preference that was checked against a service type (annex B.3).
///
/// ```
/// use armilla_trader::constraint::{Preference, Schema, Value, ValueType};
///
/// struct Printers;
/// impl Schema for Printers {
///     fn property_type(&self, name: &str) -> Option<ValueType> {
///         (name == "price").then_some(ValueType::Number)
///     }
///     fn property_names(&self) -> Vec<&str> {
///         vec!["price"]
///     }
/// }
///
/// let preference = Preference::compile("min price * 2", &Printers)?;
/// let price = |price| Some(Value::Integer(price));
/// let sorted = preference.sort(vec![(None, "free"), (price(9), "dear"), (price(3), "cheap")]);
/// assert_eq!(sorted, ["cheap", "dear", "free"]);
/// # Ok::<(), armilla_trader::constraint::ConstraintError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Preference {
    order: Order,
    program: Option<Program>,
    names: Vec<Box<str>>,
}

impl Preference {
    /// Compiles a preference; an empty one is `first`.
    ///
    /// # Errors
    /// The text breaks the grammar, or the service type lacks a property or has another type for
    /// it.
    pub fn compile(text: &str, schema: &(impl Schema + ?Sized)) -> Result<Self, ConstraintError> {
        let (order, expression) = parser::preference(text)?;
        let Some(expression) = expression else {
            return Ok(Self { order, program: None, names: Vec::new() });
        };
        let checked = check(text, &expression, schema)?;
        let wanted = if order == Order::With { ValueType::Boolean } else { ValueType::Number };
        if checked.result != wanted {
            let end = text.trim_end().len();
            let start = expression.steps.iter().map(|step| step.place.start).min().unwrap_or(0);
            let what = format!("this must be {wanted}, and is {}", checked.result);
            return Err(ConstraintError::new(text, start..end, what));
        }
        let program = Program::new(&expression, checked.depth);
        Ok(Self { order, program: Some(program), names: expression.names })
    }

    /// The names of the properties that the preference uses. [`Properties`] are indices of them.
    pub fn property_names(&self) -> &[Box<str>] {
        &self.names
    }

    /// What [`sort`](Self::sort) needs to know of an offer; `None` if the expression has no value
    /// for it.
    ///
    /// # Errors
    /// [`Undefined::Dynamic`]: the value of a property has to be asked for.
    pub fn rank(&self, properties: &impl Properties) -> Result<Option<Value>, Undefined> {
        let Some(program) = &self.program else { return Ok(None) };
        match program.evaluate(properties) {
            Ok(Operand::Boolean(boolean)) => Ok(Some(Value::Boolean(boolean))),
            Ok(Operand::Integer(integer)) => Ok(Some(Value::Integer(integer))),
            Ok(Operand::Float(float)) => Ok((!float.is_nan()).then_some(Value::Float(float))),
            Ok(Operand::Text(_)) => Ok(None),
            Err(dynamic @ Undefined::Dynamic(_)) => Err(dynamic),
            Err(_) => Ok(None),
        }
    }

    /// Sorts offers by their ranks. Those without a rank come last; else the order among equal
    /// ones stays.
    pub fn sort<T>(&self, mut offers: Vec<(Option<Value>, T)>) -> Vec<T> {
        match self.order {
            Order::First => {}
            Order::Random => shuffle(&mut offers),
            Order::Min => offers.sort_by(|(a, _), (b, _)| ascending(a.as_ref(), b.as_ref())),
            Order::Max | Order::With => {
                offers.sort_by(|(a, _), (b, _)| descending(a.as_ref(), b.as_ref()));
            }
        }
        offers.into_iter().map(|(_, offer)| offer).collect()
    }

    /// Whether the order depends on the offers, so that all of them must be known.
    pub fn orders(&self) -> bool {
        self.order != Order::First
    }
}

fn ascending(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.compare(b).unwrap_or(Ordering::Equal),
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
    }
}

fn descending(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    match (a, b) {
        (Some(_), Some(_)) => ascending(b, a),
        _ => ascending(a, b),
    }
}

/// Exchanges each element with a random one before it or itself (Fisher and Yates).
fn shuffle<T>(offers: &mut [T]) {
    let random = RandomState::new();
    for last in (1..offers.len()).rev() {
        let other = random.hash_one(last) % (last as u64 + 1);
        offers.swap(last, other as usize);
    }
}
