//! A model of group commit: `src/group_commit.rs`, compiled here with the locks of loom, under every
//! interleaving of a few threads.
//!
//! ```text
//! services/armilla-store/model
//! ```
//!
//! A thread that nobody wakes waits for ever, and loom reports that. The contents are checked
//! against what was acknowledged.
#![cfg(loom)]
#![allow(dead_code, unreachable_pub)]

pub use armilla_store::StoreError;

#[path = "../src/group_commit.rs"]
mod group_commit;

/// The locks of loom, in the form of those of the standard library.
mod sync {
    use std::ops::{Deref, DerefMut};
    use std::sync::LockResult;
    use std::time::Duration;

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

use group_commit::{CommitError, GroupCommit, Persist};
use loom::sync::{Arc, Mutex};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a commit does.
#[derive(Clone, Copy, PartialEq)]
enum Commit {
    Succeeds,
    Fails,
    Panics,
}

/// A store whose commits end as it was told; later ones succeed.
struct Paper {
    commits: Vec<Commit>,
    written: Arc<Mutex<Vec<u32>>>,
}

impl Persist<u32> for Paper {
    fn commit(&mut self, changes: &[u32]) -> Result<(), CommitError> {
        match self.commits.pop().unwrap_or(Commit::Succeeds) {
            Commit::Succeeds => self.written.lock().unwrap().extend(changes),
            Commit::Fails => return Err(CommitError::Conflict),
            Commit::Panics => std::panic::resume_unwind(Box::new("the store")),
        }
        Ok(())
    }
}

/// A service: contents under a lock, and what keeps them.
#[derive(Clone)]
struct Service {
    contents: Arc<Mutex<Vec<u32>>>,
    commits: Arc<GroupCommit<u32>>,
    written: Arc<Mutex<Vec<u32>>>,
}

impl Service {
    fn new(commits: &[Commit]) -> Self {
        let written = Arc::new(Mutex::new(Vec::new()));
        let paper = Paper { commits: commits.to_vec(), written: written.clone() };
        let commits = Arc::new(GroupCommit::new(Box::new(paper)));
        Self { contents: Arc::new(Mutex::new(Vec::new())), commits, written }
    }

    /// Makes a change; whether it was acknowledged.
    fn change(&self, change: u32, made: impl Fn(&[u32])) -> bool {
        let ticket = {
            let mut contents = self.contents.lock().unwrap();
            contents.push(change);
            self.commits.queue([change], [change])
        };
        let undone = |undo: group_commit::Undo<'_, u32>| {
            let mut contents = self.contents.lock().unwrap();
            for change in undo.take() {
                assert_eq!(contents.pop(), Some(change), "changes are undone in reverse");
            }
        };
        let settled = catch_unwind(AssertUnwindSafe(|| self.commits.settle(&ticket, made, undone)));
        settled.is_ok_and(|settled| settled.is_ok())
    }

    fn check(&self, acknowledged: &[u32]) {
        let (contents, written) = (self.contents.lock().unwrap(), self.written.lock().unwrap());
        assert_eq!(*contents, *written, "what is in memory is what was written, in its order");
        let there = |change: &u32| contents.contains(change);
        assert!(acknowledged.iter().all(there), "{acknowledged:?} of {contents:?}");
    }
}

/// Runs threads that make changes of their own, so many each, and checks what is there then.
fn run(threads: u32, changes: u32, commits: &'static [Commit]) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let service = Service::new(commits);
        let work = move |service: &Service, thread: u32| -> Vec<u32> {
            let changes = (0..changes).map(|number| 10 * thread + number);
            changes.filter(|change| service.change(*change, |_| ())).collect()
        };
        let spawn = |thread| {
            let service = service.clone();
            loom::thread::spawn(move || work(&service, thread))
        };
        let others: Vec<_> = (1..threads).map(spawn).collect();
        let mut acknowledged = work(&service, 0);
        others.into_iter().for_each(|other| acknowledged.extend(other.join().unwrap()));
        service.check(&acknowledged);
        if commits.iter().all(|commit| *commit == Commit::Succeeds) {
            assert_eq!(acknowledged.len(), (threads * changes) as usize);
        }
    });
}

#[test]
fn two_threads_are_told_of_all_their_changes() {
    run(2, 2, &[]);
}

#[test]
fn three_threads_are_told() {
    run(3, 1, &[]);
}

#[test]
fn a_failure_undoes_what_was_queued_behind_it() {
    run(2, 2, &[Commit::Fails]);
    run(3, 1, &[Commit::Fails]);
    run(2, 2, &[Commit::Fails, Commit::Succeeds]);
}

#[test]
fn a_panic_of_the_store_is_a_failure() {
    run(2, 2, &[Commit::Panics]);
    run(3, 1, &[Commit::Panics]);
}

#[test]
fn an_observer_that_panics_holds_nobody_up() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let service = Service::new(&[]);
        let other = service.clone();
        let panics = |_: &[u32]| std::panic::resume_unwind(Box::new("the observer"));
        let thread = loom::thread::spawn(move || other.change(1, panics));
        service.change(2, |_| ());
        thread.join().unwrap();
        service.check(&[1, 2]);
    });
}

#[test]
fn who_gives_up_what_is_queued_leaves_nobody_waiting() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let service = Service::new(&[]);
        let other = service.clone();
        let thread = loom::thread::spawn(move || other.change(1, |_| ()));
        let given_up = loop {
            let mut contents = service.contents.lock().unwrap();
            if let Some(undo) = service.commits.give_up() {
                for change in &undo {
                    assert_eq!(contents.pop(), Some(*change));
                }
                break undo;
            }
            drop(contents);
            service.commits.wait_until_idle();
        };
        assert_eq!(thread.join().unwrap(), given_up.is_empty());
        service.check(&[]);
    });
}
