//! The flow of a request through the server interceptors (CORBA 3.4 Part 1, 16.3.8 and 16.3.10).

use crate::callbacks::drop_guarded;
use crate::client::interception::Interruption;
use crate::exception::{Completion, SystemException};
use crate::interception::Contexts;
use crate::interception::Kept;
use crate::interception::Outcome;
use crate::interception::Slots;
use crate::interception::current::{self, ThreadSlots};
use crate::interception::outcome::{End, call_point};
use crate::interception::values::{Served, written};
use crate::policies::SyncScope;
use crate::runtime::Orb;
use crate::server::interception::server::ServerRequestInfo;
use crate::server::poa::Target;
use crate::server::reply::flow::RequestFlow;
use crate::signature::{NamedValue, Signature};
use crate::transport::is_here;
use armilla_cdr::{CdrResult, Decoder, Encoder, TypeCode};
use armilla_giop::{ReplyStatus, RequestHeader, ServiceContext};
use armilla_ipc::{Address, Credentials, Protection};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::sync::Arc;

/// A request in progress that interceptors see. It stays with the request until the reply.
pub(crate) struct ServerFlow {
    info: ServerRequestInfo,
    /// The length of the flow stack: how many interceptors have passed their first point or do not
    /// see the call. Only these see how the request ends.
    entered: usize,
    /// Whether the servant describes its arguments before the interceptors see the object.
    awaits_servant: bool,
    /// Whether the request comes from this process.
    is_local: bool,
    /// Whether the servant was called.
    servant_entered: bool,
}

/// Where a request comes from.
pub(crate) struct Requester<'r> {
    pub(crate) peer: &'r Address,
    /// The process and the user, where the transport tells.
    pub(crate) credentials: Option<Credentials>,
    /// How the connection is protected, where it is.
    pub(crate) protection: Option<Arc<Protection>>,
    /// The number of the connection, if it has come over one.
    pub(crate) connection: Option<u64>,
    /// How many octets the request has.
    pub(crate) size: usize,
}

impl ServerFlow {
    /// Runs the first interception points of a request that has arrived. Beside the flow it returns
    /// whether they let the request pass.
    #[cold]
    pub(crate) fn begin(
        orb: &Orb,
        header: &RequestHeader<'_>,
        from: Requester<'_>,
    ) -> (Box<Self>, Result<(), Interruption>) {
        let info = ServerRequestInfo {
            orb: orb.clone(),
            id: header.request_id,
            operation: header.operation.as_str().into(),
            response_expected: header.response_expected,
            sync_scope: scope(header),
            peer: from.peer.clone(),
            credentials: from.credentials,
            protection: from.protection,
            connection: from.connection,
            size: from.size,
            key: header.target.object_key().map(Box::from),
            object: None,
            values: None,
            contexts: Contexts::received(&header.contexts),
            reply_contexts: Contexts::default(),
            outcome: None,
            slots: Slots::default(),
            slot_count: orb.server_interceptors().map_or(0, |interceptors| interceptors.slots),
            outside: None,
            kept: Kept::default(),
        };
        let is_local = is_here(from.peer);
        let (entered, awaits_servant, servant_entered) = (0, false, false);
        let mut flow = Box::new(Self { info, entered, awaits_servant, is_local, servant_entered });
        let passed = flow.run_first_points();
        if passed.is_ok() {
            flow.enter_thread();
        }
        (flow, passed)
    }

    /// Gives the thread the slots of the request, for everything that is called until the request
    /// ends: servant managers, interceptors, the servant.
    pub(crate) fn enter_thread(&mut self) {
        if self.info.slot_count > 0 {
            let slots = self.info.slots.clone();
            self.info.outside = Some(current::swap(&self.info.orb, slots));
        }
    }

