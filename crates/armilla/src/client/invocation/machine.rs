//! The state machine of one invocation: policies, time, forwards and failures.
//!
//! The rules of all calls are stated here, once: what happens before the first attempt, where the
//! next attempt goes after a forward, which failures may be retried, and when a call falls back to
//! the reference's own addresses. [`Invocation`] does no I/O and does not wait. Its drivers make
//! the attempts, and do what each [`Action`] says: a thread that waits (`synchronous/call.rs`), a
//! call for which none waits (`asynchronous`), and a LocateRequest (`synchronous/locate.rs`).

use super::group::GroupCall;
use super::selection::Select;
use super::step::{Action, At, Step};
use crate::client::endpoint::LocalLimit;
use crate::client::reference::{CallChoice, Object, Reference, Route};
use crate::client::request::{Answer, Deadline, Effective, Forward, no_reply};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::policies::Rebind;
use crate::runtime::Orb;
use armilla_giop::AddressingDisposition;
use armilla_giop::ior::Ior;
use std::time::{Duration, Instant};

/// The state of one invocation.
pub(crate) struct Invocation {
    /// The time limits of the whole call.
    pub(crate) deadline: Deadline,
    /// The number of forwards of the call.
    forwards: u32,
    /// The number of addresses of the current route that have failed.
    pub(super) failures: usize,
    /// Whether the call has fallen back from the target of an earlier forward.
    fell_back: bool,
    /// Whether the call goes on through another reference than it began with.
    redirected: bool,
    /// The policies and their state, if any policy differs from the defaults.
    policies: Option<Box<CallPolicies>>,
}

/// The policies of a call, and the state that they need.
pub(super) struct CallPolicies {
    pub(super) effective: Box<Effective>,
    started: Instant,
    /// Whether the reference was bound before the call and must not be bound anew.
    bound: bool,
    /// The number of retries.
    repeated: u32,
    /// The pause before the next attempt.
    pub(super) pause: Option<Duration>,
    /// Set once the call goes to an object group.
    pub(super) group: Option<GroupCall>,
}

impl Invocation {
    /// Prepares a call through `object`: checks that the ORB runs, and reads the policies and the
    /// clock.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` when the ORB was shut down; `TIMEOUT` when an absolute limit has already
    /// passed.
    pub(crate) fn begin(object: &Object, reference: &Reference) -> Result<Self, SystemException> {
        let mut invocation = Self::new(object, reference);
        invocation.prepare(object, reference)?;
        Ok(invocation)
    }

    /// A call that begins now, and is to be [prepared](Self::prepare).
    #[inline(always)]
    pub(crate) fn new(object: &Object, reference: &Reference) -> Self {
        let limit = Effective::plain_limit(object.timeout(), reference.orb.settings());
        let (deadline, policies) = (Deadline::after(limit), None);
        Self { deadline, forwards: 0, failures: 0, fell_back: false, redirected: false, policies }
    }

    /// Prepares a new call; see [`begin`](Self::begin).
    #[inline(always)]
    pub(crate) fn prepare(
        &mut self,
        object: &Object,
        reference: &Reference,
    ) -> Result<(), SystemException> {
        reference.orb.check_running()?;
        match object.effective(reference.orb.settings()) {
            None => Ok(()),
            Some(effective) => self.apply(effective, reference),
        }
    }

    #[cold]
    pub(super) fn apply(
        &mut self,
        effective: Box<Effective>,
        reference: &Reference,
    ) -> Result<(), SystemException> {
        self.deadline.apply(&effective)?;
        let bound = reference.binding.is_set();
        self.deadline.may_connect = !(bound && effective.rebind == Rebind::NoReconnect);
        let bound = bound && effective.rebind != Rebind::Transparent;
        let (started, repeated, pause, group) = (Instant::now(), 0, None, None);
        let policies = CallPolicies { effective, started, bound, repeated, pause, group };
        self.policies = Some(Box::new(policies));
        Ok(())
    }

