//! Lock sets over a network: clients with and without transactions.

use armilla::{Completion, Error, ExceptionKind, Minor, Orb, SystemException};
use armilla_cos::locks::corba::{
    LockCoordinator, LockMode, LockNotHeld, LockSet, LockSetFactory, LockSetFactoryRef,
    TransactionalLockSet, lock_set,
};
use armilla_cos::locks::{LockOptions, LockService};
use armilla_transactions::{CommitError, RunError, Transactions};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

/// A process with transactions.
struct Process {
    orb: Orb,
    transactions: Transactions,
}

impl Process {
    fn new() -> Self {
        let transactions = Transactions::builder().build();
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap();
        let orb = orb.initializer(transactions.clone()).build().unwrap();
        transactions.start(&orb).unwrap();
        Self { orb, transactions }
    }

    fn factory(&self, server: &Server) -> LockSetFactoryRef {
        self.orb.resolve(server.service.url()).unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.transactions.stop();
        self.orb.shutdown();
    }
}

struct Server {
    service: LockService,
    _process: Process,
}

impl Server {
    fn new(change: impl FnOnce(&mut LockOptions)) -> Self {
        let process = Process::new();
        let mut options = LockOptions::default();
        change(&mut options);
        let service = LockService::serve(&process.orb, &process.transactions, options).unwrap();
        Self { service, _process: process }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.service.close();
    }
}

fn await_that(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what} was not so within a minute");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_client_waits_until_another_one_releases_its_lock() {
    let (server, client) = (Server::new(|_| ()), Process::new());
    let set = client.factory(&server).create().unwrap();
    set.lock(LockMode::Write).unwrap();
    assert_eq!(set.try_lock(LockMode::Read), Ok(false));
    let (sender, receiver) = channel();
    let waiting = set.clone();
    let waiter = thread::spawn(move || {
        waiting.lock(LockMode::Read).unwrap();
        sender.send(()).unwrap();
        waiting.change_mode(LockMode::Read, LockMode::Write).unwrap();
        waiting.unlock(LockMode::Write).unwrap();
    });
    await_that("a wait", || server.service.totals() == (1, 1, 1));
    assert!(receiver.try_recv().is_err());
    let shown = server.service.list();
    assert_eq!(shown.iter().map(|it| it.count).collect::<Vec<_>>(), [1, 0]);
    set.unlock(LockMode::Write).unwrap();
    receiver.recv().unwrap();
    waiter.join().unwrap();
    let not_held = Err(Error::User(lock_set::UnlockRaises::LockNotHeld(LockNotHeld {})));
    assert_eq!(set.unlock(LockMode::Write), not_held);
    assert_eq!(server.service.totals(), (0, 0, 0));
}

#[test]
fn a_wait_ends_with_its_time_with_its_client_and_by_an_operator() {
    let server = Server::new(|it| it.longest_wait = Duration::from_millis(300));
    let client = Process::new();
    let set = client.factory(&server).create().unwrap();
    set.lock(LockMode::Write).unwrap();
    let error = set.lock(LockMode::Write).unwrap_err();
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::Timeout, Minor::LOCK_WAIT_ENDED));
    assert_eq!(error.completed(), Completion::No);
    let holder = server.service.list()[0].holder;
    assert!(server.service.release(holder) && !server.service.release(holder));
    assert_eq!(set.try_lock(LockMode::Write), Ok(true));

    // Longer than any time can be told: without end.
    let server = Server::new(|it| it.longest_wait = Duration::MAX);
    let set = client.factory(&server).create().unwrap();
    set.lock(LockMode::Write).unwrap();
    let other = Process::new();
    let text = client.orb.object_to_string(&set).unwrap();
    let waiting: armilla_cos::locks::corba::LockSetRef = other.orb.resolve(&text).unwrap();
    let waiter = thread::spawn(move || waiting.lock(LockMode::Write));
    await_that("a wait", || server.service.totals() == (1, 1, 1));
    drop(other);
    waiter.join().unwrap().unwrap_err();
    await_that("the end of the wait", || server.service.totals() == (1, 0, 1));
}

