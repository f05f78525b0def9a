//! The interception of one call: the starting points, the attempt and the ending points (CORBA 3.4
//! Part 1, 16.3.3 and 16.3.7).
//!
//! Asynchronous calls continue in [`suspended`](super::suspended).

use super::client::ClientRequestInfo;
use super::interruption::Interruption;
use super::registry::Interceptors;
use crate::client::invocation::{Reply, Step};
use crate::client::reference::{Object, Reference};
use crate::client::request::{Forward, Request};
use crate::exception::{Completion, SystemException};
use crate::interception::Contexts;
use crate::interception::Outcome;
use crate::interception::Slots;
use crate::interception::current;
use crate::interception::outcome::{End, call_point};
use crate::interception::values::written;
use crate::interception::{Read, Values};
use crate::policies::SyncScope;
use crate::signature::Signature;
use crate::transport::EndpointAddress;
use armilla_cdr::{CdrResult, Decoder, OwnedInput};
use armilla_giop::ior::Ior;
use armilla_giop::{ReplyStatus, ResponseFlags, TargetAddress};
use std::cell::RefCell;

/// The interceptors that see a call, and the slots that the calling thread had at its start.
pub(crate) struct ClientFlow<'c> {
    interceptors: &'c Interceptors,
    object: &'c Object,
    reference: &'c Reference,
    slots: Slots,
}

/// The target of an attempt, as interceptors see it.
pub(crate) struct FlowTarget<'t> {
    pub(crate) ior: &'t Ior,
    pub(crate) named: TargetAddress<'t>,
    /// `None` for an object of this process.
    pub(crate) address: Option<&'t EndpointAddress>,
}

impl<'c> ClientFlow<'c> {
    pub(crate) fn begin(
        interceptors: &'c Interceptors,
        object: &'c Object,
        reference: &'c Reference,
    ) -> Self {
        let slots = interceptors.slots_of_thread(&reference.orb);
        Self { interceptors, object, reference, slots }
    }

