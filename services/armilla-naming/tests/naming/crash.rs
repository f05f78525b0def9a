//! A service that is killed while many clients bind: what was acknowledged is there afterwards, and
//! nothing is there by half.
//!
//! `services/armilla-naming/kill-rounds` runs this fifty times with 10,000 binds each.

use crate::killing;
use crate::served;
use killing::{Binder, CLIENTS, number, open, start, stored};
use served::Directory;
use std::collections::BTreeSet;
use std::process::Child;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

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
                let Some(binder) = Binder::new(url) else { return };
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let text = format!("r{round}-{number}");
                    if number >= binds || !binder.bind(&text) {
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

#[test]
fn nothing_acknowledged_is_lost_when_the_process_is_killed() {
    let (rounds, binds) = (number("ARMILLA_CRASH_ROUNDS", 3), number("ARMILLA_CRASH_BINDS", 600));
    let directory = Directory::new("crash");
    let store = directory.path().to_str().unwrap();
    let (mut expected, mut extra) = (BTreeSet::new(), 0);
    for round in 0..rounds {
        let (mut child, url) = start(store);
        let acknowledged = bind_until_killed(&mut child, &url, round, binds);
        child.kill().ok();
        child.wait().unwrap();
        expected.extend(acknowledged);
        let stored = stored(&open(store));
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
