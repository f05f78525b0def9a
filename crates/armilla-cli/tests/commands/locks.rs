//! `armilla locks`: one at a time, across processes.

use crate::running::{Running, Service};

const LOCKS: Service = Service { command: "locks", reference: "LockSetFactory" };

#[test]
fn commands_run_one_at_a_time_and_operators_release_what_is_left() {
    let service = Running::new(&LOCKS, &[]);
    let set = service.ok(&["create"]);
    let set = set.trim();
    service.ok(&["run", set, "--", "true"]);
    let armilla = env!("CARGO_BIN_EXE_armilla");
    let inner = [armilla, "locks", "run", "--now", set, "--", "true"];
    let refused = service.fails(&[&["run", set, "--"][..], &inner].concat());
    assert!(refused.contains("the lock cannot be had now"), "{refused}");
    let shared = [armilla, "locks", "run", "--mode", "read", "--now", set, "--", "true"];
    service.ok(&[&["run", "--mode", "read", set, "--"][..], &shared].concat());

    // A command that is killed leaves its lock.
    let place = service.url.strip_prefix("corbaloc::").unwrap().strip_suffix("/LockSetFactory");
    let at = ["--at", place.unwrap()];
    let kill = "kill -9 $PPID";
    service.fails(&["run", set, "--", "sh", "-c", kill]);
    let list = service.ok(&[&["ls"][..], &at].concat());
    let line = list.lines().nth(1).expect("a lock is left");
    assert!(line.contains(" write "), "{list}");
    let holder = line.split_whitespace().nth(1).unwrap();
    service.ok(&[&["release", holder][..], &at].concat());
    let refused = service.fails(&[&["release", holder][..], &at].concat());
    assert!(refused.contains("there is no holder"), "{refused}");
    service.ok(&["run", set, "--", "true"]);
    service.stop();
}
