//! One connection to a server, carrying one call at a time.
//!
//! The calling thread itself writes the request and reads the reply. Buffers live as long as the
//! connection, so a call allocates nothing once they have grown to its size.

use super::call_timer::{self, CallTimer};
use super::deadline::Deadline;
use super::loss::{CLOSED_BY_SERVER, Lost, late};
use super::request::{Outgoing, Template};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::settings::Settings;
use crate::wire::send;
use armilla_cdr::{Buffer, ByteOrder, CodeSets, Decoder, Encoder};
use armilla_giop::engine::{ClientEvent, ConnectionLoss, Initiator};
use armilla_giop::{
    CodeSetContext, CompletionStatus, Framer, Message, ReplyHeader, Version, cancel_request,
    close_connection,
};
use armilla_ipc::{CoarseInstant, Readiness, SendError, Stream, coarse_now};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// A connection and its state.
pub(crate) struct ExclusiveConnection {
    stream: Arc<dyn Stream>,
    call_timer: Arc<CallTimer>,
    framer: Framer,
    /// The last request sent, whose header is the template of the next.
    request: Buffer,
    template: Template,
    initiator: Initiator<()>,
    code_sets: CodeSets,
    /// The code sets that were agreed on, if any were.
    agreed: Option<CodeSetContext>,
    /// Whether they still have to be told to the server.
    unannounced: bool,
    /// How long the stream waits for a server that does not read.
    send_limit: Option<Duration>,
    /// Whether it was told to wait for a server that does not write as long as that takes.
    recv_unlimited: bool,
    max_message: usize,
    /// From how many octets on a request leaves in fragments.
    fragment_size: usize,
    /// Whether the connection was made for the call under way, whose time that has taken from.
    fresh: bool,
    pub(crate) last_used: CoarseInstant,
    version: Version,
}

/// What becomes of the answer to a request. It is no closure, so that it can be made part of the wait
/// for it.
pub(super) trait ReplyReceiver<T> {
    /// Takes what has arrived, whatever it is.
    fn take(&mut self, arrived: ClientEvent<'_, ()>) -> T;

    /// Takes a reply, as most are.
    #[inline(always)]
    fn take_reply(&mut self, header: ReplyHeader<'_>, body: Decoder<'_>) -> T {
        self.take(ClientEvent::Reply((), header, body))
    }
}

impl ExclusiveConnection {
    pub(crate) fn new(
        stream: Arc<dyn Stream>,
        call_timer: Arc<CallTimer>,
        agreed: Option<CodeSetContext>,
        settings: &Settings,
    ) -> Self {
        Self {
            stream,
            call_timer,
            framer: Framer::new(settings.max_message),
            request: Buffer::new(),
            template: Template::default(),
            initiator: Initiator::new(1),
            // What was agreed on is what we chose ourselves.
            code_sets: agreed.and_then(|sets| sets.code_sets().ok()).unwrap_or(CodeSets::UNAGREED),
            agreed,
            unannounced: agreed.is_some(),
            // As good as none, and told whatever a call's is.
            send_limit: Some(Duration::MAX),
            recv_unlimited: false,
            max_message: settings.max_message,
            fragment_size: settings.fragment_size.unwrap_or(usize::MAX),
            fresh: true,
            last_used: coarse_now(),
            version: settings.max_giop,
        }
    }

    /// Whether the peer has neither closed the connection nor said anything since the last call.
    pub(crate) fn still_stands(&self) -> bool {
        matches!(self.stream.readiness(), Ok(Readiness::Idle))
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
        outgoing: &Outgoing<'_, 'p>,
        deadline: &Deadline,
    ) -> Result<u32, SystemException> {
        let id = self.begin(outgoing.response.response_expected())?;
        self.version = outgoing.target.access.version;
        let memory = std::mem::take(&mut self.request);
        let mut out = Encoder::with_reused_buffer(memory, ByteOrder::NATIVE, self.code_sets);
        let agreed = (self.agreed.as_ref(), None, self.unannounced);
        let sent = match self.template.encode(&mut out, id, outgoing, agreed, self.max_message) {
            Ok(_) => self.put(&out, deadline),
            Err(error) => Err(error),
        };
        self.request = out.take_buffer();
        std::mem::forget(out);
        self.unannounced &= sent.is_err();
        if sent.is_err() {
            self.initiator.forget(id);
        }
        sent.map(|()| id)
    }

