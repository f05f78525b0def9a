//! One call: find the way, send, wait, follow where the server sends us.

use super::access::Access;
use super::asynchronous::MAY_BLOCK;
use super::collocated;
use super::connection_policy::{ConnectionPolicy, SyncScope};
use super::deadline::Deadline;
use super::exclusive::{ExclusiveConnection, ReplyReceiver};
use super::invocation::{Forward, Invocation};
use super::multiplexed::{MultiplexedConnection, Sending, ThreadBuffers};
use super::operation::Operation;
use super::request::{Intercepted, Outgoing};
use super::route::{Route, Target};
use crate::exception::{
    Completion, Error, ExceptionKind, Minor, Raises, SystemException, decode_system,
};
use crate::interceptor;
use crate::object::{Object, Reference};
use crate::orb::Orb;
use crate::server::BlockingScope;
use armilla_cdr::{CdrError, CdrErrorKind, CdrResult, CodeSets, Decode, Decoder, Encoder};
use armilla_giop::engine::ClientEvent;
use armilla_giop::ior::Ior;
use armilla_giop::{AddressingDisposition, ReplyHeader, ReplyStatus, ResponseFlags};

/// Writes the arguments of a call; may be asked to do so again when the call moves elsewhere.
pub(crate) type Arguments<'r, 'p> = &'r dyn Fn(&mut Encoder<'p>) -> CdrResult;

/// Takes the results or the user exception.
pub(crate) type Finish<'r> = &'r mut dyn FnMut(ReplyStatus, &mut Decoder<'_>) -> CdrResult;

/// Calls an operation without user exceptions.
#[inline]
pub(crate) fn invoke<'p, R>(
    object: &Object,
    operation: Operation<'static>,
    arguments: Arguments<'_, 'p>,
    results: impl FnOnce(&mut Decoder<'_>) -> CdrResult<R>,
) -> Result<R, SystemException> {
    match invoke_raises::<R, Undeclared>(object, operation, arguments, results) {
        Ok(value) => Ok(value),
        Err(Error::System(exception)) => Err(exception),
        Err(Error::User(undeclared)) => match undeclared {},
    }
}

/// The exceptions of an operation that declares none.
pub(super) enum Undeclared {}

impl Raises for Undeclared {
    fn encode<'p>(&'p self, _out: &mut Encoder<'p>) -> CdrResult {
        match *self {}
    }

    fn decode(_id: &str, _input: &mut Decoder<'_>) -> CdrResult<Option<Self>> {
        Ok(None)
    }
}

/// Calls an operation that raises `E`.
#[inline]
pub(crate) fn invoke_raises<'p, R, E: Raises>(
    object: &Object,
    operation: Operation<'static>,
    arguments: Arguments<'_, 'p>,
    results: impl FnOnce(&mut Decoder<'_>) -> CdrResult<R>,
) -> Result<R, Error<E>> {
    let mut results = Some(results);
    let mut outcome = None;
    call(object, operation, ResponseFlags::Target, arguments, &mut |status, input| {
        outcome = Some(match status {
            ReplyStatus::NoException => match results.take() {
                Some(results) => Ok(results(input)?),
                None => Err(Error::System(no_reply())),
            },
            _ => Err(user_exception(input)?),
        });
        Ok(())
    })?;
    outcome.unwrap_or_else(|| Err(Error::System(no_reply())))
}

/// Calls a oneway operation.
pub(crate) fn invoke_oneway<'p>(
    object: &Object,
    operation: Operation<'static>,
    arguments: Arguments<'_, 'p>,
) -> Result<(), SystemException> {
    call(object, operation, oneway_response(object)?, arguments, &mut |_, _| Ok(()))
}

/// What a oneway request asks the server to answer.
pub(crate) fn oneway_response(object: &Object) -> Result<ResponseFlags, SystemException> {
    Ok(match object.connection_policy(object.reference()?.orb.settings()).1 {
        SyncScope::None | SyncScope::WithTransport => ResponseFlags::None,
        SyncScope::WithServer => ResponseFlags::Server,
        SyncScope::WithTarget => ResponseFlags::Target,
    })
}

