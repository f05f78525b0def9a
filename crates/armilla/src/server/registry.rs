//! The open connections of a server: counted, watched for silence, and closed.
//!
//! A connection blocks in its read without a time limit of its own, which would cost a kernel timer
//! per request. It only leaves marks of what it does, and one sweeper for all connections wakes
//! those that have waited too long.

use crate::orb::lock;
use crate::settings::Settings;
use armilla_ipc::Stream;
use std::collections::HashMap;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) struct Registry {
    open: Mutex<Open>,
    one_less: Condvar,
    closing: AtomicBool,
    /// How long a connection may wait for a request.
    idle: Duration,
    /// How long it may wait for the rest of a message.
    halfway: Duration,
}

#[derive(Default)]
struct Open {
    connections: HashMap<u64, Watched>,
    next: u64,
}

/// A connection, as the sweeper saw it last.
struct Watched {
    presence: Arc<Presence>,
    marks: u64,
    since: Instant,
}

/// What a connection shows of itself.
pub(crate) struct Presence {
    stream: Arc<dyn Stream>,
    /// Three times the number of reads begun, and where the connection stands since.
    marks: AtomicU64,
    /// Why the sweeper woke the connection.
    verdict: AtomicU8,
}

/// Where a connection stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stand {
    Busy = 0,
    /// Waits for a request.
    Waiting = 1,
    /// Waits for the rest of a message.
    Halfway = 2,
}

/// Why a read came back with nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Silence {
    /// The client closed its side.
    Peer,
    /// No request came for too long, or the server closes.
    Idle,
    /// A message stopped halfway.
    Halfway,
}

/// A connection's entry; dropping it takes it out.
pub(crate) struct Place {
    registry: Arc<Registry>,
    presence: Arc<Presence>,
    number: u64,
}

impl Registry {
    /// An empty registry and the thread that watches it, which ends with it.
    pub(crate) fn start(settings: &Settings) -> std::io::Result<Arc<Self>> {
        let registry = Arc::new(Self {
            open: Mutex::default(),
            one_less: Condvar::new(),
            closing: AtomicBool::new(false),
            idle: settings.server_idle,
            halfway: settings.header_deadline,
        });
        let watched = Arc::downgrade(&registry);
        let shortest = settings.server_idle.min(settings.header_deadline);
        let period = (shortest / 4).clamp(Duration::from_millis(5), Duration::from_secs(1));
        thread::Builder::new()
            .name("armilla-sweep".into())
            .spawn(move || sweep_for_ever(&watched, period))?;
        Ok(registry)
    }

    /// Enters a connection, unless `limit` are open or the server closes.
    pub(crate) fn enter(self: &Arc<Self>, stream: &Arc<dyn Stream>, limit: usize) -> Option<Place> {
        let mut open = lock(&self.open);
        if self.closing.load(Ordering::Acquire) || open.connections.len() >= limit {
            return None;
        }
        let number = open.next;
        open.next += 1;
        let presence = Arc::new(Presence {
            stream: stream.clone(),
            marks: AtomicU64::new(0),
            verdict: AtomicU8::new(0),
        });
        let watched = Watched { presence: presence.clone(), marks: 0, since: Instant::now() };
        open.connections.insert(number, watched);
        Some(Place { registry: self.clone(), presence, number })
    }

    /// Wakes connections that have waited too long.
    fn sweep(&self) {
        let now = Instant::now();
        for watched in lock(&self.open).connections.values_mut() {
            let marks = watched.presence.marks.load(Ordering::Relaxed);
            if marks != watched.marks {
                watched.marks = marks;
                watched.since = now;
                continue;
            }
            let silent = now.duration_since(watched.since);
            match marks % 3 {
                m if m == Stand::Waiting as u64 && silent >= self.idle => {
                    watched.presence.wake(Silence::Idle);
                }
                m if m == Stand::Halfway as u64 && silent >= self.halfway => {
                    watched.presence.wake(Silence::Halfway);
                }
                _ => {}
            }
        }
    }

    /// Wakes every connection that waits for a request, so that it sees that the server closes, and
    /// waits up to `limit` for all to end. Returns how many are left.
    pub(crate) fn drain(&self, limit: Duration) -> usize {
        self.closing.store(true, Ordering::Release);
        let mut open = lock(&self.open);
        open.connections.values().for_each(|watched| watched.presence.wake(Silence::Idle));
        let end = Instant::now() + limit;
        while !open.connections.is_empty() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let woken = self.one_less.wait_timeout(open, left);
            open = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        open.connections.len()
    }
}

fn sweep_for_ever(registry: &Weak<Registry>, period: Duration) {
    loop {
        thread::sleep(period);
        match registry.upgrade() {
            Some(registry) => registry.sweep(),
            None => return,
        }
    }
}

impl Presence {
    /// Makes the read under way, or else the next, come back with nothing.
    fn wake(&self, verdict: Silence) {
        self.verdict.store(verdict as u8, Ordering::Release);
        // A connection that is gone already needs no waking.
        self.stream.shutdown(Shutdown::Read).ok();
    }

    #[inline]
    fn stand(&self, stand: Stand) {
        // Only the connection's own thread writes marks, so there is nothing to add atomically.
        let marks = self.marks.load(Ordering::Relaxed);
        let next = marks - marks % 3 + 3 + stand as u64;
        self.marks.store(next, Ordering::Relaxed);
    }
}

impl Place {
    /// Marks that the connection waits for a request, or for the rest of a message.
    #[inline]
    pub(crate) fn waits(&self, halfway: bool) {
        self.presence.stand(if halfway { Stand::Halfway } else { Stand::Waiting });
    }

    /// Marks that it works.
    #[inline]
    pub(crate) fn works(&self) {
        self.presence.stand(Stand::Busy);
    }

    /// Whether the server closes: no more requests are to be begun.
    #[inline]
    pub(crate) fn is_closing(&self) -> bool {
        self.registry.closing.load(Ordering::Acquire)
    }

    /// Why a read came back with nothing.
    #[cold]
    pub(crate) fn silence(&self) -> Silence {
        match self.presence.verdict.load(Ordering::Acquire) {
            v if v == Silence::Idle as u8 => Silence::Idle,
            v if v == Silence::Halfway as u8 => Silence::Halfway,
            _ => Silence::Peer,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.registry.open).connections.remove(&self.number);
        self.registry.one_less.notify_all();
    }
}
