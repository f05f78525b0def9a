//! Real processes with real logs, killed at any moment (SIGKILL) while 64 clients transfer: never has
//! one bank committed what the other has rolled back, what a client was told is so, and nothing is
//! left over.
//!
//! `services/armilla-transactions/kill-rounds` does so ten thousand times.

mod bank;
mod books;
mod desk;
mod world;

use armilla::Orb;
use armilla_transactions::corba::{Operator, OperatorRef};
use books::Books;
use std::collections::BTreeSet;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};
use world::{Place, World};

/// The kills of a round, after which everybody may finish.
const ROUND: usize = 200;

/// What the tries so far have shown.
#[derive(Debug, Default)]
struct Findings {
    kills: usize,
    committed: usize,
    rolled_back: usize,
    /// The longest time from the last restart until nobody was in doubt, and until all was over.
    in_doubt: Duration,
    over: Duration,
    log_octets: u64,
}

#[test]
fn whoever_is_killed_all_commit_or_none() {
    let wanted = world::number("ARMILLA_KILLS", 10);
    let mut world = World::new();
    let mut findings = Findings::default();
    for round in 0.. {
        if findings.kills >= wanted {
            break;
        }
        world.begin(round);
        for _ in 0..ROUND.min(wanted - findings.kills) {
            await_work(&mut world);
            let victims = Place::ALL;
            let victim = victims[world.random(victims.len() as u64) as usize];
            world.kill(victim);
            world.start(victim, true);
            findings.kills += 1;
        }
        settle(&mut world, &mut findings);
        world.end();
        check(&world, &mut findings);
        if round % 10 == 9 {
            println!("{findings:?}");
        }
    }
    println!("{findings:?}");
    assert!(findings.committed > 0, "nothing was transferred");
}

/// Waits until some clients were told that they have committed, most times: the others are kills during
/// a recovery. Then a moment more.
fn await_work(world: &mut World) {
    if world.random(4) > 0 {
        let length = || fs::metadata(world.told("committed")).map_or(0, |it| it.len());
        let (before, begun) = (length(), Instant::now());
        while length() == before && begun.elapsed() < Duration::from_secs(5) {
            thread::sleep(Duration::from_millis(1));
        }
    }
    thread::sleep(Duration::from_millis(world.random(40)));
}

/// Lets nobody begin anything new, and waits until everybody has finished.
fn settle(world: &mut World, findings: &mut Findings) {
    world.kill(Place::Desk);
    world.start(Place::Desk, false);
    let begun = Instant::now();
    let orb = Orb::new().unwrap();
    let operators = world.operators();
    let (mut in_doubt, mut left) = (true, operators.clone());
    while !left.is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "not over: {left:?}");
        thread::sleep(Duration::from_millis(20));
        let lists: Vec<_> = operators.iter().map(|url| statuses(&orb, url)).collect();
        let is_open = |list: &Option<Vec<String>>| list.as_ref().is_none_or(|it| !it.is_empty());
        let doubts = |list: &Option<Vec<String>>| {
            list.as_ref().is_none_or(|it| it.iter().any(|status| status == "in doubt"))
        };
        if std::mem::replace(&mut in_doubt, lists.iter().any(doubts)) && !in_doubt {
            findings.in_doubt = findings.in_doubt.max(begun.elapsed());
        }
        let open = operators.iter().zip(&lists).filter(|(_, list)| is_open(list));
        left = open.map(|(url, list)| format!("{url}: {list:?}")).collect();
    }
    findings.over = findings.over.max(begun.elapsed());
    orb.shutdown();
}

/// The states of the transactions of a process; `None` while it cannot be reached.
fn statuses(orb: &Orb, url: &str) -> Option<Vec<String>> {
    let operator: OperatorRef = orb.string_to_object(url).ok()?.assume();
    let list = operator.list().ok()?;
    Some(list.into_iter().map(|it| format!("{}{}", it.status, it.heuristic)).collect())
}

/// Compares the books of both banks with one another and with what clients were told, and looks into
/// the logs.
fn check(world: &World, findings: &mut Findings) {
    let [first, second] = [0, 1].map(|number| Books::open(&world.books(number)).unwrap());
    for books in [&first, &second] {
        assert!(books.prepared().is_empty(), "in doubt for ever: {:?}", books.prepared());
    }
    let (paid, received) = (amounts(&first, -1), amounts(&second, 1));
    let halves: Vec<_> = paid.symmetric_difference(&received).collect();
    assert!(halves.is_empty(), "committed at one bank only: {halves:?}");
    let [committed, rolled_back] = ["committed", "rolled back"].map(|what| world.numbers(what));
    let lost: Vec<_> = committed.difference(&paid).collect();
    assert!(lost.is_empty(), "a client was told that these have committed: {lost:?}");
    let undone: Vec<_> = rolled_back.intersection(&paid).collect();
    assert!(undone.is_empty(), "a client was told that these have rolled back: {undone:?}");
    findings.committed += paid.len();
    findings.rolled_back += rolled_back.len();
    findings.log_octets = findings.log_octets.max(world.check_logs());
}

/// The transfers that a bank has committed. Each moves an amount that no other moves.
fn amounts(books: &Books, sign: i64) -> BTreeSet<i64> {
    let committed = books.committed();
    let amounts: BTreeSet<i64> = committed.iter().map(|amount| sign * amount).collect();
    assert!(amounts.iter().all(|amount| *amount > 0), "an amount went the wrong way");
    assert_eq!(amounts.len(), committed.len(), "a transfer was committed twice");
    amounts
}

/// What a process that is started by [`World::start`] does.
#[test]
fn role() {
    let Some(role) = world::Role::of_environment() else { return };
    match role.place {
        Place::Service => world::serve(&role),
        Place::Bank(number) => bank::serve(&role, number),
        Place::Desk => desk::serve(&role),
    }
}
