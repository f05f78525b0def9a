//! Admission of calls to the servants of a POA: by the state of its manager, its thread policy, and
//! its own creation and destruction.
//!
//! A call that finds the gate open, by one load, needs nothing else from here.

use super::{PoaInner, Threading};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::Orb;
use crate::sync::lock;
use crate::threads::wait_limit;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// The manager is not active.
const CLOSED: u32 = 1;
/// Calls are made one at a time, or up to a limit.
const COUNTED: u32 = 2;
/// An adapter activator has not returned yet.
const CREATING: u32 = 4;
/// The POA was destroyed.
const DESTROYED: u32 = 8;
/// A thread waits for calls to end.
const WATCHED: u32 = 16;

/// The gate of a POA.
pub(super) struct Gate {
    bits: AtomicU32,
    semaphore: ReentrantSemaphore,
    /// Whether calls are made one at a time, what servant managers are asked included.
    single_thread: bool,
}

/// A reason why a gate is not open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GateFlag {
    Closed = CLOSED as isize,
    Creating = CREATING as isize,
    Destroyed = DESTROYED as isize,
    Watched = WATCHED as isize,
}

/// Whether a call may be made.
pub(super) enum Admission {
    /// By this thread; the permit is held until the call has ended.
    Granted(Permit),
    /// By the main thread only.
    MainThread,
    /// The POA does not exist any more.
    Gone,
}

/// The right to call, to be given back.
#[derive(Clone, Copy, Default)]
pub(super) struct Permit {
    counted: bool,
}

impl Gate {
    /// A gate that lets this many threads call at once, if there is a limit.
    pub(super) fn new(threading: Threading, most: Option<usize>, closed: bool) -> Self {
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

    /// Whether calls are counted.
    fn is_counted(&self) -> bool {
        self.bits.load(Ordering::Relaxed) & COUNTED != 0
    }

    /// Whether any thread may call, and none waits for the end of calls.
    #[inline(always)]
    pub(super) fn is_open(&self) -> bool {
        self.flags() == 0
    }

    /// 0 where it is open.
    #[inline(always)]
    pub(super) fn flags(&self) -> u32 {
        self.bits.load(Ordering::SeqCst)
    }

    pub(super) fn is(&self, flag: GateFlag) -> bool {
        self.bits.load(Ordering::SeqCst) & flag as u32 != 0
    }

    pub(super) fn set(&self, flag: GateFlag, on: bool) {
        match on {
            true => self.bits.fetch_or(flag as u32, Ordering::SeqCst),
            false => self.bits.fetch_and(!(flag as u32), Ordering::SeqCst),
        };
    }

    /// Whether a thread that holds a permit may still call: nothing has changed since it got it.
    pub(super) fn still_admits(&self) -> bool {
        self.bits.load(Ordering::SeqCst) & (CLOSED | CREATING | DESTROYED) == 0
    }

    /// Whether the calling thread keeps others out, where calls are made one at a time.
    pub(super) fn is_held_by_current_thread(&self) -> bool {
        self.single_thread && self.semaphore.is_held_by_current_thread()
    }

    /// Gives a permit back.
    pub(super) fn release(&self, permit: Permit) {
        if permit.counted {
            self.semaphore.release();
        }
    }
}

impl PoaInner {
    /// Waits until a call may be made, as long as the manager holds requests and while the POA is
    /// being made.
    ///
    /// # Errors
    /// `TRANSIENT` when the manager discards requests or holds too many, or this thread is making
    /// the POA; `OBJ_ADAPTER` when the manager is inactive; `TIMEOUT` when a call of this process
    /// has no time left.
    pub(super) fn admit(&self, orb: &Orb) -> Result<Admission, SystemException> {
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
                    self.gate.semaphore.acquire_in_time(|| {
                        let name = &self.name;
                        match most {
                            1 => format!(
                                "POA {name:?} makes one call at a time, and another one lasted too long"
                            ),
                            _ => format!(
                                "POA {name:?} makes {most} calls at a time, and others lasted too long"
                            ),
                        }
                    })?;
                    Permit { counted: true }
                }
            };
            if self.gate.still_admits() {
                return Ok(Admission::Granted(permit));
            }
            self.gate.release(permit);
        }
    }

    /// Waits until the main thread can be asked to make a call; `false` where it is not for that
    /// thread to make, or the call is refused.
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

    /// Whether a call would be made now, without waiting for more than calls before it.
    pub(crate) fn admits_now(&self) -> bool {
        self.gate.still_admits()
    }

    /// Waits until no call is made, where calls are made one at a time.
    pub(super) fn serialize(&self) -> Permit {
        let counted = self.gate.single_thread;
        if counted {
            self.gate.semaphore.acquire();
        }
        Permit { counted }
    }

    /// Waits until the adapter activator that makes this POA has returned.
    ///
    /// # Errors
    /// `TRANSIENT` where it is this very thread that is in the activator; `TIMEOUT` when a call of
    /// this process has no time left.
    fn await_creation(&self) -> Result<(), SystemException> {
        if self.is_created_by_current_thread() {
            let what = format!("POA {:?} is being made by the thread that calls", self.name);
            return Err(discarded(what));
        }
        self.await_creation_by_others()
    }

    /// Waits until another thread's adapter activator that makes this POA has returned.
    ///
    /// # Errors
    /// `TIMEOUT` when a call of this process has no time left.
    pub(super) fn await_creation_by_others(&self) -> Result<(), SystemException> {
        if self.is_created_by_current_thread() {
            return Ok(());
        }
        let mut state = lock(&self.state);
        while self.gate.is(GateFlag::Creating) && !self.gate.is(GateFlag::Destroyed) {
            state = wait_limit::wait(&self.changed, state).map_err(|_| {
                wait_limit::exhausted(Completion::No, creation_timed_out(&self.name))
            })?;
        }
        Ok(())
    }

    /// Whether the calling thread is in the adapter activator that makes this POA.
    fn is_created_by_current_thread(&self) -> bool {
        let parent = self.parent.as_ref().and_then(std::sync::Weak::upgrade);
        let creator =
            parent.and_then(|parent| lock(&parent.state).creating.get(&self.name).copied());
        creator == Some(thread::current().id())
    }
}

