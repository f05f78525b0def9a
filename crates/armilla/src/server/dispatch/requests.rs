//! Dispatching: from a decoded request to its servant.
//!
//! Finding objects is in [`super::find`] and the POAs, encoding replies in
//! [`crate::server::reply::reply_port`].

use super::find::Seeker;
use super::main_thread::{ArrivingFlow, MainThreadRequest, serve_on_main_thread};
use super::source::{Source, take_contexts};
use crate::client::interception::Interruption;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::interception::Outcome;
use crate::interception::current::while_lent;
use crate::log::report;
use crate::panics::discard;
use crate::runtime::Orb;
use crate::server::interception::{Requester, ServerFlow};
use crate::server::poa::{
    Arrived, DispatchError, EncodedReply, Extended, Found, LocatedCall, LocatedServant, PoaInner,
    Servant, ServerCall,
};
use crate::server::reply::capture::Capture;
use crate::server::reply::close_reason::CloseReason;
use crate::server::reply::flow::{Flow, RequestFlow};
use crate::server::reply::reply_port::{Body, ReplyPort};
use crate::server::reply::sink::{PendingReply, ReplySink, RequestSink};
use crate::threads::BlockingScope;
use crate::transport::HERE;
use armilla_cdr::{Buffer, ByteOrder, CodeSet, CodeSets, Decoder, Encode, Encoder};
use armilla_giop::{
    AddressingDisposition, Message, ReplyStatus, RequestHeader, Target, decode_request,
};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// An error means that the reply could not be sent. It is boxed because a large result would slow
/// down every request.
type Served = Result<(), Box<CloseReason>>;

/// Serves a request. The fast path is here: an active object, no service contexts, no interceptors.
#[inline(always)]
pub(in crate::server) fn request(
    source: Source<'_>,
    message: &Message<'_>,
    header: RequestHeader<'_>,
    body: Decoder<'_>,
    code_sets: CodeSets,
    memory: &mut Buffer,
) -> Served {
    let Source { orb, objects, sink, connection, is_originated } = source;
    let plain = header.contexts.is_empty() && !header.sync_with_server && !is_originated;
    let plain = plain && orb.server_interceptors().is_none();
    let upcall = match header.target {
        Target::Key(key) if plain => objects.find_active(key),
        _ => None,
    };
    let Some(upcall) = upcall else {
        // Made anew, so that only the slow path has it in memory.
        let source = Source { orb, objects, sink, connection, is_originated };
        return request_slow(&source, message, header, body, code_sets, memory);
    };
    // A call through a pointer: what is made before it has to be kept meanwhile.
    let servant = upcall.skeleton();
    let skeleton = Some(servant);
    let arguments = body.with_code_sets(code_sets).with_context(orb);
    let port = port(orb, message, &header, code_sets, PendingReply::Now);
    let mut call = ServerCall::new(&header, &arguments, sink, port, memory, skeleton, None);
    let outcome = call_servant(servant, &mut call);
    let concluded = conclude(&mut call, outcome);
    arguments.end();
    concluded
}

/// Ensures that the client gets a reply.
#[inline(always)]
fn conclude(call: &mut ServerCall<'_>, outcome: Result<(), DispatchError>) -> Served {
    let outcome = match outcome {
        Err(DispatchError::Exception(exception)) => call.raise(&exception),
        Err(DispatchError::Arguments(error)) => call.refuse_arguments(&error),
        // A generated skeleton always replies; one that a program puts before it may not.
        Ok(()) if call.is_unanswered() => call.raise(&no_reply(call)),
        outcome => outcome,
    };
    call.settle();
    outcome.map_err(|error| close_reason(error).into())
}

