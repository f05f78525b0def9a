//! A place of a table, with what stands there.
//!
//! # Safety contract
//! What stands in a place is there from [`Place::put`] to [`Place::take`], and its life says so:
//!
//! - *It is put in by one thread alone*, who has taken the place out of the free ones: nobody else puts
//!   anything there, and nobody looks before its life has begun.
//! - *It is looked at only by a thread that has protected the place and then found it present, or holds it.* Who holds
//!   it has looked, or has put it in.
//! - *It is taken out by one thread alone*, under the lock of the table: after its life says that it is leaving, and
//!   after a heavy fence has passed since, it is held by nobody and no thread protects the place. Who protects the
//!   place later finds it leaving, or empty, or finds what stands there next; who protected it before is seen
//!   (`hazard.rs` says why). The number of holds grows only by who looks or holds, so it stays 0. That the
//!   fence came after this very thing was leaving, and not after one that stood there before, the generation says.
//!
//! `model.rs` tries all this in every order, on processors that delay what they store.

#![allow(unsafe_code)]

use super::life::Life;
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::num::NonZeroUsize;
use std::ptr::NonNull;

/// Where something stands, with the generation that the place had when it was put there: what stands there
/// later has another one, so that who knows only the slot does not mistake the one for the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The number of the place.
    pub index: u32,
    /// How often the place had been given away; it begins anew after 2³² times.
    pub generation: u32,
}

impl Slot {
    /// No place of any table.
    pub const NONE: Self = Self { index: u32::MAX, generation: u32::MAX };
}

/// It begins with a line of the processor's cache: what is small lies in one, together with its life. The thing comes
/// first: its address is that of the place.
#[repr(C, align(64))]
pub(super) struct Place<T> {
    thing: UnsafeCell<MaybeUninit<T>>,
    pub(super) life: Life,
}

// SAFETY: who looks has a `&T`, and what is taken out may have been put in by another thread.
unsafe impl<T: Send + Sync> Sync for Place<T> {}

impl<T> Place<T> {
    pub(super) const fn empty() -> Self {
        Self { thing: UnsafeCell::new(MaybeUninit::uninit()), life: Life::new() }
    }

    /// Has the processor get the place from memory, without waiting for it.
    #[inline(always)]
    pub(super) fn expect(&self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every processor of this architecture can, and nothing is changed.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(self).cast());
        }
    }

    /// What threads protect that look at what stands here, an odd word, and what they protect instead that do
    /// more with it: its address.
    #[inline(always)]
    pub(super) fn words(&self) -> [NonZeroUsize; 2] {
        let address = NonNull::from(self).addr();
        [address | 1, address]
    }

    /// Puts something in and begins its life.
    ///
    /// # Safety
    /// The place is empty, and the caller's alone.
    pub(super) unsafe fn put(&self, thing: T, generation: u32) {
        // SAFETY: nobody else refers to what is in an empty place.
        unsafe { (*self.thing.get()).write(thing) };
        self.life.begin(generation);
    }

    /// What stands here.
    ///
    /// # Safety
    /// The caller has protected the place and found it present, or holds what stands there, for as long as the
    /// reference lives.
    #[inline(always)]
    pub(super) unsafe fn look(&self) -> &T {
        // SAFETY: it is there, and nobody changes it while somebody looks.
        unsafe { (*self.thing.get()).assume_init_ref() }
    }

    /// Takes out what stands here.
    ///
    /// # Safety
    /// Something stands here, nobody looks at it and nobody will.
    pub(super) unsafe fn take(&self) -> T {
        // SAFETY: it is there, and nobody else refers to it.
        unsafe { (*self.thing.get()).assume_init_read() }
    }
}

impl<T> Drop for Place<T> {
    fn drop(&mut self) {
        if self.life.end() {
            // SAFETY: something stands here, and the place is borrowed by nobody.
            unsafe { self.thing.get_mut().assume_init_drop() }
        }
    }
}