#[cold]
pub(super) fn user_exception<E: Raises>(input: &mut Decoder<'_>) -> CdrResult<Error<E>> {
    let repository_id = input.string()?;
    Ok(match E::decode(&repository_id, input)? {
        Some(exception) => Error::User(exception),
        None => {
            let what = format!("the server raised {repository_id}, which the IDL does not declare");
            let (kind, minor) = (ExceptionKind::Unknown, Minor::OMG_1);
            Error::System(SystemException::new(kind, minor, Completion::Yes).with_reason(what))
        }
    })
}

#[cold]
pub(super) fn no_reply() -> SystemException {
    SystemException::new(ExceptionKind::Internal, Minor::default(), Completion::Maybe)
}

/// Calls an operation. `finish` takes the results or the user exception; it runs once, or again where
/// an interceptor makes the call again after a user exception.
pub(crate) fn call<'p>(
    object: &Object,
    operation: Operation<'_>,
    response: ResponseFlags,
    arguments: Arguments<'_, 'p>,
    finish: Finish<'_>,
) -> Result<(), SystemException> {
    let reference = object.reference()?;
    if let Some(interceptors) = reference.orb.interceptors() {
        return interceptor::call(interceptors, object, operation, response, arguments, finish);
    }
    reference.callable()?;
    let usual = reference.fast_route();
    if usual.is_none() && reference.is_near() {
        return collocated::call(object, reference, operation, response, arguments, finish);
    }
    let settings = reference.orb.settings();
    let mut deadline = Deadline::after(object.timeout().or(settings.call_timeout));
    let connection_policy = object.connection_policy(settings);
    let mut invocation = Invocation::default();
    if let Some(effective) = object.effective(settings) {
        invocation.keep_to(effective, reference, &mut deadline)?;
    }
    let _blocking = BlockingScope::begin();
    let bound;
    let route = match usual {
        Some(route) => route,
        None => {
            bound = reference.find_route()?;
            &*bound
        }
    };
    let target = match route.only() {
        Some(target) => target,
        None => {
            deadline = deadline.among(route.len());
            route.preferred()
        }
    };
    let outgoing = Outgoing { target, operation, response, arguments, intercepted: None };
    let way = Way { reference, route, connection_policy, outgoing };
    match way.go(&deadline, &mut invocation, &mut *finish)? {
        Step::Done => Ok(()),
        step => way.after_failure(step, &deadline, &mut invocation, finish),
    }
}

/// What is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Request<'r, 'p> {
    pub(crate) operation: Operation<'r>,
    pub(crate) response: ResponseFlags,
    pub(crate) arguments: Arguments<'r, 'p>,
}

/// How far an attempt has come.
pub(crate) enum Step {
    /// To its end.
    Done,
    /// The object is elsewhere, or to be named in another way.
    Forward(Forward),
    /// It has to be tried again.
    Again,
}

impl<'r, 'p> Request<'r, 'p> {
    /// The request as it is sent to one target.
    pub(crate) fn to(
        self,
        target: &'r Target,
        intercepted: Option<&'r Intercepted<'r>>,
    ) -> Outgoing<'r, 'p> {
        let Self { operation, response, arguments } = self;
        Outgoing { target, operation, response, arguments, intercepted }
    }
}

/// Where a call goes, and what it says there.
pub(crate) struct Way<'w, 'p> {
    pub(crate) reference: &'w Reference,
    pub(crate) route: &'w Route,
    /// How the call uses connections, and when it returns if it is oneway.
    pub(crate) connection_policy: (ConnectionPolicy, SyncScope),
    pub(crate) outgoing: Outgoing<'w, 'p>,
}

