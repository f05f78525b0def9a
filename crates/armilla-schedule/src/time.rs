//! Times in whole nanoseconds, and how people write them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A length of time in whole nanoseconds.
///
/// Its text is a number and a unit: `300 us`, `2.5 ms`. The number may have a fraction as long as
/// the value is a whole number of nanoseconds.
///
/// ```
/// use armilla_schedule::Nanos;
///
/// let period: Nanos = "2.5 ms".parse().unwrap();
/// assert_eq!(period, Nanos(2_500_000));
/// assert_eq!(period.to_string(), "2.5 ms");
/// assert!("10".parse::<Nanos>().unwrap_err().to_string().contains("no unit"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Nanos(pub u64);

/// The units, from the smallest, with their lengths in nanoseconds.
const UNITS: &[(&str, u64)] =
    &[("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000)];

/// A rate in hertz may stand for a period.
const HERTZ: &[(&str, u64)] = &[("Hz", 1_000_000_000), ("kHz", 1_000_000)];

impl Nanos {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// This many microseconds; the largest time if they are too many.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros.saturating_mul(1_000))
    }

    /// This many milliseconds; the largest time if they are too many.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// The time as the standard library's type.
    pub const fn as_duration(self) -> Duration {
        Duration::from_nanos(self.0)
    }
}

impl From<Nanos> for Duration {
    fn from(time: Nanos) -> Self {
        time.as_duration()
    }
}

/// The value in the largest unit in which it has at most three digits before the point; without
/// rounding.
impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, length) = match self.0 {
            0 => return f.pad("0"),
            1..1_000 => UNITS[0],
            1_000..1_000_000 => UNITS[1],
            1_000_000..1_000_000_000 => UNITS[2],
            _ => UNITS[3],
        };
        let (whole, rest) = (self.0 / length, self.0 % length);
        if rest == 0 {
            return f.pad(&format!("{whole} {unit}"));
        }
        let digits = length.ilog10() as usize;
        let fraction = format!("{rest:0digits$}");
        f.pad(&format!("{whole}.{} {unit}", fraction.trim_end_matches('0')))
    }
}

/// Why a text is not a length of time. The message names the remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeError {
    text: String,
    fault: Fault,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Fault {
    NoNumber,
    NoUnit,
    UnknownUnit(String),
    Negative,
    NotWhole,
    TooLong,
    NoRate,
}

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.text;
        match &self.fault {
            Fault::NoNumber => write!(f, "`{text}` is no time; write a number and a unit: `10 ms`"),
            Fault::NoUnit => write!(
                f,
                "`{text}` has no unit; write `{text} ms`, or another of ns, us, ms, s, min, Hz, kHz"
            ),
            Fault::UnknownUnit(unit) => {
                write!(f, "`{unit}` is no unit of time; use ns, us, ms, s, min, Hz or kHz")?;
                similar_unit(unit).map_or(Ok(()), |unit| write!(f, " (meant `{unit}`?)"))
            }
            Fault::Negative => write!(f, "`{text}` is negative; a time is positive"),
            Fault::NotWhole => {
                write!(f, "`{text}` is no whole number of nanoseconds; round it, for example up")
            }
            Fault::TooLong => write!(f, "`{text}` is longer than 584 years, the longest time"),
            Fault::NoRate => write!(f, "`{text}` has no period; a rate is above zero"),
        }
    }
}

impl std::error::Error for TimeError {}

/// The unit that was probably meant: another case, or a longer name.
fn similar_unit(unit: &str) -> Option<&'static str> {
    let small = unit.to_lowercase();
    let known = |name: &str| name.to_lowercase() == small;
    let all = UNITS.iter().chain(HERTZ).map(|(name, _)| *name);
    all.into_iter().find(|name| known(name)).or(match small.as_str() {
        "µs" | "μs" | "usec" | "microseconds" | "microsecond" | "mus" => Some("us"),
        "msec" | "msecs" | "milliseconds" | "millisecond" => Some("ms"),
        "nsec" | "nanoseconds" | "nanosecond" => Some("ns"),
        "sec" | "secs" | "second" | "seconds" => Some("s"),
        "m" | "minute" | "minutes" => Some("min"),
        "hertz" => Some("Hz"),
        _ => None,
    })
}