/// Serves a request that the fast path does not: its object is not active, interceptors see it, it
/// carries service contexts or `SYNC_WITH_SERVER`, or it arrived on a connection that this ORB
/// opened.
#[cold]
#[inline(never)]
fn request_slow(
    source: &Source<'_>,
    message: &Message<'_>,
    header: RequestHeader<'_>,
    body: Decoder<'_>,
    code_sets: CodeSets,
    memory: &mut Buffer,
) -> Served {
    let orb = source.orb;
    let taken = take_contexts(message, &header, source.connection, code_sets);
    let code_sets = *taken.as_ref().unwrap_or(&code_sets);
    let (flow, passed) = match orb.server_interceptors() {
        None => (None, Ok(())),
        Some(_) => {
            let from = Requester {
                peer: source.sink.peer(),
                credentials: source.sink.credentials(),
                protection: source.sink.protection(),
                connection: source.connection.map(|connection| connection.number()),
                size: message.octets.len(),
            };
            let (flow, passed) = ServerFlow::begin(orb, &header, from);
            (Some(flow), passed)
        }
    };
    let request = ArrivedRequest { message, header, body, code_sets };
    match (passed, taken) {
        (Ok(()), Ok(_)) => request_begun(source, request, memory, flow),
        (Err(interruption), _) => stop(source, &request, memory, interruption.into(), flow),
        (Ok(()), Err(exception)) => {
            stop(source, &request, memory, Outcome::SystemException(exception), flow)
        }
    }
}

/// A request whose service contexts about the connection were handled.
struct ArrivedRequest<'m> {
    message: &'m Message<'m>,
    header: RequestHeader<'m>,
    body: Decoder<'m>,
    code_sets: CodeSets,
}

/// Ends a request before its object is looked for.
fn stop(
    source: &Source<'_>,
    request: &ArrivedRequest<'_>,
    memory: &mut Buffer,
    outcome: Outcome,
    flow: ArrivingFlow,
) -> Served {
    let &Source { orb, sink, .. } = source;
    let ArrivedRequest { message, header, body, code_sets } = request;
    let port = port(orb, message, header, *code_sets, PendingReply::Now);
    let mut call = ServerCall::new(header, body, sink, port, memory, None, as_replied(flow));
    let ended = call.end(outcome);
    conclude(&mut call, ended)
}

/// Serves a request that has passed the first interception points. Only now adapter activators are
/// asked for its POA (CORBA 3.4 Part 1, 16.3.8).
fn request_begun(
    source: &Source<'_>,
    request: ArrivedRequest<'_>,
    memory: &mut Buffer,
    mut flow: ArrivingFlow,
) -> Served {
    let &Source { orb, sink, .. } = source;
    let ArrivedRequest { message, header, body, code_sets } = request;
    let key = header.target.object_key();
    let mut seeker = Seeker::new(orb, source.is_originated);
    // Once for each request, before it is known which thread serves it.
    let adapter = key.map_or(Ok(None), |key| orb.adapter_for(key, &mut seeker));
    let mut port = port(orb, message, &header, code_sets, PendingReply::Now);
    if let Ok(Some(poa)) = &adapter
        && poa.is_for_main_thread()
        && !orb.is_main_thread()
        && let request = for_main_thread(source, poa, message, &header, code_sets)
        && let Some(served) = by_main_thread(sink, &request, port, memory, &mut flow)
    {
        return served;
    }
    let arguments = body.with_code_sets(code_sets).with_context(orb);
    let found = match (key, adapter) {
        (Some(_), Err(exception)) => Found::Refused(exception),
        (Some(key), Ok(_)) => orb.find(key, header.operation, &mut seeker),
        (None, _) => Found::Unnamed,
    };
    let arrived = source.arrived(message, &header, code_sets);
    let extended = extend(arrived, &found, &mut port);
    if let (Ok(Extended::Absent | Extended::Begun(_)), Some(located)) =
        (&extended, found.located_servant())
    {
        let reply = serve_located(source, header, arguments, port, &found, located, flow);
        drop(found);
        return Ok(send_captured(sink, port, memory, reply, None)?);
    }
    let received = match &extended {
        Ok(_) => receive_request(&mut flow, &found, &arguments),
        Err(_) => Ok(()),
    };
    let (servant, flow) = (found.servant(), as_replied(flow));
    let mut call = ServerCall::new(&header, &arguments, sink, port, memory, servant, flow);
    let outcome = match (&extended, received) {
        (Err(exception), _) => call.raise(exception),
        (Ok(_), Err(interruption)) => call.end(interruption.into()),
        (Ok(Extended::Answered), Ok(())) => call.answer(ReplyStatus::NoException, &|_| Ok(())),
        (Ok(Extended::Begun(_)), Ok(())) => {
            let request = (&header, &arguments, port);
            match serve_around(&found, arrived, request, &mut call) {
                Some(served) => served,
                None => serve(&found, &mut call),
            }
        }
        (Ok(_), Ok(())) => serve(&found, &mut call),
    };
    // The reply has left; what follows is on the thread's own time.
    let concluded = conclude(&mut call, outcome);
    drop(extended);
    concluded
}

