//! Detects peers that are idle, that stall within a message, or that send one too slowly.
//!
//! The monitor has no clock and closes nothing: the caller checks each connection now and then,
//! passes the time, and acts on the [`TimeoutKind`]. That costs one sweep for all connections
//! instead of a kernel timer for each read.

use core::time::Duration;

/// A snapshot of a connection, which its reader publishes and an [`IdleMonitor`] compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// What the connection waits for.
    pub state: ReadState,
    /// Changes whenever the connection enters a state, even the same one again.
    pub serial: u64,
    /// Changes whenever more octets of an unfinished message arrive.
    pub reads: u64,
}

/// What a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadState {
    /// A request is being served.
    Busy,
    /// The connection waits for a message.
    Waiting,
    /// The connection waits for the rest of a message.
    Partial,
}

/// The timeouts of a connection.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// Between messages.
    pub idle: Duration,
    /// Between two reads of one message.
    pub stall: Duration,
    /// From the first octet of a message to its last.
    pub message: Duration,
}

/// Which of the [`Timeouts`] has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutKind {
    /// [`Timeouts::idle`]: no message came.
    Idle,
    /// [`Timeouts::stall`]: a message began and nothing more of it came.
    Stalled,
    /// [`Timeouts::message`]: a message keeps coming and does not end.
    Slow,
}

/// Tells when one connection has exceeded its timeouts.
///
/// ```
/// use armilla_giop::engine::{Activity, IdleMonitor, ReadState, TimeoutKind, Timeouts};
/// use core::time::Duration;
///
/// let seconds = Duration::from_secs;
/// let timeouts = Timeouts { idle: seconds(300), stall: seconds(10), message: seconds(120) };
/// let activity = Activity { state: ReadState::Partial, serial: 1, reads: 4 };
/// let mut monitor = IdleMonitor::new(activity, seconds(0));
/// assert_eq!(monitor.check(activity, seconds(9), &timeouts), None);
/// let more = Activity { reads: 5, ..activity };
/// assert_eq!(monitor.check(more, seconds(18), &timeouts), None);
/// assert_eq!(monitor.check(more, seconds(28), &timeouts), Some(TimeoutKind::Stalled));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct IdleMonitor {
    activity: Activity,
    /// When the present serial was first seen, and the present count of reads.
    since: Duration,
    read: Duration,
    /// When another serial was last seen.
    before: Duration,
    looked: Duration,
}

impl IdleMonitor {
    /// A monitor for a connection that shows `activity` at the time `now`. The origin of time is
    /// the caller's choice.
    pub const fn new(activity: Activity, now: Duration) -> Self {
        Self { activity, since: now, read: now, before: now, looked: now }
    }

    /// Compares the connection with what it showed at the previous check, and returns the timeout
    /// that has passed at the time `now`, if one has.
    pub fn check(
        &mut self,
        activity: Activity,
        now: Duration,
        timeouts: &Timeouts,
    ) -> Option<TimeoutKind> {
        if (activity.state, activity.serial) != (self.activity.state, self.activity.serial) {
            *self = Self { before: self.looked, ..Self::new(activity, now) };
        } else if activity.reads != self.activity.reads {
            self.activity = activity;
            self.read = now;
        }
        self.looked = now;
        let waited = now.saturating_sub(self.since);
        match activity.state {
            ReadState::Waiting if waited >= timeouts.idle => Some(TimeoutKind::Idle),
            ReadState::Partial if now.saturating_sub(self.read) >= timeouts.stall => {
                Some(TimeoutKind::Stalled)
            }
            ReadState::Partial if waited >= timeouts.message => Some(TimeoutKind::Slow),
            _ => None,
        }
    }

    /// Notes that the connection has entered no state before the time `now`, which the caller knows
    /// without a look at it, unless it was serving a request.
    pub fn was_quiet_until(&mut self, now: Duration) {
        if self.activity.state != ReadState::Busy {
            self.looked = self.looked.max(now);
        }
    }

    /// The time from `now` until a [`check`](Self::check) may return a timeout, if the connection
    /// goes on showing what it showed at the last one. `None` if none can pass then.
    pub fn left(&self, now: Duration, timeouts: &Timeouts) -> Option<Duration> {
        let end = match self.activity.state {
            ReadState::Busy => return None,
            ReadState::Waiting => self.since.saturating_add(timeouts.idle),
            ReadState::Partial => {
                let stall = self.read.saturating_add(timeouts.stall);
                stall.min(self.since.saturating_add(timeouts.message))
            }
        };
        Some(end.saturating_sub(now))
    }

