//! Synchronous calls: the calling thread waits for the reply.
//!
//! The usual call has no interceptors and a known address. It takes the straight path through
//! `call_at`. Every other call runs in a [`Driver`], which makes the attempts that its
//! [`Invocation`] asks for.

use super::attempt::attempt;
use super::collocated;
use super::interception::{ClientFlow, FlowTarget};
use super::invocation::{Forward, Invocation, Step};
use super::operation::Operation;
use super::reply::{Finish, Undeclared, no_reply, user_exception};
use super::request::{Intercepted, Outgoing};
use super::route::{Route, Target};
use crate::client::{Object, Reference};
use crate::exception::{Error, Raises, SystemException};
use crate::interception::Contexts;
use crate::object_key::KeyOctets;
use crate::policies::SyncScope;
use crate::runtime::Orb;
use crate::signature::Signature;
use crate::threads::BlockingScope;
use armilla_cdr::{CdrResult, Decoder, Encoder};
use armilla_giop::ior::Ior;
use armilla_giop::{ReplyStatus, ResponseFlags, ServiceContexts, TargetAddress};
use std::thread;

/// Encodes the arguments of a call. Runs again for each attempt.
pub(crate) type Arguments<'r, 'p> = &'r dyn Fn(&mut Encoder<'p>) -> CdrResult;

/// Calls an operation without user exceptions.
#[inline]
pub(crate) fn invoke<'p, R>(
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
pub(crate) fn invoke_raises<'p, R, E: Raises>(
    object: &Object,
    operation: Operation<'static>,
    arguments: Arguments<'_, 'p>,
    results: impl FnOnce(&mut Decoder<'_>) -> CdrResult<R>,
) -> Result<R, Error<E>> {
    let mut results = Some(results);
    let mut outcome = None;
    let request = Request::new(operation, ResponseFlags::Target, arguments);
    call(object, request, &mut |status, input| {
        outcome = Some(match status {
            ReplyStatus::NoException => match results.take() {
                Some(results) => Ok(results(input)?),
                None => Err(Error::System(no_reply())),
            },
            _ => Err(user_exception(input)?),
        });
        Ok(())
    })?;
    outcome.unwrap_or_else(|| Err(Error::System(no_reply())))
}

/// Calls a oneway operation.
pub(crate) fn invoke_oneway<'p>(
    object: &Object,
    operation: Operation<'static>,
    arguments: Arguments<'_, 'p>,
) -> Result<(), SystemException> {
    let request = Request::new(operation, oneway_response(object)?, arguments);
    call(object, request, &mut |_, _| Ok(()))
}

/// The response that a oneway request asks for, by its `SyncScope`.
pub(crate) fn oneway_response(object: &Object) -> Result<ResponseFlags, SystemException> {
    Ok(match object.connection_policy(object.reference()?.orb.settings()).1 {
        SyncScope::None | SyncScope::WithTransport => ResponseFlags::None,
        SyncScope::WithServer => ResponseFlags::Server,
        SyncScope::WithTarget => ResponseFlags::Target,
    })
}

/// A request as the caller states it.
#[derive(Clone, Copy)]
pub(crate) struct Request<'r, 'p> {
    pub(crate) operation: Operation<'r>,
    pub(crate) response: ResponseFlags,
    pub(crate) arguments: Arguments<'r, 'p>,
    /// The signature that the program states for an operation without IDL.
    pub(crate) signature: Option<&'r Signature>,
}

impl<'r, 'p> Request<'r, 'p> {
    /// A request for an operation of generated code.
    #[inline]
    pub(crate) fn new(
        operation: Operation<'r>,
        response: ResponseFlags,
        arguments: Arguments<'r, 'p>,
    ) -> Self {
        Self { operation, response, arguments, signature: None }
    }

    /// The request for an attempt at one target.
    #[inline]
    fn to<'o>(
        &self,
        target: &'o Target,
        intercepted: Option<&'o Intercepted<'o>>,
    ) -> Outgoing<'o, 'p>
    where
        'r: 'o,
    {
        let Self { operation, response, arguments, .. } = *self;
        Outgoing { target, operation, response, arguments, intercepted }
    }
}

/// Calls an operation. `finish` takes the results or the user exception. It runs once, or again if
/// an interceptor repeats the call after a user exception.
pub(crate) fn call(
    object: &Object,
    request: Request<'_, '_>,
    finish: Finish<'_>,
) -> Result<(), SystemException> {
    let reference = object.reference()?;
    match reference.fast_route() {
        Some(route) if reference.orb.interceptors().is_none() => {
            call_at(object, reference, route, request, finish)
        }
        _ => drive(object, reference, request, finish),
    }
}

/// Any call that `call_at` does not cover.
#[cold]
#[inline(never)]
fn drive(
    object: &Object,
    reference: &Reference,
    request: Request<'_, '_>,
    finish: Finish<'_>,
) -> Result<(), SystemException> {
    let invocation = Invocation::begin(object, reference)?;
    let interceptors = reference.orb.interceptors();
    let flow = interceptors.map(|known| ClientFlow::begin(known, object, reference));
    let mut driver = Driver { object, request: &request, flow, invocation, blocking: None };
    let destination = Destination::of(reference);
    match driver.attempt(reference, &destination, &mut *finish)? {
        Step::Done => Ok(()),
        step => driver.go_on(step, destination, finish),
    }
}

