//! Where the selectors of extensions lead a call: the reference that it goes through, and what it
//! carries.

use crate::client::reference::{AddedContext, CallChoice, CallSelector, Object};
use crate::exception::{Completion, ExceptionKind, SystemException};
use armilla_giop::ServiceContext;
use std::sync::Arc;

/// A selector, and the reference that it has chosen for a call.
pub(in crate::client) struct Selection {
    pub(in crate::client) selector: Arc<dyn CallSelector>,
    pub(in crate::client) chosen: Object,
    /// The reference of the caller, to which the selector belongs.
    pub(in crate::client) origin: Object,
}

impl Object {
    /// The reference through which the calling thread's calls go, what they carry, and by whose
    /// choice.
    pub(in crate::client) fn selected(&self) -> Result<Selected, SystemException> {
        let reference = self.reference()?;
        let Some(extension) = reference.orb.client_extension() else {
            return self.selected_here();
        };
        let context = extension.local_context();
        match reference.is_collocated() {
            true => Ok(Selected { context: context?, ..Selected::unchanged(self) }),
            false => {
                let caller = context.ok().flatten();
                Ok(Selected { caller, ..self.selected_here()? })
            }
        }
    }

    /// The same for a call whose thread waits for it, and so need not be told of.
    pub(in crate::client) fn selected_here(&self) -> Result<Selected, SystemException> {
        self.selected_by(&|selector| selector.select())
    }

    /// The same for a call that another thread has begun.
    pub(in crate::client) fn selected_for(
        &self,
        caller: Option<AddedContext>,
    ) -> Result<Selected, SystemException> {
        self.selected_by(&|selector| selector.select_for(caller))
    }

    fn selected_by(&self, select: Select<'_>) -> Result<Selected, SystemException> {
        let Some(selector) = self.reference()?.selector()? else {
            return Ok(Selected::unchanged(self));
        };
        let CallChoice { object, context } = select(&*selector)?;
        let chosen = object.into_owned();
        let (object, context) = self.through(chosen.clone(), context, select)?;
        let by = Some(Selection { selector, chosen, origin: self.clone() });
        Ok(Selected { object, context, by, caller: None })
    }

    /// The reference through which a call goes that was sent through `chosen`, and what it carries:
    /// an extension may have attached to that, too, and to where it is forwarded.
    pub(super) fn through(
        &self,
        mut chosen: Self,
        mut context: Option<AddedContext>,
        select: Select<'_>,
    ) -> Result<(Self, Option<AddedContext>), SystemException> {
        for _ in 0..MOST_SELECTORS {
            let Some(selector) = chosen.reference()?.selector()? else { break };
            let choice = select(&*selector)?;
            (chosen, context) = (choice.object.into_owned(), choice.context.or(context));
        }
        Ok((self.with_reference(chosen), context))
    }
}

/// The most selectors that are asked for a call, one after the other. Each but the first two
/// belongs to a forward, of which a call follows few.
const MOST_SELECTORS: usize = 32;

/// How a call goes.
pub(in crate::client) struct Selected {
    pub(in crate::client) object: Object,
    pub(in crate::client) context: Option<AddedContext>,
    /// The selector that has chosen, if one has.
    pub(in crate::client) by: Option<Selection>,
    /// What tells of the calling thread, for another one that chooses again.
    pub(in crate::client) caller: Option<AddedContext>,
}

impl Selected {
    /// The object itself.
    fn unchanged(object: &Object) -> Self {
        Self { object: object.clone(), context: None, by: None, caller: None }
    }
}

/// Asks a selector.
pub(super) type Select<'s> =
    &'s dyn for<'c> Fn(&'c dyn CallSelector) -> Result<CallChoice<'c>, SystemException>;

impl Selection {
    /// Whether a call that has failed so is made once more where its selector then leads: it was
    /// certainly not executed, and the call has left a forward, or the selector has found another
    /// object. `is_refused` tells whether the selector has found none for a call just before.
    pub(in crate::client) fn finds_again(
        &self,
        failure: &SystemException,
        is_refused: impl FnOnce() -> bool,
    ) -> bool {
        let left = || is_unreached(failure) && leave_forwards(&self.origin, &self.chosen);
        let found = || !is_refused() && self.selector.select_again(&self.chosen, failure);
        failure.completed() == Completion::No && (left() || found())
    }
}

/// Whether a call that has failed so did not reach its object: where a forward has led, the object
/// may be elsewhere by now.
fn is_unreached(failure: &SystemException) -> bool {
    use ExceptionKind::{CommFailure, ObjAdapter, ObjectNotExist, Transient};
    failure.completed() == Completion::No
        && matches!(failure.kind(), Transient | CommFailure | ObjectNotExist | ObjAdapter)
}

/// The context as a request has it.
pub(in crate::client) fn to_send((id, data): &AddedContext) -> ServiceContext<'_> {
    ServiceContext { id: *id, data }
}

/// Gives up the forwards by which a call through `object` went, and through the copy of it that was
/// chosen. Whether there was one.
fn leave_forwards(object: &Object, chosen: &Object) -> bool {
    let both = [object, chosen].map(Object::reference);
    both.into_iter().flatten().filter(|reference| reference.leave_forward()).count() > 0
}
