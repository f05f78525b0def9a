//! Several bindings in one transaction.

#[path = "../../../armilla-transactions/tests/crashes/mod.rs"]
mod crashes;

use armilla::{Error, ExceptionKind, Orb, SystemException};
use armilla_cos_naming::{NamingContext, NamingContextExt, NamingContextExtRef, NamingContextRef};
use armilla_naming::{NamingService, Store};
use armilla_transactions::{CommitError, DiskJournal, Journal, RunError, Transactions};
use crashes::{Beside, Failing, copy};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A process with names that change with transactions.
struct Process {
    orb: Orb,
    transactions: Transactions,
    service: NamingService,
}

impl Process {
    fn start(store: Store, journal: Arc<dyn Journal>) -> Self {
        let (name, manager) = store.resource_manager();
        let transactions = Transactions::builder().journal(journal);
        let transactions = transactions.resource_manager(name, manager).build();
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap();
        let orb = orb.initializer(transactions.clone()).build().unwrap();
        transactions.start(&orb).unwrap();
        let service = NamingService::builder().store(store).transactions(transactions.clone());
        let service = service.serve(&orb).unwrap();
        orb.perform_work().unwrap();
        Self { orb, transactions, service }
    }

    fn has(&self, name: &str) -> bool {
        self.service.root().resolve_str(name).is_ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.transactions.stop();
        self.orb.shutdown();
    }
}

fn bind(root: &NamingContextExtRef, name: &str) -> Result<(), SystemException> {
    let bound = root.bind(&root.to_name(name).unwrap(), root.object());
    bound.map_err(|error| match error {
        Error::System(exception) => exception,
        Error::User(raised) => panic!("{name}: {raised:?}"),
    })
}

#[test]
fn bindings_of_a_transaction_are_seen_once_it_commits() {
    let memory = || Arc::new(armilla_transactions::MemoryJournal::new());
    let process = Process::start(Store::in_memory(), memory());
    let transactions = Transactions::builder().build();
    let client = Orb::builder().listen("iiop://127.0.0.1:0").unwrap();
    let client = client.initializer(transactions.clone()).build().unwrap();
    transactions.start(&client).unwrap();
    let root: NamingContextExtRef = client.resolve(process.service.url()).unwrap();
    let done = transactions.run(|_| {
        bind(&root, "first")?;
        root.bind_new_context(&root.to_name("below").unwrap()).unwrap();
        bind(&root, "below/second")?;
        assert!(root.resolve_str("first").is_ok() && root.resolve_str("below/second").is_ok());
        let nobody = transactions.suspend()?;
        assert!(!process.has("first") && !process.has("below"));
        let refused = bind(&root, "first").unwrap_err();
        assert_eq!(refused.kind(), ExceptionKind::Transient, "{refused}");
        bind(&root, "beside")?;
        drop(nobody);
        Ok::<_, SystemException>(())
    });
    assert_eq!(done, Ok(()));
    assert!(process.has("first") && process.has("below/second") && process.has("beside"));
    let undone: Result<(), _> = transactions.run(|_| {
        root.unbind(&root.to_name("first").unwrap()).unwrap();
        bind(&root, "third")?;
        assert!(root.resolve_str("first").is_err() && root.resolve_str("third").is_ok());
        Err(ExceptionKind::Unknown.because("the program has changed its mind"))
    });
    assert!(matches!(undone, Err(RunError::Work(_))), "{undone:?}");
    assert!(process.has("first") && !process.has("third"));
    bind(&root, "third").unwrap();
    transactions.stop();
    client.shutdown();
}

#[test]
fn what_a_part_of_a_transaction_has_bound_goes_with_the_part() {
    let memory = Arc::new(armilla_transactions::MemoryJournal::new());
    let process = Process::start(Store::in_memory(), memory);
    let transactions = Transactions::builder().build();
    let client = Orb::builder().listen("iiop://127.0.0.1:0").unwrap();
    let client = client.initializer(transactions.clone()).build().unwrap();
    transactions.start(&client).unwrap();
    let root: NamingContextExtRef = client.resolve(process.service.url()).unwrap();
    let fails = || Err::<(), _>(SystemException::from(ExceptionKind::BadParam));
    let done: Result<(), RunError<SystemException>> = transactions.run(|whole| {
        bind(&root, "first")?;
        let part = whole.run(|part| {
            root.unbind(&root.to_name("first").unwrap()).unwrap();
            bind(&root, "second")?;
            let inner = part.run(|_| bind(&root, "first"));
            assert_eq!(inner, Ok(()), "a part sees what those around it have done");
            fails()
        });
        assert!(matches!(part, Err(RunError::Work(_))), "{part:?}");
        assert!(root.resolve_str("first").is_ok() && root.resolve_str("second").is_err());
        whole
            .run(|part| {
                assert!(part.run(|_| bind(&root, "third").and_then(|()| fails())).is_err());
                bind(&root, "fourth")
            })
            .unwrap();
        let under_way = whole.begin().unwrap();
        let entered = under_way.enter()?;
        bind(&root, "fifth")?;
        drop(entered);
        let beside = whole.run(|_| bind(&root, "sixth"));
        assert!(matches!(beside, Err(RunError::Work(_))), "{beside:?}");
        under_way.rollback();
        Ok(())
    });
    assert_eq!(done, Ok(()));
    let left = ["first", "second", "third", "fourth", "fifth", "sixth"].map(|it| process.has(it));
    assert_eq!(left, [true, false, false, true, false, false]);
    transactions.stop();
    client.shutdown();
}

