//! Decimal numbers of fixed size: IDL `fixed`.

mod arithmetic;

use crate::{CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder};
use core::fmt;
use core::str::FromStr;

/// A number of `DIGITS` decimal digits, `SCALE` of them behind the point: IDL
/// `fixed<DIGITS, SCALE>`.
///
/// Arithmetic is by methods that report overflow. For other calculations,
/// [`unscaled`](Self::unscaled) returns the number as an integer.
///
/// ```
/// use armilla_cdr::Decimal;
///
/// let price: Decimal<5, 2> = "19.90".parse()?;
/// assert_eq!(price.unscaled(), 1990);
/// assert_eq!(Decimal::from_unscaled(1990), Some(price));
/// assert_eq!(price.to_string(), "19.90");
/// assert!("1000.00".parse::<Decimal<5, 2>>().is_err());
/// # Ok::<(), armilla_cdr::DecimalError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Decimal<const DIGITS: u16, const SCALE: u16>(i128);

/// The error for a text that is not a decimal number, or has too many digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecimalError;

/// The sign of zero and positive numbers, in the half octet behind the digits (CORBA 3.4 Part 2,
/// 9.3.2.8).
const POSITIVE: u8 = 0xc;

/// The sign of negative numbers.
const NEGATIVE: u8 = 0xd;

impl<const DIGITS: u16, const SCALE: u16> Decimal<DIGITS, SCALE> {
    /// All numbers are smaller than this when their point is omitted.
    const LIMIT: u128 = {
        assert!(DIGITS <= 31 && SCALE <= DIGITS, "a fixed type has at most 31 digits");
        10_u128.pow(DIGITS as u32)
    };

    /// The number `unscaled` / 10^`SCALE`; `None` if it has too many digits.
    pub const fn from_unscaled(unscaled: i128) -> Option<Self> {
        if unscaled.unsigned_abs() < Self::LIMIT { Some(Self(unscaled)) } else { None }
    }

    /// Does what [`from_unscaled`](Self::from_unscaled) does, for constants.
    ///
    /// # Panics
    /// When the number has too many digits.
    pub const fn constant(unscaled: i128) -> Self {
        assert!(unscaled.unsigned_abs() < Self::LIMIT, "the constant has too many digits");
        Self(unscaled)
    }

    /// The number · 10^`SCALE`: all digits without the point.
    pub const fn unscaled(self) -> i128 {
        self.0
    }
}

impl<const DIGITS: u16, const SCALE: u16> fmt::Display for Decimal<DIGITS, SCALE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = 10_u128.pow(SCALE.into());
        let magnitude = self.0.unsigned_abs();
        if self.0 < 0 {
            f.write_str("-")?;
        }
        write!(f, "{}", magnitude / unit)?;
        match SCALE {
            0 => Ok(()),
            _ => write!(f, ".{:0width$}", magnitude % unit, width = SCALE.into()),
        }
    }
}

impl<const DIGITS: u16, const SCALE: u16> fmt::Debug for Decimal<DIGITS, SCALE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<const DIGITS: u16, const SCALE: u16> FromStr for Decimal<DIGITS, SCALE> {
    type Err = DecimalError;

    /// Parses `-12.5`. Digits beyond the scale must be zeros.
    fn from_str(text: &str) -> Result<Self, DecimalError> {
        let (is_negative, number) = match text.as_bytes() {
            [b'-', ..] => (true, &text[1..]),
            [b'+', ..] => (false, &text[1..]),
            _ => (false, text),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits = || whole.bytes().chain(fraction.bytes());
        let is_number = whole.len() + fraction.len() > 0 || number.len() > 1;
        if !is_number || !digits().all(|d| d.is_ascii_digit()) || fraction.len() > SCALE.into() {
            return Err(DecimalError);
        }
        let zeros = core::iter::repeat_n(b'0', usize::from(SCALE) - fraction.len());
        let magnitude = digits().chain(zeros).try_fold(0_i128, |number, digit| {
            number.checked_mul(10)?.checked_add(i128::from(digit - b'0'))
        });
        let unscaled = magnitude.map(|m| if is_negative { -m } else { m });
        unscaled.and_then(Self::from_unscaled).ok_or(DecimalError)
    }
}

impl fmt::Display for DecimalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this is no decimal number, or one with too many digits")
    }
}

impl core::error::Error for DecimalError {}

impl Encoder<'_> {
    /// Appends a decimal number.
    pub fn put_decimal<const DIGITS: u16, const SCALE: u16>(
        &mut self,
        value: Decimal<DIGITS, SCALE>,
    ) {
        self.put_digits(value.0, DIGITS);
    }

    /// Appends a number of `digits` decimal digits, at most 31, without its point: two digits in
    /// each octet, then the sign. If the number has more digits, the leading ones are lost.
    pub fn put_digits(&mut self, unscaled: i128, digits: u16) {
        let mut octets = [0; 16];
        let mut left = unscaled.unsigned_abs();
        let mut next = || {
            let digit = (left % 10) as u8;
            left /= 10;
            digit
        };
        let count = octets_of(digits).min(octets.len());
        let sign = if unscaled < 0 { NEGATIVE } else { POSITIVE };
        for (index, octet) in octets[..count].iter_mut().rev().enumerate() {
            let low = if index == 0 { sign } else { next() };
            *octet = next() << 4 | low;
        }
        self.copy_raw(&octets[..count]);
    }
}

/// The number of octets that a number of `digits` digits takes in CDR.
pub(crate) const fn octets_of(digits: u16) -> usize {
    digits as usize / 2 + 1
}

impl Decoder<'_> {
    /// Reads a decimal number.
    ///
    /// # Errors
    /// When the octets are not digits followed by a sign, or end too early.
    pub fn decimal<const DIGITS: u16, const SCALE: u16>(
        &mut self,
    ) -> CdrResult<Decimal<DIGITS, SCALE>> {
        let unscaled = self.digits(DIGITS)?;
        Decimal::from_unscaled(unscaled).ok_or_else(|| self.error(MALFORMED))
    }

    /// Reads a number of `digits` decimal digits, at most 31, without its point. The sign ends it,
    /// so leading digits may be missing, as JacORB omits them.
    ///
    /// # Errors
    /// When the octets are not digits followed by a sign, or end too early.
    pub fn digits(&mut self, digits: u16) -> CdrResult<i128> {
        if digits > 31 {
            return Err(self.error(MALFORMED));
        }
        // 31 digits fit into an `i128`.
        let (mut magnitude, limit) = (0, 10_i128.pow(digits.into()));
        for _ in 0..octets_of(digits) {
            let octet = self.u8()?;
            let (high, low) = (octet >> 4, octet & 0xf);
            if high > 9 {
                break;
            }
            magnitude = magnitude * 10 + i128::from(high);
            match low {
                0..=9 => magnitude = magnitude * 10 + i128::from(low),
                POSITIVE if magnitude < limit => return Ok(magnitude),
                NEGATIVE if magnitude < limit => return Ok(-magnitude),
                _ => break,
            }
        }
        Err(self.error(MALFORMED))
    }
}

/// The error for octets that are not digits.
const MALFORMED: CdrErrorKind = CdrErrorKind::Invalid("a fixed number is malformed");

impl<const DIGITS: u16, const SCALE: u16> Encode for Decimal<DIGITS, SCALE> {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_decimal(*self);
        Ok(())
    }
}

impl<'a, const DIGITS: u16, const SCALE: u16> Decode<'a> for Decimal<DIGITS, SCALE> {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.decimal()
    }
}
