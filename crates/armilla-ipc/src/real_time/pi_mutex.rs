//! Data behind a lock that inherits priorities.
//!
//! # Safety contract
//! 1. The data is reached only through a guard, or through `&mut PiMutex`, which excludes guards.
//! 2. A guard exists only between a lock that succeeded and the unlock by its drop. The lock is
//!    exclusive, so there is one guard at most, and what it borrows nobody else reaches.
//! 3. A guard stays with the thread that locked (it is not `Send`), because the kernel accepts an
//!    unlock from that thread only. A guard may be shared by reference if the data may.
//! 4. A thread that ends without dropping its guard never unlocks, so the lock is never granted
//!    again: `OwnerDied` is an error, not a guard.

#![allow(unsafe_code)]

use super::raw_pi_mutex::{LockError, RawPiMutex};
use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

/// A mutex whose holder runs with the priority of the most urgent thread that waits for it.
/// Without that, a thread of middle priority keeps the holder, and with it an urgent waiter, from
/// running (priority inversion). It is not poisoned by a panic.
///
/// Only threads of one process may use it. Uncontended, it costs an atomic exchange to lock and
/// one to unlock, and no system call.
///
/// ```
/// use armilla_ipc::real_time::PiMutex;
/// use std::time::Duration;
///
/// let altitude = PiMutex::new(0.0);
/// *altitude.lock() = 9_144.0;
/// if let Some(altitude) = altitude.try_lock_for(Duration::from_millis(1)) {
///     assert_eq!(*altitude, 9_144.0);
/// }
/// ```
#[derive(Default)]
pub struct PiMutex<T: ?Sized> {
    raw: RawPiMutex,
    data: UnsafeCell<T>,
}

// SAFETY: rules 1 and 2: the mutex hands the data from thread to thread, one at a time.
unsafe impl<T: ?Sized + Send> Send for PiMutex<T> {}
// SAFETY: rules 1 and 2.
unsafe impl<T: ?Sized + Send> Sync for PiMutex<T> {}

/// Access to the data of a [`PiMutex`], until dropped.
#[must_use = "the mutex is unlocked when the guard is dropped"]
pub struct PiMutexGuard<'m, T: ?Sized> {
    mutex: &'m PiMutex<T>,
    /// Not `Send`, rule 3.
    thread: PhantomData<*mut ()>,
}

// SAFETY: rule 3: a reference to the guard gives references to the data only.
unsafe impl<T: ?Sized + Sync> Sync for PiMutexGuard<'_, T> {}

impl<T> PiMutex<T> {
    /// A mutex around `data`.
    pub const fn new(data: T) -> Self {
        Self { raw: RawPiMutex::new(), data: UnsafeCell::new(data) }
    }

    /// The data.
    pub fn into_inner(self) -> T {
        self.data.into_inner()
    }
}

impl<T: ?Sized> PiMutex<T> {
    /// Waits for the mutex and locks it.
    ///
    /// # Panics
    /// If the calling thread holds it already, or the thread that held it has ended without
    /// releasing it; [`try_lock_for`](Self::try_lock_for) returns `None` then.
    #[inline]
    pub fn lock(&self) -> PiMutexGuard<'_, T> {
        match self.raw.lock() {
            Ok(()) => self.guard(),
            Err(error) => cannot_be_locked(error),
        }
    }

    /// Locks the mutex if no thread holds it.
    #[inline]
    pub fn try_lock(&self) -> Option<PiMutexGuard<'_, T>> {
        self.raw.try_lock().is_ok().then(|| self.guard())
    }

    /// Waits up to `limit` for the mutex and locks it.
    pub fn try_lock_for(&self, limit: Duration) -> Option<PiMutexGuard<'_, T>> {
        self.raw.try_lock_for(limit).is_ok().then(|| self.guard())
    }

    /// The data, which no other thread can hold.
    pub const fn get_mut(&mut self) -> &mut T {
        self.data.get_mut()
    }

    const fn guard(&self) -> PiMutexGuard<'_, T> {
        PiMutexGuard { mutex: self, thread: PhantomData }
    }
}

#[cold]
fn cannot_be_locked(error: LockError) -> ! {
    panic!("a mutex cannot be locked: {error}")
}

impl<T: ?Sized> Deref for PiMutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: rule 2.
        unsafe { &*self.mutex.data.get() }
    }
}

impl<T: ?Sized> DerefMut for PiMutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: rule 2.
        unsafe { &mut *self.mutex.data.get() }
    }
}

