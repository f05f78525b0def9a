//! How an asynchronous call goes on after an attempt: to its end, elsewhere, or again after a pause; and
//! what interceptors have to say to it.

use super::asynchronous::AsyncCall;
use super::binding::AttemptTarget;
use super::call::{Answer, MAX_STALE, is_stale, take_reply};
use super::invocation::Forward;
use crate::dynamic::Signature;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::interceptor::{Attempt, Contexts, Outcome, Read, Suspended, Values};
use crate::object::Reference;
use crate::orb::lock;
use armilla_cdr::CdrResult;
use armilla_giop::ReplyStatus;
use armilla_ipc::reactor::{Reactor, Timer};
use std::sync::Arc;
use std::time::Duration;

/// How far an attempt has come.
pub(super) enum AttemptOutcome {
    /// To its end; with the id of the user exception that outcome_of.
    Done(Option<String>),
    /// The object is elsewhere, or to be named in another way.
    Forward(Forward),
    /// It has to be tried again.
    Again,
    /// The same attempt goes on over another connection.
    Resend,
}

impl AsyncCall {
    /// Has the interceptors, if there are any, begin an attempt.
    ///
    /// # Errors
    /// What it outcome_of to, where it outcome_of to its end so.
    pub(super) fn begin_flow(
        &self,
        reference: &Reference,
        destination: &AttemptTarget,
    ) -> Result<(), Result<AttemptOutcome, SystemException>> {
        if reference.orb.interceptors().is_none() || lock(&self.state).flow.is_some() {
            return Ok(());
        }
        let begun =
            self.with_attempt(reference, destination, |a| Suspended::begin(a, self.slots.clone()));
        match begun {
            None => Ok(()),
            Some(Ok(flow)) => {
                lock(&self.state).flow = Some(Box::new(flow));
                Ok(())
            }
            Some(Err(outcome)) => Err(outcome_of(outcome, None)),
        }
    }

    /// Does what follows from an attempt. `true` when another is to be made at once.
    pub(super) fn follows(
        self: &Arc<Self>,
        attempt: Result<AttemptOutcome, SystemException>,
        reply: Contexts,
    ) -> bool {
        match self.end_attempt(attempt, reply) {
            Ok(AttemptOutcome::Done(_)) => self.finish(Ok(())),
            Err(exception) => self.finish(Err(exception)),
            Ok(AttemptOutcome::Forward(_) | AttemptOutcome::Again | AttemptOutcome::Resend) => {
                let pause = lock(&self.state).invocation.take_pause();
                return pause.is_none_or(|pause| !self.launch_after(pause));
            }
        }
        false
    }

    /// Has the call launched after a pause, if there is somebody who does that.
    #[cold]
    fn launch_after(self: &Arc<Self>, pause: Duration) -> bool {
        let Ok(reference) = self.object.reference() else { return false };
        let call = self.clone();
        let launch = move |_: &Reactor, _: Timer| {
            call.launch();
            None
        };
        match reference.orb.client().driver().reactor() {
            Some(reactor) => drop(reactor.arm(pause, Arc::new(launch))),
            None => return false,
        }
        true
    }

    /// Follows a forward, and lets interceptors hear of the end.
    fn end_attempt(
        &self,
        attempt: Result<AttemptOutcome, SystemException>,
        reply: Contexts,
    ) -> Result<AttemptOutcome, SystemException> {
        let reference = self.object.reference()?;
        let attempt = match attempt {
            Ok(AttemptOutcome::Resend) => return Ok(AttemptOutcome::Resend),
            Ok(AttemptOutcome::Forward(readdressed @ Forward::Readdress(_))) => {
                self.follow(reference, readdressed).map(|()| AttemptOutcome::Again)
            }
            attempt => attempt,
        };
        let flow = lock(&self.state).flow.take();
        let ended = match flow {
            None => attempt,
            Some(flow) => self.end_flow(reference, *flow, attempt, reply),
        };
        match ended? {
            AttemptOutcome::Forward(forward) => {
                self.follow(reference, forward).map(|()| AttemptOutcome::Again)
            }
            other => Ok(other),
        }
    }

    fn end_flow(
        &self,
        reference: &Reference,
        flow: Suspended,
        attempt: Result<AttemptOutcome, SystemException>,
        reply: Contexts,
    ) -> Result<AttemptOutcome, SystemException> {
        let mut for_good = None;
        let outcome = match attempt {
            Err(exception) => Outcome::SystemException(exception),
            Ok(AttemptOutcome::Done(None)) => Outcome::Reply,
            Ok(AttemptOutcome::Done(Some(id))) => Outcome::UserException(id),
            Ok(AttemptOutcome::Forward(Forward::To(ior))) => Outcome::Forward(*ior),
            Ok(AttemptOutcome::Forward(Forward::ForGood(ior))) => {
                for_good = Some((*ior).clone());
                Outcome::Forward(*ior)
            }
            Ok(
                AttemptOutcome::Forward(Forward::Readdress(_))
                | AttemptOutcome::Again
                | AttemptOutcome::Resend,
            ) => Outcome::Retry,
        };
        let Some(destination) = lock(&self.state).destination.clone() else {
            return outcome_of(outcome, None);
        };
        let end = |attempt: Attempt<'_>| flow.end(attempt, reply, outcome);
        let ended = self.with_attempt(reference, &destination, end);
        ended.map_or_else(|| Err(super::call::no_reply()), |outcome| outcome_of(outcome, for_good))
    }

