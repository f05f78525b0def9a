//! Who changes which image: one at a time.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The images that are being changed, by identifier.
#[derive(Debug, Default)]
pub(super) struct Claims {
    taken: Mutex<HashSet<String>>,
    released: Condvar,
}

/// The right to change an image, until it is dropped.
#[derive(Debug)]
pub(super) struct Claim<'c> {
    claims: &'c Claims,
    uid: String,
}

impl Claims {
    /// Waits until nobody else changes an image.
    pub(super) fn take(&self, uid: &str) -> Claim<'_> {
        let is_taken = |taken: &mut HashSet<String>| taken.contains(uid);
        let waited = self.released.wait_while(self.taken(), is_taken);
        let mut taken = waited.unwrap_or_else(PoisonError::into_inner);
        taken.insert(uid.to_owned());
        Claim { claims: self, uid: uid.to_owned() }
    }

    fn taken(&self) -> MutexGuard<'_, HashSet<String>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.claims.taken().remove(&self.uid);
        self.claims.released.notify_all();
    }
}
