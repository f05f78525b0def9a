//! What has happened so far, for whoever watches.

use crate::model::{RollbackReason, Status, Transaction};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters since the start of the process.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    committed: AtomicU64,
    rolled_back: [AtomicU64; RollbackReason::ALL.len()],
    /// Transactions of which a heuristic outcome was recorded.
    heuristic: AtomicU64,
    /// How often a superior was asked, or a participant told again.
    retries: AtomicU64,
}

impl Counts {
    /// Counts one that has ended.
    pub(super) fn ended(&self, transaction: &Transaction) {
        let counter = match (transaction.status(), transaction.rollback_reason()) {
            (Status::Committed, _) => &self.committed,
            (_, Some(reason)) => &self.rolled_back[reason as usize],
            // Its log tells that it has ended, not how.
            _ => return,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn heuristic(&self) {
        self.heuristic.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn retried(&self, times: usize) {
        self.retries.fetch_add(times as u64, Ordering::Relaxed);
    }
}

#[cfg(feature = "server")]
impl Counts {
    pub(crate) fn committed(&self) -> u64 {
        self.committed.load(Ordering::Relaxed)
    }

    pub(crate) fn rolled_back(&self) -> impl Iterator<Item = (RollbackReason, u64)> {
        let counters = RollbackReason::ALL.into_iter().zip(&self.rolled_back);
        counters.map(|(reason, counter)| (reason, counter.load(Ordering::Relaxed)))
    }

    pub(crate) fn heuristics(&self) -> u64 {
        self.heuristic.load(Ordering::Relaxed)
    }

    pub(crate) fn retries(&self) -> u64 {
        self.retries.load(Ordering::Relaxed)
    }
}
