//! Numbers that other languages do not have (MS-OAUT 2.2.24 to 2.2.26).

use armilla_dcerpc::ndr::{Decoder, Encoder, Ndr, NdrError, NdrErrorKind};
use core::fmt;
use core::time::Duration;

/// An amount of money in ten-thousandths (`CURRENCY`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency(pub i64);

/// A moment (`DATE`): days since 1899-12-30 00:00, in the time zone that the programs agree on. The
/// fraction is the time of the day, also before that date.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Date(pub f64);

/// A decimal number of 96 bits (`DECIMAL`): `±(high · 2⁶⁴ + low) · 10⁻ˢᶜᵃˡᵉ`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// How many digits are behind the point: at most 28.
    pub scale: u8,
    /// Whether it is below zero.
    pub negative: bool,
    /// The upper 32 bits.
    pub high: u32,
    /// The lower 64 bits.
    pub low: u64,
}

/// True or false in 16 bits (`VARIANT_BOOL`): 0 or -1, and anything but 0 is true.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct VariantBool(pub bool);

/// How many days 1970-01-01 is behind the beginning of [`Date`].
const UNIX_DAYS: f64 = 25_569.0;

const SECONDS: f64 = 86_400.0;

impl Date {
    /// The moment that long after 1970-01-01 00:00.
    pub fn from_unix(since: Duration) -> Self {
        Self(UNIX_DAYS + since.as_secs_f64() / SECONDS)
    }

    /// The moment that a text names as [`Display`](fmt::Display) writes it, in the years 100 to 9999.
    /// The time of the day may be left out, and its seconds, and their fraction; a time zone has no place.
    pub fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.split_once(['T', ' ']).map_or((text, None), |(d, t)| (d, Some(t)));
        let mut parts = date.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() || (year.len(), month.len(), day.len()) != (4, 2, 2) {
            return None;
        }
        let days = days_before(digits(year)?, digits(month)?, digits(day)?)?;
        let time = time.map_or(Some(0.0), seconds_of_day)? / SECONDS;
        // Before the beginning of dates the days count backwards, and the time of the day does not.
        let days = days as f64 + UNIX_DAYS;
        Some(Self(if days < 0.0 { days - time } else { days + time }))
    }

    /// How many seconds it is after 1970-01-01 00:00; below zero before that.
    pub fn to_unix_seconds(self) -> f64 {
        // Before its beginning the days count backwards, and the time of the day does not.
        let days = if self.0 < 0.0 { trunc(self.0) - (self.0 - trunc(self.0)) } else { self.0 };
        (days - UNIX_DAYS) * SECONDS
    }
}

/// A number of digits alone: no sign, no space.
fn digits(text: &str) -> Option<i64> {
    text.bytes().all(|octet| octet.is_ascii_digit()).then(|| text.parse().ok())?
}

/// How many days a day is behind 1970-01-01.
fn days_before(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if year < 100 || !(1..=longest).contains(&day) {
        return None;
    }
    // Of years that begin in March.
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let leaps = year / 4 - year / 100 + year / 400;
    Some(365 * year + leaps + (153 * month + 2) / 5 + day - 1 - 719_468)
}

/// The seconds of a time as `12:34`, `12:34:56` or `12:34:56.789`.
fn seconds_of_day(text: &str) -> Option<f64> {
    let (text, fraction) = text.split_once('.').map_or((text, None), |(t, f)| (t, Some(f)));
    let mut parts = text.split(':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() || (fraction.is_some() && second.is_none()) {
        return None;
    }
    let two = |text: &str| (text.len() == 2).then(|| digits(text))?;
    let (hour, minute, second) = (two(hour)?, two(minute)?, second.map_or(Some(0), two)?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let fraction = match fraction {
        Some("") => return None,
        Some(fraction) if fraction.len() > 9 => return None,
        Some(fraction) => {
            digits(fraction)? as f64 / fraction.bytes().fold(1.0, |unit, _| unit * 10.0)
        }
        None => 0.0,
    };
    Some((hour * 3600 + minute * 60 + second) as f64 + fraction)
}

/// Without its fraction. Beyond 53 bits there is none.
fn trunc(number: f64) -> f64 {
    if number.abs() < 9.0e15 { number as i64 as f64 } else { number }
}

/// As RFC 3339 writes it, to the millisecond, without a time zone.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.is_finite() {
            return self.0.fmt(f);
        }
        let millis = self.to_unix_seconds() * 1000.0;
        let millis = (millis + if millis < 0.0 { -0.5 } else { 0.5 }) as i64;
        let (days, rest) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
        // Days of years that begin in March, in eras of 400 years: a leap day is a year's last.
        let days = days + 719_468;
        let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let date = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year + 400 * era + i64::from(month <= 2);
        let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
        let (second, millis) = (rest / 1000 % 60, rest % 1000);
        write!(f, "{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}")
    }
}

