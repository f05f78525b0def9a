//! The rules of a group in a world of failures, under a seed: messages are lost before and after
//! they arrive, members die and come back, or stand still in the middle of a request, clocks go wrong,
//! backups lose patience for no reason, the registry does not answer. Whatever happens, each request is
//! executed once in the history that survives, each of its replies is the same, and what is read is never
//! out of date.

mod object;
mod world;

use armilla_replication::model::{Begun, Member, Position, Request, Role, Served, Style};
use object::Counts;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use world::{MEMBERS, Mistake, World};

/// The first number of the requests that others send, once each, while a member stands still.
const OTHERS: u64 = 1_000_000;

/// A world, and what its clients know.
struct Run {
    seed: u64,
    world: World,
    replies: RefCell<BTreeMap<u64, Vec<u8>>>,
    /// What was read.
    seen: RefCell<BTreeSet<u64>>,
    reads: Cell<u64>,
    /// How many requests others have sent.
    others: Cell<u64>,
    /// How many members stand still.
    standing: Cell<u64>,
}

/// What came of runs.
#[derive(Default)]
struct Outcome {
    answered: u64,
    views: u64,
    reads: u64,
    alone: u64,
    deviated: u64,
}

impl Run {
    fn new(seed: u64, world: World) -> Self {
        let (replies, seen, reads, others, standing) = Default::default();
        Self { seed, world, replies, seen, reads, others, standing }
    }

    /// Something happens somewhere. Returns where.
    fn happen(&self) -> usize {
        let world = &self.world;
        let place = world.random.below(MEMBERS as u64) as usize;
        world.step();
        world.bury();
        match world.random.below(12) {
            0 if world.trouble.get() > 8 && !world.random.one_in(4) => {}
            0 if world.disks.is_some() || world.survives(place) => world.kill(place),
            1 => world.start(place),
            2..=4 => world.tick(place),
            _ => {}
        }
        place
    }

    /// The process that serves a request stands still. Meanwhile others send requests, and read.
    fn stand_still(&self) {
        if self.standing.get() >= 2 || !self.world.random.one_in(8) {
            return;
        }
        self.standing.set(self.standing.get() + 1);
        self.world.stand();
        for _ in 0..self.world.random.below(20) {
            let place = self.happen();
            match self.world.random.below(4) {
                0 => self.read(place),
                1 => {
                    let number = self.others.get();
                    self.others.set(number + 1);
                    self.write(place, OTHERS + number);
                }
                _ => self.world.tick(place),
            }
        }
        self.standing.set(self.standing.get() - 1);
    }

    fn serve(
        &self,
        place: usize,
        request: Request,
        execute: impl FnOnce(&Counts) -> Vec<u8>,
    ) -> Option<Served> {
        let mut slot = self.world.slots[place].try_borrow_mut().ok()?;
        let execute = |state: &Counts, _: Option<Position>| {
            self.stand_still();
            let reply = execute(state);
            self.stand_still();
            Some((0, reply))
        };
        Some(slot.as_mut()?.serve(&self.world.at(place), request, 0, execute))
    }

    /// A member is sent a request. Whether it has replied. Now and then others send one at the same time,
    /// so that the backups are told of all at once.
    fn write(&self, place: usize, number: u64) -> bool {
        let mut numbers = vec![number];
        while numbers.len() < 4 && self.world.random.one_in(4) {
            let other = self.others.get();
            self.others.set(other + 1);
            numbers.push(OTHERS + other);
        }
        if self.world.random.one_in(2) {
            numbers.reverse();
        }
        let Ok(mut slot) = self.world.slots[place].try_borrow_mut() else { return false };
        let Some(member) = slot.as_mut() else { return false };
        let here = self.world.at(place);
        let begun: Vec<_> =
            numbers.iter().map(|number| self.begin(member, place, *number)).collect();
        if self.world.mistake == Mistake::Early {
            for (sent, begun) in numbers.iter().zip(&begun) {
                if let Begun::Pending(pending) = begun {
                    self.note_reply(*sent, pending.clone().settled());
                }
            }
        }
        member.settle_all(&here).ok();
        let mut has_replied = false;
        for (sent, begun) in numbers.into_iter().zip(begun) {
            let served = match begun {
                Begun::Done(served) => served,
                Begun::Pending(pending) => {
                    let outcome = member.outcome(&pending).expect("the backups were told");
                    if outcome.is_err() {
                        continue;
                    }
                    pending.settled()
                }
            };
            has_replied |= self.note_reply(sent, served) && sent == number;
        }
        has_replied
    }

