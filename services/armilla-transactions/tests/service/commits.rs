//! All or nothing between two banks.

use crate::bank_world::{Bank, Process, await_that};
use armilla::{Error, ExceptionKind};
use armilla_transactions::model::{Status, Vote};
use armilla_transactions::{CommitError, ResourceError, RunError, Synchronization};
use bank::bank::Account;
use bank::bank::account::WithdrawRaises;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

type Transferred = Result<(), RunError<Error<WithdrawRaises>>>;

fn transfer(client: &Process, from: &Bank, to: &Bank, amount: f64) -> Transferred {
    let (from, to) = (client.account(&from.account), client.account(&to.account));
    client.transactions.run(|_| {
        from.withdraw(amount)?;
        to.deposit(amount)?;
        Ok(())
    })
}

/// Nothing is left in progress anywhere.
fn nothing_is_left(processes: &[&Process]) {
    await_that("everything is over", || {
        processes.iter().all(|it| it.transactions.list().is_empty())
    });
}

#[test]
fn a_transfer_changes_both_accounts() {
    let (client, from, to) = (Process::client(), Bank::new(100.0), Bank::new(0.0));
    transfer(&client, &from, &to, 30.0).unwrap();
    assert_eq!((from.balance(), to.balance()), (70.0, 30.0));
    assert_eq!(to.books.lock().unwrap().ended, [Status::Committed]);
    nothing_is_left(&[&client, &from.process, &to.process]);
}

#[test]
fn an_error_of_the_work_rolls_both_back() {
    let (client, from, to) = (Process::client(), Bank::new(100.0), Bank::new(0.0));
    let (poor, rich) = (client.account(&to.account), client.account(&from.account));
    let failed = client.transactions.run(|_| {
        rich.withdraw(50.0)?;
        poor.withdraw(1.0)
    });
    assert!(matches!(failed, Err(RunError::Work(Error::User(_)))), "{failed:?}");
    assert_eq!((from.balance(), to.balance()), (100.0, 0.0));
    assert_eq!(from.books.lock().unwrap().rollbacks, 1);
    nothing_is_left(&[&client, &from.process, &to.process]);
}

#[test]
fn a_panic_of_the_work_rolls_back() {
    let (client, from) = (Process::client(), Bank::new(100.0));
    let account = client.account(&from.account);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        client.transactions.run(|_| -> Result<(), Error<WithdrawRaises>> {
            account.withdraw(50.0)?;
            panic!("on purpose");
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(from.balance(), 100.0);
    nothing_is_left(&[&client, &from.process]);
}

#[test]
fn a_vote_to_roll_back_rolls_all_back() {
    let (client, from, to) = (Process::client(), Bank::new(100.0), Bank::new(0.0));
    to.books.lock().unwrap().vote = Some(Vote::Rollback);
    let failed = transfer(&client, &from, &to, 30.0);
    let rolled_back = CommitError::RolledBack { timed_out: false };
    assert_eq!(failed, Err(RunError::Commit(rolled_back)));
    assert_eq!((from.balance(), to.balance()), (100.0, 0.0));
    nothing_is_left(&[&client, &from.process, &to.process]);
}

#[test]
fn a_mark_of_a_server_reaches_the_root() {
    let (client, from) = (Process::client(), Bank::new(100.0));
    let account = client.account(&from.account);
    let transaction = client.transactions.begin().unwrap();
    let entered = transaction.enter().unwrap();
    account.withdraw(1.0).unwrap();
    drop(entered);
    // What a servant does: its process has one subordinate now.
    let inner = &from.process.transactions;
    let listed = inner.list();
    assert_eq!(listed.len(), 1);
    assert!(listed[0].is_subordinate);
    assert!(transaction.rollback_only());
    let entered = transaction.enter().unwrap();
    let refused = account.withdraw(1.0).unwrap_err();
    drop(entered);
    match refused {
        Error::System(exception) => {
            assert_eq!(exception.kind(), ExceptionKind::TransactionRolledback);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(transaction.commit(), Err(CommitError::RolledBack { timed_out: false }));
    nothing_is_left(&[&client, &from.process]);
}

#[test]
fn the_time_that_is_left_travels_and_ends_the_work_everywhere() {
    let (client, from) = (Process::client(), Bank::new(100.0));
    let account = client.account(&from.account);
    let transaction = client.transactions.begin_within(Some(Duration::from_millis(300))).unwrap();
    let entered = transaction.enter().unwrap();
    account.withdraw(1.0).unwrap();
    drop(entered);
    await_that("the time is up", || transaction.status() == Status::RolledBack);
    assert_eq!(transaction.commit(), Err(CommitError::RolledBack { timed_out: true }));
    assert_eq!(from.balance(), 100.0);
    nothing_is_left(&[&client, &from.process]);
}

#[test]
fn work_within_work_is_one_transaction() {
    let (client, from, to) = (Process::client(), Bank::new(100.0), Bank::new(0.0));
    let done: Result<(), RunError<String>> = client.transactions.run(|_| {
        transfer(&client, &from, &to, 10.0).map_err(|error| error.to_string())?;
        Err("the outer work fails".to_owned())
    });
    assert_eq!(done, Err(RunError::Work("the outer work fails".to_owned())));
    assert_eq!((from.balance(), to.balance()), (100.0, 0.0));
}

#[test]
fn a_server_within_the_transaction_of_its_client_calls_another_one() {
    // The coordinator of the first server is the superior of the second's.
    let (client, from, to) = (Process::client(), Bank::new(100.0), Bank::new(0.0));
    let middle = client.account(&from.account);
    let done = client.transactions.run(|transaction| {
        middle.withdraw(5.0)?;
        // As a servant would: in the same transaction, from another process.
        let control = transaction.control()?;
        let there = from.process.orb.resolve(&client.orb.object_to_string(&control)?)?;
        let joined = from.process.transactions.join(&there)?;
        let _entered = joined.enter()?;
        from.process.account(&to.account).deposit(5.0)?;
        Ok::<(), Error<WithdrawRaises>>(())
    });
    done.unwrap();
    assert_eq!((from.balance(), to.balance()), (95.0, 5.0));
    nothing_is_left(&[&client, &from.process, &to.process]);
}

/// Hears of the end of a transaction.
#[derive(Default)]
struct Hears(Mutex<Vec<String>>);

impl Synchronization for Hears {
    fn before_completion(&self) -> Result<(), ResourceError> {
        self.0.lock().unwrap().push("before".to_owned());
        Ok(())
    }

    fn after_completion(&self, status: Status) {
        self.0.lock().unwrap().push(status.to_string());
    }
}

#[test]
fn who_only_listens_in_another_process_hears_of_the_end() {
    let (client, bank) = (Process::client(), Bank::new(1.0));
    for commits in [true, false] {
        let transaction = client.transactions.begin().unwrap();
        let control = client.orb.object_to_string(transaction.control().unwrap()).unwrap();
        let joined = bank.process.transactions.join(&bank.process.orb.resolve(&control).unwrap());
        let hears = Arc::new(Hears::default());
        joined.unwrap().synchronize(hears.clone()).unwrap();
        match commits {
            true => transaction.commit().unwrap(),
            false => transaction.rollback(),
        }
        let heard = hears.0.lock().unwrap().join(", ");
        assert_eq!(heard, if commits { "before, committed" } else { "rolled back" });
        nothing_is_left(&[&client, &bank.process]);
    }
}
