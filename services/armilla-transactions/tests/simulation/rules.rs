//! Rules of the protocol, one by one, without a world.

use armilla_transactions::model::{
    Action, Event, Forced, GlobalId, Heuristic, Key, Kind, Options, Outcome, Record, Refusal,
    Reply, Status, SuperiorAnswer, Transaction, Vote, recover,
};
use std::time::Duration;

const KEY: Key = Key([7; 16]);
const NOW: Duration = Duration::from_secs(1);

fn root(participants: usize) -> Transaction {
    with(Transaction::root(KEY, GlobalId::default(), None, Options::default()), participants)
}

fn subordinate(participants: usize) -> Transaction {
    let made = Transaction::subordinate(KEY, GlobalId::default(), None, Options::default());
    let mut made = with(made, participants);
    made.set_superior("superior".into());
    made
}

fn with(mut transaction: Transaction, participants: usize) -> Transaction {
    for number in 0..participants {
        transaction.register(format!("participant {number}").into()).unwrap();
    }
    transaction
}

fn forces(actions: &[Action]) -> usize {
    actions.iter().filter(|it| matches!(it, Action::Force(_))).count()
}

fn reply(actions: &[Action]) -> Option<Reply> {
    actions.iter().find_map(|it| match it {
        Action::Reply(reply) => Some(*reply),
        _ => None,
    })
}

/// Both participants vote, and the decision is on the disk.
fn decided() -> Transaction {
    let mut it = root(2);
    it.handle(Event::Commit, NOW);
    it.handle(Event::Voted(0, Ok(Vote::Commit)), NOW);
    let actions = it.handle(Event::Voted(1, Ok(Vote::Commit)), NOW);
    assert_eq!(forces(&actions), 1);
    let actions = it.handle(Event::Forced(Forced::Durable), NOW);
    assert_eq!(actions, [Action::Commit(0), Action::Commit(1)]);
    it
}

#[test]
fn a_transaction_without_participants_writes_nothing() {
    let actions = root(0).handle(Event::Commit, NOW);
    assert_eq!(actions, [Action::Reply(Reply::Outcome(Outcome::Committed)), Action::End]);
}

#[test]
fn a_single_participant_decides_and_nothing_is_written() {
    let mut it = root(1);
    assert_eq!(it.handle(Event::Commit, NOW), [Action::CommitOnePhase(0)]);
    let actions = it.handle(Event::OnePhase(0, Ok(())), NOW);
    assert_eq!(actions, [Action::Reply(Reply::Outcome(Outcome::Committed)), Action::End]);
}

#[test]
fn readers_are_not_told_and_write_nothing() {
    let mut it = root(2);
    it.handle(Event::Commit, NOW);
    it.handle(Event::Voted(0, Ok(Vote::ReadOnly)), NOW);
    let actions = it.handle(Event::Voted(1, Ok(Vote::ReadOnly)), NOW);
    assert_eq!(actions, [Action::Reply(Reply::Outcome(Outcome::Committed)), Action::End]);
}

#[test]
fn one_vote_to_roll_back_rolls_all_back_and_nothing_is_written() {
    let mut it = root(3);
    it.handle(Event::Commit, NOW);
    it.handle(Event::Voted(0, Ok(Vote::Commit)), NOW);
    it.handle(Event::Voted(1, Ok(Vote::Rollback)), NOW);
    // It may have prepared before it fell silent: it is told.
    let silent = Err(Refusal::Unreachable { maybe_done: true });
    let actions = it.handle(Event::Voted(2, silent), NOW);
    assert_eq!(actions, [Action::Rollback(0), Action::Rollback(2)]);
    it.handle(Event::Delivered(0, Ok(())), NOW);
    let actions = it.handle(Event::Delivered(2, silent.map(|_| ())), NOW);
    assert_eq!(actions, [Action::Reply(Reply::Outcome(Outcome::RolledBack)), Action::End]);
}

