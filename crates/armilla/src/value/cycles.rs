//! Frees values that came in cycles, when nobody has them any more.
//!
//! Values count who leads to them, and in a cycle each is led to by another. A program that makes a
//! cycle can break it; one that is sent cycles, maybe by strangers, would keep them for ever. So
//! values that a message closes a cycle at are noted, and looked at again when more of them have come
//! than were still in use the last time.
//!
//! A value is in use when more lead to it than the values in question do, or when what is in use leads
//! to it. Nobody can go from value to value meanwhile, for the locks of all of them are held, and nobody
//! has their states; so who has none of them at that moment will have none later.

use super::shared::{AnyState, Shared};
use armilla_cdr::Encoder;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLockWriteGuard, Weak};

/// The values at which cycles close.
static NOTED: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// How many there may be before they are looked at.
static LIMIT: AtomicUsize = AtomicUsize::new(1);

/// Notes that a cycle closes at this value, which is being read.
#[cold]
pub(super) fn found(shared: &Arc<Shared>) {
    let due = {
        let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
        let due = noted.len() > LIMIT.load(Ordering::Relaxed);
        let due = if due { std::mem::take(&mut *noted) } else { Vec::new() };
        // One message often closes many cycles at one value.
        if noted.last().is_none_or(|last| !std::ptr::eq(last.as_ptr(), Arc::as_ptr(shared))) {
            noted.push(Arc::downgrade(shared));
        }
        due
    };
    if !due.is_empty() {
        look_at(due);
    }
}

/// Notes that cycles may close at this value, and looks at all that are noted.
pub(super) fn free(shared: Arc<Shared>) {
    let mut due = std::mem::take(&mut *NOTED.lock().unwrap_or_else(PoisonError::into_inner));
    due.push(Arc::downgrade(&shared));
    drop(shared);
    look_at(due);
}

/// Frees what is not in use, and notes the rest again.
fn look_at(due: Vec<Weak<Shared>>) {
    let mut group = Group::default();
    due.iter().filter_map(Weak::upgrade).for_each(|shared| {
        group.add(shared);
    });
    group.explore();
    // What is dropped may be values whose programs do anything; no lock is held.
    let unused = group.unused();
    // To look at the same large graph again for every cycle that arrives would take too long.
    let used = group.members.len() - unused.len();
    drop(unused);
    drop(group);
    let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
    noted.extend(due.into_iter().filter(|weak| weak.strong_count() > 0));
    LIMIT.store(2 * noted.len() + used / 64, Ordering::Relaxed);
}

/// Values, and all to which they lead.
#[derive(Default)]
struct Group {
    members: Vec<Member>,
    places: HashMap<usize, usize>,
}

struct Member {
    shared: Arc<Shared>,
    /// What it was when it was looked at; `None` where it cannot be told what it leads to.
    state: Option<Arc<dyn AnyState>>,
    leads_to: Vec<usize>,
    /// How often the others lead to it.
    led_to: usize,
}

impl Group {
    /// The place of a value, which is a member from now on.
    fn add(&mut self, shared: Arc<Shared>) -> usize {
        let address = Arc::as_ptr(&shared).addr();
        *self.places.entry(address).or_insert_with(|| {
            self.members.push(Member { shared, state: None, leads_to: Vec::new(), led_to: 0 });
            self.members.len() - 1
        })
    }

    /// Adds what the members lead to.
    fn explore(&mut self) {
        let mut next = 0;
        while let Some(member) = self.members.get(next) {
            // What the program marshals need not be what it holds.
            let state = member.shared.state().filter(|state| !state.is_custom());
            let met =
                state.as_ref().map(|state| Encoder::referenced_values(|out| state.encode(out)));
            if let (Some(state), Some(Ok(met))) = (state, met) {
                let values = met.into_iter().filter_map(|value| value.downcast().ok());
                let leads_to: Vec<usize> = values.map(|shared| self.add(shared)).collect();
                leads_to.iter().for_each(|place| self.members[*place].led_to += 1);
                self.members[next].leads_to = leads_to;
                self.members[next].state = Some(state);
            }
            next += 1;
        }
    }

    /// Takes the states of the members that are not in use; none when somebody is busy with one.
    fn unused(&self) -> Vec<Option<Arc<dyn AnyState>>> {
        let locked: Option<Vec<_>> =
            self.members.iter().map(|member| member.shared.try_lock()).collect();
        let Some(mut locked) = locked else { return Vec::new() };
        let used = self.used(&locked);
        let free = locked.iter_mut().zip(used).filter(|(_, used)| !used);
        free.map(|(state, _)| state.take()).collect()
    }

    /// Which members are in use; all of them are locked.
    fn used(&self, locked: &[RwLockWriteGuard<'_, Option<Arc<dyn AnyState>>>]) -> Vec<bool> {
        // States first: whoever had one could have gone on from it, until it was looked at.
        let mut used: Vec<bool> = self
            .members
            .iter()
            .zip(locked)
            .map(|(member, now)| match (&member.state, &**now) {
                // Here, and in the value.
                (Some(then), Some(now)) => !Arc::ptr_eq(then, now) || Arc::strong_count(now) > 2,
                _ => true,
            })
            .collect();
        let mut rest: Vec<usize> = Vec::new();
        for (place, member) in self.members.iter().enumerate() {
            used[place] |= Arc::strong_count(&member.shared) > member.led_to + 1;
            rest.extend(used[place].then_some(place));
        }
        while let Some(place) = rest.pop() {
            for next in &self.members[place].leads_to {
                if !std::mem::replace(&mut used[*next], true) {
                    rest.push(*next);
                }
            }
        }
        used
    }
}
