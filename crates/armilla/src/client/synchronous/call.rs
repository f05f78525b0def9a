//! Synchronous calls: the calling thread waits for the reply.
//!
//! The usual call has no interceptors and a known address. It takes the straight path through
//! `call_at`. Every other call runs in a [`Driver`], which makes the attempts that its
//! [`Invocation`] asks for.

use super::attempt::{answer, attempt, attempt_late};
use super::collocated::{self, CollocatedTarget};
use super::intercepted::ClientFlow;
use super::selected::call_selected;
use crate::client::interception::FlowTarget;
use crate::client::invocation::{Invocation, Reply, Step, to_send};
use crate::client::reference::{AddedContext, CallChoice, CallSelector, Object, Reference, Route};
use crate::client::request::{
    AddedContexts, Arguments, Forward, Operation, Request, StableContexts, Undeclared, no_reply,
    user_exception,
};
use crate::exception::{Error, Raises, SystemException};
use crate::interception::Contexts;
use crate::object_key::KeyOctets;
use crate::runtime::Orb;
use crate::threads::BlockingScope;
use armilla_cdr::{CdrResult, Decoder};
use armilla_giop::ior::Ior;
use armilla_giop::{ReplyStatus, ResponseFlags, TargetAddress};
use std::thread;

/// Calls an operation without user exceptions.
#[inline]
pub(crate) fn invoke<'p, R: 'static>(
    object: &Object,
    operation: Operation<'static>,
    arguments: Arguments<'_, 'p>,
    results: impl FnOnce(&mut Decoder<'_>) -> CdrResult<R>,
) -> Result<R, SystemException> {
    match invoke_raises::<R, Undeclared>(object, operation, arguments, results) {
        Ok(value) => Ok(value),
        Err(Error::System(exception)) => Err(exception),
        Err(Error::User(undeclared)) => match undeclared {},
    }
}

/// Calls an operation that raises `E`.
#[inline]
pub(crate) fn invoke_raises<'p, R: 'static, E: Raises>(
    object: &Object,
    operation: Operation<'static>,
    arguments: Arguments<'_, 'p>,
    results: impl FnOnce(&mut Decoder<'_>) -> CdrResult<R>,
) -> Result<R, Error<E>> {
    let request = Request::new(operation.returning::<R>(), ResponseFlags::Target, arguments);
    let Some(reply) = call(object, request)? else { return Err(Error::System(no_reply())) };
    reply.decode(operation, |status, body| match status {
        ReplyStatus::NoException => results(body).map(Ok),
        _ => user_exception(body).map(Err),
    })?
}

/// Calls a oneway operation.
pub(crate) fn invoke_oneway<'p>(
    object: &Object,
    operation: Operation<'static>,
    arguments: Arguments<'_, 'p>,
) -> Result<(), SystemException> {
    let request = Request::new(operation, oneway_response(object)?, arguments);
    call(object, request).map(drop)
}

/// The response that a oneway request asks for, by its `SyncScope`.
pub(crate) fn oneway_response(object: &Object) -> Result<ResponseFlags, SystemException> {
    Ok(object.connection_policy(object.reference()?.orb.settings()).1.response_flags())
}

/// Calls an operation. Returns the reply with the results or the user exception, which the caller
/// decodes; `None` if no reply is expected.
pub(crate) fn call<'o>(
    object: &'o Object,
    request: Request<'o, '_>,
) -> Result<Option<Reply<'o>>, SystemException> {
    let reference = object.reference()?;
    match reference.fast_route() {
        Some(route) if reference.orb.interceptors().is_none() => {
            call_at(object, reference, route, request)
        }
        _ => match reference.selector()? {
            Some(selector) => call_selected(object, &*selector, request),
            None => drive(object, reference, request),
        },
    }
}

/// Any call that `call_at` does not cover.
#[cold]
#[inline(never)]
fn drive<'o>(
    object: &'o Object,
    reference: &'o Reference,
    request: Request<'_, '_>,
) -> Result<Option<Reply<'o>>, SystemException> {
    let invocation = Invocation::begin(object, reference)?;
    let flow = ClientFlow::of(&reference.orb, object);
    let driver = Driver::new(&reference.orb, object, &request, invocation, flow);
    driver.run(reference)
}

