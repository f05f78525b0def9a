//! Connections from which nothing comes any more: the address is gone, a firewall has forgotten the
//! connection, or the server hangs. Such a connection stays open for as long as the system tries to
//! send, while a new one might work at once.
//!
//! It shows when a call has expired: the connection is *silent* if nothing at all has arrived on it
//! although requests wait for their replies. It then takes no new requests. Those under way keep
//! their own time, and their replies are taken if they come. Where other replies arrive meanwhile,
//! the server is merely slow with one call, and the connection stays.
//!
//! Only a call that expires looks, so that this costs other calls nothing but the count of what
//! arrives.

use armilla_ipc::CoarseInstant;
use std::time::Duration;

/// Who wants to know that a connection has gone silent: its endpoint, of which the connection does
/// not know more.
pub(crate) trait SilenceListener: Send + Sync {
    /// Nothing has arrived since `since`, while a call waited.
    fn went_silent(&self, since: CoarseInstant);
}

/// A call that is cancelled counts as expired if it has waited for so long: a task gives a call up
/// when its own limit, of which the call does not know, has passed.
pub(super) const PATIENCE: Duration = Duration::from_millis(250);

/// The silence of a connection, told by the count of what has arrived on it.
#[derive(Debug)]
pub(super) struct Silence {
    /// The count when the first request was sent after which nothing has arrived, and the time.
    asked: (u64, CoarseInstant),
    /// The count at which the connection was found silent.
    found: u64,
    /// Until when the connection is not found silent again: there is no better one.
    trusted: CoarseInstant,
}

/// How long a connection is trusted where another one could not be made, or was silent too.
const TRUST: Duration = Duration::from_secs(10);

/// No count of what has arrived.
const NEVER: u64 = u64::MAX;

impl Silence {
    pub(super) const fn new() -> Self {
        let never = CoarseInstant::from_nanos(0);
        Self { asked: (NEVER, never), found: NEVER, trusted: never }
    }

    /// Notes that something is sent to which the peer answers, when `arrived` has arrived so far.
    #[inline]
    pub(super) const fn ask(&mut self, arrived: u64, now: CoarseInstant) {
        if self.asked.0 != arrived {
            self.asked = (arrived, now);
        }
    }

    /// Since when an answer is missing and nothing else has arrived.
    pub(super) fn unanswered_since(&self, arrived: u64) -> Option<CoarseInstant> {
        (self.asked.0 == arrived).then_some(self.asked.1)
    }

    /// Whether the connection is silent: it was found so, and nothing has arrived since.
    #[inline]
    pub(super) const fn is_found(&self, arrived: u64) -> bool {
        self.found == arrived
    }

    /// Decides at the end of a call that had `limit`, and returns since when the connection is
    /// silent if it is. The missing answer may be that of another call: of many calls that go
    /// unanswered together, the first to expire may have begun before the last reply came, and those
    /// that follow must not wait for nothing. It must have been missing for most of the time: a call
    /// that was sent in its last moment, because connecting took long, proves nothing.
    pub(super) fn find(
        &mut self,
        arrived: u64,
        now: CoarseInstant,
        limit: Duration,
    ) -> Option<CoarseInstant> {
        let since = self.unanswered_since(arrived)?;
        let silent = now.since(since) >= limit / 4 * 3 && self.mark(arrived, now);
        silent.then_some(since)
    }

    /// Marks the connection as silent, unless it is trusted. Whether it is silent.
    pub(super) fn mark(&mut self, arrived: u64, now: CoarseInstant) -> bool {
        if now >= self.trusted {
            self.found = arrived;
        }
        self.is_found(arrived)
    }

    /// Takes what was found back, and trusts the connection for a while.
    pub(super) const fn trust(&mut self, now: CoarseInstant) {
        self.found = NEVER;
        self.trusted = now.plus(TRUST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(1000);

    fn at(milliseconds: u64) -> CoarseInstant {
        CoarseInstant::from_nanos(milliseconds * 1_000_000)
    }

    #[test]
    fn a_call_to_which_nothing_came_finds_the_connection_silent_until_something_comes() {
        let mut silence = Silence::new();
        assert_eq!(silence.find(0, at(5000), LIMIT), None, "nothing was asked");
        silence.ask(7, at(0));
        silence.ask(7, at(400));
        assert_eq!(silence.find(7, at(1000), LIMIT), Some(at(0)));
        assert!(silence.is_found(7) && !silence.is_found(8));
        silence.trust(at(1000));
        assert!(!silence.is_found(7));
        assert_eq!(silence.find(7, at(2000), LIMIT), None, "there is nothing better");
        assert_eq!(silence.find(7, at(20_000), LIMIT), Some(at(0)));
    }

    #[test]
    fn other_replies_show_that_the_server_is_merely_slow() {
        let mut silence = Silence::new();
        silence.ask(0, at(0));
        silence.ask(0, at(100));
        assert_eq!(silence.find(1, at(1000), LIMIT), None, "a reply came");
        silence.ask(1, at(600));
        assert_eq!(silence.find(1, at(1000), LIMIT), None, "the other call has just begun");
        assert!(!silence.is_found(1));
    }

    #[test]
    fn of_calls_that_end_together_the_first_finds_the_silence() {
        let mut silence = Silence::new();
        silence.ask(0, at(0));
        // The reply to another call came, whose thread has called again at once.
        silence.ask(1, at(3));
        assert_eq!(silence.find(1, at(1000), LIMIT), Some(at(3)));
    }
}
