//! The client's reactor and the threads that run it. The reactor reads replies that no thread waits
//! for, sends octets that a server did not accept at once, and runs timers. It starts on first use.
//!
//! # Foreign code
//!
//! Callbacks and interceptors are the program's, and may block: they may make calls. A thread on
//! which others depend runs none of it. It [defers](defer) what may, and the thread that runs the
//! reactor takes it between two looks at the reactor. When that is about to block, it hands the
//! reactor over to another thread first. So there is always a thread that reads, sends and expires
//! for all, whatever callbacks wait for; only so many of them run at a time.

use crate::callbacks::guarded;
use crate::exception::Completion;
use crate::log::report;
use crate::sync::lock;
use crate::threads::{BlockingHooks, set_blocking_hooks};
use armilla_ipc::reactor::{Reactor, Timer};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// How many threads run what was deferred at most; further ones only run the reactor.
const MOST_BUSY: usize = 16;

/// How long a thread without work is kept.
const SPARE_TIME: Duration = Duration::from_secs(10);

/// Work that runs code of the program.
pub(in crate::client) trait Deferred: Send + Sync {
    /// Does the work.
    fn run(self: Arc<Self>);
}

/// The reactor of an ORB's client side. Dropping it stops the threads.
#[derive(Default)]
pub(crate) struct ReactorThreads(Arc<Work>);

/// What the threads of a reactor share.
#[derive(Default)]
struct Work {
    reactor: OnceLock<Option<Arc<Reactor>>>,
    crew: Mutex<Crew>,
    lead_is_free: Condvar,
}

#[derive(Default)]
struct Crew {
    deferred: VecDeque<Arc<dyn Deferred>>,
    /// How many threads run deferred work.
    busy: usize,
    /// Whether a thread waits for work.
    has_spare: bool,
    /// Whether that thread is to run the reactor from now on.
    leads_next: bool,
}

thread_local! {
    /// Whether others depend on this thread at this moment, so that it runs no foreign code.
    static DEFERS: Cell<bool> = const { Cell::new(false) };
    /// Whether this thread has to run a reactor.
    static LEADS: Cell<bool> = const { Cell::new(false) };
    /// Where this thread defers to.
    static WORK: RefCell<Option<Arc<Work>>> = const { RefCell::new(None) };
}

/// Whether the calling thread may block while a server does not accept requests. The thread that
/// runs the reactor must not: it sends and reads for all calls that no thread waits for.
pub(in crate::client) fn may_block() -> bool {
    !(LEADS.get() || DEFERS.get())
}

/// Whether others depend on the calling thread, so that it must [`defer`] foreign code.
#[inline]
pub(in crate::client) fn defers() -> bool {
    DEFERS.get()
}

/// Leaves work to a thread that may run foreign code. Gives it back if there is none.
pub(in crate::client) fn defer(work: Arc<dyn Deferred>) -> Option<Arc<dyn Deferred>> {
    match WORK.with_borrow(Clone::clone) {
        Some(crew) => crew.defer(work, LEADS.get()),
        None => Some(work),
    }
}

impl ReactorThreads {
    /// The reactor. `None` if the operating system has no descriptors or no thread for it.
    pub(in crate::client) fn reactor(&self) -> Option<&Arc<Reactor>> {
        self.0.reactor()
    }

    /// Leaves work to a thread that may run foreign code, whichever thread calls this. Gives it back
    /// if there is none.
    pub(in crate::client) fn defer(&self, work: Arc<dyn Deferred>) -> Option<Arc<dyn Deferred>> {
        // The calling thread may run the reactor of another ORB.
        self.0.defer(work, false)
    }

    /// For a thread on which others depend.
    pub(in crate::client) fn to_defer(&self) -> DeferTo {
        DeferTo(self.0.clone())
    }
}

/// Where a thread defers foreign code to.
pub(in crate::client) struct DeferTo(Arc<Work>);

impl DeferTo {
    /// Has the calling thread [`defer`] foreign code from now on.
    pub(in crate::client) fn begin(self) {
        WORK.set(Some(self.0));
        DEFERS.set(true);
    }
}

impl Drop for ReactorThreads {
    fn drop(&mut self) {
        if let Some(Some(reactor)) = self.0.reactor.get() {
            reactor.stop();
            // A thread that has seen the reactor running waits by now.
            drop(lock(&self.0.crew));
            self.0.lead_is_free.notify_all();
        }
    }
}

impl Work {
    fn reactor(self: &Arc<Self>) -> Option<&Arc<Reactor>> {
        self.reactor.get_or_init(|| self.start()).as_ref()
    }