    fn run_first_points(&mut self) -> Result<(), Interruption> {
        let orb = self.info.orb.clone();
        let Some(interceptors) = orb.server_interceptors() else { return Ok(()) };
        for interceptor in &interceptors.server {
            call_point(
                &orb,
                || interceptor.name(),
                Completion::No,
                || match interceptor.processing_mode().sees(self.is_local) {
                    true => interceptor.receive_request_service_contexts(&mut self.info),
                    false => Ok(()),
                },
            )
            .map_err(Interruption::before_entry)?;
            self.entered += 1;
        }
        Ok(())
    }

    /// Runs the points before the servant is called, now that the object was found.
    #[cold]
    pub(crate) fn receive_request(
        &mut self,
        target: Target,
        arguments: &Decoder<'_>,
    ) -> Result<(), Interruption> {
        if target.servant.get().is_told_by_servant(&self.info.operation) {
            self.awaits_servant = true;
        } else if self.reads_values()
            && let Some(signature) = signature(&target, &self.info.operation)
        {
            self.describe(signature, true, arguments);
        }
        self.info.object = Some(target);
        match self.awaits_servant {
            true => Ok(()),
            false => self.run_receive_request(),
        }
    }

    /// Whether an interceptor may ask for the values of the request.
    fn reads_values(&self) -> bool {
        self.info.orb.server_interceptors().is_some_and(|all| all.read_server_values())
    }

    /// Keeps the values of the request for interceptors that ask for them.
    fn describe(&mut self, signature: Signature, is_declared: bool, arguments: &Decoder<'_>) {
        if self.reads_values() {
            let (arguments, reply) = (arguments.to_owned_input(), None);
            let served = Served { signature, is_declared, arguments, reply };
            self.info.values = Some(Box::new(served));
        }
    }

    /// Runs the points before the servant is called; for a servant that describes its arguments
    /// itself, during its call.
    fn run_receive_request(&mut self) -> Result<(), Interruption> {
        self.awaits_servant = false;
        let orb = self.info.orb.clone();
        let Some(interceptors) = orb.server_interceptors() else { return Ok(()) };
        for interceptor in &interceptors.server {
            call_point(
                &orb,
                || interceptor.name(),
                Completion::No,
                || match interceptor.processing_mode().sees(self.is_local) {
                    true => interceptor.receive_request(&mut self.info),
                    false => Ok(()),
                },
            )
            .map_err(Interruption::before_entry)?;
        }
        Ok(())
    }

    /// Gives the request the slots as they are in the thread. The thread keeps them until the
    /// returned guard is dropped.
    fn take_slots(&mut self) -> Option<ThreadSlots> {
        let outside = self.info.outside.take()?;
        self.info.slots = current::copy(&self.info.orb);
        Some(ThreadSlots::new(&self.info.orb, outside))
    }
}

impl RequestFlow for ServerFlow {
    fn awaits_servant(&self) -> bool {
        self.awaits_servant
    }

    /// Notes that the servant was called: from now on the request may have been executed.
    fn note_entry(&mut self) {
        self.servant_entered = true;
    }

    /// Takes the description of its arguments from a servant that was already called (CORBA 3.4
    /// Part 1, 16.3.8.3).
    #[cold]
    fn describe_arguments(
        &mut self,
        parameters: Vec<NamedValue>,
        arguments: &Decoder<'_>,
    ) -> Result<(), Interruption> {
        let signature = Signature { parameters, ..Signature::new() };
        self.describe(signature, false, arguments);
        self.run_receive_request()
    }

    /// Takes the type of the result from such a servant.
    #[cold]
    fn describe_result(&mut self, type_code: &TypeCode) {
        if let Some(values) = self.info.values.as_mut().filter(|values| !values.is_declared) {
            values.signature.result = match type_code {
                TypeCode::Null => TypeCode::Void,
                type_code => type_code.clone(),
            };
        }
    }

    /// Takes the type of the exception from such a servant.
    #[cold]
    fn describe_exception(&mut self, type_code: &TypeCode) {
        if let Some(values) = self.info.values.as_mut().filter(|values| !values.is_declared) {
            values.signature.exceptions = vec![type_code.clone()];
        }
    }

