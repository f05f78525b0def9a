//! How many of something there are: of all, and of each who asks.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many each has.
type Taken<K> = Arc<Mutex<HashMap<K, usize>>>;

/// A number of places, of which each who asks may have some. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct Places<K> {
    most: usize,
    most_of_one: usize,
    taken: Taken<K>,
}

/// A taken place; given back when it is dropped, also by a thread that panics.
pub(super) struct Place<K: Eq + Hash> {
    taken: Taken<K>,
    of: K,
}

impl<K: Eq + Hash + Clone> Places<K> {
    pub(super) fn new(most: usize, most_of_one: usize) -> Self {
        Self { most, most_of_one, taken: Arc::default() }
    }

    /// A place for one who asks, if it may have one more.
    pub(super) fn take(&self, of: K) -> Option<Place<K>> {
        let mut taken = lock(&self.taken);
        let own = taken.get(&of).copied().unwrap_or_default();
        if taken.values().sum::<usize>() >= self.most || own >= self.most_of_one {
            return None;
        }
        taken.insert(of.clone(), own + 1);
        Some(Place { taken: Arc::clone(&self.taken), of })
    }
}

impl<K: Eq + Hash> Drop for Place<K> {
    fn drop(&mut self) {
        let mut taken = lock(&self.taken);
        match taken.get_mut(&self.of) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(taken.remove(&self.of)),
        }
    }
}

impl<K: Eq + Hash + fmt::Debug> fmt::Debug for Place<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Place").field(&self.of).finish()
    }
}

fn lock<K>(taken: &Mutex<HashMap<K, usize>>) -> MutexGuard<'_, HashMap<K, usize>> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_ipc::host::site;

    #[test]
    fn one_host_leaves_places_to_others() {
        let places = Places::new(4, 2);
        let take = |text: &str| places.take(site(text.parse().unwrap()));
        let held = [take("10.0.0.1"), take("::ffff:10.0.0.1")];
        assert!(held.iter().all(Option::is_some));
        assert!(take("10.0.0.1").is_none(), "it has its share");
        let others = [take("fd00::1:1"), take("fd00::2:2")];
        assert!(others.iter().all(Option::is_some));
        assert!(take("10.0.0.2").is_none(), "all are taken");
        drop(held);
        assert!(take("fd00::3:3").is_none() && take("10.0.0.1").is_some());
        drop(others);
        assert!(lock(&places.taken).is_empty());
    }
}