    /// Whether the policies of the call were not looked up, because none differs from the defaults.
    pub(super) fn needs_policies(&self) -> bool {
        self.policies.is_none()
    }

    pub(super) fn call_policies(&mut self) -> Option<&mut CallPolicies> {
        self.policies.as_deref_mut()
    }

    /// What the call remembers as one of a group.
    pub(super) fn group_call(&self) -> Option<&GroupCall> {
        self.policies.as_deref()?.group.as_ref()
    }

    /// Lets the call go on through another `reference`. Its time runs on, and its forwards and
    /// retries count on: for the caller it is the same call.
    pub(crate) fn redirect(&mut self, reference: &Reference) {
        (self.failures, self.fell_back, self.redirected) = (0, false, true);
        if let Some(policies) = &mut self.policies {
            let (bound, rebind) = (reference.binding.is_set(), policies.effective.rebind);
            self.deadline.may_connect = !(bound && rebind == Rebind::NoReconnect);
            policies.bound = bound && rebind != Rebind::Transparent;
        }
    }

    /// Whether a request can still be sent in time.
    pub(crate) fn has_time(&self) -> bool {
        self.deadline.send_time_left().is_some()
    }

    /// The time limits of an attempt at the next address of `route`.
    pub(crate) fn attempt_deadline(&self, route: &Route) -> Deadline {
        self.deadline.with_addresses(self.addresses_left(route))
    }

    /// The number of addresses of `route` that have not failed yet.
    pub(crate) fn addresses_left(&self, route: &Route) -> usize {
        route.len().saturating_sub(self.failures)
    }

