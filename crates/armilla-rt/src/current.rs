//! The priority of a thread: `RTCORBA::Current` (RT CORBA 1.2, *Real-time
//! CORBA Current*).

use crate::error::{RtError, RtErrorKind};
use crate::priority::{Mapper, Priority};
use armilla_ipc::real_time::Scheduling;
use std::cell::Cell;
use std::fmt;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

thread_local! {
    /// The CORBA priority of the calling thread, once it has one, and the native one, once it is
    /// known.
    static CORBA: Cell<Option<Priority>> = const { Cell::new(None) };
    static NATIVE: Cell<Option<Scheduling>> = const { Cell::new(None) };
    /// What the thread goes back to when it no longer waits for a banded connection.
    static HOME: Cell<Option<ThreadPriority>> = const { Cell::new(None) };
}

/// Both priorities of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThreadPriority {
    corba: Option<Priority>,
    native: Option<Scheduling>,
}

impl ThreadPriority {
    /// Those of the calling thread. The native one is read from the system the first time.
    #[inline]
    pub(crate) fn current() -> Self {
        Self { corba: CORBA.get(), native: native_priority() }
    }

    pub(crate) const fn corba(self) -> Option<Priority> {
        self.corba
    }

    /// Makes these the priorities of the calling thread again.
    pub(crate) fn restore(self) {
        CORBA.set(self.corba);
        if let Some(native) = self.native.filter(|native| NATIVE.get() != Some(*native)) {
            // The thread had this class before, so it may have it again.
            native.apply().ok();
            NATIVE.set(Some(native));
        }
    }
}

/// The CORBA priority of the calling thread.
#[inline]
pub(crate) fn corba_priority() -> Option<Priority> {
    CORBA.get()
}

/// The native priority of the calling thread, as far as it is known.
#[inline]
pub(crate) fn native_priority() -> Option<Scheduling> {
    if NATIVE.get().is_none() {
        NATIVE.set(Scheduling::current().ok());
    }
    NATIVE.get()
}

/// Gives the calling thread a CORBA priority, and the native one that belongs to it. Without a
/// change it makes no system call. If the native one is refused, the thread has the CORBA priority
/// all the same, and the error says what it lacks.
pub(crate) fn set_priority(priority: Priority, native: Scheduling) -> Result<(), RtError> {
    CORBA.set(Some(priority));
    if native_priority() == Some(native) {
        return Ok(());
    }
    native.apply().map_err(|error| {
        RtError::new(
            RtErrorKind::Permission,
            format_args!("thread {:?}", std::thread::current().name().unwrap_or("unnamed")),
            "priority",
            priority,
            format_args!("{error}"),
            "`armilla rt doctor` tells how to get the privilege",
        )
    })?;
    NATIVE.set(Some(native));
    Ok(())
}

/// Gives the calling thread a priority until [`return_home`].
///
/// # Errors
/// As [`set_priority`].
pub(crate) fn leave_home(priority: Priority, native: Scheduling) -> Result<(), RtError> {
    if HOME.get().is_none() {
        HOME.set(Some(ThreadPriority::current()));
    }
    set_priority(priority, native)
}

/// Gives the calling thread back what it had before [`leave_home`], if it has left.
pub(crate) fn return_home() {
    if let Some(home) = HOME.take() {
        home.restore();
    }
}

/// Tries a native priority of `object` out, with as many threads at once as are to have it. They
/// end at once.
///
/// # Errors
/// If the system refuses it to one of them.
pub(crate) fn try_out(
    object: &str,
    policy: &'static str,
    priority: Priority,
    native: Scheduling,
    threads: usize,
) -> Result<(), RtError> {
    // Only what has a runtime takes it from others.
    let threads = match native {
        Scheduling::Deadline { .. } => threads.clamp(1, MOST_TRIALS),
        _ => 1,
    };
    let Some(refused) = first_refused(native, threads) else { return Ok(()) };
    Err(RtError::new(
        RtErrorKind::Permission,
        object,
        policy,
        priority,
        format_args!("its threads cannot be {native}: {refused}"),
        "`armilla rt doctor` tells how to get the privilege; or do not ask for `strict`",
    ))
}

/// Why one of as many threads as these, which are there at once, cannot have a native priority.
fn first_refused(native: Scheduling, threads: usize) -> Option<std::io::Error> {
    let gate = Mutex::new(());
    let closed = gate.lock().unwrap_or_else(PoisonError::into_inner);
    thread::scope(|scope| {
        let (send, tried) = mpsc::channel();
        let mut refused = None;
        for _ in 0..threads {
            let (send, gate) = (send.clone(), &gate);
            let trial = move || {
                send.send(native.apply()).ok();
                drop(send);
                // It keeps what it has got until all have tried.
                drop(gate.lock());
            };
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, trial) {
                refused = Some(error);
                break;
            }
        }
        drop(send);
        // Ends when every thread has tried.
        let refused = tried.iter().fold(refused, |first, one| first.or(one.err()));
        drop(closed);
        refused
    })
}

/// The most threads with which a native priority is tried out.
const MOST_TRIALS: usize = 256;

/// The priority of the calling thread, of an ORB: `RTCORBA::Current`.
#[derive(Clone)]
#[doc(alias = "RTCurrent")]
pub struct RtCurrent {
    pub(crate) mapper: Mapper,
}

impl RtCurrent {
    /// The CORBA priority of the calling thread: that of the request which it serves, or the one
    /// that it was given. `None` if it has none (`the_priority` raises `BAD_INV_ORDER` then).
    #[doc(alias = "the_priority")]
    pub fn priority(&self) -> Option<Priority> {
        corba_priority()
    }

    /// The native priority of the calling thread.
    ///
    /// # Errors
    /// As [`Scheduling::current`].
    pub fn native(&self) -> std::io::Result<Scheduling> {
        Scheduling::current()
    }

    /// Gives the calling thread a CORBA priority: its calls carry it from now on, and the thread
    /// gets the native priority that the mapping makes of it.
    ///
    /// # Errors
    /// If the mapping has no native priority for it (the thread stays as it was), or the system
    /// refuses the native priority (the thread then has the CORBA priority only).
    #[doc(alias = "the_priority")]
    pub fn set_priority(&self, priority: Priority) -> Result<(), RtError> {
        let native = self.mapper.native("calling thread", priority)?;
        set_priority(priority, native)
    }
}

impl fmt::Debug for RtCurrent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RtCurrent").field("priority", &self.priority()).finish()
    }
}
