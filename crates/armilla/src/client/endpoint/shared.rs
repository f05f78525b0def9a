//! The multiplexed connections of an endpoint. Each thread is assigned to one of a few. They are
//! made in [`sharing`](super::sharing).

use super::look::Look;
use super::waiting_call::WaitingCall;
use crate::client::connection::MultiplexedConnection;
use crate::sync::{lock, try_lock};
use crate::threads::Sleeper;
use armilla_ipc::CoarseInstant;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The slots for multiplexed connections. A thread always uses the same one, so that its calls
/// arrive in order.
pub(in crate::client) struct SharedConnections(Box<[SharedSlot]>);

#[derive(Default)]
pub(super) struct SharedSlot {
    /// Locked while a connection is made; other threads of the slot wait for it.
    pub(super) link: Mutex<Option<Arc<MultiplexedConnection>>>,
    pub(super) waiting: Mutex<Waiting>,
    /// The connections that were left because they are silent, until their last calls have ended.
    left: Mutex<Vec<Arc<MultiplexedConnection>>>,
}

/// How many silent connections with calls under way a slot leaves. Where so many went silent one
/// after the other, the server hangs or is slow, and another connection is no better.
const MOST_LEFT: usize = 4;

/// Asynchronous calls that wait for a connection.
#[derive(Default)]
pub(super) struct Waiting {
    pub(super) calls: Vec<Arc<dyn WaitingCall>>,
    /// Whether a thread is making a connection for them.
    pub(super) connecting: bool,
}

impl SharedConnections {
    pub(in crate::client) fn new(count: usize) -> Self {
        Self((0..count.max(1)).map(|_| SharedSlot::default()).collect())
    }

    /// The index of the calling thread's slot.
    pub(super) fn slot_index(&self) -> usize {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed);
        }
        match self.0.len() {
            1 => 0,
            count => NUMBER.with(|number| number % count),
        }
    }

    /// The slot with this [index](Self::slot_index).
    pub(super) fn slot(&self, index: usize) -> &SharedSlot {
        &self.0[index]
    }

    pub(super) fn slots(&self) -> impl Iterator<Item = &SharedSlot> {
        self.0.iter()
    }

    /// The connections, except those that are being made.
    fn connections(&self) -> impl Iterator<Item = Arc<MultiplexedConnection>> {
        self.0.iter().filter_map(|slot| try_lock(&slot.link)?.clone())
    }

    pub(in crate::client) fn is_empty(&self) -> bool {
        let is_empty = |slot: &SharedSlot| {
            try_lock(&slot.link).is_some_and(|link| link.is_none()) && lock(&slot.left).is_empty()
        };
        self.0.iter().all(is_empty)
    }

    /// Sends the buffered oneway calls.
    pub(in crate::client) fn flush(&self) {
        self.connections().for_each(|link| link.flush());
    }

    /// Takes note that a connection to the address of these is silent since then.
    pub(in crate::client) fn distrust(&self, since: CoarseInstant) {
        self.connections().for_each(|link| link.distrust(since));
    }

    /// Closes connections whose last call began before `limit`, and silent ones. Without a limit
    /// closes all of them, when the calls under way have ended.
    pub(in crate::client) fn close_idle_since(&self, limit: Option<CoarseInstant>) {
        for slot in &self.0 {
            slot.forget_finished();
            // A connection that is being made is not idle.
            let Some(link) = try_lock(&slot.link).and_then(|known| known.clone()) else {
                continue;
            };
            // The end of a connection ends the calls that wait for room on it, and so runs
            // callbacks: no lock is held then.
            if link.close_idle_since(limit) {
                slot.forget(&link);
            } else if link.is_silent() && !link.is_waiting() {
                slot.leave(&link);
            }
        }
    }

    /// Lets the connections rest that were last used before `limit`: frees the memory of large
    /// messages.
    pub(super) fn rest(&self, limit: CoarseInstant) -> Look {
        let mut look = Look::NOTHING;
        for slot in &self.0 {
            let known = try_lock(&slot.link).map(|link| link.clone());
            look.rests &= known.is_some() && lock(&slot.left).is_empty();
            if let Some(link) = known.flatten() {
                let (released, rest) = link.rest(limit);
                look.released += released;
                look.add(rest);
            }
        }
        look
    }
}

impl SharedSlot {
    /// The connection in this slot, if calls can begin on it. Removes it otherwise. The housekeeping
    /// thread looks again if they begin after a pause.
    pub(super) fn usable_connection(
        &self,
        now: CoarseInstant,
        housekeeper: &Sleeper,
    ) -> Option<Arc<MultiplexedConnection>> {
        let link = lock(&self.link).clone()?;
        if link.is_usable(now, || housekeeper.wake_if_asleep()) {
            return Some(link);
        }
        match link.is_silent() {
            true => return (!self.leave(&link)).then_some(link),
            false => self.forget(&link),
        };
        None
    }

    /// Leaves a silent connection, unless too many were left that still have calls under way: then
    /// it takes calls again. Whether it was left.
    #[cold]
    fn leave(&self, link: &Arc<MultiplexedConnection>) -> bool {
        self.forget_finished();
        let mut left = lock(&self.left);
        if link.is_waiting() && left.len() >= MOST_LEFT {
            drop(left);
            link.trust();
            return false;
        }
        if !self.forget(link) {
            return true;
        }
        left.push(link.clone());
        drop(left);
        link.leave();
        self.forget_finished();
        true
    }

    /// Forgets the connections that were left, as far as nothing waits for them. Where only what was
    /// queued is left and the peer does not take it, too many of them make room.
    fn forget_finished(&self) {
        let mut left = lock(&self.left);
        if left.is_empty() {
            return;
        }
        let all = std::mem::take(&mut *left).into_iter();
        let (mut gone, mut rest): (Vec<_>, Vec<_>) = all.partition(|link| link.is_finished());
        while rest.len() >= MOST_LEFT {
            let Some(unused) = rest.iter().position(|link| !link.is_waiting()) else { break };
            gone.push(rest.remove(unused));
        }
        *left = rest;
        drop(left);
        // The end of a connection runs callbacks: no lock is held then.
        drop(gone);
    }

    /// Removes a connection that accepts no more calls, unless another one is being made. The caller
    /// drops it. Whether it was there.
    fn forget(&self, link: &Arc<MultiplexedConnection>) -> bool {
        let Some(mut known) = try_lock(&self.link) else { return false };
        known.take_if(|known| Arc::ptr_eq(known, link)).is_some()
    }
}
