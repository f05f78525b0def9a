//! The end of an attempt of an asynchronous call: the next step, and the interceptors' ending
//! points.
//!
//! The state and the attempts are in [`call`](super::call).

use super::call::{AsyncCall, AttemptOutcome};
use crate::client::interception::{Attempt, Ended, FlowTarget, Intercepted, user_exception_id};
use crate::client::invocation::{Invocation, Step};
use crate::client::reference::{AttemptTarget, Object, Reference};
use crate::client::request::{Answer, Forward, no_reply, undecodable};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::interception::{Contexts, Read, Values};
use crate::signature::Signature;
use crate::sync::lock;
use armilla_giop::ResponseFlags;
use armilla_ipc::reactor::{Reactor, Timer};
use std::sync::Arc;
use std::time::Duration;

impl AsyncCall {
    /// Calls the interceptors' starting points for an attempt, if there are interceptors.
    ///
    /// # Errors
    /// The end of the attempt, if an interceptor ended it.
    pub(in crate::client) fn begin_flow(
        &self,
        reference: &Reference,
        attempt_target: &AttemptTarget,
    ) -> Result<(), Ended> {
        if reference.orb.interceptors().is_none() || lock(&self.state).flow.is_some() {
            return Ok(());
        }
        let begin = |attempt: Attempt<'_>| Intercepted::begin(attempt, self.slots.clone());
        match self.with_attempt(reference, attempt_target, begin) {
            None => Ok(()),
            Some(Ok(flow)) => {
                lock(&self.state).flow = Some(Box::new(flow));
                Ok(())
            }
            Some(Err(step)) => {
                Err(Ended { step: step.map(|step| (step, None)), contexts: Contexts::default() })
            }
        }
    }

    /// Applies the outcome of an attempt. `true` when the next attempt must be launched now.
    pub(in crate::client) fn apply_outcome(self: &Arc<Self>, outcome: AttemptOutcome) -> bool {
        let ended = match outcome {
            AttemptOutcome::Resend => return true,
            AttemptOutcome::Ended(ended) => ended,
        };
        match self.end_attempt(ended) {
            Ok(Step::Done(())) => self.finish(Ok(())),
            Err(exception) => self.fail(exception),
            Ok(Step::Forward(_) | Step::Again) => {
                let pause = lock(&self.state).invocation.as_mut().and_then(Invocation::take_pause);
                return pause.is_none_or(|pause| !self.launch_after(pause));
            }
        }
        false
    }

    /// Launches the call after a pause. `false` without a reactor to run the timer.
    #[cold]
    fn launch_after(self: &Arc<Self>, pause: Duration) -> bool {
        let Ok(reference) = self.target().object.reference() else { return false };
        let call = self.clone();
        let launch = move |_: &Reactor, _: Timer| {
            call.launch_again();
            None
        };
        match reference.orb.client().reactor_threads().reactor() {
            Some(reactor) => drop(reactor.arm(pause, Arc::new(launch))),
            None => return false,
        }
        true
    }

    /// Calls the interceptors' ending points for an attempt, and follows a forward.
    fn end_attempt(&self, ended: Ended) -> Result<Step, SystemException> {
        let reference = self.target().object.reference()?;
        let flow = lock(&self.state).flow.take();
        let step = match flow {
            None => ended.step.map(|(step, _)| step),
            Some(flow) => self.end_flow(reference, *flow, ended),
        };
        match step? {
            Step::Forward(forward) => {
                self.follow(reference, forward)?;
                self.follow_selector()?;
                Ok(Step::Again)
            }
            step => Ok(step),
        }
    }

    /// Follows a forward. One by this process holds for this call only, as it does for a call whose
    /// thread waits: the next call asks the servant manager again.
    fn follow(&self, reference: &Reference, forward: Forward) -> Result<(), SystemException> {
        self.with_invocation(|target, invocation| match forward {
            Forward::To(ior) | Forward::ForGood(ior)
                if target.is_collocated() && self.later.get().is_none() =>
            {
                invocation.count_forward(&reference.orb)?;
                self.go_to(Object::from_ior(&reference.orb, *ior));
                Ok(())
            }
            forward => invocation.follow(reference, target.route(), forward),
        })
    }

    fn end_flow(
        &self,
        reference: &Reference,
        flow: Intercepted,
        ended: Ended,
    ) -> Result<Step, SystemException> {
        let Some(target) = lock(&self.state).attempt_target.clone() else {
            return ended.step.map(|(step, _)| step);
        };
        let end = |attempt: Attempt<'_>| flow.end(attempt, ended);
        self.with_attempt(reference, &target, end).unwrap_or_else(|| Err(no_reply()))
    }

