//! A model checker for `active_calls.rs`: runs its steps in every order, on processors with store
//! buffers. The search must find an error when one of the fences is omitted.
//!
//! The state is that of one object. A light fence restrains the compiler only, so it is not a step.
//! The flags of the object and of its gate, which a call tests at once, are one flag.

use armilla_model_checker::{Model, Outcome};

/// What one thread does.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Role {
    /// Calls the object, with a hazard pointer.
    Protects,
    /// Calls the object, counted in the object.
    Counts,
    /// Deactivates the object.
    Deactivates,
    /// Closes the gate and waits for the calls to end.
    Waits,
}

/// The next step of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    Begin,
    TestBegun,
    Call,
    End,
    TestEnded,
    Raise,
    /// Flushes the store buffer of this thread.
    Fence(usize),
    Lock,
    /// Reads the hazard pointer of this thread, or the count after the last thread.
    Read(usize),
    Sleep,
    Asleep,
    Wake,
    Finish,
    Done,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Thread {
    role: Role,
    next: Step,
    calls: u32,
    inside: bool,
    /// The thread's stores to its hazard pointer that others do not see yet, the oldest first.
    buffered: Vec<bool>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct World {
    threads: Vec<Thread>,
    hazards: Vec<bool>,
    count: u32,
    /// The object is not active, or the gate is closed and watched.
    flag: bool,
    finished: bool,
    lock: Option<usize>,
}

/// Which threads issue heavy fences.
#[derive(Clone, Copy)]
struct Rules {
    /// The thread that raises the flag.
    raising: bool,
    /// A call that ends and finds the flag raised.
    leaving: bool,
}

const RULES: Rules = Rules { raising: true, leaving: true };

impl World {
    fn new(roles: &[Role], calls: u32) -> Self {
        let thread = |role: &Role| Thread {
            role: *role,
            next: if is_caller(*role) { Step::Begin } else { Step::Raise },
            calls,
            inside: false,
            buffered: Vec::new(),
        };
        Self {
            threads: roles.iter().map(thread).collect(),
            hazards: vec![false; roles.len()],
            count: 0,
            flag: false,
            finished: false,
            lock: None,
        }
    }

    /// Makes the begin or end of a call visible: at once if it is counted, else through the store
    /// buffer.
    fn write(&mut self, me: usize, begins: bool) {
        match self.threads[me].role {
            Role::Counts if begins => self.count += 1,
            Role::Counts => self.count -= 1,
            _ => self.threads[me].buffered.push(begins),
        }
    }

    fn after_fence(&self, me: usize) -> Step {
        if self.threads[me].role == Role::Waits { Step::Lock } else { Step::Read(0) }
    }

    fn is_awaited(&self) -> bool {
        self.threads.iter().any(|thread| thread.role == Role::Waits)
    }

    /// Reads whether a call shows, and returns the next step of the thread that scans.
    fn read(&self, whose: usize, role: Role) -> Step {
        let busy = self.hazards.get(whose).map_or(self.count > 0, |hazard| *hazard);
        match (busy, role) {
            (true, Role::Waits) => Step::Sleep,
            (true, _) => Step::Done,
            (false, _) if whose == self.threads.len() => Step::Finish,
            (false, _) => Step::Read(whose + 1),
        }
    }
}

impl Model for World {
    type Rules = Rules;

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

    fn step(&mut self, me: usize, rules: &Rules) -> Outcome<bool> {
        let all = self.threads.len();
        let role = self.threads[me].role;
        self.threads[me].next = match self.threads[me].next {
            Step::Begin => {
                self.write(me, true);
                Step::TestBegun
            }
            Step::TestBegun if self.flag => Step::End,
            Step::TestBegun => {
                self.threads[me].inside = true;
                Step::Call
            }
            Step::Call if self.finished => return Err("a call after the end"),
            Step::Call => Step::End,
            Step::End => {
                self.threads[me].inside = false;
                self.threads[me].calls -= 1;
                self.write(me, false);
                Step::TestEnded
            }
            Step::TestEnded if self.flag => match self.is_awaited() {
                true => Step::Wake,
                false if rules.leaving => Step::Fence(0),
                false => Step::Read(0),
            },
            Step::TestEnded if self.threads[me].calls > 0 => Step::Begin,
            Step::TestEnded => Step::Done,
            Step::Raise => {
                self.flag = true;
                if rules.raising { Step::Fence(0) } else { self.after_fence(me) }
            }
            Step::Fence(whose) if whose == all => self.after_fence(me),
            Step::Fence(whose) => {
                while self.store(whose) {}
                Step::Fence(whose + 1)
            }
            Step::Lock | Step::Wake if self.lock.is_some() => return Ok(false),
            Step::Lock => {
                self.lock = Some(me);
                Step::Read(0)
            }
            Step::Read(whose) => self.read(whose, role),
            Step::Sleep => {
                self.lock = None;
                Step::Asleep
            }
            Step::Asleep | Step::Done => return Ok(false),
            Step::Wake => {
                // Locking flushes the store buffer.
                while self.store(me) {}
                let sleepers = self.threads.iter_mut().filter(|t| t.next == Step::Asleep);
                sleepers.for_each(|sleeper| sleeper.next = Step::Lock);
                Step::Done
            }
            Step::Finish => {
                self.finished = true;
                self.lock = None;
                Step::Done
            }
        };
        Ok(true)
    }

    fn settled(&self) -> Outcome<()> {
        let done = self.threads.iter().all(|thread| thread.next == Step::Done);
        if done && self.finished { Ok(()) } else { Err("the end never comes") }
    }
}

fn is_caller(role: Role) -> bool {
    matches!(role, Role::Protects | Role::Counts)
}

fn explore(roles: &[Role], calls: u32, rules: Rules) -> Outcome<usize> {
    armilla_model_checker::explore(World::new(roles, calls), &rules)
}

#[test]
fn an_object_ends_after_the_last_call_in_every_order() {
    use Role::{Counts, Deactivates, Protects};
    for roles in [[Protects, Protects, Deactivates], [Protects, Counts, Deactivates]] {
        assert!(explore(&roles, 2, RULES).unwrap() > 1_000);
    }
    assert!(explore(&[Protects, Protects, Counts, Deactivates], 1, RULES).unwrap() > 10_000);
}

#[test]
fn a_thread_that_waits_for_calls_is_woken_after_the_last_in_every_order() {
    use Role::{Counts, Protects, Waits};
    for roles in [[Protects, Protects, Waits], [Protects, Counts, Waits]] {
        assert!(explore(&roles, 2, RULES).unwrap() > 1_000);
    }
    assert!(explore(&[Protects, Protects, Protects, Waits], 1, RULES).unwrap() > 10_000);
}

#[test]
fn no_fence_can_be_dropped() {
    use Role::{Deactivates, Protects, Waits};
    let without_first = Rules { raising: false, ..RULES };
    let without_last = Rules { leaving: false, ..RULES };
    let ending = [Protects, Protects, Deactivates];
    assert!(explore(&ending, 1, without_first).is_err());
    assert!(explore(&ending, 1, without_last).is_err());
    assert!(explore(&[Protects, Waits], 1, without_first).is_err());
}