/// Runs the interceptors before the servant is called, if there are any.
fn receive_request(
    flow: &mut ArrivingFlow,
    found: &Found<'_>,
    arguments: &Decoder<'_>,
) -> Result<(), Interruption> {
    let Some(flow) = flow else { return Ok(()) };
    found.target().map_or(Ok(()), |target| flow.receive_request(target, arguments))
}

/// The interceptors of a request from which only the reply is still missing.
fn as_replied(flow: ArrivingFlow) -> Flow {
    flow.map(|flow| -> Box<dyn RequestFlow> { flow })
}

fn for_main_thread<'m>(
    source: &Source<'m>,
    poa: &'m Arc<PoaInner>,
    message: &'m Message<'m>,
    header: &RequestHeader<'_>,
    code_sets: CodeSets,
) -> MainThreadRequest<'m> {
    MainThreadRequest {
        peer: source.sink.peer(),
        orb: source.orb,
        poa,
        message,
        code_sets,
        response_expected: header.response_expected,
        sync_with_server: header.sync_with_server,
    }
}

/// Lets the main thread serve a request, and sends the reply. `None` when the main thread is not to
/// serve it.
fn by_main_thread(
    sink: &dyn RequestSink,
    request: &MainThreadRequest<'_>,
    port: ReplyPort,
    memory: &mut Buffer,
    flow: &mut ArrivingFlow,
) -> Option<Served> {
    let mut acknowledged = Ok(());
    let mut acknowledge = |octets| acknowledged = sink.send(&whole(octets));
    let reply = serve_on_main_thread(request, flow, serve_here, &mut acknowledge)?;
    let sent = send_captured(sink, port, memory, reply, flow.take());
    Some(acknowledged.map_err(CloseReason::from).and(sent).map_err(Box::from))
}

/// Serves a request that was handed to the calling thread. What cannot be served or sent is not
/// captured.
fn serve_here(
    capture: &Arc<Capture>,
    message: &Message<'_>,
    code_sets: CodeSets,
    flow: ArrivingFlow,
) {
    // It was decoded before.
    let Ok((header, body)) = decode_request(message) else { return };
    let request = ArrivedRequest { message, header, body, code_sets };
    let orb = capture.orb();
    let objects = orb.object_adapters();
    let source = Source { orb, objects, sink: capture, connection: None, is_originated: false };
    request_begun(&source, request, &mut Buffer::new(), flow).ok();
}

/// Shows the request to the extension of the POA, if there is one. `port` gets what the extension
/// adds to the reply.
///
/// # Errors
/// The exception with which the extension refuses the request.
fn extend(
    arrived: Arrived<'_>,
    found: &Found<'_>,
    port: &mut ReplyPort,
) -> Result<Extended, SystemException> {
    Extended::of(found, arrived, &mut port.context).map_err(SystemException::before_entry)
}

