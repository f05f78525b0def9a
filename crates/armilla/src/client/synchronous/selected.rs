//! Calls through references to which an extension has attached.

use super::call::drive;
use crate::client::invocation::{Invocation, Reply};
use crate::client::reference::Object;
use crate::client::request::Request;
use crate::exception::SystemException;

/// A call through a reference to which an extension has attached. If it fails where its selector
/// has led it, the selector may lead it elsewhere, once, in the time that is left.
#[cold]
#[inline(never)]
pub(super) fn call_selected<'o>(
    object: &'o Object,
    request: &Request<'_, '_>,
) -> Result<Option<Reply<'o>>, SystemException> {
    let orb = &object.reference()?.orb;
    let first = object.selected_here()?;
    let mut invocation = Invocation::begin(&first.object, first.object.reference()?)?;
    let failure = match drive(orb, (&first.object, first.context), request, &mut invocation) {
        Err(failure) if invocation.has_time() => failure,
        outcome => return outcome,
    };
    if !first.by.is_some_and(|by| by.finds_again(&failure, || false)) {
        return Err(failure);
    }
    let next = object.selected_here()?;
    invocation.redirect(next.object.reference()?);
    drive(orb, (&next.object, next.context), request, &mut invocation)
}
