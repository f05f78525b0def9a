//! Threads for what takes time: starting processes, asking servers.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How many threads there are at most. Further work waits.
const MAX: usize = 128;

/// How long a thread without work stays.
const IDLE: Duration = Duration::from_secs(10);

type Work = Box<dyn FnOnce() + Send>;

/// A pool of threads that are made when they are needed.
#[derive(Clone, Default)]
pub(super) struct Workers(Arc<Inner>);

#[derive(Default)]
struct Inner {
    queue: Mutex<Queue>,
    arrived: Condvar,
}

#[derive(Default)]
struct Queue {
    work: VecDeque<Work>,
    idle: usize,
    threads: usize,
}

impl Workers {
    /// Does the work in another thread; in this one if the system has none.
    pub(super) fn run(&self, work: impl FnOnce() + Send + 'static) {
        let mut queue = self.0.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.work.push_back(Box::new(work));
        if queue.idle >= queue.work.len() || queue.threads >= MAX {
            self.0.arrived.notify_one();
            return;
        }
        queue.threads += 1;
        drop(queue);
        let inner = self.0.clone();
        let thread = thread::Builder::new().name("armilla-imr-work".to_owned());
        if let Err(error) = thread.spawn(move || inner.serve()) {
            tracing::error!(%error, "no thread for the implementation repository");
            self.0.serve_queued();
        }
    }
}

impl Inner {
    fn serve(&self) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(work) = queue.work.pop_front() {
                drop(queue);
                work();
                queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            queue.idle += 1;
            let waited = self.arrived.wait_timeout(queue, IDLE);
            let (after, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            queue = after;
            queue.idle -= 1;
            if timeout.timed_out() && queue.work.is_empty() {
                queue.threads -= 1;
                return;
            }
        }
    }

    fn serve_queued(&self) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.threads -= 1;
        while let Some(work) = queue.work.pop_front() {
            drop(queue);
            work();
            queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        }
    }
}
