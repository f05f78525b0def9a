//! Numbers of the type `long double` in constants: IEEE 754 binary128, rounded to the nearest and
//! half to even.

use super::natural::Natural;
use std::cmp::Ordering;
use std::fmt;

/// A finite number of 128 bits: 1 of the sign, 15 of the exponent, 112 of the fraction.
///
/// ```
/// use armilla_idl::model::LongDouble;
///
/// assert_eq!(LongDouble::from_f64(1.0).unwrap().to_bits(), 0x3fff << 112);
/// assert!(LongDouble::from_f64(f64::NAN).is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LongDouble(u128);

/// A binary format: the bits of its significand, and the exponent of its smallest number, 2^`least`.
/// The width of its exponent follows from `overflow`, the exponent field of infinity.
struct Format {
    precision: u32,
    least: i32,
    overflow: u128,
}

const BINARY128: Format = Format { precision: 113, least: -16494, overflow: 0x7fff };
const BINARY64: Format = Format { precision: 53, least: -1074, overflow: 0x7ff };
const BINARY32: Format = Format { precision: 24, least: -149, overflow: 0xff };

/// The most decimal digits that decide how a literal is rounded; the rest only matters if it is not
/// zero. The exact half between two numbers has 11,564 digits at most.
const MAX_DIGITS: usize = 11_600;

/// Above this decimal exponent each number overflows, below its negative each becomes zero.
const MAX_EXPONENT: i64 = 5_100;

/// The decimal digits that tell any two numbers apart.
const DISTINCT: u32 = 36;

const SIGN: u128 = 1 << 127;
const FRACTION: u128 = (1 << 112) - 1;

impl LongDouble {
    /// The bits of the number.
    pub fn to_bits(self) -> u128 {
        self.0
    }

