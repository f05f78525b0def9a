//! Where the time comes from.

use super::model::{Units, of_system, units};
use armilla_ipc::{ClockError, clock_error};
use std::time::{Instant, SystemTime};

/// What a clock says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// The universal time.
    pub time: Units,
    /// How wrong it may be; `None` if nobody knows: the clock follows no other one.
    pub inaccuracy: Option<Units>,
    /// Time that nobody sets, since some beginning.
    pub monotonic: Units,
}

/// A clock. Any thread may read it.
pub trait Clock: Send + Sync {
    /// The time now.
    fn read(&self) -> Reading;
}

/// The clock of the system. Its inaccuracy is the kernel's estimate of the largest error
/// (`adjtimex`), which grows while no other clock is heard of.
#[derive(Debug, Clone)]
pub struct SystemClock(Instant);

impl SystemClock {
    /// The clock, whose monotonic time begins now.
    pub fn new() -> Self {
        Self(Instant::now())
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn read(&self) -> Reading {
        let inaccuracy = match clock_error() {
            Ok(ClockError { largest, is_synchronized: true }) => Some(units(largest)),
            Ok(_) | Err(_) => None,
        };
        let time = of_system(SystemTime::now());
        Reading { time, inaccuracy, monotonic: units(self.0.elapsed()) }
    }
}
