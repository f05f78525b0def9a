//! The attached sources by place, which is what the kernel gets to know of them.

use super::source::{Half, Source};
use rustix::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A table of sources. A place is given to another source only after the last operation on it is
/// over, and under another name.
#[derive(Default)]
pub(super) struct Places {
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    places: Vec<Place>,
    free: Vec<usize>,
}

#[derive(Default)]
struct Place {
    generation: u32,
    occupant: Option<Source>,
}

impl Places {
    /// Makes a source and gives it a place.
    pub(super) fn occupy(&self, socket: Arc<dyn AsFd + Send + Sync>) -> Source {
        let source = Source::new(socket);
        let mut table = self.lock();
        let place = table.free.pop().unwrap_or_else(|| {
            table.places.push(Place::default());
            table.places.len() - 1
        });
        table.places[place].occupant = Some(source.clone());
        source.place().get_or_init(|| place);
        source
    }

    /// The name of the operation in one direction of a source, of which the highest bit is clear.
    pub(super) fn name(&self, source: &Source, half: Half) -> Option<u64> {
        let place = *source.place().get()?;
        let generation = self.lock().places.get(place)?.generation;
        Some(u64::from(generation) << 32 | (place as u64) << 1 | half as u64)
    }

    /// The operation of this name.
    pub(super) fn find(&self, name: u64) -> Option<(Source, Half)> {
        let table = self.lock();
        let place = table.places.get((name as u32 >> 1) as usize)?;
        let half = if name & 1 == 0 { Half::In } else { Half::Out };
        let source = place.occupant.clone()?;
        (place.generation == (name >> 32) as u32).then_some((source, half))
    }

    /// Frees the place of a detached source, if nothing is under way on it.
    pub(super) fn vacate(&self, source: &Source) {
        if Half::BOTH.into_iter().any(|half| source.half(half).is_some()) {
            return;
        }
        let Some(&index) = source.place().get() else { return };
        let mut table = self.lock();
        let Some(place) = table.places.get_mut(index) else { return };
        if place.occupant.take_if(|occupant| occupant.is(source)).is_some() {
            place.generation = place.generation.wrapping_add(1) & (u32::MAX >> 1);
            table.free.push(index);
        }
    }

    /// All sources.
    pub(super) fn occupants(&self) -> Vec<Source> {
        self.lock().places.iter().filter_map(|place| place.occupant.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // Nothing that can panic runs under this lock.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
