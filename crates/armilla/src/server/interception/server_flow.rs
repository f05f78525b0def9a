//! The way of a request through the server's interceptors (CORBA 3.4 Part 1, 16.3.8 and 16.3.10).

use crate::client::interception::Interruption;
use crate::exception::{Completion, SystemException};
use crate::interception::Contexts;
use crate::interception::Outcome;
use crate::interception::Slots;
use crate::interception::current;
use crate::interception::outcome::{End, call_point};
use crate::interception::values::{Served, written};
use crate::policies::SyncScope;
use crate::runtime::Orb;
use crate::server::interception::server::ServerRequestInfo;
use crate::server::poa::Target;
use crate::signature::{NamedValue, Signature};
use crate::transport::is_here;
use armilla_cdr::{CdrResult, Decoder, Encoder, TypeCode};
use armilla_giop::{ReplyStatus, RequestHeader, ServiceContext};
use armilla_ipc::Address;
use std::borrow::Cow;

/// A request under way, which interceptors see. It goes where the reply goes.
pub(crate) struct ServerFlow {
    info: ServerRequestInfo,
    /// How many of the interceptors have begun, or do not see the call: those that see it are still to
    /// hear of the end, the flow stack.
    entered: usize,
    /// Whether the servant shall tell of the arguments before the interceptors see the object.
    awaits_servant: bool,
    /// Whether it comes from this process.
    is_local: bool,
}

impl ServerFlow {
    /// A request has arrived: the interceptors' first points. An interruption goes into `stopped`.
    #[cold]
    pub(crate) fn begin(
        orb: &Orb,
        header: &RequestHeader<'_>,
        peer: &Address,
        stopped: &mut Option<Box<Outcome>>,
    ) -> Box<Self> {
        let info = ServerRequestInfo {
            orb: orb.clone(),
            id: header.request_id,
            operation: header.operation.as_str().into(),
            response_expected: header.response_expected,
            sync_scope: scope(header),
            peer: peer.clone(),
            key: header.target.object_key().map(Box::from),
            object: None,
            values: None,
            contexts: Contexts::received(&header.contexts),
            reply_contexts: Contexts::default(),
            outcome: None,
            slots: Slots::default(),
            slot_count: orb.server_interceptors().map_or(0, |interceptors| interceptors.slots),
            outside: None,
            kept: Vec::new(),
        };
        let is_local = is_here(peer);
        let mut flow = Box::new(Self { info, entered: 0, awaits_servant: false, is_local });
        match flow.arrive() {
            Ok(()) => flow.enter_thread(),
            Err(interruption) => *stopped = Some(Box::new(interruption.into())),
        }
        flow
    }

    /// The thread gets the slots of the request, for all that is called until it ends: a servant
    /// manager, interceptors, the servant.
    fn enter_thread(&mut self) {
        if self.info.slot_count > 0 {
            let slots = self.info.slots.clone();
            self.info.outside = Some(current::swap(&self.info.orb, slots));
        }
    }

    fn arrive(&mut self) -> Result<(), Interruption> {
        let orb = self.info.orb.clone();
        let Some(interceptors) = orb.server_interceptors() else { return Ok(()) };
        for interceptor in &interceptors.server {
            if interceptor.processing_mode().sees(self.is_local) {
                call_point(interceptor.name(), Completion::No, || {
                    interceptor.receive_request_service_contexts(&mut self.info)
                })?;
            }
            self.entered += 1;
        }
        Ok(())
    }

    /// The object was found: the points before its servant is called.
    #[cold]
    pub(crate) fn receive_request(
        &mut self,
        target: Target,
        arguments: &Decoder<'_>,
    ) -> Result<(), Interruption> {
        if target.servant.get().is_told_by_servant(&self.info.operation) {
            self.awaits_servant = true;
        } else if let Some(signature) = signature(&target, &self.info.operation) {
            self.describe(signature, true, arguments);
        }
        self.info.object = Some(target);
        match self.awaits_servant {
            true => Ok(()),
            false => self.pass_on(),
        }
    }

    /// The servant, which has been called, tells of its arguments (CORBA 3.4 Part 1, 16.3.8.3).
    #[cold]
    pub(crate) fn told_of(
        &mut self,
        parameters: impl FnOnce() -> Vec<NamedValue>,
        arguments: &Decoder<'_>,
    ) -> Result<(), Interruption> {
        if !self.awaits_servant {
            return Ok(());
        }
        let signature = Signature { parameters: parameters(), ..Signature::new() };
        self.describe(signature, false, arguments);
        self.pass_on()
    }

    /// Of what type the result of such a servant is.
    #[cold]
    pub(crate) fn told_result(&mut self, type_code: &TypeCode) {
        if let Some(values) = self.info.values.as_mut().filter(|values| !values.is_declared) {
            values.signature.result = match type_code {
                TypeCode::Null => TypeCode::Void,
                type_code => type_code.clone(),
            };
        }
    }

