//! Group commit with stores that take few changes, fail, or belong to others, too.

use armilla_store::{CommitError, GroupCommit, Persist, StoreError};
use std::sync::{Arc, Mutex};

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
