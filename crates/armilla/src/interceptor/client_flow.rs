//! The way of a call that is intercepted (CORBA 3.4 Part 1, 16.3.3 and 16.3.7).

use super::client::ClientRequestInfo;
use super::collocated::Collocated;
use super::context::Contexts;
use super::current::{self, Slots};
use super::outcome::{End, Interruption, Outcome, heard};
use super::registry::Interceptors;
use super::values::{Read, Values, written};
use crate::client::{
    Arguments, Deadline, Finish, Forward, Intercepted, Invocation, Operation, Request, Route, Step,
    SyncScope, Way,
};
use crate::dynamic::Signature;
use crate::exception::{Completion, SystemException};
use crate::object::{Object, Reference};
use crate::orb::Orb;
use crate::server::BlockingScope;
use crate::transport::EndpointAddress;
use armilla_cdr::{CdrResult, Decoder, OwnedInput};
use armilla_giop::ior::Ior;
use armilla_giop::{ReplyStatus, ResponseFlags, TargetAddress};
use std::cell::RefCell;
use std::time::Duration;

/// A call, as [`client::call`](crate::client::call) makes it, that interceptors see. `finish` runs
/// again when the call does after a user exception.
#[inline(never)]
pub(crate) fn call<'p>(
    interceptors: &Interceptors,
    object: &Object,
    operation: Operation<'_>,
    response: ResponseFlags,
    arguments: Arguments<'_, 'p>,
    finish: Finish<'_>,
) -> Result<(), SystemException> {
    let request = Request { operation, response, arguments };
    call_described(interceptors, object, request, None, finish)
}

/// A call whose operation IDL does not know; `signature` says what the program knows of it.
pub(crate) fn call_described<'p>(
    interceptors: &Interceptors,
    object: &Object,
    request: Request<'_, 'p>,
    signature: Option<&Signature>,
    finish: Finish<'_>,
) -> Result<(), SystemException> {
    let reference = object.reference()?;
    reference.callable()?;
    let settings = reference.orb.settings();
    let mut deadline = Deadline::after(object.timeout().or(settings.call_timeout));
    let mut invocation = Invocation::default();
    if let Some(effective) = object.effective(settings) {
        invocation.keep_to(effective, reference, &mut deadline)?;
    }
    let slots = interceptors.slots_of_thread(&reference.orb);
    let (for_good, reply) = Default::default();
    let mut here = Here::of(reference);
    let call = Call {
        interceptors,
        object,
        reference,
        request,
        signature,
        deadline,
        slots,
        for_good,
        reply,
    };
    let _blocking = BlockingScope::begin();
    loop {
        let outcome = match &here {
            Some(here) => call.try_here(here, &mut *finish),
            None => call.try_there(&*reference.route()?, &mut invocation, &mut *finish),
        };
        match outcome {
            Outcome::Forward(ior) => {
                let next = here.and_then(|_| Here::forwarded(&reference.orb, &ior));
                match next.is_some() {
                    true => invocation.forwarded(&reference.orb)?,
                    false => call.follow(ior, &mut invocation)?,
                }
                here = next;
            }
            Outcome::Retry => {}
            Outcome::SystemException(exception) => return Err(exception),
            Outcome::Reply | Outcome::Sent | Outcome::UserException(_) => return Ok(()),
        }
    }
}

/// A call under way.
struct Call<'c, 'p> {
    interceptors: &'c Interceptors,
    object: &'c Object,
    reference: &'c Reference,
    request: Request<'c, 'p>,
    signature: Option<&'c Signature>,
    deadline: Deadline,
    /// Those of the thread when the call began.
    slots: Slots,
    /// Where a server has sent the call and all later ones.
    for_good: RefCell<Option<Ior>>,
    /// The results or the user exception, where an interceptor may ask for them.
    reply: RefCell<Option<OwnedInput>>,
}

/// An object of this process to which a call goes without travelling.
struct Here {
    key: Vec<u8>,
    /// Where the call was sent, within the process, in place of its own reference. Only this call is:
    /// the next asks again, which costs it no round trip.
    forwarded: Option<Ior>,
}

impl Here {
    /// The object of a reference, where that is in this process and was not forwarded elsewhere.
    fn of(reference: &Reference) -> Option<Self> {
        let here = reference.is_near() && reference.stays_here();
        let key = reference.local_key().filter(|_| here)?;
        Some(Self { key, forwarded: None })
    }

    /// The object that `ior` denotes, where that is in this process too.
    fn forwarded(orb: &Orb, ior: &Ior) -> Option<Self> {
        let (key, _) = orb.local_key(ior)?;
        Some(Self { key: key.into(), forwarded: Some(ior.clone()) })
    }
}

impl Call<'_, '_> {
    /// One attempt at an object in this process.
    fn try_here(&self, here: &Here, finish: Finish<'_>) -> Outcome {
        let key = &*here.key;
        let named = TargetAddress::Key(key);
        let ior = here.forwarded.as_ref().unwrap_or_else(|| self.reference.ior());
        let mut flow = self.flow(ior, named, None);
        flow.run(|contexts, reply| {
            let here = Collocated {
                orb: &self.reference.orb,
                key,
                operation: self.request.operation.name,
                response: self.request.response,
                contexts,
                limit: self.deadline.remaining().unwrap_or(Some(Duration::ZERO)),
            };
            let mut user = None;
            let outcome_of = here.call(self.request.arguments, reply, &mut |status, input| {
                user = self.outcome_of(status, input)?;
                finish(status, input)
            });
            self.outcome(outcome_of, user)
        })
    }

