//! The steps of `table.rs` in every order that there is, on processors that delay what they store. What goes
//! wrong without one of the rules must be found, or the search would prove nothing.
//!
//! The world is one place. A light fence does nothing for the processor and is no step. Changes of a life and
//! taking the lock are done at once, after all that the thread has delayed; claims are delayed. Who drops the
//! table is not there: nobody else can look then.

use armilla_model_checker::{Model, Outcome};

/// The words that a thread may claim, as bits.
const LOOKS: u8 = 1;
const USES: u8 = 2;

/// What a thread does, one after the other. What it has no right to is left out: holding what was not found.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Act {
    /// Claims the place and looks whether this generation is present, or any.
    Look(Option<u8>),
    /// Claims another word instead.
    Claim(u8),
    /// Ends the look, and sees whether that was waited for.
    End,
    /// Ends the look, and does not see to that.
    Leave,
    /// Looks without a claim, holding what is present.
    LookHolding,
    Lock,
    Unlock,
    /// Holds what it looks at or holds.
    Hold,
    LetGo,
    /// The same, as one of many.
    LetGoOfMany,
    Remove(u8),
    /// Puts something in and holds it, where the place is free.
    Insert,
}

/// What a thread does to take out what is left.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    /// Has the processors of all threads store what they have delayed, one after the other.
    Fence,
    Lock,
    /// Reads the claims of all threads, one after the other: none is one of these words.
    Read(u8),
    /// What is left is what was left before.
    IsLeft,
    /// Something is left.
    IsAnyLeft,
    Take,
    EndLife,
}

use Act::*;
use Phase::{EndLife, Fence, IsAnyLeft, IsLeft, Read, Take};

const BOTH: u8 = LOOKS | USES;
const CLEAR: &[Phase] = &[Fence, Phase::Lock, Read(BOTH), IsLeft, Take, EndLife];
/// With the claims read for many at once.
const CLEAR_MANY: &[Phase] = &[Fence, Read(BOTH), Phase::Lock, IsLeft, Take, EndLife];

