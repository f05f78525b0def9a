//! Checked expressions, compiled so that they can be evaluated for many offers quickly.

use super::syntax::{Arithmetic, Comparison, Expression, StepKind};
use super::value::Value;
use std::cmp::Ordering;

/// The properties of an offer. An index is one of the names of the constraint or preference.
pub trait Properties {
    /// The property with this index.
    fn property(&self, index: usize) -> Found<'_>;
}

/// What an offer has for a property.
#[derive(Debug, Clone, Copy)]
pub enum Found<'v> {
    /// A value.
    Value(&'v Value),
    /// Nothing.
    Absent,
    /// A value that has to be asked for first.
    Dynamic,
}

/// Why an expression has no value for an offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undefined {
    /// The offer does not have the property with this index.
    Absent(usize),
    /// The value of the property with this index has to be asked for.
    Dynamic(usize),
    /// A division by zero, or an integer beyond 128 bits.
    Arithmetic,
    /// A value is not of the type of its property, or is a NaN.
    Type,
}

/// A compiled expression.
#[derive(Debug, Clone)]
pub(super) struct Program {
    operations: Vec<Operation>,
    /// How many operands there are at most.
    depth: usize,
}

#[derive(Debug, Clone)]
enum Operation {
    Push(Value),
    Load(usize),
    Exist(usize),
    Not,
    Arithmetic(Arithmetic),
    Compare(Comparison),
    /// `Load`, `Push` and `Compare` in one, which is what most constraints consist of.
    CompareProperty(usize, Comparison, Value),
    In(usize),
    Substring,
    /// Jumps if the top is FALSE, else drops it.
    AndThen(usize),
    /// Jumps if the top is TRUE, else drops it.
    OrElse(usize),
}

/// A value on the stack.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operand<'v> {
    Boolean(bool),
    Integer(i128),
    Float(f64),
    Text(&'v str),
}

/// The depth up to which the stack needs no heap.
const SMALL: usize = 8;

impl Program {
    /// Compiles an expression that was checked.
    pub(super) fn new(expression: &Expression, depth: usize) -> Self {
        let steps = &expression.steps;
        let mut operations = Vec::with_capacity(steps.len());
        // The index of the operation at which each step begins, and that after the last one.
        let mut begins = Vec::with_capacity(steps.len() + 1);
        for (index, step) in steps.iter().enumerate() {
            begins.push(operations.len());
            let operation = match &step.kind {
                StepKind::Literal(value) => Operation::Push(value.clone()),
                StepKind::Property(property) => Operation::Load(*property),
                StepKind::Exist(property) => Operation::Exist(*property),
                StepKind::Not => Operation::Not,
                StepKind::Arithmetic(operator) => Operation::Arithmetic(*operator),
                StepKind::Compare(comparison) => {
                    let fused = fused(steps.get(index.saturating_sub(2)..index), *comparison);
                    match fused {
                        Some(fused) => {
                            // No jump leads between a property and a literal after it.
                            operations.truncate(operations.len() - 2);
                            fused
                        }
                        None => Operation::Compare(*comparison),
                    }
                }
                StepKind::In(property) => Operation::In(*property),
                StepKind::Substring => Operation::Substring,
                StepKind::AndThen(step) => Operation::AndThen(*step),
                StepKind::OrElse(step) => Operation::OrElse(*step),
                // The jump before the second operand has done it.
                StepKind::And | StepKind::Or => continue,
            };
            operations.push(operation);
        }
        begins.push(operations.len());
        for operation in &mut operations {
            if let Operation::AndThen(target) | Operation::OrElse(target) = operation {
                *target = begins.get(*target).copied().unwrap_or(usize::MAX);
            }
        }
        Self { operations, depth }
    }

    /// Evaluates the expression for one offer.
    pub(super) fn evaluate<'v>(
        &'v self,
        properties: &'v (impl Properties + ?Sized),
    ) -> Result<Operand<'v>, Undefined> {
        if self.depth <= SMALL {
            let mut stack = [Operand::Boolean(false); SMALL];
            self.run(properties, &mut stack)
        } else {
            self.run(properties, &mut vec![Operand::Boolean(false); self.depth])
        }
    }

    fn run<'v>(
        &'v self,
        properties: &'v (impl Properties + ?Sized),
        stack: &mut [Operand<'v>],
    ) -> Result<Operand<'v>, Undefined> {
        let (mut at, mut top) = (0, Stack { operands: stack, length: 0 });
        while let Some(operation) = self.operations.get(at) {
            at += 1;
            let value = match operation {
                Operation::CompareProperty(property, comparison, literal) => {
                    let value = load(properties, *property)?;
                    Operand::Boolean(compare(value, *comparison, operand(literal)?)?)
                }
                Operation::Push(value) => operand(value)?,
                Operation::Load(property) => load(properties, *property)?,
                Operation::Exist(property) => {
                    Operand::Boolean(!matches!(properties.property(*property), Found::Absent))
                }
                Operation::Not => Operand::Boolean(!top.boolean()?),
                Operation::Arithmetic(operator) => {
                    let (right, left) = (top.pop()?, top.pop()?);
                    calculate(left, *operator, right)?
                }
                Operation::Compare(comparison) => {
                    let (right, left) = (top.pop()?, top.pop()?);
                    Operand::Boolean(compare(left, *comparison, right)?)
                }
                Operation::In(property) => {
                    let element = top.pop()?;
                    Operand::Boolean(contains(properties, *property, element)?)
                }
                Operation::Substring => match (top.pop()?, top.pop()?) {
                    (Operand::Text(whole), Operand::Text(part)) => {
                        Operand::Boolean(whole.contains(part))
                    }
                    _ => return Err(Undefined::Type),
                },
                Operation::AndThen(target) | Operation::OrElse(target) => {
                    let boolean = top.boolean()?;
                    if boolean == matches!(operation, Operation::AndThen(_)) {
                        continue;
                    }
                    at = *target;
                    Operand::Boolean(boolean)
                }
            };
            top.push(value)?;
        }
        top.pop()
    }
}

