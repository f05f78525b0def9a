//! Several offers, and names with them, in one transaction.

#[path = "../../../armilla-transactions/tests/crashes/mod.rs"]
mod crashes;

use crate::served::{Served, names, property, text};
use armilla::{Error, ExceptionKind, Object, Orb, SystemException};
use armilla_cos_naming::{NamingContext, NamingContextExt, NamingContextExtRef};
use armilla_cos_trading::repos::ServiceTypeRepository;
use armilla_cos_trading::{LookupRef, Register, RegisterRef, TraderComponents};
use armilla_naming::NamingService;
use armilla_tests::orbs::travel;
use armilla_trader::{Limits, Store, serve_with_transactions};
use armilla_transactions::{
    CommitError, DiskJournal, Journal, MemoryJournal, RunError, Transactions,
};
use crashes::{Beside, Failing, copy};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A process with a trader and names, which change with transactions.
struct Process {
    transactions: Transactions,
    served: Served,
    naming: NamingService,
}

impl Process {
    fn start(
        names: armilla_naming::Store,
        open: impl FnOnce(&Orb) -> Store,
        journal: Arc<dyn Journal>,
    ) -> Self {
        let (name, manager) = names.resource_manager();
        let transactions = Transactions::builder().journal(journal);
        let transactions = transactions.resource_manager(name, manager).build();
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap();
        let orb = orb.initializer(transactions.clone()).build().unwrap();
        // The trader reads references, and so needs the ORB.
        let store = open(&orb);
        let (name, manager) = store.resource_manager();
        transactions.add_resource_manager(name, manager).unwrap();
        transactions.start(&orb).unwrap();
        let naming = NamingService::builder().store(names).transactions(transactions.clone());
        let naming = naming.serve(&orb).unwrap();
        let trader = serve_with_transactions(&orb, store, Limits::default(), &transactions);
        let served = Served::of(orb, trader.unwrap());
        Self { transactions, served, naming }
    }

    fn in_memory() -> Self {
        let store = |orb: &Orb| Store::memory(orb).unwrap();
        let names = armilla_naming::Store::in_memory();
        let process = Self::start(names, store, Arc::new(MemoryJournal::new()));
        process.served.add_printers();
        process
    }

    /// What everybody sees: the printers and whether there is a name.
    fn has(&self, name: &str) -> (String, bool) {
        let printers = self.served.find("", "min price", &[]);
        (printers, self.naming.root().resolve_str(name).is_ok())
    }

    /// How many transactions have prepared here: of offers, and of names.
    fn prepared(&self) -> (usize, usize) {
        let offers = self.served.trader.read(|model| model.prepared().count());
        (offers, self.naming.store().read().prepared().count())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.transactions.stop();
        self.served.orb.shutdown();
    }
}

/// A client with transactions of its own.
struct Client {
    orb: Orb,
    transactions: Transactions,
    lookup: LookupRef,
    register: RegisterRef,
    root: NamingContextExtRef,
}

impl Client {
    fn of(process: &Process) -> Self {
        let transactions = Transactions::builder().build();
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap();
        let orb = orb.initializer(transactions.clone()).build().unwrap();
        transactions.start(&orb).unwrap();
        let lookup = travel(&process.served.trader.lookup(), &orb);
        let register = lookup.register_if().unwrap();
        let root = orb.resolve(process.naming.url()).unwrap();
        Self { orb, transactions, lookup, register, root }
    }

    fn printer(&self, name: &str, price: f64) -> Result<String, SystemException> {
        let properties = [text("name", name), property("price", &price)];
        let object = self.object(name);
        self.register.export(&object, "Printer", &properties).map_err(system)
    }

    fn object(&self, name: &str) -> Object {
        self.orb.string_to_object(&format!("corbaloc::printers.invalid/{name}")).unwrap()
    }

    fn bind(&self, name: &str) -> Result<(), SystemException> {
        self.root.bind(&self.root.to_name(name).unwrap(), &self.object(name)).map_err(system)
    }

    fn find(&self) -> String {
        names(&self.lookup, "", "min price", &[])
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.transactions.stop();
        self.orb.shutdown();
    }
}

fn system<E: std::fmt::Debug>(error: Error<E>) -> SystemException {
    match error {
        Error::System(exception) => exception,
        Error::User(raised) => panic!("{raised:?}"),
    }
}

#[test]
fn offers_and_names_of_a_transaction_are_seen_once_it_commits() {
    let process = Process::in_memory();
    let client = Client::of(&process);
    let kept = client.printer("kept", 5.0).unwrap();
    let before = process.has("fast");
    let done = client.transactions.run(|_| {
        client.printer("fast", 9.0)?;
        let cheap = client.printer("cheap", 1.0)?;
        client.bind("fast")?;
        client.register.modify(&cheap, &[], &[property("price", &7.0)]).map_err(system)?;
        client.register.withdraw(&kept).map_err(system)?;
        assert_eq!(client.find(), "cheap fast");
        assert_eq!(process.has("fast"), before);
        let nobody = client.transactions.suspend()?;
        assert_eq!(client.find(), "kept");
        let refused = client.register.withdraw(&kept).map_err(system).unwrap_err();
        assert_eq!(refused.kind(), ExceptionKind::Transient, "{refused}");
        client.printer("beside", 8.0)?;
        drop(nobody);
        Ok::<_, SystemException>(())
    });
    assert_eq!(done, Ok(()));
    assert_eq!(process.has("fast"), ("cheap beside fast".to_owned(), true));
}

