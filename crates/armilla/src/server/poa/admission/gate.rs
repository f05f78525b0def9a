//! The gate of a POA: admits calls to its servants according to the state of its manager, its
//! thread policy, and its own creation and destruction.
//!
//! A call that finds the gate open, by one load, needs nothing else from this file.

use super::waits::{Crossing, Sought, Wait, crossing_creation};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::Orb;
use crate::server::poa::{PoaInner, Threading};
use crate::sync::lock;
use crate::threads::wait_limit;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// The manager is not active.
const CLOSED: u32 = 1;
/// Calls need a permit: there is a limit on concurrent calls.
const COUNTED: u32 = 2;
/// The adapter activator that creates the POA has not returned yet.
const CREATING: u32 = 4;
/// The POA was destroyed.
const DESTROYED: u32 = 8;
/// A thread waits for calls to end.
const WATCHED: u32 = 16;
/// An extension of the POA sees each call.
const EXTENDED: u32 = 32;

/// The gate of a POA.
pub(in crate::server::poa) struct Gate {
    bits: AtomicU32,
    semaphore: ReentrantSemaphore,
    /// Whether only one thread may be in the servants and servant managers at a time.
    single_thread: bool,
}

/// A reason why a gate is not open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::server::poa) enum GateFlag {
    Closed = CLOSED as isize,
    Creating = CREATING as isize,
    Destroyed = DESTROYED as isize,
    Watched = WATCHED as isize,
    Extended = EXTENDED as isize,
}

/// Whether a call may be made.
pub(in crate::server::poa) enum Admission {
    /// By this thread, which holds the permit until the call has ended.
    Granted(Permit),
    /// By the main thread only.
    MainThread,
    /// Not at all: the POA was destroyed.
    Gone,
}

/// The right to make a call; it must be released.
#[derive(Clone, Copy, Default)]
pub(in crate::server::poa) struct Permit {
    counted: bool,
}

impl Gate {
    /// A gate that admits `most` threads at once, or any number if that is `None`.
    pub(in crate::server::poa) fn new(
        threading: Threading,
        most: Option<usize>,
        closed: bool,
    ) -> Self {
        let single_thread = threading != Threading::OrbControl;
        let counted = if single_thread || most.is_some() { COUNTED } else { 0 };
        let closed = if closed { CLOSED } else { 0 };
        let most = if single_thread { 1 } else { most.unwrap_or(1) };
        Self {
            bits: AtomicU32::new(counted | closed),
            semaphore: ReentrantSemaphore::of(most),
            single_thread,
        }
    }

    /// Whether calls need a permit.
    fn is_counted(&self) -> bool {
        self.bits.load(Ordering::Relaxed) & COUNTED != 0
    }

    /// Whether any thread may call, and no thread waits for calls to end.
    #[inline(always)]
    pub(in crate::server::poa) fn is_open(&self) -> bool {
        self.flags() == 0
    }

    /// The flags; 0 when the gate is open.
    #[inline(always)]
    pub(in crate::server::poa) fn flags(&self) -> u32 {
        self.bits.load(Ordering::SeqCst)
    }

    pub(in crate::server::poa) fn is(&self, flag: GateFlag) -> bool {
        self.bits.load(Ordering::SeqCst) & flag as u32 != 0
    }

    pub(in crate::server::poa) fn set(&self, flag: GateFlag, on: bool) {
        match on {
            true => self.bits.fetch_or(flag as u32, Ordering::SeqCst),
            false => self.bits.fetch_and(!(flag as u32), Ordering::SeqCst),
        };
    }

    /// Whether a thread that holds a permit may still call: no flag was raised since it got the
    /// permit.
    pub(in crate::server::poa) fn still_admits(&self) -> bool {
        self.bits.load(Ordering::SeqCst) & (CLOSED | CREATING | DESTROYED) == 0
    }

    /// Whether the calling thread excludes all others, under a single-thread policy.
    pub(in crate::server::poa) fn is_held_by_current_thread(&self) -> bool {
        self.single_thread && self.semaphore.is_held_by_current_thread()
    }

    /// Releases a permit.
    pub(in crate::server::poa) fn release(&self, permit: Permit) {
        if permit.counted {
            self.semaphore.release();
        }
    }
}