    /// Sends a whole message. A server that does not read is waited for as long as the call may
    /// take.
    #[inline(always)]
    pub(crate) fn put(
        &mut self,
        message: &Encoder<'_>,
        deadline: &Deadline,
    ) -> Result<(), SystemException> {
        let limit = deadline.sending();
        if self.send_limit != limit {
            self.limit_sending(limit)?;
        }
        send(&*self.stream, message, self.fragment_size).map_err(|error| self.unsent(&error))
    }

    #[cold]
    fn limit_sending(&mut self, limit: Option<Duration>) -> Result<(), SystemException> {
        let set = self.stream.set_send_timeout(limit);
        set.map_err(|source| self.unsent(&SendError { sent: 0, source }))?;
        self.send_limit = limit;
        Ok(())
    }

    /// The number of the next message, and whether an answer is waited for.
    #[inline(always)]
    pub(crate) fn begin(&mut self, answered: bool) -> Result<u32, SystemException> {
        if !answered {
            return Ok(self.initiator.next_id());
        }
        self.initiator.begin((), None).map_err(|_| {
            // It carries one call at a time, and none once it has ended.
            SystemException::new(ExceptionKind::Internal, Minor::default(), Completion::No)
        })
    }

    /// Waits for the answer to what was sent, and hands it to `taker`.
    #[inline(always)]
    pub(super) fn receive<T>(
        &mut self,
        deadline: &Deadline,
        taker: &mut impl ReplyReceiver<T>,
    ) -> Result<T, SystemException> {
        let watched = deadline.limit.filter(|limit| *limit >= call_timer::SHORTEST);
        if let Some(limit) = watched {
            self.call_timer.begin(deadline.started.plus(limit));
        }
        let received = self.await_message(deadline, watched.is_some(), taker);
        if watched.is_some() && !self.call_timer.end() {
            return Err(late(self.stream.peer(), deadline));
        }
        received
    }

    #[inline(always)]
    fn await_message<T>(
        &mut self,
        deadline: &Deadline,
        watched: bool,
        taker: &mut impl ReplyReceiver<T>,
    ) -> Result<T, SystemException> {
        let mut first_read = !std::mem::take(&mut self.fresh);
        // Nothing can have come yet, unless the server has sent what was not asked for.
        if !self.framer.has_more() {
            self.read(deadline, watched, first_read)?;
            first_read = false;
        }
        if let Some(message) = self.framer.next_single() {
            if let Some(((), header, body)) = self.initiator.receive_reply_fast(&message) {
                return Ok(taker.take_reply(header, body));
            }
            match take_other(&mut self.initiator, &message, taker) {
                Ok(None) => {}
                Ok(Some(taken)) => return Ok(taken),
                Err(loss) => return Err(self.ended(loss, "", deadline)),
            }
        }
        self.await_other(deadline, watched, first_read, taker)
    }

    /// Waits on where the answer was not all that came with the first read.
    #[cold]
    #[inline(never)]
    fn await_other<T>(
        &mut self,
        deadline: &Deadline,
        watched: bool,
        mut first_read: bool,
        taker: &mut impl ReplyReceiver<T>,
    ) -> Result<T, SystemException> {
        loop {
            match self.framer.next() {
                Ok(Some(message)) => match take_other(&mut self.initiator, &message, taker) {
                    Ok(None) => {}
                    Ok(Some(taken)) => return Ok(taken),
                    Err(loss) => return Err(self.ended(loss, "", deadline)),
                },
                Ok(None) => {
                    self.read(deadline, watched, first_read)?;
                    first_read = false;
                }
                Err(error) => {
                    return Err(self.ended(
                        ConnectionLoss::Unreadable,
                        &error.to_string(),
                        deadline,
                    ));
                }
            }
        }
    }

