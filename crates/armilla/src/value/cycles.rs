//! A collector for values that refer to one another in a cycle.
//!
//! Values are reference-counted, so a cycle keeps itself alive. A program that builds a cycle can
//! break it. A server that receives cycles, perhaps from untrusted clients, would leak them. So the
//! decoder reports every value at which a message closes a cycle as a candidate, and the collector
//! runs when there are more candidates than a threshold, which grows with the number of values that
//! the last run found in use.
//!
//! The collector traces the values that are reachable from the candidates. A value is in use if its
//! reference count is higher than the number of references from the traced values, or if a value in
//! use refers to it. The collector holds the locks of all traced values while it decides, and
//! checks that no thread has a snapshot of their states. Thus no thread can obtain a new reference
//! by following an old one, and a value that is unreachable at that moment stays unreachable.

use super::shared::{AnyState, Shared};
use armilla_cdr::Encoder;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLockWriteGuard, Weak};

/// The values at which a cycle may close.
static CANDIDATES: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// The number of candidates above which the collector runs.
static THRESHOLD: AtomicUsize = AtomicUsize::new(1);

/// Adds a candidate: a value to which a message refers while the value is being decoded.
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

/// Ends a handle of a value, and runs the collector with the value as a further candidate.
pub(super) fn collect_with(shared: Arc<Shared>) {
    let mut due = std::mem::take(&mut *CANDIDATES.lock().unwrap_or_else(PoisonError::into_inner));
    due.push(Arc::downgrade(&shared));
    drop(shared);
    collect(due);
}

/// Frees the candidates that are not in use; the others remain candidates.
fn collect(due: Vec<Weak<Shared>>) {
    let mut graph = Graph::default();
    due.iter().filter_map(Weak::upgrade).for_each(|shared| {
        graph.add(shared);
    });
    graph.trace();
    // Dropping a state may run code of the program, so no lock is held then.
    let unused = graph.unused();
    // The values in use raise the threshold: tracing the same large graph again for every cycle
    // that arrives would take too long.
    let used = graph.nodes.len() - unused.len();
    drop(unused);
    drop(graph);
    let mut candidates = CANDIDATES.lock().unwrap_or_else(PoisonError::into_inner);
    candidates.extend(due.into_iter().filter(|weak| weak.strong_count() > 0));
    THRESHOLD.store(2 * candidates.len() + used / 64, Ordering::Relaxed);
}

/// The values that are reachable from the candidates.
#[derive(Default)]
struct Graph {
    nodes: Vec<Node>,
    /// The index of each value in `nodes`, by its address.
    indices: HashMap<usize, usize>,
}

struct Node {
    shared: Arc<Shared>,
    /// The state that was traced. `None` if its references are unknown: the value is being decoded,
    /// or the program marshals it.
    state: Option<Arc<dyn AnyState>>,
    /// The indices of the values to which the state refers.
    references: Vec<usize>,
    /// The number of references to this value from the nodes of the graph.
    internal_references: usize,
}

impl Graph {
    /// Adds a value, unless it is a node already. Returns its index.
    fn add(&mut self, shared: Arc<Shared>) -> usize {
        let address = Arc::as_ptr(&shared).addr();
        *self.indices.entry(address).or_insert_with(|| {
            self.nodes.push(Node {
                shared,
                state: None,
                references: Vec::new(),
                internal_references: 0,
            });
            self.nodes.len() - 1
        })
    }

    /// Adds all values that are reachable from the nodes.
    fn trace(&mut self) {
        let mut next = 0;
        while let Some(node) = self.nodes.get(next) {
            // A program that marshals a state itself may hold references that it does not write.
            let state = node.shared.state().filter(|state| !state.is_custom());
            let met =
                state.as_ref().map(|state| Encoder::referenced_values(|out| state.encode(out)));
            if let (Some(state), Some(Ok(met))) = (state, met) {
                let values = met.into_iter().filter_map(|value| value.downcast().ok());
                let references: Vec<usize> = values.map(|shared| self.add(shared)).collect();
                references.iter().for_each(|index| self.nodes[*index].internal_references += 1);
                self.nodes[next].references = references;
                self.nodes[next].state = Some(state);
            }
            next += 1;
        }
    }

    /// Takes the states of the nodes that are not in use. Takes none if another thread has the lock
    /// of a node.
    fn unused(&self) -> Vec<Option<Arc<dyn AnyState>>> {
        let locked: Option<Vec<_>> = self.nodes.iter().map(|node| node.shared.try_lock()).collect();
        let Some(mut locked) = locked else { return Vec::new() };
        let used = self.used(&locked);
        let free = locked.iter_mut().zip(used).filter(|(_, used)| !used);
        free.map(|(state, _)| state.take()).collect()
    }

    /// For each node whether it is in use. The caller holds the locks of all nodes.
    fn used(&self, locked: &[RwLockWriteGuard<'_, Option<Arc<dyn AnyState>>>]) -> Vec<bool> {
        // Look at the states before the counts: a thread with a snapshot of a state may have copied
        // references out of it until now.
        let mut used: Vec<bool> = self
            .nodes
            .iter()
            .zip(locked)
            .map(|(node, now)| match (&node.state, &**now) {
                // Two references are known: `node.state` and the value's own.
                (Some(then), Some(now)) => !Arc::ptr_eq(then, now) || Arc::strong_count(now) > 2,
                _ => true,
            })
            .collect();
        let mut rest: Vec<usize> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            used[index] |= Arc::strong_count(&node.shared) > node.internal_references + 1;
            rest.extend(used[index].then_some(index));
        }
        while let Some(index) = rest.pop() {
            for next in &self.nodes[index].references {
                if !std::mem::replace(&mut used[*next], true) {
                    rest.push(*next);
                }
            }
        }
        used
    }
}
