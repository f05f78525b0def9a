//! Floating-point numbers of 128 bits: IDL `long double`.

use crate::{ByteOrder, CdrResult, Decode, Decoder, Encode, Encoder};
use core::fmt;

/// An IEEE 754 binary128 number, for which Rust has no type: its bits, and conversions from and to
/// `f64`. There is no arithmetic.
///
/// ```
/// use armilla_cdr::LongDouble;
///
/// let third = LongDouble::from_f64(1.0 / 3.0);
/// assert_eq!(third.to_f64(), 1.0 / 3.0);
/// assert_eq!(LongDouble::from_f64(1.0).to_bits(), 0x3fff << 112);
/// ```
#[derive(Clone, Copy, Default)]
pub struct LongDouble(u128);

/// The number of fraction bits that an `f64` lacks.
const EXTRA: u32 = 112 - 52;

/// The biases of the exponents of both formats.
const BIAS: i32 = 16383;
const BIAS_F64: i32 = 1023;

/// The mask of the fraction.
const FRACTION: u128 = (1 << 112) - 1;

/// The exponent of infinities and NaNs.
const SPECIAL: u32 = 0x7fff;

impl LongDouble {
    /// The number with these bits: 1 of the sign, 15 of the exponent, 112 of the fraction.
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// The bits of the number.
    pub const fn to_bits(self) -> u128 {
        self.0
    }

    /// The same number as `value`.
    pub const fn from_f64(value: f64) -> Self {
        let bits = value.to_bits();
        let sign = (bits >> 63) as u128;
        let fraction = bits & ((1 << 52) - 1);
        let (exponent, fraction) = match (bits >> 52) & 0x7ff {
            0x7ff => (SPECIAL as i32, fraction),
            0 if fraction == 0 => (0, 0),
            0 => {
                // A subnormal `f64` is a normal number here.
                let shift = fraction.leading_zeros() as i32 - 11;
                (1 - shift - BIAS_F64 + BIAS, (fraction << shift) & ((1 << 52) - 1))
            }
            exponent => (exponent as i32 - BIAS_F64 + BIAS, fraction),
        };
        Self(sign << 127 | (exponent as u128) << 112 | (fraction as u128) << EXTRA)
    }

    /// The nearest `f64`; of two that are equally near, the even one.
    pub const fn to_f64(self) -> f64 {
        let sign = ((self.0 >> 127) as u64) << 63;
        let fraction = self.0 & FRACTION;
        let exponent = ((self.0 >> 112) as u32) & SPECIAL;
        let magnitude = match exponent {
            SPECIAL if fraction == 0 => f64::INFINITY.to_bits(),
            SPECIAL => f64::NAN.to_bits() | (fraction >> EXTRA) as u64,
            exponent => rounded(exponent as i32 - BIAS, fraction),
        };
        f64::from_bits(sign | magnitude)
    }

    const fn is_nan(self) -> bool {
        self.0 << 1 > (SPECIAL as u128) << 113
    }
}

/// The bits of the `f64` nearest to 1.`fraction` · 2^`exponent`.
const fn rounded(exponent: i32, fraction: u128) -> u64 {
    if exponent > BIAS_F64 {
        return f64::INFINITY.to_bits();
    }
    let smallest = 1 - BIAS_F64;
    let missing = if exponent < smallest { (smallest - exponent) as u32 } else { 0 };
    if missing > 53 {
        return 0;
    }
    let significand = 1 << 112 | fraction;
    let shift = EXTRA + missing;
    let kept = (significand >> shift) as u64;
    let rest = significand & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    let up = rest > half || (rest == half && kept & 1 == 1);
    // A carry out of the fraction increments the exponent correctly, also to infinity.
    let steps = if missing > 0 { 0 } else { (exponent - smallest) as u64 };
    (steps << 52) + kept + up as u64
}

impl From<f64> for LongDouble {
    fn from(value: f64) -> Self {
        Self::from_f64(value)
    }
}

