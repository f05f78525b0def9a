//! The threads of a server: those that drive a connection each, those of the reactor, and the one
//! that looks after them.

use super::collocated::ReplyCapture;
use super::connection::{Connection, ServedBy};
use super::leadership::LeadToken;
use super::monitor::{self, Monitor};
use super::reactor_connection::ReactorConnection;
use super::reactor_pool::ReactorPool;
use super::registry::Registry;
use super::worker_status::WorkerStatus;
use crate::concurrency::Concurrency;
use crate::log::report;
use crate::settings::Settings;
use crate::sync::lock;
use armilla_cdr::Buffer;
use armilla_giop::MessageBuffer;
use armilla_ipc::Stream;
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a thread that has no connection to drive waits for one before it ends.
const IDLE_THREAD_TIMEOUT: Duration = Duration::from_secs(5);

/// How large the memory for replies is that a thread keeps.
const RETAINED: usize = 1024 * 1024;

/// All threads that serve requests.
pub(super) struct Workers {
    pub(super) registry: Registry,
    pub(super) monitor: Arc<Monitor>,
    pub(super) statuses: Mutex<Vec<Arc<WorkerStatus>>>,
    concurrency: Concurrency,
    /// How many connections have a thread of their own.
    driven: AtomicUsize,
    drivers: Mutex<Drivers>,
    connection_waiting: Condvar,
    reactor_pool: OnceLock<Arc<ReactorPool>>,
    starting: Mutex<()>,
    /// What caught the replies to requests of this process, for the next of them.
    pub(super) kept_captures: parking_lot::Mutex<Vec<ReplyCapture>>,
}

/// Threads that drive connections.
#[derive(Default)]
struct Drivers {
    /// Connections for which there is no thread yet.
    waiting: VecDeque<(Arc<Connection>, LeadToken)>,
    /// How many threads there are, and how many of them wait for one.
    threads: usize,
    idle: usize,
    /// Whether the operator has heard that there are not enough.
    reported: bool,
}

/// What a thread that serves requests has at worker.
pub(super) struct Worker {
    /// The request that it serves, and the memory to read into.
    pub(super) inbox: MessageBuffer,
    /// The last reply; its memory is used for the next.
    pub(super) reply: Buffer,
    pub(super) status: Arc<WorkerStatus>,
    pub(super) workers: Arc<Workers>,
}

impl Worker {
    /// What the calling thread has at worker.
    pub(super) fn new(workers: &Arc<Workers>, pooled: bool) -> Self {
        let status = WorkerStatus::new(workers, pooled);
        lock(&workers.statuses).push(status.clone());
        Self { inbox: MessageBuffer::new(), reply: Buffer::new(), status, workers: workers.clone() }
    }

