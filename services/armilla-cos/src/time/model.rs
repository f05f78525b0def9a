//! Times and intervals: how they compare, and what they have in common (Time Service 1.1, 1.3). No ORB
//! and no clock.

use std::cmp::Ordering;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Units of 100 ns: since 15 October 1582, 00:00 UTC, or a duration (`TimeT`).
pub type Units = u64;

/// The first of January 1970, 00:00 UTC.
pub const UNIX: Units = 0x01b2_1dd2_1381_4000;

/// The largest inaccuracy that has a place in a `UtcT`: 48 bits, almost a year.
pub const LARGEST_INACCURACY: Units = (1 << 48) - 1;

/// A duration in units; what does not fit is the largest one.
pub fn units(duration: Duration) -> Units {
    u64::try_from(duration.as_nanos() / 100).unwrap_or(u64::MAX)
}

/// So many units as a duration.
pub const fn duration(units: Units) -> Duration {
    Duration::new(units / 10_000_000, (units % 10_000_000) as u32 * 100)
}

/// A time of the system in units. One before 1582 is 0.
pub fn of_system(time: SystemTime) -> Units {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => UNIX.saturating_add(units(since)),
        Err(before) => UNIX.saturating_sub(units(before.duration())),
    }
}

/// A time: universal, or relative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Utc {
    /// The time.
    pub time: Units,
    /// How much earlier or later it may be; at most [`LARGEST_INACCURACY`].
    pub inaccuracy: Units,
    /// The displacement from Greenwich, in minutes.
    pub displacement: i16,
}

/// An interval; the lower bound is not the later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// Where it begins.
    pub lower: Units,
    /// Where it ends.
    pub upper: Units,
}

/// How an interval lies to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// It contains the other one.
    Container,
    /// It is within the other one.
    Contained,
    /// Both have something in common.
    Overlap,
    /// They have nothing in common.
    None,
}

impl Utc {
    /// When it may be.
    pub const fn interval(self) -> Interval {
        let Self { time, inaccuracy, .. } = self;
        Interval { lower: time.saturating_sub(inaccuracy), upper: time.saturating_add(inaccuracy) }
    }

    /// Which of two times is the earlier one, without their inaccuracies; or with them: then `None`
    /// is what cannot be said.
    pub fn compare(self, other: Self, with_inaccuracies: bool) -> Option<Ordering> {
        let (this, that) = (self.interval(), other.interval());
        match with_inaccuracies {
            false => Some(self.time.cmp(&other.time)),
            true if this.upper < that.lower => Some(Ordering::Less),
            true if that.upper < this.lower => Some(Ordering::Greater),
            // Both are known exactly.
            true if this == that && this.lower == this.upper => Some(Ordering::Equal),
            true => None,
        }
    }

    /// From one time to the other, without their inaccuracies.
    pub fn to(self, other: Self) -> Interval {
        Interval { lower: self.time.min(other.time), upper: self.time.max(other.time) }
    }
}

impl Interval {
    /// An interval, if its bounds are in order.
    pub fn new(lower: Units, upper: Units) -> Option<Self> {
        (lower <= upper).then_some(Self { lower, upper })
    }

    /// How it lies to another one; and what both have in common, or the gap between them.
    pub fn overlap(self, other: Self) -> (Overlap, Self) {
        let lower = self.lower.max(other.lower);
        let upper = self.upper.min(other.upper);
        let Some(common) = Self::new(lower, upper) else {
            return (Overlap::None, Self { lower: upper, upper: lower });
        };
        let how = match common {
            common if common == other => Overlap::Container,
            common if common == self => Overlap::Contained,
            _ => Overlap::Overlap,
        };
        (how, common)
    }

    /// The middle, give or take half of the length; `None` if that is more than an inaccuracy can
    /// be.
    pub fn time(self) -> Option<Utc> {
        let length = self.upper - self.lower;
        let inaccuracy = length.div_ceil(2);
        let time = self.lower + length / 2;
        (inaccuracy <= LARGEST_INACCURACY).then_some(Utc { time, inaccuracy, displacement: 0 })
    }
}
