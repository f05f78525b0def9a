//! The endpoints that wait to be collected, by their tokens. A thread gives them up when their time
//! is over; there is one while there are offers.

use crate::carrier::Connection;
use crate::{StreamError, Token};
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Takes the connection of an endpoint, or the reason why there is none. It may run for as long as
/// the flow does.
pub(crate) type Deliver = Box<dyn FnOnce(Result<Connection, StreamError>) + Send>;

/// Who waits for a connection.
pub(crate) struct Waiting {
    /// Where the flow begins.
    pub(crate) offset: u64,
    /// How many octets the whole has, if this side knows.
    pub(crate) size: u64,
    /// Whether no octet of it may go to another host in clear.
    pub(crate) protected: bool,
    pub(crate) deliver: Deliver,
}

pub(super) struct Offers {
    table: Arc<Table>,
    most: usize,
}

#[derive(Default)]
struct Table {
    offers: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: HashMap<Token, (Instant, Waiting)>,
    /// Until when the thread sleeps that gives offers up, if there is one.
    watched: Option<Instant>,
    closed: bool,
}

impl Offers {
    pub(super) fn new(most: usize) -> Self {
        Self { table: Arc::default(), most }
    }

    pub(super) fn add(
        &self,
        token: Token,
        lifetime: Duration,
        waiting: Waiting,
    ) -> Result<(), StreamError> {
        let mut state = self.table.state();
        if state.closed {
            return Err(StreamError::NotCollected);
        }
        if state.waiting.len() >= self.most {
            return Err(StreamError::TooManyOffers(self.most));
        }
        let now = Instant::now();
        let end = now.checked_add(lifetime).unwrap_or(now + Duration::from_secs(86_400));
        if state.watched.is_none() {
            let table = Arc::clone(&self.table);
            let thread = thread::Builder::new().name("armilla-flow-offers".to_owned());
            thread.spawn(move || table.give_up()).map_err(StreamError::System)?;
        } else if state.watched.is_some_and(|until| end < until) {
            self.table.changed.notify_all();
        }
        state.watched = Some(state.watched.map_or(end, |until| until.min(end)));
        state.waiting.insert(token, (end, waiting));
        Ok(())
    }

    /// Takes an offer out, so that nobody else can collect it.
    pub(super) fn take(&self, token: &Token) -> Option<Waiting> {
        self.table.state().waiting.remove(token).map(|(_, waiting)| waiting)
    }

    pub(super) fn len(&self) -> usize {
        self.table.state().waiting.len()
    }

    /// Gives all up; there will be no others.
    pub(super) fn close(&self) {
        self.table.state().closed = true;
        self.table.changed.notify_all();
    }
}

impl Drop for Offers {
    fn drop(&mut self) {
        self.close();
    }
}

impl Table {
    fn state(&self) -> MutexGuard<'_, State> {
        self.offers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives up what nobody has collected in time, until nothing waits.
    fn give_up(&self) {
        let mut state = self.state();
        loop {
            let now = Instant::now();
            let over = state.take_over(now);
            if !over.is_empty() {
                drop(state);
                over.into_iter().for_each(|waiting| give_up(waiting.deliver));
                state = self.state();
                continue;
            }
            let Some(next) = state.waiting.values().map(|(end, _)| *end).min() else {
                state.watched = None;
                return;
            };
            state.watched = Some(next);
            let pause = next.saturating_duration_since(now);
            let waited = self.changed.wait_timeout(state, pause);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl State {
    /// Takes out what is over by now.
    fn take_over(&mut self, now: Instant) -> Vec<Waiting> {
        let closed = self.closed;
        let over = self.waiting.extract_if(|_, (end, _)| closed || *end <= now);
        over.map(|(_, (_, waiting))| waiting).collect()
    }
}

/// Says so in a thread of its own, because whoever waits may go on with other work there. If there
/// is no thread, the connection is just never handed over.
fn give_up(deliver: Deliver) {
    let tell = move || deliver(Err(StreamError::NotCollected));
    if let Err(error) = thread::Builder::new().name("armilla-flow".to_owned()).spawn(tell) {
        tracing::warn!(%error, "no thread to tell that an endpoint was not collected");
    }
}
