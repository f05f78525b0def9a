//! Threads that wait for what another thread does in an activator, or under a single-thread policy.
//! Two threads that need each other's turn would wait for ever; the one that closes such a circle
//! does not wait.

use super::gate::discarded;
use crate::exception::SystemException;
use crate::server::poa::PoaInner;
use crate::sync::lock;
use std::collections::HashMap;
use std::sync::Mutex;
use std::thread::{self, ThreadId};

/// What threads wait for.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::server::poa) enum Sought {
    /// The POA of this name below the one with this incarnation and serial number.
    Creation { parent: (u64, u32), name: Box<str> },
    /// A lock, by its address: it stays where it is while a thread waits for it.
    Turn(usize),
}

impl Sought {
    /// The POA `name` below `parent`, which an adapter activator makes.
    pub(in crate::server::poa) fn creation(parent: &PoaInner, name: &str) -> Self {
        Self::Creation { parent: (parent.incarnation, parent.serial), name: name.into() }
    }
}

/// The wait of a thread for another one, which is `None` while nobody has the lock.
struct Waiting {
    for_thread: Option<ThreadId>,
    what: Sought,
}

/// The waits of all threads of the process: an activator may call an object of another ORB.
static WAITS: Mutex<Option<HashMap<ThreadId, Waiting>>> = Mutex::new(None);

/// The wait of the calling thread, until this is dropped.
pub(in crate::server::poa) struct Wait(());

/// That thread waits, perhaps through others, for the calling one.
pub(in crate::server::poa) struct Crossing;

impl Wait {
    /// Notes that the calling thread waits for `what`, which `holder` makes or has.
    ///
    /// # Errors
    /// When that thread waits, perhaps through others, for what the calling thread makes or has.
    pub(in crate::server::poa) fn begin(what: Sought, holder: ThreadId) -> Result<Self, Crossing> {
        let me = thread::current().id();
        let mut waits = lock(&WAITS);
        let waits = waits.get_or_insert_default();
        let mut next = Some(holder);
        while let Some(thread) = next {
            if thread == me {
                return Err(Crossing);
            }
            // There is no other circle: the thread that would have closed it has no wait here.
            next = waits.get(&thread).and_then(|wait| wait.for_thread);
        }
        waits.insert(me, Waiting { for_thread: Some(holder), what });
        Ok(Self(()))
    }

    /// All who wait for this wait for another thread now, or for none. That one itself waits for
    /// nothing, so there is no new circle.
    pub(in crate::server::poa) fn pass_on(what: &Sought, to: Option<ThreadId>) {
        if let Some(waits) = lock(&WAITS).as_mut() {
            let those = waits.values_mut().filter(|wait| wait.what == *what);
            those.for_each(|wait| wait.for_thread = to);
        }
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        if let Some(waits) = lock(&WAITS).as_mut() {
            waits.remove(&thread::current().id());
        }
    }
}

/// Adapter activators look for each other's POAs.
#[cold]
pub(in crate::server::poa) fn crossing_creation(name: &str) -> SystemException {
    discarded(format!(
        "POA {name:?} is being made by a thread that waits for what this one makes: their adapter \
         activators look for each other's POAs"
    ))
}
