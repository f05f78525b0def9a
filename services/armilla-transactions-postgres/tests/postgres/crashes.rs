//! The process, or the server of the databases, is killed between the votes and the end.

use super::server::{Program, Server, journal};
use armilla_transactions::model::{Key, Record};
use armilla_transactions::{DiskJournal, Journal};
use std::env;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio, abort};
use std::sync::{Arc, Mutex};

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
