//! Calls through references to which an extension has attached.

use super::call::Driver;
use super::intercepted::ClientFlow;
use crate::client::invocation::{Invocation, Reply, is_unreached, leave_forwards, to_send};
use crate::client::reference::{CallChoice, CallSelector, Object};
use crate::client::request::{AddedContexts, Request, StableContexts};
use crate::exception::{Completion, SystemException};
use std::borrow::Cow;

/// A call through a reference to which an extension has attached.
#[cold]
#[inline(never)]
pub(in crate::client) fn call_selected<'o>(
    object: &'o Object,
    selector: &dyn CallSelector,
    request: Request<'_, '_>,
) -> Result<Option<Reply<'o>>, SystemException> {
    let choice = selector.select()?;
    let failed = match call_choice(object, &choice, &request) {
        Err(error) if error.completed() == Completion::No => error,
        outcome => return outcome,
    };
    let leaves = is_unreached(&failed) && leave_forwards(object, &choice.object);
    if !leaves && !selector.select_again(&choice.object, &failed) {
        return Err(failed);
    }
    match object.reference()?.selector()? {
        Some(selector) => call_choice(object, &selector.select()?, &request),
        None => {
            let choice = CallChoice { object: Cow::Borrowed(object), context: None };
            call_choice(object, &choice, &request)
        }
    }
}

fn call_choice<'o>(
    object: &'o Object,
    choice: &CallChoice<'_>,
    request: &Request<'_, '_>,
) -> Result<Option<Reply<'o>>, SystemException> {
    let orb = &object.reference()?.orb;
    let chosen = choice.object.clone().into_owned();
    let (object, context) =
        object.through(chosen, choice.context, &|selector| selector.select())?;
    let reference = object.reference()?;
    let contexts = context.as_ref().map(to_send);
    let added = contexts.as_ref().map(|added| AddedContexts {
        contexts: std::slice::from_ref(added),
        stable: context.map(StableContexts::of),
    });
    let invocation = Invocation::begin(&object, reference)?;
    let flow = ClientFlow::of(&reference.orb, &object);
    let mut driver = Driver::new(orb, &object, request, invocation, flow);
    driver.add(added);
    driver.run(reference)
}