/// The usual call: one attempt at a known address.
#[inline(always)]
fn call_at(
    object: &Object,
    reference: &Reference,
    route: &Route,
    request: Request<'_, '_>,
    finish: Finish<'_>,
) -> Result<(), SystemException> {
    let connection_policy = object.connection_policy(reference.orb.settings());
    let mut invocation = Invocation::begin(object, reference)?;
    let blocking = BlockingScope::begin();
    let (target, deadline) = match route.only() {
        Some(target) => (target, invocation.deadline),
        None => (route.preferred(), invocation.attempt_deadline(route)),
    };
    let outgoing = request.to(target, None);
    let answer = attempt(&reference.orb, &outgoing, connection_policy, &deadline, &mut *finish);
    match invocation.judge(reference, route, target, answer)? {
        Step::Done => Ok(()),
        step => {
            let blocking = Some(blocking);
            let mut driver = Driver { object, request: &request, flow: None, invocation, blocking };
            driver.go_on(step, Destination::Bound, finish)
        }
    }
}

/// A call that needs more than one attempt, interceptors or a collocated target.
struct Driver<'d, 'p> {
    object: &'d Object,
    request: &'d Request<'d, 'p>,
    /// The interceptors that see the call.
    flow: Option<ClientFlow<'d>>,
    invocation: Invocation,
    /// Lets other threads take over this thread's work while it waits for another process.
    blocking: Option<BlockingScope>,
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

impl Driver<'_, '_> {
    /// Goes on after an attempt at `destination`, which came to `step`, until the call has ended.
    #[cold]
    #[inline(never)]
    fn go_on(
        &mut self,
        mut step: Step,
        mut destination: Destination,
        finish: Finish<'_>,
    ) -> Result<(), SystemException> {
        // Replaces the call's own reference once the call was forwarded out of the process.
        let mut elsewhere: Option<Object> = None;
        loop {
            let reference = elsewhere.as_ref().unwrap_or(self.object).reference()?;
            let next = match (step, destination) {
                (Step::Done, _) => return Ok(()),
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
                    Ok(Destination::of(reference))
                }
            };
            destination = next.unwrap_or_else(|outside| {
                elsewhere = Some(self.object.with_reference(outside));
                Destination::Bound
            });
            let reference = elsewhere.as_ref().unwrap_or(self.object).reference()?;
            step = self.attempt(reference, &destination, &mut *finish)?;
        }
    }

    /// One attempt.
    #[inline]
    fn attempt(
        &mut self,
        reference: &Reference,
        destination: &Destination,
        finish: Finish<'_>,
    ) -> Result<Step, SystemException> {
        match destination {
            Destination::Collocated { key, forwarded } => {
                self.attempt_collocated(reference, key, forwarded.as_deref(), finish)
            }
            Destination::Bound => self.attempt_bound(reference, finish),
        }
    }

    /// One attempt at an object of this process.
    fn attempt_collocated(
        &self,
        reference: &Reference,
        key: &[u8],
        forwarded: Option<&Ior>,
        finish: Finish<'_>,
    ) -> Result<Step, SystemException> {
        let limit = self.invocation.time_left();
        let target = collocated::Target { orb: &reference.orb, key, limit };
        let Some(flow) = &self.flow else {
            return target.attempt(self.request, &[], &mut |_| (), finish);
        };
        let ior = forwarded.unwrap_or_else(|| reference.ior());
        let at = FlowTarget { ior, named: TargetAddress::Key(key), address: None };
        flow.attempt(self.request, at, finish, |contexts, reply, finish| {
            target.attempt_intercepted(self.request, contexts, reply, finish)
        })
    }

    /// One attempt at the address to which the reference is bound.
    fn attempt_bound(
        &mut self,
        reference: &Reference,
        finish: Finish<'_>,
    ) -> Result<Step, SystemException> {
        let Self { object, request, flow, invocation, blocking } = self;
        blocking.get_or_insert_with(BlockingScope::begin);
        let route = &*reference.route()?;
        let target = route.preferred();
        let deadline = invocation.attempt_deadline(route);
        let connection_policy = object.connection_policy(reference.orb.settings());
        let mut attempt = |intercepted: Option<&Intercepted<'_>>, finish: Finish<'_>| {
            if deadline.send_time_left().is_none() {
                let address = &target.access.endpoint.address;
                let unsent = deadline.unsent(&format!("the call could not be sent to {address}"));
                return Err(invocation.explain(unsent));
            }
            let outgoing = request.to(target, intercepted);
            let answer = attempt(&reference.orb, &outgoing, connection_policy, &deadline, finish);
            invocation.judge(reference, route, target, answer)
        };
        let Some(flow) = flow else { return attempt(None, finish) };
        let permanent = reference.binding.permanent_ior();
        let ior = route.forwarded_to().or(permanent.as_deref()).unwrap_or(reference.ior());
        let address = Some(&target.access.endpoint.address);
        let at = FlowTarget { ior, named: target.address(), address };
        flow.attempt(request, at, finish, |contexts, reply, finish| {
            let contexts = contexts.to_send();
            let take_reply = &|contexts: &ServiceContexts<'_>| {
                *reply.borrow_mut() = Contexts::received(contexts)
            };
            attempt(Some(&Intercepted { contexts: &contexts, take_reply }), finish)
        })
    }
}
