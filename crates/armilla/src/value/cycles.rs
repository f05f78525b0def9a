//! Frees values that came in cycles, when nobody has them any more.
//!
//! Values count who leads to them, and in a cycle each is led to by another. A program that makes a
//! cycle can break it; one that is sent cycles, maybe by strangers, would keep them for ever. So
//! values that a message closes a cycle at are candidates, and looked at again when more of them have come
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
static CANDIDATES: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// How many there may be before they are looked at.
static THRESHOLD: AtomicUsize = AtomicUsize::new(1);

/// Notes that a cycle closes at this value, which is being read.
#[cold]
pub(super) fn add_candidate(shared: &Arc<Shared>) {
    let due = {
        let mut candidates = CANDIDATES.lock().unwrap_or_else(PoisonError::into_inner);
        let due = candidates.len() > THRESHOLD.load(Ordering::Relaxed);
        let due = if due { std::mem::take(&mut *candidates) } else { Vec::new() };
        // One message often closes many cycles at one value.
        if candidates.last().is_none_or(|last| !std::ptr::eq(last.as_ptr(), Arc::as_ptr(shared))) {
            candidates.push(Arc::downgrade(shared));
        }
        due
    };
    if !due.is_empty() {
        collect(due);
    }
}

/// Notes that cycles may close at this value, and looks at all that are candidates.
pub(super) fn collect_with(shared: Arc<Shared>) {
    let mut due = std::mem::take(&mut *CANDIDATES.lock().unwrap_or_else(PoisonError::into_inner));
    due.push(Arc::downgrade(&shared));
    drop(shared);
    collect(due);
}

/// Frees what is not in use, and notes the rest again.
fn collect(due: Vec<Weak<Shared>>) {
    let mut graph = Graph::default();
    due.iter().filter_map(Weak::upgrade).for_each(|shared| {
        graph.add(shared);
    });
    graph.trace();
    // What is dropped may be values whose programs do anything; no lock is held.
    let unused = graph.unused();
    // To look at the same large graph again for every cycle that arrives would take too long.
    let used = graph.nodes.len() - unused.len();
    drop(unused);
    drop(graph);
    let mut candidates = CANDIDATES.lock().unwrap_or_else(PoisonError::into_inner);
    candidates.extend(due.into_iter().filter(|weak| weak.strong_count() > 0));
    THRESHOLD.store(2 * candidates.len() + used / 64, Ordering::Relaxed);
}

/// Values, and all to which they lead.
#[derive(Default)]
struct Graph {
    nodes: Vec<Node>,
    places: HashMap<usize, usize>,
}

struct Node {
    shared: Arc<Shared>,
    /// What it was when it was looked at; `None` where it cannot be told what it leads to.
    state: Option<Arc<dyn AnyState>>,
    references: Vec<usize>,
    /// How often the others lead to it.
    internal_references: usize,
}

impl Graph {
    /// The place of a value, which is a node from now on.
    fn add(&mut self, shared: Arc<Shared>) -> usize {
        let address = Arc::as_ptr(&shared).addr();
        *self.places.entry(address).or_insert_with(|| {
            self.nodes.push(Node {
                shared,
                state: None,
                references: Vec::new(),
                internal_references: 0,
            });
            self.nodes.len() - 1
        })
    }

    /// Adds what the nodes lead to.
    fn trace(&mut self) {
        let mut next = 0;
        while let Some(node) = self.nodes.get(next) {
            // What the program marshals need not be what it holds.
            let state = node.shared.state().filter(|state| !state.is_custom());
            let met =
                state.as_ref().map(|state| Encoder::referenced_values(|out| state.encode(out)));
            if let (Some(state), Some(Ok(met))) = (state, met) {
                let values = met.into_iter().filter_map(|value| value.downcast().ok());
                let references: Vec<usize> = values.map(|shared| self.add(shared)).collect();
                references.iter().for_each(|place| self.nodes[*place].internal_references += 1);
                self.nodes[next].references = references;
                self.nodes[next].state = Some(state);
            }
            next += 1;
        }
    }

    /// Takes the states of the nodes that are not in use; none when somebody is busy with one.
    fn unused(&self) -> Vec<Option<Arc<dyn AnyState>>> {
        let locked: Option<Vec<_>> = self.nodes.iter().map(|node| node.shared.try_lock()).collect();
        let Some(mut locked) = locked else { return Vec::new() };
        let used = self.used(&locked);
        let free = locked.iter_mut().zip(used).filter(|(_, used)| !used);
        free.map(|(state, _)| state.take()).collect()
    }

    /// Which nodes are in use; all of them are locked.
    fn used(&self, locked: &[RwLockWriteGuard<'_, Option<Arc<dyn AnyState>>>]) -> Vec<bool> {
        // States first: whoever had one could have gone on from it, until it was looked at.
        let mut used: Vec<bool> = self
            .nodes
            .iter()
            .zip(locked)
            .map(|(node, now)| match (&node.state, &**now) {
                // Here, and in the value.
                (Some(then), Some(now)) => !Arc::ptr_eq(then, now) || Arc::strong_count(now) > 2,
                _ => true,
            })
            .collect();
        let mut rest: Vec<usize> = Vec::new();
        for (place, node) in self.nodes.iter().enumerate() {
            used[place] |= Arc::strong_count(&node.shared) > node.internal_references + 1;
            rest.extend(used[place].then_some(place));
        }
        while let Some(place) = rest.pop() {
            for next in &self.nodes[place].references {
                if !std::mem::replace(&mut used[*next], true) {
                    rest.push(*next);
                }
            }
        }
        used
    }
}
