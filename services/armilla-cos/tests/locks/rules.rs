//! The rules one by one.

use armilla_cos::locks::model::{Asked, Holder, Locks, Mode, Refusal, SetId, Ticket};
use std::time::Duration;

const NOW: Duration = Duration::ZERO;
const ONE: SetId = SetId { group: 1, set: 1 };
const TWO: SetId = SetId { group: 1, set: 2 };

fn lock(locks: &mut Locks, set: SetId, holder: Holder, mode: Mode) -> Asked {
    locks.lock(set, holder, mode, NOW, None).unwrap()
}

fn waits(asked: Asked) -> Ticket {
    match asked {
        Asked::Waits(ticket) => ticket,
        Asked::Granted => panic!("it was granted"),
    }
}

#[test]
fn readers_that_come_later_do_not_overtake_a_writer() {
    let mut locks = Locks::new(100);
    let [reader, writer, late] = [(); 3].map(|()| locks.begin(true));
    assert_eq!(lock(&mut locks, ONE, reader, Mode::Read), Asked::Granted);
    let wanted = waits(lock(&mut locks, ONE, writer, Mode::Write));
    let behind = waits(lock(&mut locks, ONE, late, Mode::Read));
    assert_eq!(locks.try_lock(ONE, late, Mode::Read), Ok(false));
    locks.unlock(ONE, reader, Mode::Read).unwrap();
    assert_eq!(locks.outcomes(), [(wanted, Ok(()))]);
    locks.end(writer);
    assert_eq!(locks.outcomes(), [(behind, Ok(()))]);
}

#[test]
fn who_is_waited_for_gets_further_locks_at_once() {
    let mut locks = Locks::new(100);
    let [reader, writer] = [(); 2].map(|()| locks.begin(true));
    lock(&mut locks, ONE, reader, Mode::Read);
    waits(lock(&mut locks, ONE, writer, Mode::Write));
    assert_eq!(lock(&mut locks, ONE, reader, Mode::Read), Asked::Granted);
    assert_eq!(lock(&mut locks, ONE, reader, Mode::Write), Asked::Granted);
    assert!(locks.victims().is_empty());
}

#[test]
fn those_who_only_share_a_set_with_a_waiter_do_not_overtake_it() {
    let mut locks = Locks::new(100);
    let [writer, reader, both] = [(); 3].map(|()| locks.begin(true));
    lock(&mut locks, ONE, writer, Mode::IntentionWrite);
    lock(&mut locks, ONE, both, Mode::IntentionRead);
    waits(lock(&mut locks, ONE, reader, Mode::Read));
    // It has a lock in the set, but not one that the reader waits for.
    waits(lock(&mut locks, ONE, both, Mode::IntentionWrite));
}

#[test]
fn a_deadlock_over_two_sets_has_the_youngest_as_its_victim() {
    let mut locks = Locks::new(100);
    let [old, young] = [(); 2].map(|()| locks.begin(true));
    lock(&mut locks, ONE, old, Mode::Write);
    lock(&mut locks, TWO, young, Mode::Write);
    let wanted = waits(lock(&mut locks, ONE, young, Mode::Write));
    let other = waits(lock(&mut locks, TWO, old, Mode::Write));
    assert_eq!(locks.victims(), [young]);
    assert_eq!(locks.outcomes(), [(wanted, Err(Refusal::Deadlock))]);
    assert_eq!(locks.lock(TWO, young, Mode::Read, NOW, None), Err(Refusal::Deadlock));
    locks.end(young);
    assert_eq!(locks.outcomes(), [(other, Ok(()))]);
}

#[test]
fn two_readers_that_both_want_to_write_are_a_deadlock_and_upgrade_locks_are_none() {
    let mut locks = Locks::new(100);
    let [one, other] = [(); 2].map(|()| locks.begin(false));
    lock(&mut locks, ONE, one, Mode::Read);
    lock(&mut locks, ONE, other, Mode::Read);
    let change = (Mode::Read, Mode::Write);
    let first = locks.change_mode(ONE, one, change, NOW, None).unwrap();
    let second = waits(locks.change_mode(ONE, other, change, NOW, None).unwrap());
    assert_eq!(locks.outcomes(), [(second, Err(Refusal::Deadlock))]);
    // It is no transaction: it has its lock still, and gives way when it releases it.
    assert_eq!(locks.count(ONE, other, Mode::Read), 1);
    locks.unlock(ONE, other, Mode::Read).unwrap();
    assert_eq!(locks.outcomes(), [(waits(first), Ok(()))]);
    assert_eq!((locks.count(ONE, one, Mode::Read), locks.count(ONE, one, Mode::Write)), (0, 1));

    let mut locks = Locks::new(100);
    let [one, other] = [(); 2].map(|()| locks.begin(true));
    lock(&mut locks, ONE, one, Mode::Upgrade);
    let behind = waits(lock(&mut locks, ONE, other, Mode::Upgrade));
    let change = (Mode::Upgrade, Mode::Write);
    assert_eq!(locks.change_mode(ONE, one, change, NOW, None), Ok(Asked::Granted));
    locks.end(one);
    assert_eq!(locks.outcomes(), [(behind, Ok(()))]);
}

#[test]
fn waits_end_with_their_time_and_free_who_waits_behind_them() {
    let mut locks = Locks::new(100);
    let [reader, writer, late] = [(); 3].map(|()| locks.begin(true));
    lock(&mut locks, ONE, reader, Mode::Read);
    let soon = Duration::from_secs(1);
    let wanted = waits(locks.lock(ONE, writer, Mode::Write, NOW, Some(soon)).unwrap());
    let behind = waits(lock(&mut locks, ONE, late, Mode::Read));
    locks.expire(soon / 2);
    assert_eq!(locks.outcomes(), []);
    locks.expire(soon);
    assert_eq!(locks.next_deadline(), None);
    let mut outcomes = locks.outcomes();
    outcomes.sort_by_key(|(ticket, _)| *ticket);
    assert_eq!(outcomes, [(wanted, Err(Refusal::TimedOut)), (behind, Ok(()))]);
}

#[test]
fn locks_and_waits_are_bounded_and_sets_without_them_cost_nothing() {
    let mut locks = Locks::new(3);
    let holder = locks.begin(true);
    for set in 0..3 {
        lock(&mut locks, SetId { group: 7, set }, holder, Mode::Read);
    }
    assert_eq!(locks.lock(ONE, holder, Mode::Read, NOW, None), Err(Refusal::TooMany));
    locks.drop_locks(holder, Some(8));
    assert_eq!(locks.totals(), (3, 0, 3));
    locks.drop_locks(holder, Some(7));
    assert_eq!(locks.totals(), (0, 0, 0));
}

#[test]
fn a_long_queue_is_passed_in_order() {
    let mut locks = Locks::new(100_000);
    let first = locks.begin(true);
    lock(&mut locks, ONE, first, Mode::Write);
    let others: Vec<_> = (0..2_000).map(|_| locks.begin(true)).collect();
    let ask = |holder: &Holder| waits(lock(&mut locks, ONE, *holder, Mode::Write));
    let tickets: Vec<_> = others.iter().map(ask).collect();
    locks.end(first);
    for (holder, ticket) in others.into_iter().zip(tickets) {
        assert_eq!(locks.outcomes(), [(ticket, Ok(()))]);
        locks.end(holder);
    }
}
