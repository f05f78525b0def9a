//! The interceptors' state for an asynchronous request. The thread that sends the request runs the
//! starting points; the thread that reads the reply runs the ending points. The state is kept here
//! in between.

use super::client::ClientRequestInfo;
use super::client_flow::Flow;
use super::registry::Interceptors;
use crate::client::reference::{Object, Reference, Target};
use crate::interception::Contexts;
use crate::interception::Outcome;
use crate::interception::Slots;
use crate::interception::Values;
use crate::policies::SyncScope;
use armilla_giop::ior::Ior;
use std::any::Any;

/// An attempt at an asynchronous call.
#[derive(Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub(crate) interceptors: &'a Interceptors,
    pub(crate) object: &'a Object,
    pub(crate) reference: &'a Reference,
    pub(crate) operation: &'a str,
    pub(crate) values: &'a dyn Values,
    /// The reference that the request is sent to, and the target that it leads to.
    pub(crate) ior: &'a Ior,
    pub(crate) target: &'a Target,
    /// Whether the target is an object of this process.
    pub(crate) is_collocated: bool,
}

/// The interceptors' state for a request under way.
pub(crate) struct Suspended {
    id: u32,
    contexts: Contexts,
    slots: Slots,
    /// The thread's slots inside the interceptors.
    own: Slots,
    kept: Vec<Box<dyn Any + Send>>,
    entered: usize,
}

impl Suspended {
    /// Calls the starting points with the slots that the calling thread had when the call began.
    ///
    /// # Errors
    /// The outcome of the attempt, if an interceptor ended it. The ending points of the
    /// interceptors before it have run.
    pub(crate) fn begin(attempt: Attempt<'_>, slots: Slots) -> Result<Self, Outcome> {
        let (contexts, own, kept, entered) = Default::default();
        let new = Self { id: attempt.interceptors.next_id(), contexts, slots, own, kept, entered };
        let mut flow = new.resume(attempt);
        match flow.enter() {
            Ok(()) => {
                let Flow { info, entered, slots: own, .. } = flow;
                let ClientRequestInfo { id, contexts, slots, kept, .. } = info;
                Ok(Self { id, contexts, slots, own, kept, entered })
            }
            Err(interruption) => Err(flow.leave(interruption.into())),
        }
    }

    /// The service contexts of the request.
    pub(crate) const fn contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// Calls the ending points. `reply` are the service contexts of the reply. Returns the outcome
    /// that results.
    pub(crate) fn end(self, attempt: Attempt<'_>, reply: Contexts, outcome: Outcome) -> Outcome {
        let mut flow = self.resume(attempt);
        flow.info.reply_contexts = reply;
        flow.leave(outcome)
    }

    fn resume(self, attempt: Attempt<'_>) -> Flow<'_> {
        let Attempt {
            interceptors,
            object,
            reference,
            operation,
            values,
            ior,
            target,
            is_collocated,
        } = attempt;
        let values = if interceptors.read_client_values() { Some(values) } else { None };
        let info = ClientRequestInfo {
            id: self.id,
            operation,
            response_expected: true,
            sync_scope: SyncScope::WithTarget,
            values,
            target: object,
            settings: reference.orb.settings(),
            ior,
            named: target.object().named(),
            address: (!is_collocated).then_some(&target.access.endpoint.address),
            contexts: self.contexts,
            reply_contexts: Contexts::default(),
            outcome: None,
            slots: self.slots,
            slot_count: interceptors.slots,
            kept: self.kept,
        };
        Flow { interceptors, reference, info, entered: self.entered, slots: self.own }
    }
}
