//! A request being served, as a skeleton sees it.

use super::amh::{DeferredReply, Describe, EncodeResults, ResponseHandler};
use super::connection::Connection;
use super::output::PendingReply;
use super::reply_port::{Flow, ReplyPort};
use crate::client::interception::Interruption;
use crate::exception::{Completion, ExceptionKind, Minor, ReplyError, SystemException};
use crate::interception::Outcome;
use crate::log::report;
use crate::object_key::operation_number;
use crate::runtime::Orb;
use crate::server::poa::{LocatedServant, Target};
use crate::server::{AsDeclared, Servant};
use crate::signature::NamedValue;
use armilla_cdr::{Buffer, CdrError, CdrResult, Decoder, Encode, Encoder, TypeCode};
use armilla_giop::{OperationName, ReplyStatus, RequestHeader};
use armilla_ipc::SendError;
use std::fmt;
use std::sync::Arc;

/// What a skeleton returns.
pub type Dispatched = Result<(), DispatchError>;

/// Why a request was not answered by the skeleton.
#[derive(Debug)]
pub enum DispatchError {
    /// The client shall hear of this exception.
    Exception(SystemException),
    /// The reply could not be sent; nobody is there to hear of it.
    Send(Box<SendError>),
}

impl From<SendError> for DispatchError {
    #[cold]
    fn from(error: SendError) -> Self {
        Self::Send(error.into())
    }
}

impl From<CdrError> for DispatchError {
    /// The arguments could not be decoded, so the servant was not called.
    #[cold]
    fn from(error: CdrError) -> Self {
        Self::Exception(SystemException::decoding(&error, Completion::No))
    }
}

impl From<SystemException> for DispatchError {
    #[cold]
    fn from(exception: SystemException) -> Self {
        Self::Exception(exception)
    }
}

/// A request being served: its operation, its arguments, and the served_by back.
pub struct ServerCall<'a> {
    request: &'a RequestHeader<'a>,
    arguments: &'a Decoder<'a>,
    connection: &'a Arc<Connection>,
    port: ReplyPort,
    /// Buffer for the reply.
    memory: &'a mut Buffer,
    servant: Option<&'a dyn Servant>,
    flow: Flow,
    /// Where the servant was lent, and has not gone back.
    located_servant: Option<&'a LocatedServant>,
}

impl<'a> ServerCall<'a> {
    #[inline]
    pub(super) fn new(
        request: &'a RequestHeader<'a>,
        arguments: &'a Decoder<'a>,
        connection: &'a Arc<Connection>,
        port: ReplyPort,
        memory: &'a mut Buffer,
        servant: Option<&'a dyn Servant>,
        flow: Flow,
    ) -> Self {
        Self { request, arguments, connection, port, memory, servant, flow, located_servant: None }
    }

    /// The servant is lent. It goes back before interceptors hear of the end.
    pub(super) fn returns(&mut self, located_servant: Option<&'a LocatedServant>) {
        self.located_servant = located_servant;
    }

    /// Gives back a servant that was lent; `Some` is what its lender raises in place of the answer.
    #[cold]
    fn give_back(&mut self) -> Option<Outcome> {
        self.located_servant.take()?.give_back().err().map(Outcome::SystemException)
    }

    /// Tells the interceptors, if there are any, that the servant is about to be called.
    #[inline]
    pub(super) fn found(
        &mut self,
        target: impl FnOnce() -> Option<Target>,
    ) -> Result<(), Interruption> {
        match &mut self.flow {
            None => Ok(()),
            Some(flow) => {
                target().map_or(Ok(()), |target| flow.receive_request(target, self.arguments))
            }
        }
    }

    /// Tells the interceptors what the servant, which alone knows it, takes as arguments.
    pub(crate) fn tell_arguments(
        &mut self,
        parameters: impl FnOnce() -> Vec<NamedValue>,
    ) -> Result<(), Interruption> {
        match &mut self.flow {
            None => Ok(()),
            Some(flow) => flow.told_of(parameters, self.arguments),
        }
    }