    fn begin(&self, member: &mut Member<Counts>, place: usize, number: u64) -> Begun {
        let identity = Some(("client".to_owned(), number as i32, u64::MAX));
        let request = Request { identity, octets: number.to_le_bytes().into(), reads: false };
        member.begin(&self.world.at(place), request, 0, |state, _| {
            self.stand_still();
            let reply = state.execute_number(number);
            self.stand_still();
            Some((0, reply))
        })
    }

    /// Whether that is a reply.
    fn note_reply(&self, number: u64, served: Served) -> bool {
        let Served::Reply(0, body, _) = served else { return false };
        if let Some(before) = self.replies.borrow_mut().insert(number, body.clone()) {
            assert_eq!(before, body, "seed {}: request {number} has two replies", self.seed);
        }
        true
    }

    /// A member is asked what it has. It must have at least what anybody knew when it was asked.
    fn read(&self, place: usize) {
        let mut known: BTreeSet<u64> = self.replies.borrow().keys().copied().collect();
        known.extend(self.seen.borrow().iter());
        let request = Request { reads: true, ..Request::default() };
        let found = RefCell::new(BTreeSet::new());
        let served = self.serve(place, request, |state| {
            found.borrow_mut().extend(state.all.borrow().keys());
            Vec::new()
        });
        if let Some(Served::Reply(..)) = served {
            let found = found.into_inner();
            let lacks: Vec<_> = known.difference(&found).collect();
            assert!(lacks.is_empty(), "seed {}: a read at {place} lacks {lacks:?}", self.seed);
            self.seen.borrow_mut().extend(found);
            self.reads.set(self.reads.get() + 1);
        }
    }

    /// A client sends its request again, to any member, until it has a reply. Others read.
    fn call(&self, number: u64) {
        let Self { seed, world, .. } = self;
        for attempt in 0.. {
            assert!(
                attempt < 10_000,
                "seed {seed}: request {number} is never answered: {:?} {:?}",
                world.registry.borrow(),
                world.slots
            );
            let place = self.happen();
            if world.random.one_in(2) {
                self.read(place);
            }
            // The reply may be lost, and the client sends once more.
            if self.write(place, number) && !world.fails() {
                return;
            }
        }
    }

    /// When trouble ends, the primary has executed each request once, and so have its backups.
    fn check(&self, requests: u64) {
        let Self { seed, world, .. } = self;
        world.trouble.set(0);
        world.bury();
        for disk in world.disks.iter().flatten() {
            disk.0.lock().unwrap().fate = None;
        }
        for round in 0.. {
            assert!(
                round < 300,
                "seed {seed}: there is no primary of {:?}: {:?}",
                world.registry.borrow(),
                world.slots
            );
            world.step();
            for place in 0..MEMBERS {
                // With disks all may be gone, and all come back.
                if world.disks.is_some() {
                    world.start(place);
                }
                world.tick(place);
            }
            let latest = world.registry.borrow().clone().unwrap();
            let place: usize = latest.members[0].name.parse().unwrap();
            let found = world.with(place, |member| {
                (member.role() == Role::Primary && *member.view() == latest)
                    .then(|| (member.last(), member.state().all.borrow().clone()))
            });
            if let Some(Some((last, counts))) = found {
                self.check_counts(requests, &counts);
                for place in 0..MEMBERS {
                    let same = world.with(place, |it| {
                        let follows = it.role() == Role::Backup && it.last() == last;
                        let is_warm = it.style() != Style::ColdPassive;
                        !(follows && is_warm) || *it.state().all.borrow() == counts
                    });
                    assert_ne!(same, Some(false), "seed {seed}: {place} has another state");
                }
                return;
            }
        }
    }

