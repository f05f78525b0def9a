//! What annotations say of the timing of an operation.

use crate::source::Span;

/// The timing of an operation, from its annotations. Times are in nanoseconds and above 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timing {
    /// `@period(10 ms)` or `@period(100 Hz)`: the shortest time between two releases.
    pub period: Option<u64>,
    /// `@deadline(8 ms)`, counted from the release.
    pub deadline: Option<u64>,
    /// `@wcet(300 us)`: the worst-case execution time.
    pub wcet: Option<u64>,
    /// `@jitter(50 us)`: how late a release may come.
    pub jitter: Option<u64>,
    /// `@criticality(high)`
    pub criticality: Option<Level>,
    /// `@importance(low)`
    pub importance: Option<Level>,
    /// `@threads(2)`
    pub threads: Option<u32>,
    /// `@calls("Nav::Filter::update", delay = 200 us)`
    pub calls: Vec<TimedCall>,
    /// `@holds("track", 20 us)`
    pub holds: Vec<Hold>,
}

/// A level of criticality or of importance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// `very_low`
    VeryLow,
    /// `low`
    Low,
    /// `medium`
    Medium,
    /// `high`
    High,
    /// `very_high`
    VeryHigh,
}

impl Level {
    /// All levels, from the lowest to the highest, with their names.
    pub const ALL: [(Level, &'static str); 5] = [
        (Level::VeryLow, "very_low"),
        (Level::Low, "low"),
        (Level::Medium, "medium"),
        (Level::High, "high"),
        (Level::VeryHigh, "very_high"),
    ];

    /// The name in IDL.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// An operation that another one calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimedCall {
    /// Its scoped name without a leading `::`. It may be declared in another file.
    pub operation: String,
    /// The longest time that a message takes, in each direction; 0 if that was not said.
    pub delay: u64,
    /// The span of the name.
    pub span: Span,
}

/// A resource that an operation holds for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// The name of the resource.
    pub resource: String,
    /// How long it is held.
    pub length: u64,
}