#[test]
fn the_client_is_answered_before_a_silent_participant_is() {
    let mut it = decided();
    it.handle(Event::Delivered(0, Ok(())), NOW);
    let silent = Err(Refusal::Unreachable { maybe_done: true });
    let actions = it.handle(Event::Delivered(1, silent), NOW);
    assert_eq!(actions, [Action::Reply(Reply::Outcome(Outcome::Committed))]);
    let wakes = it.wake_at().expect("it is told again");
    assert_eq!(it.handle(Event::Tick, wakes - Duration::from_millis(1)), []);
    assert_eq!(it.handle(Event::Tick, wakes), [Action::Commit(1)]);
    // It has heard of it the first time, and forgotten.
    let actions = it.handle(Event::Delivered(1, Err(Refusal::Gone)), wakes);
    let end = Record { key: KEY, kind: Kind::End };
    assert_eq!(actions, [Action::Write(end), Action::End]);
}

#[test]
fn one_that_was_not_reached_before_it_was_gone_has_not_heard_of_the_decision() {
    let mut it = decided();
    it.handle(Event::Delivered(0, Ok(())), NOW);
    let away = Err(Refusal::Unreachable { maybe_done: false });
    let actions = it.handle(Event::Delivered(1, away), NOW);
    assert_eq!(actions, [Action::Reply(Reply::Outcome(Outcome::Committed))]);
    it.handle(Event::Tick, it.wake_at().unwrap());
    let actions = it.handle(Event::Delivered(1, Err(Refusal::Gone)), NOW);
    assert_eq!(forces(&actions), 1, "{actions:?}");
    it.handle(Event::Forced(Forced::Durable), NOW);
    assert_eq!(it.heuristic(), Some(Heuristic::Hazard));

    // Unless it has asked meanwhile.
    let mut it = decided();
    it.handle(Event::Delivered(0, Ok(())), NOW);
    it.handle(Event::Delivered(1, away), NOW);
    it.handle(Event::Replay(Some(1)), NOW);
    it.handle(Event::Tick, it.wake_at().unwrap());
    let actions = it.handle(Event::Delivered(1, Err(Refusal::Gone)), NOW);
    assert_eq!(actions.last(), Some(&Action::End), "{actions:?}");
}

#[test]
fn one_in_doubt_answers_its_superior_after_a_restart() {
    let prepared = Kind::Prepared {
        global: GlobalId::default(),
        superior: "superior".into(),
        participants: vec!["participant 0".into()],
    };
    let restored = || {
        let record = Record { key: KEY, kind: prepared.clone() };
        recover(&[record], NOW, Options::default()).remove(0)
    };
    let mut it = restored();
    it.handle(Event::CommitPrepared, NOW);
    it.handle(Event::Forced(Forced::Durable), NOW);
    let actions = it.handle(Event::Delivered(0, Ok(())), NOW);
    assert_eq!(reply(&actions), Some(Reply::Outcome(Outcome::Committed)), "{actions:?}");
    assert_eq!(actions.last(), Some(&Action::End));

    let mut it = restored();
    it.handle(Event::Rollback, NOW);
    let actions = it.handle(Event::Delivered(0, Ok(())), NOW);
    assert_eq!(reply(&actions), Some(Reply::Outcome(Outcome::RolledBack)), "{actions:?}");
}

#[test]
fn votes_that_come_too_late_roll_back() {
    let until = NOW + Duration::from_secs(1);
    let made = Transaction::root(KEY, GlobalId::default(), Some(until), Options::default());
    let mut it = with(made, 2);
    it.handle(Event::Commit, NOW);
    it.handle(Event::Voted(0, Ok(Vote::Commit)), NOW);
    let actions = it.handle(Event::Voted(1, Ok(Vote::Commit)), until);
    assert_eq!(actions, [Action::Rollback(0), Action::Rollback(1)]);
    assert!(it.has_timed_out());
}