    /// One attempt at an address.
    fn try_there(&self, route: &Route, invocation: &mut Invocation, finish: Finish<'_>) -> Outcome {
        let target = route.preferred();
        let permanent_ior = self.reference.binding.permanent_ior();
        let ior = route.forwarded_to().or(permanent_ior.as_deref()).unwrap_or(self.reference.ior());
        let address = &target.access.endpoint.address;
        let mut flow = self.flow(ior, target.address(), Some(address));
        flow.run(|contexts, reply| {
            let contexts = contexts.to_send();
            let intercepted = Intercepted {
                contexts: &contexts,
                take_reply: &|contexts| *reply.borrow_mut() = Contexts::received(contexts),
            };
            let (reference, intercepted) = (self.reference, Some(&intercepted));
            let connection_policy = self.object.connection_policy(reference.orb.settings());
            let way = Way {
                reference,
                route,
                connection_policy,
                outgoing: self.request.to(target, intercepted),
            };
            let mut user = None;
            let deadline = invocation.deadline(&self.deadline, route);
            let outcome_of = way.go_unhurried(&deadline, invocation, &mut |status, input| {
                user = self.outcome_of(status, input)?;
                finish(status, input)
            });
            match outcome_of {
                Ok(Step::Forward(readdressed @ Forward::Readdress(_))) => {
                    match reference.follow(route, readdressed, invocation) {
                        Ok(()) => Outcome::Retry,
                        Err(exception) => Outcome::SystemException(exception),
                    }
                }
                outcome_of => self.outcome(outcome_of, user),
            }
        })
    }

    /// Goes on where a server or an interceptor sends the call.
    fn follow(&self, ior: Ior, invocation: &mut Invocation) -> Result<(), SystemException> {
        let forward = match self.for_good.take() {
            Some(permanent) if permanent == ior => Forward::ForGood(ior.into()),
            _ => Forward::To(ior.into()),
        };
        self.reference.follow(&*self.reference.route()?, forward, invocation)
    }

    /// Looks at a reply; gives the repository id of the user exception, if it is one.
    fn outcome_of(&self, status: ReplyStatus, input: &Decoder<'_>) -> CdrResult<Option<String>> {
        if self.interceptors.read_client_values() {
            *self.reply.borrow_mut() = Some(input.to_owned_input());
        }
        match status {
            ReplyStatus::UserException => Ok(Some(input.clone().string()?.into_owned())),
            _ => Ok(None),
        }
    }

    /// Where its values are, if an interceptor may ask for them.
    fn values(&self) -> Option<&dyn Values> {
        if self.interceptors.read_client_values() { Some(self) } else { None }
    }

    fn outcome(&self, outcome_of: Result<Step, SystemException>, user: Option<String>) -> Outcome {
        match (outcome_of, user) {
            (Err(exception), _) => Outcome::SystemException(exception),
            (Ok(Step::Again | Step::Forward(Forward::Readdress(_))), _) => Outcome::Retry,
            (Ok(Step::Forward(Forward::To(ior))), _) => Outcome::Forward(*ior),
            (Ok(Step::Forward(Forward::ForGood(ior))), _) => {
                *self.for_good.borrow_mut() = Some((*ior).clone());
                Outcome::Forward(*ior)
            }
            (Ok(Step::Done), Some(id)) => Outcome::UserException(id),
            (Ok(Step::Done), None) if self.request.response.response_expected() => Outcome::Reply,
            (Ok(Step::Done), None) => Outcome::Sent,
        }
    }

    /// When a call without a reply returns.
    fn sync_scope(&self) -> SyncScope {
        match self.request.response {
            ResponseFlags::Target => SyncScope::WithTarget,
            ResponseFlags::Server => SyncScope::WithServer,
            ResponseFlags::None => self.object.connection_policy(self.reference.orb.settings()).1,
        }
    }

    fn flow<'f>(
        &'f self,
        ior: &'f Ior,
        named: TargetAddress<'f>,
        address: Option<&'f EndpointAddress>,
    ) -> Flow<'f> {
        self.reply.take();
        let info = ClientRequestInfo {
            id: self.interceptors.next_id(),
            operation: self.request.operation.name,
            response_expected: self.request.response.response_expected(),
            sync_scope: self.sync_scope(),
            values: self.values(),
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
}

impl Values for Call<'_, '_> {
    fn signature(&self) -> Option<Signature> {
        self.signature.cloned().or_else(|| self.request.operation.signature())
    }

    fn read_arguments(&self, read: Read<'_>) -> Result<(), SystemException> {
        written(self.request.arguments)
            .and_then(|kept| read(&mut kept.decoder()))
            .map_err(|error| SystemException::encoding(&error, Completion::No))
    }

    fn read_reply(&self, read: Read<'_>) -> Result<(), SystemException> {
        let reply = self.reply.borrow();
        let outcome_of = reply.as_ref().map_or(Ok(()), |kept| read(&mut kept.decoder()));
        outcome_of.map_err(|error| SystemException::decoding(&error, Completion::Yes))
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
