//! The strategies: how the processor chooses among tasks that are ready.

use crate::similar::closest;
use std::fmt;
use std::str::FromStr;

/// How the processor chooses among tasks that are ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// Fixed priorities: the shorter the period, the higher (Liu, Layland 1973).
    RateMonotonic,
    /// Fixed priorities: the shorter the deadline, the higher (Leung, Whitehead 1982).
    DeadlineMonotonic,
    /// The earliest absolute deadline first (Liu, Layland 1973).
    EarliestDeadlineFirst,
    /// Maximum urgency first (Stewart, Khosla 1991): the most critical tasks first, among equally
    /// critical ones the task with the least laxity, then the most important one.
    MaximumUrgencyFirst,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Self; 4] = [
        Self::RateMonotonic,
        Self::DeadlineMonotonic,
        Self::EarliestDeadlineFirst,
        Self::MaximumUrgencyFirst,
    ];

    /// Its abbreviation: `rm`, `dm`, `edf` or `muf`.
    pub const fn abbreviation(self) -> &'static str {
        match self {
            Self::RateMonotonic => "rm",
            Self::DeadlineMonotonic => "dm",
            Self::EarliestDeadlineFirst => "edf",
            Self::MaximumUrgencyFirst => "muf",
        }
    }

    /// Whether the priority of a task changes from release to release.
    pub const fn is_dynamic(self) -> bool {
        matches!(self, Self::EarliestDeadlineFirst | Self::MaximumUrgencyFirst)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::RateMonotonic => "rate monotonic",
            Self::DeadlineMonotonic => "deadline monotonic",
            Self::EarliestDeadlineFirst => "earliest deadline first",
            Self::MaximumUrgencyFirst => "maximum urgency first",
        })
    }
}

impl FromStr for Strategy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|strategy| strategy.abbreviation() == text);
        found.ok_or_else(|| {
            let known = Self::ALL.map(Self::abbreviation);
            let meant = closest(&text.to_lowercase(), known);
            let meant = meant.map_or(String::new(), |name| format!(" (meant `{name}`?)"));
            format!("`{text}` is no strategy; use rm, dm, edf or muf{meant}")
        })
    }
}