impl Way<'_, '_> {
    /// Goes on from `step`, wherever that leads, until the call has come to its end.
    #[cold]
    #[inline(never)]
    fn after_failure(
        &self,
        mut step: Step,
        deadline: &Deadline,
        invocation: &mut Invocation,
        finish: Finish<'_>,
    ) -> Result<(), SystemException> {
        let reference = self.reference;
        let mut bound;
        let mut route = self.route;
        loop {
            match step {
                Step::Done => return Ok(()),
                Step::Forward(forward) => reference.follow(route, forward, invocation)?,
                Step::Again => {}
            }
            bound = reference.route()?;
            route = &bound;
            let outgoing = Outgoing { target: route.preferred(), ..self.outgoing };
            let way = Way { route, outgoing, ..*self };
            let deadline = invocation.deadline(deadline, route);
            step = way.go_unhurried(&deadline, invocation, &mut *finish)?;
        }
    }

    /// As [`go`](Self::go), which is only copied into the usual call, for one that may have taken its
    /// time already.
    #[inline(never)]
    pub(crate) fn go_unhurried(
        &self,
        deadline: &Deadline,
        invocation: &mut Invocation,
        finish: Finish<'_>,
    ) -> Result<Step, SystemException> {
        if deadline.leaving().is_none() {
            let address = &self.outgoing.target.access.endpoint.address;
            let late = deadline.unsent(&format!("the call could not be sent to {address}"));
            return Err(invocation.explain(late));
        }
        self.go(deadline, invocation, finish)
    }

    /// One attempt, and what to do when it fails.
    #[inline(always)]
    fn go(
        &self,
        deadline: &Deadline,
        invocation: &mut Invocation,
        finish: Finish<'_>,
    ) -> Result<Step, SystemException> {
        let Self { reference, route, connection_policy: (connection_policy, scope), outgoing } =
            self;
        let attempted = match connection_policy {
            ConnectionPolicy::Exclusive => attempt(&reference.orb, outgoing, deadline, finish),
            ConnectionPolicy::Multiplexed => {
                attempt_shared(&reference.orb, outgoing, deadline, *scope, finish)
            }
        };
        let Outgoing { target, operation, .. } = outgoing;
        match attempted {
            Ok(Answer::Taken) => return Ok(Step::Done),
            Ok(Answer::Forward(forward)) => return Ok(Step::Forward(*forward)),
            Ok(Answer::Raised(exception)) => {
                let exception = exception.said_by(&target.access.endpoint.address, operation.name);
                reference.after_system_exception(route, invocation, exception)?;
            }
            Err(error) => reference.after_failure(route, target, invocation, error)?,
        }
        Ok(Step::Again)
    }
}

/// Takes a reply that was not received by a link: from an object of this process.
pub(crate) fn take_reply_here(
    header: &ReplyHeader<'_>,
    body: &mut Decoder<'_>,
    finish: Finish<'_>,
) -> Result<Step, SystemException> {
    match take_reply(header, body, finish) {
        Ok(Answer::Taken) => Ok(Step::Done),
        Ok(Answer::Forward(forward)) => Ok(Step::Forward(*forward)),
        Ok(Answer::Raised(exception)) => Err(exception),
        Err(error) => Err(SystemException::decoding(&error, Completion::Yes)),
    }
}

/// What outcome_of back for a request.
pub(super) enum Answer {
    /// The reply, which was taken; or nothing was to come.
    Taken,
    /// The object is elsewhere, or to be named in another way.
    Forward(Box<Forward>),
    /// The server raised a system exception.
    Raised(SystemException),
}

/// One attempt at one target: over an idle connection that still stands, else over a new one.
#[inline(always)]
fn attempt(
    orb: &Orb,
    outgoing: &Outgoing<'_, '_>,
    deadline: &Deadline,
    finish: Finish<'_>,
) -> Result<Answer, SystemException> {
    if let Some(mut link) = outgoing.target.access.endpoint.idle_connection(deadline.started) {
        match exchange(orb, &mut link, outgoing, deadline, &mut *finish) {
            Ok(taken @ Answer::Taken) => {
                give_back(outgoing.target, link, deadline);
                return Ok(taken);
            }
            Err(error) if is_stale(&error) => {}
            outcome => return keep(outgoing.target, link, deadline, outcome),
        }
    }
    attempt_further(orb, outgoing, deadline, finish)
}