    fn start(self: &Arc<Self>) -> Option<Arc<Reactor>> {
        let started = Reactor::new().and_then(|reactor| {
            let reactor = Arc::new(reactor);
            self.add_thread(reactor.clone()).map(|()| reactor)
        });
        started
            .inspect_err(|error| {
                report!(error, "cannot start the reactor for asynchronous replies", error = error);
            })
            .ok()
    }

    /// Leaves work to a thread that may run foreign code; if the calling thread `leads`, it looks for
    /// work before it waits again. Gives the work back if there is no thread.
    fn defer(self: &Arc<Self>, work: Arc<dyn Deferred>, leads: bool) -> Option<Arc<dyn Deferred>> {
        let Some(reactor) = self.reactor() else { return Some(work) };
        lock(&self.crew).deferred.push_back(work);
        if !leads {
            // It ends the wait for events.
            reactor.arm(Duration::ZERO, Arc::new(|_: &Reactor, _: Timer| None));
        }
        None
    }

    /// Starts a thread that runs the reactor.
    fn add_thread(self: &Arc<Self>, reactor: Arc<Reactor>) -> io::Result<()> {
        let work = self.clone();
        let body = move || work.drive(&reactor);
        thread::Builder::new().name("armilla-replies".into()).spawn(body).map(drop)
    }

    /// The body of a thread, which runs the reactor at first.
    fn drive(self: &Arc<Self>, reactor: &Reactor) {
        WORK.set(Some(self.clone()));
        LEADS.set(true);
        set_blocking_hooks(&BlockingHooks { begin: hand_over_lead, end: || {} });
        loop {
            self.run_deferred();
            if reactor.is_stopped() || !(LEADS.get() || self.await_lead(reactor)) {
                return;
            }
            DEFERS.set(true);
            let handled = contain("an event of a connection", || reactor.handle_events(None));
            DEFERS.set(false);
            if let Some(Err(error)) = handled {
                report!(error, "the reactor for asynchronous replies has failed", error = error);
                return;
            }
        }
    }

    /// Runs what was deferred, unless enough threads do.
    fn run_deferred(&self) {
        loop {
            let mut crew = lock(&self.crew);
            if crew.busy >= MOST_BUSY {
                return;
            }
            let Some(work) = crew.deferred.pop_front() else { return };
            crew.busy += 1;
            drop(crew);
            contain("the end of an asynchronous call", || work.run());
            lock(&self.crew).busy -= 1;
        }
    }

    /// Waits until the thread is to run the reactor, or to run what was deferred. `false` if it is
    /// not needed any more.
    fn await_lead(&self, reactor: &Reactor) -> bool {
        let mut crew = lock(&self.crew);
        if crew.has_spare {
            return false;
        }
        crew.has_spare = true;
        let unneeded = |crew: &mut Crew| !crew.leads_next && !reactor.is_stopped();
        let waited = self.lead_is_free.wait_timeout_while(crew, SPARE_TIME, unneeded);
        crew = waited.unwrap_or_else(PoisonError::into_inner).0;
        crew.has_spare = false;
        let leads = std::mem::take(&mut crew.leads_next);
        LEADS.set(leads);
        leads
    }
}

/// Hands the reactor over to another thread, before the calling thread blocks. `false` if it does
/// not run the reactor, or cannot leave it.
#[cold]
fn hand_over_lead() -> bool {
    if !LEADS.get() || DEFERS.get() {
        return false;
    }
    let Some(work) = WORK.with_borrow(Clone::clone) else { return false };
    let Some(Some(reactor)) = work.reactor.get() else { return false };
    let mut crew = lock(&work.crew);
    // The spare thread takes the lead, unless it was given to it already.
    if crew.has_spare && !std::mem::replace(&mut crew.leads_next, true) {
        work.lead_is_free.notify_one();
        LEADS.set(false);
        return true;
    }
    drop(crew);
    if let Err(error) = work.add_thread(reactor.clone()) {
        report!(error, "no thread for replies while a callback blocks", error = error);
        return false;
    }
    LEADS.set(false);
    true
}

/// Runs foreign code. A panic there ends `what` only; `None` then.
#[inline]
pub(in crate::client) fn contain<T>(what: &'static str, run: impl FnOnce() -> T) -> Option<T> {
    guarded(what, Completion::Maybe, run).ok()
}

/// What is said of a connection whose transport has panicked.
pub(in crate::client) const PANICKED: &str = "code of the program panicked";

/// Runs an operation of a stream, whose transport may be the program's. A panic is an error of the
/// stream.
#[inline]
pub(in crate::client) fn contain_io<T>(run: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    contain("a transport", run).unwrap_or_else(|| Err(io::Error::other(PANICKED)))
}
