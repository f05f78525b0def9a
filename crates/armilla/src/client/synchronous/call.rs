//! Synchronous calls: the calling thread waits for the reply.
//!
//! The usual call has no interceptors and a known address. It takes the straight path through
//! `call_at`. Every other call runs in a [`Driver`], which makes the attempts that its
//! [`Invocation`] asks for.

use super::attempt::{attempt, attempt_late};
use super::collocated::CollocatedTarget;
use super::intercepted::ClientFlow;
use super::selected::call_selected;
use crate::client::interception::FlowTarget;
use crate::client::invocation::{Action, At, Invocation, Reply, Step, to_send};
use crate::client::reference::{AddedContext, Object, Reference, Route};
use crate::client::request::{
    AddedContexts, Answer, Arguments, Operation, Request, StableContexts, Undeclared, no_reply,
    user_exception,
};
use crate::exception::{Error, Raises, SystemException};
use crate::interception::Contexts;
use crate::runtime::Orb;
use crate::threads::BlockingScope;
use armilla_cdr::{CdrResult, Decoder};
use armilla_giop::{ReplyStatus, ResponseFlags, ServiceContext, TargetAddress};
use smallvec::SmallVec;
use std::borrow::Cow;
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
            call_at(object, reference, route, &request)
        }
        _ => match reference.selector()? {
            Some(_) => call_selected(object, &request),
            None => begin_and_drive(object, reference, &request),
        },
    }
}

/// Any call that `call_at` does not cover, through a reference without a selector.
#[cold]
#[inline(never)]
fn begin_and_drive<'o>(
    object: &Object,
    reference: &'o Reference,
    request: &Request<'_, '_>,
) -> Result<Option<Reply<'o>>, SystemException> {
    let mut invocation = Invocation::begin(object, reference)?;
    drive(&reference.orb, (object, None), request, &mut invocation)
}

/// A call whose `invocation` has begun, through `object`. Its requests carry `added`.
pub(super) fn drive<'o>(
    orb: &'o Orb,
    (object, added): (&Object, Option<AddedContext>),
    request: &Request<'_, '_>,
    invocation: &mut Invocation,
) -> Result<Option<Reply<'o>>, SystemException> {
    let mut driver = Driver::new(orb, object, request, invocation);
    (driver.added, driver.flow) = (added, ClientFlow::of(orb, object));
    match driver.attempt()? {
        Step::Done(reply) => Ok(reply),
        step => driver.go_on(step),
    }
}

/// The usual call: one attempt at a known address. The request is borrowed, because the cold way out
/// refers to it: a value would be copied for that with each call.
#[inline(always)]
fn call_at<'o>(
    object: &'o Object,
    reference: &'o Reference,
    route: &'o Route,
    request: &Request<'o, '_>,
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
    let at = At { reference, remote: Some((route, target)), operation: request.operation.name };
    go_on_after(attempted, at, object, request, (invocation, blocking))
}

/// Goes on with the usual call, after an attempt `at` its address that has not ended it.
#[cold]
#[inline(never)]
fn go_on_after<'o>(
    attempted: Result<Option<Reply<'o>>, SystemException>,
    at: At<'o>,
    object: &Object,
    request: &Request<'_, '_>,
    (mut invocation, blocking): (Invocation, BlockingScope),
) -> Result<Option<Reply<'o>>, SystemException> {
    let step = invocation.judge(at, attempted.and_then(answer))?;
    let mut driver = Driver::new(&at.reference.orb, object, request, &mut invocation);
    driver.blocking = Some(blocking);
    driver.go_on(step)
}

/// The answer that the reply to an attempt is.
fn answer(reply: Option<Reply<'_>>) -> Result<Answer<Option<Reply<'_>>>, SystemException> {
    match reply {
        Some(reply) if !reply.has_results() => Ok(reply.into_answer()?.map(Some)),
        ended => Ok(Answer::Results(ended)),
    }
}

/// A call that needs more than one attempt, interceptors or a collocated target. It makes the
/// attempts that its [`Invocation`] asks for, in the thread that waits.
struct Driver<'o, 'd, 'p> {
    /// The ORB of the caller's reference, which lives as long as the reply.
    orb: &'o Orb,
    /// The reference through which the call goes now.
    object: Cow<'d, Object>,
    request: &'d Request<'d, 'p>,
    /// The interceptors that see the call.
    flow: Option<ClientFlow<'d>>,
    invocation: &'d mut Invocation,
    /// Lets other threads take over this thread's work while it waits for another process.
    blocking: Option<BlockingScope>,
    /// What an extension has added to the request.
    added: Option<AddedContext>,
}

/// The step after an attempt; at the end of the call, its reply if one is expected.
type Next<'o> = Step<Option<Reply<'o>>>;

