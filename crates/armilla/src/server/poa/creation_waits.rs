//! Threads that wait for the adapter activator in which another thread is. Two activators that look
//! for what the other one makes would wait for ever; the thread that closes such a circle does not
//! wait.

use super::PoaInner;
use super::gate::discarded;
use crate::exception::SystemException;
use crate::sync::lock;
use std::collections::HashMap;
use std::sync::Mutex;
use std::thread::{self, ThreadId};

/// What a thread waits for: the POA of this name below the one with this serial number, which
/// another thread makes.
struct Wait {
    creator: ThreadId,
    parent: (u64, u32),
    name: Box<str>,
}

/// The waits of all threads of the process: an activator may call an object of another ORB.
static WAITS: Mutex<Option<HashMap<ThreadId, Wait>>> = Mutex::new(None);

/// The wait of the calling thread, until this is dropped.
pub(super) struct CreationWait(());

impl CreationWait {
    /// Notes that the calling thread waits for the POA `name` below `parent`, which `creator`
    /// makes.
    ///
    /// # Errors
    /// `TRANSIENT` when that thread waits, perhaps through others, for what the calling thread
    /// makes.
    pub(super) fn begin(
        parent: &PoaInner,
        name: &str,
        creator: ThreadId,
    ) -> Result<Self, SystemException> {
        let me = thread::current().id();
        let mut waits = lock(&WAITS);
        let waits = waits.get_or_insert_default();
        let mut next = Some(creator);
        while let Some(thread) = next {
            if thread == me {
                return Err(crossing(name));
            }
            // There is no other circle: the thread that would have closed it did not wait.
            next = waits.get(&thread).map(|wait| wait.creator);
        }
        let parent = (parent.incarnation, parent.serial);
        waits.insert(me, Wait { creator, parent, name: name.into() });
        Ok(Self(()))
    }

    /// Ends all waits for a POA that is made, or not made, now.
    pub(super) fn end_all(parent: &PoaInner, name: &str) {
        if let Some(waits) = lock(&WAITS).as_mut() {
            let parent = (parent.incarnation, parent.serial);
            waits.retain(|_, wait| wait.parent != parent || *wait.name != *name);
        }
    }
}

impl Drop for CreationWait {
    fn drop(&mut self) {
        if let Some(waits) = lock(&WAITS).as_mut() {
            waits.remove(&thread::current().id());
        }
    }
}

#[cold]
fn crossing(name: &str) -> SystemException {
    discarded(format!(
        "POA {name:?} is being made by a thread that waits for what this one makes: their adapter \
         activators look for each other's POAs"
    ))
}
