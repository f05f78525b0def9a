//! Reading a context piece by piece.

use super::{Bound, ContextId, NameTree, NamingError, Step};

/// The most octets of names in one piece of a listing, so that a reply stays far below the size
/// limit of messages.
const MAX_OCTETS: usize = 1 << 20;

/// A piece of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listed {
    /// Each step, and whether its binding type is `ncontext`.
    pub bindings: Vec<(Step, bool)>,
    /// Whether there are more.
    pub more: bool,
}

impl NameTree {
    /// Up to `how_many` bindings of a context, in the order of their steps, from the first one
    /// behind `after`. Fewer if the names are very long.
    ///
    /// Between two pieces the context may change. A binding that exists all the while is listed
    /// exactly once.
    ///
    /// # Errors
    /// [`Destroyed`](NamingError::Destroyed).
    pub fn list(
        &self,
        context: ContextId,
        after: Option<&Step>,
        how_many: usize,
    ) -> Result<Listed, NamingError> {
        let mut listed = Listed::default();
        let mut octets = 0;
        for (step, bound) in self.bindings_after(context, after)? {
            octets += step.as_str().len();
            let full = listed.bindings.len() == how_many;
            if full || octets > MAX_OCTETS && !listed.bindings.is_empty() {
                listed.more = true;
                break;
            }
            listed.bindings.push((step.clone(), bound.target.is_context()));
        }
        Ok(listed)
    }

    /// The bindings of a context behind a step.
    ///
    /// # Errors
    /// [`Destroyed`](NamingError::Destroyed).
    pub fn bindings_after(
        &self,
        context: ContextId,
        after: Option<&Step>,
    ) -> Result<impl Iterator<Item = (&Step, &Bound)>, NamingError> {
        let context = self.contexts.get(&context).ok_or(NamingError::Destroyed)?;
        Ok(context.bindings.after(after))
    }

    /// How many bindings a context has; `None` if it does not exist.
    pub fn size(&self, context: ContextId) -> Option<usize> {
        self.contexts.get(&context).map(|context| context.bindings.len())
    }
}
