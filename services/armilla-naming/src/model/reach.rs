//! Which contexts names lead to, and which they do not.

use super::{
    Bind, Bound, Change, ContextId, Decision, Found, NameComponent, NameTree, NamingError,
    NotFoundReason, ROOT, Seconds, Step, Target,
};
use std::collections::HashSet;

/// What is lost from sight when a name goes: contexts that only it leads to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Held {
    /// The contexts, the one of the name first.
    pub contexts: Vec<ContextId>,
    /// How many bindings they have in all.
    pub bindings: usize,
}

impl NameTree {
    /// The number of bindings of a context.
    pub fn bindings_of(&self, context: ContextId) -> usize {
        self.contexts.get(&context).map_or(0, |context| context.bindings.len())
    }

    /// The contexts that no name from the root leads to.
    pub fn orphans(&self) -> Vec<ContextId> {
        let reached = self.reached_from(ROOT, &HashSet::new(), None);
        let mut orphans: Vec<_> = self.context_ids().filter(|id| !reached.contains(id)).collect();
        orphans.sort();
        orphans
    }

    /// What only the binding of a step leads to.
    pub fn held(&self, context: ContextId, step: &Step) -> Held {
        let Some(Bound { target: Target::Context(child), .. }) = self.get(context, step) else {
            return Held::default();
        };
        let without = self.reached_from(ROOT, &HashSet::new(), Some((context, step)));
        if without.contains(child) || !self.has(*child) {
            return Held::default();
        }
        let mut contexts: Vec<_> = self.reached_from(*child, &without, None).into_iter().collect();
        contexts.sort_by_key(|id| (id != child, *id));
        let bindings = contexts.iter().map(|id| self.bindings_of(*id)).sum();
        Held { contexts, bindings }
    }

    /// The contexts that names lead to from one on, without those that are known and without one
    /// binding.
    fn reached_from(
        &self,
        from: ContextId,
        known: &HashSet<ContextId>,
        without: Option<(ContextId, &Step)>,
    ) -> HashSet<ContextId> {
        let (mut reached, mut open) = (HashSet::from([from]), vec![from]);
        while let Some(at) = open.pop() {
            let Some(context) = self.contexts.get(&at) else { continue };
            for (step, bound) in context.bindings.iter() {
                if let Target::Context(child) = bound.target
                    && without != Some((at, step))
                    && self.has(child)
                    && !known.contains(&child)
                    && reached.insert(child)
                {
                    open.push(child);
                }
            }
        }
        reached
    }

    /// The changes that destroy contexts with all that is bound in them.
    pub fn destruction(&self, contexts: &[ContextId]) -> Vec<Change> {
        let mut changes = Vec::new();
        for context in contexts.iter().copied() {
            for (step, _) in self.bindings_after(context, None).into_iter().flatten() {
                changes.push(Change::Unbind { context, step: step.clone() });
            }
        }
        changes.extend(contexts.iter().map(|context| Change::Destroy { context: *context }));
        changes
    }

    /// Binds a name to a target, or to a new context without one, and makes the contexts on the way
    /// that are missing.
    ///
    /// # Errors
    /// Those of [`bind`](Self::bind) and [`bind_new_context`](Self::bind_new_context).
    pub fn bind_with_way(
        &self,
        from: ContextId,
        name: &[NameComponent],
        target: Option<Target>,
        how: Bind,
        now: Seconds,
    ) -> Result<Decision, NamingError> {
        let missing = self.missing(from, name);
        let Some(made) = missing else {
            return match target {
                Some(target) => self.bind(from, name, target, how, now),
                None => self.bind_new_context(from, name, now),
            };
        };
        let target = match (target, how) {
            (Some(target), Bind::Join(balance)) => Some(self.join(None, target, balance, now)?),
            (target, _) => target,
        };
        let mut changes = Vec::new();
        let Decision::Here { changes: first, created } =
            self.bind_new_context(from, &name[..made], now)?
        else {
            return Err(NamingError::InvalidName);
        };
        changes.extend(first);
        let mut at = created.unwrap_or(ROOT);
        for (number, component) in name[made..].iter().enumerate() {
            let is_last = made + number + 1 == name.len();
            let step = Step::new(component).ok_or(NamingError::InvalidName)?;
            let new = ContextId(at.0 + 1);
            let target = match (&target, is_last) {
                (Some(target), true) => target.clone(),
                _ => {
                    changes.push(Change::Create { context: new, created: now });
                    Target::Context(new)
                }
            };
            let bound = Bound::new(target, now);
            changes.push(Change::Bind { context: at, step, bound });
            at = new;
        }
        self.check_changes(name, target.as_ref(), &changes)?;
        Ok(Decision::Here { changes, created: None })
    }

    /// How many components the first context has that is missing on the way of a name.
    pub fn missing(&self, from: ContextId, name: &[NameComponent]) -> Option<usize> {
        (1..name.len()).find(|end| {
            let found: Result<Found, _> = self.resolve(from, &name[..*end]);
            let why = NotFoundReason::MissingNode;
            found == Err(NamingError::NotFound { why, rest: 1 })
        })
    }
}