#[test]
fn attempts_come_rarer_up_to_a_bound() {
    let mut it = decided();
    it.handle(Event::Delivered(0, Ok(())), NOW);
    let (mut now, mut waits) = (NOW, Vec::new());
    for _ in 0..8 {
        it.handle(Event::Delivered(1, Err(Refusal::Other)), now);
        let next = it.wake_at().unwrap();
        waits.push((next - now).as_millis());
        now = next;
        it.handle(Event::Tick, now);
    }
    // The first follows at once.
    assert_eq!(waits, [0, 250, 500, 1000, 2000, 2000, 2000, 2000]);
}

#[test]
fn a_heuristic_outcome_is_written_told_and_kept_until_it_is_forgotten() {
    let mut it = decided();
    it.handle(Event::Delivered(0, Ok(())), NOW);
    let actions = it.handle(Event::Delivered(1, Err(Refusal::Heuristic(Heuristic::Rollback))), NOW);
    assert_eq!(forces(&actions), 1, "{actions:?}");
    let actions = it.handle(Event::Forced(Forced::Durable), NOW);
    let mixed = Outcome::Heuristic { committed: true, what: Heuristic::Mixed };
    assert_eq!(actions, [Action::Reply(Reply::Outcome(mixed))]);
    assert_eq!(it.heuristic(), Some(Heuristic::Mixed));
    let actions = it.handle(Event::Forget, NOW);
    assert_eq!(actions[..2], [Action::Forget(1), Action::Reply(Reply::Done)]);
    assert_eq!(actions.last(), Some(&Action::End));
}

#[test]
fn who_did_alone_what_is_decided_then_did_nothing_else() {
    let mut it = root(2);
    it.handle(Event::Commit, NOW);
    it.handle(Event::Voted(0, Ok(Vote::Commit)), NOW);
    let alone = |what| Err(Refusal::Heuristic(what));
    let actions =
        it.handle(Event::Voted(1, alone(Heuristic::Rollback).map(|()| Vote::Commit)), NOW);
    assert_eq!(actions, [Action::Forget(1), Action::Rollback(0)]);
    let actions = it.handle(Event::Delivered(0, Ok(())), NOW);
    assert_eq!(actions, [Action::Reply(Reply::Outcome(Outcome::RolledBack)), Action::End]);

    // The only participant decides.
    for (what, outcome) in
        [(Heuristic::Commit, Outcome::Committed), (Heuristic::Rollback, Outcome::RolledBack)]
    {
        let mut it = root(1);
        it.handle(Event::Commit, NOW);
        let actions = it.handle(Event::OnePhase(0, alone(what)), NOW);
        let reply = Action::Reply(Reply::Outcome(outcome));
        assert_eq!(actions, [Action::Forget(0), reply, Action::End]);
    }
}

#[test]
fn a_heuristic_outcome_survives_a_restart() {
    let records: Vec<Record> = {
        let mut it = root(2);
        it.handle(Event::Commit, NOW);
        it.handle(Event::Voted(0, Ok(Vote::Commit)), NOW);
        let mut actions = it.handle(Event::Voted(1, Ok(Vote::Commit)), NOW);
        actions.extend(it.handle(Event::Forced(Forced::Durable), NOW));
        actions.extend(it.handle(Event::Delivered(0, Ok(())), NOW));
        let refusal = Err(Refusal::Heuristic(Heuristic::Rollback));
        actions.extend(it.handle(Event::Delivered(1, refusal), NOW));
        let forced = actions.into_iter().filter_map(|it| match it {
            Action::Force(record) => Some(record),
            _ => None,
        });
        forced.collect()
    };
    assert_eq!(records.len(), 2);
    let mut recovered = recover(&records, NOW, Options::default());
    let it = &mut recovered[0];
    // Whether the other has heard of the decision is not in the log: it is told again.
    assert_eq!(it.handle(Event::Tick, NOW), [Action::Commit(0)]);
    it.handle(Event::Delivered(0, Err(Refusal::Gone)), NOW);
    assert_eq!(it.heuristic(), Some(Heuristic::Mixed));
}

