//! Moments in certificates, as dates of the calendar.

use super::der::{Der, tag};
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A moment, in seconds since 1970-01-01 00:00 UTC. Its text is the date and the time in UTC.
///
/// ```
/// use armilla_tls::Date;
///
/// assert_eq!(Date(1_795_795_200).to_string(), "2026-11-27 16:00:00 UTC");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(pub i64);

const DAY: i64 = 86_400;

impl Date {
    /// The present.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self(since.map_or(0, |since| since.as_secs().cast_signed()))
    }

    /// So much later.
    #[must_use]
    pub fn plus(self, time: Duration) -> Self {
        Self(self.0.saturating_add_unsigned(time.as_secs()))
    }

    /// Reads a `UTCTime` or a `GeneralizedTime`, as RFC 5280, 4.1.2.5 restricts them.
    pub(super) fn parse(input: &mut Der<'_>) -> Option<Self> {
        let (kind, text, _) = input.element()?;
        let digits = text.strip_suffix(b"Z")?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let number =
            |part: &[u8]| part.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        let (year, rest) = match (kind, digits.len()) {
            (tag::UTC_TIME, 12) => {
                let year = number(&digits[..2]);
                (if year < 50 { 2000 + year } else { 1900 + year }, &digits[2..])
            }
            (tag::GENERALIZED_TIME, 14) => (number(&digits[..4]), &digits[4..]),
            _ => return None,
        };
        let mut parts = rest.chunks(2).map(number);
        let mut next = || parts.next().unwrap_or_default();
        let (month, day) = (next(), next());
        let seconds = (next() * 60 + next()) * 60 + next();
        (1..=12).contains(&month).then(|| Self(days(year, month, day) * DAY + seconds))
    }
}

/// The days from 1970-01-01 to a date of the Gregorian calendar. Years begin in March here, so that
/// the leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The opposite of [`days`].
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year + era * 400 + next, month, day)
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date(self.0.div_euclid(DAY));
        let second = self.0.rem_euclid(DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (text, seconds) in [
            (&b"\x17\x0d700101000000Z"[..], 0),
            (b"\x17\x0d000229235959Z", 951_868_799),
            (b"\x17\x0d491231235959Z", 2_524_607_999),
            (b"\x17\x0d500101000000Z", -631_152_000),
            (b"\x18\x0f20500101000000Z", 2_524_608_000),
            (b"\x18\x0f99991231235959Z", 253_402_300_799),
        ] {
            let read = Date::parse(&mut Der(text));
            assert_eq!(read, Some(Date(seconds)), "{}", text.escape_ascii());
            let (year, month, day) = date(seconds.div_euclid(DAY));
            assert_eq!(days(year, month, day), seconds.div_euclid(DAY));
        }
        for text in
            [&b"\x17\x0d700101000000+"[..], b"\x17\x0b7001010000Z", b"\x17\x0d701301000000Z"]
        {
            assert_eq!(Date::parse(&mut Der(text)), None, "{}", text.escape_ascii());
        }
        assert_eq!(Date(951_868_799).to_string(), "2000-02-29 23:59:59 UTC");
    }
}