/// Why a call had to wait for an adapter activator.
#[cold]
pub(super) fn creation_timed_out(poa: &str) -> String {
    format!("the adapter activator that makes POA {poa:?} took too long")
}

/// Which threads hold it, and how often.
type Holders<'m> = MutexGuard<'m, Vec<(ThreadId, usize)>>;

/// A lock that so many threads may hold, and that those may take again.
pub(super) struct ReentrantSemaphore {
    holders: Mutex<Vec<(ThreadId, usize)>>,
    freed: Condvar,
    most: usize,
}

impl Default for ReentrantSemaphore {
    /// For one thread.
    fn default() -> Self {
        Self::of(1)
    }
}

impl ReentrantSemaphore {
    fn of(most: usize) -> Self {
        Self { holders: Mutex::default(), freed: Condvar::new(), most }
    }

    pub(super) fn acquire(&self) {
        let endless =
            |holders| Ok(self.freed.wait(holders).unwrap_or_else(PoisonError::into_inner));
        self.acquire_by(endless);
    }

    /// Takes it for a call; `why` says what that would have waited for.
    ///
    /// # Errors
    /// `TIMEOUT` when a call of this process has no time left.
    pub(super) fn acquire_in_time(
        &self,
        why: impl FnOnce() -> String,
    ) -> Result<(), SystemException> {
        match self.acquire_by(|holders| wait_limit::wait(&self.freed, holders)) {
            true => Ok(()),
            false => Err(wait_limit::exhausted(Completion::No, why())),
        }
    }

    /// Takes it, unless `wait` gives up.
    fn acquire_by<'m>(
        &'m self,
        wait: impl Fn(Holders<'m>) -> Result<Holders<'m>, Holders<'m>>,
    ) -> bool {
        let me = thread::current().id();
        let mut holders = lock(&self.holders);
        loop {
            if let Some((_, depth)) = holders.iter_mut().find(|(thread, _)| *thread == me) {
                *depth += 1;
                return true;
            }
            if holders.len() < self.most {
                holders.push((me, 1));
                return true;
            }
            match wait(holders) {
                Ok(woken) => holders = woken,
                Err(_) => return false,
            }
        }
    }

    /// Whether the calling thread holds it.
    pub(super) fn is_held_by_current_thread(&self) -> bool {
        let me = thread::current().id();
        lock(&self.holders).iter().any(|(thread, _)| *thread == me)
    }

    /// Gives it back, in the thread that took it.
    pub(super) fn release(&self) {
        let me = thread::current().id();
        let mut holders = lock(&self.holders);
        let Some(place) = holders.iter().position(|(thread, _)| *thread == me) else { return };
        holders[place].1 -= 1;
        if holders[place].1 == 0 {
            holders.swap_remove(place);
            self.freed.notify_one();
        }
    }
}

/// The request was turned away at the gate (CORBA 3.4 Part 1, A.5.3: reason 1 of `TRANSIENT`).
#[cold]
pub(super) fn discarded(what: String) -> SystemException {
    SystemException::new(
        ExceptionKind::Transient,
        Minor::TRANSIENT_REQUEST_DISCARDED,
        Completion::No,
    )
    .with_reason(what)
}
