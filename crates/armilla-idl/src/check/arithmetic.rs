//! The operators of constant expressions (IDL 4.2, 7.4.1.4.3).

use super::expected::{Expected, kind_of, range};
use crate::model::{ConstValue, Fixed, LongDouble};
use crate::parse::ast::{Binary, Unary};

pub(super) fn unary(
    operator: Unary,
    operand: &ConstValue,
    expected: &Expected,
) -> Result<ConstValue, String> {
    match (operator, operand) {
        (
            Unary::Plus,
            ConstValue::Integer(_)
            | ConstValue::Float(_)
            | ConstValue::LongDouble(_)
            | ConstValue::Fixed(_),
        ) => Ok(operand.clone()),
        (Unary::Minus, ConstValue::Integer(value)) => integer(value.checked_neg()),
        (Unary::Minus, ConstValue::Float(value)) => Ok(ConstValue::Float(-value)),
        (Unary::Minus, ConstValue::LongDouble(value)) => {
            Ok(ConstValue::LongDouble(value.negated()))
        }
        (Unary::Minus, ConstValue::Fixed(value)) => Ok(ConstValue::Fixed(value.negated())),
        (Unary::Not, ConstValue::Integer(value)) => match expected {
            // The complement within the bits of an unsigned type.
            Expected::Integer { bits, signed: false, .. } if *value >= 0 => {
                integer(range(*bits, false).1.checked_sub(*value))
            }
            _ => integer(Some(!value)),
        },
        _ => Err(format!("this operator cannot be used on {}", kind_of(operand))),
    }
}

pub(super) fn binary(
    operator: Binary,
    left: &ConstValue,
    right: &ConstValue,
) -> Result<ConstValue, String> {
    match (left, right) {
        (ConstValue::Integer(left), ConstValue::Integer(right)) => {
            integer_binary(operator, *left, *right)
        }
        (ConstValue::Float(left), ConstValue::Float(right)) => {
            float_binary(operator, *left, *right)
        }
        (ConstValue::Fixed(left), ConstValue::Fixed(right)) => {
            fixed_binary(operator, *left, *right)
        }
        (ConstValue::LongDouble(left), ConstValue::LongDouble(right)) => {
            long_double_binary(operator, *left, *right)
        }
        (ConstValue::Integer(_), ConstValue::Float(_) | ConstValue::LongDouble(_))
        | (ConstValue::Float(_) | ConstValue::LongDouble(_), ConstValue::Integer(_)) => {
            Err("integers and floating-point numbers cannot be mixed".to_owned())
        }
        _ => {
            let (left, right) = (kind_of(left), kind_of(right));
            Err(format!("this operator cannot be used on {left} and {right}"))
        }
    }
}

fn integer_binary(operator: Binary, left: i128, right: i128) -> Result<ConstValue, String> {
    let by = u32::try_from(right).ok().filter(|by| *by < 64);
    integer(match operator {
        Binary::Or => Some(left | right),
        Binary::Xor => Some(left ^ right),
        Binary::And => Some(left & right),
        Binary::Add => left.checked_add(right),
        Binary::Subtract => left.checked_sub(right),
        Binary::Multiply => left.checked_mul(right),
        Binary::Divide | Binary::Remainder if right == 0 => {
            return Err("this divides by zero".to_owned());
        }
        Binary::Divide => left.checked_div(right),
        Binary::Remainder => left.checked_rem(right),
        Binary::ShiftLeft | Binary::ShiftRight => match by {
            None => return Err(format!("a shift is by 0 to 63 bits, this is {right}")),
            Some(by) if operator == Binary::ShiftLeft => left.checked_shl(by),
            Some(by) => left.checked_shr(by),
        },
    })
}

fn float_binary(operator: Binary, left: f64, right: f64) -> Result<ConstValue, String> {
    let value = match operator {
        Binary::Add => left + right,
        Binary::Subtract => left - right,
        Binary::Multiply => left * right,
        Binary::Divide if right == 0.0 => return Err("this divides by zero".to_owned()),
        Binary::Divide => left / right,
        _ => return Err("this operator cannot be used on floating-point numbers".to_owned()),
    };
    if value.is_finite() {
        Ok(ConstValue::Float(value))
    } else {
        Err("the result does not fit into `double`".to_owned())
    }
}

fn long_double_binary(
    operator: Binary,
    left: LongDouble,
    right: LongDouble,
) -> Result<ConstValue, String> {
    let value = match operator {
        Binary::Add => left.plus(right),
        Binary::Subtract => left.plus(right.negated()),
        Binary::Multiply => left.times(right),
        Binary::Divide if right.is_zero() => return Err("this divides by zero".to_owned()),
        Binary::Divide => left.divided_by(right),
        _ => return Err("this operator cannot be used on floating-point numbers".to_owned()),
    };
    let value = value.ok_or("the result does not fit into `long double`")?;
    Ok(ConstValue::LongDouble(value))
}

fn fixed_binary(operator: Binary, left: Fixed, right: Fixed) -> Result<ConstValue, String> {
    let value = match operator {
        Binary::Add => left.plus(right),
        Binary::Subtract => left.plus(right.negated()),
        Binary::Multiply => left.times(right),
        Binary::Divide if right.unscaled() == 0 => return Err("this divides by zero".to_owned()),
        Binary::Divide => left.divided_by(right),
        _ => return Err("this operator cannot be used on fixed-point numbers".to_owned()),
    };
    value.map(ConstValue::Fixed).ok_or_else(|| "the result has more than 31 digits".to_owned())
}

/// Every intermediate result must fit into 64 bits, signed or unsigned.
fn integer(value: Option<i128>) -> Result<ConstValue, String> {
    let fits = |value: &i128| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(value);
    match value.filter(fits) {
        Some(value) => Ok(ConstValue::Integer(value)),
        None => Err("the result does not fit into 64 bits".to_owned()),
    }
}
