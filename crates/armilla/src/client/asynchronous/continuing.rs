//! The end of an attempt of an asynchronous call: the next step, and the interceptors' ending
//! points.
//!
//! The state and the attempts are in [`call`](super::call).

use super::call::{AsyncCall, AttemptOutcome};
use super::call_target::CallTarget;
use crate::client::interception::{Attempt, Ended, FlowTarget, Intercepted, user_exception_id};
use crate::client::invocation::{Action, At, Invocation, Step};
use crate::client::reference::{AttemptTarget, Reference};
use crate::client::request::{Answer, no_reply, undecodable};
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
    pub(super) fn begin_flow(
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
    pub(super) fn apply_outcome(self: &Arc<Self>, outcome: AttemptOutcome) -> bool {
        let ended = match outcome {
            AttemptOutcome::Resend => return true,
            AttemptOutcome::Ended(ended) => ended,
        };
        match self.end_attempt(ended) {
            Ok(Action::Done(())) => self.finish(Ok(())),
            Ok(Action::Send) => return true,
            Ok(Action::Pause(pause)) => return !self.launch_after(pause),
            Ok(Action::Go(object, context)) => {
                let CallTarget { context: before, deadline, .. } = self.target();
                self.go_to(CallTarget::new(object, context.or(*before), *deadline));
                return true;
            }
            Err(exception) => self.fail(exception),
        }
        false
    }

    /// Launches the call after a pause. `false` without a reactor to run the timer.
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

    /// Calls the interceptors' ending points for an attempt. Returns what follows.
    fn end_attempt(&self, ended: Ended) -> Result<Action, SystemException> {
        let object = &self.target().object;
        let flow = lock(&self.state).flow.take();
        let step = match flow {
            None => ended.step.map(|(step, _)| step),
            Some(flow) => self.end_flow(object.reference()?, *flow, ended),
        }?;
        self.with_invocation(|invocation| {
            invocation.advance(object, step, &|selector| selector.select_for(self.caller))
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
    pub(super) fn abandon_flow(&self, flow: Intercepted) {
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
            object: &self.first.object,
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

    /// Runs `decide` with the invocation. No other thread uses it meanwhile.
    fn with_invocation<T>(
        &self,
        decide: impl FnOnce(&mut Invocation) -> Result<T, SystemException>,
    ) -> Result<T, SystemException> {
        let taken = lock(&self.state).invocation.take();
        let Some(mut invocation) = taken else { return Err(no_reply()) };
        let decided = decide(&mut invocation);
        lock(&self.state).invocation = Some(invocation);
        decided
    }

    /// Decides the next step after an attempt.
    fn judge(&self, attempted: Result<Answer, SystemException>) -> Result<Step, SystemException> {
        let reference = self.target().object.reference()?;
        let target = lock(&self.state).attempt_target.clone();
        let Some(target) = target else { return Err(attempted.err().unwrap_or_else(no_reply)) };
        let operation = self.operation.get().name;
        let at = At { reference, remote: target.remote(), operation };
        self.with_invocation(|invocation| invocation.judge(at, attempted))
    }

    /// Reads the reply, and its service contexts if interceptors see the call.
    pub(super) fn read_reply(&self) -> Ended {
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
    pub(super) fn after_failure(&self, exception: SystemException) -> AttemptOutcome {
        if lock(&self.state).stale.allows_another(&exception) {
            return AttemptOutcome::Resend;
        }
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
