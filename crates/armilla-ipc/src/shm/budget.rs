//! How much memory the streams of this process may take for their rings, all together.
//!
//! A stream takes [`LEAST`] for its small areas, whatever the limit, for it cannot do without.
//! Whoever has another way to carry the bytes asks [`has_room`] before. A ring takes its large area
//! only if the limit lets it, and otherwise goes on with the small one. Each end counts what it
//! writes to: the large area of the ring of its own bytes.

use super::region::LEAST;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The limit until [`set_memory_limit`] sets another one, in bytes.
const DEFAULT_LIMIT: u64 = 512 << 20;

static PROCESS: Budget = Budget { limit: AtomicU64::new(DEFAULT_LIMIT), used: AtomicU64::new(0) };

/// Limits the memory that all streams over shared memory of this process take for what they send,
/// in bytes; 512 MiB unless it is set. Beyond it [`same_host`](super::same_host) connects over
/// Unix-domain sockets, and the rings of streams stay small, which costs them more waits but no
/// byte. What is in use already stays so. May be called by any thread at any time.
pub fn set_memory_limit(bytes: u64) {
    PROCESS.limit.store(bytes, Relaxed);
}

/// The limit that [`set_memory_limit`] has set, in bytes.
pub fn memory_limit() -> u64 {
    PROCESS.limit.load(Relaxed)
}

/// How much of that memory is in use, in bytes: 20 KiB for each stream, and the size of each ring
/// of bytes to be sent that has grown. That may be more than the limit, see [`set_memory_limit`].
pub fn memory_in_use() -> u64 {
    PROCESS.used.load(Relaxed)
}

/// Whether a further stream is within the limit.
pub(super) fn has_room() -> bool {
    memory_in_use().saturating_add(LEAST) <= memory_limit()
}

/// A limit, and what is in use of it.
#[derive(Debug)]
struct Budget {
    limit: AtomicU64,
    used: AtomicU64,
}

impl Budget {
    fn take(&'static self, bytes: u64) -> Option<Share> {
        let limit = self.limit.load(Relaxed);
        let grown = |used: u64| used.checked_add(bytes).filter(|used| *used <= limit);
        self.used.fetch_update(Relaxed, Relaxed, grown).ok()?;
        Some(Share { budget: self, bytes })
    }
}

/// Memory that is in use as long as this lives.
#[derive(Debug)]
pub(super) struct Share {
    budget: &'static Budget,
    bytes: u64,
}

impl Share {
    /// That of a new stream, whatever the limit.
    pub(super) fn of_stream() -> Self {
        PROCESS.used.fetch_add(LEAST, Relaxed);
        Self { budget: &PROCESS, bytes: LEAST }
    }

    /// So many bytes more; `None` if that is beyond the limit.
    pub(super) fn take(bytes: u64) -> Option<Self> {
        PROCESS.take(bytes)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_over_is_there_for_others() {
        static BUDGET: Budget = Budget { limit: AtomicU64::new(10), used: AtomicU64::new(0) };
        let first = BUDGET.take(6).unwrap();
        assert!(BUDGET.take(5).is_none() && BUDGET.take(u64::MAX).is_none());
        let _second = BUDGET.take(4).unwrap();
        drop(first);
        assert!(BUDGET.take(6).is_some());
        BUDGET.limit.store(3, Relaxed);
        assert!(BUDGET.take(1).is_none(), "less than what is in use");
    }
}
