//! A connection that carries one call at a time.
//!
//! The calling thread writes the request and reads the reply. The buffers belong to the connection,
//! so that a call allocates nothing once they have grown to its size. A large result of octets is
//! received elsewhere; see [`detached`].

mod detached;

use super::call_timer::{self, CallTimer};
use super::loss::{CLOSED_BY_SERVER, LostConnection, reply_timed_out};
use super::peer_name::PeerName;
use super::reply_memory::ReplyReservation;
use super::silence::SilenceListener;
use crate::client::request::{Deadline, Outgoing, ReplyStart, Template};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::settings::Settings;
use crate::wire::send;
use armilla_cdr::{Buffer, ByteOrder, CodeSets, Encoder};
use armilla_giop::engine::{ClientEvent, ConnectionLoss, Initiator};
use armilla_giop::{
    CodeSetContext, CompletionStatus, Framer, HEADER_LEN, Message, MessageHeader, MessageKind,
    Version, cancel_request, close_connection,
};
use armilla_ipc::{CoarseInstant, Readiness, SendError, Stream, coarse_now};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// The memory of the last request that an unused connection keeps, in octets.
const KEPT_REQUEST: usize = 64 << 10;

/// A connection and its state.
pub(crate) struct ExclusiveConnection {
    stream: Arc<dyn Stream>,
    peer: PeerName,
    /// Whether the stream goes through shared memory.
    in_memory: bool,
    call_timer: Arc<CallTimer>,
    framer: Framer,
    /// The last request sent. Its header is the template for the next.
    request: Buffer,
    template: Template,
    initiator: Initiator<()>,
    code_sets: CodeSets,
    /// The negotiated code sets, if any.
    agreed: Option<CodeSetContext>,
    /// Whether they still have to be sent to the server.
    unannounced: bool,
    /// The send timeout that is set on the stream.
    send_limit: Option<Duration>,
    /// Whether the stream has no receive timeout, and the call timer does not rest.
    recv_unlimited: bool,
    /// Whether the call timer rests.
    rests: bool,
    max_message: usize,
    /// The size from which a request is sent in fragments.
    fragment_size: usize,
    /// Whether the connection was made for the call under way; making it has used some of the
    /// call's time.
    fresh: bool,
    pub(crate) last_used: CoarseInstant,
    /// The id of the last oneway request, and when the connection had heard something before it.
    unanswered: (u32, CoarseInstant),
    /// Told when the connection goes silent.
    silence_listener: Option<Arc<dyn SilenceListener>>,
    version: Version,
    /// What is known of the last reply.
    pub(in crate::client) start: ReplyStart,
    /// The octets of the last reply that are not in the framer.
    detached: Vec<u8>,
    /// What a large reply has reserved.
    memory: ReplyReservation,
    /// The pool to which the connection returns, if the call does not refer to it.
    pub(in crate::client) pool: Option<Arc<dyn IdlePool>>,
}

/// Where a connection is kept between two calls.
pub(in crate::client) trait IdlePool: Send + Sync {
    /// Takes a connection back after a call.
    fn return_idle(&self, link: Box<ExclusiveConnection>);
}

/// The message that has arrived for a request. It stays in the connection until the next request:
/// see [`ExclusiveConnection::message`].
pub(in crate::client) enum ReceivedMessage {
    /// A reply; [`start`](ExclusiveConnection::start) describes it.
    Reply,
    LocateReply,
}

impl ExclusiveConnection {
    pub(crate) fn new(
        (stream, peer): (Arc<dyn Stream>, PeerName),
        (call_timer, memory): (Arc<CallTimer>, ReplyReservation),
        agreed: Option<CodeSetContext>,
        silence_listener: Option<Arc<dyn SilenceListener>>,
        settings: &Settings,
    ) -> Self {
        let now = coarse_now();
        Self {
            in_memory: stream.doorbell().is_some(),
            stream,
            peer,
            call_timer,
            framer: Framer::new(settings.max_message),
            request: Buffer::new(),
            template: Template::default(),
            initiator: Initiator::new(1),
            // This client has chosen the code sets itself, so they are known to it.
            code_sets: settings.code_sets(agreed),
            agreed,
            unannounced: agreed.is_some(),
            // Differs from any limit of a call, so that the first call sets its own.
            send_limit: Some(Duration::MAX),
            recv_unlimited: false,
            rests: false,
            max_message: settings.max_message,
            fragment_size: settings.fragment_size.unwrap_or(usize::MAX),
            fresh: true,
            last_used: now,
            // What comes before the first request.
            unanswered: (u32::MAX, now),
            silence_listener,
            version: settings.max_giop,
            start: ReplyStart::NONE,
            detached: Vec::new(),
            memory,
            pool: None,
        }
    }

