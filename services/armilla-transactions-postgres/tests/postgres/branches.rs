//! What a transaction has done in databases ends with it.

use super::server::{NAMES, Program, Server, open};
use armilla_transactions::model::{Heuristic, Vote};
use armilla_transactions::{CommitError, Resource, ResourceError, RunError, Transaction};
use armilla_transactions_postgres::postgres::{Client, NoTls};
use armilla_transactions_postgres::{Database, DatabaseError};
use std::sync::mpsc;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

#[test]
fn both_databases_commit_or_none() {
    let Some(server) = Server::start() else { return };
    let program = Program::start(&server.directory);
    let transfer = |amount| {
        program.transactions.run(|transaction| {
            program.work(transaction, amount);
            if amount == 7 { Err("seven") } else { Ok(()) }
        })
    };
    assert_eq!(transfer(30), Ok(()));
    assert_eq!(server.balances(), [70, 130]);
    assert_eq!(transfer(7), Err(RunError::Work("seven")));
    assert_eq!(server.balances(), [70, 130]);
    assert_eq!(server.prepared(), 0);
}

#[test]
fn an_error_that_nobody_minds_rolls_everything_back() {
    let Some(server) = Server::start() else { return };
    let program = Program::start(&server.directory);
    let [first, second] = &program.databases;
    // Alone, where it would commit in one phase, and beside another.
    for beside in [false, true] {
        let transaction = program.transactions.begin().unwrap();
        let more = "UPDATE account SET balance = balance + 1";
        let fails = "UPDATE account SET balance = -1";
        first.within(&transaction, |client| client.execute(more, &[])).unwrap();
        first.within(&transaction, |client| client.execute(fails, &[])).unwrap_err();
        if beside {
            second.within(&transaction, |client| client.execute(more, &[])).unwrap();
        }
        let committed = transaction.commit();
        assert!(matches!(committed, Err(CommitError::RolledBack { .. })), "{committed:?}");
    }
    assert_eq!(server.balances(), [100, 100]);
}

/// Changes a balance in a part of a transaction.
fn change(database: &Database, part: &Transaction, sql: &str) -> Result<(), DatabaseError> {
    database.within(part, |client| client.batch_execute(sql))
}

#[test]
fn a_part_of_a_transaction_is_a_savepoint() {
    let Some(server) = Server::start() else { return };
    let program = Program::start(&server.directory);
    let [first, second] = &program.databases;
    let add = |number: i64| format!("UPDATE account SET balance = balance + {number}");
    let done: Result<(), RunError<DatabaseError>> = program.transactions.run(|whole| {
        change(first, whole, &add(1))?;
        // An error of a statement undoes the part alone.
        let failed = whole.run(|part| {
            change(first, part, &add(10))?;
            change(second, part, &add(10))?;
            change(first, part, "UPDATE account SET balance = -1")
        });
        assert!(matches!(failed, Err(RunError::Work(_))), "{failed:?}");
        whole
            .run(|part| {
                change(second, part, &add(2))?;
                let inner = part.begin().unwrap();
                change(second, &inner, &add(100))?;
                change(first, &inner, &add(100))?;
                inner.rollback();
                change(first, part, &add(4))
            })
            .unwrap();
        let under_way = whole.begin().unwrap();
        change(first, &under_way, &add(1_000))?;
        for other in [whole, &whole.begin().unwrap()] {
            let refused = change(first, other, &add(2_000));
            assert!(matches!(refused, Err(DatabaseError::Transaction(_))), "{refused:?}");
        }
        under_way.rollback();
        change(first, whole, &add(8))
    });
    assert!(done.is_ok(), "{done:?}");
    assert_eq!(server.balances(), [113, 102]);
    assert_eq!(server.prepared(), 0);
}

#[test]
fn the_whole_takes_back_what_parts_have_done_in_databases() {
    let Some(server) = Server::start() else { return };
    let program = Program::start(&server.directory);
    let [first, second] = &program.databases;
    let more = "UPDATE account SET balance = balance + 1";
    let done: Result<(), RunError<DatabaseError>> = program.transactions.run(|whole| {
        whole
            .run(|part| change(first, part, more).and_then(|()| change(second, part, more)))
            .unwrap();
        change(first, whole, "UPDATE account SET balance = -1")
    });
    assert!(done.is_err());
    assert_eq!(server.balances(), [100, 100]);
}

/// Ends what it finds prepared, as an operator of the database may.
struct Meddler(std::sync::Mutex<Client>);

