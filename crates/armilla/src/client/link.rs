//! One connection to a server, carrying one call at a time.
//!
//! The calling thread itself writes the request and reads the reply. Buffers live as long as the
//! connection, so a call allocates nothing once they have grown to its size.

use super::deadline::{Deadline, milliseconds};
use super::operation::Operation;
use super::route::Target;
use super::watch::{self, Watch};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::settings::Settings;
use crate::wire::send;
use armilla_cdr::{ByteOrder, CdrResult, CodeSets, Encoder};
use armilla_giop::{
    CodeSetContext, Framer, HEADER_LEN, Message, MessageHeader, MessageKind, OutgoingRequest,
    ResponseFlags, ServiceContext, ServiceContexts, Version, begin_request, cancel_request,
    close_connection, put_body,
};
use armilla_ipc::{CoarseInstant, Readiness, SendError, Stream, coarse_now};
use std::io;
use std::sync::Arc;

/// A connection and its state.
pub(crate) struct Link {
    stream: Arc<dyn Stream>,
    watch: Arc<Watch>,
    framer: Framer,
    /// The last request sent, whose header is the template of the next.
    request: Vec<u8>,
    template: Template,
    next_id: u32,
    code_sets: CodeSets,
    /// The code sets that were agreed on, if any were.
    agreed: Option<CodeSetContext>,
    /// Whether they still have to be told to the server.
    unannounced: bool,
    max_message: usize,
    /// From how many octets on a request leaves in fragments.
    fragment_size: usize,
    /// Whether the connection was made for the call under way, whose time that has taken from.
    fresh: bool,
    pub(crate) last_used: CoarseInstant,
    version: Version,
}

/// What the header in the request buffer was made for.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
struct Template {
    target: u64,
    /// What tells the operation from all others.
    operation: (usize, usize),
    response: u8,
    request_id_at: usize,
    len: usize,
}

/// A request that is to be sent.
#[derive(Clone, Copy)]
pub(crate) struct Outgoing<'r, 'p> {
    pub(crate) target: &'r Target,
    pub(crate) operation: Operation<'r>,
    pub(crate) response: ResponseFlags,
    pub(crate) arguments: &'r dyn Fn(&mut Encoder<'p>) -> CdrResult,
    pub(crate) intercepted: Option<&'r Intercepted<'r>>,
}

/// What interceptors have to do with a request.
pub(crate) struct Intercepted<'r> {
    /// The service contexts that they add.
    pub(crate) contexts: &'r [ServiceContext<'r>],
    /// Takes those of the reply.
    pub(crate) take_reply: &'r dyn Fn(&ServiceContexts<'_>),
}

impl Link {
    pub(crate) fn new(
        stream: Arc<dyn Stream>,
        watch: Arc<Watch>,
        agreed: Option<CodeSetContext>,
        settings: &Settings,
    ) -> Self {
        Self {
            stream,
            watch,
            framer: Framer::new(settings.max_message),
            request: Vec::new(),
            template: Template::default(),
            next_id: 0,
            // What was agreed on is what we chose ourselves.
            code_sets: agreed.and_then(|sets| sets.code_sets().ok()).unwrap_or(CodeSets::UNAGREED),
            agreed,
            unannounced: agreed.is_some(),
            max_message: settings.max_message,
            fragment_size: settings.fragment_size.unwrap_or(usize::MAX),
            fresh: true,
            last_used: coarse_now(),
            version: settings.max_giop,
        }
    }

    /// Whether the peer has neither closed the connection nor said anything since the last call.
    pub(crate) fn still_stands(&self) -> bool {
        matches!(self.stream.readiness(), Ok(Readiness::Quiet))
    }

    /// Tells the peer that no more calls will come, where the version lets a client say so, and
    /// closes the connection.
    pub(crate) fn close_in_order(self) {
        if self.version >= Version::V1_2 {
            // The peer learns it from the end of the stream if not from this.
            self.stream.send_all(&close_connection(self.version)).ok();
        }
    }

    /// The code sets of this connection.
    pub(crate) fn code_sets(&self) -> CodeSets {
        self.code_sets
    }