    /// Reads what the peer has sent, waiting for it as long as the call may take: this long, unless
    /// the call_timer ends it.
    #[inline(always)]
    fn read(
        &mut self,
        deadline: &Deadline,
        watched: bool,
        first: bool,
    ) -> Result<(), SystemException> {
        // The usual call needs one read, whose limit is the call's: set already, no clock to ask.
        let timeout = match (watched, first) {
            (true, _) => None,
            (false, true) => deadline.limit,
            (false, false) => {
                deadline.remaining().ok_or_else(|| late(self.stream.peer(), deadline))?
            }
        };
        if timeout.is_some() || !self.recv_unlimited {
            self.limit_receiving(timeout, deadline)?;
        }
        match self.stream.recv(self.framer.space()) {
            Ok(0) => Err(self.ended(ConnectionLoss::Broken, CLOSED_BY_SERVER, deadline)),
            Ok(count) => {
                self.framer.received(count);
                Ok(())
            }
            Err(error) => Err(self.unread(&error, deadline)),
        }
    }

    #[cold]
    #[inline(never)]
    fn unread(&mut self, error: &io::Error, deadline: &Deadline) -> SystemException {
        match error.kind() {
            io::ErrorKind::TimedOut => late(self.stream.peer(), deadline),
            _ => self.ended(ConnectionLoss::Broken, &error.to_string(), deadline),
        }
    }

    #[cold]
    #[inline(never)]
    fn limit_receiving(
        &mut self,
        limit: Option<Duration>,
        deadline: &Deadline,
    ) -> Result<(), SystemException> {
        self.recv_unlimited = limit.is_none();
        let set = self.stream.set_recv_timeout(limit);
        set.map_err(|error| self.ended(ConnectionLoss::Broken, &error.to_string(), deadline))
    }

    /// Tells the server that nobody waits for its reply any more.
    pub(crate) fn cancel(&self, version: Version, id: u32) {
        // The connection is closed next, which says the same.
        self.stream.send_all(&cancel_request(version, id)).ok();
    }

    /// The server never got all of the message, so it cannot have begun.
    #[cold]
    fn unsent(&self, error: &SendError) -> SystemException {
        let (kind, minor) = match error.source.kind() {
            io::ErrorKind::TimedOut => (ExceptionKind::Timeout, Minor::SEND_TIMED_OUT),
            _ => (ExceptionKind::CommFailure, Minor::SEND_FAILED),
        };
        SystemException::new(kind, minor, Completion::No).with_reason(format!(
            "the request to {} could not be sent: {error}",
            self.stream.peer()
        ))
    }

    /// What the call under way, whose request has left whole, ends with when the connection does.
    #[cold]
    fn ended(&mut self, loss: ConnectionLoss, why: &str, deadline: &Deadline) -> SystemException {
        let executed = self.initiator.end(&loss).next();
        let executed = executed.map_or(CompletionStatus::Maybe, |((), executed)| executed);
        Lost { peer: self.stream.peer().clone(), loss, why: why.into() }
            .exception(executed, deadline)
    }
}

/// Takes what is not the usual reply; nothing if it is stale.
#[cold]
#[inline(never)]
fn take_other<T>(
    initiator: &mut Initiator<()>,
    message: &Message<'_>,
    taker: &mut impl ReplyReceiver<T>,
) -> Result<Option<T>, ConnectionLoss> {
    Ok(match initiator.receive(message)? {
        ClientEvent::Stale => None,
        arrived => Some(taker.take(arrived)),
    })
}
