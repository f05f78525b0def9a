//! Fixed-point numbers of constants: exact decimal numbers of at most 31 digits.

use std::fmt;

/// The most digits of a fixed-point number (CORBA 3.4 Part 1, 7.11.3.4).
const MAX_DIGITS: u32 = 31;

/// A decimal number: `value` divided by ten to the power of `scale`. Trailing zeros of the fraction
/// are not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fixed {
    value: i128,
    scale: u16,
}

impl Fixed {
    /// The number without its point: -15 for `-1.50`, whose trailing zero is not kept.
    pub fn unscaled(&self) -> i128 {
        self.value
    }

    /// The number of digits after the point.
    pub fn scale(&self) -> u16 {
        self.scale
    }

    /// The number of all digits, at least 1.
    pub fn digits(&self) -> u16 {
        let digits = self.value.unsigned_abs().checked_ilog10().map_or(1, |log| log + 1);
        (digits as u16).max(self.scale)
    }

    /// Parses `digits`, which may contain a point; `None` if it has more than 31 digits.
    pub(crate) fn parse(digits: &str) -> Option<Fixed> {
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let fraction = fraction.trim_end_matches('0');
        let whole = whole.trim_start_matches('0');
        if whole.len() + fraction.len() > MAX_DIGITS as usize {
            return None;
        }
        let all = format!("0{whole}{fraction}");
        let value = all.parse().ok()?;
        Fixed::new(value, fraction.len() as u32)
    }

    /// The number, truncated to 31 digits; `None` if it is too large.
    fn new(mut value: i128, mut scale: u32) -> Option<Fixed> {
        let limit = 10_i128.pow(MAX_DIGITS);
        while scale > 0 && (value.abs() >= limit || scale > MAX_DIGITS || value % 10 == 0) {
            value /= 10;
            scale -= 1;
        }
        (value.abs() < limit).then_some(Fixed { value, scale: scale as u16 })
    }

    /// The number truncated to at most `scale` digits after the point.
    pub(crate) fn truncated(self, scale: u16) -> Fixed {
        let surplus = u32::from(self.scale.saturating_sub(scale));
        let cut = self.value / 10_i128.pow(surplus);
        Fixed::new(cut, u32::from(self.scale.min(scale))).unwrap_or(self)
    }

    pub(crate) fn negated(self) -> Fixed {
        Fixed { value: -self.value, ..self }
    }

    pub(crate) fn plus(self, other: Fixed) -> Option<Fixed> {
        let scale = self.scale.max(other.scale);
        let widen =
            |n: Fixed| n.value.checked_mul(10_i128.checked_pow(u32::from(scale - n.scale))?);
        Fixed::new(widen(self)?.checked_add(widen(other)?)?, u32::from(scale))
    }

    pub(crate) fn times(self, other: Fixed) -> Option<Fixed> {
        let scale = u32::from(self.scale) + u32::from(other.scale);
        if let Some(product) = self.value.checked_mul(other.value) {
            return Fixed::new(product, scale);
        }
        // Beyond 38 digits: the last digit of the longer factor does not affect the first 31
        // digits.
        let (long, short) =
            if self.value.abs() > other.value.abs() { (self, other) } else { (other, self) };
        let shorter = Fixed { value: long.value / 10, scale: long.scale.checked_sub(1)? };
        shorter.times(short)
    }

    /// The quotient, with as many digits as fit; `None` for a division by zero.
    pub(crate) fn divided_by(self, other: Fixed) -> Option<Fixed> {
        let limit = 10_u128.pow(MAX_DIGITS);
        let divisor = other.value.unsigned_abs();
        let dividend = self.value.unsigned_abs();
        let mut quotient = dividend.checked_div(divisor)?;
        let mut rest = dividend % divisor;
        let mut scale = i32::from(self.scale) - i32::from(other.scale);
        // Long division, a digit at a time.
        while quotient < limit / 10 && scale < MAX_DIGITS as i32 && (rest != 0 || scale < 0) {
            rest *= 10;
            quotient = quotient * 10 + rest / divisor;
            rest %= divisor;
            scale += 1;
        }
        let negative = (self.value < 0) != (other.value < 0);
        let value = i128::try_from(quotient).ok()?;
        Fixed::new(if negative { -value } else { value }, u32::try_from(scale).ok()?)
    }
}

impl fmt::Display for Fixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.value < 0 { "-" } else { "" };
        let digits = self.value.unsigned_abs().to_string();
        let scale = usize::from(self.scale);
        if scale == 0 {
            return write!(f, "{sign}{digits}");
        }
        let padded = format!("{digits:0>width$}", width = scale + 1);
        let (whole, fraction) = padded.split_at(padded.len() - scale);
        write!(f, "{sign}{whole}.{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::Fixed;

    fn fixed(text: &str) -> Fixed {
        Fixed::parse(text).unwrap()
    }

    #[test]
    fn zeros_that_say_nothing_are_dropped() {
        assert_eq!(fixed("001.500").to_string(), "1.5");
        assert_eq!((fixed("1.50").digits(), fixed("1.50").scale()), (2, 1));
        assert_eq!((fixed("0.01").digits(), fixed("0.01").scale()), (2, 2));
        assert_eq!(fixed("0").digits(), 1);
        assert!(Fixed::parse(&"9".repeat(32)).is_none());
    }

    #[test]
    fn arithmetic_is_exact_up_to_31_digits() {
        let show = |n: Option<Fixed>| n.map(|n| n.to_string());
        assert_eq!(show(fixed("1.5").times(fixed("2.25"))).unwrap(), "3.375");
        assert_eq!(show(fixed("10").plus(fixed("0.5").negated())).unwrap(), "9.5");
        let third = show(fixed("1").divided_by(fixed("3"))).unwrap();
        assert_eq!(third, format!("0.{}", "3".repeat(31)));
        assert_eq!(show(fixed("6").divided_by(fixed("0.5"))).unwrap(), "12");
        assert!(fixed("1").divided_by(fixed("0")).is_none());
        let large = fixed(&"9".repeat(31));
        assert!(large.times(large).is_none() && large.plus(large).is_none());
        assert_eq!(fixed("1.999").truncated(2).to_string(), "1.99");
    }
}