/// The operation for a property, a literal and a comparison after each other.
fn fused(steps: Option<&[super::syntax::Step]>, comparison: Comparison) -> Option<Operation> {
    match steps? {
        [property, literal] => match (&property.kind, &literal.kind) {
            (StepKind::Property(property), StepKind::Literal(value)) => {
                Some(Operation::CompareProperty(*property, comparison, value.clone()))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The operands of a run. The checks cannot fail for an expression that was checked; they keep a
/// mistake from becoming a panic.
struct Stack<'s, 'v> {
    operands: &'s mut [Operand<'v>],
    length: usize,
}

impl<'v> Stack<'_, 'v> {
    fn push(&mut self, operand: Operand<'v>) -> Result<(), Undefined> {
        *self.operands.get_mut(self.length).ok_or(Undefined::Type)? = operand;
        self.length += 1;
        Ok(())
    }

    fn pop(&mut self) -> Result<Operand<'v>, Undefined> {
        self.length = self.length.checked_sub(1).ok_or(Undefined::Type)?;
        self.operands.get(self.length).copied().ok_or(Undefined::Type)
    }

    fn boolean(&mut self) -> Result<bool, Undefined> {
        match self.pop()? {
            Operand::Boolean(boolean) => Ok(boolean),
            _ => Err(Undefined::Type),
        }
    }
}

fn load<'v>(
    properties: &'v (impl Properties + ?Sized),
    property: usize,
) -> Result<Operand<'v>, Undefined> {
    match properties.property(property) {
        Found::Value(value) => operand(value),
        Found::Absent => Err(Undefined::Absent(property)),
        Found::Dynamic => Err(Undefined::Dynamic(property)),
    }
}

fn operand(value: &Value) -> Result<Operand<'_>, Undefined> {
    match value {
        Value::Boolean(boolean) => Ok(Operand::Boolean(*boolean)),
        Value::Integer(integer) => Ok(Operand::Integer(*integer)),
        Value::Float(float) => Ok(Operand::Float(*float)),
        Value::Text(text) => Ok(Operand::Text(text)),
        Value::Sequence(_) | Value::Other => Err(Undefined::Type),
    }
}

fn compare(
    left: Operand<'_>,
    comparison: Comparison,
    right: Operand<'_>,
) -> Result<bool, Undefined> {
    let ordering = order(left, right).ok_or(Undefined::Type)?;
    Ok(comparison.holds(ordering))
}

fn order(left: Operand<'_>, right: Operand<'_>) -> Option<Ordering> {
    match (left, right) {
        (Operand::Boolean(a), Operand::Boolean(b)) => Some(a.cmp(&b)),
        (Operand::Integer(a), Operand::Integer(b)) => Some(a.cmp(&b)),
        (Operand::Float(a), Operand::Float(b)) => a.partial_cmp(&b),
        (Operand::Text(a), Operand::Text(b)) => Some(a.cmp(b)),
        (Operand::Integer(a), Operand::Float(b)) => Value::Integer(a).compare(&Value::Float(b)),
        (Operand::Float(a), Operand::Integer(b)) => Value::Float(a).compare(&Value::Integer(b)),
        _ => None,
    }
}

fn contains(
    properties: &(impl Properties + ?Sized),
    property: usize,
    element: Operand<'_>,
) -> Result<bool, Undefined> {
    match properties.property(property) {
        Found::Value(Value::Sequence(elements)) => Ok(elements.iter().any(|value| {
            operand(value).is_ok_and(|value| order(value, element) == Some(Ordering::Equal))
        })),
        Found::Value(_) => Err(Undefined::Type),
        Found::Absent => Err(Undefined::Absent(property)),
        Found::Dynamic => Err(Undefined::Dynamic(property)),
    }
}

/// Integers stay integers, and a division of them drops the fraction; with a floating-point
/// number both operands are floating-point numbers, and a result beyond 128 bits is one.
fn calculate<'v>(
    left: Operand<'_>,
    operator: Arithmetic,
    right: Operand<'_>,
) -> Result<Operand<'v>, Undefined> {
    if let (Operand::Integer(a), Operand::Integer(b)) = (left, right) {
        let result = match operator {
            Arithmetic::Add => a.checked_add(b),
            Arithmetic::Subtract => a.checked_sub(b),
            Arithmetic::Multiply => a.checked_mul(b),
            Arithmetic::Divide => a.checked_div(b),
        };
        if let Some(result) = result {
            return Ok(Operand::Integer(result));
        }
    }
    let (a, b) = (float(left)?, float(right)?);
    let result = match operator {
        Arithmetic::Add => a + b,
        Arithmetic::Subtract => a - b,
        Arithmetic::Multiply => a * b,
        Arithmetic::Divide if b == 0.0 => return Err(Undefined::Arithmetic),
        Arithmetic::Divide => a / b,
    };
    Ok(Operand::Float(result))
}

fn float(operand: Operand<'_>) -> Result<f64, Undefined> {
    match operand {
        Operand::Integer(integer) => Ok(integer as f64),
        Operand::Float(float) => Ok(float),
        _ => Err(Undefined::Type),
    }
}
