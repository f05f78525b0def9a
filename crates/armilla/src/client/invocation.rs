//! One invocation: what its policies, its time, its forwards and its failures say about how it goes on.
//!
//! The rules of all calls stand here once: what is prepared before the first attempt, where the next
//! attempt goes after a forward, which failures may be repeated, and when a call falls back to the
//! reference's own addresses. [`Invocation`] does no I/O and does not wait. Drivers make the attempts:
//! over an exclusive or a multiplexed connection ([`attempt`](super::attempt)), within the process
//! ([`collocated`](super::collocated)), without a thread that waits
//! ([`asynchronous`](super::asynchronous)), or as a LocateRequest ([`locate`](super::locate)).

use super::deadline::Deadline;
use super::reference::Effective;
use super::reply::Answer;
use super::route::{Route, Target};
use crate::client::{Object, Reference};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::policies::Rebind;
use crate::runtime::Orb;
use armilla_giop::AddressingDisposition;
use armilla_giop::ior::Ior;
use std::time::{Duration, Instant};

/// The state of one invocation.
pub(crate) struct Invocation {
    /// The time of the whole call.
    pub(crate) deadline: Deadline,
    /// How often the call was forwarded.
    forwards: u32,
    /// How many addresses of the present route have failed.
    failures: usize,
    /// Whether the call came back from where an earlier call was forwarded to.
    fell_back: bool,
    /// The policies that were set, where any were.
    policies: Option<Box<CallPolicies>>,
}

/// The policies of a call, and what was done under them.
struct CallPolicies {
    effective: Box<Effective>,
    started: Instant,
    /// Whether the reference was bound before the call, and must stay so.
    bound: bool,
    /// How often the call was repeated.
    repeated: u32,
    /// The pause that has to pass before the next attempt.
    pause: Option<Duration>,
}

/// How an invocation goes on after an attempt.
pub(crate) enum Step {
    /// The call has ended, and the reply was taken.
    Done,
    /// The object is elsewhere.
    Forward(Forward),
    /// Another attempt follows, after the [pause](Invocation::take_pause) if there is one.
    Again,
}

/// Where a server sends a call instead of answering it.
pub(crate) enum Forward {
    /// The object is for now where this reference says.
    To(Box<Ior>),
    /// The object is from now on where this reference says.
    ForGood(Box<Ior>),
    /// The object stays where it is, and is to be named in another way.
    Readdress(AddressingDisposition),
}

impl Invocation {
    /// Prepares a call through `object`: the ORB must run, and the policies and the time of the call
    /// hold from now on.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` when the ORB was shut down, `TIMEOUT` when an absolute time has passed already.
    #[inline(always)]
    pub(crate) fn begin(object: &Object, reference: &Reference) -> Result<Self, SystemException> {
        reference.orb.check_running()?;
        let settings = reference.orb.settings();
        let deadline = Deadline::after(object.timeout().or(settings.call_timeout));
        let (forwards, failures, fell_back, policies) = (0, 0, false, None);
        let mut invocation = Self { deadline, forwards, failures, fell_back, policies };
        if let Some(effective) = object.effective(settings) {
            invocation.apply(effective, reference)?;
        }
        Ok(invocation)
    }

    #[cold]
    fn apply(
        &mut self,
        effective: Box<Effective>,
        reference: &Reference,
    ) -> Result<(), SystemException> {
        self.deadline.apply(&effective)?;
        let bound = reference.binding.is_set();
        self.deadline.may_connect = !(bound && effective.rebind == Rebind::NoReconnect);
        let bound = bound && effective.rebind != Rebind::Transparent;
        let (started, repeated, pause) = (Instant::now(), 0, None);
        self.policies = Some(Box::new(CallPolicies { effective, started, bound, repeated, pause }));
        Ok(())
    }

    /// The time of the call, for an attempt at the next address of `route`.
    #[inline]
    pub(crate) fn attempt_deadline(&self, route: &Route) -> Deadline {
        self.deadline.among(self.addresses_left(route))
    }

