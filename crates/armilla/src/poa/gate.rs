//! Who may call the servants of a POA at this moment: the state of its manager, its thread policy,
//! and its own beginning and end.
//!
//! A call that finds the gate wide open, one load, does not come here.

use super::{PoaInner, Threading, patience};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::orb::{Orb, lock};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// The manager is not active.
const CLOSED: u32 = 1;
/// Calls are made one at a time.
const SERIAL: u32 = 2;
/// An adapter activator has not returned yet.
const MAKING: u32 = 4;
/// The POA was destroyed.
const DESTROYED: u32 = 8;
/// Somebody waits for calls to end.
const WATCHED: u32 = 16;

/// The gate of a POA.
pub(super) struct Gate {
    bits: AtomicU32,
    serial: Serial,
}

/// What a POA is found to be for one reason or another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Closed = CLOSED as isize,
    Making = MAKING as isize,
    Destroyed = DESTROYED as isize,
    Watched = WATCHED as isize,
}

/// Whether a call may be made.
pub(super) enum Admission {
    /// By this thread; the pass is held until the call has ended.
    Granted(Pass),
    /// By the main thread only.
    MainThread,
    /// The POA does not exist any more.
    Gone,
}

/// The right to call, to be given back.
#[derive(Clone, Copy, Default)]
pub(super) struct Pass {
    serial: bool,
}

impl Gate {
    pub(super) fn new(threading: Threading, closed: bool) -> Self {
        let serial = if threading == Threading::OrbControl { 0 } else { SERIAL };
        let closed = if closed { CLOSED } else { 0 };
        Self { bits: AtomicU32::new(serial | closed), serial: Serial::default() }
    }

    /// Whether any thread may call, and nobody wants to know.
    #[inline(always)]
    pub(super) fn is_open(&self) -> bool {
        self.bits.load(Ordering::SeqCst) == 0
    }

    pub(super) fn is(&self, mark: Mark) -> bool {
        self.bits.load(Ordering::SeqCst) & mark as u32 != 0
    }

    pub(super) fn set(&self, mark: Mark, on: bool) {
        match on {
            true => self.bits.fetch_or(mark as u32, Ordering::SeqCst),
            false => self.bits.fetch_and(!(mark as u32), Ordering::SeqCst),
        };
    }

    /// Whether a thread that holds a pass may still call: nothing has changed since it got it.
    pub(super) fn still_admits(&self) -> bool {
        self.bits.load(Ordering::SeqCst) & (CLOSED | MAKING | DESTROYED) == 0
    }

    /// Whether the calling thread keeps others out, where calls are made one at a time.
    pub(super) fn is_passed_by_me(&self) -> bool {
        self.serial.is_mine()
    }

    /// Gives a pass back.
    pub(super) fn give_back(&self, pass: Pass) {
        if pass.serial {
            self.serial.release();
        }
    }
}

impl PoaInner {
    /// Waits until a call may be made, as long as the manager holds requests and while the POA is
    /// being made.
    ///
    /// # Errors
    /// `TRANSIENT` when the manager discards requests or holds too many, or this thread is making the
    /// POA; `OBJ_ADAPTER` when the manager is inactive; `TIMEOUT` when a call of this process has no
    /// time left.
    pub(super) fn admit(&self, orb: &Orb) -> Result<Admission, SystemException> {
        loop {
            if self.gate.is(Mark::Destroyed) {
                return Ok(Admission::Gone);
            }
            if self.gate.is(Mark::Making) {
                self.await_made()?;
                continue;
            }
            if self.gate.is(Mark::Closed) {
                self.manager.await_active(self, orb)?;
                continue;
            }
            let pass = match self.policies.threading {
                Threading::OrbControl => Pass::default(),
                Threading::MainThread if !orb.is_main_thread() => return Ok(Admission::MainThread),
                Threading::MainThread | Threading::SingleThread => {
                    self.gate.serial.acquire_in_time(|| {
                        format!(
                            "POA {:?} makes one call at a time, and another one lasted too long",
                            self.name
                        )
                    })?;
                    Pass { serial: true }
                }
            };
            if self.gate.still_admits() {
                return Ok(Admission::Granted(pass));
            }
            self.gate.give_back(pass);
        }
    }