    /// Of what type the exception is that such a servant raises.
    #[cold]
    pub(crate) fn told_raised(&mut self, type_code: &TypeCode) {
        if let Some(values) = self.info.values.as_mut().filter(|values| !values.is_declared) {
            values.signature.exceptions = vec![type_code.clone()];
        }
    }

    /// Keeps the values of the request for who may ask for them.
    fn describe(&mut self, signature: Signature, is_declared: bool, arguments: &Decoder<'_>) {
        if self.info.orb.server_interceptors().is_some_and(|all| all.read_server_values()) {
            let (arguments, reply) = (arguments.to_owned_input(), None);
            let served = Served { signature, is_declared, arguments, reply };
            self.info.values = Some(Box::new(served));
        }
    }

    /// Calls the points before the servant is called, or within the call of one that tells late.
    fn pass_on(&mut self) -> Result<(), Interruption> {
        self.awaits_servant = false;
        let orb = self.info.orb.clone();
        let Some(interceptors) = orb.server_interceptors() else { return Ok(()) };
        for interceptor in &interceptors.server {
            if interceptor.processing_mode().sees(self.is_local) {
                call_point(interceptor.name(), Completion::No, || {
                    interceptor.receive_request(&mut self.info)
                })?;
            }
        }
        Ok(())
    }

    /// The request ends: the interceptors' last points. What an interceptor interrupts with is the
    /// outcome for the next.
    #[cold]
    pub(crate) fn end(&mut self, mut outcome: Outcome) -> Outcome {
        if self.awaits_servant
            && let Err(interruption) = self.pass_on()
        {
            // The servant has not told of anything.
            outcome = interruption.into();
        }
        let orb = self.info.orb.clone();
        let _slots = self.take_slots();
        let Some(interceptors) = orb.server_interceptors() else { return outcome };
        let entered = std::mem::take(&mut self.entered);
        let local = self.is_local;
        let all = interceptors.server.iter().take(entered).rev();
        for interceptor in all.filter(|interceptor| interceptor.processing_mode().sees(local)) {
            let end = outcome.end();
            let info = &mut self.info;
            info.outcome = Some(outcome);
            let result = call_point(interceptor.name(), Completion::Maybe, || match end {
                End::Reply => interceptor.send_reply(info).map_err(Interruption::from),
                End::Exception => interceptor.send_exception(info),
                End::Other => interceptor.send_other(info),
            });
            outcome = match (result, info.outcome.take()) {
                (Ok(()), Some(outcome)) => outcome,
                // No interceptor can take the outcome away.
                (Ok(()), None) => Outcome::Sent,
                (Err(interruption), _) => interruption.into(),
            };
        }
        outcome
    }

    /// The request gets the slots that its thread was left with, which has them until what is given
    /// goes.
    fn take_slots(&mut self) -> Option<Outside> {
        let outside = self.info.outside.take()?;
        self.info.slots = current::copy(&self.info.orb);
        Some(Outside { orb: self.info.orb.clone(), slots: outside })
    }

    /// The request is answered later, from elsewhere: the thread that served it gets its own slots
    /// back.
    #[cold]
    pub(crate) fn leave_thread(&mut self) {
        if let Some(outside) = self.info.outside.take() {
            self.info.slots = current::swap(&self.info.orb, outside);
        }
    }

    /// The request ends with what the servant returned, or raised, which `body` writes.
    #[cold]
    pub(crate) fn answer<'p>(
        &mut self,
        status: ReplyStatus,
        body: &dyn Fn(&mut Encoder<'p>) -> CdrResult,
    ) -> Outcome {
        let mut id = String::new();
        if self.info.values.is_some() || status == ReplyStatus::UserException {
            let reply = match written(body) {
                Err(error) if self.info.response_expected => {
                    // That is what the client hears.
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
    pub(crate) fn contexts(&self) -> Vec<ServiceContext<'_>> {
        self.info.reply_contexts.to_send()
    }
}

/// What the slots of a thread were before a request came, which they become again.
struct Outside {
    orb: Orb,
    slots: Slots,
}

impl Drop for Outside {
    fn drop(&mut self) {
        current::swap(&self.orb, std::mem::take(&mut self.slots));
    }
}

impl Drop for ServerFlow {
    fn drop(&mut self) {
        self.leave_thread();
    }
}

/// When the client's call returns.
const fn scope(header: &RequestHeader<'_>) -> SyncScope {
    match (header.response_expected, header.sync_with_server) {
        (false, _) => SyncScope::WithTransport,
        (true, true) => SyncScope::WithServer,
        (true, false) => SyncScope::WithTarget,
    }
}

/// What IDL says of an operation of the object.
fn signature(target: &Target, operation: &str) -> Option<Signature> {
    let own = target.servant.get().signature(operation);
    own.or_else(|| Signature::of_object(operation))
}
