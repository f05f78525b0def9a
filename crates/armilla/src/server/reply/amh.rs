//! Replies that a servant sends after its method has returned, from any thread: asynchronous method
//! handling (AMH).

use super::flow::{Flow, RequestFlow};
use super::reply_port::{Body, ReplyPort, Sent};
use super::sink::{LateSink, PendingReply};
use crate::exception::{Completion, ExceptionKind, Minor, ReplyError, SystemException};
use crate::interception::Outcome;
use crate::log::report;
use crate::signature::{CallAtFault, Signature};
use crate::threads::BlockingScope;
use armilla_cdr::{Buffer, CdrResult, Encoder};
use armilla_giop::ReplyStatus;
use smallvec::SmallVec;
use std::fmt;
use std::sync::mpsc::sync_channel;

/// Writes the results of an operation.
pub type EncodeResults<R> = for<'p> fn(&'p R, &mut Encoder<'p>) -> CdrResult;

/// The right, and the duty, to reply to one request: once, at any time, from any thread or future.
///
/// Until then the request counts as in progress, and a server that shuts down waits for it. A
/// handle that is dropped replies with the system exception `NO_RESPONSE`.
///
/// With [`wait_for`](Self::wait_for) a servant implements its synchronous method by the
/// asynchronous one:
///
/// ```
/// use armilla::{ResponseHandler, SystemException};
///
/// fn double_amh(number: i32, reply: ResponseHandler<i32>) {
///     std::thread::spawn(move || reply.complete(Ok(2 * number)));
/// }
///
/// let doubled: Result<i32, SystemException> =
///     ResponseHandler::wait_for(|reply| double_amh(21, reply));
/// assert_eq!(doubled?, 42);
/// # Ok::<(), SystemException>(())
/// ```
#[must_use = "dropped, it replies with an exception"]
pub struct ResponseHandler<R, E = SystemException> {
    /// `None` once it was used.
    to: Option<Destination<R, E>>,
}

/// Where the reply goes.
enum Destination<R, E> {
    Client {
        deferred: DeferredReply,
        encode: EncodeResults<R>,
        fail: Fail<E>,
        describe: Describe<R, E>,
    },
    /// A thread of this process; it is called with `None` when there will be no reply.
    Caller(Box<Notify<R, E>>),
}

type Notify<R, E> = dyn FnOnce(Option<Result<R, E>>) + Send;

/// Finds the signature of an operation in generated code, by its name.
pub(crate) type Signatures = fn(&str) -> Option<Signature>;

/// Shows the types of the outcome to the interceptors.
pub(crate) type Describe<R, E> = fn(&mut dyn RequestFlow, Result<&R, &E>);

/// Sends an exception.
type Fail<E> = fn(&mut DeferredReply, &E);

impl<R, E> ResponseHandler<R, E> {
    pub(in crate::server) fn to_client(
        deferred: DeferredReply,
        encode: EncodeResults<R>,
        describe: Describe<R, E>,
    ) -> Self
    where
        E: ReplyError,
    {
        Self {
            to: Some(Destination::Client { deferred, encode, fail: DeferredReply::fail, describe }),
        }
    }

    /// Replies. Does nothing when the client has disconnected or has cancelled the request.
    ///
    /// The reply is sent at once. If the client does not read, this blocks only where the
    /// connection has a thread of its own, and for at most
    /// [`server_idle`](crate::Settings::server_idle).
    pub fn complete(mut self, result: Result<R, E>) {
        match (self.to.take(), result) {
            (None, _) => {}
            (Some(Destination::Caller(notify)), result) => notify(Some(result)),
            (Some(Destination::Client { mut deferred, encode, fail, describe }), result) => {
                deferred.flow.iter_mut().for_each(|flow| describe(&mut **flow, result.as_ref()));
                match result {
                    Ok(value) => {
                        deferred.send(ReplyStatus::NoException, &|out| encode(&value, out))
                    }
                    Err(error) => fail(&mut deferred, &error),
                }
            }
        }
    }

    /// Whether the client has cancelled the request or disconnected.
    pub fn is_cancelled(&self) -> bool {
        match &self.to {
            Some(Destination::Client { deferred, .. }) => deferred.is_abandoned(),
            _ => false,
        }
    }

    /// Calls `begin` with a handle and waits until the handle is completed.
    ///
    /// # Errors
    /// The error with which it is completed; `NO_RESPONSE` when it is dropped instead.
    pub fn wait_for(begin: impl FnOnce(Self)) -> Result<R, E>
    where
        R: Send + 'static,
        E: From<SystemException> + Send + 'static,
    {
        let (sender, receiver) = sync_channel(1);
        let notify = move |result| {
            // The receiver lives until it has received this.
            sender.send(result).ok();
        };
        begin(Self { to: Some(Destination::Caller(Box::new(notify))) });
        let _blocking = BlockingScope::begin();
        let result = receiver.recv().ok().flatten();
        result.unwrap_or_else(|| Err(no_response().into()))
    }
}

