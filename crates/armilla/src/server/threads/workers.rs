//! The threads of a server: those that serve one connection each, those of the reactor, and the
//! monitor.
//!
//! What a thread does with a connection is in [`crate::server::connections::connection`], the pool
//! of the reactor in [`super::reactor_pool`], the monitor in [`super::monitor`].

use super::leadership::LeadToken;
use super::monitor::{self, Monitor};
use super::reactor_pool::ReactorPool;
use super::registry::Registry;
use super::worker_status::WorkerStatus;
use crate::callbacks::guarded;
use crate::concurrency::Concurrency;
use crate::exception::Completion;
use crate::log::report;
use crate::message_memory::MessageMemory;
use crate::server::connections::connection::{Connection, ServedBy};
use crate::server::connections::reactor_connection::ReactorConnection;
use crate::server::endpoints::endpoint_group::EndpointGroupOptions;
use crate::server::reply::close_reason::CloseReason;
use crate::settings::Settings;
use crate::sync::lock;
use armilla_cdr::Buffer;
use armilla_giop::MessageBuffer;
use armilla_ipc::{Stream, memory};
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a thread without a connection waits for one before it ends.
const IDLE_THREAD_TIMEOUT: Duration = Duration::from_millis(if cfg!(test) { 50 } else { 5_000 });

/// The largest reply buffer that a thread keeps between connections, in octets.
const RETAINED: usize = 1024 * 1024;

/// How the threads are made.
pub(in crate::server) struct WorkerThreads {
    concurrency: Concurrency,
    name: String,
    stack_size: Option<usize>,
    /// How many threads that serve one connection each are kept while there are none.
    kept: usize,
    on_start: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl WorkerThreads {
    /// Threads like any other.
    pub(in crate::server) fn new(concurrency: Concurrency) -> Self {
        let (name, stack_size) = ("armilla".to_owned(), None);
        Self { concurrency, name, stack_size, kept: 0, on_start: None }
    }

    /// The threads of a group of endpoints.
    pub(in crate::server) fn of(options: &EndpointGroupOptions) -> Self {
        Self {
            concurrency: options.concurrency,
            name: options.thread_name.clone(),
            stack_size: options.stack_size,
            kept: options.prestarted_threads,
            on_start: options.on_thread_start.clone(),
        }
    }

    /// Starts a thread with this duty.
    ///
    /// # Errors
    /// If the operating system cannot create the thread.
    pub(in crate::server) fn spawn(
        &self,
        duty: &str,
        run: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        let builder = thread::Builder::new().name(format!("{}-{duty}", self.name));
        let builder = match self.stack_size {
            Some(size) => builder.stack_size(size),
            None => builder,
        };
        let on_start = self.on_start.clone();
        let started = builder.spawn(move || {
            if let Some(on_start) = on_start {
                // A panic is reported.
                guarded("a hook of new threads", Completion::No, || on_start()).ok();
            }
            run();
        });
        started.map(drop)
    }
}

/// All threads that serve the connections of a group of endpoints.
pub(in crate::server) struct Workers {
    pub(in crate::server) threads: WorkerThreads,
    pub(in crate::server) registry: Registry,
    pub(in crate::server) message_memory: Arc<MessageMemory>,
    pub(in crate::server) monitor: Arc<Monitor>,
    pub(in crate::server) statuses: Mutex<Vec<Arc<WorkerStatus>>>,
    /// How many connections have a thread of their own.
    driven: AtomicUsize,
    drivers: Mutex<Drivers>,
    connection_waiting: Condvar,
    reactor_pool: OnceLock<Arc<ReactorPool>>,
    starting: Mutex<()>,
}

/// The threads that serve one connection each.
#[derive(Default)]
struct Drivers {
    /// Connections that wait for a thread.
    waiting: VecDeque<(Arc<Connection>, LeadToken)>,
    /// The number of threads, and how many of them wait for a connection.
    threads: usize,
    idle: usize,
    /// Whether the log already says that there are not enough threads.
    reported: bool,
}

/// What a thread needs to serve requests.
pub(in crate::server) struct Worker {
    /// The message being served, and the buffer to read into.
    pub(in crate::server) inbox: MessageBuffer,
    /// The last reply; its buffer is reused for the next one.
    pub(in crate::server) reply: Buffer,
    /// Whether a thread of the reactor has served large messages since it released memory.
    pub(in crate::server) large: bool,
    pub(in crate::server) status: Arc<WorkerStatus>,
    pub(in crate::server) workers: Arc<Workers>,
}

impl Worker {
    /// Registers the calling thread as a worker.
    pub(in crate::server) fn new(workers: &Arc<Workers>, pooled: bool) -> Self {
        let status = WorkerStatus::new(workers, pooled);
        lock(&workers.statuses).push(status.clone());
        let (inbox, reply) = (MessageBuffer::new(), Buffer::new());
        Self { inbox, reply, large: false, status, workers: workers.clone() }
    }

