//! The interception of one attempt: the starting points, the attempt and the ending points (CORBA 3.4
//! Part 1, 16.3.3 and 16.3.7).
//!
//! The thread that sends the request runs the starting points. The thread that has the reply runs
//! the ending points; it is another one if no thread waits for the call. [`Intercepted`] keeps the
//! state in between.

use super::client::ClientRequestInfo;
use super::interruption::Interruption;
use super::registry::Interceptors;
use super::steps::Ended;
use crate::client::invocation::Step;
use crate::client::reference::Object;
use crate::exception::{Completion, SystemException};
use crate::interception::outcome::{End, call_point};
use crate::interception::{Contexts, Kept, Outcome, Slots, Values, current};
use crate::policies::SyncScope;
use crate::runtime::Orb;
use crate::transport::EndpointAddress;
use armilla_giop::ior::Ior;
use armilla_giop::{ResponseFlags, TargetAddress};

/// An attempt at a call.
#[derive(Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub(crate) interceptors: &'a Interceptors,
    pub(crate) orb: &'a Orb,
    /// The object that was called.
    pub(crate) object: &'a Object,
    pub(crate) operation: &'a str,
    pub(crate) response: ResponseFlags,
    pub(crate) values: &'a dyn Values,
    pub(crate) at: FlowTarget<'a>,
}

/// The target of an attempt, as interceptors see it.
#[derive(Clone, Copy)]
pub(crate) struct FlowTarget<'t> {
    /// The reference that the request is sent to.
    pub(crate) ior: &'t Ior,
    pub(crate) named: TargetAddress<'t>,
    /// `None` for an object of this process.
    pub(crate) address: Option<&'t EndpointAddress>,
}

impl Attempt<'_> {
    /// The `SyncScope` that interceptors see: the moment at which the call returns.
    fn sync_scope(&self) -> SyncScope {
        match self.response {
            ResponseFlags::Target => SyncScope::WithTarget,
            ResponseFlags::Server => SyncScope::WithServer,
            ResponseFlags::None => self.object.connection_policy(self.orb.settings()).1,
        }
    }
}

/// The interceptors' state for an attempt under way.
pub(crate) struct Intercepted {
    id: u32,
    contexts: Contexts,
    /// The slots of the calling thread when the call began.
    slots: Slots,
    /// The thread's slots inside the interceptors.
    own: Slots,
    kept: Kept,
    /// The height of the flow stack.
    entered: usize,
    reads_values: bool,
}

impl Intercepted {
    /// Calls the starting points with the slots that the calling thread had when the call began.
    ///
    /// # Errors
    /// The step after the attempt, if an interceptor ended it. The ending points of the
    /// interceptors before it have run.
    pub(crate) fn begin(
        attempt: Attempt<'_>,
        slots: Slots,
    ) -> Result<Self, Result<Step, SystemException>> {
        let (contexts, own, kept, entered) = Default::default();
        let reads_values = attempt.interceptors.read_client_values();
        let id = attempt.interceptors.next_id();
        let new = Self { id, contexts, slots, own, kept, entered, reads_values };
        let mut flow = new.resume(attempt);
        match flow.in_interceptors(Flow::begin) {
            Ok(()) => {
                let Flow { info, entered, slots: own, .. } = flow;
                let ClientRequestInfo { id, contexts, slots, kept, .. } = info;
                Ok(Self { id, contexts, slots, own, kept, entered, reads_values })
            }
            Err(interruption) => {
                let outcome = flow.in_interceptors(|flow| flow.end(interruption.into()));
                Err(outcome.into_step(None))
            }
        }
    }

    /// The service contexts of the request.
    pub(crate) const fn contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// Whether any interceptor may ask for the values of the call.
    pub(crate) const fn reads_values(&self) -> bool {
        self.reads_values
    }

