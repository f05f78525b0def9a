//! The steps of `active_calls.rs` in every order that there is, on processors that delay what they store.
//! What goes wrong without one of the fences must be found, or the search would prove nothing.

use armilla_model_checker::{Model, Outcome};

/// What one thread does.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Role {
    /// Calls the object, claiming it.
    Claims,
    /// Calls the object, counting in it.
    Counts,
    /// Deactivates the object.
    Deactivates,
    /// Closes the gate and waits for the calls to end.
    Waits,
}

/// What a thread does next.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    Begin,
    LookBegun,
    Call,
    End,
    LookEnded,
    Raise,
    /// Has the processor of this thread store all that it has delayed.
    Fence(usize),
    Lock,
    /// Reads the claim of this thread, the count after the last.
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
    /// What it has written to its claim and others do not see yet, the oldest first.
    delayed: Vec<bool>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct World {
    threads: Vec<Thread>,
    claims: Vec<bool>,
    count: u32,
    /// The object is not active, or the gate is closed and watched.
    flag: bool,
    finished: bool,
    lock: Option<usize>,
}

/// Who issues heavy fences.
#[derive(Clone, Copy)]
struct Rules {
    who_raises: bool,
    who_leaves: bool,
}

const RULES: Rules = Rules { who_raises: true, who_leaves: true };

impl World {
    fn new(roles: &[Role], calls: u32) -> Self {
        let thread = |role: &Role| Thread {
            role: *role,
            next: if is_caller(*role) { Step::Begin } else { Step::Raise },
            calls,
            inside: false,
            delayed: Vec::new(),
        };
        Self {
            threads: roles.iter().map(thread).collect(),
            claims: vec![false; roles.len()],
            count: 0,
            flag: false,
            finished: false,
            lock: None,
        }
    }

    /// A call begins or ends, for others to see: at once where it counts, else some time.
    fn write(&mut self, me: usize, claimed: bool) {
        match self.threads[me].role {
            Role::Counts if claimed => self.count += 1,
            Role::Counts => self.count -= 1,
            _ => self.threads[me].delayed.push(claimed),
        }
    }

    fn after_fence(&self, me: usize) -> Step {
        if self.threads[me].role == Role::Waits { Step::Lock } else { Step::Read(0) }
    }

    fn is_awaited(&self) -> bool {
        self.threads.iter().any(|thread| thread.role == Role::Waits)
    }
}

impl Model for World {
    type Rules = Rules;

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

    fn step(&mut self, me: usize, rules: &Rules) -> Outcome<bool> {
        let all = self.threads.len();
        let role = self.threads[me].role;
        self.threads[me].next = match self.threads[me].next {
            Step::Begin => {
                self.write(me, true);
                Step::LookBegun
            }
            Step::LookBegun if self.flag => Step::End,
            Step::LookBegun => {
                self.threads[me].inside = true;
                Step::Call
            }
            Step::Call if self.finished => return Err("a call after the end"),
            Step::Call => Step::End,
            Step::End => {
                self.threads[me].inside = false;
                self.threads[me].calls -= 1;
                self.write(me, false);
                Step::LookEnded
            }
            Step::LookEnded if self.flag => match self.is_awaited() {
                true => Step::Wake,
                false if rules.who_leaves => Step::Fence(0),
                false => Step::Read(0),
            },
            Step::LookEnded if self.threads[me].calls > 0 => Step::Begin,
            Step::LookEnded => Step::Done,
            Step::Raise => {
                self.flag = true;
                if rules.who_raises { Step::Fence(0) } else { self.after_fence(me) }
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
            Step::Read(whose) => {
                let busy = self.claims.get(whose).map_or(self.count > 0, |claim| *claim);
                match (busy, role) {
                    (true, Role::Waits) => Step::Sleep,
                    (true, _) => Step::Done,
                    (false, _) if whose == all => Step::Finish,
                    (false, _) => Step::Read(whose + 1),
                }
            }
            Step::Sleep => {
                self.lock = None;
                Step::Asleep
            }
            Step::Asleep | Step::Done => return Ok(false),
            Step::Wake => {
                // Who takes a lock shows what it has stored.
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
    matches!(role, Role::Claims | Role::Counts)
}

fn explore(roles: &[Role], calls: u32, rules: Rules) -> Outcome<usize> {
    armilla_model_checker::explore(World::new(roles, calls), &rules)
}

#[test]
fn an_object_ends_once_all_calls_have_left_it_in_whatever_order() {
    use Role::{Claims, Counts, Deactivates};
    for roles in [[Claims, Claims, Deactivates], [Claims, Counts, Deactivates]] {
        assert!(explore(&roles, 2, RULES).unwrap() > 1_000);
    }
    assert!(explore(&[Claims, Claims, Counts, Deactivates], 1, RULES).unwrap() > 10_000);
}

#[test]
fn who_waits_for_calls_to_end_waits_for_all_and_is_woken_in_whatever_order() {
    use Role::{Claims, Counts, Waits};
    for roles in [[Claims, Claims, Waits], [Claims, Counts, Waits]] {
        assert!(explore(&roles, 2, RULES).unwrap() > 1_000);
    }
    assert!(explore(&[Claims, Claims, Claims, Waits], 1, RULES).unwrap() > 10_000);
}

#[test]
fn no_fence_can_be_spared() {
    use Role::{Claims, Deactivates, Waits};
    let without_first = Rules { who_raises: false, ..RULES };
    let without_last = Rules { who_leaves: false, ..RULES };
    let ending = [Claims, Claims, Deactivates];
    assert!(explore(&ending, 1, without_first).is_err());
    assert!(explore(&ending, 1, without_last).is_err());
    assert!(explore(&[Claims, Waits], 1, without_first).is_err());
}