    /// Notes that the call under way has used some of its time, as for making the connection.
    pub(in crate::client) const fn renew(&mut self) {
        self.fresh = true;
    }

    /// Whether the connection is open and the server has sent nothing since the last call.
    pub(crate) fn is_alive(&self) -> bool {
        matches!(self.stream.readiness(), Ok(Readiness::Idle))
    }

    /// Lets the connection rest, which was not used for a while: frees the memory of large messages,
    /// and lets the call timer rest. Returns how many octets that were.
    pub(in crate::client) fn rest(&mut self) -> usize {
        // The next call limits its first read anew, and finds there that the timer rests.
        (self.rests, self.recv_unlimited) = (true, false);
        self.call_timer.rest();
        let request = self.request.capacity();
        if request > KEPT_REQUEST {
            // The template of the next request goes with it.
            (self.request, self.template) = (Buffer::new(), Template::default());
        }
        self.detached = Vec::new();
        self.memory.resize(0);
        self.stream.release_memory();
        self.framer.release_memory() + request - self.request.capacity()
    }

    /// Ends the [rest](Self::rest) of the connection, which a call is about to use.
    #[cold]
    pub(in crate::client) fn end_rest(&mut self) {
        if std::mem::take(&mut self.rests) {
            self.call_timer.end_rest();
        }
    }

    /// Closes the connection. Sends CloseConnection first if the GIOP version lets a client do so.
    pub(crate) fn close_in_order(self) {
        if self.version >= Version::V1_2 {
            // If sending fails, the server still sees the end of the stream.
            send_without_waiting(&*self.stream, &close_connection(self.version));
        }
    }

    /// The code sets of the connection.
    #[inline(always)]
    pub(crate) const fn code_sets(&self) -> CodeSets {
        self.code_sets
    }