#[test]
fn locks_of_a_transaction_end_with_it_however_it_ends() {
    let (server, client) = (Server::new(|_| ()), Process::new());
    let set = client.factory(&server).create().unwrap();
    for fails in [false, true] {
        let done: Result<(), RunError<SystemException>> = client.transactions.run(|_| {
            set.lock(LockMode::Write)?;
            assert!(server.service.list()[0].name.starts_with("transaction"));
            // A transaction is the same holder in each of its calls.
            set.lock(LockMode::Read)?;
            assert_eq!(server.service.totals(), (2, 0, 1));
            // Another transaction is not.
            let suspended = client.transactions.suspend()?;
            assert_eq!(set.try_lock(LockMode::Read), Ok(false));
            drop(suspended);
            match fails {
                true => Err(ExceptionKind::NoResources.because("to be rolled back")),
                false => Ok(()),
            }
        });
        assert_eq!(done.is_err(), fails, "{done:?}");
        await_that("no lock", || server.service.totals() == (0, 0, 0));
    }
}

#[test]
fn a_deadlock_of_transactions_rolls_one_back_and_lets_the_other_commit() {
    let (server, client) = (Server::new(|_| ()), Process::new());
    let factory = client.factory(&server);
    let sets = [factory.create().unwrap(), factory.create().unwrap()];
    let first = client.transactions.begin().unwrap();
    let entered = first.enter().unwrap();
    sets[0].lock(LockMode::Write).unwrap();
    drop(entered);
    let second = client.transactions.begin().unwrap();
    let entered = second.enter().unwrap();
    sets[1].lock(LockMode::Write).unwrap();
    let waits = sets[0].clone();
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            let _entered = first.enter().unwrap();
            sets[1].lock(LockMode::Write)
        });
        await_that("a wait", || server.service.totals().1 == 1);
        let error = waits.lock(LockMode::Write).unwrap_err();
        let expected = (ExceptionKind::TransactionRolledback, Minor::LOCK_DEADLOCK);
        assert_eq!((error.kind(), error.minor()), expected, "{error}");
        drop(entered);
        assert!(matches!(second.commit(), Err(CommitError::RolledBack { .. })));
        assert_eq!(other.join().unwrap(), Ok(()));
    });
    first.commit().unwrap();
    await_that("no lock", || server.service.totals() == (0, 0, 0));
}

#[test]
fn explicit_transactions_are_told_apart_and_related_sets_are_dropped_together() {
    let (server, client) = (Server::new(|_| ()), Process::new());
    let factory = client.factory(&server);
    let set = factory.create_transactional().unwrap();
    let related = factory.create_transactional_related(&set).unwrap();
    let other = factory.create_transactional().unwrap();
    let [one, two] = [(); 2].map(|()| client.transactions.begin().unwrap());
    let [first, second] = [&one, &two].map(|it| it.coordinator().unwrap());
    for set in [&set, &related, &other] {
        set.lock(&first, LockMode::IntentionWrite).unwrap();
        assert_eq!(set.try_lock(&second, LockMode::Read), Ok(false));
        assert_eq!(set.try_lock(&second, LockMode::IntentionRead), Ok(true));
    }
    assert_eq!(server.service.totals(), (6, 0, 3));
    set.get_coordinator(&first).unwrap().drop_locks().unwrap();
    assert_eq!(set.try_lock(&second, LockMode::Read), Ok(true));
    assert_eq!(related.try_lock(&second, LockMode::Read), Ok(true));
    assert_eq!(other.try_lock(&second, LockMode::Read), Ok(false));
    one.commit().unwrap();
    await_that("one transaction less", || other.try_lock(&second, LockMode::Read) == Ok(true));
    two.rollback();
    await_that("no lock", || server.service.totals() == (0, 0, 0));
    let error = set.lock(&first, LockMode::Read).unwrap_err();
    let kinds = [ExceptionKind::InvalidTransaction, ExceptionKind::TransactionRolledback];
    assert!(kinds.contains(&error.kind()) || error.kind() == ExceptionKind::ObjectNotExist);
    let nobody = armilla_transactions::corba::CoordinatorRef::nil();
    let error = set.lock(&nobody, LockMode::Read).unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::InvalidTransaction);
}