impl PoaInner {
    /// Waits until a call may be made: while the manager holds requests, while the POA is being
    /// created, and until a permit is free.
    ///
    /// # Errors
    /// `TRANSIENT` when the manager discards requests or holds too many, when this thread itself is
    /// creating the POA, or when the thread whose turn it is waits for this one; `OBJ_ADAPTER` when
    /// the manager is inactive; `TIMEOUT` when the wait limit of a collocated call expires.
    pub(in crate::server::poa) fn admit(&self, orb: &Orb) -> Result<Admission, SystemException> {
        loop {
            if self.gate.is(GateFlag::Destroyed) {
                return Ok(Admission::Gone);
            }
            if self.gate.is(GateFlag::Creating) {
                self.await_creation()?;
                continue;
            }
            if self.gate.is(GateFlag::Closed) {
                self.manager.await_active(self, orb)?;
                continue;
            }
            let permit = match self.policies.threading {
                Threading::OrbControl if !self.gate.is_counted() => Permit::default(),
                Threading::MainThread if !orb.is_main_thread() => return Ok(Admission::MainThread),
                _ => {
                    let most = self.gate.semaphore.most;
                    self.gate
                        .semaphore
                        .acquire_in_time(&self.name, || no_permit(&self.name, most))?;
                    Permit { counted: true }
                }
            };
            if self.gate.still_admits() {
                return Ok(Admission::Granted(permit));
            }
            self.gate.release(permit);
        }
    }

    /// Waits until the main thread may make a call. Returns `false` when the call is not for the
    /// main thread, or is refused.
    pub(crate) fn admits_by_main_thread(&self, orb: &Orb) -> bool {
        match self.admit(orb) {
            Ok(Admission::MainThread) => true,
            Ok(Admission::Granted(permit)) => {
                self.gate.release(permit);
                false
            }
            Ok(Admission::Gone) | Err(_) => false,
        }
    }

    /// Whether a call would be admitted now, apart from waiting for a permit.
    pub(crate) fn admits_now(&self) -> bool {
        self.gate.still_admits()
    }

    /// Waits for the calls of other threads to end, under a single-thread policy; otherwise does
    /// not wait.
    pub(in crate::server::poa) fn serialize(&self) -> Permit {
        let counted = self.gate.single_thread;
        if counted {
            self.gate.semaphore.acquire();
        }
        Permit { counted }
    }

    /// Waits until the adapter activator that creates this POA has returned.
    ///
    /// # Errors
    /// `TRANSIENT` when this thread is in that activator; `TIMEOUT` when the wait limit of a
    /// collocated call expires.
    fn await_creation(&self) -> Result<(), SystemException> {
        if self.is_created_by_current_thread() {
            let what = format!("POA {:?} is being made by the thread that calls", self.name);
            return Err(discarded(what));
        }
        self.await_creation_by_others()
    }

    /// Waits until the adapter activator that creates this POA has returned, unless it runs in this
    /// thread.
    ///
    /// # Errors
    /// `TIMEOUT` when the wait limit of a collocated call expires; `TRANSIENT` when that thread
    /// waits for what this one makes.
    pub(in crate::server::poa) fn await_creation_by_others(&self) -> Result<(), SystemException> {
        if self.is_created_by_current_thread() {
            return Ok(());
        }
        let parent = self.parent.as_ref().and_then(std::sync::Weak::upgrade);
        let _waits = match &parent {
            Some(parent) => {
                let creator = lock(&parent.state).creating.get(&self.name).copied();
                let wait = |creator| Wait::begin(Sought::creation(parent, &self.name), creator);
                let wait = creator.map(wait).transpose();
                wait.map_err(|Crossing| crossing_creation(&self.name))?
            }
            None => None,
        };
        let mut state = lock(&self.state);
        while self.gate.is(GateFlag::Creating) && !self.gate.is(GateFlag::Destroyed) {
            state = wait_limit::wait(&self.changed, state).map_err(|_| {
                wait_limit::exhausted(Completion::No, creation_timed_out(&self.name))
            })?;
        }
        Ok(())
    }

    /// Whether the calling thread is in the adapter activator that creates this POA.
    fn is_created_by_current_thread(&self) -> bool {
        let parent = self.parent.as_ref().and_then(std::sync::Weak::upgrade);
        let creator =
            parent.and_then(|parent| lock(&parent.state).creating.get(&self.name).copied());
        creator == Some(thread::current().id())
    }
}

/// The reason for a `TIMEOUT` while waiting for a permit.
#[cold]
fn no_permit(poa: &str, most: usize) -> String {
    match most {
        1 => format!("POA {poa:?} makes one call at a time, and another one lasted too long"),
        _ => format!("POA {poa:?} makes {most} calls at a time, and others lasted too long"),
    }
}

/// The reason for a `TIMEOUT` while waiting for an adapter activator.
#[cold]
pub(in crate::server::poa) fn creation_timed_out(poa: &str) -> String {
    format!("the adapter activator that makes POA {poa:?} took too long")
}

/// The threads that hold the semaphore, and how often each does.
type Holders<'m> = MutexGuard<'m, Holding>;

#[derive(Default)]
struct Holding {
    threads: Vec<(ThreadId, usize)>,
    /// How many threads wait.
    waiting: usize,
}

/// Why a thread does not get the semaphore.
enum Refused {
    TooLate,
    Crossing,
}

