//! How fast backups answer what they are told, and so whether they are told side by side.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Backups that take so many nanoseconds are told side by side: they are far away, write to disks, or
/// execute what takes long. Of those that answer sooner one is told after another, because the threads
/// that would take the replies cost more than the wait.
const SLOW: u64 = 150_000;

/// Those that are told side by side and take less are told one after another again.
const QUICK: u64 = 75_000;

/// How long one backup took of late. One thread at a time uses it.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    recent: AtomicU64,
    side_by_side: AtomicBool,
}

impl Pace {
    /// Whether backups are told side by side.
    pub(crate) fn side_by_side(&self) -> bool {
        self.side_by_side.load(Ordering::Relaxed)
    }

    /// Notes how long one backup took.
    pub(crate) fn note(&self, took: u64) {
        let before = self.recent.load(Ordering::Relaxed);
        let recent = before - before / 8 + took / 8;
        self.recent.store(recent, Ordering::Relaxed);
        let limit = if self.side_by_side() { QUICK } else { SLOW };
        self.side_by_side.store(recent > limit, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_backups_are_told_side_by_side_until_they_are_quick() {
        let pace = Pace::default();
        (0..100).for_each(|_| pace.note(100_000));
        assert!(!pace.side_by_side());
        pace.note(5_000_000);
        assert!(pace.side_by_side(), "a disk has been written");
        (0..100).for_each(|_| pace.note(100_000));
        assert!(pace.side_by_side());
        (0..100).for_each(|_| pace.note(20_000));
        assert!(!pace.side_by_side());
    }
}
