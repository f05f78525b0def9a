//! Adopts the transactions of requests that arrive.

use super::references::of_policy;
use crate::context::{ARJUNA, Incoming, OMG};
use crate::current::Association;
use crate::engine::Entry;
use crate::model::{Event, Status};
use crate::policy::{OTS, OtsPolicy};
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
    _association: Association,
    ended: AtomicBool,
}

impl Working {
    /// Ends the work before the client hears of it: it may commit at once.
    fn end(&self) {
        if self.ended.swap(true, Ordering::AcqRel) {
            return;
        }
        let engine = &self.shared.engine;
        let idle = {
            let mut machine = self.entry.machine();
            machine.handle(Event::CallEnded, engine.now());
            self.entry.subordinate && !machine.has_calls()
        };
        if idle {
            // Nobody has registered: its superior need not hear of it.
            engine.drop_empty(&self.entry);
        }
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
        ProcessingMode::RemoteOnly
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
        let incoming = match data {
            Some(data) => Incoming::parse(data, &self.0.site()?.orb)?,
            None => None,
        };
        match (policy, incoming) {
            (OtsPolicy::Requires, None) => {
                let why = "the object works only in a transaction";
                Err(ExceptionKind::TransactionRequired.because(why).into())
            }
            (OtsPolicy::Forbids, Some(_)) => {
                let why = "the object does not work in transactions";
                Err(ExceptionKind::InvalidTransaction.because(why).into())
            }
            (OtsPolicy::Requires | OtsPolicy::Adapts, Some(incoming)) => {
                Ok(self.0.begin_work(request, &incoming)?)
            }
            (OtsPolicy::Forbids | OtsPolicy::Adapts, None) => Ok(()),
        }
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
    fn begin_work(
        self: &Arc<Self>,
        request: &mut ServerRequestInfo,
        incoming: &Incoming,
    ) -> Result<(), SystemException> {
        let Some(slot) = self.slot() else { return Ok(()) };
        let entry = adopt(&self.engine, incoming, true)?;
        let association = self.associations.enter(entry.clone());
        let (number, shared, ended) = (association.slot(), self.clone(), AtomicBool::new(false));
        let status = entry.status();
        let working = Working { shared, entry, _association: association, ended };
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
        request.set_slot(slot, number?)
    }
}
