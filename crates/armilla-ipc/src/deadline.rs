//! Limits of time. A [`Timeout`] holds for every later call in one direction of a stream; a
//! [`Deadline`] is the moment by which one operation of several system calls must end.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
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

    /// The time left (`None`: unlimited), zero if none is.
    pub(crate) fn left(self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// An equal share of the time left for the next of `attempts` attempts. The later ones share
    /// what an attempt leaves over.
    pub(crate) fn share(self, attempts: usize) -> io::Result<Option<Duration>> {
        let attempts = u32::try_from(attempts).unwrap_or(u32::MAX).max(1);
        Ok(self.remaining()?.map(|left| left / attempts))
    }
}

/// The limit of a transfer that may need several calls, each of which has the timeout itself. The
/// clock is read only when a second call is needed.
#[derive(Debug)]
pub(crate) struct LazyDeadline {
    timeout: Option<Duration>,
    what: &'static str,
    calls: u32,
    deadline: Deadline,
}

impl LazyDeadline {
    /// Within about twice `timeout`; says `what` has not happened by then.
    pub(crate) fn new(timeout: Option<Duration>, what: &'static str) -> Self {
        Self { timeout, what, calls: 0, deadline: Deadline(None) }
    }

    /// Call this before every call: an error if the time is over.
    #[inline]
    pub(crate) fn before_call(&mut self) -> io::Result<()> {
        self.calls = self.calls.saturating_add(1);
        match self.calls {
            1 => Ok(()),
            2 => {
                self.deadline = Deadline::after(self.timeout);
                Ok(())
            }
            _ => match self.deadline.remaining() {
                Ok(_) => Ok(()),
                Err(_) => Err(timed_out(self.what, self.timeout)),
            },
        }
    }
}

/// The timeout of one direction, kept so that setting the same again costs nothing.
///
/// Counted in microseconds as the kernel does, 0 for none. One thread at a time sets a direction's
/// timeout, so relaxed ordering is enough.
#[derive(Debug, Default)]
pub(crate) struct Timeout(AtomicU64);

impl Timeout {
    /// Keeps `timeout` after `grant` has put it into force, which is called only if it is new.
    #[inline]
    pub(crate) fn set(
        &self,
        timeout: Option<Duration>,
        grant: impl FnOnce(Option<Duration>) -> io::Result<()>,
    ) -> io::Result<()> {
        let micros = micros(timeout);
        if self.0.load(Ordering::Relaxed) == micros {
            return Ok(());
        }
        grant(as_kept_by_kernel(timeout))?;
        self.0.store(micros, Ordering::Relaxed);
        Ok(())
    }

    pub(crate) fn get(&self) -> Option<Duration> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            micros => Some(Duration::from_micros(micros)),
        }
    }
}

/// The timeout in the kernel's unit, rounded up; 0 for none. A zero duration becomes the shortest
/// timeout, because zero would mean forever to the kernel.
#[inline]
fn micros(timeout: Option<Duration>) -> u64 {
    timeout.map_or(0, |timeout| {
        let fraction = timeout.subsec_nanos().div_ceil(1_000);
        timeout.as_secs().saturating_mul(1_000_000).saturating_add(fraction.into()).max(1)
    })
}

/// The timeout as the kernel will keep it.
pub(crate) fn as_kept_by_kernel(timeout: Option<Duration>) -> Option<Duration> {
    timeout.map(|_| Duration::from_micros(micros(timeout)))
}

/// The error of a wait that reached `timeout`; the kernel reports it as "would block".
#[cold]
pub(crate) fn timed_out(what: &str, timeout: Option<Duration>) -> io::Error {
    let message = match timeout {
        Some(timeout) => format!("{what} within the timeout of {timeout:?}"),
        None => format!("{what} in time"),
    };
    io::Error::new(io::ErrorKind::TimedOut, message)
}
