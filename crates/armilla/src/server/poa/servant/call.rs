//! A request being served, as a skeleton sees it.
//!
//! Finding the object and calling the skeleton is in `server/dispatch`, encoding the reply in
//! [`crate::server::reply::reply_port`].

use super::any_servant::Servant;
use super::base::AsDeclared;
use crate::client::interception::Interruption;
use crate::exception::{Completion, ExceptionKind, Minor, ReplyError, SystemException};
use crate::interception::Outcome;
use crate::log::report;
use crate::runtime::Orb;
use crate::server::reply::amh::{DeferredReply, Describe, EncodeResults, ResponseHandler};
use crate::server::reply::flow::Flow;
use crate::server::reply::location_reply::{self, KeyLocator, LocationReply};
use crate::server::reply::reply_port::{Body, ReplyPort};
use crate::server::reply::sink::{PendingReply, RequestSink};
use crate::signature::{CallAtFault, NamedValue, Part, Signature};
use armilla_cdr::{Buffer, CdrError, Decoder, Encode, TypeCode};
use armilla_giop::{OperationName, ReplyStatus, RequestHeader};
use armilla_ipc::SendError;
use std::fmt;

/// The result of a skeleton.
pub type Dispatched = Result<(), DispatchError>;

/// Why the skeleton has not answered a request.
#[derive(Debug)]
pub enum DispatchError {
    /// The client is to be answered with this exception.
    Exception(SystemException),
    /// The arguments could not be decoded, so the servant was not called.
    Arguments(Box<CdrError>),
    /// The reply could not be sent, so the client cannot be told.
    Send(Box<SendError>),
}

impl From<SendError> for DispatchError {
    #[cold]
    fn from(error: SendError) -> Self {
        Self::Send(error.into())
    }
}

impl From<CdrError> for DispatchError {
    #[cold]
    fn from(error: CdrError) -> Self {
        Self::Arguments(error.into())
    }
}

impl From<SystemException> for DispatchError {
    #[cold]
    fn from(exception: SystemException) -> Self {
        Self::Exception(exception)
    }
}

/// What a request with a servant from a servant locator needs. Its reply is captured.
pub(crate) struct LocatedCall<'a> {
    /// Calls `postinvoke` of the locator.
    pub(in crate::server) postinvoke: &'a dyn Fn() -> Result<(), SystemException>,
    /// Where the client is answered.
    pub(in crate::server) client: &'a dyn RequestSink,
}

/// A request being served: its operation, its arguments, and where its reply goes.
pub struct ServerCall<'a> {
    request: &'a RequestHeader<'a>,
    arguments: &'a Decoder<'a>,
    sink: &'a dyn RequestSink,
    port: ReplyPort,
    /// The buffer for the reply.
    memory: &'a mut Buffer,
    servant: Option<&'a dyn Servant>,
    flow: Flow,
    /// Set if a servant locator gave the servant.
    located: Option<&'a LocatedCall<'a>>,
}

impl<'a> ServerCall<'a> {
    #[inline]
    pub(in crate::server) fn new(
        request: &'a RequestHeader<'a>,
        arguments: &'a Decoder<'a>,
        sink: &'a dyn RequestSink,
        port: ReplyPort,
        memory: &'a mut Buffer,
        servant: Option<&'a dyn Servant>,
        flow: Flow,
    ) -> Self {
        Self { request, arguments, sink, port, memory, servant, flow, located: None }
    }

    /// Whether interceptors see the request.
    pub(in crate::server) fn is_intercepted(&self) -> bool {
        self.flow.is_some()
    }

    /// Notes that a locator gave the servant. `postinvoke` is called before the interceptors see
    /// the outcome.
    pub(in crate::server) fn set_located(&mut self, located: &'a LocatedCall<'a>) {
        self.located = Some(located);
    }

    /// Replies at once to a oneway request with `SYNC_WITH_SERVER`: the object was found, and the
    /// client does not wait for the servant (CORBA 3.4 Part 2, 9.4.2.1). What the servant ends with
    /// goes nowhere.
    ///
    /// # Errors
    /// When the reply cannot be sent.
    pub(in crate::server) fn acknowledge(&mut self) -> Dispatched {
        if self.request.sync_with_server && self.port.response_expected {
            let client = self.located.map_or(self.sink, |located| located.client);
            self.port.acknowledge(client, self.memory)?;
            self.port.response_expected = false;
        }
        Ok(())
    }

