//! Calls through references to which an extension has attached.

use super::call::drive;
use crate::client::invocation::Reply;
use crate::client::reference::Object;
use crate::client::request::Request;
use crate::exception::SystemException;

/// A call through a reference to which an extension has attached. If it fails where its selector
/// has led it, the selector may lead it elsewhere, once.
#[cold]
#[inline(never)]
pub(super) fn call_selected<'o>(
    object: &'o Object,
    request: &Request<'_, '_>,
) -> Result<Option<Reply<'o>>, SystemException> {
    let orb = &object.reference()?.orb;
    let first = object.selected_here()?;
    match drive(orb, &first.object, first.context, request) {
        Err(failure) if first.by.is_some_and(|by| by.finds_again(&failure, || false)) => {
            let next = object.selected_here()?;
            drive(orb, &next.object, next.context, request)
        }
        outcome => outcome,
    }
}
