//! Connections between two flows. Each is watched, so that one whose peer closes it or begins the
//! next flow needs no thread, and is closed when its time is over.
//!
//! To watch costs system calls, and wakes a thread that is of no use when the next flow comes at
//! once. So a connection that somebody will look at soon is watched only after a while.

use crate::carrier::Carrier;
use crate::reactor::reactor;
use armilla_ipc::reactor::{Handler, Next, Reactor, Ready, Timer, TimerHandler, Token};
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// For how long a connection may be kept that nobody watches: most take their next flow sooner.
pub(crate) const GRACE: Duration = Duration::from_millis(10);

/// From when on a connection is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watched {
    AtOnce,
    /// Somebody will take it or wait for it soon, or else it is watched then.
    Soon,
}

/// What becomes of a connection on which the peer does something: it sends octets or closes.
type OnReady<T> = Box<dyn Fn(Arc<Carrier>, T) + Send + Sync>;

/// The idle connections of one side, each with what its owner wants to know of it.
pub(crate) struct Idle<T>(Arc<Shared<T>>);

struct Shared<T> {
    state: Mutex<State<T>>,
    on_ready: OnReady<T>,
    grace: Duration,
}

struct State<T> {
    /// The oldest first.
    entries: Vec<Entry<T>>,
    numbers: u64,
    closed: bool,
}

struct Entry<T> {
    watch: Arc<Watch<T>>,
    item: T,
    /// `None` for ever.
    until: Option<Instant>,
    /// Of the watch, if it has begun.
    token: Option<Token>,
    /// Whether a thread waits itself.
    awaited: bool,
    timer: Timer,
}

impl<T: Send + 'static> Idle<T> {
    /// A connection that is to be watched [`Soon`](Watched::Soon) is so after `grace`.
    pub(crate) fn new(
        grace: Duration,
        on_ready: impl Fn(Arc<Carrier>, T) + Send + Sync + 'static,
    ) -> Self {
        let state = State { entries: Vec::new(), numbers: 0, closed: false };
        Self(Arc::new(Shared { state: Mutex::new(state), on_ready: Box::new(on_ready), grace }))
    }

    /// Keeps a connection for `limit`, and returns a number for it; with more than `most` of them
    /// the oldest is closed.
    pub(crate) fn keep(
        &self,
        carrier: Arc<Carrier>,
        item: T,
        (most, limit): (usize, Duration),
        watched: Watched,
    ) -> Option<u64> {
        let mut state = self.0.state();
        if state.closed || most == 0 {
            return None;
        }
        state.numbers += 1;
        let number = state.numbers;
        // Whatever happens from here on waits for the lock, and then finds the entry.
        let watch = Arc::new(Watch { carrier, shared: Arc::downgrade(&self.0), number });
        let begun = reactor().and_then(|reactor| match watched {
            Watched::AtOnce => Ok((reactor, Some(watch.begin()?), limit)),
            Watched::Soon => Ok((reactor, None, limit.min(self.0.grace))),
        });
        let (reactor, token, next) = match begun {
            Ok(begun) => begun,
            Err(error) => {
                tracing::debug!(%error, "a connection is closed after its flow");
                return None;
            }
        };
        let timer = reactor.arm(next, Arc::clone(&watch) as Arc<dyn TimerHandler>);
        let until = Instant::now().checked_add(limit);
        state.entries.push(Entry { watch, item, until, token, awaited: false, timer });
        let surplus = state.entries.len().saturating_sub(most);
        let surplus: Vec<_> = state.entries.drain(..surplus).collect();
        drop(state);
        surplus.into_iter().for_each(|entry| drop(entry.release()));
        Some(number)
    }

    /// Waits in this thread until the peer does something on a kept connection, and takes it then;
    /// `None` if that takes longer than `limit`, or if the connection is not kept any more.
    pub(crate) fn wait(&self, number: u64, limit: Duration) -> Option<(Arc<Carrier>, T)> {
        let carrier = self.0.state().find(number).map(|entry| {
            entry.awaited = true;
            entry.end_watch();
            Arc::clone(&entry.watch.carrier)
        })?;
        if carrier.wait_readable(limit) {
            return self.0.remove(number);
        }
        let mut state = self.0.state();
        let entry = state.find(number)?;
        entry.awaited = false;
        entry.begin_watch();
        None
    }

    /// Takes the connection that was used last among those whose item is `wanted`, and on which the
    /// peer has done nothing.
    pub(crate) fn take(&self, wanted: impl Fn(&T) -> bool) -> Option<Arc<Carrier>> {
        loop {
            let mut state = self.0.state();
            let at = state.entries.iter().rposition(|entry| wanted(&entry.item))?;
            let entry = state.entries.remove(at);
            drop(state);
            let (carrier, _) = entry.release();
            // A peer that is still there has sent nothing, because it is not its turn.
            let waits = carrier.stream().try_recv(&mut [0]);
            if waits.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock) {
                return Some(carrier);
            }
        }
    }

    /// Closes the connection that was not used for longest; false if there is none.
    pub(crate) fn close_oldest(&self) -> bool {
        let mut state = self.0.state();
        let oldest = (!state.entries.is_empty()).then(|| state.entries.remove(0));
        drop(state);
        oldest.map(Entry::release).is_some()
    }

    /// Closes all; no others are kept.
    pub(crate) fn close(&self) {
        let mut state = self.0.state();
        state.closed = true;
        let entries = std::mem::take(&mut state.entries);
        drop(state);
        entries.into_iter().for_each(|entry| drop(entry.release()));
    }
}

