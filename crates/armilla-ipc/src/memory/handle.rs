//! Handles: counted references to the values of a table.
//!
//! # Safety contract
//! Of what `entry.rs` asks, this file keeps: a [`Handle`] counts as a reference to its value from
//! when it is made until it is dropped. The entry outlives the handle, which shares the entries.

#![allow(unsafe_code)]

use super::entries::Entries;
use super::entry::Entry;
use super::hazard::HazardSet;
use crate::fence;
use std::fmt;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

/// A counted reference to a value in a table. The value stays in its entry as long as one of these
/// lives, and so does the memory of the table.
pub struct Handle<T> {
    entry: NonNull<Entry<T>>,
    /// `None` once the reference was dropped.
    entries: Option<Arc<Entries<T>>>,
}

// SAFETY: it is a reference to a `T` that may be dropped by any thread.
unsafe impl<T: Send + Sync> Send for Handle<T> {}
// SAFETY: the same, and what is shared gives away nothing but `&T` and more of these.
unsafe impl<T: Send + Sync> Sync for Handle<T> {}

impl<T> Handle<T> {
    /// A reference to the value of one of these entries, which the caller has counted.
    pub(super) fn new(entries: &Arc<Entries<T>>, entry: &Entry<T>) -> Self {
        Self { entry: entry.into(), entries: Some(entries.clone()) }
    }

    #[inline(always)]
    const fn entry(&self) -> &Entry<T> {
        // SAFETY: the entry lies in a segment of the entries, which live until this is dropped, or
        // are kept by the caller of `release`.
        unsafe { self.entry.as_ref() }
    }

    /// Drops the reference. Returns the value where it is retired and this was the last reference.
    fn release(&mut self) -> Option<Reclaimable<T>> {
        let entries = self.entries.take()?;
        let generation = self.entry().state.drop_reference()?;
        Some(Reclaimable { entries, entry: self.entry, generation })
    }

    /// Drops many, with one heavy fence and one scan for all.
    pub fn drop_all(handles: Vec<Self>) {
        let reclaimable: Vec<_> =
            handles.into_iter().filter_map(|mut handle| handle.release()).collect();
        fence::heavy();
        let hazards = HazardSet::scan();
        // In a vector of its own: when the drop of one value panics, the others are dropped all the
        // same.
        let scanned = reclaimable.into_iter().map(|value| Scanned { value, hazards: &hazards });
        drop(scanned.collect::<Vec<_>>());
    }
}

/// A value that was found retired, without references.
struct Reclaimable<T> {
    entries: Arc<Entries<T>>,
    entry: NonNull<Entry<T>>,
    generation: u32,
}

/// The same after a heavy fence and a scan. A drop takes the value out.
struct Scanned<'h, T> {
    value: Reclaimable<T>,
    hazards: &'h HazardSet,
}

impl<T> Drop for Scanned<'_, T> {
    fn drop(&mut self) {
        let Reclaimable { entries, entry, generation } = &self.value;
        // SAFETY: the entry lies in a segment of these.
        let entry = unsafe { entry.as_ref() };
        drop(entries.take(entry, *generation, |words| self.hazards.contains(words)));
    }
}

impl<T> Deref for Handle<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the handle counts as a reference.
        unsafe { self.entry().get() }
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        self.entry().state.add_reference();
        Self { entry: self.entry, entries: self.entries.clone() }
    }
}

impl<T> Drop for Handle<T> {
    fn drop(&mut self) {
        if let Some(Reclaimable { entries, generation, .. }) = self.release() {
            entries.reclaim(self.entry(), generation);
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