#[test]
fn after_a_failed_write_nothing_is_decided() {
    let mut it = root(2);
    it.handle(Event::Commit, NOW);
    it.handle(Event::Voted(0, Ok(Vote::Commit)), NOW);
    it.handle(Event::Voted(1, Ok(Vote::Commit)), NOW);
    let actions = it.handle(Event::Forced(Forced::Unknown), NOW);
    assert_eq!(actions, [Action::Reply(Reply::Outcome(Outcome::Unknown))]);
    // Participants that ask are told to ask again.
    assert_eq!(reply(&it.handle(Event::Replay(Some(0)), NOW)), Some(Reply::Busy));
}

#[test]
fn a_full_disk_rolls_back() {
    let mut it = root(2);
    it.handle(Event::Commit, NOW);
    it.handle(Event::Voted(0, Ok(Vote::Commit)), NOW);
    it.handle(Event::Voted(1, Ok(Vote::Commit)), NOW);
    let actions = it.handle(Event::Forced(Forced::Absent), NOW);
    assert_eq!(actions, [Action::Rollback(0), Action::Rollback(1)]);
}

#[test]
fn a_call_that_is_still_under_way_keeps_a_transaction_from_committing() {
    let mut it = root(0);
    it.handle(Event::CallBegan, NOW);
    let outcome = reply(&it.handle(Event::Commit, NOW));
    assert_eq!(outcome, Some(Reply::Outcome(Outcome::RolledBack)));
}

#[test]
fn a_synchronization_may_register_others_and_a_failing_one_rolls_back() {
    let mut it = root(0);
    it.register_synchronization().unwrap();
    assert_eq!(it.handle(Event::Commit, NOW), [Action::Before(0)]);
    it.register_synchronization().unwrap();
    let before = |synchronization, failed| Event::Before { synchronization, failed };
    assert_eq!(it.handle(before(0, false), NOW), [Action::Before(1)]);
    let actions = it.handle(before(1, true), NOW);
    assert_eq!(
        actions,
        [
            Action::After(0, Status::RolledBack),
            Action::After(1, Status::RolledBack),
            Action::Reply(Reply::Outcome(Outcome::RolledBack)),
            Action::End
        ]
    );
}

#[test]
fn time_ends_what_is_active_and_not_what_is_in_doubt() {
    let options = Options::default();
    let deadline = Some(Duration::from_secs(5));
    let late = Duration::from_secs(60);
    let made = |it| with(it, 1);
    let mut active = made(Transaction::root(KEY, GlobalId::default(), deadline, options));
    assert_eq!(active.wake_at(), deadline);
    assert_eq!(active.handle(Event::Tick, late), [Action::Rollback(0)]);
    assert!(active.has_timed_out());
    assert!(active.register("late".into()).is_err());

    let mut doubtful = made(Transaction::subordinate(KEY, GlobalId::default(), deadline, options));
    doubtful.set_superior("superior".into());
    doubtful.handle(Event::Prepare, NOW);
    doubtful.handle(Event::Voted(0, Ok(Vote::Commit)), NOW);
    let actions = doubtful.handle(Event::Forced(Forced::Durable), NOW);
    assert_eq!(actions, [Action::Reply(Reply::Vote(Vote::Commit))]);
    assert_eq!(doubtful.handle(Event::Tick, late), [Action::AskSuperior]);
    doubtful.handle(Event::Superior(SuperiorAnswer::AskAgain), late);
    assert_eq!(doubtful.status(), Status::Prepared);
    let actions = doubtful.handle(Event::Superior(SuperiorAnswer::RolledBack), late);
    assert_eq!(actions, [Action::Rollback(0)]);
}

