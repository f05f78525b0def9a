//! Random programs, each step judged by the oracle.

use crate::oracle::{Oracle, Request, conflict};
use armilla_cos::locks::model::{Asked, Holder, Locks, Mode, Refusal, SetId, Ticket};
use std::time::Duration;

/// Numbers that look random, and are the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as usize % end
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

struct World {
    random: Random,
    locks: Locks,
    oracle: Oracle,
    now: Duration,
    deadlines: Vec<(Ticket, Duration)>,
    transactions: Vec<Holder>,
    victims: usize,
    granted: usize,
}

const SETS: [SetId; 3] =
    [SetId { group: 1, set: 1 }, SetId { group: 1, set: 2 }, SetId { group: 2, set: 1 }];

impl World {
    fn new(seed: u64) -> Self {
        let mut locks = Locks::new(1000);
        let transactions = (0..4).map(|_| locks.begin(true)).collect();
        Self {
            random: Random(seed),
            locks,
            oracle: Oracle::default(),
            now: Duration::ZERO,
            deadlines: Vec::new(),
            transactions,
            victims: 0,
            granted: 0,
        }
    }

    fn step(&mut self) {
        let (set, mode) = (self.random.of(&SETS), self.random.of(&Mode::ALL));
        let transactions = self.transactions.clone();
        let holder = self.random.of(&transactions);
        self.now += Duration::from_millis(1);
        let before = self.oracle.clone();
        match self.random.below(12) {
            0..=4 => self.lock(set, holder, mode, None),
            5 => self.try_lock(set, holder, mode),
            6 | 7 => {
                let held = self.random.of(&Mode::ALL);
                self.lock(set, holder, mode, Some(held));
            }
            8 | 9 => {
                let result = self.locks.unlock(set, holder, mode);
                assert_eq!(result.is_ok(), self.oracle.take((set, holder, mode)));
            }
            10 if self.random.below(2) == 0 => {
                self.locks.drop_locks(holder, Some(set.group));
                self.oracle.held.retain(|(it, who, _)| it.group != set.group || *who != holder);
            }
            10 => self.cancel(),
            _ if self.random.below(2) == 0 => self.end(holder),
            _ => {
                self.now += Duration::from_millis(self.random.below(30) as u64);
                self.locks.expire(self.now);
            }
        }
        self.settle(&before);
    }