    /// The same number as `value`; `None` if it is infinite or not a number.
    pub fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        let field = (value.to_bits() >> 52) as i32 & 0x7ff;
        let fraction = u128::from(value.to_bits()) & ((1 << 52) - 1);
        let significand = if field == 0 { fraction } else { fraction | 1 << 52 };
        let exponent = field.max(1) - 1 + BINARY64.least;
        Self::rounded(value.is_sign_negative(), &Natural::from(significand), exponent, false)
    }

    /// The nearest `f64`; of two that are equally near, the even one; infinite if it is too large.
    pub fn to_f64(self) -> f64 {
        let bits = self.in_format(&BINARY64, 0x7ff0_0000_0000_0000) as u64;
        f64::from_bits(bits | u64::from(self.is_negative()) << 63)
    }

    /// The nearest `f32`, as [`to_f64`](Self::to_f64).
    pub fn to_f32(self) -> f32 {
        let bits = self.in_format(&BINARY32, 0x7f80_0000) as u32;
        f32::from_bits(bits | u32::from(self.is_negative()) << 31)
    }

    /// The number that the literal `text` writes, such as `1.5e-3`; `None` if it is too large.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = whole.bytes().chain(fraction.bytes()).skip_while(|digit| *digit == b'0');
        let significant = digits.clone().count();
        if significant == 0 {
            return Some(LongDouble(0));
        }
        let kept = significant.min(MAX_DIGITS);
        let exponent = decimal_exponent(exponent) - fraction.len() as i64;
        let exponent = exponent.saturating_add((significant - kept) as i64);
        // The number is below ten to the power of `exponent + kept`.
        if exponent.saturating_add(kept as i64) > MAX_EXPONENT {
            return None;
        }
        if exponent.saturating_add(kept as i64) < -MAX_EXPONENT {
            return Some(LongDouble(0));
        }
        let lost = digits.clone().skip(kept).any(|digit| digit != b'0');
        let number = Natural::from_decimal(digits.take(kept));
        Self::scaled(&number, exponent as i32, lost)
    }

    /// `number` · 10^`exponent`; `more` if the exact number is a little larger.
    fn scaled(number: &Natural, exponent: i32, more: bool) -> Option<Self> {
        let power = Natural::power_of_ten(exponent.unsigned_abs());
        if exponent >= 0 {
            Self::rounded(false, &number.times(&power), 0, more)
        } else {
            Self::quotient(false, number, &power, 0, more)
        }
    }

    pub(crate) fn negated(self) -> Self {
        LongDouble(self.0 ^ SIGN)
    }

    pub(crate) fn is_zero(self) -> bool {
        self.0 & !SIGN == 0
    }

    /// The sum; `None` if it is too large.
    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        let ((a, at), (b, bt)) = (self.parts(), other.parts());
        let exponent = at.min(bt);
        let widen = |significand: u128, own: i32| {
            Natural::from(significand).shifted_left((own - exponent).unsigned_abs())
        };
        let (a, b) = (widen(a, at), widen(b, bt));
        let (one, two) = (self.is_negative(), other.is_negative());
        if one == two {
            return Self::rounded(one, &a.plus(&b), exponent, false);
        }
        match a.cmp(&b) {
            Ordering::Equal => Some(LongDouble(0)),
            Ordering::Greater => Self::rounded(one, &a.minus(&b), exponent, false),
            Ordering::Less => Self::rounded(two, &b.minus(&a), exponent, false),
        }
    }

    /// The product; `None` if it is too large.
    pub(crate) fn times(self, other: Self) -> Option<Self> {
        let ((a, at), (b, bt)) = (self.parts(), other.parts());
        let product = Natural::from(a).times(&Natural::from(b));
        Self::rounded(self.is_negative() != other.is_negative(), &product, at + bt, false)
    }

    /// The quotient; `None` if it is too large. `other` is not zero.
    pub(crate) fn divided_by(self, other: Self) -> Option<Self> {
        let ((a, at), (b, bt)) = (self.parts(), other.parts());
        let negative = self.is_negative() != other.is_negative();
        Self::quotient(negative, &Natural::from(a), &Natural::from(b), at - bt, false)
    }

    /// `a` / `b` · 2^`exponent`; `more` if the exact number is a little larger.
    fn quotient(
        negative: bool,
        a: &Natural,
        b: &Natural,
        exponent: i32,
        more: bool,
    ) -> Option<Self> {
        // As many bits as the quotient needs for rounding.
        let widen = (b.bits() + BINARY128.precision + 3).saturating_sub(a.bits());
        let (b, surplus) = match (b.bits() + 120).checked_sub(a.bits()) {
            Some(_) => (b.clone(), 0),
            None => {
                let surplus = a.bits() - b.bits() - 120;
                (b.shifted_left(surplus), surplus)
            }
        };
        let (quotient, rest) = a.shifted_left(widen).divided_by(&b);
        let exponent = exponent - widen as i32 + surplus as i32;
        Self::rounded(negative, &Natural::from(quotient), exponent, more || !rest.is_zero())
    }

    /// The number nearest to `magnitude` · 2^`exponent`, or to a little more if `more`; `None` if
    /// it is too large. If `more`, the magnitude has more bits than a significand.
    fn rounded(negative: bool, magnitude: &Natural, exponent: i32, more: bool) -> Option<Self> {
        let (top, below, lost) = magnitude.leading();
        let exponent = exponent.checked_add_unsigned(below)?;
        let bits = BINARY128.round(top, exponent, lost || more)?;
        Some(LongDouble(bits | u128::from(negative) << 127))
    }

    /// The significand, and the exponent of its least significant bit.
    fn parts(self) -> (u128, i32) {
        let field = (self.0 >> 112) as i32 & 0x7fff;
        let fraction = self.0 & FRACTION;
        let significand = if field == 0 { fraction } else { fraction | 1 << 112 };
        (significand, field.max(1) - 1 + BINARY128.least)
    }

    fn is_negative(self) -> bool {
        self.0 & SIGN != 0
    }

    fn in_format(self, format: &Format, infinity: u128) -> u128 {
        let (significand, exponent) = self.parts();
        format.round(significand, exponent, false).unwrap_or(infinity)
    }

    /// The decimal number of `count` significant digits that is nearest: its digits, and the
    /// exponent of the last one.
    fn decimal(self, count: u32) -> (u128, i32) {
        let (significand, exponent) = self.parts();
        let top = exponent + 127 - significand.leading_zeros() as i32;
        // The power of ten of the last digit; the estimate may be one too small.
        let estimate = (f64::from(top) * std::f64::consts::LOG10_2).floor() as i32;
        let mut last = estimate - count as i32 + 1;
        loop {
            let shift = |bits: i32| Natural::from(1).shifted_left(bits.max(0) as u32);
            let power = |ten: i32| Natural::power_of_ten(ten.max(0) as u32);
            let number = Natural::from(significand).times(&shift(exponent)).times(&power(-last));
            let unit = shift(-exponent).times(&power(last));
            let (digits, rest) = number.divided_by(&unit);
            let up = match rest.shifted_left(1).cmp(&unit) {
                Ordering::Less => false,
                Ordering::Equal => digits & 1 == 1,
                Ordering::Greater => true,
            };
            let digits = digits + u128::from(up);
            if digits < 10_u128.pow(count) {
                return (digits, last);
            }
            last += 1;
        }
    }

    /// Whether these decimal digits are read as this number.
    fn is_written(self, (digits, exponent): (u128, i32)) -> bool {
        let read = Self::scaled(&Natural::from(digits), exponent, false);
        read.is_some_and(|read| read.0 == self.0 & !SIGN)
    }
}

