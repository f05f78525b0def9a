//! The states that newcomers fetch from a primary. A state may be larger than a message, so they fetch it
//! piece by piece.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The octets of a piece.
const PIECE: usize = 1 << 20;

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

    /// A piece of the state that is kept for a newcomer; `None` if there is none from there on. With the
    /// last piece the state is forgotten.
    pub(crate) fn fetch(&self, name: &str, offset: u64) -> Option<Vec<u8>> {
        let mut lessons = self.lock();
        let lesson = lessons.get_mut(name)?;
        let Range { start, end } = piece(offset, lesson.octets.len())?;
        lesson.fetched = Instant::now();
        let found = lesson.octets[start..end].to_vec();
        if end == lesson.octets.len() {
            lessons.remove(name);
        }
        Some(found)
    }
}

fn piece(offset: u64, length: usize) -> Option<Range<usize>> {
    let start = usize::try_from(offset).ok().filter(|start| *start < length)?;
    Some(start..length.min(start + PIECE))
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
            fetched.extend(lessons.fetch("a", fetched.len() as u64).unwrap());
        }
        assert!(fetched == state);
        assert_eq!(lessons.fetch("a", 0), None);
    }

    #[test]
    fn strangers_get_nothing_and_take_no_room_for_ever() {
        let lessons = Lessons::default();
        (0..MOST).for_each(|number| lessons.keep(&number.to_string(), vec![0]));
        assert!(!lessons.has_room("new") && lessons.has_room("0"));
        assert_eq!(lessons.fetch("new", 0), None);
        assert_eq!((lessons.fetch("0", 1), lessons.fetch("0", u64::MAX)), (None, None));
        assert_eq!(lessons.fetch("0", 0), Some(vec![0]));
        assert!(lessons.has_room("new"));
    }
}
