//! Locks as the whole crate takes them.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, whatever became of a thread that held the lock before: what these locks guard is valid
/// between any two statements.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