/// A semaphore that up to `most` threads hold at once, each of them any number of times. Where that
/// is one thread, it is known for whom the others wait.
pub(in crate::server::poa) struct ReentrantSemaphore {
    holders: Mutex<Holding>,
    freed: Condvar,
    most: usize,
}

impl Default for ReentrantSemaphore {
    /// A reentrant lock.
    fn default() -> Self {
        Self::of(1)
    }
}

impl ReentrantSemaphore {
    fn of(most: usize) -> Self {
        Self { holders: Mutex::default(), freed: Condvar::new(), most }
    }

    pub(in crate::server::poa) fn acquire(&self) {
        let endless =
            |holders| Ok(self.freed.wait(holders).unwrap_or_else(PoisonError::into_inner));
        // This waits in a circle, too: there is nobody to tell.
        self.acquire_by(false, endless).ok();
    }

    /// Acquires the semaphore of this POA for a call; `why` gives the reason of a timeout.
    ///
    /// # Errors
    /// `TIMEOUT` when the wait limit of a collocated call expires; `TRANSIENT` when the thread that
    /// holds it waits, perhaps through others, for the calling one.
    pub(in crate::server::poa) fn acquire_in_time(
        &self,
        poa: &str,
        why: impl FnOnce() -> String,
    ) -> Result<(), SystemException> {
        let acquired = self.acquire_by(true, |holders| wait_limit::wait(&self.freed, holders));
        acquired.map_err(|refused| match refused {
            Refused::TooLate => wait_limit::exhausted(Completion::No, why()),
            Refused::Crossing => discarded(format!(
                "POA {poa:?} serves one thread at a time, now one that waits for what this one \
                 does: their servants or activators call each other's objects"
            )),
        })
    }

    /// Acquires the semaphore, unless `wait` gives up, or this thread would close a circle of
    /// waiting ones and may be `refused`.
    fn acquire_by<'m>(
        &'m self,
        refusable: bool,
        wait: impl Fn(Holders<'m>) -> Result<Holders<'m>, Holders<'m>>,
    ) -> Result<(), Refused> {
        let me = thread::current().id();
        let mut holders = lock(&self.holders);
        let mut late = false;
        loop {
            if let Some((_, depth)) = holders.threads.iter_mut().find(|(thread, _)| *thread == me) {
                *depth += 1;
                return Ok(());
            }
            if holders.threads.len() < self.most {
                holders.threads.push((me, 1));
                self.pass_on(&holders, Some(me));
                return Ok(());
            }
            if late {
                return Err(Refused::TooLate);
            }
            let waits = match (self.begin_wait(&holders), refusable) {
                (Err(Crossing), true) => return Err(Refused::Crossing),
                (waits, _) => waits.ok(),
            };
            holders.waiting += 1;
            // One that was woken when its time was over must not leave the semaphore unused.
            (holders, late) = match wait(holders) {
                Ok(woken) => (woken, false),
                Err(woken) => (woken, true),
            };
            holders.waiting -= 1;
            drop(waits);
        }
    }

    /// Notes for whom the calling thread waits, if that is one.
    fn begin_wait(&self, holders: &Holding) -> Result<Option<Wait>, Crossing> {
        match holders.threads[..] {
            [(holder, _)] if self.most == 1 => Wait::begin(self.sought(), holder).map(Some),
            _ => Ok(None),
        }
    }

    /// Those who wait, wait for another thread, or none, now.
    fn pass_on(&self, holders: &Holding, to: Option<ThreadId>) {
        if self.most == 1 && holders.waiting > 0 {
            Wait::pass_on(&self.sought(), to);
        }
    }

    fn sought(&self) -> Sought {
        Sought::Turn(std::ptr::from_ref(self).addr())
    }

    /// Whether the calling thread holds the semaphore.
    pub(in crate::server::poa) fn is_held_by_current_thread(&self) -> bool {
        let me = thread::current().id();
        lock(&self.holders).threads.iter().any(|(thread, _)| *thread == me)
    }

    /// Releases it, in the thread that acquired it.
    pub(in crate::server::poa) fn release(&self) {
        let me = thread::current().id();
        let mut holders = lock(&self.holders);
        let Some(place) = holders.threads.iter().position(|(thread, _)| *thread == me) else {
            return;
        };
        holders.threads[place].1 -= 1;
        if holders.threads[place].1 == 0 {
            holders.threads.swap_remove(place);
            self.pass_on(&holders, None);
            self.freed.notify_one();
        }
    }
}

/// The gate has refused the request ([`Minor::TRANSIENT_REQUEST_DISCARDED`], CORBA 3.4 Part 1,
/// A.5.3).
#[cold]
pub(in crate::server::poa) fn discarded(what: String) -> SystemException {
    SystemException::new(
        ExceptionKind::Transient,
        Minor::TRANSIENT_REQUEST_DISCARDED,
        Completion::No,
    )
    .with_reason(what)
}