impl<T: Send + 'static> Shared<T> {
    fn remove(&self, number: u64) -> Option<(Arc<Carrier>, T)> {
        let mut state = self.state();
        let at = state.entries.iter().position(|entry| entry.watch.number == number)?;
        let entry = state.entries.remove(at);
        drop(state);
        Some(entry.release())
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> State<T> {
    fn find(&mut self, number: u64) -> Option<&mut Entry<T>> {
        self.entries.iter_mut().find(|entry| entry.watch.number == number)
    }
}

impl<T: Send + 'static> Entry<T> {
    /// Watches the connection, unless somebody does.
    fn begin_watch(&mut self) {
        if self.awaited || self.token.is_some() {
            return;
        }
        match self.watch.begin() {
            Ok(token) => self.token = Some(token),
            Err(error) => tracing::debug!(%error, "a connection is closed when its time is over"),
        }
    }

    /// Gives the connection up, which can be watched again later.
    fn release(mut self) -> (Arc<Carrier>, T) {
        self.end_watch();
        if let Ok(reactor) = reactor() {
            reactor.cancel(self.timer);
        }
        (Arc::clone(&self.watch.carrier), self.item)
    }

    fn end_watch(&mut self) {
        if let (Some(token), Ok(reactor)) = (self.token.take(), reactor()) {
            reactor.deregister(token);
        }
    }
}

/// Tells of one connection.
struct Watch<T> {
    carrier: Arc<Carrier>,
    shared: Weak<Shared<T>>,
    number: u64,
}

impl<T: Send + 'static> Watch<T> {
    fn begin(self: &Arc<Self>) -> io::Result<Token> {
        reactor()?.register(Arc::clone(self) as Arc<dyn Handler>)
    }
}

impl<T: Send + 'static> Handler for Watch<T> {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.carrier.descriptor()
    }

    fn ready(&self, _: &Reactor, _: Token, _: Ready) -> Next {
        if let Some(shared) = self.shared.upgrade()
            && let Some((carrier, item)) = shared.remove(self.number)
        {
            (shared.on_ready)(carrier, item);
        }
        Next::Deregister
    }
}

impl<T: Send + 'static> TimerHandler for Watch<T> {
    /// Begins to watch, or closes the connection.
    fn expired(&self, _: &Reactor, _: Timer) -> Option<Duration> {
        let shared = self.shared.upgrade()?;
        let mut state = shared.state();
        let entry = state.find(self.number)?;
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        let left = entry.until.map_or(Duration::MAX, left);
        if left.is_zero() {
            drop(state);
            shared.remove(self.number);
            return None;
        }
        entry.begin_watch();
        Some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_ipc::{Stream, UnixStream};
    use std::sync::mpsc::{Receiver, channel};

    const LONG: Duration = Duration::from_secs(3600);

    /// Keeps a connection on which the next flow has begun, and who is told of it.
    fn kept(grace: Duration) -> (Idle<()>, u64, UnixStream, Receiver<Arc<Carrier>>) {
        let (told, tells) = channel();
        let told = Mutex::new(told);
        let idle = Idle::new(grace, move |carrier, ()| {
            told.lock().unwrap().send(carrier).unwrap();
        });
        let (near, far) = UnixStream::pair().unwrap();
        far.send_all(b"x").unwrap();
        let carrier = Arc::new(Carrier::Unix(near));
        let number = idle.keep(carrier, (), (1, LONG), Watched::Soon).unwrap();
        (idle, number, far, tells)
    }

    #[test]
    fn a_flow_that_follows_at_once_stays_in_its_thread() {
        let (idle, number, _far, tells) = kept(LONG);
        let (carrier, ()) = idle.wait(number, LONG).unwrap();
        assert_eq!(carrier.stream().recv(&mut [0; 2]).unwrap(), 1);
        drop(idle);
        assert!(tells.try_recv().is_err());
    }

    #[test]
    fn a_flow_that_no_thread_waits_for_is_noticed() {
        let (_idle, _, _far, tells) = kept(Duration::from_millis(1));
        let carrier = tells.recv_timeout(LONG).unwrap();
        assert_eq!(carrier.stream().recv(&mut [0; 2]).unwrap(), 1);
    }
}
