//! Connections between two flows. Each is watched, so that one whose peer closes it or begins the
//! next flow needs no thread, and is closed when its time is over.

use crate::carrier::Carrier;
use crate::reactor::reactor;
use armilla_ipc::reactor::{Handler, Next, Reactor, Ready, Timer, TimerHandler, Token};
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// What becomes of a connection on which the peer does something: it sends octets or closes.
type OnReady<T> = Box<dyn Fn(Arc<Carrier>, T) + Send + Sync>;

/// The idle connections of one side, each with what its owner wants to know of it.
pub(crate) struct Idle<T>(Arc<Shared<T>>);

struct Shared<T> {
    state: Mutex<State<T>>,
    on_ready: OnReady<T>,
}

struct State<T> {
    /// The oldest first.
    entries: Vec<Entry<T>>,
    numbers: u64,
    closed: bool,
}

struct Entry<T> {
    number: u64,
    carrier: Arc<Carrier>,
    item: T,
    /// Of the watch, unless a thread waits itself.
    token: Option<Token>,
    timer: Timer,
}

impl<T: Send + 'static> Idle<T> {
    pub(crate) fn new(on_ready: impl Fn(Arc<Carrier>, T) + Send + Sync + 'static) -> Self {
        let state = State { entries: Vec::new(), numbers: 0, closed: false };
        Self(Arc::new(Shared { state: Mutex::new(state), on_ready: Box::new(on_ready) }))
    }

    /// Keeps a connection for `limit`, and returns a number for it; with more than `most` of them
    /// the oldest is closed.
    pub(crate) fn keep(
        &self,
        carrier: Arc<Carrier>,
        item: T,
        most: usize,
        limit: Duration,
    ) -> Option<u64> {
        let mut state = self.0.state();
        if state.closed || most == 0 {
            return None;
        }
        state.numbers += 1;
        let number = state.numbers;
        // Whatever happens from here on waits for the lock, and then finds the entry.
        let watch = self.0.watch(number, &carrier).and_then(|(watch, token)| {
            let timer = reactor()?.arm(limit, watch as Arc<dyn TimerHandler>);
            Ok((Some(token), timer))
        });
        let (token, timer) = match watch {
            Ok(watch) => watch,
            Err(error) => {
                tracing::debug!(%error, "a connection is closed after its flow");
                return None;
            }
        };
        state.entries.push(Entry { number, carrier, item, token, timer });
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
            entry.end_watch();
            Arc::clone(&entry.carrier)
        })?;
        if carrier.wait_readable(limit) {
            return self.0.remove(number);
        }
        let mut state = self.0.state();
        let entry = state.find(number)?;
        match self.0.watch(number, &carrier) {
            Ok((_, token)) => entry.token = Some(token),
            Err(error) => tracing::debug!(%error, "a connection is closed when its time is over"),
        }
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
    /// Begins to watch a connection.
    fn watch(
        self: &Arc<Self>,
        number: u64,
        carrier: &Arc<Carrier>,
    ) -> io::Result<(Arc<Watch<T>>, Token)> {
        let (carrier, shared) = (Arc::clone(carrier), Arc::downgrade(self));
        let watch = Arc::new(Watch { carrier, shared, number });
        let token = reactor()?.register(Arc::clone(&watch) as Arc<dyn Handler>)?;
        Ok((watch, token))
    }

    fn remove(&self, number: u64) -> Option<(Arc<Carrier>, T)> {
        let mut state = self.state();
        let at = state.entries.iter().position(|entry| entry.number == number)?;
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
        self.entries.iter_mut().find(|entry| entry.number == number)
    }
}

impl<T> Entry<T> {
    /// Gives the connection up, which can be watched again later.
    fn release(mut self) -> (Arc<Carrier>, T) {
        self.end_watch();
        if let Ok(reactor) = reactor() {
            reactor.cancel(self.timer);
        }
        (self.carrier, self.item)
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
    fn expired(&self, _: &Reactor, _: Timer) -> Option<Duration> {
        self.shared.upgrade().and_then(|shared| shared.remove(self.number));
        None
    }
}
