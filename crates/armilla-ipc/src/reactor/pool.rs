//! A thread pool after the leader/followers pattern: several threads share one reactor.
//!
//! All threads wait on the same `epoll` set, and the kernel gives each event to one of them. So the
//! kernel promotes the next leader at no cost, and the thread that got the event handles it itself.

use super::Reactor;
use super::epoll::ReactorEvent;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The size of a [`Pool`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolOptions {
    /// The name of the threads. Default: `reactor`.
    pub name: String,
    /// The least number of threads; zero counts as one. Default: the number of CPUs.
    pub min_threads: usize,
    /// The greatest number of threads, reached when handlers block. Default: 64.
    pub max_threads: usize,
    /// How long a thread beyond `min_threads` waits for an event before it ends. Default: 5 s.
    pub idle_timeout: Duration,
}

impl Default for PoolOptions {
    fn default() -> Self {
        let min_threads = thread::available_parallelism().map_or(2, Into::into);
        let idle_timeout = Duration::from_secs(5);
        Self { name: "reactor".into(), min_threads, max_threads: 64, idle_timeout }
    }
}

/// Threads that run a shared reactor.
///
/// While a handler blocks, the others go on: when the last waiting thread takes an event, another
/// thread is started, up to [`max_threads`](PoolOptions::max_threads). The number of descriptors
/// does not matter.
///
/// A handler that panics ends its thread, which is replaced. Dropping the pool leaves it running;
/// [`join`](Self::join) waits for its end.
///
/// ```
/// use armilla_ipc::reactor::{Pool, PoolOptions, Reactor};
/// use std::sync::Arc;
///
/// let reactor = Arc::new(Reactor::shared()?);
/// let options = PoolOptions { min_threads: 2, ..Default::default() };
/// let pool = Pool::start(Arc::clone(&reactor), options)?;
/// // register handlers here
/// reactor.stop();
/// pool.join();
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
}

impl Pool {
    /// Starts the threads.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if the reactor is not a shared one; or if the operating
    /// system does not give as many threads as there are at least to be.
    pub fn start(reactor: Arc<Reactor>, options: PoolOptions) -> io::Result<Self> {
        if !reactor.is_shared() {
            let reason = "a pool needs a reactor made by Reactor::shared";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let shared = Arc::new(Shared {
            reactor,
            options,
            count: Mutex::new(ThreadCounts { threads: 0, waiting: 0 }),
            ended: Condvar::new(),
        });
        for _ in 0..shared.options.min_threads.max(1) {
            if let Err(error) = shared.spawn_worker() {
                shared.reactor.stop();
                return Err(error);
            }
        }
        Ok(Self { shared })
    }

    /// How many threads there are at the moment.
    pub fn threads(&self) -> usize {
        self.shared.count().threads
    }

    /// Waits until the reactor was stopped and all threads have ended. Not to be called by one of
    /// them.
    pub fn join(self) {
        let mut count = self.shared.count();
        while count.threads > 0 {
            count = self.shared.ended.wait(count).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[derive(Debug)]
struct Shared {
    reactor: Arc<Reactor>,
    options: PoolOptions,
    count: Mutex<ThreadCounts>,
    ended: Condvar,
}

#[derive(Debug)]
struct ThreadCounts {
    threads: usize,
    /// How many of them wait for an event.
    waiting: usize,
}

impl Shared {
    fn count(&self) -> MutexGuard<'_, ThreadCounts> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_surplus(&self, count: &ThreadCounts) -> bool {
        count.threads > self.options.min_threads.max(1)
    }

    /// Starts one more thread.
    fn spawn_worker(self: &Arc<Self>) -> io::Result<()> {
        let mut count = self.count();
        let shared = Arc::clone(self);
        // A new thread counts as waiting from the start; otherwise every event until then would
        // start another.
        let run = move || Worker { shared }.run();
        thread::Builder::new().name(self.options.name.clone()).spawn(run)?;
        count.threads += 1;
        count.waiting += 1;
        Ok(())
    }
}

/// A thread of the pool. It leaves the counts when it ends.
struct Worker {
    shared: Arc<Shared>,
}

impl Worker {
    fn run(self) {
        let shared = &self.shared;
        while !shared.reactor.is_stopped() {
            // A wait that fails once would fail for ever; no cause is known.
            let Ok(next) = shared.reactor.next(self.idle_timeout()) else { break };
            match next {
                None if self.exit_if_surplus() => return,
                None | Some(ReactorEvent::Stop) => {}
                Some(event) => {
                    let _busy = Busy::new(shared);
                    shared.reactor.handle(event);
                }
            }
        }
        self.deregister(shared.count());
    }

    /// How long to wait for an event: for ever, unless there are surplus threads.
    fn idle_timeout(&self) -> Option<Duration> {
        self.shared.has_surplus(&self.shared.count()).then_some(self.shared.options.idle_timeout)
    }

    /// Ends as a surplus thread, if there still is one and another thread waits for events.
    fn exit_if_surplus(&self) -> bool {
        let count = self.shared.count();
        let surplus = self.shared.has_surplus(&count) && count.waiting > 1;
        if surplus {
            self.deregister(count);
        }
        surplus
    }

    fn deregister(&self, mut count: MutexGuard<'_, ThreadCounts>) {
        count.threads -= 1;
        count.waiting -= 1;
        self.shared.ended.notify_all();
    }
}

/// Counts a thread as busy while it is in a handler.
struct Busy<'a> {
    shared: &'a Arc<Shared>,
}

impl<'a> Busy<'a> {
    fn new(shared: &'a Arc<Shared>) -> Self {
        let mut count = shared.count();
        count.waiting -= 1;
        let none_waiting = count.waiting == 0 && count.threads < shared.options.max_threads;
        drop(count);
        if none_waiting {
            // Without another thread the events wait until this one returns.
            let _ = shared.spawn_worker();
        }
        Self { shared }
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.shared.count().waiting += 1;
        if thread::panicking() {
            let _ = self.shared.spawn_worker();
            Worker { shared: Arc::clone(self.shared) }.deregister(self.shared.count());
        }
    }
}