    /// Makes the thread fit for other connections after a panic.
    pub(in crate::server) fn recover(&mut self) {
        self.status.recover(&self.workers);
        (self.inbox, self.reply) = (MessageBuffer::new(), Buffer::new());
    }

    /// Frees the memory of large messages, and returns it to the operating system.
    #[cold]
    pub(in crate::server) fn release_memory(&mut self) {
        self.large = false;
        self.inbox.release_memory();
        self.shrink();
        memory::release_free();
    }

    /// Frees the buffers of large messages before the thread turns to another connection.
    #[inline]
    pub(in crate::server) fn shrink(&mut self) {
        self.inbox.shrink();
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

/// Counts a connection with a thread of its own, until dropped.
pub(in crate::server) struct ThreadSlot(Arc<Workers>);

impl Drop for ThreadSlot {
    fn drop(&mut self) {
        self.0.driven.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Workers {
    /// Starts the monitor thread only; the others start on demand. The monitor ends with the last
    /// reference to the workers.
    ///
    /// # Errors
    /// If the operating system cannot create the thread.
    pub(in crate::server) fn start(
        settings: &Settings,
        threads: WorkerThreads,
    ) -> io::Result<Arc<Self>> {
        let workers = Arc::new(Self {
            threads,
            registry: Registry::new(settings),
            message_memory: MessageMemory::new(settings.message_memory),
            monitor: Arc::default(),
            statuses: Mutex::default(),
            driven: AtomicUsize::new(0),
            drivers: Mutex::default(),
            connection_waiting: Condvar::new(),
            reactor_pool: OnceLock::new(),
            starting: Mutex::default(),
        });
        monitor::start(&workers, workers.registry.period())?;
        Ok(workers)
    }

    /// Starts the threads that are kept whether or not there are connections.
    ///
    /// # Errors
    /// If the operating system cannot create a thread.
    pub(in crate::server) fn prestart(self: &Arc<Self>) -> io::Result<()> {
        let mut drivers = lock(&self.drivers);
        for _ in drivers.threads..self.threads.kept {
            let workers = self.clone();
            self.threads.spawn("serve", move || workers.drive())?;
            drivers.threads += 1;
        }
        Ok(())
    }

    /// Decides what waits for the requests of a new connection over `stream`. A bidirectional
    /// connection waits in the reactor if it has a descriptor.
    ///
    /// # Errors
    /// If the reactor is needed and the operating system lacks the resources to start it.
    pub(in crate::server) fn served_by(
        self: &Arc<Self>,
        stream: &dyn Stream,
        bidirectional: bool,
    ) -> io::Result<ServedBy> {
        let threads = match stream.descriptor() {
            None => usize::MAX,
            Some(_) if bidirectional => 0,
            Some(_) => self.threads.concurrency.dedicated_threads(),
        };
        let before = self.driven.fetch_add(1, Ordering::Relaxed);
        let slot = ThreadSlot(self.clone());
        if before < threads {
            return Ok(ServedBy::Thread(slot));
        }
        Ok(ServedBy::Reactor(ReactorConnection::new(self.reactor_pool()?)))
    }

    /// Begins to serve a connection that is in the registry.
    ///
    /// # Errors
    /// If the reactor cannot watch the connection.
    pub(in crate::server) fn begin(
        self: &Arc<Self>,
        connection: &Arc<Connection>,
    ) -> io::Result<()> {
        match &connection.served_by {
            ServedBy::Thread(_) => {
                self.assign_thread(connection.clone(), connection.leadership.token());
                Ok(())
            }
            ServedBy::Reactor(reactor_connection) => reactor_connection.begin(connection),
        }
    }

    /// Whether another thread may be added to take over a connection whose thread is blocked.
    pub(in crate::server) fn can_add_thread(&self) -> bool {
        let Concurrency::Hybrid { dedicated_threads, max_threads, .. } = self.threads.concurrency
        else {
            return true;
        };
        let mut drivers = lock(&self.drivers);
        let full =
            drivers.idle == 0 && drivers.threads >= dedicated_threads.saturating_add(max_threads);
        if full && !std::mem::replace(&mut drivers.reported, true) {
            report!(
                warn,
                "all connection threads are blocked; requests wait (concurrency)",
                threads = drivers.threads,
            );
        }
        drivers.reported &= full;
        !full
    }

    /// Assigns a thread to lead a connection with `token`. If the operating system cannot create
    /// one, the next thread that becomes idle leads it.
    pub(in crate::server) fn assign_thread(
        self: &Arc<Self>,
        connection: Arc<Connection>,
        token: LeadToken,
    ) {
        let mut drivers = lock(&self.drivers);
        drivers.waiting.push_back((connection, token));
        if drivers.idle >= drivers.waiting.len() {
            return self.connection_waiting.notify_one();
        }
        let workers = self.clone();
        let drive = move || workers.drive();
        match self.threads.spawn("serve", drive) {
            Ok(()) => drivers.threads += 1,
            Err(error) => {
                report!(
                    error,
                    "cannot start a thread for a connection; the connection waits",
                    error = error
                );
            }
        }
    }

    fn drive(self: &Arc<Self>) {
        let mut worker = Worker::new(self, false);
        while let Some((connection, token)) = self.next() {
            connection.lead_guarded(&mut worker, |worker| connection.drive(token, worker));
            match connection.large.load(Ordering::Relaxed) {
                true => worker.release_memory(),
                false => worker.shrink(),
            }
        }
    }

    /// The next connection for the calling thread. `None` ends the thread, which is no longer
    /// counted: whether it is surplus and that it leaves is one decision, as others decide too.
    fn next(&self) -> Option<(Arc<Connection>, LeadToken)> {
        let mut drivers = lock(&self.drivers);
        drivers.idle += 1;
        while drivers.waiting.is_empty() && !self.is_closing() {
            let nothing = |drivers: &mut Drivers| drivers.waiting.is_empty() && !self.is_closing();
            let woken =
                self.connection_waiting.wait_timeout_while(drivers, IDLE_THREAD_TIMEOUT, nothing);
            drivers = woken.unwrap_or_else(PoisonError::into_inner).0;
            if drivers.threads > self.threads.kept {
                break;
            }
        }
        drivers.idle -= 1;
        let next = drivers.waiting.pop_front();
        if next.is_none() {
            drivers.threads -= 1;
        }
        next
    }

    /// Lets a thread of the reactor's pool lead a connection with `token`.
    pub(in crate::server) fn continue_leading(
        &self,
        connection: Arc<Connection>,
        token: LeadToken,
    ) {
        if let Some(reactor_pool) = self.reactor_pool.get() {
            reactor_pool.serve_arrived(connection, token);
        }
    }

    /// Counts a thread of the reactor's pool as blocked in something other than waiting for
    /// requests.
    pub(in crate::server) fn blocked(self: &Arc<Self>) {
        if let Some(reactor_pool) = self.reactor_pool.get() {
            reactor_pool.blocked(self);
        }
    }

    /// Counts a blocked thread as running again.
    pub(in crate::server) fn unblocked(&self) {
        if let Some(reactor_pool) = self.reactor_pool.get() {
            reactor_pool.unblocked();
        }
    }

    /// Whether the server is closing, so that no more requests are begun.
    #[inline]
    pub(in crate::server) fn is_closing(&self) -> bool {
        self.registry.is_closing()
    }

    /// Stops the reactor, and ends the threads that wait. A thread that is in a servant ends when
    /// the servant returns.
    pub(in crate::server) fn stop(&self) {
        // For which there was no thread.
        let waiting = std::mem::take(&mut lock(&self.drivers).waiting);
        self.connection_waiting.notify_all();
        waiting.iter().for_each(|(connection, _)| connection.conclude(&CloseReason::Ours));
        if let Some(reactor_pool) = self.reactor_pool.get() {
            reactor_pool.stop();
        }
    }

    /// The pool of the reactor, started for the first connection that needs it.
    fn reactor_pool(self: &Arc<Self>) -> io::Result<Arc<ReactorPool>> {
        let _starting = lock(&self.starting);
        if let Some(reactor_pool) = self.reactor_pool.get() {
            return Ok(reactor_pool.clone());
        }
        let (min_threads, max_threads) = self.threads.concurrency.pool();
        let reactor_pool = ReactorPool::start(self, min_threads, max_threads)?;
        Ok(self.reactor_pool.get_or_init(|| reactor_pool).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn of_two_idle_threads_the_one_that_is_kept_stays() {
        let mut threads = WorkerThreads::new(Concurrency::ThreadPerConnection);
        threads.kept = 1;
        let workers = Workers::start(&Settings::default(), threads).unwrap();
        lock(&workers.drivers).threads = 2;
        let (sender, receiver) = channel();
        thread::scope(|scope| {
            for _ in 0..2 {
                let (sender, workers) = (sender.clone(), &workers);
                scope.spawn(move || {
                    assert!(workers.next().is_none());
                    sender.send(lock(&workers.drivers).threads).unwrap();
                });
            }
            assert_eq!(receiver.recv().unwrap(), 1, "one is surplus");
            assert!(receiver.recv_timeout(8 * IDLE_THREAD_TIMEOUT).is_err(), "the other is kept");
            workers.registry.drain(Duration::ZERO);
            workers.stop();
            assert_eq!(receiver.recv().unwrap(), 0);
        });
    }
}
