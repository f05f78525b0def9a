//! Expressions against the types of the properties of a service type.
//!
//! The check runs the steps on a stack of types. On the way it collects what the expression
//! demands of single properties, by which an index finds candidates.

use super::error::ConstraintError;
use super::similar::most_similar;
use super::syntax::{Comparison, Expression, Step, StepKind};
use super::value::{Value, ValueType};
use std::ops::Range;

/// The properties that an expression may use.
pub trait Schema {
    /// The type of a property; `None` if there is no such property.
    fn property_type(&self, name: &str) -> Option<ValueType>;

    /// The names of all properties, for hints.
    fn property_names(&self) -> Vec<&str>;
}

/// A demand on one property without which a constraint is not fulfilled: what an index can look
/// up. The property is an index of the names of the constraint.
#[derive(Debug, Clone, PartialEq)]
pub struct Restriction {
    /// The property.
    pub property: usize,
    /// How its value must compare …
    pub comparison: Comparison,
    /// … with this one.
    pub value: Value,
}

/// What the check has found out.
pub(super) struct Checked {
    pub(super) result: ValueType,
    pub(super) restrictions: Vec<Restriction>,
    /// How many operands there are at most.
    pub(super) depth: usize,
}

/// Checks an expression.
pub(super) fn check(
    text: &str,
    expression: &Expression,
    schema: &(impl Schema + ?Sized),
) -> Result<Checked, ConstraintError> {
    let types = Types { text, expression, schema };
    let mut stack: Vec<Item> = Vec::new();
    let mut depth = 0;
    for step in &expression.steps {
        types.step(step, &mut stack)?;
        depth = depth.max(stack.len());
    }
    // The parser leaves exactly one operand.
    let top = stack.pop().unwrap_or_else(|| Item::new(ValueType::Other, 0..0));
    Ok(Checked { result: top.ty, restrictions: top.into_restrictions(), depth })
}

/// An operand on the stack.
struct Item {
    ty: ValueType,
    place: Range<usize>,
    /// Set if the operand is a property or a literal by itself.
    property: Option<usize>,
    literal: Option<Value>,
    restrictions: Vec<Restriction>,
}

impl Item {
    const fn new(ty: ValueType, place: Range<usize>) -> Self {
        Self { ty, place, property: None, literal: None, restrictions: Vec::new() }
    }

    /// What the operand demands if it must be TRUE.
    fn into_restrictions(self) -> Vec<Restriction> {
        match self.property {
            Some(property) if self.ty == ValueType::Boolean => vec![Restriction {
                property,
                comparison: Comparison::Equal,
                value: Value::Boolean(true),
            }],
            _ => self.restrictions,
        }
    }
}

struct Types<'c, S: ?Sized> {
    text: &'c str,
    expression: &'c Expression,
    schema: &'c S,
}