/// The attempt over the idle connections that are left, or else over a new one.
#[cold]
#[inline(never)]
fn attempt_further(
    orb: &Orb,
    outgoing: &Outgoing<'_, '_>,
    deadline: &Deadline,
    finish: Finish<'_>,
) -> Result<Answer, SystemException> {
    let endpoint = &outgoing.target.access.endpoint;
    loop {
        let (mut link, idle) = match endpoint.idle_connection(deadline.started) {
            Some(link) => (link, true),
            None if endpoint.reverse_connection(outgoing.target.access.version).is_some() => {
                // It goes over the connection that the server has made to this ORB.
                let scope = SyncScope::WithTransport;
                return attempt_shared(orb, outgoing, deadline, scope, finish);
            }
            None => (endpoint.connect(deadline)?, false),
        };
        match exchange(orb, &mut link, outgoing, deadline, &mut *finish) {
            // A connection that the server closed while it was idle: try the next.
            Err(error) if idle && is_stale(&error) => {}
            outcome => return keep(outgoing.target, link, deadline, outcome),
        }
    }
}

/// One attempt at one target over the connection that the thread shares with others.
#[inline(never)]
fn attempt_shared(
    orb: &Orb,
    outgoing: &Outgoing<'_, '_>,
    deadline: &Deadline,
    scope: SyncScope,
    finish: Finish<'_>,
) -> Result<Answer, SystemException> {
    let sending = match (outgoing.response, scope) {
        (ResponseFlags::None, SyncScope::None) => {
            Sending::Later(MAY_BLOCK.get().then_some(deadline))
        }
        _ if !MAY_BLOCK.get() => Sending::Never,
        (ResponseFlags::None, _) => Sending::Through(deadline),
        _ => Sending::Now(deadline),
    };
    let mut stale = 0;
    loop {
        let Access { endpoint, version, .. } = &*outgoing.target.access;
        let link = endpoint.shared_connection(orb, *version, deadline)?;
        match exchange_shared(orb, &link, outgoing, deadline, sending, &mut *finish) {
            // A connection that the server closed meanwhile.
            Err(error) if is_stale(&error) && stale < MAX_STALE => stale += 1,
            outcome => return outcome,
        }
    }
}

/// Sends the request and takes the reply, over a shared connection.
fn exchange_shared(
    orb: &Orb,
    link: &MultiplexedConnection,
    outgoing: &Outgoing<'_, '_>,
    deadline: &Deadline,
    sending: Sending<'_>,
    finish: Finish<'_>,
) -> Result<Answer, SystemException> {
    ThreadBuffers::with(|buffers| {
        let id = link.send(*outgoing, buffers, sending)?;
        if !outgoing.response.response_expected() {
            return Ok(Answer::Taken);
        }
        let code_sets = link.code_sets();
        link.receive(id, &buffers.slot, deadline, &mut |header, body| {
            if let Some(intercepted) = outgoing.intercepted {
                (intercepted.take_reply)(&header.contexts);
            }
            let mut body = body.with_code_sets(code_sets).with_context(orb);
            take_reply(&header, &mut body, &mut *finish)
                .map_err(|error| SystemException::decoding(&error, Completion::Yes))
        })
    })
}

/// How often a call is sent again over connections that turn out to be closed, before that counts as
/// a failure.
pub(super) const MAX_STALE: u32 = 3;

/// Whether an idle connection turned out to be closed, and the call was not begun.
pub(super) fn is_stale(error: &SystemException) -> bool {
    let minor = error.minor();
    error.completed() == Completion::No && (minor == Minor::SEND_FAILED || minor == Minor::CLOSING)
}

