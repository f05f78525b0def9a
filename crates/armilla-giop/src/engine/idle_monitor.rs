//! How long a peer may be silent. The clock is the caller's: it looks now and then and says the time.

use core::time::Duration;

/// What a connection shows of itself, for an [`IdleMonitor`] to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// Its state.
    pub state: ReadState,
    /// Changes whenever it begins to be in that state, even if it is the same as before.
    pub serial: u64,
    /// Changes whenever a part of an unfinished message comes.
    pub reads: u64,
}

/// What a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadState {
    /// A request is being served.
    Busy,
    /// It waits for a message.
    Waiting,
    /// It waits for the rest of a message.
    Partial,
}

/// How long a peer may keep a connection waiting.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// For a message.
    pub idle: Duration,
    /// For more of a message that has begun.
    pub halfway: Duration,
    /// For the whole of a message that has begun.
    pub message: Duration,
}

/// What a peer has kept a connection waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutKind {
    /// A message.
    Idle,
    /// More of a message.
    Stalled,
    /// The end of a message, whose parts came one by one.
    Slow,
}

/// Watches one connection.
///
/// ```
/// use armilla_giop::engine::{Activity, Timeouts, TimeoutKind, ReadState, IdleMonitor};
/// use core::time::Duration;
///
/// let seconds = Duration::from_secs;
/// let timeouts = Timeouts { idle: seconds(300), halfway: seconds(10), message: seconds(120) };
/// let activity = Activity { state: ReadState::Partial, serial: 1, reads: 4 };
/// let mut monitor = IdleMonitor::new(activity, seconds(0));
/// assert_eq!(monitor.check(activity, seconds(9), &timeouts), None);
/// assert_eq!(monitor.check(Activity { reads: 5, ..activity }, seconds(18), &timeouts), None);
/// assert_eq!(monitor.check(Activity { reads: 5, ..activity }, seconds(28), &timeouts), Some(TimeoutKind::Stalled));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct IdleMonitor {
    activity: Activity,
    /// Since when, at the latest, the serial is as it is, and the reads.
    since: Duration,
    read: Duration,
    /// When the serial was last seen to be another.
    before: Duration,
    looked: Duration,
}

impl IdleMonitor {
    /// Begins to watch a connection at the time `now`, counted from wherever the caller likes.
    pub const fn new(activity: Activity, now: Duration) -> Self {
        Self { activity, since: now, read: now, before: now, looked: now }
    }

    /// Looks at the connection at the time `now`: whether the peer has been silent for too long.
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
            ReadState::Partial if now.saturating_sub(self.read) >= timeouts.halfway => {
                Some(TimeoutKind::Stalled)
            }
            ReadState::Partial if waited >= timeouts.message => Some(TimeoutKind::Slow),
            _ => None,
        }
    }

    /// Since when, at the earliest, the connection waits for a message; `None` when it does not.
    pub fn idle_since(&self) -> Option<Duration> {
        (self.activity.state == ReadState::Waiting).then_some(self.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUTS: Timeouts = Timeouts {
        idle: Duration::from_secs(300),
        halfway: Duration::from_secs(10),
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
