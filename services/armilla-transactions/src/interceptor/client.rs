//! Lets the transaction of a thread travel with its requests.

use crate::context::{encode, set_time};
use crate::current::is_internal;
use crate::engine::Entry;
use crate::model::{Event, Status};
use crate::policy::{NON_TX_TARGET, NonTxTargetPolicy, OTS_COMPONENT, OtsPolicy};
use crate::servant::mark_rollback;
use crate::shared::Shared;
use armilla::interceptor::{
    ClientInterceptor, ClientRequestInfo, Interruption, Outcome, ProcessingMode,
};
use armilla::{Completion, ExceptionKind, SystemException};
use std::sync::Arc;

pub(crate) struct Requests(pub(crate) Arc<Shared>);

/// The transaction of a request that was sent.
struct Sent(Arc<Entry>);

impl ClientInterceptor for Requests {
    fn name(&self) -> &str {
        "armilla-transactions"
    }

    fn processing_mode(&self) -> ProcessingMode {
        ProcessingMode::RemoteOnly
    }

    fn reads_values(&self) -> bool {
        false
    }

    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        if is_internal() {
            return Ok(());
        }
        let Some(slot) = self.0.slot() else { return Ok(()) };
        let Some(entry) = self.0.associations.find(&request.slot(slot)?) else { return Ok(()) };
        if !self.0.travels(request)? {
            return Ok(());
        }
        let data = self.0.begin_call(&entry)?;
        request.keep(Sent(entry));
        for id in self.0.context_ids {
            request.add_request_service_context(*id, &data, true)?;
        }
        Ok(())
    }

    fn receive_reply(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.0.end_call(request);
        Ok(())
    }

    fn receive_other(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.0.end_call(request);
        Ok(())
    }

    fn receive_exception(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        if let Some(Sent(entry)) = request.kept::<Sent>()
            && let Some(Outcome::SystemException(exception)) = request.outcome()
            && (exception.kind() == ExceptionKind::TransactionRolledback
                || exception.completed() == Completion::Maybe)
        {
            // Whether the other has done its work is not known: it must not commit.
            mark_rollback(&self.0.engine, entry);
        }
        self.0.end_call(request);
        Ok(())
    }
}

impl Shared {
    /// Whether the transaction travels to this object.
    fn travels(&self, request: &ClientRequestInfo<'_>) -> Result<bool, SystemException> {
        let component = request.effective_components(OTS_COMPONENT).into_iter().next();
        match component.as_deref().and_then(OtsPolicy::from_component) {
            Some(OtsPolicy::Requires | OtsPolicy::Adapts) => Ok(true),
            Some(OtsPolicy::Forbids) => {
                let what = "the object forbids calls in transactions";
                Err(ExceptionKind::InvalidTransaction
                    .because(what)
                    .with_hint("call it before the transaction, or suspend the transaction"))
            }
            None if self.propagates_always => Ok(true),
            None => match request.custom_policy(NON_TX_TARGET)?.as_ref().map(|it| it.get()) {
                Some(Some(NonTxTargetPolicy::Prevent)) => {
                    let what = "the object does not work in transactions";
                    Err(ExceptionKind::InvalidTransaction
                        .because(what)
                        .with_hint("its POA has no `OtsPolicy`"))
                }
                _ => Ok(false),
            },
        }
    }

    /// The context of a request that is about to be sent.
    fn begin_call(&self, entry: &Entry) -> Result<Vec<u8>, SystemException> {
        let now = self.engine.now();
        let left = {
            let mut machine = entry.machine();
            let left = machine.deadline().map(|deadline| deadline.saturating_sub(now));
            let is_late = left.is_some_and(|left| left.is_zero());
            match machine.status() {
                Status::Active if !is_late => {}
                Status::Active
                | Status::MarkedRollback
                | Status::RollingBack
                | Status::RolledBack => {
                    let why = match is_late || machine.has_timed_out() {
                        true => "its time is up",
                        false => "it can only be rolled back",
                    };
                    return Err(ExceptionKind::TransactionRolledback.because(why));
                }
                _ => {
                    let why = "the transaction of this thread is being ended";
                    return Err(ExceptionKind::InvalidTransaction.because(why));
                }
            }
            machine.handle(Event::CallBegan, now);
            left
        };
        let encoded = match entry.context.get() {
            Some(encoded) => encoded,
            None => {
                let made = self.site().and_then(|site| encode(&site.context_of(entry)?));
                let made = made.inspect_err(|_| {
                    entry.machine().handle(Event::CallEnded, now);
                })?;
                entry.context.get_or_init(|| made)
            }
        };
        let mut data = encoded.clone();
        set_time(&mut data, left);
        Ok(data)
    }

    fn end_call(&self, request: &ClientRequestInfo<'_>) {
        if let Some(Sent(entry)) = request.kept::<Sent>() {
            entry.machine().handle(Event::CallEnded, self.engine.now());
        }
    }
}
