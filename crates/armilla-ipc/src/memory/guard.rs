//! Guards: short accesses to the values of a table.
//!
//! # Safety contract
//! Of what `entry.rs` asks, this file keeps: a [`Guard`] has protected its entry and then found a
//! value present, or counts as a reference to that value. The hazard pointer or the reference goes
//! when the guard does. The entry outlives the guard, which borrows the table.

#![allow(unsafe_code)]

use super::entries::Entries;
use super::entry::Entry;
use super::handle::Handle;
use super::hazard::HazardPointer;
use crate::fence;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Access to a value in a table, which stays in its entry as long as this lives. It stays in its
/// thread.
pub struct Guard<'t, T> {
    /// `None` where the guard counts as a reference instead. It is dropped first.
    hazard: Option<HazardPointer>,
    access: Access<'t, T>,
}

/// What a guard gives access to, and what is left to do when the access ends.
struct Access<'t, T> {
    entries: &'t Arc<Entries<T>>,
    entry: &'t Entry<T>,
    /// Whether it counts as a reference.
    is_counted: bool,
}

impl<'t, T> Guard<'t, T> {
    /// Gives access to the value of an entry where `is_wanted` accepts it.
    #[inline(always)]
    pub(super) fn new(
        entries: &'t Arc<Entries<T>>,
        entry: &'t Entry<T>,
        is_wanted: impl Fn(&Entry<T>) -> bool,
    ) -> Option<Self> {
        let Some(hazard) = HazardPointer::protect(entry.hazard_words()[0]) else {
            return Self::counted(entries, entry, is_wanted);
        };
        let access = Access { entries, entry, is_counted: false };
        let guard = Self { hazard: Some(hazard), access };
        fence::light();
        if is_wanted(entry) { Some(guard) } else { None }
    }

    /// The same where the thread has no hazard pointers left.
    #[cold]
    fn counted(
        entries: &'t Arc<Entries<T>>,
        entry: &'t Entry<T>,
        is_wanted: impl Fn(&Entry<T>) -> bool,
    ) -> Option<Self> {
        // Values are taken out under this lock only.
        let _free = entries.lock();
        is_wanted(entry).then(|| {
            entry.state.add_reference();
            Self { hazard: None, access: Access { entries, entry, is_counted: true } }
        })
    }
}

impl<T: Send + Sync> Guard<'_, T> {
    /// Protects the address of the value instead of the entry, for threads that scan for that.
    /// `false` where the thread had no hazard pointers left. A light fence follows.
    #[inline(always)]
    pub fn begin_use(&mut self) -> bool {
        self.protect(1)
    }

    /// Protects the entry again. `false` where the thread had no hazard pointers left. A light
    /// fence follows.
    #[inline(always)]
    pub fn end_use(&mut self) -> bool {
        self.protect(0)
    }

    #[inline(always)]
    fn protect(&mut self, which: usize) -> bool {
        let word = self.access.entry.hazard_words()[which];
        self.hazard.as_mut().map(|hazard| hazard.set(word)).is_some()
    }

    /// A reference to the value that may outlive the guard and go to other threads.
    pub fn to_handle(&self) -> Handle<T> {
        let Access { entries, entry, .. } = &self.access;
        entry.state.add_reference();
        Handle::new(entries, entry)
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the guard protects the entry, where a value was found present afterwards, or
        // counts as a reference.
        unsafe { self.access.entry.get() }
    }
}

impl<T> Drop for Access<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        fence::light();
        if self.is_counted || self.entry.state.is_retired() {
            self.end();
        }
    }
}

impl<T> Access<'_, T> {
    /// The value may have waited for the end of this access alone.
    #[cold]
    fn end(&self) {
        let reclaimable = match self.is_counted {
            true => self.entry.state.drop_reference(),
            false => self.entry.state.reclaimable(),
        };
        self.entries.reclaim_if(self.entry, reclaimable);
    }
}

impl<T: fmt::Debug> fmt::Debug for Guard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