/// Gives the link back, which is good after a reply.
#[inline(always)]
fn give_back(target: &Target, mut link: Box<ExclusiveConnection>, deadline: &Deadline) {
    link.last_used = deadline.started;
    target.access.endpoint.give_back(link);
}

/// Gives the link back, if it is still good.
#[cold]
#[inline(never)]
fn keep(
    target: &Target,
    link: Box<ExclusiveConnection>,
    deadline: &Deadline,
    outcome: Result<Answer, SystemException>,
) -> Result<Answer, SystemException> {
    let good = match &outcome {
        Ok(_) => true,
        // The request was refused before a single octet of it was sent, or the reply was read
        // whole and found wanting: the connection is as good as before.
        Err(error) => error.is_about_a_value(),
    };
    if good {
        give_back(target, link, deadline);
    }
    outcome
}

/// Sends the request and takes the reply.
#[inline(always)]
fn exchange(
    orb: &Orb,
    link: &mut ExclusiveConnection,
    outgoing: &Outgoing<'_, '_>,
    deadline: &Deadline,
    finish: Finish<'_>,
) -> Result<Answer, SystemException> {
    let id = link.send(outgoing, deadline)?;
    if !outgoing.response.response_expected() {
        return Ok(Answer::Taken);
    }
    let (code_sets, intercepted) = (link.code_sets(), outgoing.intercepted);
    let received = link.receive(deadline, &mut TakeReply { orb, code_sets, intercepted, finish });
    received.unwrap_or_else(|error| {
        if error.kind() == ExceptionKind::Timeout {
            link.cancel(outgoing.target.access.version, id);
        }
        Err(error)
    })
}

/// Takes the reply to a request.
struct TakeReply<'c> {
    orb: &'c Orb,
    code_sets: CodeSets,
    intercepted: Option<&'c Intercepted<'c>>,
    finish: Finish<'c>,
}

impl ReplyReceiver<Result<Answer, SystemException>> for TakeReply<'_> {
    fn take(&mut self, arrived: ClientEvent<'_, ()>) -> Result<Answer, SystemException> {
        match arrived {
            ClientEvent::Reply((), header, body) => self.take_reply(header, body),
            _ => Err(SystemException::decoding(&wrong_reply(), Completion::Yes)),
        }
    }

    #[inline(always)]
    fn take_reply(
        &mut self,
        header: ReplyHeader<'_>,
        body: Decoder<'_>,
    ) -> Result<Answer, SystemException> {
        if let Some(intercepted) = self.intercepted {
            (intercepted.take_reply)(&header.contexts);
        }
        let mut body = body.with_code_sets(self.code_sets).with_context(self.orb);
        let taken = take_reply(&header, &mut body, &mut *self.finish);
        body.end();
        taken.map_err(|error| SystemException::decoding(&error, Completion::Yes))
    }
}

#[cold]
fn wrong_reply() -> CdrError {
    CdrError::new(CdrErrorKind::Invalid("a LocateReply outcome_of where a Reply is due"))
}

#[inline(always)]
pub(super) fn take_reply(
    header: &ReplyHeader<'_>,
    body: &mut Decoder<'_>,
    finish: Finish<'_>,
) -> CdrResult<Answer> {
    match header.status {
        ReplyStatus::NoException | ReplyStatus::UserException => {
            finish(header.status, body).map(|()| Answer::Taken)
        }
        ReplyStatus::SystemException => decode_system(&header.contexts, body).map(Answer::Raised),
        _ => take_forward(header.status, body).map(|forward| Answer::Forward(forward.into())),
    }
}

#[cold]
fn take_forward(status: ReplyStatus, body: &mut Decoder<'_>) -> CdrResult<Forward> {
    Ok(match status {
        ReplyStatus::LocationForwardPerm => Forward::ForGood(Ior::decode(body)?.into()),
        ReplyStatus::NeedsAddressingMode => {
            Forward::Readdress(AddressingDisposition::decode(body)?)
        }
        _ => Forward::To(Ior::decode(body)?.into()),
    })
}