    /// Sends a request and returns its request id.
    #[inline(always)]
    pub(crate) fn send<'p>(
        &mut self,
        outgoing: &Outgoing<'_, 'p>,
        deadline: &Deadline,
    ) -> Result<u32, SystemException> {
        let id = self.begin(outgoing.response.response_expected())?;
        self.version = outgoing.object.version;
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

    /// Sends a whole message. Blocks within the limit of the call while the server does not read.
    #[inline(always)]
    pub(crate) fn put(
        &mut self,
        message: &Encoder<'_>,
        deadline: &Deadline,
    ) -> Result<(), SystemException> {
        let limit = deadline.sending();
        if self.send_limit != limit {
            self.limit_sending(limit, deadline)?;
        }
        send(&*self.stream, message, self.fragment_size)
            .map_err(|error| self.unsent(&error, deadline))
    }

    #[cold]
    fn limit_sending(
        &mut self,
        limit: Option<Duration>,
        deadline: &Deadline,
    ) -> Result<(), SystemException> {
        let set = self.stream.set_send_timeout(limit);
        set.map_err(|source| self.unsent(&SendError { sent: 0, source }, deadline))?;
        self.send_limit = limit;
        Ok(())
    }

    /// The request id of the next message. Registers it if an answer is expected.
    #[inline(always)]
    pub(crate) fn begin(&mut self, answered: bool) -> Result<u32, SystemException> {
        if !answered {
            return Ok(self.begin_unanswered());
        }
        self.initiator.begin((), None).map_err(|_| {
            // Calls on the connection do not overlap, and an ended connection is not reused.
            SystemException::new(ExceptionKind::Internal, Minor::default(), Completion::No)
        })
    }

    /// The request id of a oneway request.
    fn begin_unanswered(&mut self) -> u32 {
        let id = self.initiator.next_id();
        let (last, heard) = self.unanswered;
        // Of several in a row, what came before the first counts.
        let heard = if last == id.wrapping_sub(1) { heard } else { self.last_used };
        self.unanswered = (id, heard);
        id
    }

    /// The start of the last call that has brought something from the server.
    pub(in crate::client) fn heard(&self) -> CoarseInstant {
        match self.unanswered {
            (last, heard) if last == self.initiator.last_id() => heard,
            _ => self.last_used,
        }
    }

    /// The exception of a call whose reply did not come in time.
    #[cold]
    #[inline(never)]
    fn late(&self, deadline: &Deadline) -> SystemException {
        if !self.framer.is_partial() && self.detached.is_empty() {
            self.note_silence(deadline);
        }
        reply_timed_out(&self.peer, deadline)
    }

    /// Notes that nothing has arrived for a call that has expired. The connection is not used again
    /// in any case; others to the same address may be as silent.
    #[cold]
    fn note_silence(&self, deadline: &Deadline) {
        self.silence_listener.iter().for_each(|listener| listener.went_silent(deadline.started));
    }

    /// Waits for the answer to the request. If it `detaches` octets, those of a large reply are
    /// received apart from it.
    #[inline(always)]
    pub(in crate::client) fn receive(
        &mut self,
        deadline: &Deadline,
        detaches: bool,
    ) -> Result<ReceivedMessage, SystemException> {
        let watched = deadline.limit.filter(|limit| *limit >= call_timer::SHORTEST);
        if let Some(limit) = watched {
            self.call_timer.begin(deadline.started.plus(limit));
        }
        let received = self.await_message(deadline, watched.is_some(), detaches);
        if watched.is_some() && !self.call_timer.end() {
            // The reply may have come at the last moment.
            return Err(match received {
                Ok(_) => reply_timed_out(&self.peer, deadline),
                Err(_) => self.late(deadline),
            });
        }
        received
    }

    /// The answer that [`receive`](Self::receive) has found.
    pub(in crate::client) fn message(&self) -> Option<Message<'_>> {
        self.framer.current()
    }

    /// The octets of that answer, if it came without fragments.
    #[inline(always)]
    pub(in crate::client) fn octets(&self) -> &[u8] {
        self.framer.current_octets()
    }

    /// Whether octets of the last reply were received apart, and not taken yet.
    #[inline(always)]
    pub(in crate::client) const fn has_detached(&self) -> bool {
        !self.detached.is_empty()
    }

    /// That answer, and the octets of it that were received apart.
    pub(in crate::client) fn parts(&mut self) -> (Option<Message<'_>>, &mut Vec<u8>) {
        // They are the caller's now.
        self.memory.resize(0);
        (self.framer.current(), &mut self.detached)
    }

    #[inline(always)]
    fn await_message(
        &mut self,
        deadline: &Deadline,
        watched: bool,
        detaches: bool,
    ) -> Result<ReceivedMessage, SystemException> {
        let mut first_read = !std::mem::take(&mut self.fresh);
        // The buffer holds no message yet, unless the server has sent an unsolicited one.
        if !self.framer.has_more() {
            match detaches && self.in_memory {
                true => self.read_beginning(deadline, watched, first_read)?,
                false => self.read(deadline, watched, first_read)?,
            }
            first_read = false;
        }
        if let Some(message) = self.framer.next_single() {
            if let Some(((), header, body)) = self.initiator.receive_reply_fast(&message) {
                self.start = ReplyStart::fast(&message, &header, &body);
                return Ok(ReceivedMessage::Reply);
            }
            match take_other(&mut self.initiator, &message, &mut self.start) {
                Ok(None) => {}
                Ok(Some(arrived)) => return Ok(arrived),
                Err(loss) => return Err(self.ended(loss, "", deadline)),
            }
        }
        self.await_other(deadline, (watched, first_read), detaches)
    }

    /// Continues the wait if the first read did not contain the whole answer.
    #[cold]
    #[inline(never)]
    fn await_other(
        &mut self,
        deadline: &Deadline,
        (watched, mut first_read): (bool, bool),
        detaches: bool,
    ) -> Result<ReceivedMessage, SystemException> {
        loop {
            match self.framer.next() {
                Ok(Some(message)) => {
                    match take_other(&mut self.initiator, &message, &mut self.start) {
                        Ok(None) => {}
                        Ok(Some(arrived)) => return Ok(arrived),
                        Err(loss) => return Err(self.ended(loss, "", deadline)),
                    }
                }
                Ok(None) => {
                    if !detaches || !self.receive_detached(deadline, watched)? {
                        self.reserve_memory()?;
                        self.read(deadline, watched, first_read)?;
                    }
                    first_read = false;
                }
                Err(error) => {
                    return Err(self.ended(ConnectionLoss::Unreadable(error), "", deadline));
                }
            }
        }
    }

    /// Reads from the stream. The socket's receive timeout limits the read to the time left of the
    /// call, unless the call timer does (`watched`).
    #[inline(always)]
    fn read(
        &mut self,
        deadline: &Deadline,
        watched: bool,
        first: bool,
    ) -> Result<(), SystemException> {
        self.prepare_read(deadline, watched, first)?;
        let received = self.stream.recv(self.framer.space());
        let count = self.arrived(received, deadline)?;
        self.framer.received(count);
        Ok(())
    }

    /// Reserves memory for the reply that is incomplete.
    ///
    /// # Errors
    /// `NO_RESOURCES` if there is not enough. The connection cannot be used again.
    #[inline]
    fn reserve_memory(&mut self) -> Result<(), SystemException> {
        if self.memory.resize(self.framer.expected_memory()) {
            return Ok(());
        }
        let status = self.framer.refuse_reply().map(|refused| refused.status);
        Err(self.memory.refused(&self.peer, status))
    }

    /// Sets the time limit of a read.
    #[inline(always)]
    fn prepare_read(
        &mut self,
        deadline: &Deadline,
        watched: bool,
        first: bool,
    ) -> Result<(), SystemException> {
        // The usual call needs one read with the call's own limit, which is already set: it does
        // not read the clock.
        let timeout = match (watched, first) {
            (true, _) => None,
            (false, true) => deadline.limit,
            (false, false) => deadline.remaining().ok_or_else(|| self.late(deadline))?,
        };
        if timeout.is_some() || !self.recv_unlimited {
            self.limit_receiving(timeout, deadline)?;
        }
        Ok(())
    }

    /// How many octets a read has brought.
    #[inline(always)]
    fn arrived(
        &mut self,
        received: io::Result<usize>,
        deadline: &Deadline,
    ) -> Result<usize, SystemException> {
        match received {
            Ok(0) => Err(self.ended(ConnectionLoss::Broken, CLOSED_BY_SERVER, deadline)),
            Ok(count) => Ok(count),
            Err(error) => Err(self.unread(&error, deadline)),
        }
    }

    #[cold]
    #[inline(never)]
    fn unread(&mut self, error: &io::Error, deadline: &Deadline) -> SystemException {
        match error.kind() {
            io::ErrorKind::TimedOut => self.late(deadline),
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
        // In case that the pool took the connection for one that was used just now.
        self.end_rest();
        let set = self.stream.set_recv_timeout(limit);
        set.map_err(|error| self.ended(ConnectionLoss::Broken, &error.to_string(), deadline))
    }

    /// Tells the server that the reply is no longer wanted.
    pub(crate) fn cancel(&self, version: Version, id: u32) {
        // On failure the server still sees that the connection is closed next.
        send_without_waiting(&*self.stream, &cancel_request(version, id));
    }

    /// The exception for a request that was not completely sent. The server cannot have begun it.
    #[cold]
    fn unsent(&self, error: &SendError, deadline: &Deadline) -> SystemException {
        let (kind, minor) = match error.source.kind() {
            io::ErrorKind::TimedOut => {
                self.note_silence(deadline);
                (ExceptionKind::Timeout, Minor::SEND_TIMED_OUT)
            }
            io::ErrorKind::BrokenPipe if self.is_closed_in_order() => {
                let closed = ConnectionLoss::Closed;
                return LostConnection {
                    peer: self.peer.clone(),
                    loss: closed,
                    why: String::new(),
                }
                .exception(CompletionStatus::No, deadline);
            }
            _ => (ExceptionKind::CommFailure, Minor::SEND_FAILED),
        };
        SystemException::new(kind, minor, Completion::No)
            .with_reason(format!("the request to {} could not be sent: {error}", self.peer))
    }

    /// Whether the server has said that it closes the connection, which took no request any more. The
    /// transports of a host tell that it is closed before anything is sent, TCP does not.
    fn is_closed_in_order(&self) -> bool {
        let mut header = [0; HEADER_LEN];
        matches!(self.stream.try_recv(&mut header), Ok(HEADER_LEN))
            && MessageHeader::decode(&header)
                .is_ok_and(|header| header.kind == MessageKind::CloseConnection)
    }

    /// Whether requests may be sent.
    pub(in crate::client) fn is_open(&self) -> bool {
        self.initiator.is_open()
    }

    /// The exception for the call under way when the connection ends after its request was sent.
    #[cold]
    fn ended(&mut self, loss: ConnectionLoss, why: &str, deadline: &Deadline) -> SystemException {
        let executed = self.initiator.end(&loss).next();
        let executed = executed.map_or(CompletionStatus::Maybe, |((), executed)| executed);
        LostConnection { peer: self.peer.clone(), loss, why: why.into() }
            .exception(executed, deadline)
    }
}

/// Sends a message that nobody waits for, as far as the server takes it at this moment: the thread
/// may be one that others depend on, or the call has no time left.
fn send_without_waiting(stream: &dyn Stream, message: &[u8]) {
    // A transport of the program may know no other way than to wait.
    stream.set_send_timeout(Some(Duration::ZERO)).ok();
    stream.try_send(message).ok();
}

/// Takes a message that is not the usual reply. `None` for a stale one.
#[cold]
#[inline(never)]
fn take_other(
    initiator: &mut Initiator<()>,
    message: &Message<'_>,
    start: &mut ReplyStart,
) -> Result<Option<ReceivedMessage>, ConnectionLoss> {
    Ok(match initiator.receive(message)? {
        ClientEvent::Reply((), header, body) => {
            *start = ReplyStart::new(&header, &body);
            Some(ReceivedMessage::Reply)
        }
        ClientEvent::LocateReply(..) => Some(ReceivedMessage::LocateReply),
        ClientEvent::Stale => None,
    })
}