    /// Waits until the main thread can be asked to make a call; `false` where it is not for that thread
    /// to make, or the call is refused.
    pub(crate) fn admits_by_main_thread(&self, orb: &Orb) -> bool {
        match self.admit(orb) {
            Ok(Admission::MainThread) => true,
            Ok(Admission::Granted(pass)) => {
                self.gate.give_back(pass);
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
    pub(super) fn serialize(&self) -> Pass {
        let serial = self.policies.threading != Threading::OrbControl;
        if serial {
            self.gate.serial.acquire();
        }
        Pass { serial }
    }

    /// Waits until the adapter activator that makes this POA has returned.
    ///
    /// # Errors
    /// `TRANSIENT` where it is this very thread that is in the activator; `TIMEOUT` when a call of this
    /// process has no time left.
    fn await_made(&self) -> Result<(), SystemException> {
        if self.is_made_by_me() {
            let what = format!("POA {:?} is being made by the thread that calls", self.name);
            return Err(discarded(what));
        }
        self.await_made_by_others()
    }

    /// Waits until another thread's adapter activator that makes this POA has returned.
    ///
    /// # Errors
    /// `TIMEOUT` when a call of this process has no time left.
    pub(super) fn await_made_by_others(&self) -> Result<(), SystemException> {
        if self.is_made_by_me() {
            return Ok(());
        }
        let mut state = lock(&self.state);
        while self.gate.is(Mark::Making) && !self.gate.is(Mark::Destroyed) {
            state = patience::wait(&self.changed, state)
                .map_err(|_| patience::exhausted(Completion::No, still_being_made(&self.name)))?;
        }
        Ok(())
    }

    /// Whether the calling thread is in the adapter activator that makes this POA.
    fn is_made_by_me(&self) -> bool {
        let parent = self.parent.as_ref().and_then(std::sync::Weak::upgrade);
        let maker = parent.and_then(|parent| lock(&parent.state).making.get(&self.name).copied());
        maker == Some(thread::current().id())
    }
}

/// Why a call had to wait for an adapter activator.
#[cold]
pub(super) fn still_being_made(poa: &str) -> String {
    format!("the adapter activator that makes POA {poa:?} took too long")
}

/// Which thread holds it, and how often.
type Held<'m> = MutexGuard<'m, Option<(ThreadId, usize)>>;

/// A lock that the thread which holds it may take again.
#[derive(Default)]
pub(super) struct Serial {
    holder: Mutex<Option<(ThreadId, usize)>>,
    freed: Condvar,
}

impl Serial {
    pub(super) fn acquire(&self) {
        let endless = |holder| Ok(self.freed.wait(holder).unwrap_or_else(PoisonError::into_inner));
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
        match self.acquire_by(|holder| patience::wait(&self.freed, holder)) {
            true => Ok(()),
            false => Err(patience::exhausted(Completion::No, why())),
        }
    }

    /// Takes it, unless `wait` gives up.
    fn acquire_by<'m>(&'m self, wait: impl Fn(Held<'m>) -> Result<Held<'m>, Held<'m>>) -> bool {
        let me = thread::current().id();
        let mut holder = lock(&self.holder);
        loop {
            match &mut *holder {
                Some((thread, depth)) if *thread == me => {
                    *depth += 1;
                    return true;
                }
                Some(_) => match wait(holder) {
                    Ok(woken) => holder = woken,
                    Err(_) => return false,
                },
                None => {
                    *holder = Some((me, 1));
                    return true;
                }
            }
        }
    }

    /// Whether the calling thread holds it.
    pub(super) fn is_mine(&self) -> bool {
        lock(&self.holder).is_some_and(|(thread, _)| thread == thread::current().id())
    }

    pub(super) fn release(&self) {
        let mut holder = lock(&self.holder);
        if let Some((_, depth)) = &mut *holder {
            *depth -= 1;
            if *depth == 0 {
                *holder = None;
                self.freed.notify_one();
            }
        }
    }
}

/// The request was turned away at the gate (CORBA 3.4 Part 1, A.5.3: reason 1 of `TRANSIENT`).
#[cold]
pub(super) fn discarded(what: String) -> SystemException {
    SystemException::new(ExceptionKind::Transient, Minor::OMG_1, Completion::No).because(what)
}
