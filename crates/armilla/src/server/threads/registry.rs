//! The open connections of a server: counted, watched for timeouts, and closed.
//!
//! A connection waits without a timeout of its own, which would cost a kernel timer for each
//! request. It only records its activity, and the monitor's sweep over all connections wakes those
//! that have waited too long. While nothing happens, the next sweep is when the first of them may
//! have.

use super::served::{ServedConnection, SharedConnection};
use crate::log::report;
use crate::peer::Peer;
use crate::settings::Settings;
use crate::sync::lock;
use armilla_giop::engine::{IdleMonitor, ReadState, TimeoutKind, Timeouts};
use armilla_ipc::Address;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(in crate::server) struct Registry {
    open: Mutex<Open>,
    one_less: Condvar,
    closing: AtomicBool,
    limit: usize,
    limit_of_peer: usize,
    timeouts: Timeouts,
    /// The origin of the times in the idle monitors.
    started: Instant,
}

/// The number of the next connection of any server in this process: interceptors tell connections
/// apart by it, whichever endpoints they have come through.
static NEXT: AtomicU64 = AtomicU64::new(0);

#[derive(Default)]
struct Open {
    connections: HashMap<u64, Watched>,
    by_peer: HashMap<Peer, usize>,
    /// How many connections were told to close to make room for others.
    evicted: usize,
    /// Until when nothing has happened to connections since the sweep before.
    quiet_until: Duration,
}

/// Why a connection is not entered.
pub(in crate::server) enum NotEntered {
    /// The server is closing.
    Closing,
    /// `max_connections` are open, and none is idle.
    TooMany,
    /// `connections_per_peer` connections of the client's host are open.
    TooManyOfPeer,
}

impl NotEntered {
    /// Reports what has become of a connection that does not count among the open ones, and why.
    pub(in crate::server) fn report(
        &self,
        what: &str,
        settings: &Settings,
        peer: &dyn fmt::Display,
    ) {
        let (why, limit) = match self {
            Self::Closing => return,
            Self::TooMany => {
                ("max_connections are open and none is idle", Some(settings.max_connections))
            }
            Self::TooManyOfPeer => (
                "connections_per_peer connections of this host are open",
                settings.connections_per_peer,
            ),
        };
        report!(
            warn,
            "a connection cannot be taken in",
            outcome = what,
            why = why,
            peer = peer,
            limit = limit.unwrap_or_default(),
        );
    }
}

struct Watched {
    connection: SharedConnection,
    monitor: IdleMonitor,
    evicted: bool,
}

impl Watched {
    fn check(
        &mut self,
        quiet_until: Duration,
        now: Duration,
        timeouts: &Timeouts,
    ) -> Option<TimeoutKind> {
        self.monitor.was_quiet_until(quiet_until);
        self.monitor.check(self.connection.activity(), now, timeouts)
    }
}

impl Registry {
    pub(in crate::server) fn new(settings: &Settings) -> Self {
        Self {
            open: Mutex::default(),
            one_less: Condvar::new(),
            closing: AtomicBool::new(false),
            limit: settings.max_connections,
            limit_of_peer: settings.connections_per_peer.unwrap_or(usize::MAX),
            timeouts: Timeouts {
                idle: settings.server_idle,
                stall: settings.header_deadline,
                message: settings.message_deadline,
            },
            started: Instant::now(),
        }
    }

    /// The interval between sweeps while connections are used.
    pub(in crate::server) fn period(&self) -> Duration {
        let Timeouts { idle, stall, message } = self.timeouts;
        let shortest = idle.min(stall).min(message);
        (shortest / 4).clamp(Duration::from_millis(5), Duration::from_secs(1))
    }

