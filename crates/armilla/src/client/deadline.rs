//! How long a call may still take.

use armilla_ipc::{CoarseInstant, coarse_now};
use std::time::Duration;

/// The time that a call may take, counted from its beginning by one reading of the coarse clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    pub(crate) started: CoarseInstant,
    pub(crate) limit: Option<Duration>,
}

impl Deadline {
    #[inline]
    pub(crate) fn after(limit: Option<Duration>) -> Self {
        Self { started: coarse_now(), limit }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        coarse_now().since(self.started)
    }

    /// What is left: `Some(None)` when there is no limit, `None` when nothing is left.
    pub(crate) fn remaining(&self) -> Option<Option<Duration>> {
        match self.limit {
            None => Some(None),
            Some(limit) => {
                let left = limit.saturating_sub(self.elapsed());
                (!left.is_zero()).then_some(Some(left))
            }
        }
    }
}

/// A duration as people read it.
pub(crate) fn milliseconds(duration: Duration) -> String {
    match duration.as_secs_f64() {
        s if s >= 1.0 => format!("{s:.1} s"),
        s => format!("{:.0} ms", s * 1000.0),
    }
}
