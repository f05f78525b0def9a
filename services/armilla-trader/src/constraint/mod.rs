//! The constraint language and the preference language of the trading service (Trading Object
//! Service 1.0, annex B).
//!
//! A text goes through `lexer`, `parser` and `check` to a `program`, which is evaluated for every
//! offer. Errors point into the text. No text makes any of them panic, recurse deeply or run for
//! more than a time linear in its length; [`MAX_TEXT`] and [`MAX_NESTING`] limit texts.
//!
//! Where the specification leaves a choice, this is what holds:
//!
//! - An operand that an offer lacks makes the whole constraint FALSE for it, unless `and` or `or`
//!   has been decided before: `exist price and price < 10` is safe.
//! - `exist` may ask for a property that the service type does not declare: an offer can have it.
//!   Any other use of such a property is illegal.
//! - A division by zero, and an integer beyond 128 bits, do the same.
//! - A division of integers drops the fraction.
//! - A character is a string of length one.

mod check;
mod error;
mod lexer;
mod parser;
mod preference;
mod program;
mod similar;
mod syntax;
mod value;

pub use check::{Restriction, Schema};
pub use error::ConstraintError;
pub use parser::{MAX_NESTING, MAX_TEXT};
pub use preference::Preference;
pub use program::{Found, Properties, Undefined};
pub use similar::most_similar;
pub use syntax::Comparison;
pub use value::{Value, ValueType};

use program::{Operand, Program};

/// A constraint that was checked against a service type.
///
/// ```
/// use armilla_trader::constraint::{Constraint, Found, Properties, Schema, Value, ValueType};
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
/// struct Offer(Value);
/// impl Properties for Offer {
///     fn property(&self, _index: usize) -> Found<'_> {
///         Found::Value(&self.0)
///     }
/// }
///
/// let constraint = Constraint::compile("exist price and price * 2 < 10", &Printers)?;
/// assert_eq!(constraint.matches(&Offer(Value::Float(4.5))), Ok(true));
///
/// let error = Constraint::compile("pirce < 10", &Printers).unwrap_err();
/// assert_eq!((error.column(), error.hint()), (1, Some("it has \"price\"")));
/// # Ok::<(), armilla_trader::constraint::ConstraintError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Constraint {
    /// None if every offer matches.
    program: Option<Program>,
    names: Vec<Box<str>>,
    restrictions: Vec<Restriction>,
}

impl Constraint {
    /// Compiles a constraint. Every offer matches an empty one.
    ///
    /// # Errors
    /// The text breaks the grammar, or the service type lacks a property or has another type for
    /// it.
    pub fn compile(text: &str, schema: &(impl Schema + ?Sized)) -> Result<Self, ConstraintError> {
        let Some(expression) = parser::constraint(text)? else {
            return Ok(Self { program: None, names: Vec::new(), restrictions: Vec::new() });
        };
        let checked = check::check(text, &expression, schema)?;
        if checked.result != ValueType::Boolean {
            let start = text.len() - text.trim_start().len();
            let what = format!("a constraint must be a boolean, and this is {}", checked.result);
            return Err(ConstraintError::new(text, start..text.trim_end().len(), what)
                .with_hint("a comparison such as … == … makes one"));
        }
        Ok(Self {
            program: Some(Program::new(&expression, checked.depth)),
            names: expression.names,
            restrictions: checked.restrictions,
        })
    }

    /// The names of the properties that the constraint uses. [`Properties`] are indices of them.
    pub fn property_names(&self) -> &[Box<str>] {
        &self.names
    }

    /// Demands on single properties, all of which every offer that matches fulfils.
    pub fn restrictions(&self) -> &[Restriction] {
        &self.restrictions
    }

    /// Whether an offer matches.
    ///
    /// # Errors
    /// [`Undefined::Dynamic`]: the value of a property has to be asked for.
    pub fn matches(&self, properties: &impl Properties) -> Result<bool, Undefined> {
        let Some(program) = &self.program else { return Ok(true) };
        match program.evaluate(properties) {
            Ok(Operand::Boolean(boolean)) => Ok(boolean),
            Err(dynamic @ Undefined::Dynamic(_)) => Err(dynamic),
            _ => Ok(false),
        }
    }
}