impl Format {
    /// The bits without a sign of the number nearest to `significand` · 2^`exponent`, or to a
    /// little more if `more`; `None` if it is too large.
    fn round(&self, significand: u128, exponent: i32, more: bool) -> Option<u128> {
        if significand == 0 {
            return Some(0);
        }
        let top = exponent + 127 - significand.leading_zeros() as i32;
        // The exponent of the least significant bit of the result.
        let unit = (top - self.precision as i32 + 1).max(self.least);
        let kept = match u32::try_from(unit - exponent) {
            Err(_) => significand << (exponent - unit),
            Ok(0) => significand,
            Ok(shift) => half_even(significand, shift, more),
        };
        // The leading bit of the significand, and a carry out of it, increment the exponent.
        let bits = (((unit - self.least) as u128) << (self.precision - 1)) + kept;
        (bits >> (self.precision - 1) < self.overflow).then_some(bits)
    }
}

/// `significand` / 2^`shift`, of which `shift` is not 0, rounded to the nearest, half to even.
fn half_even(significand: u128, shift: u32, more: bool) -> u128 {
    if shift > 128 {
        return 0;
    }
    let kept = significand.checked_shr(shift).unwrap_or(0);
    let half = 1 << (shift - 1);
    let rest = significand & (half | (half - 1));
    let up = rest > half || rest == half && (more || kept & 1 == 1);
    kept + u128::from(up)
}

/// The exponent of a literal, which may have any number of digits.
fn decimal_exponent(text: &str) -> i64 {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    // Far beyond all limits, and far from overflowing.
    sign * digits
        .bytes()
        .fold(0_i64, |value, digit| (value * 10 + i64::from(digit.wrapping_sub(b'0'))).min(1 << 40))
}