/// How many holds a thread has at first, and what it does.
type Role = (u8, &'static [Act]);

const LOOKER: Role = (0, &[Look(Some(1)), End]);
const LOOKER_AT_ANY: Role = (0, &[Look(None), End]);
const LOOKER_TWICE: Role = (0, &[Look(None), End, Look(None), End]);
const USER: Role = (0, &[Look(None), Claim(USES), Claim(LOOKS), End]);
const KEEPER: Role = (0, &[Look(None), Hold, End, LetGo]);
const KEEPER_WHILE_LOOKING: Role = (0, &[Look(None), Hold, LetGo, End]);
const WITHOUT_CLAIMS: Role = (0, &[Lock, LookHolding, Unlock, LetGo]);
const HOLDER: Role = (1, &[LetGo]);
const HOLDER_OF_MANY: Role = (1, &[LetGoOfMany]);
const CLONER: Role = (1, &[Hold, LetGo, LetGo]);
const REMOVER: Role = (0, &[Remove(1)]);
const REPLACER: Role = (0, &[Remove(1), Insert, LetGo, Remove(2)]);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Stage {
    Empty,
    Present,
    Leaving,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Life {
    generation: u8,
    stage: Stage,
    holds: u8,
}

impl Life {
    fn is_present(self, generation: Option<u8>) -> bool {
        self.stage == Stage::Present && generation.is_none_or(|it| it == self.generation)
    }

    fn left(self) -> Option<u8> {
        (self.stage == Stage::Leaving && self.holds == 0).then_some(self.generation)
    }
}

#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Thread {
    acts: &'static [Act],
    /// What it does first, to take out what it has seen left of this generation.
    phases: &'static [Phase],
    left: u8,
    /// How far it is with the act or the phase.
    step: usize,
    looks: bool,
    holds: u8,
    /// What it has written to its claim and others do not see yet, the oldest first.
    delayed: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct World {
    threads: Vec<Thread>,
    claims: Vec<u8>,
    life: Life,
    /// Something stands in the place.
    there: bool,
    /// The place is free to be given away.
    free: bool,
    lock: Option<usize>,
}

impl World {
    fn new(roles: &[Role]) -> Self {
        let thread = |role: &Role| Thread { holds: role.0, acts: role.1, ..Thread::default() };
        let holds = roles.iter().map(|role| role.0).sum();
        Self {
            threads: roles.iter().map(thread).collect(),
            claims: vec![0; roles.len()],
            life: Life { generation: 1, stage: Stage::Present, holds },
            there: true,
            free: false,
            lock: None,
        }
    }

    /// The life, to be changed by a thread. Who changes it shows what it has stored.
    fn change(&mut self, me: usize) -> &mut Life {
        while self.store(me) {}
        &mut self.life
    }

    /// Takes the lock, unless another has it.
    fn lock(&mut self, me: usize) -> bool {
        let free = self.lock.is_none();
        if free {
            while self.store(me) {}
            self.lock = Some(me);
        }
        free
    }

    /// Returns the next step of the act, 0 when it is done, `None` when it waits.
    fn act(
        &mut self,
        me: usize,
        act: Act,
        step: usize,
        clear: &'static [Phase],
    ) -> Outcome<Option<usize>> {
        let (looks, holds) = (self.threads[me].looks, self.threads[me].holds > 0);
        match (act, step) {
            (Look(_), 0) => {
                self.threads[me].delayed.push(LOOKS);
                return Ok(Some(1));
            }
            (Look(generation), _) => self.threads[me].looks = self.life.is_present(generation),
            (Claim(word), _) if looks => self.threads[me].delayed.push(word),
            (End | Leave, 0) => {
                self.threads[me].looks = false;
                self.threads[me].delayed.push(0);
                return Ok(Some(usize::from(act == End)));
            }
            (End, 1) if self.life.stage == Stage::Leaving => return Ok(Some(2)),
            (Lock | Insert, _) if !self.lock(me) => return Ok(None),
            (Insert, _) => self.insert(me),
            (Unlock, _) => self.lock = None,
            (LookHolding, 0) => return Ok(Some(self.life.is_present(None).into())),
            (LookHolding, _) => self.hold(me)?,
            (Hold, _) if looks || holds => self.hold(me)?,
            (LetGo | LetGoOfMany, 0) if holds => {
                self.threads[me].holds -= 1;
                self.change(me).holds -= 1;
                self.begin(me, if act == LetGo { clear } else { CLEAR_MANY });
            }
            (Remove(generation), 0) if self.life.is_present(Some(generation)) => {
                self.change(me).stage = Stage::Leaving;
                return Ok(Some(1));
            }
            (Remove(_), 1) | (End, 2) => self.begin(me, clear),
            _ => {}
        }
        Ok(Some(0))
    }

    fn hold(&mut self, me: usize) -> Outcome<()> {
        self.change(me).holds += 1;
        self.threads[me].holds += 1;
        if self.there { Ok(()) } else { Err("what is gone is held") }
    }

    /// Under the lock, which is given back. Nobody else sees the steps.
    fn insert(&mut self, me: usize) {
        self.lock = None;
        if std::mem::take(&mut self.free) {
            let generation = self.life.generation + 1;
            *self.change(me) = Life { generation, stage: Stage::Present, holds: 1 };
            self.threads[me].holds += 1;
            self.there = true;
        }
    }

    fn begin(&mut self, me: usize, clear: &'static [Phase]) {
        if let Some(left) = self.life.left() {
            self.threads[me].left = left;
            self.threads[me].phases = clear;
        }
    }

    /// The same for a phase.
    fn clear(&mut self, me: usize, phase: Phase, step: usize) -> Outcome<Option<usize>> {
        let left = self.life.left();
        let goes_on = match phase {
            Fence => {
                while self.store(step) {}
                true
            }
            Phase::Lock if !self.lock(me) => return Ok(None),
            Phase::Lock => true,
            Read(words) => self.claims[step] & words == 0,
            IsLeft => left == Some(self.threads[me].left),
            IsAnyLeft => left.is_some(),
            Take if self.threads.iter().any(|thread| thread.looks || thread.holds > 0) => {
                return Err("what somebody looks at or holds is taken");
            }
            Take if !self.there => return Err("it is taken twice"),
            Take => {
                self.there = false;
                true
            }
            EndLife => {
                self.change(me).stage = Stage::Empty;
                (self.free, self.lock) = (true, None);
                true
            }
        };
        if !goes_on {
            self.threads[me].phases = &[];
            self.lock = self.lock.filter(|owner| *owner != me);
        }
        let more = matches!(phase, Fence | Read(_)) && step + 1 < self.threads.len();
        Ok(Some(if goes_on && more { step + 1 } else { 0 }))
    }
}

impl Model for World {
    /// How what is left is taken out.
    type Rules = &'static [Phase];

    fn threads(&self) -> usize {
        self.threads.len()
    }

    fn store(&mut self, thread: usize) -> bool {
        let any = !self.threads[thread].delayed.is_empty();
        if any {
            self.claims[thread] = self.threads[thread].delayed.remove(0);
        }
        any
    }

    fn step(&mut self, me: usize, clear: &Self::Rules) -> Outcome<bool> {
        let Thread { acts, phases, step, .. } = self.threads[me];
        let next = match (phases, acts) {
            ([phase, ..], _) => self.clear(me, *phase, step)?,
            ([], [act, ..]) => self.act(me, *act, step, clear)?,
            ([], []) => None,
        };
        let thread = &mut self.threads[me];
        thread.step = next.unwrap_or(thread.step);
        match (next, phases, acts) {
            (Some(0), [_, rest @ ..], _) if !thread.phases.is_empty() => thread.phases = rest,
            (Some(0), [], [_, rest @ ..]) => thread.acts = rest,
            _ => {}
        }
        Ok(next.is_some())
    }

    fn settled(&self) -> Outcome<()> {
        let done = |thread: &Thread| thread.acts.is_empty() && thread.phases.is_empty();
        match self.threads.iter().all(done) {
            true if self.there == (self.life.stage == Stage::Present) => Ok(()),
            true => Err("what was removed stays for good"),
            false => Err("somebody waits for good"),
        }
    }
}

fn explore(roles: &[Role], clear: &'static [Phase]) -> Outcome<usize> {
    armilla_model_checker::explore(World::new(roles), &clear)
}

#[test]
fn what_is_removed_goes_once_all_have_looked_and_let_go_in_whatever_order() {
    for roles in [
        [LOOKER, USER, REMOVER],
        [USER, REMOVER, REMOVER],
        [KEEPER, HOLDER, REMOVER],
        [KEEPER_WHILE_LOOKING, LOOKER, REMOVER],
        [CLONER, USER, REMOVER],
        [HOLDER_OF_MANY, USER, REMOVER],
        [WITHOUT_CLAIMS, CLONER, REMOVER],
        [WITHOUT_CLAIMS, KEEPER, REMOVER],
    ] {
        assert!(explore(&roles, CLEAR).unwrap() > 1_000);
    }
    assert!(explore(&[LOOKER, USER, REMOVER, REMOVER], CLEAR).unwrap() > 10_000);
}

#[test]
fn what_is_put_in_its_place_goes_by_its_own_looks_and_holds() {
    assert!(explore(&[LOOKER_TWICE, HOLDER, HOLDER_OF_MANY, REPLACER], CLEAR).unwrap() > 10_000);
    for roles in [
        [HOLDER, LOOKER_AT_ANY, REPLACER],
        [HOLDER_OF_MANY, LOOKER_AT_ANY, REPLACER],
        [LOOKER, USER, REPLACER],
        [WITHOUT_CLAIMS, LOOKER_AT_ANY, REPLACER],
        [KEEPER, LOOKER, REPLACER],
    ] {
        assert!(explore(&roles, CLEAR).unwrap() > 1_000);
    }
}

#[test]
fn no_rule_can_be_spared() {
    const LOOKED: &str = "what somebody looks at or holds is taken";
    const STAYS: &str = "what was removed stays for good";
    let without_fence = &[Phase::Lock, Read(BOTH), IsLeft, Take, EndLife];
    assert_eq!(explore(&[LOOKER, REMOVER], without_fence), Err(LOOKED));
    let life_first = &[Fence, Phase::Lock, IsLeft, Read(BOTH), Take, EndLife];
    assert_eq!(explore(&[KEEPER, REMOVER], life_first), Err(LOOKED));
    let each_word = &[Fence, Phase::Lock, Read(LOOKS), Read(USES), IsLeft, Take, EndLife];
    assert_eq!(explore(&[USER, REMOVER], each_word), Err(LOOKED));
    let any_left = &[Fence, Phase::Lock, Read(BOTH), IsAnyLeft, Take, EndLife];
    assert_eq!(explore(&[HOLDER, LOOKER_AT_ANY, REPLACER], any_left), Err(LOOKED));
    let without_lock = (0, &[LookHolding, LetGo] as &[Act]);
    assert!(explore(&[without_lock, REMOVER], CLEAR).is_err());
    let without_end = (0, &[Look(None), Leave] as &[Act]);
    assert_eq!(explore(&[without_end, REMOVER], CLEAR), Err(STAYS));
}
