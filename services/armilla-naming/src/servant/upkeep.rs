//! Contexts that no name leads to: which they are, and how they go.
//!
//! A client makes one when it unbinds the name of a context that has contents, or makes a context by
//! `new_context` and never binds it. They have references that a client may still hold, so only an
//! operator says that they go, and not those that were made just now.

use super::{Names, now};
use crate::model::{Bound, Change, ContextId, Decision, Seconds, Step, Target};
use crate::store::ChangeError;

/// How many changes one operation makes at most, because a cluster does not take more at once.
const PORTION: usize = 100;

impl Names {
    /// The contexts that no name leads to, and that were made so many seconds ago or earlier.
    pub(super) fn orphans(&self, least_age: Seconds) -> Vec<ContextId> {
        let tree = self.store.read();
        let latest = now().saturating_sub(least_age);
        let is_old = |id: &ContextId| tree.created(*id).is_some_and(|created| created <= latest);
        tree.orphans().into_iter().filter(is_old).collect()
    }

    /// Destroys contexts that no name leads to, if they are as old as this. Returns how many
    /// contexts and bindings went.
    pub(super) fn collect(&self, least_age: Seconds) -> Result<(usize, usize), ChangeError> {
        let orphans = self.orphans(least_age);
        let bindings = {
            let tree = self.store.read();
            orphans.iter().map(|id| tree.bindings_of(*id)).sum()
        };
        for context in &orphans {
            self.empty(*context)?;
        }
        let mut gone = 0;
        for portion in orphans.chunks(PORTION / 4) {
            let done = self.store.change(|tree| {
                // A client may have bound one meanwhile.
                let still = tree.orphans();
                let is_still = |id: &&ContextId| still.binary_search(id).is_ok();
                let orphans: Vec<_> = portion.iter().filter(is_still).copied().collect();
                Ok(Decision::Here { changes: tree.destruction(&orphans), created: None })
            })?;
            let Decision::Here { changes, .. } = done else { continue };
            gone += changes.iter().filter(|it| matches!(it, Change::Destroy { .. })).count();
        }
        Ok((gone, bindings))
    }

    /// Removes what is bound in a context, but for contexts, in portions that every store takes.
    pub(super) fn empty(&self, context: ContextId) -> Result<(), ChangeError> {
        loop {
            let steps: Vec<Step> = {
                let tree = self.store.read();
                let bindings = tree.bindings_after(context, None).into_iter().flatten();
                let is_object = |bound: &Bound| !matches!(bound.target, Target::Context(_));
                let objects = bindings.filter(|(_, bound)| is_object(bound));
                objects.take(PORTION).map(|(step, _)| step.clone()).collect()
            };
            self.store.change(|_| {
                let unbind = |step: &Step| Change::Unbind { context, step: step.clone() };
                Ok(Decision::Here { changes: steps.iter().map(unbind).collect(), created: None })
            })?;
            if steps.len() < PORTION {
                return Ok(());
            }
        }
    }
}