/// Lets the extension of the POA serve a request around its servant. `None` if it does not.
fn serve_around(
    found: &Found<'_>,
    arrived: Arrived<'_>,
    (header, arguments, port): (&RequestHeader<'_>, &Decoder<'_>, ReplyPort),
    call: &mut ServerCall<'_>,
) -> Option<Result<(), DispatchError>> {
    let orb = call.orb().clone();
    // A oneway request with `SYNC_WITH_SERVER` is acknowledged when it is answered.
    let response_expected = port.response_expected && !header.sync_with_server;
    let port = ReplyPort { response_expected, ..port };
    let mut servant = || captured(&orb, found, (header, arguments, port));
    Some(match Extended::around(found, arrived, &mut servant)? {
        Ok(reply) => call.answer(reply.status, &|out| {
            out.copy_raw(&reply.body);
            Ok(())
        }),
        Err(exception) => Err(exception.into()),
    })
}

/// Calls the servant of a request, and returns its reply.
///
/// # Errors
/// The reply does not come in time, or cannot be read.
pub(super) fn captured(
    orb: &Orb,
    found: &Found<'_>,
    (header, arguments, port): (&RequestHeader<'_>, &Decoder<'_>, ReplyPort),
) -> Result<EncodedReply, SystemException> {
    let capture = Arc::new(Capture::new(orb, HERE));
    let mut memory = Buffer::new();
    let servant = found.servant();
    let mut call = ServerCall::new(header, arguments, &capture, port, &mut memory, servant, None);
    let outcome = match servant {
        Some(servant) => call_servant(servant, &mut call),
        None => Err(SystemException::object_not_exist().into()),
    };
    // A captured reply cannot fail to be sent.
    conclude(&mut call, outcome).ok();
    if !call.owes_reply() {
        return EncodedReply::captured(&[]);
    }
    let _blocking = BlockingScope::begin();
    EncodedReply::captured(&capture.wait(|| orb.settings().call_timeout)?)
}

/// Handles a request according to what its object key led to.
fn serve(found: &Found, call: &mut ServerCall<'_>) -> Result<(), DispatchError> {
    match (found.servant(), found) {
        (Some(servant), _) => {
            call.acknowledge()?;
            match call.is_intercepted() {
                true => while_lent(|| call_servant(servant, call)),
                false => call_servant(servant, call),
            }
        }
        (None, Found::Elsewhere(ior)) => call.end(Outcome::Forward(ior.clone())),
        (None, Found::ByLocator(locator)) => {
            call.ask(locator);
            Ok(())
        }
        (None, Found::Unnamed) => {
            let body: Body<'_, '_> = &|out| AddressingDisposition::Key.encode(out);
            call.answer(ReplyStatus::NeedsAddressingMode, body)
        }
        (None, Found::Refused(exception)) => Err(exception.clone().before_entry().into()),
        (None, Found::MainThread) => Err(threading_changed().into()),
        (None, _) => Err(SystemException::object_not_exist().into()),
    }
}

/// The thread policy of the POA changed while the request was being dispatched
/// ([`Minor::TRANSIENT_REQUEST_DISCARDED`]).
#[cold]
fn threading_changed() -> SystemException {
    SystemException::new(
        ExceptionKind::Transient,
        Minor::TRANSIENT_REQUEST_DISCARDED,
        Completion::No,
    )
    .with_reason("the thread policy of the object's POA changed while the request was dispatched")
}

/// Serves a request with a servant from a servant locator. The reply is captured, because
/// `postinvoke` is called before the client gets it.
fn serve_located(
    client: &Source<'_>,
    header: RequestHeader<'_>,
    arguments: Decoder<'_>,
    port: ReplyPort,
    found: &Found<'_>,
    located: &LocatedServant,
    mut flow: ArrivingFlow,
) -> Result<Vec<u8>, SystemException> {
    let orb = client.orb;
    let capture = Arc::new(Capture::new(orb, HERE));
    let mut memory = Buffer::new();
    let received = receive_request(&mut flow, found, &arguments);
    let located = LocatedCall { postinvoke: &|| located.postinvoke(), client: client.sink };
    let (servant, flow) = (found.servant(), as_replied(flow));
    let mut call = ServerCall::new(&header, &arguments, &capture, port, &mut memory, servant, flow);
    call.set_located(&located);
    let outcome = match received {
        Ok(()) => serve(found, &mut call),
        Err(interruption) => call.end(interruption.into()),
    };
    // A captured reply cannot fail to be sent.
    conclude(&mut call, outcome).ok();
    let reply = match call.owes_reply() {
        true => {
            let _blocking = BlockingScope::begin();
            capture.wait(|| orb.settings().call_timeout)
        }
        false => Ok(Vec::new()),
    };
    (located.postinvoke)()?;
    reply
}

