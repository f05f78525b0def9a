//! The threads of the reactor: leader and followers. Each takes the next event from the kernel and
//! serves what has come itself.
//!
//! There are as many as the setting asks for that are not blocked: one that waits for something, in
//! a call of its own or in whatever a servant does, is replaced until it comes back.

use super::connection::{AfterServing, Connection};
use super::leadership::LeadToken;
use super::workers::{Worker, Workers};
use crate::log::report;
use crate::sync::lock;
use armilla_ipc::reactor::{Notifier, Reactor};
use std::cell::Cell;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

/// How long a thread more than is needed waits for work before it ends.
const IDLE_THREAD_TIMEOUT: Duration = Duration::from_secs(5);

/// The threads that share a reactor.
pub(super) struct ReactorPool {
    pub(super) reactor: Arc<Reactor>,
    /// How many threads there are that are not blocked, and how many there may be in all.
    least: usize,
    most: usize,
    count: Mutex<Count>,
    /// Connections with requests that have arrived and that nobody leads.
    arrived: Mutex<VecDeque<(Arc<Connection>, LeadToken)>>,
    notifier: OnceLock<Notifier>,
}

#[derive(Default)]
struct Count {
    threads: usize,
    blocked: usize,
    /// Whether the operator has heard that there are not enough threads.
    reported: bool,
}

/// What the reactor has pending for.
enum PendingEvent {
    /// A connection is ready for something.
    Ready(Arc<Connection>),
    /// There is a connection with requests that have arrived.
    Handover,
}

thread_local! {
    /// What the reactor has pending for on this thread.
    static PENDING_EVENT: Cell<Option<PendingEvent>> = const { Cell::new(None) };
}

impl ReactorPool {
    /// A reactor with its first threads.
    ///
    /// # Errors
    /// If the operating system gives no descriptors or no threads.
    pub(super) fn start(
        workers: &Arc<Workers>,
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

    /// Notes which connection the reactor has pending for on this thread.
    pub(super) fn set_ready(connection: &Arc<Connection>) {
        PENDING_EVENT.set(Some(PendingEvent::Ready(connection.clone())));
    }

    /// Has some thread go on with what has arrived on a connection.
    pub(super) fn serve_arrived(&self, connection: Arc<Connection>, token: LeadToken) {
        lock(&self.arrived).push_back((connection, token));
        self.notify();
    }

    fn notify(&self) {
        if let Some(notifier) = self.notifier.get() {
            notifier.notify();
        }
    }

    /// A thread of the reactor_pool waits for something else than requests.
    pub(super) fn blocked(self: &Arc<Self>, workers: &Arc<Workers>) {
        let mut count = lock(&self.count);
        count.blocked += 1;
        while count.threads < count.blocked + self.least {
            if count.threads >= self.most {
                if !std::mem::replace(&mut count.reported, true) {
                    report!(
                        warn,
                        "every thread that serves is blocked, requests wait (concurrency)",
                        threads = self.most,
                    );
                }
                return;
            }
            if let Err(error) = self.spawn_thread(workers, &mut count) {
                report!(error, "no thread to serve requests", error = error);
                return;
            }
        }
    }

    /// It has come back.
    pub(super) fn unblocked(&self) {
        let mut count = lock(&self.count);
        count.blocked -= 1;
        count.reported &= count.threads >= self.most;
    }

    fn spawn_thread(self: &Arc<Self>, workers: &Arc<Workers>, count: &mut Count) -> io::Result<()> {
        let (reactor_pool, workers) = (self.clone(), workers.clone());
        let work = move || reactor_pool.work(&workers);
        thread::Builder::new().name("armilla-reactor".into()).spawn(work)?;
        count.threads += 1;
        Ok(())
    }

    fn work(&self, workers: &Arc<Workers>) {
        let mut worker = Worker::new(workers, true);
        while !self.reactor.is_stopped() {
            let events = match self.reactor.handle_events(Some(IDLE_THREAD_TIMEOUT)) {
                Ok(events) => events,
                // It would fail for ever; nothing is known that could make it.
                Err(error) => {
                    report!(error, "a thread cannot wait for requests any more", error = error);
                    break;
                }
            };
            let pending = PENDING_EVENT.take();
            if events == 0 && pending.is_none() && self.retires() {
                return;
            }
            match pending {
                Some(PendingEvent::Ready(connection)) => connection.ready(&mut worker),
                Some(PendingEvent::Handover) => self.serve_next(&mut worker),
                None => {}
            }
            worker.status.unblock(workers);
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
            connection.proceed(token, worker, AfterServing::Return);
        }
    }

    /// Ends a thread, if there are more than are needed.
    fn retires(&self) -> bool {
        let mut count = lock(&self.count);
        let surplus = count.threads > count.blocked + self.least;
        if surplus {
            count.threads -= 1;
        }
        surplus
    }
}
