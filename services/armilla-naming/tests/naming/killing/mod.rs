//! Naming services in processes of their own, which can be killed while clients bind.

use crate::served::{name, object};
use armilla::Orb;
use armilla_cos_naming::{NamingContext, NamingContextExt, NamingContextExtRef};
use armilla_naming::model::{Found, ROOT, Target, parse_name};
use armilla_naming::{NamingService, Store};
use std::collections::BTreeSet;
use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;

/// Where the process that is to be killed has its store: a directory, or the address of a cluster.
const STORE: &str = "ARMILLA_CRASH_STORE";

/// How many clients bind at the same time.
pub(crate) const CLIENTS: usize = 16;

/// A number that the environment may set.
pub(crate) fn number(variable: &str, default: usize) -> usize {
    env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The store at a directory or an address.
pub(crate) fn open(store: &str) -> Store {
    match store.starts_with("etcd:") {
        true => Store::shared(store).unwrap(),
        false => Store::open(store).unwrap(),
    }
}

/// The process that is to be killed. It is this test program once more.
#[test]
#[ignore = "the tests of kills start it in a process of its own"]
fn victim() {
    let Ok(store) = env::var(STORE) else { return };
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let service = NamingService::builder().store(open(&store)).serve(&orb).unwrap();
    println!("\nready {}", service.url());
    orb.run().unwrap();
}

/// Starts this test program once more, to serve a store; returns the URL of its root.
pub(crate) fn start(store: &str) -> (Child, String) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["killing::victim", "--exact", "--ignored", "--nocapture"])
        .env(STORE, store)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let url = lines.find_map(|line| line.strip_prefix("ready ").map(str::to_owned)).unwrap();
    // What it prints further has to go somewhere.
    thread::spawn(move || lines.for_each(drop));
    (child, url)
}

/// A client that binds names to objects and to new contexts.
pub(crate) struct Binder {
    _orb: Orb,
    root: NamingContextExtRef,
    vega: armilla::Object,
}

impl Binder {
    /// A client of the service at a URL; `None` if it is gone.
    pub(crate) fn new(url: &str) -> Option<Self> {
        let orb = Orb::new().unwrap();
        let root: NamingContextExtRef = orb.resolve::<dyn NamingContextExt>(url).ok()?;
        Some(Self { root, vega: object(&orb, "vega"), _orb: orb })
    }

    /// Binds a name, and returns whether that was acknowledged. Every tenth is a new context.
    pub(crate) fn bind(&self, text: &str) -> bool {
        match text.ends_with('0') {
            true => self.root.bind_new_context(&name(text)).is_ok(),
            false => self.root.bind(&name(text), &self.vega).is_ok(),
        }
    }
}

/// What is in the store, after checking that all of it is whole.
pub(crate) fn stored(store: &Store) -> BTreeSet<String> {
    let tree = store.read();
    let mut names = BTreeSet::new();
    for (step, bound) in tree.bindings_after(ROOT, None).unwrap() {
        if let Target::Context(context) = bound.target {
            assert!(tree.has(context), "a binding without its context");
        }
        let text = step.component().id;
        assert!(matches!(tree.resolve(ROOT, &parse_name(&text).unwrap()), Ok(Found::Here(_))));
        names.insert(text);
    }
    let contexts = names.iter().filter(|text| text.ends_with('0')).count();
    assert_eq!(tree.contexts() - 1, contexts, "a context without its binding");
    names
}
