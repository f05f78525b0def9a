//! Iterators over what an answer leaves out. There is a limit to their number and to their time, so
//! that clients that forget them cost nothing for long.

use crate::records::Records;
use crate::telecom::{StringIterator, StringIteratorRef, TooMany, string_iterator};
use armilla::{ObjectId, Orb, Poa, PoaError, SystemException};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The most strings in one answer.
pub const MAX_BATCH: usize = 1_000;
/// The most iterators at once.
pub const MAX_ITERATORS: usize = 1_000;
/// After this time without a call an iterator is destroyed.
pub const IDLE: Duration = Duration::from_secs(60);

/// All iterators of a server.
pub struct Iterators {
    poa: Poa,
    orb: Orb,
    present: Mutex<HashMap<ObjectId, Rest>>,
}

/// What is left for an iterator.
struct Rest {
    records: Records,
    places: Range<usize>,
    used: Instant,
}

impl Iterators {
    /// No iterators yet.
    ///
    /// # Errors
    /// As [`armilla::PoaBuilder::build`].
    pub fn new(orb: &Orb) -> Result<Arc<Self>, PoaError> {
        let poa = orb.root_poa().create_poa("iterators").build()?;
        Ok(Arc::new(Self { poa, orb: orb.clone(), present: Mutex::default() }))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ObjectId, Rest>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first `how_many` strings at `places`, and an iterator over the rest, or nil.
    ///
    /// # Errors
    /// [`TooMany`] iterators; system exceptions of the POA.
    pub fn answer<E: From<TooMany>>(
        self: &Arc<Self>,
        records: &Records,
        places: Range<usize>,
        how_many: u32,
    ) -> Result<(Vec<String>, StringIteratorRef), armilla::Error<E>> {
        let (first, left) = split(places, how_many);
        let first = records.get(first).to_vec();
        if left.is_empty() {
            return Ok((first, StringIteratorRef::nil()));
        }
        let mut present = self.lock();
        if present.len() >= MAX_ITERATORS {
            return Err(armilla::Error::User(TooMany { limit: MAX_ITERATORS as u32 }.into()));
        }
        let servant = string_iterator::tie(Cursor(self.clone()));
        let iterator = self.poa.activate(servant)?;
        let id = self.poa.reference_to_id(&iterator)?;
        present.insert(id, Rest { records: records.clone(), places: left, used: Instant::now() });
        Ok((first, iterator))
    }

    /// Destroys those that nobody has called for [`IDLE`] before `now`.
    pub fn sweep(&self, now: Instant) {
        self.lock().retain(|id, rest| {
            let keep = now.saturating_duration_since(rest.used) < IDLE;
            if !keep {
                // Only an ORB that is shut down does not know it any more.
                self.poa.deactivate(id).ok();
            }
            keep
        });
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.lock().len()
    }
}

/// The first `how_many` places, at least one and at most [`MAX_BATCH`], and the others.
fn split(places: Range<usize>, how_many: u32) -> (Range<usize>, Range<usize>) {
    let count = places.len().min((how_many as usize).clamp(1, MAX_BATCH));
    let middle = places.start + count;
    (places.start..middle, middle..places.end)
}

/// The servant of an iterator. Which one it is says the ORB.
struct Cursor(Arc<Iterators>);

impl StringIterator for Cursor {
    fn next_n(&self, how_many: u32) -> Result<Vec<String>, SystemException> {
        let current = self.0.orb.poa_current()?;
        let mut present = self.0.lock();
        let Some(rest) = present.get_mut(current.object_id()) else { return Ok(Vec::new()) };
        let (next, left) = split(rest.places.clone(), how_many);
        (rest.places, rest.used) = (left, Instant::now());
        Ok(rest.records.get(next).to_vec())
    }

    fn destroy(&self) -> Result<(), SystemException> {
        let current = self.0.orb.poa_current()?;
        self.0.lock().remove(current.object_id());
        // It may have been destroyed for its age in this moment.
        self.0.poa.deactivate(current.object_id()).ok();
        Ok(())
    }
}