impl Currency {
    /// The amount that a text names in digits, with four behind the point at most.
    pub fn parse(text: &str) -> Option<Self> {
        let number = Decimal::parse(text)?;
        let (mut scale, mut amount) = (number.scale, number.magnitude());
        while scale > 4 && amount.is_multiple_of(10) {
            (scale, amount) = (scale - 1, amount / 10);
        }
        let amount = amount.checked_mul(10u128.pow(4u32.checked_sub(scale.into())?))?;
        let amount = i128::try_from(amount).ok()?;
        i64::try_from(if number.negative { -amount } else { amount }).ok().map(Self)
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let amount = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:04}", amount / 10_000, amount % 10_000)
    }
}

impl Decimal {
    /// The most digits that there may be behind the point.
    pub const MOST_DIGITS: u8 = 28;

    /// The number that a text names in digits, without an exponent.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        if whole.is_empty() || (fraction.is_empty() && text.contains('.')) {
            return None;
        }
        let scale = u8::try_from(fraction.len()).ok().filter(|it| *it <= Self::MOST_DIGITS)?;
        let magnitude = whole.bytes().chain(fraction.bytes()).try_fold(0u128, |sum, octet| {
            let digit = octet.is_ascii_digit().then(|| u128::from(octet - b'0'))?;
            sum.checked_mul(10)?.checked_add(digit)
        })?;
        let high = u32::try_from(magnitude >> 64).ok()?;
        Some(Self { scale, negative, high, low: magnitude as u64 })
    }

    /// The digits as a whole number.
    pub fn magnitude(self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }
}

impl From<i64> for Decimal {
    fn from(number: i64) -> Self {
        Self { scale: 0, negative: number < 0, high: 0, low: number.unsigned_abs() }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        let scale = self.scale.min(Self::MOST_DIGITS);
        let unit = 10u128.pow(scale.into());
        write!(f, "{sign}{}", self.magnitude() / unit)?;
        match scale {
            0 => Ok(()),
            scale => {
                write!(f, ".{:0width$}", self.magnitude() % unit, width = usize::from(scale))
            }
        }
    }
}

impl Ndr for Currency {
    const ALIGNMENT: usize = 8;

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        self.0.encode(out)
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        i64::decode(input).map(Self)
    }
}

impl Ndr for VariantBool {
    const ALIGNMENT: usize = 2;

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        (-i16::from(self.0)).encode(out)
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        i16::decode(input).map(|value| Self(value != 0))
    }
}

impl Ndr for Date {
    const ALIGNMENT: usize = 8;

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        self.0.encode(out)
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        f64::decode(input).map(Self)
    }
}

impl Ndr for Decimal {
    const ALIGNMENT: usize = 8;

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        out.align(8);
        0u16.encode(out)?;
        out.put(&[self.scale, if self.negative { 0x80 } else { 0 }]);
        self.high.encode(out)?;
        self.low.encode(out)
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        input.align(8)?;
        // A program has put the type of its VARIANT there, or anything.
        u16::decode(input)?;
        let (scale, sign) = (u8::decode(input)?, u8::decode(input)?);
        if scale > Self::MOST_DIGITS || sign & 0x7f != 0 {
            let (type_name, value) = ("DECIMAL", u32::from(scale) << 8 | u32::from(sign));
            let kind = NdrErrorKind::InvalidEnum { type_name, value };
            return Err(NdrError { kind, position: input.position() });
        }
        let (high, low) = (u32::decode(input)?, u64::decode(input)?);
        Ok(Self { scale, negative: sign != 0, high, low })
    }
}
