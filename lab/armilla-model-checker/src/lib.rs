//! An explicit-state model checker for the concurrent algorithms of this workspace: it tries the
//! steps of a few threads in every order, on processors with store buffers.
//!
//! A test writes its algorithm down as a [`Model`]: a state that can be cloned and compared, and
//! the steps of each thread. [`explore`] visits every state that can be reached. A store that is
//! not made at once goes into the store buffer of its thread and reaches memory at any later
//! moment, in order, as on processors with total store order.
//!
//! Loom tries real code instead of a model. It has no fence that empties the store buffers of
//! *other* threads, which is what an asymmetric fence (`membarrier(2)`) does and what the
//! algorithms here rest on.
//!
//! A search proves something only if it can fail: each test also drops the rules of its algorithm
//! one at a time, and expects the search to find what goes wrong then.

use std::collections::HashSet;
use std::hash::Hash;

/// What went wrong, where something did.
pub type Outcome<T> = Result<T, &'static str>;

/// A state of an algorithm that several threads run.
pub trait Model: Clone + Eq + Hash {
    /// What is the same in all states of a search.
    type Rules: ?Sized;

    /// The number of threads.
    fn threads(&self) -> usize;

    /// Moves the oldest store in the buffer of a thread to memory; `false` where the buffer is
    /// empty.
    fn store(&mut self, thread: usize) -> bool;

    /// Does the next step of a thread; `false` where it has none, or has to wait.
    ///
    /// # Errors
    /// When the step must not happen in this state.
    fn step(&mut self, thread: usize, rules: &Self::Rules) -> Outcome<bool>;

    /// Judges a state in which nothing more can happen.
    ///
    /// # Errors
    /// When a thread waits for ever, or the result is wrong.
    fn settled(&self) -> Outcome<()>;
}

/// Visits every state that can be reached from `first`. Returns how many there are.
///
/// # Errors
/// The first error of a step or of a state in which nothing more can happen.
pub fn explore<M: Model>(first: M, rules: &M::Rules) -> Outcome<usize> {
    let mut seen = HashSet::from([first.clone()]);
    let mut open = vec![first];
    while let Some(state) = open.pop() {
        let next = successors(&state, rules)?;
        if next.is_empty() {
            state.settled()?;
        }
        open.extend(next.into_iter().filter(|after| seen.insert(after.clone())));
    }
    Ok(seen.len())
}

/// The states that follow this one at once.
fn successors<M: Model>(state: &M, rules: &M::Rules) -> Outcome<Vec<M>> {
    let mut next = Vec::new();
    for thread in 0..state.threads() {
        let mut after = state.clone();
        if after.store(thread) {
            next.push(after);
        }
        let mut after = state.clone();
        if after.step(thread, rules)? {
            next.push(after);
        }
    }
    Ok(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two threads: each stores to a place of its own, passes a fence or not, and loads from the
    /// other's.
    #[derive(Clone, Default, PartialEq, Eq, Hash)]
    struct StoreBuffering {
        next: [u8; 2],
        buffered: [bool; 2],
        memory: [bool; 2],
        loaded: [bool; 2],
    }

    impl Model for StoreBuffering {
        /// Whether the threads pass a fence.
        type Rules = bool;

        fn threads(&self) -> usize {
            2
        }

        fn store(&mut self, thread: usize) -> bool {
            let any = std::mem::take(&mut self.buffered[thread]);
            self.memory[thread] |= any;
            any
        }

        fn step(&mut self, thread: usize, fenced: &bool) -> Outcome<bool> {
            match self.next[thread] {
                0 => self.buffered[thread] = true,
                1 if *fenced => {
                    self.store(thread);
                }
                1 => {}
                2 => self.loaded[thread] = self.memory[1 - thread],
                _ => return Ok(false),
            }
            self.next[thread] += 1;
            Ok(true)
        }

        fn settled(&self) -> Outcome<()> {
            if self.loaded == [false; 2] { Err("neither sees the other") } else { Ok(()) }
        }
    }

    #[test]
    fn a_delayed_store_is_found() {
        let explore = |fenced| explore(StoreBuffering::default(), &fenced);
        assert_eq!(explore(false), Err("neither sees the other"));
        assert!(explore(true).is_ok_and(|states| states > 10));
    }
}
