//! The steps of `table.rs` in every order, on processors with store buffers. The search must find
//! what goes wrong when one of the rules is dropped.
//!
//! The state is one entry. A light fence restrains the compiler only, so it is no step. Changes of
//! the entry's state and of the lock empty the store buffer of their thread first; hazard pointers
//! are written through it. The drop of a table is not modelled: no other thread can access it then.

use armilla_model_checker::{Model, Outcome};

/// The words that a thread may protect, as bits: the entry, and the value.
const ENTRY: u8 = 1;
const VALUE: u8 = 2;

/// What a thread does, one after the other. It leaves out what it may not do: referring to a value
/// that it has not found.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Act {
    /// Protects the entry and accesses whether the value of this generation is present, or any.
    Access(Option<u8>),
    /// Protects another word instead.
    Protect(u8),
    /// Ends the access, and reclaims the value if it waited for that.
    End,
    /// Ends the access, and leaves the value alone.
    Leave,
    /// Refers to the value, if one is present, without a hazard pointer.
    AccessCounted,
    Lock,
    Unlock,
    /// Makes a reference to the value that it accesses or refers to.
    Refer,
    Drop,
    /// The same, as one of many.
    DropOfMany,
    Remove(u8),
    /// Writes a value and refers to it, where the entry is free.
    Insert,
}

/// What a thread does to reclaim a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    /// Empties the store buffers of all threads, one after the other.
    Fence,
    Lock,
    /// Reads the hazard pointers of all threads, one after the other: none is one of these words.
    Read(u8),
    /// The value of the generation that was reclaimable before is so now.
    IsReclaimable,
    /// Any value is reclaimable.
    IsAnyReclaimable,
    Take,
    Clear,
}

use Act::*;
use Phase::{Clear, Fence, IsAnyReclaimable, IsReclaimable, Read, Take};

const BOTH: u8 = ENTRY | VALUE;
const RECLAIM: &[Phase] = &[Fence, Phase::Lock, Read(BOTH), IsReclaimable, Take, Clear];
/// With one scan for many values.
const RECLAIM_MANY: &[Phase] = &[Fence, Read(BOTH), Phase::Lock, IsReclaimable, Take, Clear];