impl<'o, 'd, 'p> Driver<'o, 'd, 'p> {
    fn new(
        orb: &'o Orb,
        object: &'d Object,
        request: &'d Request<'d, 'p>,
        invocation: &'d mut Invocation,
    ) -> Self {
        let (flow, blocking, added) = (None, None, None);
        Self { orb, object: Cow::Borrowed(object), request, flow, invocation, blocking, added }
    }

    /// Goes on after an attempt that came to `step`, until the call has ended.
    #[cold]
    #[inline(never)]
    fn go_on(mut self, mut step: Next<'o>) -> Result<Option<Reply<'o>>, SystemException> {
        loop {
            match self.invocation.advance(&self.object, step, &|selector| selector.select())? {
                Action::Done(reply) => return Ok(reply),
                Action::Send => {}
                Action::Pause(pause) => thread::sleep(pause),
                Action::Go(object, context) => {
                    self.object = Cow::Owned(object);
                    self.added = context.or(self.added);
                }
            }
            step = self.attempt()?;
        }
    }

    /// One attempt where the call goes now.
    #[inline]
    fn attempt(&mut self) -> Result<Next<'o>, SystemException> {
        match self.object.reference()?.key_here() {
            Some(key) => self.attempt_collocated(&key),
            None => self.attempt_bound(),
        }
    }

    /// One attempt at the object of this process with this key.
    fn attempt_collocated(&mut self, key: &[u8]) -> Result<Next<'o>, SystemException> {
        let Self { orb, object, request, flow, invocation, .. } = self;
        let reference = object.reference()?;
        let at = At { reference, remote: None, operation: request.operation.name };
        let target = CollocatedTarget { orb, key, limit: invocation.local_limit() };
        let Some(flow) = flow else {
            let replied = target.attempt(request, &[]);
            return invocation.judge(at, replied.and_then(answer));
        };
        let seen =
            FlowTarget { ior: reference.ior(), named: TargetAddress::Key(key), address: None };
        flow.attempt(request, seen, |contexts, received| {
            let replied = target.attempt_intercepted(request, contexts);
            let replied = replied.and_then(|reply| receive_contexts(reply, received));
            invocation.judge(at, replied.and_then(answer))
        })
    }

    /// One attempt at the address to which the reference is bound.
    fn attempt_bound(&mut self) -> Result<Next<'o>, SystemException> {
        let Self { orb, object, request, flow, invocation, blocking, added } = self;
        blocking.get_or_insert_with(BlockingScope::begin);
        let reference = object.reference()?;
        let route = &*reference.route()?;
        let target = route.preferred();
        let endpoint = &target.access.endpoint;
        let at = At { reference, remote: Some((route, target)), operation: request.operation.name };
        let group = invocation.group_contexts(object, reference, route)?;
        let deadline = invocation.late_deadline(route);
        let connection_policy = object.connection_policy(orb.settings());
        let mut own: SmallVec<[_; 3]> = added.as_ref().map(to_send).into_iter().collect();
        own.extend(group.iter().map(|(id, data)| ServiceContext { id: *id, data }));
        let mut exchange = |added: Option<AddedContexts<'_>>, received: Option<&mut Contexts>| {
            let outgoing = request.to(target.object(), added);
            let send = |()| attempt_late((orb, endpoint), &outgoing, connection_policy, &deadline);
            let replied = deadline.check_sendable(&endpoint.address).and_then(send);
            let replied = match received {
                Some(contexts) => replied.and_then(|reply| receive_contexts(reply, contexts)),
                None => replied,
            };
            let step = invocation.judge(at, replied.and_then(answer))?;
            Ok(step.map(|reply| reply.map(|reply| reply.outliving_route(orb, endpoint))))
        };
        let Some(flow) = flow else {
            let stable = added.filter(|_| group.is_empty()).map(StableContexts::of);
            let all = AddedContexts { contexts: &own, stable };
            return exchange((!own.is_empty()).then_some(all), None);
        };
        let permanent = reference.binding.permanent_ior();
        let ior = reference.ior_of(route, permanent.as_deref());
        let seen =
            FlowTarget { ior, named: target.object().named(), address: Some(&endpoint.address) };
        flow.attempt(request, seen, |contexts, received| {
            let mut contexts = contexts.to_send();
            contexts.extend(own.iter().copied());
            let stable = contexts.is_empty().then_some(StableContexts::NONE);
            let all = AddedContexts { contexts: &contexts, stable };
            exchange(Some(all), Some(received))
        })
    }
}

/// Shows the service contexts of a reply to interceptors.
fn receive_contexts<'r>(
    reply: Option<Reply<'r>>,
    received: &mut Contexts,
) -> Result<Option<Reply<'r>>, SystemException> {
    if let Some(reply) = &reply {
        *received = reply.look(|header, _| Ok(Contexts::received(&header.contexts)))?;
    }
    Ok(reply)
}
