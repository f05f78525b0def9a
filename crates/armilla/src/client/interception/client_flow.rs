//! The interceptors' part in a call that a thread waits for (CORBA 3.4 Part 1, 16.3.3 and 16.3.7).

use super::client::ClientRequestInfo;
use super::{Interceptors, Interruption};
use crate::client::{Finish, Forward, Request, Step};
use crate::client::{Object, Reference};
use crate::exception::{Completion, SystemException};
use crate::interception::Contexts;
use crate::interception::Outcome;
use crate::interception::Slots;
use crate::interception::current;
use crate::interception::outcome::{End, heard};
use crate::interception::values::written;
use crate::interception::{Read, Values};
use crate::policies::SyncScope;
use crate::signature::Signature;
use crate::transport::EndpointAddress;
use armilla_cdr::{CdrResult, Decoder, OwnedInput};
use armilla_giop::ior::Ior;
use armilla_giop::{ReplyStatus, ResponseFlags, TargetAddress};
use std::cell::RefCell;

/// The interceptors that see a call, with the slots that the thread had when it began.
pub(crate) struct ClientFlow<'c> {
    interceptors: &'c Interceptors,
    object: &'c Object,
    reference: &'c Reference,
    slots: Slots,
}

/// Where an attempt goes, as interceptors see it.
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

    /// One attempt, which `exchange` makes between the first points of the interceptors and their last.
    /// `exchange` sends the contexts that it is given, and leaves those of the reply in the cell.
    pub(crate) fn attempt(
        &self,
        request: &Request<'_, '_>,
        at: FlowTarget<'_>,
        finish: Finish<'_>,
        exchange: impl FnOnce(
            &Contexts,
            &RefCell<Contexts>,
            Finish<'_>,
        ) -> Result<Step, SystemException>,
    ) -> Result<Step, SystemException> {
        let values = CallValues { request, reply: RefCell::default() };
        let reads = self.interceptors.read_client_values();
        let mut flow = self.flow(request, if reads { Some(&values) } else { None }, at);
        let mut permanent = None;
        let outcome = flow.run(|contexts, reply| {
            let mut user = None;
            let step = exchange(contexts, reply, &mut |status, input| {
                if reads {
                    *values.reply.borrow_mut() = Some(input.to_owned_input());
                }
                user = user_exception_id(status, input)?;
                finish(status, input)
            });
            let (outcome, for_good) = Outcome::of(step, user, request.response);
            permanent = for_good;
            outcome
        });
        outcome.into_step(permanent)
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

    /// When a call without a reply returns.
    fn sync_scope(&self, response: ResponseFlags) -> SyncScope {
        match response {
            ResponseFlags::Target => SyncScope::WithTarget,
            ResponseFlags::Server => SyncScope::WithServer,
            ResponseFlags::None => self.object.connection_policy(self.reference.orb.settings()).1,
        }
    }
}

/// The repository id of a user exception, if `input` is one.
fn user_exception_id(status: ReplyStatus, input: &Decoder<'_>) -> CdrResult<Option<String>> {
    match status {
        ReplyStatus::UserException => Ok(Some(input.clone().string()?.into_owned())),
        _ => Ok(None),
    }
}

impl Outcome {
    /// What interceptors hear of a step. A forward for good is kept beside, because interceptors do not
    /// tell it from another one.
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
            (Ok(Step::Done), Some(id)) => Self::UserException(id),
            (Ok(Step::Done), None) if response.response_expected() => Self::Reply,
            (Ok(Step::Done), None) => Self::Sent,
        };
        (outcome, None)
    }

    /// How the call goes on; `permanent` is where the server forwarded it for good.
    ///
    /// # Errors
    /// The system exception that it ends with.
    pub(crate) fn into_step(self, permanent: Option<Ior>) -> Result<Step, SystemException> {
        match self {
            Self::Reply | Self::Sent | Self::UserException(_) => Ok(Step::Done),
            Self::SystemException(exception) => Err(exception),
            Self::Forward(ior) if permanent.as_ref() == Some(&ior) => {
                Ok(Step::Forward(Forward::ForGood(ior.into())))
            }
            Self::Forward(ior) => Ok(Step::Forward(Forward::To(ior.into()))),
            Self::Retry => Ok(Step::Again),
        }
    }
}

/// The arguments and results of a call, where an interceptor asks for them.
struct CallValues<'v, 'r, 'p> {
    request: &'v Request<'r, 'p>,
    /// The results or the user exception.
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

/// One attempt on its way through the interceptors.
pub(super) struct Flow<'f> {
    pub(super) interceptors: &'f Interceptors,
    pub(super) reference: &'f Reference,
    pub(super) info: ClientRequestInfo<'f>,
    /// How many of the interceptors have begun, or do not see the call: those that see it are still to
    /// hear of the end, the flow stack.
    pub(super) entered: usize,
    /// The slots of the thread while it is in an interceptor.
    pub(super) slots: Slots,
}

impl Flow<'_> {
    /// Calls the first points.
    pub(super) fn enter(&mut self) -> Result<(), Interruption> {
        self.in_interceptors(Self::begin)
    }

    /// Calls the last points, and gives how the attempt ends then.
    pub(super) fn leave(&mut self, outcome: Outcome) -> Outcome {
        self.in_interceptors(|flow| flow.end(outcome))
    }

    /// From the first points of the interceptors by `exchange`, which makes the attempt and takes
    /// the contexts of the reply, to their last.
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
            if interceptor.processing_mode().sees(local) {
                heard(interceptor.name(), Completion::No, || {
                    interceptor.send_request(&mut self.info)
                })?;
            }
            self.entered += 1;
        }
        Ok(())
    }

    /// Unwinds the flow stack. What an interceptor interrupts with is the outcome for the next.
    fn end(&mut self, mut outcome: Outcome) -> Outcome {
        let entered = std::mem::take(&mut self.entered);
        let local = self.info.is_local();
        let all = self.interceptors.client.iter().take(entered).rev();
        for interceptor in all.filter(|interceptor| interceptor.processing_mode().sees(local)) {
            let end = outcome.end();
            let info = &mut self.info;
            info.outcome = Some(outcome);
            let result = heard(interceptor.name(), Completion::Maybe, || match end {
                End::Reply => interceptor.receive_reply(info).map_err(Interruption::from),
                End::Exception => interceptor.receive_exception(info),
                End::Other => interceptor.receive_other(info),
            });
            outcome = match (result, info.outcome.take()) {
                (Ok(()), Some(outcome)) => outcome,
                // No interceptor can take the outcome away.
                (Ok(()), None) => Outcome::Sent,
                (Err(interruption), _) => interruption.into(),
            };
        }
        outcome
    }

    /// Lets the thread have slots of its own while it is in interceptors (CORBA 3.4 Part 1,
    /// 16.4.4.5).
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
