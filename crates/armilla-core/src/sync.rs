//! The one way in which the crate locks a mutex.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex and ignores poisoning. That is sound because every critical section keeps the
/// guarded data valid between any two statements, so a panic cannot leave it inconsistent.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
