//! The moment by which an operation of several system calls must end.

use std::io;
use std::time::{Duration, Instant};

/// A point in time, or never.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    /// `timeout` from now; never, if there is no timeout or it lies beyond the clock's range.
    pub(crate) fn after(timeout: Option<Duration>) -> Self {
        Self(timeout.and_then(|timeout| Instant::now().checked_add(timeout)))
    }

    /// The time left (`None`: unlimited), or `TimedOut` if none is.
    pub(crate) fn remaining(self) -> io::Result<Option<Duration>> {
        match self.0.map(|end| end.saturating_duration_since(Instant::now())) {
            Some(Duration::ZERO) => Err(io::ErrorKind::TimedOut.into()),
            left => Ok(left),
        }
    }

    /// A fair part of the time left for the next of `attempts` attempts. What an attempt leaves
    /// over goes to those after it.
    pub(crate) fn share(self, attempts: usize) -> io::Result<Option<Duration>> {
        let attempts = u32::try_from(attempts).unwrap_or(u32::MAX).max(1);
        Ok(self.remaining()?.map(|left| left / attempts))
    }
}