    fn lock(&mut self, set: SetId, holder: Holder, mode: Mode, gives: Option<Mode>) {
        let deadline = (self.random.below(2) == 0).then(|| self.now + Duration::from_millis(20));
        let asked = match gives {
            None => self.locks.lock(set, holder, mode, self.now, deadline),
            Some(held) => self.locks.change_mode(set, holder, (held, mode), self.now, deadline),
        };
        let request = |ticket| Request { ticket, set, holder, mode, gives };
        match asked {
            Ok(Asked::Granted) => self.grant(request(Ticket(u64::MAX))),
            Ok(Asked::Waits(ticket)) => {
                self.oracle.waits.push(request(ticket));
                self.deadlines.extend(deadline.map(|deadline| (ticket, deadline)));
            }
            Err(Refusal::NotHeld) => {
                let gives = gives.expect("only a change needs a lock");
                let held = self.oracle.held.iter().filter(|it| **it == (set, holder, gives));
                let promised = self
                    .oracle
                    .waits
                    .iter()
                    .filter(|it| (it.set, it.holder, it.gives) == (set, holder, Some(gives)));
                assert!(held.count() <= promised.count(), "it has the lock");
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    fn try_lock(&mut self, set: SetId, holder: Holder, mode: Mode) {
        let request = Request { ticket: Ticket(u64::MAX), set, holder, mode, gives: None };
        let free = self.oracle.blockers(&request).is_empty();
        assert_eq!(self.locks.try_lock(set, holder, mode), Ok(free));
        if free {
            self.grant(request);
        }
    }

    fn cancel(&mut self) {
        let count = self.oracle.waits.len();
        if count > 0 {
            let gone = self.oracle.waits.remove(self.random.below(count));
            self.locks.cancel(gone.ticket);
        }
    }

    fn end(&mut self, holder: Holder) {
        self.locks.end(holder);
        self.oracle.held.retain(|(_, who, _)| *who != holder);
        let fresh = self.locks.begin(true);
        self.transactions.iter_mut().filter(|it| **it == holder).for_each(|it| *it = fresh);
    }

    /// Notes a lock, which nothing may have spoken against.
    fn grant(&mut self, request: Request) {
        let against = self.oracle.blockers(&request);
        assert!(against.is_empty(), "{request:?} was granted over {against:?}");
        if let Some(given) = request.gives {
            assert!(self.oracle.take((request.set, request.holder, given)));
        }
        self.oracle.held.push((request.set, request.holder, request.mode));
        self.granted += 1;
    }

    /// Carries out what the service says, and looks whether it has said all.
    fn settle(&mut self, before: &Oracle) {
        let victims = self.locks.victims();
        if !victims.is_empty() {
            let mut then = before.clone();
            then.waits.clone_from(&self.oracle.waits);
            then.held.clone_from(&self.oracle.held);
            let stuck = then.deadlocked();
            assert!(!stuck.is_empty(), "{victims:?} were victims of nothing");
            self.victims += victims.len();
        }
        for (ticket, outcome) in self.locks.outcomes() {
            let place = self.oracle.waits.iter().position(|wait| wait.ticket == ticket);
            let place = place.unwrap_or_else(|| panic!("{ticket:?}: {outcome:?} for nobody"));
            let request = self.oracle.waits[place];
            match outcome {
                Ok(()) => self.grant(request),
                Err(Refusal::TimedOut) => {
                    let due = self.deadlines.iter().find(|(it, _)| *it == ticket);
                    assert!(due.is_some_and(|(_, due)| *due <= self.now));
                }
                Err(Refusal::Deadlock) => assert!(victims.contains(&request.holder)),
                Err(Refusal::Ended) => assert!(!self.transactions.contains(&request.holder)),
                Err(Refusal::NotHeld) => assert!(request.gives.is_some()),
                Err(other) => panic!("{other:?}"),
            }
            let place = self.oracle.waits.iter().position(|wait| wait.ticket == ticket);
            self.oracle.waits.remove(place.expect("it waits"));
        }
        // A victim is rolled back.
        for victim in victims {
            self.end(victim);
            self.settle(&self.oracle.clone());
        }
        self.check();
    }

    fn check(&self) {
        for (number, (set, holder, mode)) in self.oracle.held.iter().enumerate() {
            for (other_set, other, other_mode) in &self.oracle.held[..number] {
                let at_once = set == other_set && holder != other && conflict(*mode, *other_mode);
                assert!(!at_once, "{holder:?} and {other:?} have {mode:?} and {other_mode:?}");
            }
            let count = self.oracle.held.iter().filter(|it| **it == (*set, *holder, *mode)).count();
            assert_eq!(self.locks.count(*set, *holder, *mode) as usize, count);
        }
        for wait in &self.oracle.waits {
            assert!(!self.oracle.blockers(wait).is_empty(), "{wait:?} was not woken");
            let due = self.deadlines.iter().find(|(ticket, _)| *ticket == wait.ticket);
            assert!(due.is_none() || self.locks.next_deadline().is_some());
        }
        assert_eq!(self.oracle.deadlocked(), [], "{:?}", self.oracle);
        let (held, waiting, _) = self.locks.totals();
        assert_eq!((held, waiting), (self.oracle.held.len(), self.oracle.waits.len()));
    }

    /// Everybody who does not wait ends, until nobody is left.
    fn finish(&mut self) {
        for _ in 0..self.transactions.len() {
            let waiting: Vec<_> = self.oracle.waits.iter().map(|wait| wait.holder).collect();
            let free = self.transactions.iter().copied().find(|it| {
                !waiting.contains(it) && self.oracle.held.iter().any(|(_, who, _)| who == it)
            });
            let Some(free) = free else { break };
            self.end(free);
            self.settle(&self.oracle.clone());
        }
    }
}

#[test]
fn no_program_gets_two_locks_that_exclude_each_other_or_waits_in_vain() {
    let (mut victims, mut granted) = (0, 0);
    for seed in 0..400 {
        let mut world = World::new(seed);
        (0..150).for_each(|_| world.step());
        (0..20).for_each(|_| world.finish());
        assert_eq!(world.oracle.waits, [], "seed {seed}: somebody waits for ever");
        victims += world.victims;
        granted += world.granted;
    }
    // The programs do meet what they are to meet.
    assert!(victims > 100 && granted > 5_000, "{victims} victims, {granted} locks");
}