impl<R, E> Drop for ResponseHandler<R, E> {
    fn drop(&mut self) {
        match self.to.take() {
            None => {}
            Some(Destination::Caller(notify)) => notify(None),
            Some(Destination::Client { mut deferred, .. }) => deferred.raise(&no_response()),
        }
    }
}

impl<R, E> fmt::Debug for ResponseHandler<R, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseHandler").field("is_cancelled", &self.is_cancelled()).finish()
    }
}

/// A reply that a client waits for.
pub(in crate::server) struct DeferredReply {
    sink: LateSink,
    port: ReplyPort,
    flow: Flow,
    /// The name of the operation, and where its signature is found; `None` if no servant replies.
    operation: Option<(SmallVec<[u8; NAME]>, Signatures)>,
}

/// How many octets the name of an operation usually has at most.
const NAME: usize = 32;

impl DeferredReply {
    pub(in crate::server) fn new(
        sink: LateSink,
        port: ReplyPort,
        flow: Flow,
        operation: Option<(&str, Signatures)>,
    ) -> Self {
        let operation =
            operation.map(|(name, signatures)| (SmallVec::from_slice(name.as_bytes()), signatures));
        Self { sink, port, flow, operation }
    }

    /// Whether the client has cancelled the request or disconnected.
    pub(in crate::server) fn is_abandoned(&self) -> bool {
        self.sink.is_abandoned(self.port.request_id)
    }

    /// Replies with what `body` writes, or with the exception that says why that failed.
    fn send(&mut self, status: ReplyStatus, body: Body<'_, '_>) {
        let flow = self.flow.take();
        let (sink, memory) = (&*self.sink, &mut Buffer::new());
        let explain = |exception| self.explain_unencodable(exception, status, body);
        let sent = match flow {
            None => self.port.send(sink, memory, status, &[], body).map_err(explain),
            Some(flow) => self.port.answer_through(flow, sink, memory, (status, body), &explain),
        };
        if let Err(exception) = self.note_sent(sent) {
            self.raise(&exception);
        }
    }

    /// Says in `exception` which value of the reply cannot be encoded.
    #[cold]
    fn explain_unencodable(
        &self,
        exception: SystemException,
        status: ReplyStatus,
        body: Body<'_, '_>,
    ) -> SystemException {
        let Some((name, signatures)) = &self.operation else { return exception };
        let operation = std::str::from_utf8(name).unwrap_or_default();
        self.port.explain_unencodable(exception, (status, body), |part| {
            let signature = signatures(operation);
            CallAtFault { operation, signature, part }
        })
    }

    fn raise(&mut self, exception: &SystemException) {
        let (flow, sink) = (&mut self.flow, &*self.sink);
        let sent = self.port.raise(flow, sink, &mut Buffer::new(), exception);
        if let Err(error) = self.note_sent(sent) {
            report!(error, "cannot encode the reply", exception = exception, error = error);
        }
    }

    /// Ends the request with a forward or an exception, before any servant was called.
    pub(in crate::server) fn end(&mut self, outcome: Outcome) {
        let (flow, sink) = (&mut self.flow, &*self.sink);
        let sent = self.port.end(flow, sink, &mut Buffer::new(), outcome);
        if let Err(exception) = self.note_sent(sent) {
            self.raise(&exception.before_entry());
        }
    }

    fn fail<E: ReplyError>(&mut self, error: &E) {
        match error.system() {
            Some(exception) => self.raise(&exception.clone().after_entry()),
            None => self.send(ReplyStatus::UserException, &|out| error.encode_user(out)),
        }
    }

    fn note_sent(&mut self, sent: Sent) -> Result<(), SystemException> {
        let sent = sent?;
        self.port.pending = PendingReply::Nothing;
        if let Err(error) = sent {
            tracing::debug!(peer = %self.sink.peer(), %error, "a reply was not sent");
        }
        Ok(())
    }
}

impl Drop for DeferredReply {
    /// Ends the request that is still in progress: its results could not be encoded, because the
    /// program's code for that has panicked, or what they were to be replaced by could not.
    fn drop(&mut self) {
        if self.port.pending == PendingReply::Later && std::thread::panicking() {
            self.raise(&panicked());
        }
        if self.port.pending == PendingReply::Later {
            // Nothing is sent, so this cannot fail.
            self.sink.settle(self.port.request_id, PendingReply::Later, None).ok();
        }
    }
}

#[cold]
fn panicked() -> SystemException {
    SystemException::new(ExceptionKind::Unknown, Minor::SERVANT_PANICKED, Completion::Maybe)
        .with_reason("the results of a response handler panicked when they were encoded")
}

#[cold]
fn no_response() -> SystemException {
    let (kind, minor) = (ExceptionKind::NoResponse, Minor::REPLY_ABANDONED);
    SystemException::new(kind, minor, Completion::Maybe)
}
