//! Several calls to other objects at once.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The threads that make calls for queries, besides those that serve them.
pub(super) struct CallThreads {
    most: usize,
    busy: AtomicUsize,
}

/// A thread that may be started. It is over when this is dropped.
struct Started<'t>(&'t AtomicUsize);

impl CallThreads {
    pub(super) const fn new(most: usize) -> Self {
        Self { most, busy: AtomicUsize::new(0) }
    }

    fn start(&self) -> Option<Started<'_>> {
        let order = Ordering::Relaxed;
        let more = |busy| (busy < self.most).then_some(busy + 1);
        self.busy.fetch_update(order, order, more).ok().map(|_| Started(&self.busy))
    }
}

impl Drop for Started<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Calls `work` for every item, on up to `threads` threads, and returns the results in the order
/// of the items. This thread is one of them, and the others are of `all`.
pub(super) fn parallel<I: Sync, R: Send>(
    all: &CallThreads,
    items: &[I],
    threads: usize,
    work: impl Fn(&I) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let run = &|| {
        while let Some((index, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, items.get(at)?)))
        {
            let result = work(item);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            // Without a further thread the others do its part.
            let Some(started) = all.start() else { break };
            let run = move || {
                let _started = started;
                run();
            };
            thread::Builder::new().name("trader-call".to_owned()).spawn_scoped(scope, run).ok();
        }
        run();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_their_items() {
        let items: Vec<u32> = (0..100).collect();
        let doubled: Vec<u32> = items.iter().map(|item| item * 2).collect();
        for most in [0, 2, 9] {
            let all = CallThreads::new(most);
            assert_eq!(parallel(&all, &items, 4, |item| item * 2), doubled);
            assert!(parallel(&all, &[] as &[u32], 4, |item| *item).is_empty());
            assert_eq!(all.busy.into_inner(), 0);
        }
    }

    #[test]
    fn queries_share_their_threads() {
        let all = CallThreads::new(2);
        let started = [all.start(), all.start()];
        assert!(all.start().is_none());
        drop(started);
        assert!(all.start().is_some());
    }
}