impl PartialEq for LongDouble {
    /// Compares as floating-point numbers do: both zeros are equal, and NaN equals nothing.
    fn eq(&self, other: &Self) -> bool {
        let both_zero = (self.0 | other.0) << 1 == 0;
        both_zero || (self.0 == other.0 && !self.is_nan())
    }
}

impl fmt::Debug for LongDouble {
    /// Formats the nearest `f64`, which may have fewer digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_f64(), f)
    }
}

impl fmt::Display for LongDouble {
    /// Formats the nearest `f64`, which may have fewer digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_f64(), f)
    }
}

impl Encoder<'_> {
    /// Appends a `long double`, with an alignment of 8.
    pub fn put_long_double(&mut self, value: LongDouble) {
        self.align(8);
        self.copy_raw(&match self.order() {
            ByteOrder::Little => value.0.to_le_bytes(),
            ByteOrder::Big => value.0.to_be_bytes(),
        });
    }
}

impl Decoder<'_> {
    /// Reads a `long double`, with an alignment of 8.
    ///
    /// # Errors
    /// When the input ends too early.
    pub fn long_double(&mut self) -> CdrResult<LongDouble> {
        // Two reads of eight octets, because a fragment may end between them.
        let (first, second) = (u128::from(self.u64()?), u128::from(self.u64()?));
        Ok(LongDouble(match self.order() {
            ByteOrder::Little => second << 64 | first,
            ByteOrder::Big => first << 64 | second,
        }))
    }
}

impl Encode for LongDouble {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_long_double(*self);
        Ok(())
    }
}

impl<'a> Decode<'a> for LongDouble {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.long_double()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_f64_comes_back_as_it_was() {
        let tiny = f64::from_bits(1);
        for value in [0.0, -0.0, 1.0, -1.5, 0.1, f64::MAX, f64::MIN_POSITIVE, tiny, -tiny * 12345.0]
        {
            assert_eq!(LongDouble::from(value).to_f64().to_bits(), value.to_bits(), "{value}");
        }
        for value in [f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(LongDouble::from(value).to_f64(), value);
        }
        assert!(LongDouble::from(f64::NAN).to_f64().is_nan());
    }

    #[test]
    fn the_bits_are_those_of_the_standard() {
        assert_eq!(LongDouble::from(1.0).to_bits(), 0x3fff << 112);
        assert_eq!(LongDouble::from(-2.0).to_bits(), 0xc000 << 112);
        assert_eq!(LongDouble::from(f64::INFINITY).to_bits(), 0x7fff << 112);
        assert_eq!(LongDouble::from(f64::from_bits(1)).to_bits(), (16383 - 1074) << 112);
    }

    #[test]
    fn numbers_beyond_f64_become_the_nearest_f64() {
        let near_one = |below: u128| LongDouble((0x3fff << 112) + below).to_f64();
        let half = 1 << (EXTRA - 1);
        assert_eq!(near_one(half), 1.0, "the even one of two");
        assert_eq!(near_one(half + 1), 1.0 + f64::EPSILON);
        assert_eq!(near_one(3 * half), 1.0 + 2.0 * f64::EPSILON);
        assert_eq!(LongDouble((0x7ffe << 112) | FRACTION).to_f64(), f64::INFINITY);
        assert_eq!(LongDouble(1).to_f64(), 0.0);
        let largest = LongDouble::from(f64::MAX).to_bits();
        assert_eq!(LongDouble(largest + half).to_f64(), f64::INFINITY);
    }

    #[test]
    fn numbers_compare_as_numbers() {
        assert_eq!(LongDouble::from(0.0), LongDouble::from(-0.0));
        assert_ne!(LongDouble::from(f64::NAN), LongDouble::from(f64::NAN));
        assert_ne!(LongDouble::from(1.0), LongDouble::from(-1.0));
    }
}
