//! The table of registered handlers, indexed by token. Two registrations share no lock.

use super::handler::Handler;
use crate::interest::Interest;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Identifies a registration. A token is not reused within 2³² uses of one slot of the table, so
/// a token that has outlived its registration finds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    index: u32,
    generation: u32,
}

impl Token {
    pub(super) fn to_bits(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.index)
    }

    pub(super) fn from_bits(bits: u64) -> Self {
        Self { index: bits as u32, generation: (bits >> 32) as u32 }
    }
}

/// One slot for a registration.
#[derive(Default)]
pub(super) struct Slot {
    generation: u32,
    pub(super) phase: Phase,
    /// What the kernel last got to wait for.
    pub(super) interest: Interest,
    /// What the handler is to wait for beyond what it will ask for itself when it returns.
    pub(super) resumed: Option<Interest>,
    pub(super) handler: Option<Arc<dyn Handler>>,
}

/// What goes on at a registration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// The handler waits, or pauses.
    #[default]
    Idle,
    /// A thread is in the handler.
    Running,
    /// A thread is in the handler; no thread may enter it again.
    Leaving,
}

/// How many slots the first chunk has; each further chunk has twice as many as the one before.
const FIRST: u32 = 64;
/// Enough chunks for 2³² slots.
const CHUNKS: usize = 26;

/// All slots. They never move, so that finding one takes no lock.
#[derive(Default)]
pub(super) struct Table {
    chunks: [OnceLock<Box<[Mutex<Slot>]>>; CHUNKS],
    free: Mutex<Free>,
}

/// The slots without a registration.
#[derive(Debug, Default)]
struct Free {
    indices: Vec<u32>,
    /// All slots from here on were never used.
    unused: u32,
}

impl Table {
    /// Registers `handler` and runs `register` with its token while no other thread can use it. If
    /// that fails, the handler was never registered.
    pub(super) fn insert<E>(
        &self,
        handler: Arc<dyn Handler>,
        register: impl FnOnce(&Arc<dyn Handler>, Token, &mut Slot) -> Result<(), E>,
    ) -> Result<Token, E> {
        let index = self.take_index();
        let mut slot = lock(self.place(index));
        let token = Token { index, generation: slot.generation };
        let registered = register(&handler, token, &mut slot);
        slot.handler = Some(handler);
        match registered {
            Ok(()) => Ok(token),
            Err(error) => {
                let handler = self.vacate(slot, token);
                drop(handler);
                Err(error)
            }
        }
    }

    /// The registration of `token`, locked, unless it has ended.
    pub(super) fn get(&self, token: Token) -> Option<MutexGuard<'_, Slot>> {
        let (chunk, offset) = position(token.index);
        let slot = lock(self.chunks.get(chunk)?.get()?.get(offset)?);
        (slot.generation == token.generation && slot.handler.is_some()).then_some(slot)
    }

    /// Ends the registration of `token`, which `slot` is, and gives the handler back.
    pub(super) fn vacate(
        &self,
        mut slot: MutexGuard<'_, Slot>,
        token: Token,
    ) -> Option<Arc<dyn Handler>> {
        let handler = slot.handler.take();
        *slot = Slot { generation: slot.generation.wrapping_add(1), ..Slot::default() };
        drop(slot);
        lock(&self.free).indices.push(token.index);
        handler
    }

    fn take_index(&self) -> u32 {
        let mut free = lock(&self.free);
        free.indices.pop().unwrap_or_else(|| {
            free.unused += 1;
            free.unused - 1
        })
    }

    /// The slot of an index in use.
    fn place(&self, index: u32) -> &Mutex<Slot> {
        let (chunk, offset) = position(index);
        let places = self.chunks[chunk].get_or_init(|| {
            let count = FIRST << chunk;
            (0..count).map(|_| Mutex::default()).collect()
        });
        &places[offset]
    }
}

/// The chunk of an index, and the offset in it.
fn position(index: u32) -> (usize, usize) {
    let shifted = u64::from(index) + u64::from(FIRST);
    let chunk = shifted.ilog2() - FIRST.ilog2();
    (chunk as usize, (shifted - (u64::from(FIRST) << chunk)) as usize)
}

/// No code that can panic runs under these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("free", &self.free).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_fill_chunk_after_chunk() {
        let mut expected = (0, 0);
        for index in 0..10_000 {
            assert_eq!(position(index), expected, "index {index}");
            expected.1 += 1;
            if expected.1 == (FIRST as usize) << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        assert!(position(u32::MAX - 2).0 < CHUNKS + 1);
    }

    #[test]
    fn a_place_is_small() {
        assert!(size_of::<Mutex<Slot>>() <= 32, "{}", size_of::<Mutex<Slot>>());
    }
}
