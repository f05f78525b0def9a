//! Whether the client of a connection is still there: when it was heard of last, and how it can be
//! asked.

use armilla::{Completion, ExceptionKind, Object, blocking};
use armilla_ipc::real_time::monotonic_now;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// What a channel knows of the presence of a client.
#[derive(Debug)]
pub(crate) struct Presence {
    /// When the client was heard of last, in nanoseconds of the monotonic clock.
    heard: AtomicU64,
    /// The calls of the client that are under way.
    calls: AtomicUsize,
    /// The object by which the client can be asked, if it has given one.
    reference: OnceLock<Object>,
    /// It could not be reached when it was asked last.
    unreached: AtomicBool,
    /// Somebody else looks after it: a proxy whose client has connected.
    is_kept: AtomicBool,
}

/// What a client has answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Here,
    /// It does not exist any more.
    Gone,
    /// Nobody listens where it was, or it was silent: that may pass.
    Unreached,
}

/// A call of a client that is under way, until this is dropped.
pub(crate) struct Call<'a>(&'a Presence);

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.0.hear();
        self.0.calls.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Presence {
    /// A client that was heard of just now.
    pub(crate) fn new() -> Self {
        let (calls, reference, unreached, is_kept) = Default::default();
        Self { heard: AtomicU64::new(now()), calls, reference, unreached, is_kept }
    }

    /// The client was heard of.
    pub(crate) fn hear(&self) {
        self.heard.store(now(), Ordering::Relaxed);
        self.unreached.store(false, Ordering::Relaxed);
    }

    /// A call of the client begins.
    pub(crate) fn begin(&self) -> Call<'_> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Call(self)
    }

    /// The client can be asked by this object, unless it is nil.
    pub(crate) fn set_reference(&self, object: &Object) {
        if !object.is_nil() {
            self.reference.set(object.clone()).ok();
        }
    }

    /// Somebody else looks after the client from now on.
    pub(crate) fn keep(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_reference(&self) -> bool {
        self.reference.get().is_some()
    }

    /// Where the object of the client is; empty if it has given none.
    pub(crate) fn address(&self) -> String {
        let profile = self.reference.get().and_then(|it| it.ior().iiop_profiles().next()?.ok());
        profile.map_or_else(String::new, |it| match it.host {
            host if host.contains(':') => format!("[{host}]:{}", it.port),
            host => format!("{host}:{}", it.port),
        })
    }

    /// For how long nothing was heard of the client. `None` while it calls, and if somebody else
    /// looks after it.
    pub(crate) fn idle(&self) -> Option<Duration> {
        let is_busy = self.calls.load(Ordering::Relaxed) > 0;
        if is_busy || self.is_kept.load(Ordering::Relaxed) {
            return None;
        }
        let since = self.heard.load(Ordering::Relaxed);
        Some(Duration::from_nanos(now().saturating_sub(since)))
    }

    /// Asks the client, which has this time to answer.
    pub(crate) fn ask(&self, limit: Duration) -> Asked {
        let Some(object) = self.reference.get() else { return Asked::Unreached };
        let object = object.with_timeout(limit);
        // Another thread reads requests meanwhile.
        match blocking(|| object.non_existent()) {
            Ok(true) => Asked::Gone,
            Ok(false) => {
                self.hear();
                Asked::Here
            }
            Err(exception) => match exception.kind() {
                ExceptionKind::ObjectNotExist | ExceptionKind::InvObjref => Asked::Gone,
                ExceptionKind::Transient | ExceptionKind::CommFailure
                    if exception.completed() == Completion::No =>
                {
                    Asked::Unreached
                }
                ExceptionKind::Timeout | ExceptionKind::CommFailure => Asked::Unreached,
                // It has answered, if only that it cannot.
                _ => {
                    self.hear();
                    Asked::Here
                }
            },
        }
    }

    /// Asks the client, and says whether it is gone: it does not exist, or it was not reached twice
    /// in a row.
    pub(crate) fn is_gone(&self, limit: Duration) -> bool {
        match self.ask(limit) {
            Asked::Here => false,
            Asked::Gone => true,
            Asked::Unreached => self.unreached.swap(true, Ordering::Relaxed),
        }
    }
}

fn now() -> u64 {
    crate::event::nanos(monotonic_now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_idle_while_it_does_not_call() {
        let presence = Presence::new();
        assert!(presence.idle().is_some());
        let call = presence.begin();
        assert_eq!(presence.idle(), None);
        drop(call);
        assert!(presence.idle().is_some());
        presence.keep();
        assert_eq!(presence.idle(), None);
    }

    #[test]
    fn who_cannot_be_reached_is_gone_the_second_time() {
        let presence = Presence::new();
        let limit = Duration::from_secs(1);
        assert!(!presence.is_gone(limit));
        assert!(presence.is_gone(limit));
        presence.hear();
        assert!(!presence.is_gone(limit));
    }
}
