//! Expressions as steps in the order of their evaluation: operands first, then the operator.
//!
//! Steps need no recursion to be checked, evaluated or dropped, so a long chain of operators
//! costs no stack.

use super::value::Value;
use std::cmp::Ordering;
use std::ops::Range;

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expression {
    pub(super) steps: Vec<Step>,
    /// The names of the properties that the steps use, each once.
    pub(super) names: Vec<Box<str>>,
}

/// A step, and the place of its operator or operand in the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    pub(super) kind: StepKind,
    pub(super) place: Range<usize>,
}

/// What a step does with the stack of operands. Properties are indices of
/// [`Expression::names`].
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StepKind {
    /// Pushes a value.
    Literal(Value),
    /// Pushes the value of a property.
    Property(usize),
    /// Pushes whether an offer has a property.
    Exist(usize),
    /// Replaces a boolean.
    Not,
    /// Replaces two numbers by one.
    Arithmetic(Arithmetic),
    /// Replaces two values by a boolean.
    Compare(Comparison),
    /// Replaces a value by whether a sequence property contains it.
    In(usize),
    /// Replaces two strings by whether the second contains the first.
    Substring,
    /// Between the operands of `and`: a FALSE stays, and evaluation goes on at the step.
    AndThen(usize),
    /// After the second operand of `and`.
    And,
    /// Between the operands of `or`: a TRUE stays, and evaluation goes on at the step.
    OrElse(usize),
    /// After the second operand of `or`.
    Or,
}

/// An arithmetic operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// An operator that compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// Whether operands that compare as `ordering` fulfil the operator.
    pub(super) const fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::NotEqual => ordering.is_ne(),
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
        }
    }

    /// The operator for exchanged operands.
    pub(super) const fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            same => same,
        }
    }
}
