//! Leader and followers: threads that share a reactor.
//!
//! All threads wait at the same set of the kernel, which gives each event to one of them. So the
//! promotion of the next leader is the kernel's, costs nothing, and the thread that got the event
//! handles it itself.

use super::Reactor;
use super::epoll::Happened;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How a [`Pool`] is sized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolOptions {
    /// What the threads are called. Default: `reactor`.
    pub name: String,
    /// How many threads there always are, at least one. Default: one for each CPU.
    pub least: usize,
    /// How many there may be when handlers block. Default: 64.
    pub most: usize,
    /// How long a thread beyond `least` waits for an event before it ends. Default: 5 s.
    pub linger: Duration,
}

impl Default for PoolOptions {
    fn default() -> Self {
        let least = thread::available_parallelism().map_or(2, Into::into);
        let linger = Duration::from_secs(5);
        Self { name: "reactor".into(), least, most: 64, linger }
    }
}

/// Threads that run a shared reactor.
///
/// While a handler blocks, the others go on: when the last waiting thread takes an event, another
/// thread is started, up to [`most`](PoolOptions::most). The number of descriptors does not matter.
///
/// A handler that panics ends its thread, which is replaced. Dropping the pool leaves it running;
/// [`join`](Self::join) waits for its end.
#[derive(Debug)]
pub struct Pool {
    crew: Arc<Crew>,
}

impl Pool {
    /// Starts the threads.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if the reactor is not a shared one; or if the operating system
    /// does not give as many threads as there are at least to be.
    pub fn start(reactor: Arc<Reactor>, options: PoolOptions) -> io::Result<Self> {
        if !reactor.is_shared() {
            let reason = "a pool needs a reactor made by Reactor::shared";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let crew = Arc::new(Crew {
            reactor,
            options,
            count: Mutex::new(Count { threads: 0, waiting: 0 }),
            ended: Condvar::new(),
        });
        for _ in 0..crew.options.least.max(1) {
            if let Err(error) = crew.hire() {
                crew.reactor.stop();
                return Err(error);
            }
        }
        Ok(Self { crew })
    }

    /// How many threads there are at the moment.
    pub fn threads(&self) -> usize {
        self.crew.count().threads
    }

    /// Waits until the reactor was stopped and all threads have ended. Not to be called by one of
    /// them.
    pub fn join(self) {
        let mut count = self.crew.count();
        while count.threads > 0 {
            count = self.crew.ended.wait(count).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[derive(Debug)]
struct Crew {
    reactor: Arc<Reactor>,
    options: PoolOptions,
    count: Mutex<Count>,
    ended: Condvar,
}

#[derive(Debug)]
struct Count {
    threads: usize,
    /// How many of them wait for an event.
    waiting: usize,
}

impl Crew {
    fn count(&self) -> MutexGuard<'_, Count> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_surplus(&self, count: &Count) -> bool {
        count.threads > self.options.least.max(1)
    }

    /// Starts one more thread.
    fn hire(self: &Arc<Self>) -> io::Result<()> {
        let mut count = self.count();
        let crew = Arc::clone(self);
        // A new thread counts as waiting from the start, lest one be hired for each event until then.
        let work = move || Member { crew }.work();
        thread::Builder::new().name(self.options.name.clone()).spawn(work)?;
        count.threads += 1;
        count.waiting += 1;
        Ok(())
    }
}

/// A thread of the pool, which counts itself out when it ends.
struct Member {
    crew: Arc<Crew>,
}

impl Member {
    fn work(self) {
        let crew = &self.crew;
        while !crew.reactor.is_stopped() {
            // A failing wait would fail for ever; nothing is known that could make it.
            let Ok(next) = crew.reactor.next(self.patience()) else { break };
            match next {
                None if self.retires_if_surplus() => return,
                None | Some(Happened::Stop) => {}
                Some(happened) => {
                    let _busy = Busy::new(crew);
                    crew.reactor.handle(happened);
                }
            }
        }
        self.ends(crew.count());
    }

    /// How long to wait: for ever, unless there are surplus threads. Whoever is hired finds itself so.
    fn patience(&self) -> Option<Duration> {
        self.crew.has_surplus(&self.crew.count()).then_some(self.crew.options.linger)
    }

    /// Ends as a surplus thread, if there still is one and another thread waits for events.
    fn retires_if_surplus(&self) -> bool {
        let count = self.crew.count();
        let surplus = self.crew.has_surplus(&count) && count.waiting > 1;
        if surplus {
            self.ends(count);
        }
        surplus
    }

    fn ends(&self, mut count: MutexGuard<'_, Count>) {
        count.threads -= 1;
        count.waiting -= 1;
        self.crew.ended.notify_all();
    }
}

/// The time that a thread spends in a handler.
struct Busy<'a> {
    crew: &'a Arc<Crew>,
}

impl<'a> Busy<'a> {
    fn new(crew: &'a Arc<Crew>) -> Self {
        let mut count = crew.count();
        count.waiting -= 1;
        let deserted = count.waiting == 0 && count.threads < crew.options.most;
        drop(count);
        if deserted {
            // Without another thread the events wait until this one comes back.
            let _ = crew.hire();
        }
        Self { crew }
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.crew.count().waiting += 1;
        if thread::panicking() {
            let _ = self.crew.hire();
            Member { crew: Arc::clone(self.crew) }.ends(self.crew.count());
        }
    }
}
