//! Arithmetic on decimal numbers. Results are exact, or truncated behind the last digit.

use super::Decimal;
use core::ops::Neg;

impl<const DIGITS: u16, const SCALE: u16> Decimal<DIGITS, SCALE> {
    /// The sum; `None` if it has too many digits.
    ///
    /// ```
    /// use armilla_cdr::Decimal;
    ///
    /// let balance: Decimal<9, 2> = "99.95".parse()?;
    /// let interest: Decimal<9, 4> = balance.rounded::<9, 4>().unwrap()
    ///     .checked_mul("0.0175".parse::<Decimal<5, 4>>()?).unwrap();
    /// assert_eq!(interest.to_string(), "1.7491");
    /// let balance = balance.checked_add(interest.rounded().unwrap()).unwrap();
    /// assert_eq!(balance.to_string(), "101.70");
    /// # Ok::<(), armilla_cdr::DecimalError>(())
    /// ```
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        // Neither has more than 31 digits.
        Self::from_unscaled(self.0 + other.0)
    }

    /// The difference; `None` if it has too many digits.
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        Self::from_unscaled(self.0 - other.0)
    }

    /// The product, truncated behind its last digit; `None` if it has too many digits before the
    /// point.
    pub const fn checked_mul<const D: u16, const S: u16>(
        self,
        factor: Decimal<D, S>,
    ) -> Option<Self> {
        let product = mul_div(self.0.unsigned_abs(), factor.0.unsigned_abs(), power(S));
        Self::of(product, (self.0 < 0) != (factor.0 < 0))
    }

    /// The quotient, truncated behind its last digit; `None` if it has too many digits before the
    /// point, or `divisor` is 0.
    pub const fn checked_div<const D: u16, const S: u16>(
        self,
        divisor: Decimal<D, S>,
    ) -> Option<Self> {
        let quotient = mul_div(self.0.unsigned_abs(), power(S), divisor.0.unsigned_abs());
        Self::of(quotient, (self.0 < 0) != (divisor.0 < 0))
    }

    /// Converts to another number of digits, and truncates behind the last digit; `None` if there
    /// are too many digits before the point.
    pub const fn truncated<const D: u16, const S: u16>(self) -> Option<Decimal<D, S>> {
        self.as_scaled(0)
    }

    /// Converts to another number of digits, and rounds half away from zero; `None` if there are
    /// too many digits before the point.
    pub const fn rounded<const D: u16, const S: u16>(self) -> Option<Decimal<D, S>> {
        match SCALE > S {
            true => self.as_scaled(power(SCALE - S) / 2),
            false => self.as_scaled(0),
        }
    }

    /// Converts to another number of digits, after adding `more` to the digits.
    const fn as_scaled<const D: u16, const S: u16>(self, more: u128) -> Option<Decimal<D, S>> {
        let digits = self.0.unsigned_abs() + more;
        Decimal::of(mul_div(digits, power(S), power(SCALE)), self.0 < 0)
    }

    const fn of(magnitude: Option<u128>, is_negative: bool) -> Option<Self> {
        match magnitude {
            Some(magnitude) if magnitude < Self::LIMIT && is_negative => {
                Self::from_unscaled(-magnitude.cast_signed())
            }
            Some(magnitude) if magnitude < Self::LIMIT => {
                Self::from_unscaled(magnitude.cast_signed())
            }
            _ => None,
        }
    }
}

impl<const DIGITS: u16, const SCALE: u16> Neg for Decimal<DIGITS, SCALE> {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

const fn power(exponent: u16) -> u128 {
    10_u128.pow(exponent as u32)
}

/// `a` · `b` / `divisor`, truncated; `None` on overflow, or if the divisor is 0. None of them has
/// more than 127 bits.
const fn mul_div(a: u128, b: u128, divisor: u128) -> Option<u128> {
    let (high, low) = product(a, b);
    if high >= divisor {
        return None;
    }
    let (mut rest, mut quotient, mut bit) = (high, 0, 128);
    while bit > 0 {
        bit -= 1;
        rest = rest << 1 | low >> bit & 1;
        quotient <<= 1;
        if rest >= divisor {
            rest -= divisor;
            quotient |= 1;
        }
    }
    Some(quotient)
}

/// The upper and the lower half of `a` · `b`.
const fn product(a: u128, b: u128) -> (u128, u128) {
    const HALF: u128 = u64::MAX as u128;
    let (a_high, a_low, b_high, b_low) = (a >> 64, a & HALF, b >> 64, b & HALF);
    let low = a_low * b_low;
    let middle = a_high * b_low + (low >> 64);
    let other_middle = a_low * b_high + (middle & HALF);
    let high = a_high * b_high + (middle >> 64) + (other_middle >> 64);
    (high, other_middle << 64 | low & HALF)
}
