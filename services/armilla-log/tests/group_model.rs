//! A model of group commit: `src/group.rs`, compiled here with the locks of loom, under every
//! interleaving of a few threads.
//!
//! ```text
//! services/armilla-log/model
//! ```
//!
//! A thread that nobody wakes waits for ever, and loom reports that.
#![cfg(loom)]
#![allow(dead_code, unreachable_pub)]

#[path = "../src/group.rs"]
mod group;

/// The locks of loom, in the form of those of the standard library.
mod sync {
    use std::ops::{Deref, DerefMut};
    use std::sync::LockResult;
    use std::time::Duration;

    #[derive(Debug)]
    pub struct Mutex<T>(loom::sync::Mutex<T>);

    /// A guard that knows its mutex, so that waiting for a time can give it up.
    pub struct MutexGuard<'m, T> {
        mutex: &'m Mutex<T>,
        held: Option<loom::sync::MutexGuard<'m, T>>,
    }

    impl<T> Mutex<T> {
        pub fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
            // A thread of the model that panics has caught that before.
            let held = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            Ok(MutexGuard { mutex: self, held: Some(held) })
        }
    }

    impl<T> Deref for MutexGuard<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            self.held.as_ref().expect("it is held between two calls")
        }
    }

    impl<T> DerefMut for MutexGuard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            self.held.as_mut().expect("it is held between two calls")
        }
    }

    #[derive(Debug)]
    pub struct Condvar(loom::sync::Condvar);

    impl Default for Condvar {
        fn default() -> Self {
            Self::new()
        }
    }

    impl Condvar {
        pub fn new() -> Self {
            Self(loom::sync::Condvar::new())
        }

        pub fn wait<'m, T>(&self, mut guard: MutexGuard<'m, T>) -> LockResult<MutexGuard<'m, T>> {
            let held = guard.held.take().expect("it is held between two calls");
            guard.held = Some(self.0.wait(held).expect("it is not poisoned"));
            Ok(guard)
        }

        /// Any time may pass: others may do nothing meanwhile, or all that they can.
        pub fn wait_timeout_while<'m, T>(
            &self,
            guard: MutexGuard<'m, T>,
            _: Duration,
            _: impl FnMut(&mut T) -> bool,
        ) -> LockResult<(MutexGuard<'m, T>, ())> {
            let mutex = guard.mutex;
            drop(guard);
            loom::thread::yield_now();
            mutex.lock().map(|guard| (guard, ())).map_err(|_| unreachable!("it is not poisoned"))
        }

        pub fn notify_one(&self) {
            self.0.notify_one();
        }

        pub fn notify_all(&self) {
            self.0.notify_all();
        }
    }
}

use group::Group;
use loom::sync::{Arc, Mutex};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What writing does.
#[derive(Clone, Copy, PartialEq)]
enum Write {
    Succeeds,
    Fails,
    Panics,
}

/// A log: how much is appended, and what is on the disk.
#[derive(Clone)]
struct Log {
    appended: Arc<Mutex<u64>>,
    disk: Arc<Mutex<(u64, Vec<Write>)>>,
    group: Arc<Group<&'static str>>,
}

impl Log {
    fn new(writes: &[Write]) -> Self {
        Self {
            appended: Arc::new(Mutex::new(0)),
            disk: Arc::new(Mutex::new((0, writes.to_vec()))),
            group: Arc::new(Group::new(0, || "panicked")),
        }
    }

    /// What a leader does. One at a time does it.
    fn write(&self) -> Result<u64, &'static str> {
        let end = *self.appended.lock().unwrap();
        let mut disk = self.disk.try_lock().expect("one thread leads");
        match disk.1.pop().unwrap_or(Write::Succeeds) {
            Write::Succeeds => disk.0 = end,
            Write::Fails => return Err("failed"),
            Write::Panics => {
                drop(disk);
                std::panic::resume_unwind(Box::new("the disk"))
            }
        }
        Ok(end)
    }

    /// Appends a record and waits for the disk; whether it is acknowledged.
    fn change(&self) -> bool {
        let end = {
            let mut appended = self.appended.lock().unwrap();
            *appended += 1;
            *appended
        };
        let commit = || self.group.commit(end, || self.write());
        let is_acknowledged = catch_unwind(AssertUnwindSafe(commit)).is_ok_and(|done| done.is_ok());
        assert!(!is_acknowledged || self.disk.lock().unwrap().0 >= end, "it is on the disk");
        is_acknowledged
    }

    /// What a thread does that begins a segment.
    fn roll(&self) -> bool {
        let work = || self.write().map(|end| (end, ()));
        let roll = || self.group.exclusively(work);
        catch_unwind(AssertUnwindSafe(roll)).is_ok_and(|done| done.is_ok())
    }
}

/// Runs threads that append, so many records each, and one that begins a segment.
fn run(threads: u32, changes: u32, rolls: bool, writes: &'static [Write]) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let log = Log::new(writes);
        let work = move |log: &Log| (0..changes).filter(|_| log.change()).count();
        let spawn = |_| {
            let log = log.clone();
            loom::thread::spawn(move || work(&log))
        };
        let others: Vec<_> = (1..threads).map(spawn).collect();
        let rolled = !rolls || log.roll();
        let acknowledged: usize =
            work(&log) + others.into_iter().map(|other| other.join().unwrap()).sum::<usize>();
        if writes.iter().all(|write| *write == Write::Succeeds) {
            assert!(rolled && acknowledged == (threads * changes) as usize);
        } else if threads == 1 {
            assert_eq!(acknowledged, 0, "after a failure nothing is acknowledged");
        }
    });
}

#[test]
fn every_thread_is_told() {
    run(2, 2, false, &[]);
    run(3, 1, false, &[]);
}

#[test]
fn a_segment_begins_between_two_groups() {
    run(2, 2, true, &[]);
    run(3, 1, true, &[]);
}

#[test]
fn a_failure_is_told_to_everybody_and_lasts() {
    run(1, 3, false, &[Write::Fails]);
    run(2, 2, false, &[Write::Fails]);
    run(2, 2, true, &[Write::Fails]);
    run(2, 2, false, &[Write::Fails, Write::Succeeds]);
}

#[test]
fn a_panic_is_a_failure() {
    run(1, 3, false, &[Write::Panics]);
    run(2, 2, true, &[Write::Panics]);
    run(3, 1, false, &[Write::Panics]);
}