impl<T: ?Sized> Drop for PiMutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // Rule 3 makes this thread the owner, so the kernel cannot refuse.
        self.mutex.raw.unlock().ok();
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for PiMutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.try_lock() {
            Some(data) => f.debug_struct("PiMutex").field("data", &&*data).finish(),
            None => f.debug_struct("PiMutex").finish_non_exhaustive(),
        }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for PiMutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Scheduling, thread_id};
    use super::*;
    use crate::affinity::{allowed_cpus, pin_thread};
    use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
    use std::sync::{Arc, Barrier};
    use std::thread;

    #[test]
    fn threads_that_count_together_lose_nothing() {
        let count = PiMutex::new(0u64);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..5_000).for_each(|_| *count.lock() += 1));
            }
        });
        assert_eq!(count.into_inner(), 20_000);
    }

    #[test]
    fn a_held_mutex_is_busy_until_the_time_is_over() {
        let mutex = PiMutex::new(());
        let held = mutex.lock();
        thread::scope(|scope| {
            scope.spawn(|| {
                assert!(mutex.try_lock().is_none());
                let begun = std::time::Instant::now();
                assert!(mutex.try_lock_for(Duration::from_millis(5)).is_none());
                assert!(begun.elapsed() >= Duration::from_millis(5));
                assert_eq!(mutex.raw.unlock(), Err(LockError::NotOwner));
            });
        });
        drop(held);
        assert!(mutex.try_lock().is_some());
    }

    #[test]
    fn a_thread_that_locks_twice_is_told() {
        let mutex = RawPiMutex::new();
        mutex.lock().unwrap();
        assert_eq!(mutex.lock(), Err(LockError::Deadlock));
        assert_eq!(mutex.try_lock(), Err(LockError::Deadlock));
        assert_eq!(mutex.try_lock_for(Duration::from_secs(9)), Err(LockError::Deadlock));
        mutex.unlock().unwrap();
        assert_eq!(mutex.unlock(), Err(LockError::NotOwner));
    }

    #[test]
    fn the_lock_of_a_thread_that_has_ended_is_reported_not_granted() {
        let mutex = Arc::new(RawPiMutex::new());
        let of_thread = mutex.clone();
        thread::spawn(move || of_thread.lock().unwrap()).join().unwrap();
        assert_eq!(mutex.lock(), Err(LockError::OwnerDied));
        assert_eq!(mutex.try_lock_for(Duration::from_secs(9)), Err(LockError::OwnerDied));
    }

    #[test]
    fn a_waiter_raises_the_priority_of_the_holder() {
        let mutex = Arc::new(PiMutex::new(()));
        let (holder, release) = (Arc::new(AtomicI32::new(0)), Arc::new(AtomicBool::new(false)));
        let held = Arc::new(Barrier::new(2));
        let thread = {
            let (mutex, holder, release, held) =
                (mutex.clone(), holder.clone(), release.clone(), held.clone());
            thread::spawn(move || {
                let guard = mutex.lock();
                holder.store(thread_id(), Ordering::SeqCst);
                held.wait();
                while !release.load(Ordering::SeqCst) {
                    thread::yield_now();
                }
                drop(guard);
            })
        };
        held.wait();
        let waiter = thread::spawn(move || {
            let granted = Scheduling::Fifo { priority: 20 }.apply().is_ok();
            drop(mutex.lock());
            granted
        });
        let number = holder.load(Ordering::SeqCst);
        // The inherited priority shows in /proc, not in the attributes of the thread.
        let raised = || {
            let stat = std::fs::read_to_string(format!("/proc/self/task/{number}/stat")).unwrap();
            stat.rsplit(')').next().unwrap().split_whitespace().nth(15).unwrap() == "-21"
        };
        let end = std::time::Instant::now() + Duration::from_secs(10);
        let (permitted, mut was_raised) = (may_be_real_time(), false);
        while permitted && !was_raised && std::time::Instant::now() < end {
            was_raised = raised();
        }
        release.store(true, Ordering::SeqCst);
        thread.join().unwrap();
        match waiter.join().unwrap() {
            true => assert!(was_raised, "the holder kept its priority"),
            false => println!("skipped: no privilege for real-time threads"),
        }
    }

    #[test]
    fn an_urgent_thread_gets_the_mutex_before_middle_priority_runs() {
        let Ok(cpu) = allowed_cpus().map(|cpus| cpus[0]) else { return };
        let (mutex, got) = (Arc::new(PiMutex::new(())), Arc::new(AtomicBool::new(false)));
        let inverted = thread::spawn(move || {
            pin_thread(cpu).ok()?;
            Scheduling::Fifo { priority: 30 }.apply().ok()?;
            let started = Arc::new(Barrier::new(2));
            let low = {
                let (mutex, started) = (mutex.clone(), started.clone());
                thread::spawn(move || {
                    let guard = mutex.lock();
                    Scheduling::Fifo { priority: 5 }.apply().unwrap();
                    started.wait();
                    spin(Duration::from_millis(2));
                    drop(guard);
                })
            };
            started.wait();
            // Without inheritance it keeps the holder from running, and computes for all this time
            // before the urgent thread has the mutex.
            let of_middle = got.clone();
            let middle = thread::spawn(move || {
                Scheduling::Fifo { priority: 10 }.apply().unwrap();
                let begun = super::super::thread_cpu_time();
                while !of_middle.load(Ordering::SeqCst) {
                    if super::super::thread_cpu_time() - begun > Duration::from_millis(40) {
                        return true;
                    }
                }
                false
            });
            let held = mutex.lock();
            got.store(true, Ordering::SeqCst);
            drop(held);
            low.join().unwrap();
            Some(middle.join().unwrap())
        });
        match inverted.join().unwrap() {
            Some(inverted) => assert!(!inverted, "middle priority ran first"),
            None => println!("skipped: no privilege for real-time threads"),
        }
    }

    /// Whether threads of this process may have real-time priorities.
    fn may_be_real_time() -> bool {
        let asked = Scheduling::Fifo { priority: 20 };
        thread::spawn(move || asked.apply().is_ok()).join().unwrap()
    }

    /// Computes for a time of the processor.
    fn spin(time: Duration) {
        let begun = super::super::thread_cpu_time();
        while super::super::thread_cpu_time() - begun < time {}
    }
}
