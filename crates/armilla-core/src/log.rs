//! Reports to the operator: `tracing` events, and lines on standard error while the program has set
//! no subscriber.
//!
//! Only what an operator must know belongs here, at the levels `warn` and `error`: without a
//! subscriber it would be lost, so it goes to standard error. Other events, such as the
//! spans of requests, use `tracing` directly. Reports of one kind that
//! follow each other quickly are counted, not repeated.

use crate::panics::catch;
use crate::sync::lock;
use std::fmt::{Display, Write as _};
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

/// How many reports of one kind are made within [`WINDOW`].
const BURST: u32 = 10;

/// The time for which reports of one kind are counted together.
const WINDOW: Duration = Duration::from_secs(10);

/// The reports of one kind: of one place in the code. A peer could otherwise fill the log with one
/// line for each bad message. What is left out is counted, and the next report tells the number.
pub struct Repeats {
    /// The number of the window, and how many reports were asked for in it.
    current: Mutex<(u64, u32)>,
    omitted: AtomicU64,
}

impl Default for Repeats {
    fn default() -> Self {
        Self::new()
    }
}

impl Repeats {
    /// No reports yet.
    pub const fn new() -> Self {
        Self { current: Mutex::new((0, 0)), omitted: AtomicU64::new(0) }
    }

    /// `None` if there were enough reports of this kind for now; otherwise how many were left out
    /// since the last one.
    #[cold]
    pub fn admit(&self) -> Option<u64> {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        self.admit_at(START.elapsed())
    }

    fn admit_at(&self, time: Duration) -> Option<u64> {
        let window = time.as_secs() / WINDOW.as_secs();
        let mut current = lock(&self.current);
        if current.0 != window {
            *current = (window, 0);
        }
        current.1 = current.1.saturating_add(1);
        let enough = current.1 > BURST;
        drop(current);
        if enough {
            self.omitted.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        Some(self.omitted.swap(0, Ordering::Relaxed))
    }
}

/// Reports an event at the level `warn` or `error`: `report!(warn, "text", name = value, …)`.
/// Each value implements `Display` and is evaluated once.
#[macro_export]
#[doc(hidden)]
macro_rules! report {
    ($level:ident, $text:literal $(, $field:ident = $value:expr)* $(,)?) => {
        match ($(&$value,)*) {
            ($($field,)*) => {
                static REPEATS: $crate::log::Repeats = $crate::log::Repeats::new();
                if let Some(omitted) = REPEATS.admit() {
                    let omitted = (omitted > 0).then_some(omitted);
                    $crate::log::to_subscriber(|| {
                        $crate::log::tracing::$level!($($field = %$field,)* omitted, $text);
                    });
                    if !$crate::log::tracing::dispatcher::has_been_set() {
                        $crate::log::to_stderr(
                            stringify!($level),
                            $text,
                            &[$((stringify!($field), $field as &dyn std::fmt::Display)),*],
                            omitted,
                        );
                    }
                }
            }
        }
    };
}

pub use crate::report;

/// Crates that report need not depend on it.
#[doc(hidden)]
pub use tracing;

/// Makes an event for the subscriber, which is code of the program: one that panics loses the event,
/// and nothing else.
#[cold]
pub fn to_subscriber(event: impl FnOnce()) {
    catch(event);
}

/// Writes one line to standard error: `armilla: warn: TEXT (peer tcp://…, error …)`.
#[cold]
pub fn to_stderr(level: &str, text: &str, fields: &[(&str, &dyn Display)], omitted: Option<u64>) {
    let mut line = format!("armilla: {level}: {text}");
    for (index, (name, value)) in fields.iter().enumerate() {
        let before = if index == 0 { " (" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(line, "{before}{name} {value}");
    }
    if !fields.is_empty() {
        line.push(')');
    }
    if let Some(omitted) = omitted {
        let _ = write!(line, "; {omitted} such lines were left out");
    }
    line.push('\n');
    // It may be closed, or a pipe that nobody reads any more.
    io::stderr().write_all(line.as_bytes()).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_one_kind_are_counted_when_there_are_too_many() {
        let repeats = Repeats::new();
        let at = Duration::from_secs;
        let made = (0..1_000).filter(|_| repeats.admit_at(at(3)).is_some()).count();
        assert_eq!(made, BURST as usize);
        assert_eq!(repeats.admit_at(at(13)), Some(990), "the next one tells the number");
        assert_eq!(repeats.admit_at(at(13)), Some(0));
    }
}