    /// Calls the ending points. Returns the step that results.
    ///
    /// # Errors
    /// The exception that the call ends with.
    pub(crate) fn end(self, attempt: Attempt<'_>, ended: Ended) -> Result<Step, SystemException> {
        let (outcome, permanent) = Outcome::of(ended.step, attempt.response);
        let mut flow = self.resume(attempt);
        flow.info.reply_contexts = ended.contexts;
        flow.in_interceptors(|flow| flow.end(outcome)).into_step(permanent)
    }

    fn resume(self, attempt: Attempt<'_>) -> Flow<'_> {
        let Attempt { interceptors, orb, object, operation, response, values, at } = attempt;
        let info = ClientRequestInfo {
            id: self.id,
            operation,
            response_expected: response.response_expected(),
            sync_scope: attempt.sync_scope(),
            values: if self.reads_values { Some(values) } else { None },
            target: object,
            settings: orb.settings(),
            ior: at.ior,
            named: at.named,
            address: at.address,
            contexts: self.contexts,
            reply_contexts: Contexts::default(),
            outcome: None,
            slots: self.slots,
            slot_count: interceptors.slots,
            kept: self.kept,
        };
        Flow { interceptors, orb, info, entered: self.entered, slots: self.own }
    }
}

/// One attempt, while interceptors run.
struct Flow<'f> {
    interceptors: &'f Interceptors,
    orb: &'f Orb,
    info: ClientRequestInfo<'f>,
    /// The height of the flow stack: the number of interceptors whose starting point has succeeded
    /// or which do not see the call.
    entered: usize,
    /// The thread's slots inside the interceptors.
    slots: Slots,
}

impl Flow<'_> {
    /// Calls the starting points.
    fn begin(&mut self) -> Result<(), Interruption> {
        let local = self.info.is_local();
        for interceptor in &self.interceptors.client {
            let (orb, info) = (self.orb, &mut self.info);
            call_point(
                orb,
                || interceptor.name(),
                Completion::No,
                || match interceptor.processing_mode().sees(local) {
                    true => interceptor.send_request(info),
                    false => Ok(()),
                },
            )
            .map_err(Interruption::before_entry)?;
            self.entered += 1;
        }
        Ok(())
    }

    /// Calls the ending points: unwinds the flow stack. An interruption is the outcome for the next
    /// interceptor.
    fn end(&mut self, mut outcome: Outcome) -> Outcome {
        let entered = std::mem::take(&mut self.entered);
        let local = self.info.is_local();
        let all = self.interceptors.client.iter().take(entered).rev();
        for interceptor in all {
            let (end, executed) = (outcome.end(), outcome.may_be_executed());
            let completed = if executed { Completion::Maybe } else { Completion::No };
            let info = &mut self.info;
            info.outcome = Some(outcome);
            let orb = self.orb;
            let result = call_point(
                orb,
                || interceptor.name(),
                completed,
                || match end {
                    _ if !interceptor.processing_mode().sees(local) => Ok(()),
                    End::Reply => interceptor.receive_reply(info).map_err(Interruption::from),
                    End::Exception => interceptor.receive_exception(info),
                    End::Other => interceptor.receive_other(info),
                },
            );
            outcome = match (result, info.outcome.take()) {
                (Ok(()), Some(outcome)) => outcome,
                // No interceptor can remove the outcome.
                (Ok(()), None) => Outcome::Sent,
                (Err(interruption), _) if executed => interruption.after_execution().into(),
                (Err(interruption), _) => interruption.before_entry().into(),
            };
        }
        outcome
    }

    /// Gives the thread slots of its own while it runs interceptors (CORBA 3.4 Part 1, 16.4.4.5).
    fn in_interceptors<T>(&mut self, points: impl FnOnce(&mut Self) -> T) -> T {
        if self.interceptors.slots == 0 {
            return points(self);
        }
        let orb = self.orb;
        let outside = current::swap(orb, std::mem::take(&mut self.slots));
        let result = points(self);
        self.slots = current::swap(orb, outside);
        result
    }
}
