//! An entry of a table, with its value.
//!
//! # Safety contract
//! An entry has a value from [`Entry::write`] to [`Entry::take`], and its state says so:
//!
//! - *One thread alone writes a value*, after it has taken the entry from the free ones: no other
//!   thread writes to it, and none accesses it before its state says that the value is present.
//! - *A value is accessed only by a thread that has protected the entry and then found the value
//!   present, or by a counted reference.* A reference is made by a thread that accesses the value,
//!   or that has written it.
//! - *One thread alone takes a value out*, under the lock of the table: the state says that it is
//!   retired; after a heavy fence since then it has no references, and no thread protects the
//!   entry. A thread that protects the entry later finds the value retired, or none, or the next
//!   one; a thread that protected it before is seen (`hazard.rs` says why). References are made
//!   only by accesses and references, so their number stays 0. The generation proves that the fence
//!   came after this value was retired, and not after an earlier one of the same entry was.
//!
//! `model.rs` tries all this in every order, on processors with store buffers.

#![allow(unsafe_code)]

use super::entry_state::EntryState;
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::num::NonZeroUsize;
use std::ptr::NonNull;

/// The index of an entry, with the generation that it had when a value was put there. The next
/// value of the entry has another generation: a slot leads to one value only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The index of the entry.
    pub index: u32,
    /// How often the entry had been used; it wraps after 2³² times.
    pub generation: u32,
}

impl Slot {
    /// The slot of no value in any table.
    pub const NONE: Self = Self { index: u32::MAX, generation: u32::MAX };
}

/// An entry begins with a cache line: a small value and its state lie in one. The value comes
/// first, so its address is that of the entry.
#[repr(C, align(64))]
pub(super) struct Entry<T> {
    value: UnsafeCell<MaybeUninit<T>>,
    pub(super) state: EntryState,
}

// SAFETY: an access gives a `&T`, and a value that is taken out may have been written by another
// thread.
unsafe impl<T: Send + Sync> Sync for Entry<T> {}

impl<T> Entry<T> {
    pub(super) const fn empty() -> Self {
        Self { value: UnsafeCell::new(MaybeUninit::uninit()), state: EntryState::new() }
    }

    /// Prefetches the entry.
    #[inline(always)]
    pub(super) fn prefetch(&self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every processor of this architecture can, and nothing is changed.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(self).cast());
        }
    }

    /// What a thread protects to access the value, an odd word, and what it protects instead to use
    /// the value: its address.
    #[inline(always)]
    pub(super) fn hazard_words(&self) -> [NonZeroUsize; 2] {
        let address = NonNull::from(self).addr();
        [address | 1, address]
    }

    /// Writes a value and makes it present.
    ///
    /// # Safety
    /// The entry has no value, and belongs to the caller alone.
    pub(super) unsafe fn write(&self, value: T, generation: u32) {
        // SAFETY: no other thread accesses an entry without a value.
        unsafe { (*self.value.get()).write(value) };
        self.state.publish(generation);
    }

    /// The value.
    ///
    /// # Safety
    /// The caller has protected the entry and found the value present, or has a reference, for as
    /// long as what is returned lives.
    #[inline(always)]
    pub(super) unsafe fn get(&self) -> &T {
        // SAFETY: there is a value, which nobody changes while it is accessed.
        unsafe { (*self.value.get()).assume_init_ref() }
    }

    /// Takes the value out.
    ///
    /// # Safety
    /// There is a value, which no other thread accesses or will access.
    pub(super) unsafe fn take(&self) -> T {
        // SAFETY: there is a value, which nobody else refers to.
        unsafe { (*self.value.get()).assume_init_read() }
    }
}

impl<T> Drop for Entry<T> {
    fn drop(&mut self) {
        if self.state.clear() {
            // SAFETY: there is a value, and the entry is borrowed by nobody.
            unsafe { self.value.get_mut().assume_init_drop() }
        }
    }
}
