//! What a trader has done, for operators.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a trader has done since it began to serve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Activity {
    /// Queries that were answered, with or without offers.
    pub queries: u64,
    /// Offers that queries looked at.
    pub searched: u64,
    /// Dynamic properties that were asked for …
    pub evaluations: u64,
    /// … and those that had no answer of the declared type in time.
    pub evaluation_failures: u64,
    /// Links and proxy offers whose traders did not answer a query.
    pub silent: u64,
    /// Iterators that are open now.
    pub iterators: usize,
}

/// The numbers behind [`Activity`], and who wants to know of changes.
#[derive(Default)]
pub(super) struct Counters {
    pub(super) queries: AtomicU64,
    pub(super) searched: AtomicU64,
    pub(super) evaluations: AtomicU64,
    pub(super) evaluation_failures: AtomicU64,
    pub(super) silent: AtomicU64,
    listeners: Mutex<Vec<Listener>>,
}

type Listener = std::sync::Arc<dyn Fn() + Send + Sync>;

impl Counters {
    pub(super) fn add(counter: &AtomicU64, count: u64) {
        counter.fetch_add(count, Ordering::Relaxed);
    }

    pub(super) fn activity(&self, iterators: usize) -> Activity {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Activity {
            queries: get(&self.queries),
            searched: get(&self.searched),
            evaluations: get(&self.evaluations),
            evaluation_failures: get(&self.evaluation_failures),
            silent: get(&self.silent),
            iterators,
        }
    }

    pub(super) fn listen(&self, listener: Listener) {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).push(listener);
    }

    /// Tells all listeners of a change, without a lock.
    pub(super) fn changed(&self) {
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner).clone();
        listeners.iter().for_each(|listener| listener());
    }
}

impl fmt::Debug for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.activity(0).fmt(f)
    }
}