    /// Gives the memory of a large reply back, before the thread turns to another connection.
    #[inline]
    pub(super) fn shrink(&mut self) {
        if self.reply.capacity() > RETAINED {
            self.reply = Buffer::new();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.status.unblock(&self.workers);
        lock(&self.workers.statuses).retain(|status| !Arc::ptr_eq(status, &self.status));
    }
}

/// Counts a connection that has a thread of its own.
pub(super) struct ThreadSlot(Arc<Workers>);

impl Drop for ThreadSlot {
    fn drop(&mut self) {
        self.0.driven.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Workers {
    /// No threads yet but the one that looks after them and the connections, which ends with this.
    ///
    /// # Errors
    /// If the operating system gives no thread.
    pub(super) fn start(settings: &Settings) -> io::Result<Arc<Self>> {
        let workers = Arc::new(Self {
            registry: Registry::new(settings),
            monitor: Arc::default(),
            statuses: Mutex::default(),
            concurrency: settings.concurrency,
            driven: AtomicUsize::new(0),
            drivers: Mutex::default(),
            connection_waiting: Condvar::new(),
            reactor_pool: OnceLock::new(),
            starting: Mutex::default(),
            kept_captures: Default::default(),
        });
        monitor::start(&workers, workers.registry.period())?;
        Ok(workers)
    }

    /// How a new connection over `stream` is to wait for its requests. One that carries them both ways
    /// does so in the reactor, where there is a descriptor.
    ///
    /// # Errors
    /// If there is to be a reactor, and the operating system does not give what it needs.
    pub(super) fn served_by(
        self: &Arc<Self>,
        stream: &dyn Stream,
        bidirectional: bool,
    ) -> io::Result<ServedBy> {
        let threads = match self.concurrency {
            _ if stream.descriptor().is_none() => usize::MAX,
            _ if bidirectional => 0,
            Concurrency::ThreadPerConnection => usize::MAX,
            Concurrency::LeaderFollowers { .. } => 0,
            Concurrency::Hybrid { dedicated_threads, .. } => dedicated_threads,
        };
        let before = self.driven.fetch_add(1, Ordering::Relaxed);
        let slot = ThreadSlot(self.clone());
        if before < threads {
            return Ok(ServedBy::Thread(slot));
        }
        Ok(ServedBy::Reactor(ReactorConnection::new(self.reactor_pool()?)))
    }

    /// Begins to serve a connection that was entered into the registry.
    ///
    /// # Errors
    /// If it cannot be watched.
    pub(super) fn begin(self: &Arc<Self>, connection: &Arc<Connection>) -> io::Result<()> {
        match &connection.served_by {
            ServedBy::Thread(_) => {
                self.assign_thread(connection.clone(), connection.leadership.token());
                Ok(())
            }
            ServedBy::Reactor(reactor_connection) => reactor_connection.begin(connection),
            ServedBy::Collocated => Ok(()),
        }
    }

    /// Whether there may be one more thread for a connection that has one, which is blocked.
    pub(super) fn can_add_thread(&self) -> bool {
        let Concurrency::Hybrid { dedicated_threads, max_threads, .. } = self.concurrency else {
            return true;
        };
        let mut drivers = lock(&self.drivers);
        let full =
            drivers.idle == 0 && drivers.threads >= dedicated_threads.saturating_add(max_threads);
        if full && !std::mem::replace(&mut drivers.reported, true) {
            report!(
                warn,
                "threads of connections are blocked, and there are no more; requests wait \
                 (concurrency)",
                threads = drivers.threads,
            );
        }
        drivers.reported &= full;
        !full
    }

    /// Has a thread drive a connection from `token` on. If the operating system gives no thread, the
    /// next one that has nothing else to do does it.
    pub(super) fn assign_thread(self: &Arc<Self>, connection: Arc<Connection>, token: LeadToken) {
        let mut drivers = lock(&self.drivers);
        drivers.waiting.push_back((connection, token));
        if drivers.idle >= drivers.waiting.len() {
            return self.connection_waiting.notify_one();
        }
        let workers = self.clone();
        let drive = move || workers.drive();
        match thread::Builder::new().name("armilla-serve".into()).spawn(drive) {
            Ok(_) => drivers.threads += 1,
            Err(error) => {
                report!(error, "no thread for a connection, which has to wait", error = error);
            }
        }
    }

    fn drive(self: &Arc<Self>) {
        let mut worker = Worker::new(self, false);
        while let Some((connection, token)) = self.next() {
            connection.drive(token, &mut worker);
            worker.shrink();
        }
        lock(&self.drivers).threads -= 1;
    }

    fn next(&self) -> Option<(Arc<Connection>, LeadToken)> {
        let mut drivers = lock(&self.drivers);
        drivers.idle += 1;
        if drivers.waiting.is_empty() && !self.is_closing() {
            let nothing = |drivers: &mut Drivers| drivers.waiting.is_empty();
            let woken =
                self.connection_waiting.wait_timeout_while(drivers, IDLE_THREAD_TIMEOUT, nothing);
            drivers = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        drivers.idle -= 1;
        drivers.waiting.pop_front()
    }

    /// Has a thread of the reactor_pool leadership a connection from `token` on.
    pub(super) fn continue_leading(&self, connection: Arc<Connection>, token: LeadToken) {
        if let Some(reactor_pool) = self.reactor_pool.get() {
            reactor_pool.serve_arrived(connection, token);
        }
    }

    /// A thread of the reactor_pool waits for something else than requests.
    pub(super) fn blocked(self: &Arc<Self>) {
        if let Some(reactor_pool) = self.reactor_pool.get() {
            reactor_pool.blocked(self);
        }
    }

    /// It has come back.
    pub(super) fn unblocked(&self) {
        if let Some(reactor_pool) = self.reactor_pool.get() {
            reactor_pool.unblocked();
        }
    }

    /// Whether the server closes: no more requests are to be begun.
    #[inline]
    pub(super) fn is_closing(&self) -> bool {
        self.registry.is_closing()
    }

    /// Ends the threads, of which those end later that are in a servant still.
    pub(super) fn stop_reactor(&self) {
        self.kept_captures.lock().clear();
        if let Some(reactor_pool) = self.reactor_pool.get() {
            reactor_pool.reactor.stop();
        }
    }

    /// The reactor_pool, which is started for the first connection that needs it.
    fn reactor_pool(self: &Arc<Self>) -> io::Result<Arc<ReactorPool>> {
        let _starting = lock(&self.starting);
        if let Some(reactor_pool) = self.reactor_pool.get() {
            return Ok(reactor_pool.clone());
        }
        let (min_threads, max_threads) = self.concurrency.pool();
        let reactor_pool = ReactorPool::start(self, min_threads, max_threads)?;
        Ok(self.reactor_pool.get_or_init(|| reactor_pool).clone())
    }
}
