//! Where a call goes next: after a forward, after a failure, and when it has to turn back.
//!
//! What may be tried again is decided here, and nowhere else.

use super::deadline::Deadline;
use super::route::{Route, Target};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::object::Reference;
use crate::orb::Orb;
use crate::policies::{Effective, Rebind};
use armilla_giop::AddressingDisposition;
use armilla_giop::ior::Ior;
use std::thread;
use std::time::{Duration, Instant};

/// How far a call has come.
#[derive(Default)]
pub(crate) struct Invocation {
    /// How often it was forwarded.
    forwards: u32,
    /// How many addresses of the present route have failed.
    failures: usize,
    /// Whether it outcome_of back from where an earlier call was forwarded to.
    returned: bool,
    /// What else is to be kept to.
    policies: Option<Box<CallPolicies>>,
}

/// The policies of a call, as far as they say how it goes on.
struct CallPolicies {
    effective: Box<Effective>,
    started: Instant,
    /// Whether the reference was bound before, and must stay so.
    bound: bool,
    /// How often the call was tried again.
    retried: u32,
    /// Whether nobody waits here for a pause to pass; and the pause that has to pass.
    defers: bool,
    pause: Option<Duration>,
}

impl Invocation {
    /// Makes the call keep to these policies, and `deadline` to theirs.
    ///
    /// # Errors
    /// `TIMEOUT` when an absolute time has passed already.
    #[cold]
    pub(crate) fn keep_to(
        &mut self,
        effective: Box<Effective>,
        reference: &Reference,
        deadline: &mut Deadline,
    ) -> Result<(), SystemException> {
        deadline.keep_to(&effective)?;
        let bound = reference.binding.is_set();
        deadline.may_connect = !(bound && effective.rebind == Rebind::NoReconnect);
        let bound = bound && effective.rebind != Rebind::Transparent;
        let (defers, pause) = (false, None);
        let policies =
            CallPolicies { effective, started: Instant::now(), bound, retried: 0, defers, pause };
        self.policies = Some(Box::new(policies));
        Ok(())
    }

    /// The time of the call, for an attempt at the next address of a route.
    #[inline]
    pub(crate) fn deadline(&self, deadline: &Deadline, route: &Route) -> Deadline {
        deadline.among(self.addresses(route))
    }

    /// How many addresses of a route it has left.
    pub(crate) fn addresses(&self, route: &Route) -> usize {
        route.len().saturating_sub(self.failures)
    }

    /// Leaves it to the caller to wait for [pauses](Self::take_pause).
    pub(crate) fn defer(&mut self) {
        if let Some(policies) = &mut self.policies {
            policies.defers = true;
        }
    }

    /// How long to wait before the call is tried again.
    pub(crate) fn take_pause(&mut self) -> Option<Duration> {
        self.policies.as_mut()?.pause.take()
    }

    /// The call goes elsewhere.
    ///
    /// # Errors
    /// `TRANSIENT` when it was sent on too often.
    #[cold]
    pub(crate) fn forwarded(&mut self, orb: &Orb) -> Result<(), SystemException> {
        self.forwards += 1;
        self.failures = 0;
        match self.forwards > orb.settings().max_forwards {
            true => Err(too_many_forwards(self.forwards)),
            false => Ok(()),
        }
    }

    /// Lets the reference be bound anew.
    #[cold]
    pub(crate) fn unbind(&mut self, deadline: &mut Deadline) {
        deadline.may_connect = true;
        if let Some(policies) = &mut self.policies {
            policies.bound = false;
        }
    }

    /// After the last of everything that can be tried: waits before it is tried again, or returns
    /// the error.
    #[cold]
    fn retry(&mut self, error: SystemException) -> Result<(), SystemException> {
        let Some(policies) = &mut self.policies else { return Err(error) };
        let retries = policies.effective.retries;
        if policies.retried >= retries.count {
            let note =
                format!("; tried {} times more, as often as `retries` allows", policies.retried);
            return Err(if policies.retried > 0 { error.noting(&note) } else { error });
        }
        let pause = retries.pause(policies.retried);
        let limits = policies.effective.reply.iter().chain(&policies.effective.request);
        let shortest = limits.min_by_key(|limit| limit.time);
        let elapsed = policies.started.elapsed();
        if let Some(limit) = shortest.filter(|limit| limit.time.saturating_sub(elapsed) <= pause) {
            let tried = policies.retried;
            return Err(
                error.noting(&format!("; not tried again after {tried} times, for {limit}"))
            );
        }
        match policies.defers {
            true => policies.pause = Some(pause),
            false => thread::sleep(pause),
        }
        policies.retried += 1;
        self.failures = 0;
        Ok(())
    }