#[test]
fn contexts_of_what_was_rolled_back_are_nobody_elses_later() {
    let name = format!("armilla-naming-numbers-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    fs::remove_dir_all(&directory).ok();
    let mut made = Vec::new();
    for round in 0..3 {
        let here = directory.join(round.to_string());
        let journal = Arc::new(armilla_transactions::MemoryJournal::new());
        let process = Process::start(Store::open(&here).unwrap(), journal);
        let root = process.service.root();
        let key = |context: &NamingContextRef| {
            let ior = context.object().ior();
            ior.iiop_profiles().next().unwrap().unwrap().object_key.to_vec()
        };
        for _ in 0..3 {
            let undone: Result<(), _> = process.transactions.run(|_| {
                made.push(key(&root.new_context().unwrap()));
                made.push(key(&root.new_context().unwrap()));
                Err(ExceptionKind::Unknown.because("the program has changed its mind"))
            });
            assert!(matches!(undone, Err(RunError::Work(_))), "{undone:?}");
            // Another transaction, and a client in none, make contexts beside one that has not ended.
            let transaction = process.transactions.begin().unwrap();
            let entered = transaction.enter().unwrap();
            made.push(key(&root.new_context().unwrap()));
            drop(entered);
            let beside = process.transactions.run(|_| root.new_context());
            made.push(key(&beside.unwrap()));
            made.push(key(&root.new_context().unwrap()));
            transaction.rollback();
        }
        copy(&here, &directory.join((round + 1).to_string()));
    }
    let all = made.len();
    made.sort();
    made.dedup();
    assert_eq!((all, made.len()), (45, 45));
    fs::remove_dir_all(directory).unwrap();
}

#[test]
fn a_context_that_a_transaction_binds_is_not_destroyed_meanwhile() {
    let memory = Arc::new(armilla_transactions::MemoryJournal::new());
    let process = Process::start(Store::in_memory(), memory);
    let root = process.service.root();
    let context = root.new_context().unwrap();
    let transaction = process.transactions.begin().unwrap();
    let entered = transaction.enter().unwrap();
    root.bind_context(&root.to_name("bound").unwrap(), &context).unwrap();
    drop(entered);
    let refused = context.destroy().unwrap_err();
    let Error::System(refused) = refused else { panic!("{refused:?}") };
    assert_eq!(refused.kind(), ExceptionKind::Transient, "{refused}");
    transaction.commit().unwrap();
    assert!(process.has("bound"));
}

#[test]
fn two_transactions_do_not_change_the_same() {
    let journal = Arc::new(armilla_transactions::MemoryJournal::new());
    let process = Process::start(Store::in_memory(), journal);
    let root = process.service.root();
    let [first, second] = [(); 2].map(|()| process.transactions.begin().unwrap());
    let entered = first.enter().unwrap();
    bind(root, "name").unwrap();
    drop(entered);
    let entered = second.enter().unwrap();
    assert_eq!(bind(root, "name").unwrap_err().kind(), ExceptionKind::Transient);
    bind(root, "other").unwrap();
    drop(entered);
    first.rollback();
    second.commit().unwrap();
    assert!(process.has("other") && !process.has("name"));
    bind(root, "name").unwrap();
}

fn binds_after_a_crash(directory: &Path, writes: bool) -> bool {
    fs::remove_dir_all(directory).ok();
    let (before, after) = (directory.join("before"), directory.join("after"));
    let open = |at: &Path| Store::open(at.join("names")).unwrap();
    let journal = |at: &Path| DiskJournal::open(at.join("log")).unwrap();
    let failing = Failing { journal: journal(&before), writes };
    let process = Process::start(open(&before), Arc::new(failing));
    let transaction = process.transactions.begin().unwrap();
    transaction.enlist(Arc::new(Beside)).unwrap();
    let entered = transaction.enter().unwrap();
    bind(process.service.root(), "first").unwrap();
    bind(process.service.root(), "second").unwrap();
    drop(entered);
    let unknown = transaction.commit();
    assert!(matches!(unknown, Err(CommitError::Unknown)), "{unknown:?}");
    assert!(!process.has("first"));
    copy(&before, &after);
    let store = open(&after);
    assert_eq!(store.read().prepared().count(), 1);
    let process = Process::start(store, Arc::new(journal(&after)));
    let begun = std::time::Instant::now();
    while process.service.store().read().prepared().count() > 0 {
        assert!(begun.elapsed().as_secs() < 60, "it is in doubt for ever");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(process.has("first"), process.has("second"));
    process.has("first")
}

#[test]
fn what_was_prepared_ends_after_a_restart_as_it_was_decided() {
    let name = format!("armilla-naming-transactions-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    assert!(!binds_after_a_crash(&directory, false));
    assert!(binds_after_a_crash(&directory, true));
    fs::remove_dir_all(directory).unwrap();
}