#[test]
fn a_transaction_that_rolls_back_leaves_everything_as_it_was() {
    let process = Process::in_memory();
    let client = Client::of(&process);
    let kept = client.printer("kept", 5.0).unwrap();
    client.printer("other", 6.0).unwrap();
    let undone: Result<(), _> = client.transactions.run(|_| {
        client.printer("third", 7.0)?;
        client.bind("third")?;
        client.register.modify(&kept, &[], &[property("price", &9.0)]).map_err(system)?;
        let expensive = client.register.withdraw_using_constraint("Printer", "price == 6");
        expensive.map_err(system)?;
        assert_eq!(client.find(), "third kept");
        Err(ExceptionKind::Unknown.because("the program has changed its mind"))
    });
    assert!(matches!(undone, Err(RunError::Work(_))), "{undone:?}");
    assert_eq!(process.has("third"), ("kept other".to_owned(), false));
    client.register.withdraw(&kept).unwrap();
}

#[test]
fn what_a_part_of_a_transaction_has_exported_goes_with_the_part() {
    let process = Process::in_memory();
    let client = Client::of(&process);
    let done: Result<(), RunError<SystemException>> = client.transactions.run(|whole| {
        client.printer("whole", 5.0)?;
        let part = whole.run(|_| {
            client.printer("part", 6.0)?;
            client.bind("part")?;
            assert_eq!(client.find(), "whole part");
            Err::<(), _>(ExceptionKind::Unknown.because("the part has changed its mind"))
        });
        assert!(matches!(part, Err(RunError::Work(_))), "{part:?}");
        assert_eq!(client.find(), "whole");
        whole.run(|_| client.printer("second part", 7.0)).unwrap();
        Ok(())
    });
    assert_eq!(done, Ok(()));
    assert_eq!(process.has("part"), ("whole second part".to_owned(), false));
}

#[test]
fn a_type_stays_as_long_as_a_transaction_exports_offers_of_it() {
    let process = Process::in_memory();
    let client = Client::of(&process);
    let transaction = client.transactions.begin().unwrap();
    let entered = transaction.enter().unwrap();
    client.printer("first", 5.0).unwrap();
    drop(entered);
    let refused = process.served.types.remove_type("Printer").map_err(system).unwrap_err();
    assert_eq!(refused.kind(), ExceptionKind::Transient, "{refused}");
    transaction.commit().unwrap();
    assert_eq!(process.served.find("", "", &[]), "first");
}

fn open(at: &Path, journal: Arc<dyn Journal>) -> Process {
    let names = armilla_naming::Store::open(at.join("names")).unwrap();
    Process::start(names, |orb| Store::open(at.join("offers"), orb).unwrap(), journal)
}

/// Ends the process around the decision about offers and a name, and starts another one. Returns what
/// everybody sees then.
fn after_a_crash(directory: &Path, writes: bool) -> (String, bool) {
    fs::remove_dir_all(directory).ok();
    let (before, after) = (directory.join("before"), directory.join("after"));
    let journal = |at: &Path| DiskJournal::open(at.join("log")).unwrap();
    let process = open(&before, Arc::new(Failing { journal: journal(&before), writes }));
    process.served.add_printers();
    let kept = process.served.printer("kept", 5.0, 1);
    let transaction = process.transactions.begin().unwrap();
    transaction.enlist(Arc::new(Beside)).unwrap();
    let entered = transaction.enter().unwrap();
    let (register, root) = (process.served.trader.lookup(), process.naming.root());
    let register = register.register_if().unwrap();
    let object = process.served.orb.string_to_object("corbaloc::printers.invalid/new").unwrap();
    register.export(&object, "Printer", &[text("name", "new")]).unwrap();
    register.withdraw(&kept).unwrap();
    root.bind(&root.to_name("new").unwrap(), &object).unwrap();
    drop(entered);
    let unknown = transaction.commit();
    assert!(matches!(unknown, Err(CommitError::Unknown)), "{unknown:?}");
    assert_eq!(process.has("new"), ("kept".to_owned(), false));
    assert_eq!(process.prepared(), (1, 1));
    copy(&before, &after);
    let process = open(&after, Arc::new(journal(&after)));
    let begun = Instant::now();
    while process.prepared() != (0, 0) {
        assert!(begun.elapsed() < Duration::from_secs(60), "in doubt: {:?}", process.prepared());
        std::thread::sleep(Duration::from_millis(5));
    }
    process.has("new")
}

#[test]
fn what_was_prepared_ends_after_a_restart_as_it_was_decided() {
    let name = format!("armilla-trader-transactions-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    assert_eq!(after_a_crash(&directory, false), ("kept".to_owned(), false));
    assert_eq!(after_a_crash(&directory, true), ("new".to_owned(), true));
    fs::remove_dir_all(directory).unwrap();
}