    fn check_counts(&self, requests: u64, counts: &BTreeMap<u64, u32>) {
        let seed = self.seed;
        let twice: Vec<_> = counts.iter().filter(|(_, count)| **count != 1).collect();
        assert!(twice.is_empty(), "seed {seed}: executed more than once: {twice:?}");
        let own: Vec<u64> = counts.keys().copied().filter(|number| *number < OTHERS).collect();
        assert_eq!(own, (0..requests).collect::<Vec<_>>(), "seed {seed}");
        let known = self.replies.borrow();
        let lost: Vec<_> = known.keys().filter(|number| !counts.contains_key(number)).collect();
        assert!(lost.is_empty(), "seed {seed}: replied to and lost: {lost:?}");
        let seen = self.seen.borrow();
        let lost: Vec<_> = seen.iter().filter(|number| !counts.contains_key(number)).collect();
        assert!(lost.is_empty(), "seed {seed}: read and lost: {lost:?}");
    }

    /// Runs the world until a client has sent so many requests.
    fn run(&self, requests: u64, outcome: &mut Outcome) {
        (0..MEMBERS).for_each(|place| self.world.start(place));
        (0..requests).for_each(|number| self.call(number));
        self.check(requests);
        let own = self.replies.borrow().keys().filter(|number| **number < OTHERS).count();
        outcome.answered += own as u64;
        outcome.views += u64::from(self.world.registry.borrow().as_ref().unwrap().version);
        outcome.reads += self.reads.get();
        let (alone, deviated) = self.world.seen();
        (outcome.alone, outcome.deviated) = (outcome.alone + alone, outcome.deviated + deviated);
    }
}

const REQUESTS: u64 = 30;

const STYLES: [Style; 3] = [Style::ColdPassive, Style::WarmPassive, Style::Active];

fn seeds() -> u64 {
    std::env::var("SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000)
}

fn run_all(has_disks: bool) {
    let (mut outcome, seeds) = (Outcome::default(), seeds());
    for seed in 1..=seeds {
        let style = STYLES[(seed % 3) as usize];
        let world = World::new(seed, style, has_disks, Mistake::None);
        Run::new(seed, world).run(REQUESTS, &mut outcome);
    }
    let Outcome { answered, views, reads, alone, deviated } = outcome;
    assert_eq!((answered, deviated), (seeds * REQUESTS, 0));
    assert!(views > seeds * 5, "the groups changed only {views} times in {seeds} worlds");
    assert!(
        alone > seeds && reads - alone > seeds / 2,
        "{alone} of {reads} reads were answered alone"
    );
}

#[test]
fn each_request_is_executed_once_whatever_fails_and_nothing_old_is_read() {
    run_all(false);
}

#[test]
fn with_disks_the_same_holds_although_all_members_die() {
    run_all(true);
}

#[test]
fn active_members_whose_servants_deviate_leave_and_the_group_goes_on() {
    let (mut outcome, seeds) = (Outcome::default(), seeds() / 3);
    for seed in 1..=seeds {
        let mut world = World::new(seed, Style::Active, false, Mistake::None);
        world.has_bad_servants = true;
        Run::new(seed, world).run(REQUESTS, &mut outcome);
    }
    assert!(outcome.deviated > seeds / 10, "only {} have deviated", outcome.deviated);
}

#[test]
fn mistakes_are_found() {
    for (mistake, style) in [
        (Mistake::LongLease, Style::WarmPassive),
        (Mistake::WildClocks, Style::WarmPassive),
        (Mistake::Forgets, Style::Active),
        (Mistake::Twice, Style::Active),
        (Mistake::Early, Style::WarmPassive),
    ] {
        let found = (1..=1_000).find(|seed| {
            let run = Run::new(*seed, World::new(*seed, style, false, mistake));
            let run = AssertUnwindSafe(|| run.run(REQUESTS, &mut Outcome::default()));
            catch_unwind(run).is_err()
        });
        println!("{mistake:?}: {found:?}");
        assert!(found.is_some(), "nobody finds {mistake:?}");
    }
}