    /// Whether a reply is still to come.
    pub(in crate::server) fn owes_reply(&self) -> bool {
        self.port.response_expected
    }

    /// Calls `postinvoke`, if a locator gave the servant; further calls have no effect. Returns the exception with which that
    /// replaces the outcome, if any.
    #[cold]
    fn postinvoke(&mut self) -> Option<Outcome> {
        let located = self.located?;
        self.note_entry();
        (located.postinvoke)().err().map(Outcome::SystemException)
    }

    /// Shows the arguments to the interceptors, for an operation whose signature only the servant
    /// knows.
    pub(crate) fn describe_arguments(
        &mut self,
        parameters: impl FnOnce() -> Vec<NamedValue>,
    ) -> Result<(), Interruption> {
        match &mut self.flow {
            Some(flow) if flow.awaits_servant() => {
                flow.describe_arguments(parameters(), self.arguments)
            }
            _ => Ok(()),
        }
    }

    /// Shows the interceptors the type of the result of such an operation.
    pub(crate) fn describe_result(&mut self, type_code: &TypeCode) {
        self.flow.iter_mut().for_each(|flow| flow.describe_result(type_code));
    }

    /// Shows the interceptors the type of the exception that such an operation raises.
    pub(crate) fn describe_exception(&mut self, type_code: &TypeCode) {
        self.flow.iter_mut().for_each(|flow| flow.describe_exception(type_code));
    }

    /// Ends the request as an interceptor requested while the servant was being called.
    ///
    /// # Errors
    /// When the reply cannot be sent.
    pub(crate) fn interrupt(&mut self, interruption: Interruption) -> Dispatched {
        self.end(interruption.into())
    }