    /// Runs the last points of the request. An interruption of an interceptor is the outcome that
    /// the next one sees.
    #[cold]
    fn end(&mut self, mut outcome: Outcome) -> Outcome {
        if self.awaits_servant
            && let Err(interruption) = self.run_receive_request()
        {
            // The servant has returned without describing its arguments.
            self.servant_entered = true;
            outcome = interruption.after_execution().into();
        }
        let orb = self.info.orb.clone();
        let _slots = self.take_slots();
        let Some(interceptors) = orb.server_interceptors() else { return outcome };
        let entered = std::mem::take(&mut self.entered);
        let local = self.is_local;
        for interceptor in interceptors.server.iter().take(entered).rev() {
            let end = outcome.end();
            let executed = self.servant_entered || outcome.may_be_executed();
            let completed = if executed { Completion::Maybe } else { Completion::No };
            let info = &mut self.info;
            info.outcome = Some(outcome);
            let result = call_point(
                &orb,
                || interceptor.name(),
                completed,
                || match end {
                    _ if !interceptor.processing_mode().sees(local) => Ok(()),
                    End::Reply => interceptor.send_reply(info).map_err(Interruption::from),
                    End::Exception => interceptor.send_exception(info),
                    End::Other => interceptor.send_other(info),
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

    /// Gives the thread its own slots back: the request is answered later, by another thread.
    #[cold]
    fn leave_thread(&mut self) {
        if let Some(outside) = self.info.outside.take() {
            self.info.slots = current::swap(&self.info.orb, outside);
        }
    }

    #[cold]
    fn lend_slots(&mut self) {
        self.take_slots().into_iter().for_each(current::lend);
    }

    /// Ends the request with the servant's result or exception, which `body` writes.
    #[cold]
    fn answer<'p>(
        &mut self,
        status: ReplyStatus,
        body: &dyn Fn(&mut Encoder<'p>) -> CdrResult,
    ) -> Outcome {
        self.servant_entered |= status != ReplyStatus::NeedsAddressingMode;
        let mut id = String::new();
        if self.info.values.is_some() || status == ReplyStatus::UserException {
            let reply = match written(body) {
                Err(error) if self.info.response_expected => {
                    // The client gets this exception.
                    let exception = SystemException::encoding(&error, Completion::Yes);
                    return self.end(Outcome::SystemException(exception));
                }
                reply => reply.ok(),
            };
            if status == ReplyStatus::UserException {
                let text = reply
                    .as_ref()
                    .and_then(|reply| reply.decoder().string().ok().map(Cow::into_owned));
                id = text.unwrap_or_default();
            }
            if let Some(values) = &mut self.info.values {
                values.reply = reply;
            }
        }
        let outcome = match status {
            ReplyStatus::UserException => Outcome::UserException(id),
            ReplyStatus::NeedsAddressingMode => Outcome::Retry,
            _ if self.info.response_expected => Outcome::Reply,
            _ => Outcome::Sent,
        };
        self.end(outcome)
    }

    /// The service contexts of the reply.
    fn contexts(&self) -> SmallVec<[ServiceContext<'_>; 3]> {
        self.info.reply_contexts.to_send()
    }
}

impl Drop for ServerFlow {
    fn drop(&mut self) {
        self.leave_thread();
        if !self.info.kept.is_empty() {
            drop_guarded("what an interceptor keeps", std::mem::take(&mut self.info.kept));
        }
    }
}

/// When the call returns to the client.
const fn scope(header: &RequestHeader<'_>) -> SyncScope {
    match (header.response_expected, header.sync_with_server) {
        (false, _) => SyncScope::WithTransport,
        (true, true) => SyncScope::WithServer,
        (true, false) => SyncScope::WithTarget,
    }
}

/// The IDL signature of an operation of the object.
fn signature(target: &Target, operation: &str) -> Option<Signature> {
    let own = (target.servant.get().signatures())(operation);
    own.or_else(|| Signature::of_object(operation))
}
