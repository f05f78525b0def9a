//! All or nothing between two banks.

use crate::bank_world::{Bank, Books, Process, await_that};
use armilla::{Error, ExceptionKind, Orb};
use armilla_transactions::model::{Key, Record, Status, Vote};
use armilla_transactions::{
    CommitError, Journal, MemoryJournal, OtsPolicy, Resource, ResourceError, RunError,
    Synchronization,
};
use bank::bank::account::WithdrawRaises;
use bank::bank::{Account, AccountRef};
use std::io;
use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::thread;
use std::time::{Duration, Instant};

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
fn a_thread_that_is_still_in_a_transaction_that_has_ended_calls_nobody() {
    let (client, bank) = (Process::client(), Bank::new(100.0));
    let account = client.account(&bank.account);
    let transaction = client.transactions.begin().unwrap();
    let entered = transaction.enter().unwrap();
    account.deposit(1.0).unwrap();
    transaction.rollback();
    nothing_is_left(&[&client]);
    let late = account.deposit(1.0).unwrap_err();
    assert_eq!(late.kind(), ExceptionKind::TransactionRolledback, "{late}");
    drop(entered);
    let without = account.deposit(1.0).unwrap_err();
    assert_eq!(without.kind(), ExceptionKind::TransactionRequired, "{without}");
    assert_eq!(bank.balance(), 100.0);
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

/// Votes to commit once the time of its transaction is over.
struct Slow {
    begun: Instant,
    rolled_back: AtomicUsize,
}

impl Resource for Slow {
    fn prepare(&self) -> Result<Vote, ResourceError> {
        while self.begun.elapsed() <= SHORT {
            thread::sleep(Duration::from_millis(10));
        }
        Ok(Vote::Commit)
    }

    fn commit(&self) -> Result<(), ResourceError> {
        panic!("its time is up");
    }

    fn rollback(&self) -> Result<(), ResourceError> {
        self.rolled_back.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

const SHORT: Duration = Duration::from_millis(300);

#[test]
fn a_time_that_is_up_while_participants_vote_rolls_back() {
    let (client, bank) = (Process::client(), Bank::new(100.0));
    let account = client.account(&bank.account);
    let transaction = client.transactions.begin_within(Some(SHORT)).unwrap();
    let slow = Arc::new(Slow { begun: Instant::now(), rolled_back: AtomicUsize::new(0) });
    // On a busy machine the time may be up before.
    let is_told = usize::from(transaction.enlist(slow.clone()).is_ok());
    let entered = transaction.enter().unwrap();
    let done = account.withdraw(1.0);
    drop(entered);
    assert_eq!(transaction.commit(), Err(CommitError::RolledBack { timed_out: true }), "{done:?}");
    await_that("it is rolled back", || slow.rolled_back.load(Ordering::Relaxed) == is_told);
    assert_eq!(bank.balance(), 100.0);
    nothing_is_left(&[&client, &bank.process]);
}

/// A call that is under way.
fn sent<F: Future>(call: F) -> Pin<Box<F>> {
    let mut call = Box::pin(call);
    assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    call
}

#[test]
fn a_commit_while_a_reply_is_still_to_come_rolls_back_whichever_thread_commits() {
    // A server that never answers.
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let listening = Orb::builder().listen("iiop://127.0.0.1:0").unwrap();
    let (client, bank) =
        (Process::new(listening, |it| it.propagate_always(true)), Bank::new(100.0));
    let account = client.account(&bank.account);
    let url = format!("corbaloc::{}/mute", mute.local_addr().unwrap());
    let silent = client.orb.string_to_object(&url).unwrap();
    let transaction = client.transactions.begin().unwrap();
    let entered = transaction.enter().unwrap();
    account.withdraw(1.0).unwrap();
    let pending = sent(silent.non_existent_async());
    drop(entered);
    let commit = thread::spawn(move || transaction.commit()).join().unwrap();
    assert_eq!(commit, Err(CommitError::RolledBack { timed_out: false }));
    assert_eq!(bank.balance(), 100.0);
    drop(pending);
    nothing_is_left(&[&client, &bank.process]);
    // Whether a call that is given up was executed nobody knows, either.
    let transaction = client.transactions.begin().unwrap();
    let entered = transaction.enter().unwrap();
    account.withdraw(1.0).unwrap();
    drop(sent(silent.non_existent_async()));
    drop(entered);
    assert_eq!(transaction.commit(), Err(CommitError::RolledBack { timed_out: false }));
    nothing_is_left(&[&client, &bank.process]);
}

#[test]
fn a_time_longer_than_can_be_told_has_no_end_also_elsewhere() {
    let (client, from) = (Process::client(), Bank::new(100.0));
    let account = client.account(&from.account);
    for longest in [Duration::MAX, Duration::from_secs(u64::from(u32::MAX) + 1)] {
        let transaction = client.transactions.begin_within(Some(longest)).unwrap();
        let entered = transaction.enter().unwrap();
        account.withdraw(1.0).unwrap();
        drop(entered);
        assert_eq!(transaction.commit(), Ok(()));
    }
    assert_eq!(from.balance(), 98.0);
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

/// Counts what is forced to the disk.
#[derive(Default)]
struct Counting {
    records: MemoryJournal,
    forced: AtomicUsize,
}

impl Journal for Counting {
    fn force(&self, record: &Record) -> io::Result<()> {
        self.forced.fetch_add(1, Ordering::Relaxed);
        self.records.force(record)
    }

    fn append(&self, record: &Record) -> io::Result<()> {
        self.records.append(record)
    }

    fn read(&self) -> io::Result<Vec<Record>> {
        self.records.read()
    }

    fn forget(&self, key: Key) {
        self.records.forget(key);
    }
}

#[test]
fn only_what_must_survive_is_forced_to_the_disk() {
    let [at_root, at_bank] = [(); 2].map(|()| Arc::new(Counting::default()));
    let listening = Orb::builder().listen("iiop://127.0.0.1:0").unwrap();
    let client = Process::new(listening, |it| it.journal(at_root.clone()));
    let policy = Some(OtsPolicy::Requires);
    let address = "iiop://127.0.0.1:0";
    let bank = Bank::over(Books::default(), address, policy, |it| it.journal(at_bank.clone()));
    let (other, reader) = (Bank::new(0.0), Bank::new(0.0));
    reader.books.lock().unwrap().vote = Some(Vote::ReadOnly);
    let [first, second, reads] = [&bank, &other, &reader].map(|bank| client.account(&bank.account));
    let mut seen = [0, 0];
    let mut forced_by = |accounts: &[&AccountRef]| {
        let deposits = |_: &_| accounts.iter().try_for_each(|account| account.deposit(1.0));
        client.transactions.run(deposits).unwrap();
        let before = seen;
        seen = [&at_root, &at_bank].map(|it| it.forced.load(Ordering::Relaxed));
        [seen[0] - before[0], seen[1] - before[1]]
    };
    // One participant decides, and needs no record; readers need none either.
    assert_eq!(forced_by(&[&first]), [0, 0], "one phase");
    assert_eq!(forced_by(&[&reads]), [0, 0], "one reader");
    assert_eq!(forced_by(&[&reads, &reads]), [0, 0], "readers alone");
    // The decision; at the bank the vote and the decision.
    assert_eq!(forced_by(&[&first, &second]), [1, 2], "two phases");
    assert_eq!(forced_by(&[&first, &reads]), [1, 2], "two phases and a reader");
}
