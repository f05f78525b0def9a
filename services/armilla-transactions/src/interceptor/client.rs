//! Lets the transaction of a thread travel with its requests.

use crate::context::{encode, set_time};
use crate::current::is_internal;
use crate::engine::Entry;
use crate::model::{Status, Time};
use crate::policy::{NON_TX_TARGET, NonTxTargetPolicy, OTS_COMPONENT, OtsPolicy, asks_what_it_is};
use crate::servant::mark_rollback;
use crate::shared::Shared;
use armilla::interceptor::{
    ClientInterceptor, ClientRequestInfo, Interruption, Outcome, ProcessingMode,
};
use armilla::{Completion, ExceptionKind, SystemException};
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct Requests(pub(crate) Arc<Shared>);

/// The transaction of a request that was sent.
struct Sent(Arc<Entry>);

impl ClientInterceptor for Requests {
    fn name(&self) -> &str {
        "armilla-transactions"
    }

    fn processing_mode(&self) -> ProcessingMode {
        ProcessingMode::Encoded
    }

    fn reads_values(&self) -> bool {
        false
    }

    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        if is_internal() {
            return Ok(());
        }
        let Some(slot) = self.0.slot() else { return Ok(()) };
        let Some(entry) = self.0.associations.find(request.slot_ref(slot)?) else { return Ok(()) };
        if !self.0.travels(request)? {
            return Ok(());
        }
        let left = self.0.begin_call(&entry)?;
        let added = self.0.add_context(request, &entry, left);
        match added {
            Ok(()) => request.keep(Sent(entry)),
            Err(_) => entry.machine().call_ended(),
        }
        Ok(added?)
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
        match request.find_effective_component(OTS_COMPONENT).and_then(OtsPolicy::from_component) {
            Some(OtsPolicy::Requires | OtsPolicy::Adapts) => Ok(true),
            Some(OtsPolicy::Forbids) if asks_what_it_is(request.operation()) => Ok(false),
            Some(OtsPolicy::Forbids) => {
                let what = "the object forbids calls in transactions";
                Err(ExceptionKind::InvalidTransaction
                    .because(what)
                    .with_hint("call it before the transaction, or suspend the transaction"))
            }
            None if self.propagates_always => Ok(true),
            None if asks_what_it_is(request.operation()) => Ok(false),
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

    /// A request is about to be sent. Returns the time that the transaction has left.
    fn begin_call(&self, entry: &Entry) -> Result<Option<Duration>, SystemException> {
        let mut machine = entry.machine();
        let left = |deadline: Time| deadline.saturating_sub(self.engine.now());
        let left = machine.deadline().map(left);
        let is_late = left.is_some_and(|left| left.is_zero());
        match machine.status() {
            Status::Active if !is_late => {}
            Status::Active | Status::MarkedRollback | Status::RollingBack | Status::RolledBack => {
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
        machine.call_began();
        Ok(left)
    }

    /// What travels with the requests of a transaction, but for the time that is left.
    fn encoded<'e>(&self, entry: &'e Entry) -> Result<&'e [u8], SystemException> {
        if let Some(known) = entry.context.get() {
            return Ok(known);
        }
        let made = encode(&self.site()?.context_of(entry)?)?;
        Ok(entry.context.get_or_init(|| made))
    }

    /// Adds the context of a transaction to a request.
    fn add_context(
        &self,
        request: &mut ClientRequestInfo<'_>,
        entry: &Entry,
        left: Option<Duration>,
    ) -> Result<(), SystemException> {
        let encoded = self.encoded(entry)?;
        // One of usual length needs no memory of its own to have the time set.
        let (mut short, mut long) = ([0; 512], Vec::new());
        let data = match short.get_mut(..encoded.len()) {
            Some(short) => short,
            None => {
                long.resize(encoded.len(), 0);
                &mut long[..]
            }
        };
        data.copy_from_slice(encoded);
        set_time(data, left);
        let mut ids = self.context_ids.iter();
        ids.try_for_each(|id| request.add_request_service_context(*id, data, true))
    }

    fn end_call(&self, request: &ClientRequestInfo<'_>) {
        if let Some(Sent(entry)) = request.kept::<Sent>() {
            entry.machine().call_ended();
        }
    }
}
