//! The one way in which the crate locks a mutex, and tries to.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Locks a mutex and ignores poisoning. That is sound because every critical section keeps the
/// guarded data valid between any two statements, so a panic cannot leave it inconsistent.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks a mutex as [`lock`] does, unless another thread holds it.
pub fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