impl fmt::Display for LongDouble {
    /// Writes the fewest digits that are read as this number: `1e+400`, `0.1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_negative() { "-" } else { "" };
        if self.is_zero() {
            return write!(f, "{sign}0.0");
        }
        let (mut fewest, mut enough) = (1, DISTINCT);
        while fewest < enough {
            let middle = (fewest + enough) / 2;
            match self.is_written(self.decimal(middle)) {
                true => enough = middle,
                false => fewest = middle + 1,
            }
        }
        let (digits, last) = self.decimal(enough);
        let digits = digits.to_string();
        let exponent = last + digits.len() as i32 - 1;
        let digits = digits.trim_end_matches('0');
        let (first, rest) = digits.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        match exponent {
            0 => write!(f, "{sign}{first}.{rest}"),
            1..=35 => {
                let whole = exponent as usize + 1;
                let padded = format!("{digits:0<whole$}");
                let (whole, fraction) = padded.split_at(whole);
                let fraction = if fraction.is_empty() { "0" } else { fraction };
                write!(f, "{sign}{whole}.{fraction}")
            }
            -5..=-1 => {
                let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
                write!(f, "{sign}0.{zeros}{digits}")
            }
            _ => write!(f, "{sign}{first}.{rest}e{exponent}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LongDouble;

    /// Made by `binary128.c` beside it, with the arithmetic of GCC.
    const VECTORS: &str = include_str!("../../tests/data/binary128.txt");

    const INFINITY: u128 = 0x7fff << 112;

    fn number(bits: &str) -> LongDouble {
        LongDouble(u128::from_str_radix(bits, 16).unwrap())
    }

    fn bits(value: Option<LongDouble>) -> u128 {
        value.map_or(INFINITY, LongDouble::to_bits)
    }

    #[test]
    fn literals_are_the_nearest_numbers() {
        for line in VECTORS.lines() {
            let ["parse", text, expected] = line.split(' ').collect::<Vec<_>>()[..] else {
                continue;
            };
            assert_eq!(bits(LongDouble::parse(text)), number(expected).0, "{text}");
        }
    }

    #[test]
    fn arithmetic_is_that_of_the_standard() {
        for line in VECTORS.lines() {
            let [operator, a, b, expected] = line.split(' ').collect::<Vec<_>>()[..] else {
                continue;
            };
            let (a, b) = (number(a), number(b));
            let result = match operator {
                "add" => a.plus(b),
                "subtract" => a.plus(b.negated()),
                "multiply" => a.times(b),
                "divide" => a.divided_by(b),
                _ => continue,
            };
            match result {
                Some(result) => assert_eq!(result, number(expected), "{line}"),
                None => assert_eq!(number(expected).0 & !super::SIGN, INFINITY, "{line}"),
            }
        }
    }

    #[test]
    fn narrower_formats_get_the_nearest_number() {
        for line in VECTORS.lines() {
            let ["narrow", a, double, single] = line.split(' ').collect::<Vec<_>>()[..] else {
                continue;
            };
            let number = number(a);
            assert_eq!(format!("{:016x}", number.to_f64().to_bits()), double, "{a}");
            assert_eq!(format!("{:08x}", number.to_f32().to_bits()), single, "{a}");
            if number.to_f64().is_finite() {
                let wide = LongDouble::from_f64(number.to_f64()).unwrap();
                assert_eq!(wide.to_f64().to_bits(), number.to_f64().to_bits(), "{a}");
            }
        }
    }

    #[test]
    fn a_number_is_written_with_the_fewest_digits_that_tell_it() {
        let shown = |text| LongDouble::parse(text).unwrap().to_string();
        for (text, expected) in [
            ("0.1", "0.1"),
            ("1", "1.0"),
            ("0e5", "0.0"),
            ("1.0e400", "1.0e400"),
            ("123456.5", "123456.5"),
            ("0.00001", "0.00001"),
            ("1e-6", "1.0e-6"),
            ("1e35", "100000000000000000000000000000000000.0"),
            ("3.14159265358979323846264338327950288", "3.1415926535897932384626433832795028"),
            ("6.475175119438025110924438958227646552e-4966", "6.0e-4966"),
        ] {
            assert_eq!(shown(text), expected);
        }
        let third = LongDouble::parse("1").unwrap().divided_by(LongDouble::parse("3").unwrap());
        assert_eq!(third.unwrap().negated().to_string(), "-0.3333333333333333333333333333333333");
        for line in VECTORS.lines().filter(|line| line.starts_with("narrow")) {
            let number = number(line.split(' ').nth(1).unwrap());
            let text = number.to_string();
            let read = LongDouble::parse(text.trim_start_matches('-')).unwrap();
            assert_eq!(read.0, number.0 & !super::SIGN, "{text}");
        }
    }

    #[test]
    fn endless_literals_end() {
        let million = "7".repeat(1_000_000);
        assert!(LongDouble::parse(&million).is_none());
        let zeros = "0".repeat(1_000_000);
        assert_eq!(LongDouble::parse(&format!("{zeros}1.5")), LongDouble::parse("1.5"));
        assert_eq!(LongDouble::parse(&format!("1.5{zeros}")), LongDouble::parse("1.5"));
        assert_eq!(LongDouble::parse(&format!("{zeros}.{zeros}1")), LongDouble::parse("0"));
        // A digit far behind the exact half of two numbers decides.
        let half = "10384593717069655257060992658440193.0";
        assert_eq!(bits(LongDouble::parse(&format!("{half}{zeros}1"))) & 1, 1);
        assert!(LongDouble::parse(&format!("1e{million}")).is_none());
        assert!(LongDouble::parse(&format!("1e-{million}")).unwrap().is_zero());
        assert_eq!(LongDouble::parse(&format!("0.{zeros}1e1000001")), LongDouble::parse("1"));
    }
}