    /// Enters the connection that `make` creates from its number. When the limit is reached, the
    /// connection that has been idle longest is closed.
    pub(in crate::server) fn enter<C: ServedConnection + Send + Sync + 'static>(
        &self,
        peer: &Address,
        make: impl FnOnce(u64) -> C,
    ) -> Result<Arc<C>, NotEntered> {
        let peer = Peer::of(peer);
        let mut open = lock(&self.open);
        let full = open.connections.len() >= self.limit.saturating_add(open.evicted);
        if self.is_closing() {
            return Err(NotEntered::Closing);
        }
        if open.by_peer.get(&peer).is_some_and(|count| *count >= self.limit_of_peer) {
            return Err(NotEntered::TooManyOfPeer);
        }
        if full && !self.evict(&mut open) {
            return Err(NotEntered::TooMany);
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let connection = Arc::new(make(number));
        *open.by_peer.entry(peer).or_default() += 1;
        let monitor = IdleMonitor::new(connection.activity(), self.started.elapsed());
        let watched = Watched { connection: connection.clone(), monitor, evicted: false };
        open.connections.insert(number, watched);
        Ok(connection)
    }

    /// Closes the connection that has been idle longest, unless one is already closing. Returns
    /// `false` when none is idle.
    pub(in crate::server) fn evict_one(&self) -> bool {
        let mut open = lock(&self.open);
        open.evicted > 0 || self.evict(&mut open)
    }

    /// Closes the connection that has been idle longest, according to the last sweep.
    fn evict(&self, open: &mut Open) -> bool {
        let now = self.started.elapsed();
        let quiet_until = open.quiet_until;
        let idle = open.connections.iter_mut().filter(|(_, watched)| !watched.evicted);
        let idle = idle.filter_map(|(number, watched)| {
            watched.check(quiet_until, now, &self.timeouts);
            let since = watched.monitor.idle_since()?;
            (!watched.connection.has_pending_replies()).then_some((since, *number, watched))
        });
        let Some((_, _, watched)) = idle.min_by_key(|(since, number, _)| (*since, *number)) else {
            return false;
        };
        watched.evicted = true;
        watched.connection.wake(TimeoutKind::Idle);
        open.evicted += 1;
        true
    }

    /// Wakes connections that have waited too long. Returns the time until one may have, if no
    /// request comes, no connection is entered and no message begins; `None` if none can.
    pub(in crate::server) fn sweep(&self) -> Option<Duration> {
        let now = self.started.elapsed();
        let mut open = lock(&self.open);
        let quiet_until = open.quiet_until;
        open.connections.values_mut().filter_map(|all| self.look(all, quiet_until, now)).min()
    }

    /// Looks at one connection for [`sweep`](Self::sweep).
    fn look(
        &self,
        watched: &mut Watched,
        quiet_until: Duration,
        now: Duration,
    ) -> Option<Duration> {
        let found = watched.check(quiet_until, now, &self.timeouts);
        let Watched { connection, monitor, .. } = watched;
        match found {
            Some(TimeoutKind::Idle) if connection.has_pending_replies() => Some(self.period()),
            // Only the client could reopen a bidirectional connection, so it is not closed for
            // being idle.
            Some(TimeoutKind::Idle) if connection.is_bidirectional() => None,
            Some(timeout) => {
                connection.wake(timeout);
                connection.close_if_stuck();
                Some(self.period())
            }
            None => Some(match connection.activity().state {
                ReadState::Waiting => monitor.left(now, &self.timeouts).unwrap_or_default(),
                // Each read begins the time anew.
                ReadState::Partial => self.period(),
                // The end of a request is not told.
                ReadState::Busy => (self.timeouts.idle / 4).max(self.period()),
            }),
        }
    }

    /// Notes that until now nothing has happened to connections since the last sweep, except that
    /// requests have ended.
    pub(in crate::server) fn note_quiet(&self) {
        lock(&self.open).quiet_until = self.started.elapsed();
    }

    /// Stops counting a connection that is about to be closed, so that a client that sees the end
    /// of it can open another one.
    pub(in crate::server) fn retire(&self, number: u64) {
        let open = &mut *lock(&self.open);
        if let Some(watched) = open.connections.get_mut(&number) {
            open.evicted += usize::from(!std::mem::replace(&mut watched.evicted, true));
        }
    }

    /// Removes a connection that is closed.
    pub(in crate::server) fn leave(&self, number: u64) {
        let mut open = lock(&self.open);
        let Some(watched) = open.connections.remove(&number) else { return };
        open.evicted -= usize::from(watched.evicted);
        let peer = Peer::of(watched.connection.peer());
        if let Some(count) = open.by_peer.get_mut(&peer) {
            *count -= 1;
            if *count == 0 {
                open.by_peer.remove(&peer);
            }
        }
        drop(open);
        self.one_less.notify_all();
    }

    /// Whether the server is closing.
    #[inline]
    pub(in crate::server) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Closes the registry: wakes every connection that waits for a request, so that it closes, and
    /// waits up to `limit` for all of them. Returns how many are left.
    pub(in crate::server) fn drain(&self, limit: Duration) -> usize {
        self.closing.store(true, Ordering::Release);
        let mut open = lock(&self.open);
        let mut calling = wake_all(&open);
        let end = Instant::now().checked_add(limit);
        while !open.connections.is_empty() {
            let left = end.map_or(limit, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                break;
            }
            let left = if calling { left.min(TICK) } else { left };
            let woken = self.one_less.wait_timeout(open, left);
            open = woken.unwrap_or_else(PoisonError::into_inner).0;
            if calling {
                calling = wake_all(&open);
            }
        }
        open.connections.len()
    }

    /// The connections that are left after [`drain`](Self::drain).
    pub(in crate::server) fn left(&self) -> Vec<SharedConnection> {
        lock(&self.open).connections.values().map(|watched| watched.connection.clone()).collect()
    }
}

/// The interval between looks at connections that may still carry calls in the other direction.
const TICK: Duration = Duration::from_millis(20);

/// Wakes every connection that only waits for requests. Returns whether there are others: servants
/// may still call over those in the other direction.
fn wake_all(open: &Open) -> bool {
    let mut calling = false;
    for Watched { connection, .. } in open.connections.values() {
        match connection.may_call() {
            true => calling = true,
            false => connection.wake(TimeoutKind::Idle),
        }
    }
    calling
}