impl FromStr for Nanos {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let shown: String = text.trim().chars().take(40).collect();
        parse(text.trim()).map_err(|fault| TimeError { text: shown, fault })
    }
}

fn parse(text: &str) -> Result<Nanos, Fault> {
    if let Some(rest) = text.strip_prefix('-') {
        let number = rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
        return Err(if number { Fault::Negative } else { Fault::NoNumber });
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_');
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    let unit = unit.trim();
    let (numerator, places) = decimal(number)?;
    if unit.is_empty() {
        return if numerator == 0 { Ok(Nanos::ZERO) } else { Err(Fault::NoUnit) };
    }
    let unit = if matches!(unit, "µs" | "μs") { "us" } else { unit };
    let scale = 10_u128.pow(places);
    if let Some((_, length)) = HERTZ.iter().find(|(name, _)| *name == unit) {
        let period = u128::from(*length) * scale;
        return match numerator {
            0 => Err(Fault::NoRate),
            _ if period % numerator != 0 => Err(Fault::NotWhole),
            _ => u64::try_from(period / numerator).map(Nanos).map_err(|_| Fault::TooLong),
        };
    }
    let Some((_, length)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(Fault::UnknownUnit(unit.chars().take(20).collect()));
    };
    let value = numerator.checked_mul(u128::from(*length)).ok_or(Fault::TooLong)?;
    if value % scale != 0 {
        return Err(Fault::NotWhole);
    }
    u64::try_from(value / scale).map(Nanos).map_err(|_| Fault::TooLong)
}

/// A decimal number as a numerator and the number of its digits after the point.
fn decimal(text: &str) -> Result<(u128, u32), Fault> {
    let text = text.replace('_', "");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction = fraction.trim_end_matches('0');
    if whole.is_empty() || fraction.contains('.') {
        return Err(Fault::NoNumber);
    }
    if fraction.len() > 12 {
        return Err(Fault::NotWhole);
    }
    let digits = format!("{whole}{fraction}");
    // Twenty-five digits times a minute stay far below the largest number of 128 bits.
    if digits.trim_start_matches('0').len() > 25 {
        return Err(Fault::TooLong);
    }
    let number = digits.parse().map_err(|_| Fault::NoNumber)?;
    Ok((number, fraction.len() as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        text.parse::<Nanos>().unwrap_err().to_string()
    }

    #[test]
    fn a_time_is_a_number_with_a_unit() {
        for (text, nanos) in [
            ("10 ms", 10_000_000),
            ("10ms", 10_000_000),
            ("0.3 ms", 300_000),
            ("1_000 us", 1_000_000),
            ("5 µs", 5_000),
            ("2 min", 120_000_000_000),
            ("40 Hz", 25_000_000),
            ("1 kHz", 1_000_000),
            ("0", 0),
            ("0 s", 0),
        ] {
            assert_eq!(text.parse(), Ok(Nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn a_text_that_is_no_time_is_an_error_with_a_remedy() {
        assert!(error("10").contains("write `10 ms`"));
        assert!(error("-3 ms").contains("is negative"));
        assert!(error("10 msec").contains("meant `ms`"));
        assert!(error("10 MS").contains("meant `ms`"));
        assert!(error("10 parsec").contains("`parsec` is no unit of time"));
        assert!(error("0.0001 us").contains("no whole number of nanoseconds"));
        assert!(error("3 Hz").contains("no whole number of nanoseconds"));
        assert!(error("0 Hz").contains("has no period"));
        assert!(error("99999999999999999999 s").contains("longer than 584 years"));
        assert!(error("99999999999999999999999999999999999999999999 s").contains("longer than"));
        for text in ["", "ms", "1.2.3 ms", ".5 ms", "- ms"] {
            assert!(error(text).contains("is no time"), "{text}");
        }
    }

    #[test]
    fn a_time_is_shown_exactly() {
        for text in ["1 ns", "999 ns", "1 us", "1.5 us", "2.000001 ms", "1 s", "90 s", "0"] {
            assert_eq!(text.parse::<Nanos>().unwrap().to_string(), text);
        }
        assert_eq!(Nanos(u64::MAX).to_string(), "18446744073.709551615 s");
    }
}
