//! Where a thread that serves requests can be seen at work, and says when it is about to wait.

use super::connection::Connection;
use super::crew::Crew;
use super::lead::Turn;
use crate::orb::lock;
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// What one thread shows of itself. Only that thread writes, but for `blocked`.
#[derive(Default)]
pub(super) struct Desk {
    /// Counts up whenever a servant is entered and left: odd while the thread is in one.
    serial: AtomicU64,
    /// The turn in which it serves.
    turn: AtomicU64,
    /// Whether what it serves expects no reply.
    oneway: AtomicBool,
    /// Whether it counts among those of the pool that wait for something.
    blocked: AtomicBool,
    /// Whether it is one of the pool.
    pooled: bool,
    connection: Mutex<Option<Arc<Connection>>>,
    /// The monitor's: what it saw last, and how often in a row.
    seen: AtomicU64,
    times: AtomicU32,
}

/// What a look at a desk shows.
pub(super) enum Look {
    /// A servant was entered or left since the last look.
    New,
    /// The thread is in no servant, as before.
    Idle,
    /// It is in the same servant as this many looks ago.
    Same(u32),
}

thread_local! {
    /// The desk of this thread, if it serves requests.
    static MINE: RefCell<Option<(Arc<Crew>, Arc<Desk>)>> = const { RefCell::new(None) };
    /// Whether there is one, in a word that is read without a look at whether it still lives.
    static SERVES: Cell<bool> = const { Cell::new(false) };
}

impl Desk {
    /// The desk of the calling thread.
    pub(super) fn new(crew: &Arc<Crew>, pooled: bool) -> Arc<Self> {
        let desk = Arc::new(Self { pooled, ..Self::default() });
        MINE.set(Some((crew.clone(), desk.clone())));
        SERVES.set(true);
        desk
    }

    /// From now on it is `connection` that is served.
    pub(super) fn seat(&self, connection: &Arc<Connection>) {
        *lock(&self.connection) = Some(connection.clone());
    }

    pub(super) fn leave(&self) {
        // Dropped without the lock: it may be the connection's end.
        let left = lock(&self.connection).take();
        drop(left);
    }

    /// Notes that the thread enters a servant.
    #[inline]
    pub(super) fn begins(&self, turn: Turn, oneway: bool, crew: &Crew) {
        self.turn.store(turn.to_bits(), Ordering::Relaxed);
        self.oneway.store(oneway, Ordering::Relaxed);
        self.count();
        crew.monitor.rouse();
    }

    /// Notes that it has come back.
    #[inline]
    pub(super) fn ends(&self, crew: &Crew) {
        self.count();
        self.is_back(crew);
    }

    /// Takes the thread off those that wait.
    #[inline]
    pub(super) fn is_back(&self, crew: &Crew) {
        if self.blocked.load(Ordering::Relaxed) && self.blocked.swap(false, Ordering::AcqRel) {
            crew.unblocked();
        }
    }

    #[inline]
    fn count(&self) {
        let serial = self.serial.load(Ordering::Relaxed);
        self.serial.store(serial.wrapping_add(1), Ordering::Release);
    }

    /// What the monitor finds.
    pub(super) fn look(&self) -> Look {
        let serial = self.serial.load(Ordering::Acquire);
        if self.seen.swap(serial, Ordering::Relaxed) != serial {
            self.times.store(0, Ordering::Relaxed);
            return Look::New;
        }
        match serial % 2 {
            0 => Look::Idle,
            _ => Look::Same(self.times.fetch_add(1, Ordering::Relaxed).saturating_add(1)),
        }
    }

    /// The connection whose request the calling thread is serving, if it is one of those that do.
    pub(super) fn served_here() -> Option<Arc<Connection>> {
        let served = MINE.try_with(|mine| {
            let mine = mine.borrow();
            let (_, desk) = mine.as_ref().filter(|(_, desk)| desk.is_serving())?;
            lock(&desk.connection).clone()
        });
        served.ok().flatten()
    }

    fn is_serving(&self) -> bool {
        self.serial.load(Ordering::Relaxed) % 2 == 1
    }

    /// Whether it serves a request without a reply.
    pub(super) fn is_oneway(&self) -> bool {
        self.oneway.load(Ordering::Relaxed)
    }

    /// Counts the thread among those that wait: another does its work.
    pub(super) fn blocks(&self, crew: &Arc<Crew>) {
        if self.pooled && !self.blocked.swap(true, Ordering::AcqRel) {
            crew.blocked();
        }
    }

    /// Has another thread lead the connection that this one serves.
    pub(super) fn hand_over(&self) {
        let connection = lock(&self.connection).clone();
        if let Some(connection) = connection {
            connection.hand_over(Turn::from_bits(self.turn.load(Ordering::Relaxed)));
        }
    }
}

/// The time for which a thread waits for something other than requests. If it is a thread that
/// serves them, others take over what it would do meanwhile. It ends in the thread in which it began.
pub(crate) struct Absence {
    /// Whether the thread is in a servant.
    counts: bool,
    _of_one_thread: PhantomData<*const ()>,
}

impl Absence {
    /// Begins to wait.
    #[inline]
    pub(crate) fn begin() -> Self {
        Self { counts: SERVES.get() && leave_servant(), _of_one_thread: PhantomData }
    }
}

impl Drop for Absence {
    #[inline]
    fn drop(&mut self) {
        if self.counts {
            return_to_servant();
        }
    }
}

/// Lets others do what this thread would; `false` when it is in no servant.
#[cold]
#[inline(never)]
fn leave_servant() -> bool {
    MINE.with_borrow(|mine| {
        // Not within a servant: nobody waits for this thread.
        let Some((crew, desk)) = mine.as_ref().filter(|(_, desk)| desk.is_serving()) else {
            return false;
        };
        let (shared, both_ways) = lock(&desk.connection)
            .as_ref()
            .map_or((false, false), |c| (c.is_multiplexed(), c.is_both_ways()));
        // What it waits for may be a reply on the same connection.
        if both_ways || (desk.pooled || shared) && !desk.is_oneway() {
            desk.hand_over();
        }
        desk.blocks(crew);
        true
    })
}

#[cold]
#[inline(never)]
fn return_to_servant() {
    MINE.with_borrow(|mine| {
        if let Some((crew, desk)) = mine {
            desk.is_back(crew);
        }
    });
}