    /// Reports the cancelled call to the interceptors.
    pub(in crate::client) fn abandon_flow(&self, flow: Intercepted) {
        let Ok(reference) = self.target().object.reference() else { return };
        let (kind, minor) = (ExceptionKind::NoResponse, Minor::CALL_CANCELLED);
        let given_up = SystemException::new(kind, minor, Completion::Maybe);
        // The call has ended, so the interceptors' result has no effect.
        self.end_flow(reference, flow, given_up.into()).ok();
    }

    /// Runs `use_it` with the attempt under way. `None` without interceptors.
    fn with_attempt<T>(
        &self,
        reference: &Reference,
        attempt_target: &AttemptTarget,
        use_it: impl FnOnce(Attempt<'_>) -> T,
    ) -> Option<T> {
        let interceptors = reference.orb.interceptors()?;
        let permanent = reference.binding.permanent_ior();
        let target = attempt_target.target();
        let address = &target.access.endpoint.address;
        Some(use_it(Attempt {
            interceptors,
            orb: &reference.orb,
            object: &self.target().object,
            operation: self.operation.get().name,
            response: ResponseFlags::Target,
            values: self,
            at: FlowTarget {
                ior: reference.ior_of(attempt_target.route(), permanent.as_deref()),
                named: target.object().named(),
                address: (!attempt_target.is_collocated()).then_some(address),
            },
        }))
    }

    /// Runs `decide` with the last target and the invocation. No other thread uses the invocation
    /// meanwhile.
    fn with_invocation<T>(
        &self,
        decide: impl FnOnce(&AttemptTarget, &mut Invocation) -> Result<T, SystemException>,
    ) -> Result<T, SystemException> {
        let mut state = lock(&self.state);
        let (Some(target), Some(mut invocation)) =
            (state.attempt_target.clone(), state.invocation.take())
        else {
            return Err(no_reply());
        };
        drop(state);
        let decided = decide(&target, &mut invocation);
        lock(&self.state).invocation = Some(invocation);
        decided
    }

    /// Decides the next step after an attempt. A system exception of a server is attributed to its
    /// address.
    fn judge(&self, attempted: Result<Answer, SystemException>) -> Result<Step, SystemException> {
        let reference = self.target().object.reference()?;
        self.with_invocation(|at, invocation| {
            let (route, target) = (at.route(), at.target());
            let attempted = match at.is_collocated() {
                true => attempted,
                false => attempted.map(|answer| {
                    let address = &target.access.endpoint.address;
                    answer.attributed_to(address, self.operation.get().name)
                }),
            };
            invocation.judge(reference, route, target, attempted)
        })
    }

    /// Reads the reply, and its service contexts if interceptors see the call.
    pub(in crate::client) fn read_reply(&self) -> Ended {
        let seen = lock(&self.state).flow.is_some();
        let reply = self.stored_reply();
        let (header, mut body) = match reply.open() {
            Ok(opened) => opened,
            Err(exception) => return exception.into(),
        };
        let (contexts, user) = match seen {
            false => (Contexts::default(), Ok(None)),
            true => {
                let user = user_exception_id(header.status, &body);
                let user = user.map_err(|error| undecodable(header.status, &error));
                (Contexts::received(&header.contexts), user)
            }
        };
        let step = user.and_then(|user| {
            let answer = Answer::decode(&header, &mut body)?;
            self.judge(Ok(answer)).map(|step| (step, user))
        });
        Ended { step, contexts }
    }

    /// Decides the next step after a failure.
    #[cold]
    pub(in crate::client) fn after_failure(&self, exception: SystemException) -> AttemptOutcome {
        let mut state = lock(&self.state);
        if state.stale.allows_another(&exception) {
            return AttemptOutcome::Resend;
        }
        if state.attempt_target.is_none() {
            return AttemptOutcome::Ended(exception.into());
        }
        drop(state);
        let step = self.judge(Err(exception)).map(|step| (step, None));
        AttemptOutcome::Ended(Ended { step, contexts: Contexts::default() })
    }
}

impl Values for AsyncCall {
    fn signature(&self) -> Option<Signature> {
        self.operation.signature()
    }

    fn read_arguments(&self, read: Read<'_>) -> Result<(), SystemException> {
        self.arguments.read(read)
    }

    fn read_reply(&self, read: Read<'_>) -> Result<(), SystemException> {
        let reply = self.stored_reply();
        let (header, mut body) = reply.open()?;
        read(&mut body).map_err(|error| undecodable(header.status, &error))
    }
}
