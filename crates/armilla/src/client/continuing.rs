//! How an asynchronous call goes on after an attempt: to its end, elsewhere, or again after a pause; and
//! what interceptors have to say to it.

use super::asynchronous::AsyncCall;
use super::binding::AttemptTarget;
use super::call::{Answer, MAX_STALE, is_stale, take_reply};
use super::journey::Forward;
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
pub(super) enum Came {
    /// To its end; with the id of the user exception that came.
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
    /// What it came to, where it came to its end so.
    pub(super) fn begin_flow(
        &self,
        reference: &Reference,
        destination: &AttemptTarget,
    ) -> Result<(), Result<Came, SystemException>> {
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
            Some(Err(outcome)) => Err(came(outcome, None)),
        }
    }

    /// Does what follows from an attempt. `true` when another is to be made at once.
    pub(super) fn follows(
        self: &Arc<Self>,
        attempt: Result<Came, SystemException>,
        reply: Contexts,
    ) -> bool {
        match self.end_attempt(attempt, reply) {
            Ok(Came::Done(_)) => self.finish(Ok(())),
            Err(exception) => self.finish(Err(exception)),
            Ok(Came::Forward(_) | Came::Again | Came::Resend) => {
                let pause = lock(&self.state).journey.take_pause();
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
        attempt: Result<Came, SystemException>,
        reply: Contexts,
    ) -> Result<Came, SystemException> {
        let reference = self.object.reference()?;
        let attempt = match attempt {
            Ok(Came::Resend) => return Ok(Came::Resend),
            Ok(Came::Forward(readdressed @ Forward::Readdress(_))) => {
                self.follow(reference, readdressed).map(|()| Came::Again)
            }
            attempt => attempt,
        };
        let flow = lock(&self.state).flow.take();
        let ended = match flow {
            None => attempt,
            Some(flow) => self.end_flow(reference, *flow, attempt, reply),
        };
        match ended? {
            Came::Forward(forward) => self.follow(reference, forward).map(|()| Came::Again),
            other => Ok(other),
        }
    }

    fn end_flow(
        &self,
        reference: &Reference,
        flow: Suspended,
        attempt: Result<Came, SystemException>,
        reply: Contexts,
    ) -> Result<Came, SystemException> {
        let mut for_good = None;
        let outcome = match attempt {
            Err(exception) => Outcome::SystemException(exception),
            Ok(Came::Done(None)) => Outcome::Reply,
            Ok(Came::Done(Some(id))) => Outcome::UserException(id),
            Ok(Came::Forward(Forward::To(ior))) => Outcome::Forward(*ior),
            Ok(Came::Forward(Forward::ForGood(ior))) => {
                for_good = Some((*ior).clone());
                Outcome::Forward(*ior)
            }
            Ok(Came::Forward(Forward::Readdress(_)) | Came::Again | Came::Resend) => Outcome::Retry,
        };
        let Some(destination) = lock(&self.state).destination.clone() else {
            return came(outcome, None);
        };
        let end = |attempt: Attempt<'_>| flow.end(attempt, reply, outcome);
        let ended = self.with_attempt(reference, &destination, end);
        ended.map_or_else(|| Err(super::call::no_reply()), |outcome| came(outcome, for_good))
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
        self.with_journey(|destination, journey| {
            reference.follow(destination.route(), forward, journey)
        })
    }

    /// Runs `go` with where the call went last and the journey, which nobody else needs meanwhile.
    fn with_journey<T>(
        &self,
        go: impl FnOnce(&AttemptTarget, &mut super::journey::Journey) -> Result<T, SystemException>,
    ) -> Result<T, SystemException> {
        let mut state = lock(&self.state);
        let Some(destination) = state.destination.clone() else {
            return Err(super::call::no_reply());
        };
        let mut journey = std::mem::take(&mut state.journey);
        drop(state);
        let went = go(&destination, &mut journey);
        lock(&self.state).journey = journey;
        went
    }

    /// What the reply says, and its service contexts where somebody wants to see them.
    pub(super) fn read_reply(&self) -> (Result<Came, SystemException>, Contexts) {
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
        let came = answer.and_then(|answer| match answer {
            Answer::Taken => Ok(Came::Done(user)),
            Answer::Forward(forward) => Ok(Came::Forward(*forward)),
            Answer::Raised(exception) => self.raised(exception),
        });
        (came, contexts)
    }

    #[cold]
    fn raised(&self, exception: SystemException) -> Result<Came, SystemException> {
        let reference = self.object.reference()?;
        self.with_journey(|destination, journey| {
            let address = &destination.target().access.endpoint.address;
            let exception = match destination.is_here() {
                true => exception,
                false => exception.said_by(address, self.operation.get().name),
            };
            reference.return_home(destination.route(), journey, exception).map(|()| Came::Again)
        })
    }

    /// After a failure: whether the call may be sent again, and to where.
    #[cold]
    pub(super) fn go_on(&self, exception: SystemException) -> Result<Came, SystemException> {
        let reference = self.object.reference()?;
        let mut state = lock(&self.state);
        if is_stale(&exception) && state.stale < MAX_STALE {
            state.stale += 1;
            return Ok(Came::Resend);
        }
        if state.destination.is_none() {
            return Err(exception);
        }
        drop(state);
        self.with_journey(|destination, journey| {
            let (route, target) = (destination.route(), destination.target());
            reference.go_on(route, target, journey, exception).map(|()| Came::Again)
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
fn came(
    outcome: Outcome,
    for_good: Option<armilla_giop::ior::Ior>,
) -> Result<Came, SystemException> {
    match outcome {
        Outcome::Reply | Outcome::Sent => Ok(Came::Done(None)),
        Outcome::UserException(id) => Ok(Came::Done(Some(id))),
        Outcome::SystemException(exception) => Err(exception),
        Outcome::Forward(ior) if for_good.as_ref() == Some(&ior) => {
            Ok(Came::Forward(Forward::ForGood(ior.into())))
        }
        Outcome::Forward(ior) => Ok(Came::Forward(Forward::To(ior.into()))),
        Outcome::Retry => Ok(Came::Again),
    }
}