    /// Names the policy whose time has passed.
    #[cold]
    pub(super) fn explain(&self, error: SystemException) -> SystemException {
        let Some(policies) = &self.policies else { return error };
        let Effective { reply, request, .. } = &*policies.effective;
        // A request that was not sent was late for what comes first.
        let unsent = error.completed() == Completion::No;
        let limits = request.iter().filter(|_| unsent).chain(reply);
        match limits.min_by_key(|limit| limit.time) {
            Some(limit) => error.with_hint(format!("the limit is {limit}")),
            None => error,
        }
    }
}

/// Where a server sends a call instead of answering it.
pub(crate) enum Forward {
    /// To where this reference denotes the object for now.
    To(Box<Ior>),
    /// To where this reference denotes it from now on.
    ForGood(Box<Ior>),
    /// To the same place, with the object named in another way.
    Readdress(AddressingDisposition),
}

impl Reference {
    /// Fails when the ORB was shut down.
    #[inline]
    pub(crate) fn callable(&self) -> Result<(), SystemException> {
        self.orb.check_running()
    }

    /// Sends this call and later ones where the server says that the object is, or in the way in
    /// which it wants them.
    #[cold]
    pub(crate) fn follow(
        &self,
        route: &Route,
        forward: Forward,
        invocation: &mut Invocation,
    ) -> Result<(), SystemException> {
        invocation.forwarded(&self.orb)?;
        let elsewhere = !matches!(forward, Forward::Readdress(_));
        if elsewhere && invocation.policies.as_ref().is_some_and(|policies| policies.bound) {
            return Err(rebind_refused());
        }
        let by_key = AddressingDisposition::Key;
        self.binding.change(match forward {
            Forward::To(ior) => Route::new(&self.orb, &ior, Some(&ior), by_key)?,
            Forward::ForGood(ior) => {
                let route = Route::new(&self.orb, &ior, None, by_key)?;
                self.binding.set_permanent_ior(*ior);
                route
            }
            Forward::Readdress(wanted) => {
                let permanent_ior = self.binding.permanent_ior();
                route.readdressed(
                    &self.orb,
                    permanent_ior.as_deref().unwrap_or(self.ior()),
                    wanted,
                )?
            }
        });
        Ok(())
    }

    /// After a system exception: when it says that the server does not have the object, the call
    /// may [turn back](Self::fall_back). Everything else is returned.
    #[cold]
    pub(crate) fn after_system_exception(
        &self,
        route: &Route,
        invocation: &mut Invocation,
        exception: SystemException,
    ) -> Result<(), SystemException> {
        let gone = matches!(
            exception.kind(),
            ExceptionKind::ObjectNotExist | ExceptionKind::Transient | ExceptionKind::ObjAdapter
        );
        let unbegun = exception.completed() == Completion::No;
        if gone && unbegun && self.fall_back(route, invocation) {
            return Ok(());
        }
        match exception.kind() {
            ExceptionKind::Transient if unbegun => invocation.retry(exception),
            _ => Err(exception),
        }
    }

    /// After a failed attempt: prepares the next one, or returns the error. Only calls that were
    /// certainly not begun are tried again: at the next address of the route, and after its last
    /// the call may [turn back](Self::fall_back).
    #[cold]
    pub(crate) fn after_failure(
        &self,
        route: &Route,
        failed: &Target,
        invocation: &mut Invocation,
        error: SystemException,
    ) -> Result<(), SystemException> {
        let unreached =
            matches!(error.kind(), ExceptionKind::Transient | ExceptionKind::CommFailure);
        if error.kind() == ExceptionKind::Timeout {
            return Err(invocation.explain(error));
        }
        if error.completed() != Completion::No || !unreached {
            return Err(error);
        }
        invocation.failures += 1;
        if invocation.failures < route.len() {
            route.leave(failed);
            return Ok(());
        }
        if self.fall_back(route, invocation) {
            return Ok(());
        }
        route.leave(failed);
        invocation.retry(error)
    }

    /// Sends the call to the reference's own addresses again, once, when it failed at a place that
    /// an earlier call was forwarded to. What this very call was forwarded to is no older than what
    /// they would say.
    #[cold]
    pub(crate) fn fall_back(&self, route: &Route, invocation: &mut Invocation) -> bool {
        let bound = invocation.policies.as_ref().is_some_and(|policies| policies.bound);
        if bound || !route.is_forwarded() || invocation.forwards > 0 || invocation.returned {
            return false;
        }
        invocation.returned = true;
        invocation.failures = 0;
        self.binding.fall_back(!self.is_near());
        true
    }
}

#[cold]
fn rebind_refused() -> SystemException {
    SystemException::new(ExceptionKind::Rebind, Minor::WOULD_REBIND, Completion::No)
        .with_reason(
            "the server forwards the call, which the policy Rebind does not allow any more",
        )
        .with_hint("Object::locate binds the reference anew")
}

#[cold]
fn too_many_forwards(count: u32) -> SystemException {
    let what = format!("the servers forwarded the call {count} times (the limit is max_forwards)");
    SystemException::new(ExceptionKind::Transient, Minor::TOO_MANY_FORWARDS, Completion::No)
        .with_reason(what)
}