    /// Has the interceptors hear that the call was given up.
    pub(super) fn abandon_flow(&self, flow: Suspended) {
        let Ok(reference) = self.object.reference() else { return };
        let (kind, minor) = (ExceptionKind::NoResponse, Minor::GIVEN_UP);
        let given_up = SystemException::new(kind, minor, Completion::Maybe);
        // It has ended; what they make of it nobody hears.
        self.end_flow(reference, flow, Err(given_up), Contexts::default()).ok();
    }

    /// Runs `use_it` with the attempt that is under way; `None` where there are no interceptors.
    fn with_attempt<T>(
        &self,
        reference: &Reference,
        destination: &AttemptTarget,
        use_it: impl FnOnce(Attempt<'_>) -> T,
    ) -> Option<T> {
        let interceptors = reference.orb.interceptors()?;
        let permanent_ior = reference.binding.permanent_ior();
        let ior = destination
            .route()
            .forwarded_to()
            .or(permanent_ior.as_deref())
            .unwrap_or(reference.ior());
        Some(use_it(Attempt {
            interceptors,
            object: &self.object,
            reference,
            operation: self.operation.get().name,
            values: self,
            ior,
            target: destination.target(),
            is_here: destination.is_here(),
        }))
    }

    fn follow(&self, reference: &Reference, forward: Forward) -> Result<(), SystemException> {
        self.with_invocation(|destination, invocation| {
            reference.follow(destination.route(), forward, invocation)
        })
    }

    /// Runs `go` with where the call went last and the invocation, which nobody else needs meanwhile.
    fn with_invocation<T>(
        &self,
        go: impl FnOnce(
            &AttemptTarget,
            &mut super::invocation::Invocation,
        ) -> Result<T, SystemException>,
    ) -> Result<T, SystemException> {
        let mut state = lock(&self.state);
        let Some(destination) = state.destination.clone() else {
            return Err(super::call::no_reply());
        };
        let mut invocation = std::mem::take(&mut state.invocation);
        drop(state);
        let went = go(&destination, &mut invocation);
        lock(&self.state).invocation = invocation;
        went
    }

    /// What the reply says, and its service contexts where somebody wants to see them.
    pub(super) fn read_reply(&self) -> (Result<AttemptOutcome, SystemException>, Contexts) {
        let mut contexts = Contexts::default();
        let seen = lock(&self.state).flow.is_some();
        let mut user = None;
        let answer = self.decode(&mut |header, body| {
            if seen {
                contexts = Contexts::received(&header.contexts);
                user = match header.status {
                    ReplyStatus::UserException => Some(body.clone().string()?.into_owned()),
                    _ => None,
                };
            }
            take_reply(header, body, &mut |_, _| CdrResult::Ok(()))
        });
        let outcome_of = answer.and_then(|answer| match answer {
            Answer::Taken => Ok(AttemptOutcome::Done(user)),
            Answer::Forward(forward) => Ok(AttemptOutcome::Forward(*forward)),
            Answer::Raised(exception) => self.raised(exception),
        });
        (outcome_of, contexts)
    }

    #[cold]
    fn raised(&self, exception: SystemException) -> Result<AttemptOutcome, SystemException> {
        let reference = self.object.reference()?;
        self.with_invocation(|destination, invocation| {
            let address = &destination.target().access.endpoint.address;
            let exception = match destination.is_here() {
                true => exception,
                false => exception.said_by(address, self.operation.get().name),
            };
            reference
                .after_system_exception(destination.route(), invocation, exception)
                .map(|()| AttemptOutcome::Again)
        })
    }

    /// After a failure: whether the call may be sent again, and to where.
    #[cold]
    pub(super) fn after_failure(
        &self,
        exception: SystemException,
    ) -> Result<AttemptOutcome, SystemException> {
        let reference = self.object.reference()?;
        let mut state = lock(&self.state);
        if is_stale(&exception) && state.stale < MAX_STALE {
            state.stale += 1;
            return Ok(AttemptOutcome::Resend);
        }
        if state.destination.is_none() {
            return Err(exception);
        }
        drop(state);
        self.with_invocation(|destination, invocation| {
            let (route, target) = (destination.route(), destination.target());
            reference
                .after_failure(route, target, invocation, exception)
                .map(|()| AttemptOutcome::Again)
        })
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
        self.decode(&mut |_, input| read(input))
    }
}

/// What an outcome is for the call.
fn outcome_of(
    outcome: Outcome,
    for_good: Option<armilla_giop::ior::Ior>,
) -> Result<AttemptOutcome, SystemException> {
    match outcome {
        Outcome::Reply | Outcome::Sent => Ok(AttemptOutcome::Done(None)),
        Outcome::UserException(id) => Ok(AttemptOutcome::Done(Some(id))),
        Outcome::SystemException(exception) => Err(exception),
        Outcome::Forward(ior) if for_good.as_ref() == Some(&ior) => {
            Ok(AttemptOutcome::Forward(Forward::ForGood(ior.into())))
        }
        Outcome::Forward(ior) => Ok(AttemptOutcome::Forward(Forward::To(ior.into()))),
        Outcome::Retry => Ok(AttemptOutcome::Again),
    }
}
