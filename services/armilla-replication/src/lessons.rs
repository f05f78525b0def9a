//! What is longer than a message: the states and records that newcomers fetch from a primary piece by piece,
//! and the records and states that a primary tells a backup in parts.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The octets of a piece at most.
const PIECE: usize = 1 << 20;

/// The octets of a piece where messages may have so many: there is more in a message than the piece.
pub(crate) fn piece_size(max_message: usize) -> usize {
    PIECE.min(max_message / 2).max(1)
}

/// The most states at once.
const MOST: usize = 16;

/// After how long a newcomer that does not go on is taken for dead.
const PATIENCE: Duration = Duration::from_secs(30);

/// The states, by the names of the newcomers.
#[derive(Default)]
pub(crate) struct Lessons(Mutex<HashMap<String, Lesson>>);

struct Lesson {
    octets: Vec<u8>,
    fetched: Instant,
}

impl Lessons {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Lesson>> {
        let mut lessons = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lessons.retain(|_, lesson| lesson.fetched.elapsed() < PATIENCE);
        lessons
    }

    /// Whether another newcomer may fetch a state.
    pub(crate) fn has_room(&self, name: &str) -> bool {
        let lessons = self.lock();
        lessons.len() < MOST || lessons.contains_key(name)
    }

    /// Keeps a state for a newcomer.
    pub(crate) fn keep(&self, name: &str, octets: Vec<u8>) {
        self.lock().insert(name.to_owned(), Lesson { octets, fetched: Instant::now() });
    }

    /// A piece of the state that is kept for a newcomer, of at most so many octets; `None` if there is none
    /// from there on. With the last piece the state is forgotten.
    pub(crate) fn fetch(&self, name: &str, offset: u64, most: usize) -> Option<Vec<u8>> {
        let mut lessons = self.lock();
        let lesson = lessons.get_mut(name)?;
        let Range { start, end } = piece(offset, lesson.octets.len(), most)?;
        lesson.fetched = Instant::now();
        let found = lesson.octets[start..end].to_vec();
        if end == lesson.octets.len() {
            lessons.remove(name);
        }
        Some(found)
    }
}

/// Records as octets, each behind its length.
pub(crate) fn joined(records: &[Vec<u8>]) -> Vec<u8> {
    let mut octets = Vec::new();
    for record in records {
        octets.extend((record.len() as u64).to_le_bytes());
        octets.extend_from_slice(record);
    }
    octets
}

/// The records that were joined; `None` if they were not.
pub(crate) fn split(mut octets: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut records = Vec::new();
    while !octets.is_empty() {
        let (length, rest) = octets.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (record, rest) = rest.split_at_checked(length)?;
        records.push(record.to_vec());
        octets = rest;
    }
    Some(records)
}

/// The parts of what a primary tells, until the last one is there.
#[derive(Default)]
pub(crate) struct Parts(Mutex<(u32, Vec<u8>)>);

impl Parts {
    fn lock(&self) -> MutexGuard<'_, (u32, Vec<u8>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a part of what the primary of a view tells. The first one takes the place of all that was there.
    /// Whether it fits what is there.
    pub(crate) fn add(&self, view: u32, offset: u64, octets: &[u8]) -> bool {
        let mut all = self.lock();
        if offset == 0 {
            *all = (view, Vec::new());
        }
        let fits = all.0 == view && all.1.len() as u64 == offset;
        if fits {
            all.1.extend_from_slice(octets);
        }
        fits
    }

    /// The parts before the last one, which are so long, with the last one; `None` if they are not all there.
    pub(crate) fn finish(&self, view: u32, before: u64, last: &[u8]) -> Option<Vec<u8>> {
        if before == 0 {
            return Some(last.to_vec());
        }
        let (of, mut octets) = std::mem::take(&mut *self.lock());
        let fits = of == view && octets.len() as u64 == before;
        octets.extend_from_slice(last);
        fits.then_some(octets)
    }
}

fn piece(offset: u64, length: usize, most: usize) -> Option<Range<usize>> {
    let start = usize::try_from(offset).ok().filter(|start| *start < length)?;
    Some(start..length.min(start + most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_fetched_piece_by_piece_and_forgotten() {
        let lessons = Lessons::default();
        let state: Vec<u8> = (0..PIECE * 2 + 7).map(|at| at as u8).collect();
        lessons.keep("a", state.clone());
        let mut fetched = Vec::new();
        while fetched.len() < state.len() {
            fetched.extend(lessons.fetch("a", fetched.len() as u64, PIECE).unwrap());
        }
        assert!(fetched == state);
        assert_eq!(lessons.fetch("a", 0, PIECE), None);
    }

    #[test]
    fn records_are_what_they_were_when_they_were_joined() {
        let records = vec![vec![1, 2, 3], Vec::new(), vec![7; 300]];
        let octets = joined(&records);
        assert_eq!(split(&octets), Some(records));
        assert_eq!(split(&octets[..octets.len() - 1]), None);
        assert_eq!(split(&[255; 9]), None);
    }

    #[test]
    fn parts_make_a_whole_only_if_all_of_one_view_are_there() {
        let parts = Parts::default();
        assert_eq!(parts.finish(3, 0, &[1]), Some(vec![1]));
        assert!(parts.add(3, 0, &[1, 2]) && parts.add(3, 2, &[3]));
        assert_eq!(parts.finish(3, 3, &[4]), Some(vec![1, 2, 3, 4]));
        assert_eq!(parts.finish(3, 3, &[4]), None, "they are gone");
        assert!(parts.add(3, 0, &[1]) && !parts.add(3, 2, &[3]) && !parts.add(4, 1, &[3]));
        assert!(parts.add(4, 0, &[9]));
        assert_eq!(parts.finish(3, 1, &[4]), None, "of another view");
    }

    #[test]
    fn strangers_get_nothing_and_take_no_room_for_ever() {
        let lessons = Lessons::default();
        (0..MOST).for_each(|number| lessons.keep(&number.to_string(), vec![0]));
        assert!(!lessons.has_room("new") && lessons.has_room("0"));
        assert_eq!(lessons.fetch("new", 0, PIECE), None);
        assert_eq!(
            (lessons.fetch("0", 1, PIECE), lessons.fetch("0", u64::MAX, PIECE)),
            (None, None)
        );
        assert_eq!(lessons.fetch("0", 0, PIECE), Some(vec![0]));
        assert!(lessons.has_room("new"));
    }
}