/// The usual call: one attempt at a known address.
#[inline(always)]
fn call_at<'o>(
    object: &'o Object,
    reference: &'o Reference,
    route: &'o Route,
    request: Request<'o, '_>,
) -> Result<Option<Reply<'o>>, SystemException> {
    let connection_policy = object.connection_policy(reference.orb.settings());
    let mut invocation = Invocation::new(object, reference);
    invocation.prepare(object, reference)?;
    let blocking = BlockingScope::begin();
    let shared;
    let (target, deadline) = match route.only() {
        Some(target) => (target, &invocation.deadline),
        None => {
            shared = invocation.attempt_deadline(route);
            (route.preferred(), &shared)
        }
    };
    let endpoint = &*target.access.endpoint;
    let outgoing = request.to(target.object(), None);
    let attempted = attempt((&reference.orb, endpoint), &outgoing, connection_policy, deadline);
    if attempted.as_ref().is_ok_and(|reply| reply.as_ref().is_none_or(Reply::has_results)) {
        return attempted;
    }
    let answer = attempted.and_then(|reply| answer(reply, endpoint, &outgoing));
    match invocation.judge(reference, route, target, answer)? {
        Step::Done(reply) => Ok(reply),
        step => {
            let mut driver = Driver::new(&reference.orb, object, &request, invocation, None);
            driver.blocking = Some(blocking);
            driver.go_on(step, Destination::Bound)
        }
    }
}

/// A call that needs more than one attempt, interceptors or a collocated target.
pub(in crate::client) struct Driver<'o, 'd, 'p> {
    /// The ORB of the caller's reference, which lives as long as the reply.
    orb: &'o Orb,
    object: &'d Object,
    request: &'d Request<'d, 'p>,
    /// The interceptors that see the call.
    flow: Option<ClientFlow<'d>>,
    invocation: Invocation,
    /// Lets other threads take over this thread's work while it waits for another process.
    blocking: Option<BlockingScope>,
    /// What an extension has added to the request.
    added: Option<AddedContexts<'d>>,
    /// The same since the call was forwarded to a reference to which the extension attaches.
    added_by_forward: Option<AddedContext>,
}

/// The destination of an attempt.
enum Destination {
    /// An object of this process, by its key. `forwarded` is the reference to which a servant
    /// manager forwarded the call. It holds for this call only; the next call asks again, at no
    /// cost of a round trip.
    Collocated { key: KeyOctets, forwarded: Option<Box<Ior>> },
    /// The target to which the reference is bound.
    Bound,
}

impl Destination {
    fn of(reference: &Reference) -> Self {
        let collocated = reference.is_collocated() && reference.is_still_collocated();
        match reference.local_key().filter(|_| collocated) {
            Some(key) => Self::Collocated { key, forwarded: None },
            None => Self::Bound,
        }
    }

    /// The destination after a forward to `ior` from an object of this process.
    ///
    /// # Errors
    /// The reference to continue with, if the object is in another process.
    fn forwarded(orb: &Orb, ior: Box<Ior>) -> Result<Self, Object> {
        match orb.local_key(&ior) {
            Some((key, _)) => {
                Ok(Self::Collocated { key: KeyOctets::from_slice(&key), forwarded: Some(ior) })
            }
            None => Err(Object::from_ior(orb, *ior)),
        }
    }
}

/// The step after an attempt; at the end of the call, its reply if one is expected.
type Next<'o> = Step<Option<Reply<'o>>>;

impl<'o, 'd, 'p> Driver<'o, 'd, 'p> {
    pub(in crate::client) fn new(
        orb: &'o Orb,
        object: &'d Object,
        request: &'d Request<'d, 'p>,
        invocation: Invocation,
        flow: Option<ClientFlow<'d>>,
    ) -> Self {
        let (blocking, added, added_by_forward) = (None, None, None);
        Self { orb, object, request, flow, invocation, blocking, added, added_by_forward }
    }

    /// Adds service contexts to the request.
    pub(in crate::client) fn add(&mut self, added: Option<AddedContexts<'d>>) {
        self.added = added;
    }