    /// Makes one attempt with `exchange`, between the starting and the ending points of the
    /// interceptors. `exchange` sends the contexts that it is given and stores those of the reply
    /// in the cell. The interceptors see the reply before the caller decodes it.
    pub(crate) fn attempt<'r>(
        &self,
        request: &Request<'_, '_>,
        at: FlowTarget<'_>,
        exchange: impl FnOnce(
            &Contexts,
            &RefCell<Contexts>,
        ) -> Result<Step<Option<Reply<'r>>>, SystemException>,
    ) -> Result<Step<Option<Reply<'r>>>, SystemException> {
        let values = CallValues { request, reply: RefCell::default() };
        let reads = self.interceptors.read_client_values();
        let mut flow = self.flow(request, if reads { Some(&values) } else { None }, at);
        let (mut permanent, mut kept) = (None, None);
        let outcome = flow.run(|contexts, received| {
            let step = exchange(contexts, received).and_then(|step| {
                let user = match &step {
                    Step::Done(Some(reply)) => user_exception_of(reply)?,
                    _ => None,
                };
                Ok((step.map(|reply| kept = reply), user))
            });
            if reads {
                *values.reply.borrow_mut() = kept.as_ref().map(Reply::copy_body);
            }
            let (step, user) = match step {
                Ok((step, user)) => (Ok(step), user),
                Err(exception) => (Err(exception), None),
            };
            let (outcome, for_good) = Outcome::of(step, user, request.response);
            permanent = for_good;
            outcome
        });
        // A step that ends the call comes from `exchange`: interceptors can but replace it.
        Ok(outcome.into_step(permanent)?.map(|()| kept))
    }

    fn flow<'f>(
        &'f self,
        request: &'f Request<'_, '_>,
        values: Option<&'f dyn Values>,
        FlowTarget { ior, named, address }: FlowTarget<'f>,
    ) -> Flow<'f> {
        let info = ClientRequestInfo {
            id: self.interceptors.next_id(),
            operation: request.operation.name,
            response_expected: request.response.response_expected(),
            sync_scope: self.sync_scope(request.response),
            values,
            target: self.object,
            settings: self.reference.orb.settings(),
            ior,
            named,
            address,
            contexts: Contexts::default(),
            reply_contexts: Contexts::default(),
            outcome: None,
            slots: self.slots.clone(),
            slot_count: self.interceptors.slots,
            kept: Vec::new(),
        };
        let (entered, slots) = Default::default();
        Flow { interceptors: self.interceptors, reference: self.reference, info, entered, slots }
    }

    /// The `SyncScope` that interceptors see: the moment at which the call returns.
    fn sync_scope(&self, response: ResponseFlags) -> SyncScope {
        match response {
            ResponseFlags::Target => SyncScope::WithTarget,
            ResponseFlags::Server => SyncScope::WithServer,
            ResponseFlags::None => self.object.connection_policy(self.reference.orb.settings()).1,
        }
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

/// The repository id of the user exception in `input`; `None` for any other status.
pub(crate) fn user_exception_id(
    status: ReplyStatus,
    input: &Decoder<'_>,
) -> CdrResult<Option<String>> {
    match status {
        ReplyStatus::UserException => Ok(Some(input.clone().string()?.into_owned())),
        _ => Ok(None),
    }
}

impl Outcome {
    /// Converts a step into the outcome that interceptors see. Returns the reference of a permanent
    /// forward separately, because interceptors do not distinguish it from another forward.
    pub(crate) fn of(
        step: Result<Step, SystemException>,
        user_exception: Option<String>,
        response: ResponseFlags,
    ) -> (Self, Option<Ior>) {
        let outcome = match (step, user_exception) {
            (Err(exception), _) => Self::SystemException(exception),
            (Ok(Step::Again | Step::Forward(Forward::Readdress(_))), _) => Self::Retry,
            (Ok(Step::Forward(Forward::To(ior))), _) => Self::Forward(*ior),
            (Ok(Step::Forward(Forward::ForGood(ior))), _) => {
                return (Self::Forward((*ior).clone()), Some(*ior));
            }
            (Ok(Step::Done(())), Some(id)) => Self::UserException(id),
            (Ok(Step::Done(())), None) if response.response_expected() => Self::Reply,
            (Ok(Step::Done(())), None) => Self::Sent,
        };
        (outcome, None)
    }

    /// Converts the outcome into a step. `permanent` is the reference of a permanent forward by the
    /// server.
    ///
    /// # Errors
    /// The system exception that the call ends with.
    pub(crate) fn into_step(self, permanent: Option<Ior>) -> Result<Step, SystemException> {
        match self {
            Self::Reply | Self::Sent | Self::UserException(_) => Ok(Step::Done(())),
            Self::SystemException(exception) => Err(exception),
            Self::Forward(ior) if permanent.as_ref() == Some(&ior) => {
                Ok(Step::Forward(Forward::ForGood(ior.into())))
            }
            Self::Forward(ior) => Ok(Step::Forward(Forward::To(ior.into()))),
            Self::Retry => Ok(Step::Again),
        }
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

/// One attempt, with the state of its interceptors.
pub(super) struct Flow<'f> {
    pub(super) interceptors: &'f Interceptors,
    pub(super) reference: &'f Reference,
    pub(super) info: ClientRequestInfo<'f>,
    /// The height of the flow stack: the number of interceptors whose starting point has succeeded
    /// or which do not see the call.
    pub(super) entered: usize,
    /// The thread's slots inside the interceptors.
    pub(super) slots: Slots,
}

impl Flow<'_> {
    /// Calls the starting points.
    pub(super) fn enter(&mut self) -> Result<(), Interruption> {
        self.in_interceptors(Self::begin)
    }

    /// Calls the ending points. Returns the outcome that results.
    pub(super) fn leave(&mut self, outcome: Outcome) -> Outcome {
        self.in_interceptors(|flow| flow.end(outcome))
    }

    /// Calls the starting points, makes the attempt with `exchange`, which stores the contexts of
    /// the reply, and calls the ending points.
    fn run(&mut self, exchange: impl FnOnce(&Contexts, &RefCell<Contexts>) -> Outcome) -> Outcome {
        let outcome = match self.enter() {
            Ok(()) => {
                let reply = RefCell::default();
                let outcome = exchange(&self.info.contexts, &reply);
                self.info.reply_contexts = reply.into_inner();
                outcome
            }
            Err(interruption) => interruption.into(),
        };
        self.leave(outcome)
    }

    fn begin(&mut self) -> Result<(), Interruption> {
        let local = self.info.is_local();
        for interceptor in &self.interceptors.client {
            let (orb, info) = (&self.reference.orb, &mut self.info);
            call_point(
                orb,
                || interceptor.name(),
                Completion::No,
                || match interceptor.processing_mode().sees(local) {
                    true => interceptor.send_request(info),
                    false => Ok(()),
                },
            )
            .map_err(Interruption::before_entry)?;
            self.entered += 1;
        }
        Ok(())
    }

    /// Unwinds the flow stack. An interruption is the outcome for the next interceptor.
    fn end(&mut self, mut outcome: Outcome) -> Outcome {
        let entered = std::mem::take(&mut self.entered);
        let local = self.info.is_local();
        let all = self.interceptors.client.iter().take(entered).rev();
        for interceptor in all {
            let (end, executed) = (outcome.end(), outcome.may_be_executed());
            let completed = if executed { Completion::Maybe } else { Completion::No };
            let info = &mut self.info;
            info.outcome = Some(outcome);
            let orb = &self.reference.orb;
            let result = call_point(
                orb,
                || interceptor.name(),
                completed,
                || match end {
                    _ if !interceptor.processing_mode().sees(local) => Ok(()),
                    End::Reply => interceptor.receive_reply(info).map_err(Interruption::from),
                    End::Exception => interceptor.receive_exception(info),
                    End::Other => interceptor.receive_other(info),
                },
            );
            outcome = match (result, info.outcome.take()) {
                (Ok(()), Some(outcome)) => outcome,
                // No interceptor can remove the outcome.
                (Ok(()), None) => Outcome::Sent,
                (Err(interruption), _) if executed => interruption.after_entry().into(),
                (Err(interruption), _) => interruption.before_entry().into(),
            };
        }
        outcome
    }

    /// Gives the thread slots of its own while it runs interceptors (CORBA 3.4 Part 1, 16.4.4.5).
    fn in_interceptors<T>(&mut self, points: impl FnOnce(&mut Self) -> T) -> T {
        if self.interceptors.slots == 0 {
            return points(self);
        }
        let orb = &self.reference.orb;
        let outside = current::swap(orb, std::mem::take(&mut self.slots));
        let result = points(self);
        self.slots = current::swap(orb, outside);
        result
    }
}