impl<S: Schema + ?Sized> Types<'_, S> {
    fn error(&self, place: &Range<usize>, what: impl Into<String>) -> ConstraintError {
        ConstraintError::new(self.text, place.clone(), what)
    }

    fn step(&self, step: &Step, stack: &mut Vec<Item>) -> Result<(), ConstraintError> {
        // The parser pushes the operands of each operator before it.
        let mut pop = || stack.pop().unwrap_or_else(|| Item::new(ValueType::Other, 0..0));
        let item = match &step.kind {
            StepKind::Literal(value) => {
                let item = Item::new(value.value_type(), step.place.clone());
                Item { literal: Some(value.clone()), ..item }
            }
            StepKind::Property(property) => {
                let ty = self.property(*property, &step.place)?;
                Item { property: Some(*property), ..Item::new(ty, step.place.clone()) }
            }
            // An offer may have properties that its type does not declare.
            StepKind::Exist(_) => Item::new(ValueType::Boolean, step.place.clone()),
            StepKind::Not => {
                let operand = pop();
                self.expect(&operand, ValueType::Boolean, "not")?;
                Item::new(ValueType::Boolean, step.place.start..operand.place.end)
            }
            StepKind::Arithmetic(_) => {
                let (right, left) = (pop(), pop());
                self.expect(&left, ValueType::Number, "arithmetic")?;
                self.expect(&right, ValueType::Number, "arithmetic")?;
                Item::new(ValueType::Number, left.place.start..right.place.end)
            }
            StepKind::Compare(comparison) => {
                let (right, left) = (pop(), pop());
                self.compare(*comparison, left, right, &step.place)?
            }
            StepKind::In(property) => {
                let element = pop();
                self.contained(*property, element, &step.place)?
            }
            StepKind::Substring => {
                let (right, left) = (pop(), pop());
                self.expect(&left, ValueType::Text, "~")?;
                self.expect(&right, ValueType::Text, "~")?;
                Item::new(ValueType::Boolean, left.place.start..right.place.end)
            }
            StepKind::AndThen(_) | StepKind::OrElse(_) => {
                let operand = pop();
                self.expect(&operand, ValueType::Boolean, &self.text[step.place.clone()])?;
                operand
            }
            StepKind::And => {
                let (right, left) = (pop(), pop());
                self.expect(&right, ValueType::Boolean, "and")?;
                let place = left.place.start..right.place.end;
                let mut restrictions = left.into_restrictions();
                restrictions.extend(right.into_restrictions());
                Item { restrictions, ..Item::new(ValueType::Boolean, place) }
            }
            StepKind::Or => {
                let (right, left) = (pop(), pop());
                self.expect(&right, ValueType::Boolean, "or")?;
                Item::new(ValueType::Boolean, left.place.start..right.place.end)
            }
        };
        stack.push(item);
        Ok(())
    }

    fn property(
        &self,
        property: usize,
        place: &Range<usize>,
    ) -> Result<ValueType, ConstraintError> {
        let name = self.expression.names.get(property).map_or("", |name| name);
        self.schema.property_type(name).ok_or_else(|| {
            let error = self.error(place, format!("the service type has no property {name:?}"));
            let names = self.schema.property_names();
            match most_similar(name, names.iter().copied()) {
                Some(similar) => error.with_hint(format!("it has {similar:?}")),
                None if names.is_empty() => error.with_hint("it has no properties at all"),
                None => error.with_hint(format!("it has {}", names.join(", "))),
            }
        })
    }

    fn expect(
        &self,
        item: &Item,
        wanted: ValueType,
        operator: &str,
    ) -> Result<(), ConstraintError> {
        if item.ty == wanted {
            return Ok(());
        }
        let what = format!("{operator} needs {wanted}, and this is {}", item.ty);
        Err(self.error(&item.place, what))
    }

    fn compare(
        &self,
        comparison: Comparison,
        left: Item,
        right: Item,
        operator: &Range<usize>,
    ) -> Result<Item, ConstraintError> {
        for item in [&left, &right] {
            if !matches!(item.ty, ValueType::Boolean | ValueType::Number | ValueType::Text) {
                let what = format!("{} cannot be compared", item.ty);
                let hint = match item.ty {
                    ValueType::Other => "only exist can ask for it",
                    _ => "in asks whether a sequence contains a value",
                };
                return Err(self.error(&item.place, what).with_hint(hint));
            }
        }
        if left.ty != right.ty {
            let what = format!("{} cannot be compared with {}", left.ty, right.ty);
            return Err(self.error(operator, what));
        }
        let place = left.place.start..right.place.end;
        let restriction = match (left.property, right.literal, left.literal, right.property) {
            (Some(property), Some(value), ..) => Some((property, comparison, value)),
            (_, _, Some(value), Some(property)) => Some((property, comparison.mirrored(), value)),
            _ => None,
        };
        let restrictions = restriction
            .filter(|(_, comparison, _)| *comparison != Comparison::NotEqual)
            .map(|(property, comparison, value)| Restriction { property, comparison, value });
        let restrictions = restrictions.into_iter().collect();
        Ok(Item { restrictions, ..Item::new(ValueType::Boolean, place) })
    }

    fn contained(
        &self,
        property: usize,
        element: Item,
        place: &Range<usize>,
    ) -> Result<Item, ConstraintError> {
        let ty = self.property(property, place)?;
        match ty.element() {
            Some(wanted) if wanted == element.ty => {
                Ok(Item::new(ValueType::Boolean, element.place.start..place.end))
            }
            Some(_) => {
                let what = format!("{} cannot be in {ty}", element.ty);
                Err(self.error(&element.place, what))
            }
            None => {
                let what = format!("in needs a sequence of simple values, and this is {ty}");
                Err(self.error(place, what))
            }
        }
    }
}