    /// Makes attempts until the call has ended.
    #[inline]
    pub(in crate::client) fn run(
        mut self,
        reference: &Reference,
    ) -> Result<Option<Reply<'o>>, SystemException> {
        let destination = Destination::of(reference);
        match self.attempt(reference, &destination)? {
            Step::Done(reply) => Ok(reply),
            step => self.go_on(step, destination),
        }
    }

    /// Goes on after an attempt at `destination`, which came to `step`, until the call has ended.
    #[cold]
    #[inline(never)]
    fn go_on(
        &mut self,
        mut step: Next<'o>,
        mut destination: Destination,
    ) -> Result<Option<Reply<'o>>, SystemException> {
        // Replaces the call's own reference once the call was forwarded out of the process.
        let mut elsewhere: Option<Object> = None;
        loop {
            let reference = elsewhere.as_ref().unwrap_or(self.object).reference()?;
            let next = match (step, destination) {
                (Step::Done(reply), _) => return Ok(reply),
                (Step::Again, _) => {
                    self.invocation.take_pause().into_iter().for_each(thread::sleep);
                    Ok(Destination::of(reference))
                }
                (
                    Step::Forward(Forward::To(ior) | Forward::ForGood(ior)),
                    Destination::Collocated { .. },
                ) => {
                    self.invocation.count_forward(&reference.orb)?;
                    Destination::forwarded(&reference.orb, ior)
                }
                (Step::Forward(forward), _) => {
                    self.invocation.follow(reference, &*reference.route()?, forward)?;
                    match reference.binding.forward_selector() {
                        Some(selector) => Err(self.choose(&*selector)?),
                        None => Ok(Destination::of(reference)),
                    }
                }
            };
            destination = match next {
                Ok(destination) => destination,
                Err(outside) => {
                    let outside = match outside.reference()?.selector()? {
                        Some(selector) => self.choose(&*selector)?,
                        None => outside,
                    };
                    elsewhere = Some(self.object.with_reference(outside));
                    Destination::Bound
                }
            };
            let reference = elsewhere.as_ref().unwrap_or(self.object).reference()?;
            step = self.attempt(reference, &destination)?;
        }
    }

    /// Where the selector of a forward leads the call; what it adds to the request is kept.
    fn choose(&mut self, selector: &dyn CallSelector) -> Result<Object, SystemException> {
        let CallChoice { object, context } = selector.select()?;
        let chosen = object.into_owned();
        let (object, context) =
            self.object.through(chosen, context, &|selector| selector.select())?;
        self.added_by_forward = context.or(self.added_by_forward);
        Ok(object)
    }

    /// One attempt.
    #[inline]
    fn attempt(
        &mut self,
        reference: &Reference,
        destination: &Destination,
    ) -> Result<Next<'o>, SystemException> {
        match destination {
            Destination::Collocated { key, forwarded } => {
                self.attempt_collocated(reference, key, forwarded.as_deref())
            }
            Destination::Bound => self.attempt_bound(reference),
        }
    }

    /// One attempt at an object of this process.
    fn attempt_collocated(
        &self,
        reference: &Reference,
        key: &[u8],
        forwarded: Option<&Ior>,
    ) -> Result<Next<'o>, SystemException> {
        let target = CollocatedTarget { orb: self.orb, key, limit: self.invocation.local_limit() };
        let Some(flow) = &self.flow else {
            let reply = target.attempt(self.request, &[])?;
            return collocated::judge(reply);
        };
        let ior = forwarded.unwrap_or_else(|| reference.ior());
        let at = FlowTarget { ior, named: TargetAddress::Key(key), address: None };
        flow.attempt(self.request, at, |contexts, received| {
            let reply = target.attempt_intercepted(self.request, contexts)?;
            receive_contexts(reply.as_ref(), received)?;
            collocated::judge(reply)
        })
    }

    /// One attempt at the address to which the reference is bound.
    fn attempt_bound(&mut self, reference: &Reference) -> Result<Next<'o>, SystemException> {
        let Self { orb, object, request, flow, invocation, blocking, added, added_by_forward } =
            self;
        let by_forward = added_by_forward.as_ref().map(to_send);
        let by_forward = by_forward.as_ref().map(|contexts| AddedContexts {
            contexts: std::slice::from_ref(contexts),
            stable: added_by_forward.map(StableContexts::of),
        });
        let added = by_forward.or(*added);
        blocking.get_or_insert_with(BlockingScope::begin);
        let route = &*reference.route()?;
        let target = route.preferred();
        let endpoint = &target.access.endpoint;
        let deadline = invocation.attempt_deadline(route);
        let connection_policy = object.connection_policy(orb.settings());
        let mut exchange = |added: Option<AddedContexts<'_>>, received: Option<&mut Contexts>| {
            deadline
                .check_sendable(&endpoint.address)
                .map_err(|unsent| invocation.explain(unsent))?;
            let outgoing = request.to(target.object(), added);
            let reply = attempt_late((orb, endpoint), &outgoing, connection_policy, &deadline);
            let reply = reply.and_then(|reply| {
                received.map_or(Ok(()), |to| receive_contexts(reply.as_ref(), to))?;
                answer(reply, endpoint, &outgoing)
            });
            let step = invocation.judge(reference, route, target, reply)?;
            Ok(step.map(|reply| reply.map(|reply| reply.outliving_route(orb, endpoint))))
        };
        let Some(flow) = flow else { return exchange(added, None) };
        let permanent = reference.binding.permanent_ior();
        let ior = reference.ior_of(route, permanent.as_deref());
        let at =
            FlowTarget { ior, named: target.object().named(), address: Some(&endpoint.address) };
        flow.attempt(request, at, |contexts, received| {
            let mut contexts = contexts.to_send();
            contexts.extend(added.iter().flat_map(|added| added.contexts));
            let all = AddedContexts { contexts: &contexts, stable: None };
            exchange(Some(all), Some(received))
        })
    }
}

/// Shows the service contexts of a reply to interceptors.
fn receive_contexts(
    reply: Option<&Reply<'_>>,
    received: &mut Contexts,
) -> Result<(), SystemException> {
    if let Some(reply) = reply {
        let contexts = reply.look(|header, _| Ok(Contexts::received(&header.contexts)))?;
        *received = contexts;
    }
    Ok(())
}