    /// How many addresses of `route` have not failed yet.
    pub(crate) fn addresses_left(&self, route: &Route) -> usize {
        route.len().saturating_sub(self.failures)
    }

    /// How long an attempt within the process may take; zero when no time is left. The first attempt
    /// begins with the call, so that it needs no look at the clock.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        match self.forwards {
            0 => self.deadline.limit,
            _ => self.deadline.remaining().unwrap_or(Some(Duration::ZERO)),
        }
    }

    /// How long to wait before the next attempt.
    #[inline]
    pub(crate) fn take_pause(&mut self) -> Option<Duration> {
        self.policies.as_mut()?.pause.take()
    }

    /// Lets the reference be bound anew.
    #[cold]
    pub(crate) fn allow_rebinding(&mut self) {
        self.deadline.may_connect = true;
        if let Some(policies) = &mut self.policies {
            policies.bound = false;
        }
    }

    /// Counts a forward.
    ///
    /// # Errors
    /// `TRANSIENT` when there were more than `max_forwards`.
    #[cold]
    pub(crate) fn count_forward(&mut self, orb: &Orb) -> Result<(), SystemException> {
        self.forwards += 1;
        self.failures = 0;
        match self.forwards > orb.settings().max_forwards {
            true => Err(too_many_forwards(self.forwards)),
            false => Ok(()),
        }
    }

    /// Decides how the call goes on after an attempt at `target` of `route`.
    ///
    /// # Errors
    /// What the call ends with.
    #[inline(always)]
    pub(crate) fn judge(
        &mut self,
        reference: &Reference,
        route: &Route,
        target: &Target,
        attempted: Result<Answer, SystemException>,
    ) -> Result<Step, SystemException> {
        match attempted {
            Ok(Answer::Taken) => Ok(Step::Done),
            Ok(Answer::Forward(forward)) => self.judge_forward(reference, route, *forward),
            Ok(Answer::Raised(exception)) => self.judge_exception(reference, route, exception),
            Err(failure) => self.judge_failure(reference, route, target, failure),
        }
    }

    /// Naming the object in another way concerns nobody but the two ORBs: the next attempt does so.
    #[cold]
    fn judge_forward(
        &mut self,
        reference: &Reference,
        route: &Route,
        forward: Forward,
    ) -> Result<Step, SystemException> {
        match forward {
            Forward::Readdress(_) => self.follow(reference, route, forward).map(|()| Step::Again),
            forward => Ok(Step::Forward(forward)),
        }
    }

    /// Sends this call and later ones where the server says that the object is, or in the way in
    /// which it wants them.
    #[cold]
    pub(crate) fn follow(
        &mut self,
        reference: &Reference,
        route: &Route,
        forward: Forward,
    ) -> Result<(), SystemException> {
        self.count_forward(&reference.orb)?;
        let elsewhere = !matches!(forward, Forward::Readdress(_));
        if elsewhere && self.is_bound() {
            return Err(rebind_refused());
        }
        let (orb, by_key) = (&reference.orb, AddressingDisposition::Key);
        reference.binding.change(match forward {
            Forward::To(ior) => Route::new(orb, &ior, Some(&ior), by_key)?,
            Forward::ForGood(ior) => {
                let route = Route::new(orb, &ior, None, by_key)?;
                reference.binding.set_permanent_ior(*ior);
                route
            }
            Forward::Readdress(wanted) => {
                let permanent = reference.binding.permanent_ior();
                route.readdressed(orb, permanent.as_deref().unwrap_or(reference.ior()), wanted)?
            }
        });
        Ok(())
    }

    fn is_bound(&self) -> bool {
        self.policies.as_ref().is_some_and(|policies| policies.bound)
    }

    /// After a system exception of the server: where it says that the object is not there, the call
    /// may [fall back](Self::fall_back), and `TRANSIENT` may be repeated. Everything else is returned.
    #[cold]
    pub(crate) fn judge_exception(
        &mut self,
        reference: &Reference,
        route: &Route,
        exception: SystemException,
    ) -> Result<Step, SystemException> {
        let gone = matches!(
            exception.kind(),
            ExceptionKind::ObjectNotExist | ExceptionKind::Transient | ExceptionKind::ObjAdapter
        );
        let not_executed = exception.completed() == Completion::No;
        if gone && not_executed && self.fall_back(reference, route) {
            return Ok(Step::Again);
        }
        match exception.kind() {
            ExceptionKind::Transient if not_executed => self.repeat(exception),
            _ => Err(exception),
        }
    }

    /// After an attempt without an answer. Only a call that was certainly not executed is repeated: at
    /// the next address of the route, and after its last the call may [fall back](Self::fall_back).
    #[cold]
    pub(crate) fn judge_failure(
        &mut self,
        reference: &Reference,
        route: &Route,
        failed: &Target,
        failure: SystemException,
    ) -> Result<Step, SystemException> {
        if failure.kind() == ExceptionKind::Timeout {
            return Err(self.explain(failure));
        }
        let unreached =
            matches!(failure.kind(), ExceptionKind::Transient | ExceptionKind::CommFailure);
        if failure.completed() != Completion::No || !unreached {
            return Err(failure);
        }
        self.failures += 1;
        if self.failures < route.len() {
            route.leave(failed);
            return Ok(Step::Again);
        }
        if self.fall_back(reference, route) {
            return Ok(Step::Again);
        }
        route.leave(failed);
        self.repeat(failure)
    }

    /// Sends the call to the reference's own addresses again, once, when it failed at a place that
    /// an earlier call was forwarded to. What this very call was forwarded to is no older than what
    /// they would say.
    #[cold]
    pub(crate) fn fall_back(&mut self, reference: &Reference, route: &Route) -> bool {
        if self.is_bound() || !route.is_forwarded() || self.forwards > 0 || self.fell_back {
            return false;
        }
        self.fell_back = true;
        self.failures = 0;
        reference.binding.fall_back(!reference.is_near());
        true
    }

    /// After the last of everything that can be tried: begins again after a pause, where the policy
    /// `retries` allows that, or returns the error.
    #[cold]
    fn repeat(&mut self, error: SystemException) -> Result<Step, SystemException> {
        let Some(policies) = &mut self.policies else { return Err(error) };
        let (retries, repeated) = (policies.effective.retries, policies.repeated);
        if repeated >= retries.count {
            let note = format!("; tried {repeated} times more, as often as `retries` allows");
            return Err(if repeated > 0 { error.with_note(&note) } else { error });
        }
        let pause = retries.pause(repeated);
        let limits = policies.effective.reply.iter().chain(&policies.effective.request);
        let shortest = limits.min_by_key(|limit| limit.time);
        let elapsed = policies.started.elapsed();
        if let Some(limit) = shortest.filter(|limit| limit.time.saturating_sub(elapsed) <= pause) {
            let note = format!("; not tried again after {repeated} times, for {limit}");
            return Err(error.with_note(&note));
        }
        policies.pause = Some(pause);
        policies.repeated += 1;
        self.failures = 0;
        Ok(Step::Again)
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

#[cold]
fn rebind_refused() -> SystemException {
    SystemException::new(ExceptionKind::Rebind, Minor::REBIND_NOT_ALLOWED, Completion::No)
        .with_reason(
            "the server forwards the call, which the policy Rebind does not allow any more",
        )
        .with_hint("Object::locate binds the reference anew")
}

#[cold]
fn too_many_forwards(count: u32) -> SystemException {
    let what = format!("the call was forwarded {count} times (the limit is max_forwards)");
    SystemException::new(ExceptionKind::Transient, Minor::TOO_MANY_FORWARDS, Completion::No)
        .with_reason(what)
}