impl Resource for Meddler {
    fn prepare(&self) -> Result<Vote, ResourceError> {
        let mut client = self.0.lock().unwrap();
        let list = "SELECT gid FROM pg_prepared_xacts WHERE database = current_database()";
        let gid: String = loop {
            // The others are asked at the same time.
            match client.query_opt(list, &[]).unwrap() {
                Some(row) => break row.get(0),
                None => thread::sleep(Duration::from_millis(5)),
            }
        };
        client.batch_execute(&format!("ROLLBACK PREPARED '{gid}'")).unwrap();
        Ok(Vote::ReadOnly)
    }

    fn commit(&self) -> Result<(), ResourceError> {
        Ok(())
    }

    fn rollback(&self) -> Result<(), ResourceError> {
        Ok(())
    }
}

#[test]
fn what_an_operator_of_the_database_has_ended_is_a_hazard() {
    let Some(server) = Server::start() else { return };
    let program = Program::start(&server.directory);
    let transaction = program.transactions.begin().unwrap();
    program.work(&transaction, 1);
    let meddler = Meddler(server.client(NAMES[0]).into());
    transaction.enlist(Arc::new(meddler)).unwrap();
    match transaction.commit() {
        Err(CommitError::Heuristic { what, .. }) => assert_eq!(what, Heuristic::Hazard),
        other => panic!("{other:?}"),
    }
    assert_eq!(server.balances(), [100, 101]);
}

#[test]
fn readers_are_not_prepared() {
    let Some(server) = Server::start() else { return };
    let program = Program::start(&server.directory);
    let transaction = program.transactions.begin().unwrap();
    for database in &program.databases {
        let read = database.within(&transaction, |client| client.query("TABLE account", &[]));
        assert_eq!(read.unwrap().len(), 1);
    }
    // What has ended is remembered for a while; the server is not to outlive the test.
    struct Watch(Weak<Server>);
    impl Resource for Watch {
        fn prepare(&self) -> Result<Vote, ResourceError> {
            Ok(Vote::Commit)
        }
        fn commit(&self) -> Result<(), ResourceError> {
            assert_eq!(self.0.upgrade().unwrap().prepared(), 0);
            Ok(())
        }
        fn rollback(&self) -> Result<(), ResourceError> {
            Ok(())
        }
    }
    let server = Arc::new(server);
    transaction.enlist(Arc::new(Watch(Arc::downgrade(&server)))).unwrap();
    transaction.commit().unwrap();
}

#[test]
fn what_is_rolled_back_at_work_is_over_when_the_work_is() {
    let Some(server) = Server::start() else { return };
    let program = Program::start(&server.directory);
    let transaction = program.transactions.begin().unwrap();
    program.work(&transaction, 1);
    let (begun, has_begun) = mpsc::channel();
    let (end, may_end) = mpsc::channel::<()>();
    let current = transaction.enter().unwrap();
    let working = program.transactions.current().unwrap();
    drop(current);
    let first = program.databases[0].clone();
    let work = thread::spawn(move || {
        first.within(&working, |client| {
            begun.send(()).unwrap();
            may_end.recv().unwrap();
            client.execute("UPDATE account SET balance = balance + 1", &[])
        })
    });
    has_begun.recv().unwrap();
    transaction.rollback();
    end.send(()).unwrap();
    assert!(matches!(work.join().unwrap(), Err(DatabaseError::RolledBack)));
    assert_eq!(server.balances(), [100, 100]);
}

#[test]
fn a_name_belongs_to_one_process_and_has_no_quotes() {
    let Some(server) = Server::start() else { return };
    let url = format!("host={} user=postgres dbname=first", server.directory.display());
    let open_again = |name: &str| {
        let url = url.clone();
        let builder = Database::builder(name, move || Client::connect(&url, NoTls));
        builder.patience(Duration::ZERO).open()
    };
    let first = open(&server.directory, "first");
    assert!(matches!(open_again("first"), Err(DatabaseError::Held)));
    open_again("other").unwrap();
    assert!(matches!(open_again("it's"), Err(DatabaseError::Name)));
    drop(first);
    // The server may need a moment to see that its client has gone.
    drop(open(&server.directory, "first"));
}

#[test]
fn a_server_that_prepares_nothing_is_named() {
    let Some(mut server) = Server::start() else { return };
    server.crash();
    server.run("max_prepared_transactions=0");
    let url = format!("host={} user=postgres dbname=first", server.directory.display());
    let opened = Database::builder("first", move || Client::connect(&url, NoTls)).open();
    assert!(matches!(opened, Err(DatabaseError::Disabled)), "{opened:?}");
}
