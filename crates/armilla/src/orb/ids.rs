//! The ORBs of this process by id (CORBA 3.4 Part 1, 8.5.1). ORBs without an id are not registered.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::{Orb, WeakOrb};
use crate::sync::lock;
use std::collections::HashMap;
use std::sync::{Condvar, LazyLock, Mutex, PoisonError};
use std::thread::{self, ThreadId};

static REGISTRY: LazyLock<Mutex<HashMap<String, Entry>>> = LazyLock::new(Mutex::default);

/// Signals that a reservation has ended.
static RESERVATION_ENDED: Condvar = Condvar::new();

/// The state of an id.
enum Entry {
    /// The thread is creating the ORB.
    Reserved(ThreadId),
    Registered(WeakOrb),
}

/// The result of looking up an id for a new ORB.
pub(super) enum Lookup {
    /// No ORB has the id; the caller may create one.
    Free(Reservation),
    /// The ORB that has the id.
    Taken(Orb),
}

/// Keeps an id for the ORB that the calling thread creates. Dropping it frees the id, unless the
/// ORB was registered.
pub(super) struct Reservation(String);

/// The ORB with this id.
pub(super) fn find(id: &str) -> Option<Orb> {
    match lock(&REGISTRY).get(id)? {
        Entry::Registered(orb) => orb.upgrade(),
        Entry::Reserved(_) => None,
    }
}

/// Reserves an id, or finds the ORB that has it. Waits while another thread creates an ORB with the
/// id. The empty id is that of ORBs without one and is always free.
///
/// # Errors
/// `INITIALIZE` when the calling thread itself is creating an ORB with the id.
pub(super) fn reserve(id: &str) -> Result<Lookup, SystemException> {
    let mut registry = lock(&REGISTRY);
    loop {
        // A program may drop an ORB without shutting it down.
        registry.retain(|_, entry| !matches!(entry, Entry::Registered(orb) if orb.is_gone()));
        match registry.get(id) {
            _ if id.is_empty() => return Ok(Lookup::Free(Reservation(String::new()))),
            Some(Entry::Reserved(thread)) if *thread == thread::current().id() => {
                let what = format!("the ORB {id:?} is being made by the thread that asks for it");
                return Err(initialize(what));
            }
            Some(Entry::Reserved(_)) => {
                registry = RESERVATION_ENDED.wait(registry).unwrap_or_else(PoisonError::into_inner);
            }
            Some(Entry::Registered(orb)) => {
                if let Some(orb) = orb.upgrade() {
                    return Ok(Lookup::Taken(orb));
                }
            }
            None => {
                registry.insert(id.to_owned(), Entry::Reserved(thread::current().id()));
                return Ok(Lookup::Free(Reservation(id.to_owned())));
            }
        }
    }
}

impl Reservation {
    /// Registers the ORB under the id.
    pub(super) fn register(self, orb: &Orb) {
        if !self.0.is_empty() {
            lock(&REGISTRY).insert(self.0.clone(), Entry::Registered(orb.downgrade()));
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut registry = lock(&REGISTRY);
        if let Some(Entry::Reserved(_)) = registry.get(&self.0) {
            registry.remove(&self.0);
        }
        RESERVATION_ENDED.notify_all();
    }
}

/// Frees the id of an ORB that has shut down.
pub(super) fn forget(orb: &Orb) {
    lock(&REGISTRY)
        .retain(|_, entry| !matches!(entry, Entry::Registered(registered) if registered.is(orb)));
}

/// The error that another ORB has the id.
pub(super) fn taken(id: &str) -> SystemException {
    initialize(format!(
        "this process has an ORB with the id {id:?}; Orb::with_id gives it, and its id is free \
         after its shutdown"
    ))
}

fn initialize(what: String) -> SystemException {
    SystemException::new(ExceptionKind::Initialize, Minor::default(), Completion::No)
        .with_reason(what)
}