    /// The operation name from the request.
    #[inline]
    pub fn operation(&self) -> OperationName<'a> {
        self.request.operation
    }

    /// Whether the client waits for a reply.
    pub(crate) fn response_expected(&self) -> bool {
        self.port.response_expected
    }

    /// The object key, if the request names its object by one.
    pub(super) fn object_key(&self) -> Option<&'a [u8]> {
        self.request.target.object_key()
    }

    /// The ORB that serves the request.
    pub(in crate::server) fn orb(&self) -> &Orb {
        self.sink.orb()
    }

    /// A decoder at the first argument.
    #[inline]
    pub fn arguments(&self) -> Decoder<'a> {
        self.arguments.clone()
    }

    /// Answers with the result of the servant: `encode` writes the results, or the exception is
    /// sent.
    ///
    /// Skeletons have an instance of this for each type of result, not for each operation: what
    /// follows is compiled once. `encode` is a function pointer for that reason.
    ///
    /// # Errors
    /// When the reply cannot be sent.
    #[inline]
    pub fn reply<R, E: ReplyError>(
        &mut self,
        result: Result<R, E>,
        encode: EncodeResults<R>,
    ) -> Dispatched {
        match &result {
            Ok(value) => self.answer(ReplyStatus::NoException, &|out| encode(value, out)),
            Err(error) => self.fail(error),
        }
    }

    /// Answers with the outcome of an operation without results.
    ///
    /// # Errors
    /// When the reply cannot be sent.
    #[doc(hidden)]
    #[inline]
    pub fn reply_void<E: ReplyError>(&mut self, result: Result<(), E>) -> Dispatched {
        match &result {
            Ok(()) => self.answer_void(),
            Err(error) => self.fail(error),
        }
    }

    /// Answers with what the servant has raised.
    #[cold]
    fn fail<E: ReplyError>(&mut self, error: &E) -> Dispatched {
        match error.system() {
            Some(exception) => self.raise_from_servant(exception),
            None => self.answer(ReplyStatus::UserException, &|out| error.encode_user(out)),
        }
    }

    /// Ends a oneway operation. An exception is only logged, since the client expects no reply.
    ///
    /// # Errors
    /// When the client has requested a reply nevertheless, and it cannot be sent.
    #[doc(hidden)]
    pub fn no_reply(&mut self, result: Result<(), SystemException>) -> Dispatched {
        if let Err(exception) = &result {
            report!(
                warn,
                "a oneway operation failed",
                operation = format_args!("{:?}", self.operation()),
                exception = exception,
            );
        }
        self.reply_void(result)
    }

    /// Answers a request for an operation that the interface does not declare: one of the
    /// operations of every object, or else `BAD_OPERATION`.
    ///
    /// # Errors
    /// When the arguments cannot be decoded or the reply cannot be sent.
    #[doc(hidden)]
    #[cold]
    pub fn unknown_operation(&mut self) -> Dispatched {
        let Some(servant) = self.servant else {
            return Err(SystemException::object_not_exist().into());
        };
        let operation = self.operation();
        let current = self.orb().poa_current().map_err(SystemException::from)?;
        let Some(name) = Signature::name_of_object(operation.as_str()) else {
            let interface = servant.repository_id(&|| current.object_id().clone());
            let what = format!("{interface} has no operation {operation:?}");
            return Err(no_operation().with_reason(what).into());
        };
        let base = servant.base().unwrap_or(&AsDeclared);
        match name {
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
    pub(in crate::server) fn raise(&mut self, exception: &SystemException) -> Dispatched {
        self.end(Outcome::SystemException(exception.clone()))
    }

    /// Answers with a system exception that the servant has raised.
    ///
    /// # Errors
    /// When the reply cannot be sent.
    #[cold]
    fn raise_from_servant(&mut self, exception: &SystemException) -> Dispatched {
        self.note_entry();
        self.raise(&exception.clone().after_entry())
    }

    /// Notes that the program's code for the request has run, so that the interceptors behind it
    /// cannot end the request as not executed.
    pub(in crate::server) fn note_entry(&mut self) {
        self.flow.iter_mut().for_each(|flow| flow.note_entry());
    }

    /// Answers with an exception or a forward.
    ///
    /// # Errors
    /// When the reply cannot be sent.
    #[cold]
    pub(in crate::server) fn end(&mut self, outcome: Outcome) -> Dispatched {
        if self.port.pending != PendingReply::Now {
            return Ok(());
        }
        let outcome = self.postinvoke().unwrap_or(outcome);
        let sent = self.port.end(&mut self.flow, self.sink, self.memory, outcome)?;
        self.port.pending = PendingReply::Nothing;
        sent.map_err(DispatchError::from)
    }

    /// Sends a reply, if one is expected. If its body cannot be encoded, the client gets the
    /// exception that says why.
    #[inline(never)]
    pub(in crate::server) fn answer(
        &mut self,
        status: ReplyStatus,
        body: Body<'_, '_>,
    ) -> Dispatched {
        self.answer_here(status, body)
    }

    /// Sends a reply without a body, as [`answer`](Self::answer) does. The compiler leaves out what
    /// concerns the body.
    #[inline(never)]
    fn answer_void(&mut self) -> Dispatched {
        self.answer_here(ReplyStatus::NoException, &|_| Ok(()))
    }

    #[inline(always)]
    fn answer_here(&mut self, status: ReplyStatus, body: Body<'_, '_>) -> Dispatched {
        if self.port.pending != PendingReply::Now {
            return Ok(());
        }
        if self.flow.is_some() {
            return self.answer_through(status, body);
        }
        match self.port.send(self.sink, self.memory, status, &[], body) {
            Ok(sent) => {
                self.port.pending = PendingReply::Nothing;
                sent.map_err(DispatchError::from)
            }
            Err(exception) => {
                let call = |part| self.at_fault(part);
                Err(self.port.explain_unencodable(exception, (status, body), call).into())
            }
        }
    }

    /// Sends a reply through the interceptors, and ends the work of a locator before it.
    #[cold]
    #[inline(never)]
    fn answer_through(&mut self, status: ReplyStatus, body: Body<'_, '_>) -> Dispatched {
        if let Some(outcome) = self.postinvoke() {
            return self.end(outcome);
        }
        let Some(flow) = self.flow.take() else { return Ok(()) };
        let (port, request, servant) = (self.port, &self.request, self.servant);
        let explain = |exception| {
            port.explain_unencodable(exception, (status, body), |part| {
                call_at_fault(request.operation.as_str(), servant, part)
            })
        };
        let (sink, reply) = (self.sink, (status, body));
        let sent = port.answer_through(flow, sink, self.memory, reply, &explain)?;
        self.port.pending = PendingReply::Nothing;
        sent.map_err(DispatchError::from)
    }

    /// Answers that the arguments cannot be decoded, and which of them.
    ///
    /// # Errors
    /// When the reply cannot be sent.
    #[cold]
    pub(in crate::server) fn refuse_arguments(&mut self, error: &CdrError) -> Dispatched {
        let exception = SystemException::decoding(error, Completion::No);
        let explained =
            self.at_fault(Part::Arguments).explain_decoding(exception, self.arguments());
        self.raise(&explained)
    }

    fn at_fault(&self, part: Part) -> CallAtFault<'a> {
        call_at_fault(self.request.operation.as_str(), self.servant, part)
    }

    /// Leaves the reply to the owner of the returned handle. `encode` writes the results.
    ///
    /// Only the skeleton of a servant with asynchronous method handling calls this, once, and calls
    /// no other method that replies.
    #[doc(hidden)]
    pub fn response_handler<R, E: ReplyError>(
        &mut self,
        encode: EncodeResults<R>,
    ) -> ResponseHandler<R, E> {
        self.response_handler_described(encode, |_, _| ())
    }

    /// The same for results whose types only the servant knows: `describe` shows them to the
    /// interceptors.
    pub(crate) fn response_handler_described<R, E: ReplyError>(
        &mut self,
        encode: EncodeResults<R>,
        describe: Describe<R, E>,
    ) -> ResponseHandler<R, E> {
        self.note_entry();
        self.flow.iter_mut().for_each(|flow| flow.lend_slots());
        ResponseHandler::to_client(self.defer(), encode, describe)
    }

    /// Leaves the reply to the owner of the returned value.
    fn defer(&mut self) -> DeferredReply {
        let sink = self.sink.defer();
        let port = ReplyPort { pending: PendingReply::Later, ..self.port };
        self.port.pending = PendingReply::Nothing;
        let operation = self.request.operation.as_str();
        let operation = self.servant.map(|servant| (operation, servant.signatures()));
        DeferredReply::new(sink, port, self.flow.take(), operation)
    }

    /// Leaves the reply to a locator of keys.
    #[cold]
    pub(in crate::server) fn ask(&mut self, locator: &KeyLocator) {
        // Only a request that names its object by a key gets here.
        let Some(key) = self.object_key() else { return };
        self.flow.iter_mut().for_each(|flow| flow.leave_thread());
        let reply = LocationReply::to_request(self.defer());
        location_reply::ask(self.orb(), locator, key, self.sink.peer(), reply);
    }

    /// Whether the request has no reply and no handle that will reply.
    #[inline]
    pub(in crate::server) fn is_unanswered(&self) -> bool {
        self.port.pending == PendingReply::Now
    }

    /// Ends the request without a reply, unless it was answered or a handle answers it later.
    #[inline]
    pub(in crate::server) fn settle(&mut self) {
        if self.port.pending == PendingReply::Now {
            self.port.pending = PendingReply::Nothing;
            // Nothing is sent, so this cannot fail.
            self.sink.settle(self.port.request_id, PendingReply::Now, None).ok();
        }
    }
}

impl fmt::Debug for ServerCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerCall").field("request", &self.request).finish_non_exhaustive()
    }
}

/// The call of a servant whose values of this `part` cannot be encoded or decoded.
#[cold]
fn call_at_fault<'a>(
    operation: &'a str,
    servant: Option<&dyn Servant>,
    part: Part,
) -> CallAtFault<'a> {
    let signature = servant.and_then(|servant| (servant.signatures())(operation));
    CallAtFault { operation, signature, part }
}

#[cold]
fn no_operation() -> SystemException {
    SystemException::new(
        ExceptionKind::BadOperation,
        Minor::BAD_OPERATION_UNKNOWN_OPERATION,
        Completion::No,
    )
}
