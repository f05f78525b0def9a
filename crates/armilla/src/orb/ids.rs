//! The ORBs of this process by their ids (CORBA 3.4 Part 1, 8.5.1). One without an id is not among them.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::{Orb, WeakOrb};
use crate::sync::lock;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};

static KNOWN: Mutex<BTreeMap<String, Holder>> = Mutex::new(BTreeMap::new());
static MADE: Condvar = Condvar::new();

/// Who has an id.
enum Holder {
    /// An ORB that this thread is making.
    Making(ThreadId),
    Made(WeakOrb),
}

/// What asking for an id leads to.
pub(super) enum Claim {
    /// It is free, and the caller makes the ORB that gets it.
    Free(Reservation),
    /// The ORB that has it.
    Taken(Orb),
}

/// An id that is kept free until the ORB is made, or is not.
pub(super) struct Reservation(String);

/// The ORB with this id.
pub(super) fn find(id: &str) -> Option<Orb> {
    match lock(&KNOWN).get(id)? {
        Holder::Made(orb) => orb.upgrade(),
        Holder::Making(_) => None,
    }
}

/// Asks for an id; waits while another thread makes an ORB with it. That of ORBs which have none, the
/// empty one, is always free.
///
/// # Errors
/// `INITIALIZE` where this thread makes it.
pub(super) fn claim(id: &str) -> Result<Claim, SystemException> {
    let mut known = lock(&KNOWN);
    loop {
        // Not all were shut down that are gone.
        known.retain(|_, holder| !matches!(holder, Holder::Made(orb) if orb.is_gone()));
        match known.get(id) {
            _ if id.is_empty() => return Ok(Claim::Free(Reservation(String::new()))),
            Some(Holder::Making(maker)) if *maker == thread::current().id() => {
                let what = format!("the ORB {id:?} is being made by the thread that asks for it");
                return Err(initialize(what));
            }
            Some(Holder::Making(_)) => {
                known = MADE.wait(known).unwrap_or_else(PoisonError::into_inner);
            }
            Some(Holder::Made(orb)) => {
                if let Some(orb) = orb.upgrade() {
                    return Ok(Claim::Taken(orb));
                }
            }
            None => {
                known.insert(id.to_owned(), Holder::Making(thread::current().id()));
                return Ok(Claim::Free(Reservation(id.to_owned())));
            }
        }
    }
}

impl Reservation {
    /// Gives the id to the ORB.
    pub(super) fn take(self, orb: &Orb) {
        if !self.0.is_empty() {
            lock(&KNOWN).insert(self.0.clone(), Holder::Made(orb.downgrade()));
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut known = lock(&KNOWN);
        if let Some(Holder::Making(_)) = known.get(&self.0) {
            known.remove(&self.0);
        }
        MADE.notify_all();
    }
}

/// The id of an ORB that has ended is free.
pub(super) fn forget(orb: &Orb) {
    lock(&KNOWN).retain(|_, holder| !matches!(holder, Holder::Made(known) if known.is(orb)));
}

/// The id belongs to an ORB that was set up otherwise.
#[cold]
pub(super) fn taken(id: &str) -> SystemException {
    initialize(format!(
        "this process has an ORB with the id {id:?}; Orb::with_id gives it, and its id is free when it \
         was shut down"
    ))
}

fn initialize(what: String) -> SystemException {
    SystemException::new(ExceptionKind::Initialize, Minor::default(), Completion::No)
        .with_reason(what)
}
