//! The names of a context: where it is bound, up to the root.

use super::{ContextId, NameComponent, NameTree, ROOT, Step, Target};
use std::collections::{HashSet, VecDeque};

/// The most names of a context that are looked at.
const MAX_NAMES: usize = 64;

impl NameTree {
    /// A context was bound at a place.
    pub(super) fn add_place(&mut self, target: &Target, parent: ContextId, step: &Step) {
        if let Target::Context(context) = target {
            self.parents.entry(*context).or_default().push((parent, step.clone()));
        }
    }

    /// A context is not bound at a place any more.
    pub(super) fn remove_place(&mut self, target: &Target, parent: ContextId, step: &Step) {
        let Target::Context(context) = target else { return };
        let Some(places) = self.parents.get_mut(context) else { return };
        if let Some(at) = places.iter().position(|(at, by)| *at == parent && by == step) {
            places.swap_remove(at);
        }
        if places.is_empty() {
            self.parents.remove(context);
        }
    }

    /// The names from the root to a context, shortest first, without cycles. `None` if there are
    /// too many to look at; none if the context is not bound below the root.
    pub fn names_of(&self, context: ContextId) -> Option<Vec<Vec<NameComponent>>> {
        self.names_from(ROOT, context)
    }

    /// The same for names from another context than the root.
    pub fn names_from(
        &self,
        from: ContextId,
        context: ContextId,
    ) -> Option<Vec<Vec<NameComponent>>> {
        let mut names = Vec::new();
        let mut open = VecDeque::from([(context, Vec::new(), HashSet::from([context]))]);
        let mut looked = 0;
        while let Some((at, behind, seen)) = open.pop_front() {
            if at == from {
                names.push(behind.iter().rev().map(Step::component).collect());
                continue;
            }
            for (parent, step) in self.parents.get(&at).into_iter().flatten() {
                looked += 1;
                if looked > MAX_NAMES {
                    return None;
                }
                if seen.contains(parent) {
                    continue;
                }
                let (mut way, mut seen) = (behind.clone(), seen.clone());
                way.push(step.clone());
                seen.insert(*parent);
                open.push_back((*parent, way, seen));
            }
        }
        Some(names)
    }

    /// The names from the root of what `name` denotes from a context, or would denote if something
    /// were bound to it, here or in the other server where it leads. `None` if there are too many to
    /// look at; none if the way begins in a context that is not bound below the root, or if the name
    /// is beyond the limits.
    pub fn full_names(
        &self,
        from: ContextId,
        name: &[NameComponent],
    ) -> Option<Vec<Vec<NameComponent>>> {
        if self.check_name(name).is_err() {
            return Some(Vec::new());
        }
        let (context, rest) = self.reached(from, name);
        let mut names = self.names_of(context)?;
        names.iter_mut().for_each(|name| name.extend_from_slice(rest));
        Some(names)
    }

    /// The last context of this tree on the way that a name names, and the rest of the name.
    fn reached<'n>(
        &self,
        from: ContextId,
        name: &'n [NameComponent],
    ) -> (ContextId, &'n [NameComponent]) {
        let (mut context, mut rest) = (from, name);
        while let [first, behind @ ..] = rest
            && !behind.is_empty()
            && let Some(bound) = self.find(context, &first.id, &first.kind)
            && let Target::Context(next) = bound.target
        {
            (context, rest) = (next, behind);
        }
        (context, rest)
    }
}