    /// The time limit for an attempt within the process; zero when the call has expired. The first
    /// attempt starts with the call and does not need to read the clock.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        match self.is_late() {
            false => self.deadline.limit,
            true => self.deadline.remaining().unwrap_or(Some(Duration::ZERO)),
        }
    }

    /// Whether the next attempt is not the first.
    fn is_late(&self) -> bool {
        let repeated = |policies: &CallPolicies| policies.repeated > 0;
        self.forwards > 0 || self.redirected || self.policies.as_deref().is_some_and(repeated)
    }

    /// The same limit, with the time from which it counts.
    pub(in crate::client) fn local_limit(&self) -> LocalLimit {
        let late = self.is_late();
        let (time, delivery) = (self.time_left(), self.deadline.delivery_left(late));
        match late {
            false => LocalLimit { time, delivery, since: self.deadline.started },
            true => LocalLimit { delivery, ..LocalLimit::from_now(time) },
        }
    }

    /// Allows the call to bind the reference anew, whatever its policies are.
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
    fn count_forward(&mut self, orb: &Orb) -> Result<(), SystemException> {
        self.forwards += 1;
        self.failures = 0;
        match self.forwards > orb.settings().max_forwards {
            true => Err(too_many_forwards(self.forwards)),
            false => Ok(()),
        }
    }

    /// Decides the next step after an attempt.
    ///
    /// # Errors
    /// The exception that the call ends with.
    #[inline(always)]
    pub(crate) fn judge<T>(
        &mut self,
        at: At<'_>,
        attempted: Result<Answer<T>, SystemException>,
    ) -> Result<Step<T>, SystemException> {
        match attempted {
            Ok(Answer::Results(reply)) => Ok(Step::Done(reply)),
            Ok(Answer::Forward(forward)) => self.judge_forward(at, *forward),
            Ok(Answer::Raised(exception)) => self.judge_exception(at, exception),
            Err(failure) => self.judge_failure(at, failure),
        }
    }

    /// Follows a change of the addressing mode at once, because it concerns only the two ORBs;
    /// interceptors see a retry. Any other forward is returned as a step.
    #[cold]
    fn judge_forward<T>(
        &mut self,
        at: At<'_>,
        forward: Forward,
    ) -> Result<Step<T>, SystemException> {
        let wanted = match forward {
            Forward::To(ior) => return Ok(Step::Forward { ior, permanent: false }),
            Forward::ForGood(ior) => return Ok(Step::Forward { ior, permanent: true }),
            Forward::Readdress(wanted) => wanted,
        };
        let At { reference, remote, .. } = at;
        // Requests that stay in the process name the object by its key, as every server must accept.
        let Some((route, _)) = remote else { return Err(no_reply()) };
        self.count_forward(&reference.orb)?;
        let permanent = reference.binding.permanent_ior();
        let own = permanent.as_deref().unwrap_or_else(|| reference.ior());
        reference.binding.change(route.readdressed(&reference.orb, own, wanted)?, None);
        Ok(Step::Again)
    }

    /// What the driver of a call through `object` does after `step`. `ask` asks a selector.
    ///
    /// # Errors
    /// The exception that the call ends with.
    pub(crate) fn advance<T>(
        &mut self,
        object: &Object,
        step: Step<T>,
        ask: Select<'_>,
    ) -> Result<Action<T>, SystemException> {
        match step {
            Step::Done(reply) => Ok(Action::Done(reply)),
            Step::Again => {
                let pause = self.policies.as_mut().and_then(|policies| policies.pause.take());
                Ok(pause.map_or(Action::Send, Action::Pause))
            }
            Step::Forward { ior, permanent } => self.follow(object, *ior, permanent, ask),
        }
    }

    /// Follows a forward. One by an object of this process holds for this call only: the next call
    /// asks again, at no cost of a round trip. Any other one changes the binding, for later calls
    /// too. If an extension attaches to where the forward leads, its selector decides further.
    #[cold]
    fn follow<T>(
        &mut self,
        object: &Object,
        ior: Ior,
        permanent: bool,
        ask: Select<'_>,
    ) -> Result<Action<T>, SystemException> {
        let reference = object.reference()?;
        let Reference { orb, binding, .. } = &**reference;
        self.count_forward(orb)?;
        let (chosen, context) = if reference.stays_here() {
            (Object::from_ior(orb, ior), None)
        } else {
            if self.is_bound() {
                return Err(rebind_refused());
            }
            let selector = reference.selector_of_forward(&ior)?;
            let forwarded = (!permanent).then_some(&ior);
            let route = Route::new(orb, &ior, forwarded, AddressingDisposition::Key)?;
            route.check_protection(&*reference.route()?)?;
            if permanent {
                binding.set_permanent_ior(ior);
            }
            binding.change(route, selector);
            let Some(selector) = binding.forward_selector() else { return Ok(Action::Send) };
            let CallChoice { object, context } = ask(&*selector)?;
            (object.into_owned(), context)
        };
        let (object, context) = object.through(chosen, context, ask)?;
        Ok(Action::Go(object, context))
    }

    fn is_bound(&self) -> bool {
        self.policies.as_ref().is_some_and(|policies| policies.bound)
    }

    /// Decides the next step after a system exception of the server, to which it is attributed. If
    /// the object is not there, the call may [fall back](Self::fall_back). `TRANSIENT` may be
    /// retried. Every other exception ends the call.
    #[cold]
    fn judge_exception<T>(
        &mut self,
        at: At<'_>,
        exception: SystemException,
    ) -> Result<Step<T>, SystemException> {
        let exception = at.attribute(exception);
        if self.tries_members(at) {
            self.note_answer();
            return self.try_next_member(at, exception);
        }
        let gone = matches!(
            exception.kind(),
            ExceptionKind::ObjectNotExist | ExceptionKind::Transient | ExceptionKind::ObjAdapter
        );
        let not_executed = exception.completed() == Completion::No;
        if gone && not_executed && self.fall_back(at) {
            return Ok(Step::Again);
        }
        match exception.kind() {
            ExceptionKind::Transient if not_executed => self.repeat(exception),
            _ => Err(exception),
        }
    }

    /// Decides the next step after an attempt without an answer. Only a call that was certainly not
    /// executed may be retried: first at the next address of the route, and after the last one by
    /// [falling back](Self::fall_back).
    #[cold]
    fn judge_failure<T>(
        &mut self,
        at: At<'_>,
        failure: SystemException,
    ) -> Result<Step<T>, SystemException> {
        if self.tries_members(at) {
            return self.try_next_member(at, failure);
        }
        if failure.kind() == ExceptionKind::Timeout {
            self.leave_silent(at);
            return Err(self.explain(failure));
        }
        let unreached =
            matches!(failure.kind(), ExceptionKind::Transient | ExceptionKind::CommFailure);
        let refused = failure.minor().is_of_refused_connection();
        if failure.completed() != Completion::No || !(unreached || refused) {
            return Err(failure);
        }
        // An object of this process has no other address.
        let Some((route, failed)) = at.remote else { return self.repeat(failure) };
        self.failures += 1;
        if self.failures >= route.len() && self.fall_back(at) {
            return Ok(Step::Again);
        }
        route.prefer_next(failed);
        match self.failures < route.len() {
            true => Ok(Step::Again),
            // What refuses once will refuse again.
            false if refused => Err(failure),
            false => self.repeat(failure),
        }
    }

    /// Directs later calls elsewhere if this one has expired while nothing at all came from the
    /// address: to the reference's own addresses if it was forwarded, else to the next address.
    #[cold]
    fn leave_silent(&mut self, at: At<'_>) {
        let Some((route, expired)) = at.remote else { return };
        let silent = expired.access.endpoint.was_silent_since(self.deadline.started);
        if silent && !self.fall_back(at) {
            route.prefer_next(expired);
        }
    }

    /// Directs the call to the reference's own addresses again, once, if the target of an earlier
    /// call's forward has failed. If this call itself was forwarded, the forward is as recent as
    /// any answer from those addresses, and the call does not fall back.
    fn fall_back(&mut self, At { reference, remote, .. }: At<'_>) -> bool {
        let forwarded = remote.is_some_and(|(route, _)| route.is_forwarded());
        if self.is_bound() || !forwarded || self.forwards > 0 || self.fell_back {
            return false;
        }
        self.fell_back = true;
        self.failures = 0;
        reference.binding.fall_back(!reference.is_collocated());
        true
    }

    /// Retries after a pause, when nothing else is left to try and the policy `retries` allows it.
    /// Otherwise returns the error.
    fn repeat<T>(&mut self, error: SystemException) -> Result<Step<T>, SystemException> {
        let Some(policies) = &mut self.policies else { return Err(error) };
        let (retries, repeated) = (policies.effective.retries, policies.repeated);
        if repeated >= retries.count {
            let times = match repeated {
                0 => return Err(error),
                1 => "once".to_owned(),
                more => format!("{more} times"),
            };
            return Err(error.with_note(&format!("; retried {times}, the limit of `retries`")));
        }
        let pause = retries.pause(repeated);
        let shortest = policies.effective.shortest(true);
        let elapsed = policies.started.elapsed();
        if let Some(limit) = shortest.filter(|limit| limit.time.saturating_sub(elapsed) <= pause) {
            let note = format!("; not retried after {repeated} retries because of {limit}");
            return Err(error.with_note(&note));
        }
        policies.pause = Some(pause);
        policies.repeated += 1;
        self.failures = 0;
        Ok(Step::Again)
    }

    /// Names the policy whose limit has passed.
    fn explain(&self, error: SystemException) -> SystemException {
        let Some(policies) = &self.policies else { return error };
        match policies.effective.shortest(error.completed() == Completion::No) {
            Some(limit) => error.with_hint(format!("the limit is {limit}")),
            None => error,
        }
    }
}

fn rebind_refused() -> SystemException {
    SystemException::new(ExceptionKind::Rebind, Minor::REBIND_NOT_ALLOWED, Completion::No)
        .with_reason("the server forwards the call, which the policy Rebind does not allow")
        .with_hint("Object::locate binds the reference anew")
}

fn too_many_forwards(count: u32) -> SystemException {
    let what = format!("the call was forwarded {count} times (the limit is max_forwards)");
    SystemException::new(ExceptionKind::Transient, Minor::TOO_MANY_FORWARDS, Completion::No)
        .with_reason(what)
}
