//! The connections of a console: how many there are, and which one goes for a further one.

use crate::limits::{ConsoleLimits, Host};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// The connections. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Connections {
    all: Arc<Mutex<All>>,
    /// The sockets that are open. A connection that has to go still has one for a moment.
    sockets: Arc<Semaphore>,
    most: usize,
    per_peer: usize,
}

#[derive(Debug, Default)]
struct All {
    next: u64,
    /// Counts what happens, as a clock.
    now: u64,
    by_number: HashMap<u64, Known>,
}

#[derive(Debug)]
struct Known {
    host: Host,
    /// Since when it waits for a request; `None` while it serves one.
    waits_since: Option<u64>,
    end: Arc<Notify>,
}

/// One connection, until it is dropped.
#[derive(Debug)]
pub(crate) struct Connection {
    all: Arc<Mutex<All>>,
    number: u64,
    end: Arc<Notify>,
    _socket: OwnedSemaphorePermit,
}

/// A request that a connection serves, until this is dropped.
#[derive(Debug)]
pub(crate) struct Serving {
    all: Arc<Mutex<All>>,
    number: u64,
}

fn lock(all: &Mutex<All>) -> MutexGuard<'_, All> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}

impl All {
    /// Makes room for one more of a host. `false` if there is none.
    fn make_room(&mut self, host: Host, most: usize, per_peer: usize) -> bool {
        let of_host = self.by_number.values().filter(|known| known.host == host).count();
        if of_host >= per_peer {
            return self.end_one(|known| known.host == host);
        }
        self.by_number.len() < most || self.end_one(|_| true)
    }

    /// Ends the connection that has waited for a request the longest.
    fn end_one(&mut self, among: impl Fn(&Known) -> bool) -> bool {
        let waiting = self.by_number.iter().filter(|(_, known)| among(known));
        let since = waiting.filter_map(|(number, known)| Some((known.waits_since?, *number)));
        let Some((_, number)) = since.min() else { return false };
        if let Some(known) = self.by_number.remove(&number) {
            known.end.notify_one();
        }
        true
    }

    fn tick(&mut self) -> u64 {
        self.now += 1;
        self.now
    }
}

impl Connections {
    pub(crate) fn new(limits: &ConsoleLimits) -> Self {
        let most = limits.connections.max(1);
        let sockets = Arc::new(Semaphore::new(most));
        Self { all: Arc::default(), sockets, most, per_peer: limits.per_peer.max(1) }
    }

    /// Takes one more; `None` if it has to be refused. If another one goes for it, this waits until
    /// its socket is closed.
    pub(crate) async fn admit(&self, host: Host) -> Option<Connection> {
        let end = Arc::new(Notify::new());
        let number = {
            let mut all = lock(&self.all);
            if !all.make_room(host, self.most, self.per_peer) {
                return None;
            }
            all.next += 1;
            let (number, now) = (all.next, all.tick());
            let known = Known { host, waits_since: Some(now), end: end.clone() };
            all.by_number.insert(number, known);
            number
        };
        let socket = self.sockets.clone().acquire_owned().await.ok()?;
        Some(Connection { all: self.all.clone(), number, end, _socket: socket })
    }
}

impl Connection {
    /// Waits until it has to go.
    pub(crate) async fn ended(&self) {
        self.end.notified().await;
    }

    /// It serves a request from now on.
    pub(crate) fn serve(&self) -> Serving {
        if let Some(known) = lock(&self.all).by_number.get_mut(&self.number) {
            known.waits_since = None;
        }
        Serving { all: self.all.clone(), number: self.number }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        lock(&self.all).by_number.remove(&self.number);
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let mut all = lock(&self.all);
        let now = all.tick();
        if let Some(known) = all.by_number.get_mut(&self.number) {
            known.waits_since = Some(now);
        }
    }
}
