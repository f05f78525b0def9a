//! Things in a table that somebody looks at.
//!
//! # Safety contract
//! Of what `place.rs` asks, this file keeps: a [`Guard`] has protected its place and then found it present, or holds what stands
//! there; the hazard pointer or the hold goes when it does. Its place outlives it: it borrows the table.

#![allow(unsafe_code)]

use super::hazard::HazardPointer;
use super::held::Held;
use super::place::Place;
use super::places::Places;
use crate::fence;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Something in a table that somebody looks at, who has protected its place. It stays there as long as this lives.
pub struct Guard<'t, T> {
    /// `None` where it is held instead. It is dropped first.
    hazard: Option<HazardPointer>,
    look: Look<'t, T>,
}

/// A look at a place, which stays what it is meanwhile.
struct Look<'t, T> {
    places: &'t Arc<Places<T>>,
    place: &'t Place<T>,
    holds: bool,
}

impl<'t, T> Guard<'t, T> {
    /// Looks at a place where `is_there` finds what is looked for.
    #[inline(always)]
    pub(super) fn look(
        places: &'t Arc<Places<T>>,
        place: &'t Place<T>,
        is_there: impl Fn(&Place<T>) -> bool,
    ) -> Option<Self> {
        let Some(hazard) = HazardPointer::protect(place.words()[0]) else {
            return Self::look_holding(places, place, is_there);
        };
        let guard = Self { hazard: Some(hazard), look: Look { places, place, holds: false } };
        fence::light();
        if is_there(place) { Some(guard) } else { None }
    }

    /// The same where the thread has no hazard pointers left.
    #[cold]
    fn look_holding(
        places: &'t Arc<Places<T>>,
        place: &'t Place<T>,
        is_there: impl Fn(&Place<T>) -> bool,
    ) -> Option<Self> {
        // Nothing is taken out under the lock but by who has it.
        let _free = places.lock();
        is_there(place).then(|| {
            place.life.hold();
            Self { hazard: None, look: Look { places, place, holds: true } }
        })
    }
}

impl<T: Send + Sync> Guard<'_, T> {
    /// Protects the address of what is guard, for all to see who ask for that: it is not only looked at.
    /// `false` where the thread has no hazard pointers left. A light fence follows.
    #[inline(always)]
    pub fn begin_use(&mut self) -> bool {
        let word = self.look.place.words()[1];
        self.hazard.as_mut().map(|hazard| hazard.set(word)).is_some()
    }

    /// It is looked at only, as before. `false` where the thread had no hazard pointers left. A light fence
    /// follows.
    #[inline(always)]
    pub fn end_use(&mut self) -> bool {
        let word = self.look.place.words()[0];
        self.hazard.as_mut().map(|hazard| hazard.set(word)).is_some()
    }

    /// Holds it for longer.
    pub fn hold(&self) -> Held<T> {
        let Look { places, place, .. } = &self.look;
        place.life.hold();
        Held::new(places, place)
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the look protects the place, where it was found present afterwards, or holds what stands there.
        unsafe { self.look.place.look() }
    }
}

impl<T> Drop for Look<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        fence::light();
        if self.holds || self.place.life.is_leaving() {
            self.left();
        }
    }
}

impl<T> Look<'_, T> {
    /// What was looked at may have waited for that alone.
    #[cold]
    fn left(&self) {
        let left = match self.holds {
            true => self.place.life.let_go(),
            false => self.place.life.left(),
        };
        self.places.clear_left(self.place, left);
    }
}

impl<T: fmt::Debug> fmt::Debug for Guard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
