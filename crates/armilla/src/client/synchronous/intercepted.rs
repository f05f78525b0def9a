//! The interceptors of a call whose thread waits.

use crate::client::interception::{
    Attempt, Ended, FlowTarget, Intercepted, Interceptors, user_exception_id,
};
use crate::client::invocation::{Reply, Step};
use crate::client::reference::Object;
use crate::client::request::Request;
use crate::exception::{Completion, SystemException};
use crate::interception::values::written;
use crate::interception::{Contexts, Read, Slots, Values};
use crate::runtime::Orb;
use crate::signature::Signature;
use armilla_cdr::OwnedInput;
use armilla_giop::ReplyStatus;
use std::cell::RefCell;

/// The interceptors that see a call, and the slots that the calling thread had at its start.
pub(super) struct ClientFlow<'c> {
    interceptors: &'c Interceptors,
    orb: &'c Orb,
    object: &'c Object,
    slots: Slots,
}

impl<'c> ClientFlow<'c> {
    /// The interceptors of a call of `object`; `None` if there are none.
    pub(super) fn of(orb: &'c Orb, object: &'c Object) -> Option<Self> {
        let interceptors = orb.interceptors()?;
        Some(Self { interceptors, orb, object, slots: interceptors.slots_of_thread(orb) })
    }

    /// Makes one attempt with `exchange`, between the starting and the ending points of the
    /// interceptors. `exchange` sends the contexts that it is given, and stores those of the reply.
    /// The interceptors see the reply before the caller decodes it.
    pub(super) fn attempt<'r>(
        &self,
        request: &Request<'_, '_>,
        at: FlowTarget<'_>,
        exchange: impl FnOnce(
            &Contexts,
            &mut Contexts,
        ) -> Result<Step<Option<Reply<'r>>>, SystemException>,
    ) -> Result<Step<Option<Reply<'r>>>, SystemException> {
        let values = CallValues { request, reply: RefCell::default() };
        let attempt = Attempt {
            interceptors: self.interceptors,
            orb: self.orb,
            object: self.object,
            operation: request.operation.name,
            response: request.response,
            values: &values,
            at,
        };
        let begun = match Intercepted::begin(attempt, self.slots.clone()) {
            Ok(begun) => begun,
            Err(step) => return step.map(|step| step.map(|()| None)),
        };
        let (mut contexts, mut kept) = (Contexts::default(), None);
        let step = exchange(begun.contexts(), &mut contexts).and_then(|step| {
            let user = match &step {
                Step::Done(Some(reply)) => user_exception_of(reply)?,
                _ => None,
            };
            Ok((step.map(|reply| kept = reply), user))
        });
        if begun.reads_values() {
            *values.reply.borrow_mut() = kept.as_ref().map(Reply::copy_body);
        }
        // A step that ends the call comes from `exchange`: interceptors can but replace it.
        Ok(begun.end(attempt, Ended { step, contexts })?.map(|()| kept))
    }
}

/// The repository id of the user exception in `reply`, if it brings one.
fn user_exception_of(reply: &Reply<'_>) -> Result<Option<String>, SystemException> {
    match reply.status() {
        ReplyStatus::UserException => {
            reply.look(|header, body| user_exception_id(header.status, body))
        }
        _ => Ok(None),
    }
}

/// The arguments and results of a call, for interceptors that ask for them.
struct CallValues<'v, 'r, 'p> {
    request: &'v Request<'r, 'p>,
    /// The encoded results or user exception.
    reply: RefCell<Option<OwnedInput>>,
}

impl Values for CallValues<'_, '_, '_> {
    fn signature(&self) -> Option<Signature> {
        let known = self.request.signature.cloned();
        known.or_else(|| self.request.operation.signature())
    }

    fn read_arguments(&self, read: Read<'_>) -> Result<(), SystemException> {
        written(self.request.arguments)
            .and_then(|kept| read(&mut kept.decoder()))
            .map_err(|error| SystemException::encoding(&error, Completion::No))
    }

    fn read_reply(&self, read: Read<'_>) -> Result<(), SystemException> {
        let reply = self.reply.borrow();
        let read = reply.as_ref().map_or(Ok(()), |kept| read(&mut kept.decoder()));
        read.map_err(|error| SystemException::decoding(&error, Completion::Yes))
    }
}
