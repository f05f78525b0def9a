//! The process, or the server of the databases, is killed between the votes and the end.

use super::server::{NAMES, Program, Server, connect, journal};
use armilla_transactions::model::{Key, Record};
use armilla_transactions::{DiskJournal, Journal};
use armilla_transactions_postgres::{Database, DatabaseError};
use std::env;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio, abort};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// A log around whose decisions something happens: all databases have voted then.
struct Watched<B, A> {
    journal: DiskJournal,
    before: B,
    after: A,
}

impl<B: Fn() + Send + Sync, A: Fn() + Send + Sync> Journal for Watched<B, A> {
    fn force(&self, record: &Record) -> io::Result<()> {
        (self.before)();
        self.journal.force(record)?;
        (self.after)();
        Ok(())
    }

    fn append(&self, record: &Record) -> io::Result<()> {
        self.journal.append(record)
    }

    fn read(&self) -> io::Result<Vec<Record>> {
        self.journal.read()
    }

    fn forget(&self, key: Key) {
        self.journal.forget(key);
    }
}

fn commit(directory: &Path, before: impl Fn() + Send + Sync + 'static, after: fn()) -> Program {
    let watched = Watched { journal: journal(directory), before, after };
    let program = Program::with_journal(directory, Arc::new(watched));
    let transaction = program.transactions.begin().unwrap();
    program.work(&transaction, 10);
    transaction.commit().unwrap();
    program
}

/// What the process does that is killed.
#[test]
fn role() {
    let Ok(role) = env::var("ARMILLA_POSTGRES_ROLE") else { return };
    match role.split_once(' ').unwrap() {
        ("before", directory) => drop(commit(Path::new(directory), || abort(), || {})),
        (_, directory) => drop(commit(Path::new(directory), || {}, || abort())),
    }
}

/// Runs a process that is killed around its decision, and then one that ends what it has left, with
/// these balances.
fn kill(when: &str, balances: [i64; 2]) {
    let Some(server) = Server::start() else { return };
    let killed = Command::new(env::current_exe().unwrap())
        .args(["--exact", "crashes::role", "--nocapture"])
        .env("ARMILLA_POSTGRES_ROLE", format!("{when} {}", server.directory.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(!killed.unwrap().success());
    assert_eq!(server.prepared(), 2, "it was killed at another time");
    let _program = Program::start(&server.directory);
    server.await_end();
    assert_eq!(server.balances(), balances);
}

#[test]
fn what_was_prepared_without_a_decision_is_rolled_back_after_a_kill() {
    kill("before", [100, 100]);
}

#[test]
fn what_was_decided_is_committed_after_a_kill() {
    kill("after", [90, 110]);
}

#[test]
fn what_was_decided_is_committed_once_the_databases_are_back() {
    let Some(server) = Server::start() else { return };
    let server = Arc::new(Mutex::new(server));
    let directory = server.lock().unwrap().directory.clone();
    let crashed = server.clone();
    let program = commit(&directory, move || crashed.lock().unwrap().crash(), || {});
    let mut server = server.lock().unwrap();
    server.run("max_prepared_transactions=20");
    server.await_end();
    assert_eq!(server.balances(), [90, 110]);
    drop(program);
}

#[test]
fn what_was_ended_by_hand_while_the_databases_were_away_is_a_hazard() {
    let Some(server) = Server::start() else { return };
    let server = Arc::new(Mutex::new(server));
    let directory = server.lock().unwrap().directory.clone();
    let crashed = server.clone();
    let program = commit(&directory, move || crashed.lock().unwrap().crash(), || {});
    let mut server = server.lock().unwrap();
    let aside = server.run_aside("max_prepared_transactions=20");
    let mut by_hand = connect(&aside, NAMES[0]).unwrap();
    let prepared = "SELECT gid FROM pg_prepared_xacts WHERE database = current_database()";
    let gid: String = by_hand.query_one(prepared, &[]).unwrap().get(0);
    by_hand.batch_execute(&format!("ROLLBACK PREPARED '{gid}'")).unwrap();
    drop(by_hand);
    server.stop();
    server.run("max_prepared_transactions=20");
    server.await_end();
    assert_eq!(server.balances(), [100, 110]);
    let begun = Instant::now();
    let heuristic = loop {
        let listed = program.transactions.list();
        match &*listed {
            [only] if !only.heuristic.is_empty() => break only.heuristic.clone(),
            _ => assert!(begun.elapsed() < Duration::from_secs(60), "{listed:?}"),
        }
        thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(heuristic, "may have ended in another way");
}

#[test]
fn connections_that_end_with_the_server_are_nobodys_error() {
    let Some(mut server) = Server::start() else { return };
    let program = Program::start(&server.directory);
    let all: Vec<_> = (0..3).map(|_| program.transactions.begin().unwrap()).collect();
    // Each transaction leaves a connection.
    for transaction in &all {
        program.databases[0].within(transaction, |it| it.batch_execute("SELECT 1")).unwrap();
    }
    all.into_iter().for_each(|transaction| transaction.commit().unwrap());
    for stop in [Server::stop, Server::crash] {
        stop(&mut server);
        server.run("max_prepared_transactions=20");
        let transaction = program.transactions.begin().unwrap();
        program.work(&transaction, 1);
        transaction.commit().unwrap();
        // Nor does anybody else get the name.
        let directory = server.directory.clone();
        let second = Database::builder(NAMES[0], move || connect(&directory, NAMES[0]));
        let second = second.patience(Duration::ZERO).open();
        assert!(matches!(second, Err(DatabaseError::Held)), "{second:?}");
    }
    assert_eq!(server.balances(), [98, 102]);
}
