//! A service that is killed while many clients bind: what was acknowledged is there afterwards, and
//! nothing is there by half.
//!
//! `crates/armilla-naming/kill-rounds` runs this fifty times with 10,000 binds each.

mod served;

use armilla::Orb;
use armilla_cos_naming::{NamingContext, NamingContextExtRef};
use armilla_naming::model::{Found, ROOT, Target, parse_name};
use armilla_naming::{NamingService, Store};
use served::{Directory, name, object};
use std::collections::BTreeSet;
use std::env;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Where the process that is to be killed has its store.
const STORE: &str = "ARMILLA_CRASH_STORE";

const CLIENTS: usize = 16;

fn number(variable: &str, default: usize) -> usize {
    env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The process that is to be killed. It is this test program once more.
#[test]
#[ignore = "the other test starts it in a process of its own"]
fn victim() {
    let Ok(directory) = env::var(STORE) else { return };
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let store = Store::open(directory).unwrap();
    let service = NamingService::builder().store(store).serve(&orb).unwrap();
    println!("\nready {}", service.url());
    orb.run().unwrap();
}

fn start(directory: &Path) -> (Child, String) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["victim", "--exact", "--ignored", "--nocapture"])
        .env(STORE, directory)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let url = lines.find_map(|line| line.strip_prefix("ready ").map(str::to_owned)).unwrap();
    // What it prints further has to go somewhere.
    thread::spawn(move || lines.for_each(drop));
    (child, url)
}

/// Binds objects and new contexts until the service is killed, and returns the acknowledged names.
fn bind_until_killed(child: &mut Child, url: &str, round: usize, binds: usize) -> BTreeSet<String> {
    let acknowledged = Mutex::new(BTreeSet::new());
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // Another moment in each round.
    let deadly = binds * (1 + round * 37 % 97) / 100;
    let child = Mutex::new(child);
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                let orb = Orb::new().unwrap();
                let Ok(root) = orb.resolve::<dyn armilla_cos_naming::NamingContextExt>(url) else {
                    return;
                };
                let root: NamingContextExtRef = root;
                let vega = object(&orb, "vega");
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= binds {
                        return;
                    }
                    let text = format!("r{round}-{number}");
                    let bound = match number % 10 {
                        0 => root.bind_new_context(&name(&text)).is_ok(),
                        _ => root.bind(&name(&text), &vega).is_ok(),
                    };
                    if !bound {
                        return;
                    }
                    acknowledged.lock().unwrap().insert(text);
                    if done.fetch_add(1, Ordering::Relaxed) + 1 == deadly {
                        child.lock().unwrap().kill().unwrap();
                    }
                }
            });
        }
    });
    acknowledged.into_inner().unwrap()
}

/// What is in the store, after checking that all of it is whole.
fn stored(directory: &Path) -> BTreeSet<String> {
    let store = Store::open(directory).unwrap();
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
    assert_eq!(tree.contexts() - 1, tree.context_ids().count() - 1);
    let contexts = names.iter().filter(|text| text.ends_with('0')).count();
    assert_eq!(tree.contexts() - 1, contexts, "a context without its binding");
    names
}

#[test]
fn nothing_acknowledged_is_lost_when_the_process_is_killed() {
    let (rounds, binds) = (number("ARMILLA_CRASH_ROUNDS", 3), number("ARMILLA_CRASH_BINDS", 600));
    let directory = Directory::new("crash");
    let (mut expected, mut extra) = (BTreeSet::new(), 0);
    for round in 0..rounds {
        let (mut child, url) = start(directory.path());
        let acknowledged = bind_until_killed(&mut child, &url, round, binds);
        child.kill().ok();
        child.wait().unwrap();
        expected.extend(acknowledged);
        let stored = stored(directory.path());
        let lost: Vec<_> = expected.difference(&stored).collect();
        assert!(lost.is_empty(), "round {round}: {lost:?}");
        // Binds whose acknowledgement the kill cut off may be there.
        let more: BTreeSet<_> = stored.difference(&expected).cloned().collect();
        assert!(more.len() <= CLIENTS, "round {round}: {} were not acknowledged", more.len());
        extra += more.len();
        expected.extend(more);
    }
    println!("{rounds} kills, {} names kept, {extra} of them not acknowledged", expected.len());
}
