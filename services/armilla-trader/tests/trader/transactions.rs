//! Several offers, service types, links, and names with them, in one transaction.

#[path = "../../../armilla-transactions/tests/crashes/mod.rs"]
mod crashes;

use crate::served::{Served, names, policy, property, text};
use armilla::{Error, ExceptionKind, Object, Orb, SystemException};
use armilla_cos_naming::{NamingContext, NamingContextExt, NamingContextExtRef};
use armilla_cos_trading::repos::service_type_repository::{ListOption, SpecifiedServiceTypes};
use armilla_cos_trading::repos::{ServiceTypeRepository, ServiceTypeRepositoryRef};
use armilla_cos_trading::{
    FollowOption, Link, LinkRef, LookupRef, Register, RegisterRef, SupportAttributes,
    TraderComponents,
};
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

    /// The service types and links that everybody sees.
    fn seen(&self) -> String {
        seen(&self.served.types, &self.served.link)
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
    types: ServiceTypeRepositoryRef,
    link: LinkRef,
    root: NamingContextExtRef,
}

/// Which service types and links somebody sees.
fn seen(types: &ServiceTypeRepositoryRef, link: &LinkRef) -> String {
    let all = SpecifiedServiceTypes::Unlisted { discriminator: ListOption::All };
    let masked = |name: &String| types.describe_type(name).unwrap().masked;
    let shown = |name: String| if masked(&name) { format!("({name})") } else { name };
    let names: Vec<_> = types.list_types(&all).unwrap().into_iter().map(shown).collect();
    format!("{} / {}", names.join(" "), link.list_links().unwrap().join(" "))
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
        let types = lookup.type_repos().unwrap().narrow().unwrap();
        let link = lookup.link_if().unwrap();
        Self { orb, transactions, lookup, register, types, link, root }
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

    fn seen(&self) -> String {
        seen(&self.types, &self.link)
    }

    fn scanner(&self, name: &str) -> Result<String, SystemException> {
        self.register.export(&self.object(name), "Scanner", &[]).map_err(system)
    }

    fn link_to(&self, name: &str, target: &LookupRef) -> Result<(), SystemException> {
        let (default, limit) = (FollowOption::LocalOnly, FollowOption::Always);
        self.link.add_link(name, target, default, limit).map_err(system)
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

#[test]
fn service_types_and_links_change_with_their_transaction() {
    let (process, beyond) = (Process::in_memory(), Process::in_memory());
    let client = Client::of(&process);
    let target = travel(&beyond.served.trader.lookup(), &client.orb);
    beyond.served.printer("beyond", 1.0, 1);
    client.types.add_type("Old", "", &[], &[]).unwrap();
    client.link_to("old", &target).unwrap();
    let everywhere = [policy("link_follow_rule", &FollowOption::Always)];
    let before = client.seen();
    assert_eq!(before, "Old Printer / old");
    let done = client.transactions.run(|_| {
        client.types.add_type("Scanner", "", &[], &["Printer".to_owned()]).map_err(system)?;
        client.types.remove_type("Old").map_err(system)?;
        client.types.mask_type("Printer").map_err(system)?;
        client.link_to("new", &target)?;
        client.link.remove_link("old").map_err(system)?;
        let always = FollowOption::Always;
        client.link.modify_link("new", always, always).map_err(system)?;
        client.register.export(&client.object("s"), "Scanner", &[text("name", "s")]).unwrap();
        assert_eq!(client.seen(), "(Printer) Scanner / new");
        assert_eq!(names(&client.lookup, "", "min price", &everywhere), "beyond s");
        assert_eq!(process.seen(), before);
        let nobody = client.transactions.suspend()?;
        let refused = [
            client.types.remove_type("Old").map_err(system),
            client.types.remove_type("Printer").map_err(system),
            client.types.add_type("Scanner", "", &[], &[]).map(drop).map_err(system),
            client.types.add_type("Newer", "", &[], &["Old".to_owned()]).map(drop).map_err(system),
            client.register.export(&client.object("o"), "Old", &[]).map(drop).map_err(system),
            client.link_to("new", &target),
            client.link.modify_link("old", always, always).map_err(system),
        ];
        for (number, refused) in refused.into_iter().enumerate() {
            let kind = refused.unwrap_err().kind();
            assert_eq!(kind, ExceptionKind::Transient, "{number}");
        }
        client.printer("beside", 5.0)?;
        drop(nobody);
        Ok::<_, SystemException>(())
    });
    assert_eq!(done, Ok(()));
    assert_eq!(process.seen(), "(Printer) Scanner / new");
    assert_eq!(process.served.find("", "min price", &everywhere), "beyond beside s");
}

#[test]
fn service_types_and_links_of_a_part_go_with_the_part() {
    let process = Process::in_memory();
    let client = Client::of(&process);
    let target = client.lookup.clone();
    let done: Result<(), RunError<SystemException>> = client.transactions.run(|whole| {
        client.types.add_type("Scanner", "", &[], &[]).map_err(system)?;
        let part = whole.run(|_| {
            client.scanner("one")?;
            client.types.add_type("Copier", "", &[], &["Scanner".to_owned()]).map_err(system)?;
            client.link_to("part", &target)?;
            client.types.mask_type("Scanner").map_err(system)?;
            assert_eq!(client.seen(), "Copier Printer (Scanner) / part");
            Err::<(), _>(ExceptionKind::Unknown.because("the part has changed its mind"))
        });
        assert!(matches!(part, Err(RunError::Work(_))), "{part:?}");
        assert_eq!(client.seen(), "Printer Scanner / ");
        whole.run(|_| client.link_to("second", &target)).unwrap();
        Ok(())
    });
    assert_eq!(done, Ok(()));
    assert_eq!(process.seen(), "Printer Scanner / second");
    let undone: Result<(), _> = client.transactions.run(|_| {
        client.types.remove_type("Scanner").map_err(system)?;
        client.link.remove_link("second").map_err(system)?;
        assert_eq!(client.seen(), "Printer / ");
        Err(ExceptionKind::Unknown.because("the program has changed its mind"))
    });
    assert!(matches!(undone, Err(RunError::Work(_))), "{undone:?}");
    assert_eq!(process.seen(), "Printer Scanner / second");
}

#[test]
fn who_asks_for_new_service_types_misses_none_of_a_transaction() {
    let process = Process::in_memory();
    let client = Client::of(&process);
    let transaction = client.transactions.begin().unwrap();
    let entered = transaction.enter().unwrap();
    client.types.add_type("Slow", "", &[], &[]).unwrap();
    drop(entered);
    client.types.add_type("Quick", "", &[], &[]).unwrap();
    let since = SpecifiedServiceTypes::Incarnation(client.types.incarnation().unwrap());
    transaction.commit().unwrap();
    assert_eq!(client.types.list_types(&since).unwrap(), ["Quick", "Slow"]);
    let since = SpecifiedServiceTypes::Incarnation(client.types.incarnation().unwrap());
    assert!(client.types.list_types(&since).unwrap().is_empty());
}

#[test]
fn what_a_transaction_withdraws_keeps_its_place_until_that_commits() {
    let process = Process::in_memory();
    let client = Client::of(&process);
    let ids = ["one", "two", "three"].map(|name| client.printer(name, 1.0).unwrap());
    let undone: Result<(), _> = client.transactions.run(|_| {
        client.register.withdraw(&ids[0]).map_err(system)?;
        assert_eq!(names(&client.lookup, "", "first", &[]), "two three");
        assert_eq!(process.served.find("", "first", &[]), "one two three");
        Err(ExceptionKind::Unknown.because("the program has changed its mind"))
    });
    assert!(matches!(undone, Err(RunError::Work(_))), "{undone:?}");
    assert_eq!(process.served.find("", "first", &[]), "one two three");
}

#[test]
fn offers_that_are_exported_side_by_side_have_ids_of_their_own() {
    let process = Process::in_memory();
    let client = Client::of(&process);
    let export = &|in_transactions: bool| {
        let all = (0..200).map(|_| match in_transactions {
            true => client.transactions.run(|_| client.printer("one", 1.0)).unwrap(),
            false => client.printer("other", 1.0).unwrap(),
        });
        all.collect::<Vec<_>>()
    };
    let mut ids = std::thread::scope(|scope| {
        let both = [true, false].map(|it| scope.spawn(move || export(it)));
        both.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 400);
}

#[test]
fn numbers_of_what_was_rolled_back_do_not_come_again_after_a_restart() {
    let name = format!("armilla-trader-numbers-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    fs::remove_dir_all(&directory).ok();
    let (mut offers, mut types) = (Vec::new(), Vec::new());
    for round in 0..3 {
        let here = directory.join(round.to_string());
        let process = open(&here, Arc::new(MemoryJournal::new()));
        if round == 0 {
            process.served.add_printers();
        }
        let client = Client::of(&process);
        offers.push(client.printer("kept", 1.0).unwrap());
        for _ in 0..3 {
            let undone: Result<(), _> = client.transactions.run(|_| {
                offers.push(client.printer("undone", 1.0)?);
                let number = client.types.add_type("Undone", "", &[], &[]).map_err(system)?;
                types.push((number.high, number.low));
                Err(ExceptionKind::Unknown.because("the program has changed its mind"))
            });
            assert!(matches!(undone, Err(RunError::Work(_))), "{undone:?}");
        }
        copy(&here, &directory.join((round + 1).to_string()));
    }
    assert!(offers.is_sorted() && types.is_sorted(), "{offers:?} {types:?}");
    offers.dedup();
    types.dedup();
    assert_eq!((offers.len(), types.len()), (12, 9));
    fs::remove_dir_all(directory).unwrap();
}

fn open(at: &Path, journal: Arc<dyn Journal>) -> Process {
    let names = armilla_naming::Store::open(at.join("names")).unwrap();
    Process::start(names, |orb| Store::open(at.join("offers"), orb).unwrap(), journal)
}

/// Ends the process around the decision about offers and a name, and starts another one. Returns what
/// everybody sees then.
fn after_a_crash(directory: &Path, writes: bool) -> (String, bool, String) {
    fs::remove_dir_all(directory).ok();
    let (before, after) = (directory.join("before"), directory.join("after"));
    let journal = |at: &Path| DiskJournal::open(at.join("log")).unwrap();
    let process = open(&before, Arc::new(Failing { journal: journal(&before), writes }));
    process.served.add_printers();
    let kept = process.served.printer("kept", 5.0, 1);
    process.served.types.add_type("Old", "", &[], &[]).unwrap();
    let transaction = process.transactions.begin().unwrap();
    transaction.enlist(Arc::new(Beside)).unwrap();
    let entered = transaction.enter().unwrap();
    let (lookup, root) = (process.served.trader.lookup(), process.naming.root());
    let register = lookup.register_if().unwrap();
    let types: ServiceTypeRepositoryRef = lookup.type_repos().unwrap().narrow().unwrap();
    types.add_type("New", "", &[], &[]).unwrap();
    types.remove_type("Old").unwrap();
    types.mask_type("Printer").unwrap();
    types.unmask_type("Printer").unwrap();
    let local = FollowOption::LocalOnly;
    lookup.link_if().unwrap().add_link("new", &lookup, local, local).unwrap();
    let object = process.served.orb.string_to_object("corbaloc::printers.invalid/new").unwrap();
    register.export(&object, "Printer", &[text("name", "new")]).unwrap();
    register.export(&object, "New", &[]).unwrap();
    register.withdraw(&kept).unwrap();
    root.bind(&root.to_name("new").unwrap(), &object).unwrap();
    drop(entered);
    let unknown = transaction.commit();
    assert!(matches!(unknown, Err(CommitError::Unknown)), "{unknown:?}");
    assert_eq!(process.has("new"), ("kept".to_owned(), false));
    assert_eq!(process.seen(), "Old Printer / ");
    assert_eq!(process.prepared(), (1, 1));
    copy(&before, &after);
    let process = open(&after, Arc::new(journal(&after)));
    let begun = Instant::now();
    while process.prepared() != (0, 0) {
        assert!(begun.elapsed() < Duration::from_secs(60), "in doubt: {:?}", process.prepared());
        std::thread::sleep(Duration::from_millis(5));
    }
    let (printers, has_name) = process.has("new");
    (printers, has_name, process.seen())
}

#[test]
fn what_was_prepared_ends_after_a_restart_as_it_was_decided() {
    let name = format!("armilla-trader-transactions-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    let rolled_back = ("kept".to_owned(), false, "Old Printer / ".to_owned());
    assert_eq!(after_a_crash(&directory, false), rolled_back);
    let committed = ("new".to_owned(), true, "New Printer / new".to_owned());
    assert_eq!(after_a_crash(&directory, true), committed);
    fs::remove_dir_all(directory).unwrap();
}
