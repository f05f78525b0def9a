//! Changes of a tree: what a store records, and what undoes them.

use super::{Bound, Context, ContextId, NameTree, Seconds, Step, Target};
use std::sync::Arc;

/// How many numbers of contexts are reserved at once, and left out by a restart at most.
const RESERVE: u64 = 1024;

/// One change of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A context comes into being.
    Create {
        /// Its number.
        context: ContextId,
        /// When.
        created: Seconds,
    },
    /// A context goes, with the bindings that it has.
    Destroy {
        /// Its number.
        context: ContextId,
    },
    /// A step is bound, in place of what it was bound to.
    Bind {
        /// The context.
        context: ContextId,
        /// The step.
        step: Step,
        /// The binding.
        bound: Bound,
    },
    /// A binding goes.
    Unbind {
        /// The context.
        context: ContextId,
        /// The step.
        step: Step,
    },
    /// No context gets a number below this one after a restart. Transactions give those below, of which
    /// nothing is kept if they roll back.
    Reserve {
        /// The number.
        below: u64,
    },
    /// A transaction will make these changes, or none of them.
    Prepare {
        /// What names the transaction.
        token: Arc<str>,
        /// The changes.
        changes: Arc<[Self]>,
    },
    /// A transaction that has prepared has ended.
    Settle {
        /// What names the transaction.
        token: Arc<str>,
    },
}

impl NameTree {
    /// Makes a change, and returns the one that undoes it; `None` if it changed nothing, as for a
    /// binding in a context that does not exist. The number of a context is taken for good.
    pub fn apply(&mut self, change: Change) -> Option<Change> {
        match change {
            Change::Create { context, created } => {
                self.load(context, created, []);
                Some(Change::Destroy { context })
            }
            Change::Destroy { context } => {
                let gone = self.contexts.remove(&context)?;
                self.forget(context, &gone);
                Some(Change::Create { context, created: gone.created })
            }
            Change::Bind { context, step, mut bound } => {
                let bindings = &mut self.contexts.get_mut(&context)?.bindings;
                let target = bound.target.clone();
                self.owners.share(&mut bound);
                self.owners.add(&bound);
                let before = bindings.insert(step.clone(), bound);
                self.add_place(&target, context, &step);
                Some(match before {
                    Some(bound) => {
                        self.owners.remove(&bound);
                        self.remove_place(&bound.target, context, &step);
                        Change::Bind { context, step, bound }
                    }
                    None => {
                        self.bindings += 1;
                        Change::Unbind { context, step }
                    }
                })
            }
            Change::Unbind { context, step } => {
                let bindings = &mut self.contexts.get_mut(&context)?.bindings;
                let bound = bindings.remove(&step)?;
                self.bindings -= 1;
                self.owners.remove(&bound);
                self.remove_place(&bound.target, context, &step);
                Some(Change::Bind { context, step, bound })
            }
            // It counts once it is kept: see `has_reserved`.
            Change::Reserve { .. } => None,
            Change::Prepare { token, changes } => {
                self.take_numbers(&changes);
                self.pending.prepare(token.clone(), changes.to_vec());
                Some(Change::Settle { token })
            }
            Change::Settle { token } => {
                let changes = self.pending.settle(&token)?.into();
                Some(Change::Prepare { token, changes })
            }
        }
    }

    /// Adds contexts and bindings that a store has read, sorted by step within a context. It is
    /// faster than a change for each of them.
    pub fn load(
        &mut self,
        context: ContextId,
        created: Seconds,
        bindings: impl IntoIterator<Item = (Step, Bound)>,
    ) {
        self.next = self.next.max(context.0.saturating_add(1));
        let owners = &mut self.owners;
        let shared = |(step, mut bound): (Step, Bound)| {
            owners.share(&mut bound);
            (step, bound)
        };
        let loaded = Context { created, bindings: bindings.into_iter().map(shared).collect() };
        self.bindings += loaded.bindings.len();
        for (step, bound) in loaded.bindings.iter() {
            self.owners.add(bound);
            if let Target::Context(child) = bound.target {
                self.parents.entry(child).or_default().push((context, step.clone()));
            }
        }
        if let Some(before) = self.contexts.insert(context, loaded) {
            self.forget(context, &before);
        }
    }

    /// Takes what a context had that is not there any more out of the counts.
    fn forget(&mut self, context: ContextId, gone: &Context) {
        self.bindings -= gone.bindings.len();
        for (step, bound) in gone.bindings.iter() {
            self.owners.remove(bound);
            self.remove_place(&bound.target, context, step);
        }
    }

    /// Reserves the numbers below `next`, which contexts had that were destroyed.
    pub fn reserve_below(&mut self, next: u64) {
        self.next = self.next.max(next);
    }

    /// Plans to reserve numbers for transactions. Nothing is to be done while some are left.
    pub fn plan_reserve(&self) -> Option<Change> {
        // An operation takes as many numbers as a name has steps, at most.
        let most = self.limits.name_components as u64;
        let is_enough = self.next.saturating_add(most) < self.reserved;
        (!is_enough).then(|| Change::Reserve { below: self.next.saturating_add(most + RESERVE) })
    }

    /// The change that [reserves](Self::plan_reserve) numbers has been kept.
    pub fn has_reserved(&mut self, reserve: &Change) {
        if let Change::Reserve { below } = reserve {
            self.reserved = self.reserved.max(*below);
        }
    }

    /// Takes the numbers of contexts that a transaction will make, also if it rolls back.
    pub(super) fn take_numbers(&mut self, changes: &[Change]) {
        for change in changes {
            if let Change::Create { context, .. } = change {
                self.reserve_below(context.0.saturating_add(1));
            }
        }
    }
}