    /// Tells them of what type its result is.
    pub(crate) fn tell_result(&mut self, type_code: &TypeCode) {
        self.flow.iter_mut().for_each(|flow| flow.told_result(type_code));
    }

    /// Tells them of what type the exception is that it raises.
    pub(crate) fn tell_raised(&mut self, type_code: &TypeCode) {
        self.flow.iter_mut().for_each(|flow| flow.told_raised(type_code));
    }

    /// Ends the request as an interceptor wants it, which saw it while the servant was called.
    ///
    /// # Errors
    /// When the reply cannot be sent.
    pub(crate) fn interrupt(&mut self, interruption: Interruption) -> Dispatched {
        self.end(interruption.into())
    }

    /// The name of the operation, as it was sent.
    #[inline]
    pub fn operation(&self) -> OperationName<'a> {
        self.request.operation
    }

    /// Whether the client waits for a reply.
    pub(crate) fn response_expected(&self) -> bool {
        self.port.response_expected
    }

    /// What the object key says of the number of the operation, if anything.
    pub(crate) fn operation_number(&self) -> Option<u32> {
        self.request.target.object_key().and_then(operation_number)
    }

    /// The ORB that serves it.
    pub(super) fn orb(&self) -> &Orb {
        &self.connection.orb
    }

    /// A decoder at the first argument.
    #[inline]
    pub fn arguments(&self) -> Decoder<'a> {
        self.arguments.clone()
    }

    /// Answers with what the servant returned: `encode` writes the results, or the exception goes.
    ///
    /// # Errors
    /// When the reply cannot be sent.
    #[inline]
    pub fn reply<R, E: ReplyError>(
        &mut self,
        result: Result<R, E>,
        encode: impl for<'p> Fn(&'p R, &mut Encoder<'p>) -> CdrResult,
    ) -> Dispatched {
        match &result {
            Ok(value) => self.answer(ReplyStatus::NoException, |out| encode(value, out)),
            Err(error) => match error.system() {
                Some(exception) => self.raise(exception),
                None => self.answer(ReplyStatus::UserException, |out| error.encode_user(out)),
            },
        }
    }

    /// Ends a oneway operation. What it failed with nobody wants to know, so it is logged.
    ///
    /// # Errors
    /// When the client asked for a reply all the same and it cannot be sent.
    pub fn no_reply(&mut self, result: Result<(), SystemException>) -> Dispatched {
        if let Err(exception) = &result {
            report!(
                warn,
                "a oneway operation failed",
                operation = format_args!("{:?}", self.operation()),
                exception = exception,
            );
        }
        self.reply(result, |(), _| Ok(()))
    }

    /// Answers a request for an operation that the interface does not have: one that every object
    /// has, or none at all.
    ///
    /// # Errors
    /// When the arguments cannot be decoded or the reply cannot be sent.
    #[cold]
    pub fn unknown_operation(&mut self) -> Dispatched {
        let Some(servant) = self.servant else {
            return Err(SystemException::object_not_exist().into());
        };
        let operation = self.operation();
        let current = self.orb().poa_current().map_err(SystemException::from)?;
        if !is_of_object(operation.as_str()) {
            let interface = servant.repository_id(&|| current.object_id().clone());
            let what = format!("{interface} has no operation {operation:?}");
            return Err(no_operation().with_reason(what).into());
        }
        let base = servant.base().unwrap_or(&AsDeclared);
        match operation.as_str() {
            "_is_a" => {
                let wanted = self.arguments().string()?;
                let is_object = wanted == crate::wire::OBJECT_ID;
                let answer = if is_object { Ok(true) } else { base.is_a(&current, &wanted) };
                self.reply(answer, Encode::encode)
            }
            "_repository_id" => self.reply(base.repository_id(&current), Encode::encode),
            "_interface" => self.reply(base.interface(&current), Encode::encode),
            "_component" => self.reply(base.component(&current), Encode::encode),
            _ => self.reply(base.non_existent(&current), Encode::encode),
        }
    }

    /// Answers with a system exception.
    ///
    /// # Errors
    /// When the reply cannot be sent.
    #[cold]
    pub(super) fn raise(&mut self, exception: &SystemException) -> Dispatched {
        self.end(Outcome::SystemException(exception.clone()))
    }

    /// Answers with an exception or a forward.
    ///
    /// # Errors
    /// When the reply cannot be sent.
    #[cold]
    pub(super) fn end(&mut self, outcome: Outcome) -> Dispatched {
        if self.port.pending != PendingReply::Now {
            return Ok(());
        }
        let outcome = self.give_back().unwrap_or(outcome);
        let sent = self.port.end(&mut self.flow, self.connection, self.memory, outcome)?;
        self.port.pending = PendingReply::Nothing;
        sent.map_err(DispatchError::from)
    }

    /// Sends a reply, if one is wanted. When its body cannot be encoded the client hears why.
    #[inline]
    pub(super) fn answer<'p>(
        &mut self,
        status: ReplyStatus,
        body: impl Fn(&mut Encoder<'p>) -> CdrResult,
    ) -> Dispatched {
        if self.port.pending != PendingReply::Now {
            return Ok(());
        }
        if self.flow.is_some()
            && let Some(outcome) = self.give_back()
        {
            return self.end(outcome);
        }
        let (flow, memory) = (&mut self.flow, &mut *self.memory);
        let sent = self.port.answer(flow, self.connection, memory, status, body)?;
        self.port.pending = PendingReply::Nothing;
        sent.map_err(DispatchError::from)
    }

    /// Leaves the reply to whoever has the handle that this gives. `encode` writes the results.
    ///
    /// The skeleton of a servant that replies later calls it once, and nothing else that replies.
    pub fn response_handler<R, E: ReplyError>(
        &mut self,
        encode: EncodeResults<R>,
    ) -> ResponseHandler<R, E> {
        self.response_handler_described(encode, |_, _| ())
    }

    /// The same for results of which only the servant knows the types: `describe` tells interceptors.
    pub(crate) fn response_handler_described<R, E: ReplyError>(
        &mut self,
        encode: EncodeResults<R>,
        describe: Describe<R, E>,
    ) -> ResponseHandler<R, E> {
        self.connection.output.lock().deferred += 1;
        let port = ReplyPort { pending: PendingReply::Later, ..self.port };
        self.port.pending = PendingReply::Nothing;
        if let Some(flow) = &mut self.flow {
            flow.leave_thread();
        }
        let deferred = DeferredReply::new(self.connection.clone(), port, self.flow.take());
        ResponseHandler::to_client(deferred, encode, describe)
    }

    /// Whether nobody has replied to it, and nobody is going to.
    #[inline]
    pub(super) fn is_unanswered(&self) -> bool {
        self.port.pending == PendingReply::Now
    }

    /// Ends the request without a reply, unless it has had one or gets one later.
    #[inline]
    pub(super) fn settle(&mut self) {
        if self.port.pending == PendingReply::Now {
            self.port.pending = PendingReply::Nothing;
            // Nothing is sent, so nothing can fail.
            self.connection.settle(self.port.request_id, PendingReply::Now, None).ok();
        }
    }
}

impl fmt::Debug for ServerCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerCall").field("request", &self.request).finish_non_exhaustive()
    }
}

/// Whether every object has an operation of this name (CORBA 3.4 Part 2, 9.4.2.1). `_not_existent` is what
/// GIOP 1.0 and 1.1 clients of some ORBs say.
fn is_of_object(operation: &str) -> bool {
    let names =
        ["_is_a", "_non_existent", "_not_existent", "_repository_id", "_interface", "_component"];
    names.contains(&operation)
}

#[cold]
fn no_operation() -> SystemException {
    SystemException::new(
        ExceptionKind::BadOperation,
        Minor::BAD_OPERATION_UNKNOWN_OPERATION,
        Completion::No,
    )
}
