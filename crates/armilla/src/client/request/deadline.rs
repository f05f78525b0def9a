//! Time limits: of a call, of sending its request, and of connecting. No waiting happens here.

use super::effective::Effective;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use armilla_ipc::{CoarseInstant, coarse_now};
use std::fmt;
use std::time::{Duration, Instant};

/// The time limits of a call, counted from its start by one reading of the coarse clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    pub(crate) started: CoarseInstant,
    pub(crate) limit: Option<Duration>,
    /// The limit for sending the request, if it is shorter.
    pub(in crate::client) request: Option<Duration>,
    /// The limit for connecting; `None` for that of the ORB.
    pub(in crate::client) connect: Option<Duration>,
    /// Whether a new connection may be made.
    pub(crate) may_connect: bool,
    /// The number of addresses left to connect to, the next one included.
    pub(in crate::client) addresses: usize,
}

/// The limit that ends an attempt to connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Bound {
    /// The end of the call.
    Call,
    /// This address's share of the call's time; the rest is for other addresses.
    Share,
    /// The limit for connecting.
    Connection,
}

impl Deadline {
    #[inline]
    pub(crate) fn after(limit: Option<Duration>) -> Self {
        let (request, connect) = (None, None);
        let (may_connect, addresses) = (true, 1);
        Self { started: coarse_now(), limit, request, connect, may_connect, addresses }
    }

    /// The same deadline for a call with this number of addresses left.
    pub(crate) fn with_addresses(self, addresses: usize) -> Self {
        Self { addresses, ..self }
    }

    /// The same deadline for an attempt that does not begin with the call: what was left of the
    /// time for sending when the call began may have passed.
    pub(in crate::client) fn late(self) -> Self {
        Self { request: self.request.or(self.limit), ..self }
    }

    /// Takes the limits from the policies of the call.
    ///
    /// # Errors
    /// `TIMEOUT` when an absolute limit has already passed.
    pub(in crate::client) fn apply(
        &mut self,
        effective: &Effective,
    ) -> Result<(), SystemException> {
        if let Some(passed) = effective.shortest(true).filter(|limit| limit.time.is_zero()) {
            let what = format!("the call had no time from the start: {passed}");
            let kind = ExceptionKind::Timeout;
            return Err(
                SystemException::new(kind, Minor::SEND_TIMED_OUT, Completion::No).with_reason(what)
            );
        }
        let Effective { reply, request, connect, .. } = effective;
        self.limit = reply.map(|limit| limit.time);
        self.request = request.map(|limit| limit.time);
        self.connect = Some(connect.time);
        Ok(())
    }

    /// The limit for sending a message.
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
        // At least 1 ms: the socket takes zero for no limit.
        let left = request.saturating_sub(self.elapsed()).max(Duration::from_millis(1));
        self.limit.map_or(left, |limit| limit.min(left))
    }

    /// The time for making a connection and the limit that it comes from. `usual` is the ORB's
    /// limit. `None` when no time is left. Each of several addresses gets an equal share of the
    /// time left, so that an unresponsive one does not use up the time of the others.
    pub(crate) fn connecting(&self, usual: Duration) -> Option<(Duration, Bound)> {
        let most = self.connect.unwrap_or(usual);
        let addresses = u32::try_from(self.addresses).unwrap_or(u32::MAX).max(1);
        let share = self.send_time_left()?.map_or(most, |left| left / addresses);
        let bound = match share < most {
            false => Bound::Connection,
            true if addresses > 1 => Bound::Share,
            true => Bound::Call,
        };
        let time = share.min(most);
        (!time.is_zero()).then_some((time, bound))
    }

    /// The time at which the call expires, in nanoseconds of the coarse clock.
    pub(in crate::client) fn expires(&self) -> Option<u64> {
        Some(self.started.plus(self.limit?).as_nanos())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        coarse_now().since(self.started)
    }

    /// The time left of the call: `Some(None)` without a limit, `None` when it has expired.
    pub(crate) fn remaining(&self) -> Option<Option<Duration>> {
        self.left_of(self.limit)
    }

    /// The time left for sending the request, in the form of [`remaining`](Self::remaining).
    pub(crate) fn send_time_left(&self) -> Option<Option<Duration>> {
        self.left_of(self.send_limit())
    }

    /// The time left for delivering the request within the process; the whole of it unless the
    /// attempt is a `late` one. `None` without a limit of its own.
    pub(in crate::client) fn delivery_left(&self, late: bool) -> Option<Duration> {
        match late {
            false => self.request,
            true => Some(self.request?.saturating_sub(self.elapsed())),
        }
    }

    /// The limit for sending the request.
    fn send_limit(&self) -> Option<Duration> {
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

    /// Checks that there is time left to send the request `to` its server.
    ///
    /// # Errors
    /// `TIMEOUT` when there is none.
    pub(in crate::client) fn check_sendable(
        &self,
        to: &dyn fmt::Display,
    ) -> Result<(), SystemException> {
        match self.send_time_left() {
            Some(_) => Ok(()),
            None => Err(self.unsent(&format!("the call could not be sent to {to}"))),
        }
    }

    /// The exception of a call that was not sent, because `what` was not done in time.
    pub(in crate::client) fn unsent(&self, what: &str) -> SystemException {
        let limit = self.send_limit().into_iter().chain(self.connect).min();
        let what = format!("{what} within {}", milliseconds(limit.unwrap_or_default()));
        let kind = ExceptionKind::Timeout;
        SystemException::new(kind, Minor::SEND_TIMED_OUT, Completion::No).with_reason(what)
    }
}

/// A time limit for a wait of a thread, by the precise clock.
pub(crate) struct Wait {
    end: Option<Instant>,
}

impl Wait {
    /// Starts the limit now. A limit beyond the range of the clock is no limit.
    pub(crate) fn of(limit: Option<Duration>) -> Self {
        Self { end: limit.and_then(|limit| Instant::now().checked_add(limit)) }
    }

    /// The time left: `Some(None)` without a limit, `None` when it has passed.
    pub(crate) fn left(&self) -> Option<Option<Duration>> {
        let Some(end) = self.end else { return Some(None) };
        let left = end.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(Some(left))
    }
}

/// A duration for messages: in seconds, or in milliseconds below one second.
pub(crate) fn milliseconds(duration: Duration) -> String {
    match duration.as_secs_f64() {
        s if s >= 1.0 => format!("{s:.1} s"),
        s => format!("{:.0} ms", s * 1000.0),
    }
}
