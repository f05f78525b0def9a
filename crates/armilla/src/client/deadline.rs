//! How long a call may still take.

use super::reference::Effective;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use armilla_ipc::{CoarseInstant, coarse_now};
use std::time::{Duration, Instant};

/// The time that a call may take, counted from its beginning by one reading of the coarse clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    pub(crate) started: CoarseInstant,
    pub(crate) limit: Option<Duration>,
    /// How long it may take until the request has left, where that is less.
    pub(super) request: Option<Duration>,
    /// How long a connection may take, where that is not as the ORB has it.
    pub(super) connect: Option<Duration>,
    /// Whether a connection may be made.
    pub(crate) may_connect: bool,
    /// How many addresses are left to which it may be made, the next one included.
    pub(super) addresses: usize,
}

/// What a connection that takes too long meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Bound {
    /// The end of the call.
    Call,
    /// The part of the time of the call that is not for other addresses.
    Share,
    /// The time that any connection may take.
    Connection,
}

impl Deadline {
    #[inline]
    pub(crate) fn after(limit: Option<Duration>) -> Self {
        let (request, connect) = (None, None);
        let (may_connect, addresses) = (true, 1);
        Self { started: coarse_now(), limit, request, connect, may_connect, addresses }
    }

    /// The same for a call that has so many addresses left.
    #[inline]
    pub(crate) fn among(self, addresses: usize) -> Self {
        Self { addresses, ..self }
    }

    /// Takes the limits from the policies of the call.
    ///
    /// # Errors
    /// `TIMEOUT` when an absolute time has passed already.
    pub(super) fn apply(&mut self, effective: &Effective) -> Result<(), SystemException> {
        let Effective { reply, request, connect, .. } = effective;
        if let Some(passed) = reply.iter().chain(request).find(|limit| limit.time.is_zero()) {
            let what = format!("the call had no time from the start: {passed}");
            let kind = ExceptionKind::Timeout;
            return Err(
                SystemException::new(kind, Minor::SEND_TIMED_OUT, Completion::No).with_reason(what)
            );
        }
        self.limit = reply.map(|limit| limit.time);
        self.request = request.map(|limit| limit.time);
        self.connect = Some(connect.time);
        Ok(())
    }

    /// How long a message may take to leave.
    #[inline(always)]
    pub(crate) fn sending(&self) -> Option<Duration> {
        match self.request {
            None => self.limit,
            Some(request) => Some(self.sending_within(request)),
        }
    }

    #[cold]
    #[inline(never)]
    fn sending_within(&self, request: Duration) -> Duration {
        // At least a moment, for no time at all would be no limit.
        let left = request.saturating_sub(self.elapsed()).max(Duration::from_millis(1));
        self.limit.map_or(left, |limit| limit.min(left))
    }

    /// How long a connection may take, that of the ORB being `usual`: `None` when there is no time
    /// left. And what it is bound by. Of several addresses each gets an equal share of the time that is
    /// left, so that one at which nobody answers does not use up that of the others.
    pub(crate) fn connecting(&self, usual: Duration) -> Option<(Duration, Bound)> {
        let most = self.connect.unwrap_or(usual);
        let addresses = u32::try_from(self.addresses).unwrap_or(u32::MAX).max(1);
        let share = self.leaving()?.map_or(most, |left| left / addresses);
        let bound = match share < most {
            false => Bound::Connection,
            true if addresses > 1 => Bound::Share,
            true => Bound::Call,
        };
        let time = share.min(most);
        (!time.is_zero()).then_some((time, bound))
    }

    pub(crate) fn elapsed(&self) -> Duration {
        coarse_now().since(self.started)
    }

    /// What is left: `Some(None)` when there is no limit, `None` when nothing is left.
    pub(crate) fn remaining(&self) -> Option<Option<Duration>> {
        self.left_of(self.limit)
    }

    /// The same, until the request must have left.
    pub(crate) fn leaving(&self) -> Option<Option<Duration>> {
        self.left_of(self.for_leaving())
    }

    /// How long it may take until the request has left.
    fn for_leaving(&self) -> Option<Duration> {
        self.request.into_iter().chain(self.limit).min()
    }

    fn left_of(&self, limit: Option<Duration>) -> Option<Option<Duration>> {
        match limit {
            None => Some(None),
            Some(limit) => {
                let left = limit.saturating_sub(self.elapsed());
                (!left.is_zero()).then_some(Some(left))
            }
        }
    }

    /// What a call fails with of which `what` was not done in time, so that it was not sent.
    #[cold]
    pub(super) fn unsent(&self, what: &str) -> SystemException {
        let limit = self.for_leaving().into_iter().chain(self.connect).min();
        let what = format!("{what} within {}", milliseconds(limit.unwrap_or_default()));
        let kind = ExceptionKind::Timeout;
        SystemException::new(kind, Minor::SEND_TIMED_OUT, Completion::No).with_reason(what)
    }
}

/// A time that a thread waits, by the precise clock.
pub(crate) struct Wait {
    end: Option<Instant>,
}

impl Wait {
    /// From now on; a limit beyond what the clock can tell is none.
    pub(crate) fn of(limit: Option<Duration>) -> Self {
        Self { end: limit.and_then(|limit| Instant::now().checked_add(limit)) }
    }

    /// What is left: `Some(None)` when there is no limit, `None` when nothing is left.
    pub(crate) fn left(&self) -> Option<Option<Duration>> {
        let Some(end) = self.end else { return Some(None) };
        let left = end.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(Some(left))
    }
}

/// A duration as people read it.
pub(crate) fn milliseconds(duration: Duration) -> String {
    match duration.as_secs_f64() {
        s if s >= 1.0 => format!("{s:.1} s"),
        s => format!("{:.0} ms", s * 1000.0),
    }
}
