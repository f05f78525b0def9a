//! Adopts the transactions of requests that arrive.

use super::references::of_policy;
use crate::context::{ARJUNA, OMG, Skimmed};
use crate::engine::Entry;
use crate::model::Status;
use crate::policy::{OTS, OtsPolicy, asks_what_it_is};
use crate::servant::adopt;
use crate::shared::Shared;
use armilla::interceptor::{Interruption, ProcessingMode, ServerInterceptor, ServerRequestInfo};
use armilla::{ExceptionKind, SystemException};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) struct Served(pub(crate) Arc<Shared>);

/// A request that works in a transaction.
struct Working {
    shared: Arc<Shared>,
    entry: Arc<Entry>,
    ended: AtomicBool,
}

impl Working {
    /// Ends the work before the client hears of it: it may commit at once.
    fn end(&self) {
        if self.ended.swap(true, Ordering::AcqRel) {
            return;
        }
        let engine = &self.shared.engine;
        self.entry.machine().call_ended();
        engine.rest(&self.entry);
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.end();
    }
}

impl ServerInterceptor for Served {
    fn name(&self) -> &str {
        "armilla-transactions"
    }

    fn processing_mode(&self) -> ProcessingMode {
        ProcessingMode::Encoded
    }

    fn reads_values(&self) -> bool {
        false
    }

    fn receive_request_service_contexts(
        &self,
        request: &mut ServerRequestInfo,
    ) -> Result<(), Interruption> {
        let policy = request.policy(OTS).ok().flatten();
        // The objects of a POA without a policy hear of no transaction.
        let Some(policy) = policy.as_ref().and_then(of_policy) else { return Ok(()) };
        let contexts = request.request_service_contexts();
        let data = contexts.get(OMG).or_else(|| contexts.get(ARJUNA));
        let incoming = data.map(Skimmed::parse).transpose()?.flatten();
        let entry = match (policy, incoming) {
            (OtsPolicy::Requires, None) | (OtsPolicy::Forbids, Some(_))
                if asks_what_it_is(request.operation()) =>
            {
                return Ok(());
            }
            (OtsPolicy::Requires, None) => {
                let why = "the object works only in a transaction";
                return Err(ExceptionKind::TransactionRequired.because(why).into());
            }
            (OtsPolicy::Forbids, Some(_)) => {
                let why = "the object does not work in transactions";
                return Err(ExceptionKind::InvalidTransaction.because(why).into());
            }
            (OtsPolicy::Requires | OtsPolicy::Adapts, Some(incoming)) => {
                self.0.entry_of(incoming)?
            }
            (OtsPolicy::Forbids | OtsPolicy::Adapts, None) => return Ok(()),
        };
        Ok(self.0.begin_work(request, entry)?)
    }

    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        end(request);
        Ok(())
    }

    fn send_exception(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        end(request);
        Ok(())
    }

    fn send_other(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        end(request);
        Ok(())
    }
}

fn end(request: &ServerRequestInfo) {
    if let Some(working) = request.kept::<Working>() {
        working.end();
    }
}

impl Shared {
    /// The transaction of which a request tells. The request counts as a call that works in it.
    fn entry_of(&self, incoming: Skimmed<'_>) -> Result<Arc<Entry>, SystemException> {
        match self.engine.find_for_call(incoming.global()) {
            Some(known) => Ok(known),
            None => adopt(&self.engine, &incoming.read(&self.site()?.orb)?, true),
        }
    }

    fn begin_work(
        self: &Arc<Self>,
        request: &mut ServerRequestInfo,
        entry: Arc<Entry>,
    ) -> Result<(), SystemException> {
        let (value, status) =
            (self.associations.slot_of(&entry, &entry.association), entry.status());
        let working = Working { shared: self.clone(), entry, ended: AtomicBool::new(false) };
        match status {
            Status::Active => {}
            Status::MarkedRollback | Status::RollingBack | Status::RolledBack => {
                let why = "the transaction can only be rolled back";
                return Err(ExceptionKind::TransactionRolledback.because(why));
            }
            _ => {
                let why = "the transaction is being ended";
                return Err(ExceptionKind::InvalidTransaction.because(why));
            }
        }
        request.keep(working);
        // There is one: the initializer has allocated it.
        self.slot().map_or(Ok(()), |slot| request.set_slot(slot, value?))
    }
}