#[test]
fn an_operators_decision_is_compared_with_the_superiors() {
    let doubtful = || {
        let mut it = subordinate(1);
        it.handle(Event::Prepare, NOW);
        it.handle(Event::Voted(0, Ok(Vote::Commit)), NOW);
        it.handle(Event::Forced(Forced::Durable), NOW);
        it.handle(Event::Decide { commit: true }, NOW);
        it.handle(Event::Forced(Forced::Durable), NOW);
        it.handle(Event::Delivered(0, Ok(())), NOW);
        it
    };
    let mut agrees = doubtful();
    let actions = agrees.handle(Event::CommitPrepared, NOW);
    assert_eq!(reply(&actions), Some(Reply::Outcome(Outcome::Committed)));
    assert_eq!(actions.last(), Some(&Action::End));

    let mut contradicts = doubtful();
    let told = Outcome::Heuristic { committed: true, what: Heuristic::Commit };
    let answer = reply(&contradicts.handle(Event::Rollback, NOW));
    assert_eq!(answer, Some(Reply::Outcome(told)));
    assert_eq!(contradicts.heuristic(), Some(Heuristic::Commit));
    assert_eq!(contradicts.handle(Event::Forget, NOW).last(), Some(&Action::End));
}

#[test]
fn a_prepare_that_comes_twice_gets_the_same_vote() {
    let mut it = subordinate(1);
    it.handle(Event::Prepare, NOW);
    it.handle(Event::Voted(0, Ok(Vote::Commit)), NOW);
    assert_eq!(reply(&it.handle(Event::Prepare, NOW)), Some(Reply::Busy));
    it.handle(Event::Forced(Forced::Durable), NOW);
    assert_eq!(reply(&it.handle(Event::Prepare, NOW)), Some(Reply::Vote(Vote::Commit)));
}

#[test]
fn a_subtransaction_asks_for_no_votes_and_hands_its_participants_up() {
    let mut part = with(root(0).nested(), 2);
    assert_eq!(part.handle(Event::Commit, NOW), [Action::Bequeath]);
    let actions = part.handle(Event::Inherited(true), NOW);
    assert_eq!(actions, [Action::Reply(Reply::Outcome(Outcome::Committed)), Action::End]);
}

#[test]
fn a_subtransaction_whose_participants_nobody_takes_rolls_back() {
    let mut part = with(root(0).nested(), 2);
    part.handle(Event::Commit, NOW);
    let actions = part.handle(Event::Inherited(false), NOW);
    assert_eq!(actions, [Action::Rollback(0), Action::Rollback(1)]);
    part.handle(Event::Delivered(0, Ok(())), NOW);
    let actions = part.handle(Event::Delivered(1, Ok(())), NOW);
    assert_eq!(actions, [Action::Reply(Reply::Outcome(Outcome::RolledBack)), Action::End]);
}

#[test]
fn only_the_superior_commits_a_subtransaction_and_none_asks_for_its_vote() {
    let mut part = subordinate(1).nested();
    for event in [Event::Commit, Event::Prepare, Event::CommitOnePhase] {
        assert_eq!(reply(&part.handle(event, NOW)), Some(Reply::Refused));
    }
    assert_eq!(part.handle(Event::CommitSubtransaction, NOW), [Action::Bequeath]);
    assert_eq!(reply(&root(1).handle(Event::CommitSubtransaction, NOW)), Some(Reply::Refused));
}

#[test]
fn a_transaction_with_a_part_under_way_rolls_back_whatever_is_checked() {
    let options = Options { checked: false, ..Options::default() };
    let mut whole = with(Transaction::root(KEY, GlobalId::default(), None, options), 2);
    whole.part_began().unwrap();
    assert_eq!(whole.handle(Event::Commit, NOW), [Action::Rollback(0), Action::Rollback(1)]);
    assert!(whole.part_began().is_err());
}
