//! The threads of a server: those that serve one connection each, those of the reactor, and the
//! monitor.
//!
//! What a thread does with a connection is in [`crate::server::connections::connection`], the pool
//! of the reactor in [`super::reactor_pool`], the monitor in [`super::monitor`].

use super::leadership::LeadToken;
use super::monitor;
use super::reactor_connection::ReactorConnection;
use super::reactor_pool::ReactorPool;
use super::registry::Registry;
use super::served::SharedConnection;
use super::served_by::{ServedBy, ThreadSlot};
use super::worker::Worker;
use super::worker_status::{WorkerPool, WorkerStatus};
use super::worker_threads::WorkerThreads;
use crate::concurrency::Concurrency;
use crate::log::report;
use crate::message_memory::MessageMemory;
use crate::server::reply::close_reason::CloseReason;
use crate::settings::Settings;
use crate::sync::lock;
use crate::threads::Sleeper;
use armilla_ipc::Stream;
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// How long a thread without a connection waits for one before it ends.
const IDLE_THREAD_TIMEOUT: Duration = Duration::from_millis(if cfg!(test) { 50 } else { 5_000 });

/// All threads that serve the connections of a group of endpoints.
pub(in crate::server) struct Workers {
    pub(in crate::server) threads: WorkerThreads,
    pub(in crate::server) registry: Registry,
    pub(in crate::server) message_memory: Arc<MessageMemory>,
    pub(in crate::server) monitor: Arc<Sleeper>,
    pub(in crate::server) statuses: Mutex<Vec<Arc<WorkerStatus>>>,
    /// How many connections have a thread of their own.
    driven: Arc<AtomicUsize>,
    drivers: Mutex<Drivers>,
    connection_waiting: Condvar,
    reactor_pool: OnceLock<Arc<ReactorPool>>,
    starting: Mutex<()>,
}

/// The threads that serve one connection each.
#[derive(Default)]
struct Drivers {
    /// Connections that wait for a thread.
    waiting: VecDeque<(SharedConnection, LeadToken)>,
    /// The number of threads, and how many of them wait for a connection.
    threads: usize,
    idle: usize,
    /// Whether the log already says that there are not enough threads.
    reported: bool,
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
            driven: Arc::default(),
            drivers: Mutex::default(),
            connection_waiting: Condvar::new(),
            reactor_pool: OnceLock::new(),
            starting: Mutex::default(),
        });
        let (watched, monitor) = (Arc::downgrade(&workers), workers.monitor.clone());
        let sweep = workers.registry.period();
        workers.threads.spawn("monitor", move || monitor::watch(&watched, &monitor, sweep))?;
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
    /// connection waits in the reactor if it has a descriptor, or a doorbell.
    ///
    /// # Errors
    /// If the reactor is needed and the operating system lacks the resources to start it.
    pub(in crate::server) fn served_by(
        self: &Arc<Self>,
        stream: &dyn Stream,
        bidirectional: bool,
    ) -> io::Result<ServedBy> {
        let threads = match stream.descriptor().or_else(|| stream.doorbell()) {
            None => usize::MAX,
            Some(_) if bidirectional => 0,
            Some(_) => self.threads.concurrency.dedicated_threads(),
        };
        let (before, slot) = ThreadSlot::take(&self.driven);
        if before < threads {
            return Ok(ServedBy::Thread(slot));
        }
        Ok(ServedBy::Reactor(ReactorConnection::new(self.reactor_pool()?)))
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
        connection: SharedConnection,
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
        let mut worker = Worker::new(self.clone(), false);
        while let Some((connection, token)) = self.next() {
            connection.clone().lead(token, &mut worker);
            match connection.is_large() {
                true => worker.release_memory(),
                false => worker.shrink(),
            }
        }
    }

    /// The next connection for the calling thread. `None` ends the thread, which is no longer
    /// counted: whether it is surplus and that it leaves is one decision, as others decide too.
    fn next(&self) -> Option<(SharedConnection, LeadToken)> {
        let mut drivers = lock(&self.drivers);
        drivers.idle += 1;
        let nothing = |drivers: &mut Drivers| drivers.waiting.is_empty() && !self.is_closing();
        while nothing(&mut drivers) {
            if drivers.threads <= self.threads.kept {
                // Whoever comes later and is surplus ends itself.
                let woken = self.connection_waiting.wait_while(drivers, nothing);
                drivers = woken.unwrap_or_else(PoisonError::into_inner);
                continue;
            }
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
        connection: SharedConnection,
        token: LeadToken,
    ) {
        if let Some(reactor_pool) = self.reactor_pool.get() {
            reactor_pool.serve_arrived(connection, token);
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
        let reactor_pool =
            ReactorPool::start(&(self.clone() as Arc<dyn WorkerPool>), min_threads, max_threads)?;
        Ok(self.reactor_pool.get_or_init(|| reactor_pool).clone())
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        // It ends then.
        self.monitor.wake();
    }
}

impl WorkerPool for Workers {
    fn threads(&self) -> &WorkerThreads {
        &self.threads
    }

    fn statuses(&self) -> &Mutex<Vec<Arc<WorkerStatus>>> {
        &self.statuses
    }

    fn sweep(&self) -> Option<Duration> {
        self.registry.sweep()
    }

    fn note_quiet(&self) {
        self.registry.note_quiet();
    }

    fn blocked(self: Arc<Self>) {
        if let Some(reactor_pool) = self.reactor_pool.get().cloned() {
            reactor_pool.blocked(&(self as Arc<dyn WorkerPool>));
        }
    }

    fn unblocked(&self) {
        if let Some(reactor_pool) = self.reactor_pool.get() {
            reactor_pool.unblocked();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::thread;

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
