//! Data behind a lock that inherits priorities.
//!
//! # Safety contract
//! 1. The data is reached only through a guard, or through `&mut PiMutex`, which excludes guards.
//! 2. A guard exists only between a lock that succeeded and the unlock by its drop. The lock is
//!    exclusive, so there is one guard at most, and what it borrows nobody else reaches.
//! 3. A guard stays with the thread that locked (it is not `Send`), because the kernel accepts an
//!    unlock from that thread only. A guard may be shared by reference if the data may.
//! 4. A thread that ends without dropping its guard may have given away what the guard borrows,
//!    for as long as the mutex lives. The lock is never granted again: `OwnerDied` is an error, not
//!    a guard. Only `&mut PiMutex`, which no such borrow outlives, reaches the data then.

#![allow(unsafe_code)]

use super::raw_pi_mutex::{LockError, RawPiMutex};
use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

/// A mutex whose holder runs with the priority of the most urgent thread that waits for it.
/// Without that, a thread of middle priority keeps the holder, and with it an urgent waiter, from
/// running (priority inversion).
///
/// Only threads of one process may use it. Uncontended, it costs an atomic exchange to lock and
/// one to unlock, and no system call.
///
/// ```
/// use armilla_ipc::real_time::{LockError, PiMutex};
/// use std::time::Duration;
///
/// let altitude = PiMutex::new(0.0);
/// *altitude.lock() = 9_144.0;
/// match altitude.try_lock_for(Duration::from_millis(1)) {
///     Ok(altitude) => assert_eq!(*altitude, 9_144.0),
///     Err(LockError::Busy) => println!("another thread has held it all the time"),
///     Err(error) => println!("it cannot be locked: {error}"),
/// }
/// ```
///
/// # Poisoning
/// A panic does not poison the mutex: its guard is dropped, and the data are what the thread has
/// left. A thread that ends while it holds the mutex, having leaked the guard, does: it may have
/// given the data away. From then on nobody gets the mutex. [`lock`](Self::lock) panics, the others
/// return [`LockError::OwnerDied`], [`is_poisoned`](Self::is_poisoned) says so, and
/// [`get_mut`](Self::get_mut) and [`into_inner`](Self::into_inner) still reach the data.
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
    /// If the calling thread holds it already, or it is [poisoned](Self#poisoning);
    /// [`try_lock_for`](Self::try_lock_for) returns an error then.
    #[inline]
    pub fn lock(&self) -> PiMutexGuard<'_, T> {
        match self.raw.lock() {
            Ok(()) => self.guard(),
            Err(error) => cannot_be_locked(error),
        }
    }

    /// Locks the mutex if no thread holds it.
    ///
    /// # Errors
    /// [`LockError::Busy`] if another thread holds it, [`LockError::Deadlock`] if the calling thread
    /// does, [`LockError::OwnerDied`] if it is [poisoned](Self#poisoning).
    #[inline]
    pub fn try_lock(&self) -> Result<PiMutexGuard<'_, T>, LockError> {
        self.raw.try_lock().map(|()| self.guard())
    }

    /// Waits up to `limit` for the mutex and locks it.
    ///
    /// # Errors
    /// As [`try_lock`](Self::try_lock), [`LockError::Busy`] when the time is over.
    pub fn try_lock_for(&self, limit: Duration) -> Result<PiMutexGuard<'_, T>, LockError> {
        self.raw.try_lock_for(limit).map(|()| self.guard())
    }

    /// Whether it is known that a thread has ended while it held the mutex.
    pub fn is_poisoned(&self) -> bool {
        self.raw.is_poisoned()
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
            Ok(data) => f.debug_struct("PiMutex").field("data", &&*data).finish(),
            Err(_) => f.debug_struct("PiMutex").finish_non_exhaustive(),
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
                assert_eq!(mutex.try_lock().err(), Some(LockError::Busy));
                let begun = std::time::Instant::now();
                let limit = Duration::from_millis(5);
                assert_eq!(mutex.try_lock_for(limit).err(), Some(LockError::Busy));
                assert!(begun.elapsed() >= Duration::from_millis(5));
                assert_eq!(mutex.raw.unlock(), Err(LockError::NotOwner));
            });
        });
        drop(held);
        assert!(mutex.try_lock().is_ok());
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
        assert!(!mutex.is_poisoned(), "nobody knows yet");
        assert_eq!(mutex.lock(), Err(LockError::OwnerDied));
        assert!(mutex.is_poisoned());
        assert_eq!(mutex.try_lock(), Err(LockError::OwnerDied));
        assert_eq!(mutex.try_lock_for(Duration::from_secs(9)), Err(LockError::OwnerDied));
    }

    /// The bit of the word that is set while a thread waits in the kernel.
    const WAITERS: u32 = 0x8000_0000;

    fn await_waiter(mutex: &RawPiMutex) {
        while mutex.word.load(Ordering::SeqCst) & WAITERS == 0 {
            thread::yield_now();
        }
    }

    /// The thread gives the data away and ends while others wait in the kernel, which hands the
    /// lock to one of them.
    #[test]
    fn data_that_a_thread_gave_away_before_it_ended_nobody_else_gets() {
        let mutex: &'static PiMutex<u64> = Box::leak(Box::new(PiMutex::new(0)));
        let (give, take) = std::sync::mpsc::channel::<&'static mut u64>();
        let holder = thread::spawn(move || {
            give.send(&mut **Box::leak(Box::new(mutex.lock()))).unwrap();
            await_waiter(&mutex.raw);
        });
        let given_away = take.recv().unwrap();
        let wait = || mutex.try_lock_for(Duration::from_secs(600)).map(|mut data| *data += 1);
        let waiters: [_; 3] = std::array::from_fn(|_| thread::spawn(wait));
        holder.join().unwrap();
        for waiter in waiters {
            assert_eq!(waiter.join().unwrap(), Err(LockError::OwnerDied));
        }
        assert!(mutex.is_poisoned());
        assert_eq!(mutex.try_lock().err(), Some(LockError::OwnerDied));
        let panic = thread::spawn(|| *mutex.lock()).join().unwrap_err();
        assert!(panic.downcast_ref::<String>().unwrap().contains("has ended"), "{panic:?}");
        *given_away += 1;
        assert_eq!(*given_away, 1);
    }

    #[test]
    fn the_owner_of_a_poisoned_mutex_still_has_its_data() {
        let mut mutex = Arc::new(PiMutex::new(7));
        let of_thread = mutex.clone();
        thread::spawn(move || std::mem::forget(of_thread.lock())).join().unwrap();
        assert_eq!(mutex.try_lock().err(), Some(LockError::OwnerDied));
        *Arc::get_mut(&mut mutex).unwrap().get_mut() += 1;
        assert_eq!(Arc::try_unwrap(mutex).unwrap().into_inner(), 8);
    }

    /// The one thread of the new process has another number than its original, and the kernel knows
    /// no other.
    #[test]
    fn a_mutex_serves_in_a_forked_process() {
        use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
        let mutex = RawPiMutex::new();
        mutex.lock().and_then(|()| mutex.unlock()).unwrap();
        // SAFETY: the new process starts a thread, for which the C library is prepared, and ends
        // without returning.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let served = hands_over(&mutex);
            // SAFETY: nothing has to be done at the end.
            unsafe { libc::_exit(i32::from(!served)) }
        }
        let (child, begun) = (Pid::from_raw(child).unwrap(), std::time::Instant::now());
        let status = loop {
            match waitpid(Some(child), WaitOptions::NOHANG).unwrap() {
                Some((_, status)) => break status,
                None if begun.elapsed() > Duration::from_secs(60) => {
                    kill_process(child, Signal::KILL).unwrap();
                }
                None => thread::yield_now(),
            }
        };
        assert_eq!(status.exit_status(), Some(0), "{status:?}");
    }

    /// Whether the kernel hands the lock from this thread to another one that waits for it.
    fn hands_over(mutex: &RawPiMutex) -> bool {
        if mutex.lock().is_err() {
            return false;
        }
        thread::scope(|scope| {
            let waiter = scope.spawn(|| mutex.lock().and_then(|()| mutex.unlock()).is_ok());
            await_waiter(mutex);
            mutex.unlock().is_ok() && waiter.join().unwrap_or(false)
        })
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