    /// The earliest time from which the connection may have been idle; `None` when it is not.
    pub fn idle_since(&self) -> Option<Duration> {
        (self.activity.state == ReadState::Waiting).then_some(self.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUTS: Timeouts = Timeouts {
        idle: Duration::from_secs(300),
        stall: Duration::from_secs(10),
        message: Duration::from_secs(120),
    };

    fn activity(state: ReadState, serial: u64, reads: u64) -> Activity {
        Activity { state, serial, reads }
    }

    #[test]
    fn a_peer_that_sends_an_octet_every_nine_seconds_is_found_out() {
        let mut monitor = IdleMonitor::new(activity(ReadState::Partial, 1, 0), Duration::ZERO);
        let found = (1..).map(|n| n * 9).find_map(|second| {
            let activity = activity(ReadState::Partial, 1, second);
            let timeout = monitor.check(activity, Duration::from_secs(second), &TIMEOUTS);
            timeout.map(|timeout| (second, timeout))
        });
        assert_eq!(found, Some((126, TimeoutKind::Slow)));
    }

    #[test]
    fn a_connection_that_is_used_is_never_idle_and_one_that_serves_never_silent() {
        let mut monitor = IdleMonitor::new(activity(ReadState::Waiting, 0, 0), Duration::ZERO);
        for second in 1..2_000 {
            let now = Duration::from_secs(second);
            let waiting = activity(ReadState::Waiting, second / 299, 0);
            assert_eq!(monitor.check(waiting, now, &TIMEOUTS), None, "{second}");
        }
        let mut monitor = IdleMonitor::new(activity(ReadState::Busy, 0, 0), Duration::ZERO);
        let late = Duration::from_secs(1_000_000);
        assert_eq!(monitor.check(activity(ReadState::Busy, 0, 0), late, &TIMEOUTS), None);
        assert_eq!(monitor.idle_since(), None);
    }

    #[test]
    fn what_is_left_is_the_time_until_a_timeout_is_found() {
        let seconds = Duration::from_secs;
        let mut monitor = IdleMonitor::new(activity(ReadState::Waiting, 0, 0), seconds(5));
        assert_eq!(monitor.left(seconds(105), &TIMEOUTS), Some(seconds(200)));
        assert_eq!(monitor.left(seconds(400), &TIMEOUTS), Some(Duration::ZERO));
        monitor.check(activity(ReadState::Partial, 1, 0), seconds(6), &TIMEOUTS);
        assert_eq!(monitor.left(seconds(6), &TIMEOUTS), Some(seconds(10)));
        monitor.check(activity(ReadState::Partial, 1, 1), seconds(120), &TIMEOUTS);
        assert_eq!(monitor.left(seconds(120), &TIMEOUTS), Some(seconds(6)), "the whole message");
        monitor.check(activity(ReadState::Busy, 2, 1), seconds(121), &TIMEOUTS);
        assert_eq!(monitor.left(seconds(121), &TIMEOUTS), None);
    }

    #[test]
    fn a_pause_between_checks_in_which_nothing_happened_is_no_doubt() {
        let seconds = Duration::from_secs;
        let mut monitor = IdleMonitor::new(activity(ReadState::Waiting, 0, 0), Duration::ZERO);
        monitor.was_quiet_until(seconds(200));
        monitor.check(activity(ReadState::Waiting, 1, 0), seconds(201), &TIMEOUTS);
        assert_eq!(monitor.idle_since(), Some(seconds(200)));
        monitor.check(activity(ReadState::Busy, 2, 0), seconds(202), &TIMEOUTS);
        monitor.was_quiet_until(seconds(300));
        monitor.check(activity(ReadState::Waiting, 3, 0), seconds(301), &TIMEOUTS);
        assert_eq!(monitor.idle_since(), Some(seconds(202)), "it may have ended at once");
    }

    #[test]
    fn silence_begins_anew_with_every_message() {
        let seconds = Duration::from_secs;
        let mut monitor = IdleMonitor::new(activity(ReadState::Waiting, 0, 0), Duration::ZERO);
        assert_eq!(
            monitor.check(activity(ReadState::Waiting, 0, 0), seconds(200), &TIMEOUTS),
            None
        );
        assert_eq!(
            monitor.check(activity(ReadState::Waiting, 2, 0), seconds(299), &TIMEOUTS),
            None
        );
        assert_eq!(monitor.idle_since(), Some(seconds(200)), "it may have changed just then");
        assert_eq!(
            monitor.check(activity(ReadState::Waiting, 2, 0), seconds(598), &TIMEOUTS),
            None
        );
        let last = monitor.check(activity(ReadState::Waiting, 2, 0), seconds(599), &TIMEOUTS);
        assert_eq!(last, Some(TimeoutKind::Idle));
    }
}
