//! Things in a table that somebody holds.
//!
//! # Safety contract
//! Of what `place.rs` asks, this file keeps: a [`Held`] holds what it leads to, from when it is made until it lets go. Its
//! place outlives it: it shares the places.

#![allow(unsafe_code)]

use super::hazard::HazardSet;
use super::place::Place;
use super::places::Places;
use crate::fence;
use std::fmt;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

/// Something in a table that somebody holds. It stays there as long as one of these lives, and so does the table's
/// memory.
pub struct Held<T> {
    place: NonNull<Place<T>>,
    /// `None` once it has let go.
    places: Option<Arc<Places<T>>>,
}

// SAFETY: it is a reference to a `T` that may be dropped by any thread.
unsafe impl<T: Send + Sync> Send for Held<T> {}
// SAFETY: the same, and what is shared gives away nothing but `&T` and more of these.
unsafe impl<T: Send + Sync> Sync for Held<T> {}

impl<T> Held<T> {
    /// What stands at the place, which is one of these and which the caller has held for this.
    pub(super) fn new(places: &Arc<Places<T>>, place: &Place<T>) -> Self {
        Self { place: place.into(), places: Some(places.clone()) }
    }

    #[inline(always)]
    const fn place(&self) -> &Place<T> {
        // SAFETY: the place lies in a segment of the places, which live until this is dropped, or whoever let go of
        // them keeps them.
        unsafe { self.place.as_ref() }
    }

    /// Lets go. Returns what stands there where it was taken out and this was the last hold.
    fn let_go(&mut self) -> Option<Left<T>> {
        let places = self.places.take()?;
        let generation = self.place().life.let_go()?;
        Some(Left { places, place: self.place, generation })
    }

    /// Drops many, with one fence for all.
    pub fn drop_all(held: Vec<Self>) {
        let left: Vec<_> = held.into_iter().filter_map(|mut held| held.let_go()).collect();
        fence::heavy();
        let hazards = HazardSet::scan();
        // In a vector of its own: when one panics that is dropped, the others are dropped all the same.
        drop(left.into_iter().map(|left| Last { left, hazards: &hazards }).collect::<Vec<_>>());
    }
}

/// Something that was found leaving, and held by nobody.
struct Left<T> {
    places: Arc<Places<T>>,
    place: NonNull<Place<T>>,
    generation: u32,
}

/// The same, when a heavy fence was passed and the hazard pointers were scanned. It is taken out when this is dropped.
struct Last<'c, T> {
    left: Left<T>,
    hazards: &'c HazardSet,
}

impl<T> Drop for Last<'_, T> {
    fn drop(&mut self) {
        let Left { places, place, generation } = &self.left;
        // SAFETY: the place lies in a segment of these.
        let place = unsafe { place.as_ref() };
        drop(places.take_left(place, *generation, |words| self.hazards.contains(words)));
    }
}

impl<T> Deref for Held<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: what stands there is held.
        unsafe { self.place().look() }
    }
}

impl<T> Clone for Held<T> {
    fn clone(&self) -> Self {
        self.place().life.hold();
        Self { place: self.place, places: self.places.clone() }
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        if let Some(Left { places, generation, .. }) = self.let_go() {
            places.clear(self.place(), generation);
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Held<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