/// How many references a thread has at first, and what it does.
type Role = (u8, &'static [Act]);

const READER: Role = (0, &[Access(Some(1)), End]);
const READER_AT_ANY: Role = (0, &[Access(None), End]);
const READER_TWICE: Role = (0, &[Access(None), End, Access(None), End]);
const USER: Role = (0, &[Access(None), Protect(VALUE), Protect(ENTRY), End]);
const KEEPER: Role = (0, &[Access(None), Refer, End, Drop]);
const KEEPER_WHILE_READING: Role = (0, &[Access(None), Refer, Drop, End]);
const WITHOUT_HAZARDS: Role = (0, &[Lock, AccessCounted, Unlock, Drop]);
const HOLDER: Role = (1, &[Drop]);
const HOLDER_OF_MANY: Role = (1, &[DropOfMany]);
const CLONER: Role = (1, &[Refer, Drop, Drop]);
const REMOVER: Role = (0, &[Remove(1)]);
const REPLACER: Role = (0, &[Remove(1), Insert, Drop, Remove(2)]);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Stage {
    Empty,
    Present,
    Retired,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    generation: u8,
    stage: Stage,
    references: u8,
}

impl State {
    fn is_present(self, generation: Option<u8>) -> bool {
        self.stage == Stage::Present && generation.is_none_or(|it| it == self.generation)
    }

    fn reclaimable(self) -> Option<u8> {
        (self.stage == Stage::Retired && self.references == 0).then_some(self.generation)
    }
}

#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Thread {
    acts: &'static [Act],
    /// What it does first, to reclaim the value of this generation.
    phases: &'static [Phase],
    left: u8,
    /// How far it is with the act or the phase.
    step: usize,
    accesses: bool,
    references: u8,
    /// Its stores to its hazard pointer that others do not see yet, the oldest first.
    buffered: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct World {
    threads: Vec<Thread>,
    hazards: Vec<u8>,
    state: State,
    /// The entry has a value.
    there: bool,
    /// The entry is free to be used again.
    free: bool,
    lock: Option<usize>,
}

impl World {
    fn new(roles: &[Role]) -> Self {
        let thread = |role: &Role| Thread { references: role.0, acts: role.1, ..Thread::default() };
        let references = roles.iter().map(|role| role.0).sum();
        Self {
            threads: roles.iter().map(thread).collect(),
            hazards: vec![0; roles.len()],
            state: State { generation: 1, stage: Stage::Present, references },
            there: true,
            free: false,
            lock: None,
        }
    }

    /// The state, for a change by a thread, which empties its store buffer.
    fn change(&mut self, me: usize) -> &mut State {
        while self.store(me) {}
        &mut self.state
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
        reclaim: &'static [Phase],
    ) -> Outcome<Option<usize>> {
        let (accesses, references) = (self.threads[me].accesses, self.threads[me].references > 0);
        match (act, step) {
            (Access(_), 0) => {
                self.threads[me].buffered.push(ENTRY);
                return Ok(Some(1));
            }
            (Access(generation), _) => {
                self.threads[me].accesses = self.state.is_present(generation)
            }
            (Protect(word), _) if accesses => self.threads[me].buffered.push(word),
            (End | Leave, 0) => {
                self.threads[me].accesses = false;
                self.threads[me].buffered.push(0);
                return Ok(Some(usize::from(act == End)));
            }
            (End, 1) if self.state.stage == Stage::Retired => return Ok(Some(2)),
            (Lock | Insert, _) if !self.lock(me) => return Ok(None),
            (Insert, _) => self.insert(me),
            (Unlock, _) => self.lock = None,
            (AccessCounted, 0) => return Ok(Some(self.state.is_present(None).into())),
            (AccessCounted, _) => self.refer(me)?,
            (Refer, _) if accesses || references => self.refer(me)?,
            (Drop | DropOfMany, 0) if references => {
                self.threads[me].references -= 1;
                self.change(me).references -= 1;
                self.begin(me, if act == Drop { reclaim } else { RECLAIM_MANY });
            }
            (Remove(generation), 0) if self.state.is_present(Some(generation)) => {
                self.change(me).stage = Stage::Retired;
                return Ok(Some(1));
            }
            (Remove(_), 1) | (End, 2) => self.begin(me, reclaim),
            _ => {}
        }
        Ok(Some(0))
    }

    fn refer(&mut self, me: usize) -> Outcome<()> {
        self.change(me).references += 1;
        self.threads[me].references += 1;
        if self.there { Ok(()) } else { Err("a reference to a value that is gone") }
    }

    /// Under the lock, which is released: no other thread sees the steps.
    fn insert(&mut self, me: usize) {
        self.lock = None;
        if std::mem::take(&mut self.free) {
            let generation = self.state.generation + 1;
            *self.change(me) = State { generation, stage: Stage::Present, references: 1 };
            self.threads[me].references += 1;
            self.there = true;
        }
    }

    fn begin(&mut self, me: usize, reclaim: &'static [Phase]) {
        if let Some(left) = self.state.reclaimable() {
            self.threads[me].left = left;
            self.threads[me].phases = reclaim;
        }
    }

    /// The same for a phase.
    fn reclaim(&mut self, me: usize, phase: Phase, step: usize) -> Outcome<Option<usize>> {
        let left = self.state.reclaimable();
        let goes_on = match phase {
            Fence => {
                while self.store(step) {}
                true
            }
            Phase::Lock if !self.lock(me) => return Ok(None),
            Phase::Lock => true,
            Read(words) => self.hazards[step] & words == 0,
            IsReclaimable => left == Some(self.threads[me].left),
            IsAnyReclaimable => left.is_some(),
            Take if self.threads.iter().any(|thread| thread.accesses || thread.references > 0) => {
                return Err("a value in use is reclaimed");
            }
            Take if !self.there => return Err("a value is reclaimed twice"),
            Take => {
                self.there = false;
                true
            }
            Clear => {
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
    /// How a value is reclaimed.
    type Rules = &'static [Phase];

    fn threads(&self) -> usize {
        self.threads.len()
    }

    fn store(&mut self, thread: usize) -> bool {
        let any = !self.threads[thread].buffered.is_empty();
        if any {
            self.hazards[thread] = self.threads[thread].buffered.remove(0);
        }
        any
    }

    fn step(&mut self, me: usize, reclaim: &Self::Rules) -> Outcome<bool> {
        let Thread { acts, phases, step, .. } = self.threads[me];
        let next = match (phases, acts) {
            ([phase, ..], _) => self.reclaim(me, *phase, step)?,
            ([], [act, ..]) => self.act(me, *act, step, reclaim)?,
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
            true if self.there == (self.state.stage == Stage::Present) => Ok(()),
            true => Err("a removed value is never reclaimed"),
            false => Err("a thread waits for ever"),
        }
    }
}

fn explore(roles: &[Role], reclaim: &'static [Phase]) -> Outcome<usize> {
    armilla_model_checker::explore(World::new(roles), &reclaim)
}

#[test]
fn a_removed_value_is_reclaimed_after_the_last_access_in_every_order() {
    for roles in [
        [READER, USER, REMOVER],
        [USER, REMOVER, REMOVER],
        [KEEPER, HOLDER, REMOVER],
        [KEEPER_WHILE_READING, READER, REMOVER],
        [CLONER, USER, REMOVER],
        [HOLDER_OF_MANY, USER, REMOVER],
        [WITHOUT_HAZARDS, CLONER, REMOVER],
        [WITHOUT_HAZARDS, KEEPER, REMOVER],
    ] {
        assert!(explore(&roles, RECLAIM).unwrap() > 1_000);
    }
    assert!(explore(&[READER, USER, REMOVER, REMOVER], RECLAIM).unwrap() > 10_000);
}

#[test]
fn the_next_value_is_reclaimed_by_its_own_accesses_and_references() {
    assert!(explore(&[READER_TWICE, HOLDER, HOLDER_OF_MANY, REPLACER], RECLAIM).unwrap() > 10_000);
    for roles in [
        [HOLDER, READER_AT_ANY, REPLACER],
        [HOLDER_OF_MANY, READER_AT_ANY, REPLACER],
        [READER, USER, REPLACER],
        [WITHOUT_HAZARDS, READER_AT_ANY, REPLACER],
        [KEEPER, READER, REPLACER],
    ] {
        assert!(explore(&roles, RECLAIM).unwrap() > 1_000);
    }
}

#[test]
fn no_rule_can_be_dropped() {
    const IN_USE: &str = "a value in use is reclaimed";
    const NEVER: &str = "a removed value is never reclaimed";
    let without_fence = &[Phase::Lock, Read(BOTH), IsReclaimable, Take, Clear];
    assert_eq!(explore(&[READER, REMOVER], without_fence), Err(IN_USE));
    let state_first = &[Fence, Phase::Lock, IsReclaimable, Read(BOTH), Take, Clear];
    assert_eq!(explore(&[KEEPER, REMOVER], state_first), Err(IN_USE));
    let each_word = &[Fence, Phase::Lock, Read(ENTRY), Read(VALUE), IsReclaimable, Take, Clear];
    assert_eq!(explore(&[USER, REMOVER], each_word), Err(IN_USE));
    let any_reclaimable = &[Fence, Phase::Lock, Read(BOTH), IsAnyReclaimable, Take, Clear];
    assert_eq!(explore(&[HOLDER, READER_AT_ANY, REPLACER], any_reclaimable), Err(IN_USE));
    let without_lock = (0, &[AccessCounted, Drop] as &[Act]);
    assert!(explore(&[without_lock, REMOVER], RECLAIM).is_err());
    let without_end = (0, &[Access(None), Leave] as &[Act]);
    assert_eq!(explore(&[without_end, REMOVER], RECLAIM), Err(NEVER));
}