/// A captured message, to be sent.
fn whole(octets: Vec<u8>) -> Encoder<'static> {
    Encoder::with_buffer(octets, ByteOrder::NATIVE, CodeSet::default())
}

/// Sends a captured reply to the client. An exception goes through the interceptors of `flow`.
fn send_captured(
    sink: &dyn RequestSink,
    port: ReplyPort,
    memory: &mut Buffer,
    reply: Result<Vec<u8>, SystemException>,
    flow: ArrivingFlow,
) -> Result<(), CloseReason> {
    match reply {
        Ok(octets) if octets.is_empty() => Ok(sink.settle(port.request_id, port.pending, None)?),
        Ok(octets) => Ok(sink.settle(port.request_id, port.pending, Some(&whole(octets)))?),
        Err(exception) => {
            let sent = port.raise(&mut as_replied(flow), sink, memory, &exception);
            sent.map_err(|error| close_reason(error.into()))?.map_err(CloseReason::from)
        }
    }
}

/// Where the reply to a request goes.
#[inline]
pub(in crate::server) fn port(
    orb: &Orb,
    message: &Message<'_>,
    header: &RequestHeader<'_>,
    code_sets: CodeSets,
    pending: PendingReply,
) -> ReplyPort {
    let RequestHeader { request_id, response_expected, .. } = *header;
    let (version, max_message) = (message.header.version, orb.settings().max_message);
    let context = None;
    ReplyPort { request_id, version, code_sets, response_expected, pending, max_message, context }
}

/// Why the connection of a request ends whose reply was not sent.
#[cold]
pub(in crate::server) fn close_reason(error: DispatchError) -> CloseReason {
    match error {
        DispatchError::Send(error) => (*error).into(),
        DispatchError::Exception(exception) => unencodable(exception),
        DispatchError::Arguments(error) => unencodable(error),
    }
}

fn unencodable(why: impl Display) -> CloseReason {
    CloseReason::Io(std::io::Error::other(format!("cannot encode the reply: {why}")))
}

#[inline(always)]
fn call_servant(servant: &dyn Servant, call: &mut ServerCall<'_>) -> Result<(), DispatchError> {
    catch_unwind(AssertUnwindSafe(|| servant.dispatch(call))).unwrap_or_else(|panic| {
        discard(panic);
        Err(panicked(call).into())
    })
}

#[cold]
fn panicked(call: &mut ServerCall<'_>) -> SystemException {
    call.note_entry();
    servant_panicked(call.orb(), call.operation().as_str())
}

/// The exception of a call whose servant has panicked, which is logged.
#[cold]
#[inline(never)]
pub(crate) fn servant_panicked(orb: &Orb, operation: &str) -> SystemException {
    let object = match orb.poa_current() {
        Ok(current) => format!("{:?}", current.object_id()),
        Err(_) => String::new(),
    };
    let quoted = format_args!("{operation:?}");
    report!(error, "the servant panicked", operation = quoted, object = object);
    SystemException::new(ExceptionKind::Unknown, Minor::SERVANT_PANICKED, Completion::Maybe)
        .with_reason(format!("the servant panicked in {operation}"))
}

#[cold]
fn no_reply(call: &ServerCall<'_>) -> SystemException {
    SystemException::new(ExceptionKind::NoResponse, Minor::REPLY_ABANDONED, Completion::Maybe)
        .with_reason(format!("the skeleton has not replied to {}", call.operation()))
}