    /// Sends a request and returns its number.
    #[inline(always)]
    pub(crate) fn send<'p>(
        &mut self,
        outgoing: Outgoing<'_, 'p>,
        deadline: &Deadline,
    ) -> Result<u32, SystemException> {
        let id = self.take_id();
        let buffer = std::mem::take(&mut self.request);
        let mut out = Encoder::with_code_sets(buffer, ByteOrder::NATIVE, self.code_sets);
        let sent = match self.encode(&mut out, id, &outgoing) {
            Ok(()) => self.put(&out, deadline),
            Err(error) => Err(error),
        };
        self.request = out.into_buffer();
        self.unannounced &= sent.is_err();
        sent.map(|()| id)
    }

    /// Fills `out` with the whole message.
    #[inline(always)]
    fn encode<'p>(
        &mut self,
        out: &mut Encoder<'p>,
        id: u32,
        outgoing: &Outgoing<'_, 'p>,
    ) -> Result<(), SystemException> {
        let version = outgoing.target.version;
        self.header(out, id, outgoing)
            .and_then(|()| put_body(out, version, |out| (outgoing.arguments)(out)))
            .map_err(|error| SystemException::encoding_request(&error, self.agreed.is_some()))?;
        if out.len() - HEADER_LEN > self.max_message {
            return Err(too_large(out.len() - HEADER_LEN, self.max_message));
        }
        MessageHeader::finish(out).map_err(|error| {
            SystemException::bad_param(Minor::MESSAGE_TOO_LARGE, error.to_string())
        })
    }

    /// Puts the header into `out`: the last one again with a new number, where it fits.
    #[inline]
    fn header(&mut self, out: &mut Encoder<'_>, id: u32, call: &Outgoing<'_, '_>) -> CdrResult {
        let wanted = Template {
            target: call.target.id,
            operation: call.operation.key,
            response: call.response as u8,
            ..self.template
        };
        if self.template == wanted {
            out.truncate(wanted.len);
            out.patch_u32(wanted.request_id_at, id);
            return Ok(());
        }
        self.template = Template::default();
        out.truncate(0);
        self.new_header(out, id, call, wanted)
    }

    #[cold]
    #[inline(never)]
    fn new_header(
        &mut self,
        out: &mut Encoder<'_>,
        id: u32,
        call: &Outgoing<'_, '_>,
        wanted: Template,
    ) -> CdrResult {
        let version = call.target.version;
        self.version = version;
        let announced = match self.agreed {
            Some(sets) if self.unannounced && version >= Version::V1_1 => Some(sets.encode()),
            _ => None,
        };
        let context = announced.as_ref().map(CodeSetContext::service_context);
        let own = context.as_slice();
        let contexts: &[_] = match call.intercepted {
            None => own,
            Some(intercepted) => &[own, intercepted.contexts].concat(),
        };
        let request = OutgoingRequest {
            request_id: id,
            response: call.response,
            target: call.target.address(),
            operation: call.operation.name,
            contexts,
        };
        let layout = begin_request(out, version, &request)?;
        if announced.is_none() && call.intercepted.is_none() {
            self.template = Template {
                request_id_at: layout.request_id_at,
                len: layout.end_of_header,
                ..wanted
            };
        }
        Ok(())
    }

    /// Sends a whole message. A server that does not read is waited for as long as the call may
    /// take.
    #[inline]
    pub(crate) fn put(
        &self,
        message: &Encoder<'_>,
        deadline: &Deadline,
    ) -> Result<(), SystemException> {
        self.stream
            .set_send_timeout(deadline.sending())
            .map_err(|source| SendError { sent: 0, source })
            .and_then(|()| send(&*self.stream, message, self.fragment_size))
            .map_err(|error| self.unsent(&error))
    }

    /// The number for a message that expects an answer.
    pub(crate) fn take_id(&mut self) -> u32 {
        let id = self.next_id;
        self.next_id = id.wrapping_add(1);
        id
    }

    /// Waits for the next message that `accept` takes; it gives `None` for others, such as the late
    /// reply to a call that was given up.
    #[inline(always)]
    pub(crate) fn receive<T>(
        &mut self,
        deadline: &Deadline,
        accept: impl FnMut(&Message<'_>) -> CdrResult<Option<T>>,
    ) -> Result<T, SystemException> {
        let Some(limit) = deadline.limit.filter(|limit| *limit >= watch::SHORTEST) else {
            return self.await_message(deadline, accept);
        };
        self.watch.begin(deadline.started.plus(limit));
        let received = self.await_message(&Deadline { limit: None, ..*deadline }, accept);
        match (received, self.watch.end()) {
            (received, true) => received,
            (_, false) => Err(self.late(deadline)),
        }
    }

    fn await_message<T>(
        &mut self,
        deadline: &Deadline,
        mut accept: impl FnMut(&Message<'_>) -> CdrResult<Option<T>>,
    ) -> Result<T, SystemException> {
        let mut first_read = !std::mem::take(&mut self.fresh);
        loop {
            match self.framer.next() {
                Ok(Some(message)) => match accept(&message) {
                    Ok(Some(value)) => return Ok(value),
                    Ok(None) => refuse(&message, self.stream.peer())?,
                    Err(error) => return Err(self.broken(&error.to_string())),
                },
                Ok(None) => {
                    self.read(deadline, first_read)?;
                    first_read = false;
                }
                Err(error) => return Err(self.broken(&error.to_string())),
            }
        }
    }

    /// Reads what the peer has sent, waiting for it as long as the call may take.
    #[inline]
    fn read(&mut self, deadline: &Deadline, first: bool) -> Result<(), SystemException> {
        // The usual call needs one read, whose limit is the call's: set already, no clock to ask.
        let timeout = match first {
            true => deadline.limit,
            false => deadline.remaining().ok_or_else(|| self.late(deadline))?,
        };
        let received = self
            .stream
            .set_recv_timeout(timeout)
            .and_then(|()| self.stream.recv(self.framer.space()));
        match received {
            Ok(0) => Err(self.lost("the server closed the connection", deadline)),
            Ok(count) => {
                self.framer.received(count);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(self.late(deadline)),
            Err(error) => Err(self.lost(&error.to_string(), deadline)),
        }
    }

    /// Tells the server that nobody waits for its reply any more.
    pub(crate) fn cancel(&self, version: Version, id: u32) {
        // The connection is closed next, which says the same.
        self.stream.send_all(&cancel_request(version, id)).ok();
    }

    fn peer(&self) -> String {
        self.stream.peer().to_string()
    }

    /// The server never got all of the message, so it cannot have begun.
    #[cold]
    fn unsent(&self, error: &SendError) -> SystemException {
        let (kind, minor) = match error.source.kind() {
            io::ErrorKind::TimedOut => (ExceptionKind::Timeout, Minor::SEND_LATE),
            _ => (ExceptionKind::CommFailure, Minor::SEND_FAILED),
        };
        SystemException::new(kind, minor, Completion::No)
            .because(format!("the request to {} could not be sent: {error}", self.peer()))
    }

    #[cold]
    fn late(&self, deadline: &Deadline) -> SystemException {
        let what = format!(
            "no reply from {} within {}",
            self.peer(),
            milliseconds(deadline.limit.unwrap_or_default())
        );
        SystemException::new(ExceptionKind::Timeout, Minor::REPLY_LATE, Completion::Maybe)
            .because(what)
            .hint("the limit is the reference's (with_timeout) or the ORB's (call_timeout)")
    }

    #[cold]
    fn lost(&self, why: &str, deadline: &Deadline) -> SystemException {
        let what = format!(
            "the connection to {} was lost while waiting for the reply, after {}: {why}",
            self.peer(),
            milliseconds(deadline.elapsed())
        );
        SystemException::new(ExceptionKind::CommFailure, Minor::CONNECTION_LOST, Completion::Maybe)
            .because(what)
    }

    #[cold]
    fn broken(&self, why: &str) -> SystemException {
        let what = format!("{} sent something that is no reply: {why}", self.peer());
        SystemException::new(ExceptionKind::CommFailure, Minor::PROTOCOL_ERROR, Completion::Maybe)
            .because(what)
            .hint("is what listens there a CORBA server?")
    }
}

/// What a message that is not the awaited one means for the call: an error, or nothing.
#[cold]
fn refuse(message: &Message<'_>, peer: &armilla_ipc::Address) -> Result<(), SystemException> {
    let (kind, minor, completed, what) = match message.header.kind {
        // A late reply, or one to nothing.
        MessageKind::Reply | MessageKind::LocateReply => return Ok(()),
        MessageKind::CloseConnection => (
            ExceptionKind::Transient,
            Minor::CLOSING,
            Completion::No,
            format!("{peer} closes the connection and has not begun the call"),
        ),
        MessageKind::MessageError => (
            ExceptionKind::CommFailure,
            Minor::MESSAGE_ERROR,
            Completion::No,
            format!("{peer} could not read the request"),
        ),
        kind => (
            ExceptionKind::CommFailure,
            Minor::PROTOCOL_ERROR,
            Completion::Maybe,
            format!("{peer} sent a {kind:?} where a reply is due"),
        ),
    };
    Err(SystemException::new(kind, minor, completed).because(what))
}

#[cold]
fn too_large(size: usize, limit: usize) -> SystemException {
    let what = format!("the request has {size} octets, the limit (max_message) is {limit}");
    SystemException::new(ExceptionKind::ImpLimit, Minor::MESSAGE_TOO_LARGE, Completion::No)
        .because(what)
}
