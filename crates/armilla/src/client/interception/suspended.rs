//! A request that is under way without a thread: what interceptors have of it is kept between its first
//! points, which are called where it is sent, and its last, which are called where its end is seen.

use crate::client::Target;
use crate::client::interception::Interceptors;
use crate::client::interception::client::ClientRequestInfo;
use crate::client::interception::client_flow::Flow;
use crate::client::{Object, Reference};
use crate::interception::Contexts;
use crate::interception::Outcome;
use crate::interception::Slots;
use crate::interception::Values;
use crate::policies::SyncScope;
use armilla_giop::ior::Ior;
use std::any::Any;

/// An attempt at a call.
#[derive(Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub(crate) interceptors: &'a Interceptors,
    pub(crate) object: &'a Object,
    pub(crate) reference: &'a Reference,
    pub(crate) operation: &'a str,
    pub(crate) values: &'a dyn Values,
    /// The reference that it goes to, and where that leads.
    pub(crate) ior: &'a Ior,
    pub(crate) target: &'a Target,
    /// Whether that is an object of this process.
    pub(crate) is_here: bool,
}

/// What is kept of a request.
pub(crate) struct Suspended {
    id: u32,
    contexts: Contexts,
    slots: Slots,
    /// Those that the thread had in the interceptors.
    own: Slots,
    kept: Vec<Box<dyn Any + Send>>,
    entered: usize,
}

impl Suspended {
    /// Calls the first points, with the slots that the thread of the call had when that began.
    ///
    /// # Errors
    /// How the attempt has ended, of which those have heard that had begun.
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

    /// The service contexts that the request has.
    pub(crate) const fn contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// Calls the last points; `reply` are the contexts of the reply. Gives how the attempt ends then.
    pub(crate) fn end(self, attempt: Attempt<'_>, reply: Contexts, outcome: Outcome) -> Outcome {
        let mut flow = self.resume(attempt);
        flow.info.reply_contexts = reply;
        flow.leave(outcome)
    }

    fn resume(self, attempt: Attempt<'_>) -> Flow<'_> {
        let Attempt { interceptors, object, reference, operation, values, ior, target, is_here } =
            attempt;
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
            named: target.address(),
            address: (!is_here).then_some(&target.access.endpoint.address),
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
