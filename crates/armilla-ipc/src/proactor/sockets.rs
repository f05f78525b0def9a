//! The table of attached sockets. Its indices are the `user_data` by which the kernel names an
//! operation.

use super::source::{AttachedSocket, Direction};
use rustix::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A table of attached sockets. An index is used again only after the last operation on its socket
/// is over, and with another generation.
#[derive(Default)]
pub(super) struct SocketTable {
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    sockets: Vec<Entry>,
    free: Vec<usize>,
}

#[derive(Default)]
struct Entry {
    generation: u32,
    occupant: Option<AttachedSocket>,
}

impl SocketTable {
    /// Attaches a socket and gives it an index.
    pub(super) fn insert(&self, socket: Arc<dyn AsFd + Send + Sync>) -> AttachedSocket {
        let source = AttachedSocket::new(socket);
        let mut table = self.lock();
        let entry = table.free.pop().unwrap_or_else(|| {
            table.sockets.push(Entry::default());
            table.sockets.len() - 1
        });
        table.sockets[entry].occupant = Some(source.clone());
        source.entry().get_or_init(|| entry);
        source
    }

    /// The number by which the kernel names the operation in one direction of a socket. Its highest
    /// bit is clear.
    pub(super) fn user_data(&self, source: &AttachedSocket, direction: Direction) -> Option<u64> {
        let entry = *source.entry().get()?;
        let generation = self.lock().sockets.get(entry)?.generation;
        Some(u64::from(generation) << 32 | (entry as u64) << 1 | direction as u64)
    }

    /// The socket and the direction that `user_data` names.
    pub(super) fn find(&self, user_data: u64) -> Option<(AttachedSocket, Direction)> {
        let table = self.lock();
        let entry = table.sockets.get((user_data as u32 >> 1) as usize)?;
        let direction = if user_data & 1 == 0 { Direction::Receive } else { Direction::Send };
        let source = entry.occupant.clone()?;
        (entry.generation == (user_data >> 32) as u32).then_some((source, direction))
    }

    /// Frees the index of a detached socket, if no operation is in progress on it.
    pub(super) fn remove(&self, source: &AttachedSocket) {
        if Direction::BOTH.into_iter().any(|direction| source.direction(direction).is_some()) {
            return;
        }
        let Some(&index) = source.entry().get() else { return };
        let mut table = self.lock();
        let Some(entry) = table.sockets.get_mut(index) else { return };
        if entry.occupant.take_if(|occupant| occupant.is(source)).is_some() {
            entry.generation = entry.generation.wrapping_add(1) & (u32::MAX >> 1);
            table.free.push(index);
        }
    }

    /// All attached sockets.
    pub(super) fn entries(&self) -> Vec<AttachedSocket> {
        self.lock().sockets.iter().filter_map(|entry| entry.occupant.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // Nothing that can panic runs under this lock.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
