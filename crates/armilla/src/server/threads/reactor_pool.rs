//! The threads of the reactor: leader and followers. Each thread takes the next event from the
//! kernel and serves it itself.
//!
//! The setting gives the number of threads that are not blocked. A thread that blocks, in a call of
//! its own or in anything else that a servant does, is replaced until it continues.

use super::leadership::LeadToken;
use super::served::SharedConnection;
use super::worker::{MEMORY_KEPT, Worker};
use super::worker_status::WorkerPool;
use crate::log::report;
use crate::server::reply::close_reason::CloseReason;
use crate::sync::lock;
use armilla_ipc::reactor::{Notifier, Reactor};
use std::cell::Cell;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// How long a surplus thread waits for work before it ends.
const IDLE_THREAD_TIMEOUT: Duration = Duration::from_secs(5);

/// The threads that share a reactor.
pub(in crate::server) struct ReactorPool {
    pub(in crate::server) reactor: Arc<Reactor>,
    /// The number of threads that are not blocked, and the limit for all threads.
    least: usize,
    most: usize,
    count: Mutex<Count>,
    /// Connections that were handed over with requests already read, and their lead tokens.
    arrived: Mutex<VecDeque<(SharedConnection, LeadToken)>>,
    notifier: OnceLock<Notifier>,
}

#[derive(Default)]
struct Count {
    threads: usize,
    blocked: usize,
    /// Whether the log already says that there are not enough threads.
    reported: bool,
}

/// What the thread has to serve after the reactor's event handler has returned.
enum PendingEvent {
    /// A connection is ready to be read or written.
    Ready(SharedConnection),
    /// A connection was handed over with requests already read.
    Handover,
}

thread_local! {
    /// The event that the reactor has given to this thread.
    static PENDING_EVENT: Cell<Option<PendingEvent>> = const { Cell::new(None) };
}

impl ReactorPool {
    /// Creates a reactor and starts its first threads.
    ///
    /// # Errors
    /// If the operating system lacks descriptors or threads.
    pub(in crate::server) fn start(
        workers: &Arc<dyn WorkerPool>,
        least: usize,
        most: usize,
    ) -> io::Result<Arc<Self>> {
        let least = least.max(1);
        let reactor_pool = Arc::new(Self {
            reactor: Arc::new(Reactor::shared()?),
            least,
            most: most.max(least),
            count: Mutex::default(),
            arrived: Mutex::default(),
            notifier: OnceLock::new(),
        });
        let notifier =
            reactor_pool.reactor.notifier(|_| PENDING_EVENT.set(Some(PendingEvent::Handover)))?;
        reactor_pool.notifier.set(notifier).ok();
        for _ in 0..least {
            reactor_pool.spawn_thread(workers, &mut lock(&reactor_pool.count))?;
        }
        Ok(reactor_pool)
    }

    /// Notes that the reactor found `connection` ready, for this thread to serve.
    pub(in crate::server) fn set_ready(connection: &SharedConnection) {
        PENDING_EVENT.set(Some(PendingEvent::Ready(connection.clone())));
    }

    /// Lets some thread of the pool serve the requests that were already read from a connection.
    pub(in crate::server) fn serve_arrived(&self, connection: SharedConnection, token: LeadToken) {
        lock(&self.arrived).push_back((connection, token));
        self.notify();
        if self.reactor.is_stopped() {
            self.end_arrived();
        }
    }

    /// Stops the reactor, and ends the connections that nobody serves any more. Threads that still
    /// serve one end it themselves.
    pub(in crate::server) fn stop(&self) {
        self.reactor.stop();
        self.end_arrived();
    }

    fn end_arrived(&self) {
        let arrived = std::mem::take(&mut *lock(&self.arrived));
        arrived.iter().for_each(|(connection, _)| connection.conclude(&CloseReason::Ours));
    }

    fn notify(&self) {
        if let Some(notifier) = self.notifier.get() {
            notifier.notify();
        }
    }

    /// Counts one more thread as blocked, and starts another in its place unless the limit is
    /// reached.
    pub(in crate::server) fn blocked(self: &Arc<Self>, workers: &Arc<dyn WorkerPool>) {
        let mut count = lock(&self.count);
        count.blocked += 1;
        while count.threads < count.blocked + self.least {
            if count.threads >= self.most {
                if !std::mem::replace(&mut count.reported, true) {
                    report!(
                        warn,
                        "all worker threads are blocked; requests wait (concurrency)",
                        threads = self.most,
                    );
                }
                return;
            }
            if let Err(error) = self.spawn_thread(workers, &mut count) {
                report!(error, "cannot start a worker thread", error = error);
                return;
            }
        }
    }

    /// Counts a blocked thread as running again.
    pub(in crate::server) fn unblocked(&self) {
        let mut count = lock(&self.count);
        count.blocked -= 1;
        count.reported &= count.threads >= self.most;
    }

    fn spawn_thread(
        self: &Arc<Self>,
        workers: &Arc<dyn WorkerPool>,
        count: &mut Count,
    ) -> io::Result<()> {
        let (reactor_pool, served) = (self.clone(), workers.clone());
        workers.threads().spawn("reactor", move || reactor_pool.work(&served))?;
        count.threads += 1;
        Ok(())
    }

    fn work(&self, workers: &Arc<dyn WorkerPool>) {
        let mut worker = Worker::new(workers.clone(), true);
        let mut patience = Some(IDLE_THREAD_TIMEOUT);
        while !self.reactor.is_stopped() {
            let wait = if worker.large { Some(MEMORY_KEPT) } else { patience };
            patience = Some(IDLE_THREAD_TIMEOUT);
            let events = match self.reactor.handle_events(wait) {
                Ok(events) => events,
                // The error would repeat for ever, so the thread ends. No cause of it is known.
                Err(error) => {
                    report!(
                        error,
                        "a worker thread can no longer wait for requests",
                        error = error
                    );
                    break;
                }
            };
            let pending = PENDING_EVENT.take();
            if events == 0 && pending.is_none() {
                if worker.large {
                    worker.release_memory();
                } else if self.retires() {
                    return;
                } else if self.is_least() {
                    patience = None;
                }
            }
            match pending {
                Some(PendingEvent::Ready(connection)) => {
                    connection.take_event(&mut worker);
                }
                Some(PendingEvent::Handover) => self.serve_next(&mut worker),
                None => {}
            }
            worker.status.unblock(&**workers);
            worker.shrink();
        }
        lock(&self.count).threads -= 1;
    }

    fn serve_next(&self, worker: &mut Worker) {
        let (next, more) = {
            let mut arrived = lock(&self.arrived);
            (arrived.pop_front(), !arrived.is_empty())
        };
        if more {
            self.notify();
        }
        if let Some((connection, token)) = next {
            connection.serve_arrived(token, worker);
        }
    }

    /// Whether there are no more threads than are kept, and none of them is blocked.
    fn is_least(&self) -> bool {
        let count = lock(&self.count);
        count.blocked == 0 && count.threads <= self.least
    }

    /// Whether the calling thread is surplus; it is then no longer counted and has to end.
    fn retires(&self) -> bool {
        let mut count = lock(&self.count);
        let surplus = count.threads > count.blocked + self.least;
        if surplus {
            count.threads -= 1;
        }
        surplus
    }
}
