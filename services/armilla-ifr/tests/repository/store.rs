//! A repository that outlives its process: what comes back, and what happens when the file is not
//! what was written last, or the disk fails.

use armilla::Any;
use armilla::dynamic::ParameterMode;
use armilla_idl::Options;
use armilla_ifr::Store;
use armilla_ifr::corba::{DefinitionKind, PrimitiveKind};
use armilla_ifr::model::{DefId, Field, Flavour, Kind, Model, ModelError, Parameter, ROOT};
use armilla_store::faults::{Trial, try_every_failure};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A directory of the test's own, which goes when the test does.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("armilla-ifr-{name}-{}", std::process::id()));
        fs::remove_dir_all(&path).ok();
        Self(path)
    }

    fn open(&self) -> Store {
        Store::open(&self.0).unwrap()
    }

    fn file(&self) -> PathBuf {
        self.0.join("definitions")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn import(store: &mut Store, source: &str) {
    let idl = armilla_idl::parse_str("test.idl", source, &Options::new()).unwrap();
    store.change(|model| model.add_idl(&idl.model)).unwrap();
}

fn create(store: &mut Store, container: DefId, name: &str, kind: Kind) -> DefId {
    let id = format!("IDL:{name}:1.0");
    store.change(|model| model.create(container, &id, name, "1.0", kind)).unwrap().0
}

/// All that can be seen of a model, each definition with its place.
fn seen(model: &Model) -> Vec<String> {
    let describe = |(id, definition)| {
        let contents = model.contents(id, DefinitionKind::DkAll, true);
        format!("{id:?} {} {definition:?} {contents:?}", model.absolute_name(id))
    };
    model.iter().map(describe).collect()
}

const IDL: &str = "module Bank { enum Mood { good, bad }; const Mood USUAL = bad; \
                   const wstring TITLE = L\"\\u00e9\"; typedef sequence<string<9>, 4> Names; \
                   exception Gone { fixed<7,2> rest; }; valuetype Node { private Node next; \
                   public long cells[2][3]; factory make(in long n) raises (Gone); }; \
                   interface Account { attribute double balance getraises (Gone); \
                   oneway void poke(in any what) context (\"colour\"); }; \
                   union Choice switch (Mood) { case good: long n; default: Names all; }; };";

#[test]
fn a_reopened_store_has_the_same_definitions_and_numbers() {
    let directory = Directory::new("again");
    let mut store = directory.open();
    import(&mut store, IDL);
    let long = store.model().primitive(PrimitiveKind::PkLong);
    let outer = create(&mut store, ROOT, "Outer", Kind::Module);
    let alias = create(&mut store, ROOT, "Count", Kind::Alias(long));
    let last = create(&mut store, ROOT, "Last", Kind::Module);
    let text = store.change(|model| model.create_anonymous(Kind::String(5))).unwrap().0;
    store.change(|model| model.relocate(alias, outer, "Moved", "2.0")).unwrap();
    store.change(|model| model.set_id(outer, "IDL:Other:1.0")).unwrap();
    store.change(|model| model.relocate(outer, ROOT, "Outer", "1.0")).unwrap();
    let limit = Kind::Constant { ty: long, value: Any::new(&7).unwrap() };
    create(&mut store, outer, "LIMIT", limit);
    let (_, gone) = store.change(|model| model.destroy(last)).unwrap();
    assert_eq!(gone, [last]);
    let before = seen(store.model());
    drop(store);
    let mut store = directory.open();
    assert_eq!(seen(store.model()), before);
    assert_eq!(store.model().get(text).unwrap().kind, Kind::String(5));
    assert!(store.model().get(last).is_none());
    let next = create(&mut store, ROOT, "Next", Kind::Module);
    assert!(next > last, "numbers are not used again");
}

#[test]
fn a_rejected_change_leaves_no_trace() {
    let directory = Directory::new("refused");
    let mut store = directory.open();
    import(&mut store, IDL);
    let (before, length) = (seen(store.model()), fs::metadata(directory.file()).unwrap().len());
    let clash = "interface New {}; typedef long BANK;";
    let clash = armilla_idl::parse_str("clash.idl", clash, &Options::new()).unwrap();
    assert!(store.change(|model| model.add_idl(&clash.model)).is_err());
    let half = store.change(|model| {
        model.create(ROOT, "IDL:Half:1.0", "Half", "1.0", Kind::Module)?;
        Err::<(), _>(ModelError::Destroyed)
    });
    assert!(half.is_err());
    assert_eq!(seen(store.model()), before);
    assert_eq!(fs::metadata(directory.file()).unwrap().len(), length);
}

#[test]
fn an_incomplete_line_is_discarded() {
    let directory = Directory::new("torn");
    let mut store = directory.open();
    create(&mut store, ROOT, "Kept", Kind::Module);
    let whole = fs::read(directory.file()).unwrap();
    create(&mut store, ROOT, "Torn", Kind::Module);
    drop(store);
    let both = fs::read(directory.file()).unwrap();
    for end in 0..both.len() {
        fs::write(directory.file(), &both[..end]).unwrap();
        let mut store = directory.open();
        let is_there = |name| store.model().lookup(ROOT, name).is_some();
        assert_eq!((is_there("Kept"), is_there("Torn")), (end >= whole.len(), false), "{end}");
        create(&mut store, ROOT, "After", Kind::Module);
        drop(store);
        assert!(directory.open().model().lookup(ROOT, "After").is_some());
    }
}

#[test]
fn a_damaged_file_is_reported_and_not_changed() {
    let directory = Directory::new("damaged");
    let mut store = directory.open();
    let long = store.model().primitive(PrimitiveKind::PkLong);
    let count = create(&mut store, ROOT, "Count", Kind::Alias(long));
    create(&mut store, ROOT, "Again", Kind::Alias(count));
    drop(store);
    let text = fs::read_to_string(directory.file()).unwrap();
    // As a version wrote it that knew no checksums.
    let text: String =
        text.lines().map(|line| line.split('\t').next().unwrap().to_owned() + "\n").collect();
    let lines: Vec<&str> = text.lines().collect();
    let without_first = format!("{}\n{}\n", lines[0], lines[2]);
    let twice =
        format!("{text}{}\n", lines[2].replace("[24,", "[25,").replace("25,\"set", "26,\"set"));
    for (damaged, fault) in [
        (text.replace("Alias", "Alibi"), "line 2: unknown variant `Alibi`"),
        (text.replace("\"Again\"", "\"cOUNT\""), "clashes with another"),
        (without_first, "needs 23"),
        (twice, "clashes with another"),
        (text.replace("\"version\":1}", "\"version\":2}"), "this version can read"),
        (text.replace("[[23,", "[[3,"), "line 2: the numbers"),
        ("{}\n".to_owned(), "this version can read"),
    ] {
        fs::write(directory.file(), &damaged).unwrap();
        let error = Store::open(&directory.0).unwrap_err().to_string();
        assert!(error.contains(fault) && error.contains("definitions"), "{error}");
        assert_eq!(fs::read_to_string(directory.file()).unwrap(), damaged);
    }
}

/// Whatever octet is damaged, the store opens with all that it had, or says where it is damaged; then
/// what does not need it is saved.
#[test]
fn an_octet_that_flips_anywhere_is_noticed_and_costs_what_needs_it() {
    let directory = Directory::new("flipped");
    let mut store = directory.open();
    let long = store.model().primitive(PrimitiveKind::PkLong);
    let mut last = long;
    for number in 0..20 {
        last = create(&mut store, ROOT, &format!("Apart{number}"), Kind::Alias(long));
    }
    create(&mut store, ROOT, "Needing", Kind::Alias(last));
    drop(store);
    // Written anew: a line for each.
    drop(directory.open());
    let (whole, before) = (fs::read(directory.file()).unwrap(), seen(directory.open().model()));
    let mut damaged = 0;
    for at in (0..whole.len()).step_by(7) {
        let mut octets = whole.clone();
        octets[at] ^= 0x04;
        fs::write(directory.file(), &octets).unwrap();
        let Err(error) = Store::open(&directory.0).map(|store| {
            assert_eq!(seen(store.model()), before, "octet {at}");
        }) else {
            continue;
        };
        damaged += 1;
        let text = error.to_string();
        assert!(text.contains("line ") && text.contains("armilla ifr recover"), "{text}");
        let trial = Store::recover(&directory.0, true).unwrap();
        assert!(!trial.losses.is_empty() && trial.saved.definitions >= 18, "octet {at}: {trial:?}");
        assert_eq!(fs::read(directory.file()).unwrap(), octets);
        let saved = Store::recover(&directory.0, false).unwrap();
        assert_eq!(fs::read(saved.kept.as_ref().unwrap()).unwrap(), octets);
        fs::remove_file(saved.kept.unwrap()).unwrap();
        let left = seen(directory.open().model());
        let count = |all: &[String]| all.iter().filter(|one| one.contains("Apart")).count();
        assert!(count(&left) + 2 >= count(&before), "octet {at}: {left:?}");
    }
    assert!(damaged > 100, "{damaged}");
}

#[test]
fn only_one_process_opens_a_directory() {
    let directory = Directory::new("held");
    let store = directory.open();
    let second = Store::open(&directory.0).unwrap_err().to_string();
    assert!(second.contains("held by another repository"), "{second}");
    drop(store);
    directory.open();
    let file = Path::new(&directory.0).join("definitions/below");
    assert!(Store::open(file).unwrap_err().to_string().contains("cannot be made"));
}

#[test]
fn the_file_is_compacted() {
    let directory = Directory::new("small");
    let mut store = directory.open();
    let module = create(&mut store, ROOT, "Module", Kind::Module);
    let version = "1".repeat(100_000);
    for round in 0..50 {
        store.change(|model| model.set_version(module, &format!("{round}.{version}"))).unwrap();
        assert!(fs::metadata(directory.file()).unwrap().len() < 2 << 20);
    }
    create(&mut store, module, "Inner", Kind::Module);
    let before = seen(store.model());
    drop(store);
    assert_eq!(seen(directory.open().model()), before);
    // What is left of a process that died while it wrote the file anew is no harm.
    fs::write(directory.0.join("definitions.armilla-new"), b"half a").unwrap();
    assert_eq!(seen(directory.open().model()), before);
}

#[test]
fn idl_adds_missing_definitions_only() {
    let directory = Directory::new("idl");
    let mut store = directory.open();
    import(&mut store, IDL);
    let find = |store: &Store, name: &str| store.model().lookup(ROOT, name).unwrap();
    let (account, gone) = (find(&store, "Bank::Account"), find(&store, "Bank::Gone"));
    let long = store.model().primitive(PrimitiveKind::PkLong);
    let members = vec![Field { name: "why".into(), ty: long }];
    store.change(|model| model.set_kind(gone, Kind::Exception(members.clone()))).unwrap();
    let poke = find(&store, "Bank::Account::poke");
    store.change(|model| model.destroy(poke)).unwrap();
    drop(store);
    let mut store = directory.open();
    let more = IDL.replace("oneway void poke", "void more(); oneway void poke");
    import(&mut store, &more);
    assert_eq!(find(&store, "Bank::Account"), account);
    let operations = store.model().contents(account, DefinitionKind::DkOperation, true);
    assert_eq!(
        operations,
        [find(&store, "Bank::Account::more"), find(&store, "Bank::Account::poke")]
    );
    assert_eq!(store.model().get(gone).unwrap().kind, Kind::Exception(members));
    let idl = armilla_idl::parse_str("more.idl", &more, &Options::new()).unwrap();
    let differences = store.model().differences(&idl.model).unwrap();
    assert_eq!(differences, ["IDL:Bank/Gone:1.0"]);
    let other = "module Bank { interface Mood {}; };";
    let other = armilla_idl::parse_str("other.idl", other, &Options::new()).unwrap();
    let error = store.change(|model| model.add_idl(&other.model)).unwrap_err().to_string();
    assert!(error.contains("the repository has IDL:Bank/Mood:1.0 as DkEnum"), "{error}");
}

#[test]
fn many_definitions_are_handled_quickly() {
    const MANY: usize = 5_000;
    let directory = Directory::new("many");
    let mut store = directory.open();
    let module = create(&mut store, ROOT, "Module", Kind::Module);
    store
        .change(|model| {
            let void = model.primitive(PrimitiveKind::PkVoid);
            for index in 0..MANY {
                let name = format!("I{index}");
                let kind = Kind::Interface { flavour: Flavour::Plain, bases: vec![] };
                let id = format!("IDL:Module/{name}:1.0");
                let made = model.create(module, &id, &name, "1.0", kind)?;
                let parameter = Parameter { name: "p".into(), mode: ParameterMode::In, ty: made };
                let kind = Kind::Operation {
                    result: void,
                    oneway: false,
                    parameters: vec![parameter],
                    exceptions: vec![],
                    contexts: vec![],
                };
                model.create(made, &format!("IDL:Module/{name}/go:1.0"), "go", "1.0", kind)?;
            }
            Ok(())
        })
        .unwrap();
    drop(store);
    let mut store = directory.open();
    assert!(store.model().lookup(ROOT, "Module::I4999::go").is_some());
    assert_eq!(store.change(|model| model.destroy(module)).unwrap().1.len(), 2 * MANY + 1);
}

/// A repository with a module for each change, whose file is compacted with the third.
struct Modules(Store);

impl Trial for Modules {
    const CHANGES: u32 = 3;

    fn open(directory: &Path) -> Result<Self, String> {
        Store::open(directory).map(Self).map_err(|error| error.to_string())
    }

    fn change(&mut self, number: u32) -> Result<(), String> {
        let (name, id) = (format!("M{number}"), format!("IDL:M{number}:1.0"));
        let filler = "v".repeat(360_000);
        let changed = self.0.change(|model| {
            if model.lookup_id(&id).is_none() {
                model.create(ROOT, &id, &name, "1.0", Kind::Module)?;
            }
            match model.lookup(ROOT, "Filler") {
                Some(id) => model.set_version(id, &filler),
                None => {
                    let id = "IDL:Filler:1.0";
                    model.create(ROOT, id, "Filler", &filler, Kind::Module).map(drop)
                }
            }
        });
        changed.map(drop).map_err(|error| error.to_string())
    }

    fn changes(&self) -> BTreeSet<u32> {
        let names = self.0.model().iter().map(|(_, definition)| definition.name.as_str());
        names.filter_map(|name| name.strip_prefix('M')?.parse().ok()).collect()
    }
}

#[test]
fn whatever_fails_nothing_acknowledged_is_lost() {
    let failures = try_every_failure::<Modules>("ifr");
    assert!(failures > 50, "{failures}");
}
