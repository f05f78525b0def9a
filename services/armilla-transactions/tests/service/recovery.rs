//! Processes that come back with their logs.

use crate::bank_world::{Bank, Books, Process, await_that, shared};
use armilla::Orb;
use armilla_transactions::corba::{Operator, OperatorRef};
use armilla_transactions::{DiskJournal, MemoryJournal, OtsPolicy};
use bank::bank::Account;
use std::net::TcpListener;
use std::sync::Arc;

/// A port that was free a moment ago.
pub(crate) fn port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A bank that can be started again with its books and its log.
struct Lasting {
    books: Books,
    journal: Arc<MemoryJournal>,
    endpoint: String,
}

impl Lasting {
    fn new(balance: f64) -> Self {
        let books = Books::default();
        books.lock().unwrap().balance = balance;
        let endpoint = format!("iiop://127.0.0.1:{}", port());
        Self { books, journal: Arc::default(), endpoint }
    }

    fn start(&self) -> Bank {
        let policy = Some(OtsPolicy::Requires);
        let journal = shared(&self.journal);
        Bank::over(self.books.clone(), &self.endpoint, policy, |it| it.journal(journal))
    }
}

#[test]
fn a_bank_that_is_away_at_the_decision_commits_when_it_comes_back() {
    let client = Process::client();
    let (lasting, other) = (Lasting::new(100.0), Bank::new(0.0));
    let bank = lasting.start();
    let (from, to) = (client.account(&bank.account), client.account(&other.account));
    // The bank prepares, and cannot commit: it is told again and again.
    lasting.books.lock().unwrap().stuck = true;
    client
        .transactions
        .run(|_| {
            from.deposit(5.0)?;
            to.deposit(5.0)
        })
        .unwrap();
    assert_eq!((bank.balance(), other.balance()), (100.0, 5.0));
    drop(bank);
    lasting.books.lock().unwrap().stuck = false;
    let bank = lasting.start();
    await_that("the bank has committed", || bank.balance() == 105.0);
    await_that("everything is over", || bank.process.transactions.list().is_empty());
    assert!(lasting.journal.is_empty(), "its log is empty");
    await_that("the client is done", || client.transactions.list().is_empty());
}

#[test]
fn the_log_of_transactions_that_were_stopped_is_free_for_the_next_of_the_process() {
    let directory = std::env::temp_dir().join(format!("armilla-stopped-{}", std::process::id()));
    std::fs::remove_dir_all(&directory).ok();
    let client = Process::client();
    let (lasting, other) = (Lasting::new(100.0), Bank::new(0.0));
    let start = || {
        let journal = Arc::new(DiskJournal::open(&directory).unwrap());
        let policy = Some(OtsPolicy::Requires);
        Bank::over(lasting.books.clone(), &lasting.endpoint, policy, |it| it.journal(journal))
    };
    let bank = start();
    let (from, to) = (client.account(&bank.account), client.account(&other.account));
    assert!(DiskJournal::open(&directory).is_err());
    lasting.books.lock().unwrap().stuck = true;
    let pay = || from.deposit(5.0).and_then(|()| to.deposit(5.0));
    client.transactions.run(|_| pay()).unwrap();
    // What is on its way when they stop is rolled back.
    let late = client.transactions.begin().unwrap();
    let entered = late.enter().unwrap();
    pay().unwrap();
    drop(entered);
    bank.process.transactions.stop();
    assert!(late.commit().is_err());
    assert_eq!((bank.balance(), other.balance()), (100.0, 5.0));
    drop(bank);
    lasting.books.lock().unwrap().stuck = false;
    let bank = start();
    await_that("the bank has committed", || bank.balance() == 105.0);
    await_that("everything is over", || bank.process.transactions.list().is_empty());
    drop(bank);
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn what_was_prepared_and_no_log_tells_of_is_rolled_back_at_the_start() {
    let client = Process::client();
    let lasting = Lasting::new(100.0);
    let bank = lasting.start();
    let account = client.account(&bank.account);
    lasting.books.lock().unwrap().stuck = true;
    // Its coordinator would have forgotten it in a crash before the vote was written.
    let transaction = client.transactions.begin().unwrap();
    let entered = transaction.enter().unwrap();
    account.deposit(5.0).unwrap();
    drop(entered);
    let other = Bank::new(0.0);
    let entered = transaction.enter().unwrap();
    client.account(&other.account).deposit(5.0).unwrap();
    drop(entered);
    transaction.commit().unwrap();
    assert!(!lasting.journal.is_empty());
    drop(bank);
    let forgetful = Lasting {
        books: lasting.books.clone(),
        journal: Arc::default(),
        endpoint: format!("iiop://127.0.0.1:{}", port()),
    };
    let bank = forgetful.start();
    assert_eq!(bank.balance(), 100.0);
    assert_eq!(lasting.books.lock().unwrap().rollbacks, 1);
}

#[test]
fn an_operator_sees_transactions_and_decides() {
    let client = Process::client();
    let lasting = Lasting::new(100.0);
    let bank = lasting.start();
    let account = client.account(&bank.account);
    let transaction = client.transactions.begin().unwrap();
    let entered = transaction.enter().unwrap();
    account.deposit(5.0).unwrap();
    drop(entered);

    let tool = Orb::new().unwrap();
    let address = lasting.endpoint.strip_prefix("iiop://").unwrap();
    let operator: OperatorRef =
        tool.resolve(&format!("corbaloc::{address}/TransactionOperator")).unwrap();
    let listed = operator.list().unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!((&*listed[0].status, listed[0].participants.len()), ("active", 1));
    let id = &listed[0].id;
    assert_eq!(operator.show(&id[..8]).unwrap().id, *id);
    assert!(operator.commit(id).is_err(), "only what is in doubt can be committed");
    operator.rollback(id).unwrap();
    assert!(operator.show(id).is_err());
    assert!(transaction.commit().is_err());
    tool.shutdown();
}
