//! Floating-point numbers of constant expressions. The type of the constant is that of each step
//! (IDL 4.2, 7.4.1.4.3): a `long double` is evaluated with 128 bits, anything else with 64.

use super::expected::Expected;
use crate::model::{ConstValue, LongDouble};
use crate::parse::ast::{Expr, StepKind};

/// The value of the literal `text`. It is `alone` if no operator has another operand.
pub(super) fn literal(text: &str, expected: &Expected, alone: bool) -> Result<ConstValue, String> {
    if let Expected::LongDouble = expected {
        let value = LongDouble::parse(text).map(ConstValue::LongDouble);
        return value.ok_or_else(|| format!("`{text}` is too large for a `long double`"));
    }
    // A `float` is rounded once. What is too large for it is reported later.
    let single = text.parse().unwrap_or(f32::INFINITY);
    if matches!(expected, Expected::Float) && alone && single.is_finite() {
        return Ok(ConstValue::Float(f64::from(single)));
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(ConstValue::Float(value)),
        _ => Err(format!("`{text}` is too large for a `double`")),
    }
}

/// The value of another constant as an operand.
pub(super) fn operand(
    value: ConstValue,
    expected: &Expected,
    alone: bool,
) -> Result<ConstValue, String> {
    match (expected, value) {
        (Expected::LongDouble, ConstValue::Float(value)) => {
            Ok(LongDouble::from_f64(value).map_or(ConstValue::Float(value), ConstValue::LongDouble))
        }
        (Expected::LongDouble, value) => Ok(value),
        // It is rounded once, to the type of the constant.
        (_, ConstValue::LongDouble(value)) if !alone => double(value),
        (_, value) => Ok(value),
    }
}

/// A number of the type `long double` as a `double`.
pub(super) fn double(value: LongDouble) -> Result<ConstValue, String> {
    let double = value.to_f64();
    let fits = double.is_finite();
    fits.then_some(ConstValue::Float(double))
        .ok_or_else(|| format!("{value} does not fit into `double`"))
}

/// A number of the type `long double` as a `float`.
pub(super) fn single(value: LongDouble) -> Result<ConstValue, String> {
    let single = value.to_f32();
    let fits = single.is_finite();
    fits.then_some(ConstValue::Float(f64::from(single)))
        .ok_or_else(|| format!("{value} does not fit into `float`"))
}

/// Whether an expression has one operand.
pub(super) fn is_alone(expr: &Expr) -> bool {
    !expr.steps.iter().any(|step| matches!(step.kind, StepKind::Binary(_)))
}
