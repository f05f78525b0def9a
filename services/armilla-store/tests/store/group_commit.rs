//! Group commit with stores that take few changes, fail, or belong to others, too.

use armilla_store::{CommitError, GroupCommit, Persist, StoreError};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Remembers its commits, and ends them as it was told.
#[derive(Clone, Default)]
struct Fake {
    commits: Arc<Mutex<Vec<Vec<u32>>>>,
    fails: Arc<Mutex<Option<CommitError>>>,
}

impl Persist<u32> for Fake {
    fn commit(&mut self, changes: &[u32]) -> Result<(), CommitError> {
        if let Some(error) = self.fails.lock().unwrap().clone() {
            return Err(error);
        }
        self.commits.lock().unwrap().push(changes.to_vec());
        Ok(())
    }

    fn most(&self) -> usize {
        3
    }
}

fn new() -> (Fake, GroupCommit<u32>) {
    let fake = Fake::default();
    (fake.clone(), GroupCommit::new(Box::new(fake)))
}

#[test]
fn an_operation_stays_in_one_commit() {
    let (fake, commits) = new();
    let sizes: [&[u32]; 4] = [&[1, 2], &[3, 4], &[5], &[6, 7, 8, 9]];
    let tickets: Vec<_> = sizes.map(|changes| commits.queue(changes.to_vec(), [])).into();
    for ticket in &tickets {
        commits.settle(ticket, |_| (), |_| panic!("nothing fails")).unwrap();
    }
    let expected = [vec![1, 2], vec![3, 4, 5], vec![6, 7, 8, 9]];
    assert_eq!(*fake.commits.lock().unwrap(), expected);
}

#[test]
fn many_threads_are_all_told() {
    let (fake, commits) = new();
    std::thread::scope(|scope| {
        for thread in 0..16 {
            let commits = &commits;
            scope.spawn(move || {
                for number in 0..100 {
                    let ticket = commits.queue([thread * 100 + number], []);
                    commits.settle(&ticket, |_| (), |_| panic!("nothing fails")).unwrap();
                }
            });
        }
    });
    let commits = fake.commits.lock().unwrap();
    assert!(commits.iter().all(|changes| changes.len() <= 3), "a commit takes three at most");
    let mut changes: Vec<u32> = commits.iter().flatten().copied().collect();
    changes.sort_unstable();
    assert_eq!(changes, (0..1600).collect::<Vec<_>>());
}

#[test]
fn what_was_queued_behind_a_failure_is_undone_with_it_in_reverse() {
    let (fake, commits) = new();
    let full = CommitError::Store(StoreError::new("/names", "is full"));
    *fake.fails.lock().unwrap() = Some(full.clone());
    let tickets = [[1, 2], [3, 4], [5, 6]].map(|changes| commits.queue(changes, changes));
    let undone = Mutex::new(Vec::new());
    let settle =
        |ticket| commits.settle(ticket, |_| (), |undo| undone.lock().unwrap().extend(undo.take()));
    assert!(tickets.iter().all(|ticket| settle(ticket) == Err(full.clone())));
    assert_eq!(*undone.lock().unwrap(), [6, 5, 4, 3, 2, 1]);
    *fake.fails.lock().unwrap() = None;
    settle(&commits.queue([7], [7])).unwrap();
    assert_eq!(*fake.commits.lock().unwrap(), [[7]]);
}

#[test]
fn what_is_queued_can_be_given_up() {
    let (fake, commits) = new();
    let ticket = commits.queue([1, 2], [10, 20]);
    assert_eq!(commits.give_up(), Some(vec![20, 10]));
    assert_eq!(commits.settle(&ticket, |_| (), |_| ()), Err(CommitError::Conflict));
    assert_eq!(commits.give_up(), Some(Vec::new()));
    assert!(fake.commits.lock().unwrap().is_empty());
}

#[test]
fn who_does_not_undo_leaves_nobody_waiting() {
    let (fake, commits) = new();
    *fake.fails.lock().unwrap() = Some(CommitError::Conflict);
    let tickets = [1, 2].map(|change| commits.queue([change], [change]));
    for ticket in &tickets {
        assert_eq!(commits.settle(ticket, |_| (), |undo| drop(undo)), Err(CommitError::Conflict));
    }
}

/// Panics once, and remembers what it has committed.
struct Panics(Arc<Mutex<Vec<u32>>>, bool);

impl Persist<u32> for Panics {
    fn commit(&mut self, changes: &[u32]) -> Result<(), CommitError> {
        assert!(!std::mem::take(&mut self.1), "once");
        self.0.lock().unwrap().extend(changes);
        Ok(())
    }
}

/// Whether a change is settled by another thread.
fn settled_by_another(commits: &Arc<GroupCommit<u32>>, change: u32) -> Result<(), CommitError> {
    let (commits, (told, tells)) = (commits.clone(), channel());
    std::thread::spawn(move || {
        told.send(commits.settle(&commits.queue([change], [change]), |_| (), |_| ())).ok();
    });
    tells.recv_timeout(Duration::from_secs(60)).expect("the thread waits for ever")
}

#[test]
fn a_store_that_panics_leaves_nobody_waiting_and_its_changes_undone() {
    let (written, undone) = (Arc::default(), Arc::new(Mutex::new(Vec::new())));
    let commits = Arc::new(GroupCommit::new(Box::new(Panics(Arc::clone(&written), true))));
    let (first, undo) = (commits.clone(), undone.clone());
    let thread = std::thread::spawn(move || {
        let tickets = [[1], [2]].map(|changes| first.queue(changes, changes));
        first.settle(&tickets[0], |_| (), |batch| undo.lock().unwrap().extend(batch.take())).ok();
    });
    assert!(thread.join().is_err(), "a panic goes on");
    assert_eq!(*undone.lock().unwrap(), [2, 1]);
    settled_by_another(&commits, 3).unwrap();
    assert_eq!(*written.lock().unwrap(), [3]);
}

#[test]
fn an_observer_that_panics_leaves_nobody_waiting() {
    let written = Arc::default();
    let commits = Arc::new(GroupCommit::new(Box::new(Panics(Arc::clone(&written), false))));
    let first = commits.clone();
    let thread = std::thread::spawn(move || {
        let ticket = first.queue([1], [1]);
        first.settle(&ticket, |_| panic!("observer"), |_| panic!("nothing fails")).ok();
    });
    assert!(thread.join().is_err(), "a panic goes on");
    settled_by_another(&commits, 2).unwrap();
    assert_eq!(*written.lock().unwrap(), [1, 2]);
}
