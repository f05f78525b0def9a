//! One connection from a client: reading requests and serving them.
//!
//! The leader of the connection (see [`crate::server::threads::leadership`]) reads a request, calls
//! the servant and writes the reply itself. A call thus costs two system calls, no handover to
//! another thread, and no allocation once the buffers have grown to the size of the messages. The
//! buffers belong to the thread, so an idle connection holds none.
//!
//! How it reads is in [`super::receiving`], how replies are queued and sent in [`super::output`],
//! how a connection ends in [`super::closing`]. What waits for the requests of an idle connection
//! is in [`crate::server::threads::workers`].

use super::bidirectional::{self, Bidirectional};
use super::output::Output;
use super::slowness::Slowness;
use crate::client::Ready;
use crate::exception::{Completion, SystemException};
use crate::log::report;
use crate::message_memory::Reservation;
use crate::runtime::Orb;
use crate::server::dispatch::caller::serve_from;
use crate::server::dispatch::locate::locate;
use crate::server::dispatch::requests;
use crate::server::dispatch::source::{RequestConnection, Source};
use crate::server::poa::ObjectAdapters;
use crate::server::reply::close_reason::CloseReason;
use crate::server::threads::connection_slot::ConnectionSlot;
use crate::server::threads::leadership::{LeadToken, Leadership};
use crate::server::threads::served::AfterServing;
use crate::server::threads::served_by::ServedBy;
use crate::server::threads::worker::Worker;
use crate::server::threads::worker_status::WorkerStatus;
use crate::server::threads::workers::Workers;
use armilla_cdr::{Buffer, CodeSets, Decoder};
use armilla_giop::engine::{ConnectionLoss, RequestAction, ServerEvent};
use armilla_giop::{
    Framer, Message, MessageKind, RequestHeader, Skipped, Version, decode_request,
    decode_request_fast,
};
use armilla_ipc::Stream;
use parking_lot::{Mutex, MutexGuard};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A connection and its state. Locks are taken in the order of the fields.
pub(crate) struct Connection {
    pub(in crate::server) orb: Orb,
    /// The active objects of the ORB, kept here so that a request finds them by one pointer.
    pub(in crate::server) objects: Arc<ObjectAdapters>,
    pub(in crate::server) workers: Arc<Workers>,
    pub(in crate::server) stream: Arc<dyn Stream>,
    pub(in crate::server) number: u64,
    /// Replies of this many octets or more are sent in fragments.
    pub(in crate::server) fragment_size: usize,
    pub(in crate::server) served_by: ServedBy,
    pub(in crate::server) leadership: Leadership,
    /// Only the leader locks it.
    framer: Mutex<Framer>,
    /// What an incomplete message has reserved. Only the leader locks it.
    reservation: Mutex<Reservation>,
    pub(in crate::server) output: Mutex<Output>,
    /// Why the leader was woken, as [`wake`](Self::wake) notes it; 0 if it was not.
    pub(in crate::server) wake_reason: AtomicU8,
    /// Whether the client has had several requests in progress at once.
    multiplexed: AtomicBool,
    /// Whether requests of such a client are likely to be slow.
    pub(in crate::server) slowness: Slowness,
    /// Whether the log already says that `requests_per_connection` is reached.
    reported: AtomicBool,
    /// Whether a large message came or went, so that its thread has memory to release.
    pub(in crate::server) large: AtomicBool,
    /// The state of bidirectional GIOP; unset on a connection that carries requests one way.
    pub(in crate::server) bidirectional: OnceLock<Bidirectional>,
    /// What the extension of a POA has attached.
    pub(in crate::server) extension: ConnectionSlot,
}

impl RequestConnection for Arc<Connection> {
    fn set_code_sets(&self, code_sets: CodeSets) {
        self.output.lock().responder.set_code_sets(code_sets);
    }

    fn accept_offer(&self, data: &[u8]) -> Result<(), SystemException> {
        bidirectional::accept_offer(self, data)
    }

    fn extension(&self) -> &ConnectionSlot {
        &self.extension
    }

    fn number(&self) -> u64 {
        self.number
    }
}

/// What a leader needs to serve one message.
struct LeaderContext<'h> {
    token: &'h mut LeadToken,
    reply: &'h mut Buffer,
    status: &'h WorkerStatus,
}

impl Connection {
    pub(in crate::server) fn new(
        orb: &Orb,
        workers: &Arc<Workers>,
        stream: Arc<dyn Stream>,
        number: u64,
        served_by: ServedBy,
    ) -> Self {
        let settings = orb.settings();
        // Without a limit, a client that does not read would block its thread for ever.
        stream.set_send_timeout(Some(settings.server_idle)).ok();
        let reservation = Reservation::new(&workers.message_memory, stream.peer());
        Self {
            orb: orb.clone(),
            objects: orb.object_adapters().clone(),
            workers: workers.clone(),
            stream,
            number,
            fragment_size: settings.fragment_size.unwrap_or(usize::MAX),
            served_by,
            leadership: Leadership::new(),
            framer: Mutex::new(Framer::new(settings.max_message)),
            reservation: Mutex::new(reservation),
            output: Mutex::new(Output::new(settings)),
            wake_reason: AtomicU8::new(0),
            multiplexed: AtomicBool::new(false),
            slowness: Slowness::default(),
            reported: AtomicBool::new(false),
            large: AtomicBool::new(false),
            bidirectional: OnceLock::new(),
            extension: ConnectionSlot::default(),
        }
    }

    /// Leads the connection from a thread of its own, until the connection ends or another thread
    /// takes over the leadership.
    pub(in crate::server) fn drive(self: &Arc<Self>, mut token: LeadToken, worker: &mut Worker) {
        worker.status.set_connection(self.clone());
        let _waiting = self.extension.begin();
        let served = self.serve(&mut token, worker, AfterServing::Wait);
        worker.status.clear_connection();
        if let Err(end) = served {
            self.conclude(&end);
        }
    }

    /// Serves what has arrived and what `fetch` reads. Returns `true` when nothing more has
    /// arrived, `false` when another thread has taken over the leadership.
    pub(in crate::server) fn serve(
        self: &Arc<Self>,
        token: &mut LeadToken,
        worker: &mut Worker,
        mut fetch: AfterServing,
    ) -> Result<bool, CloseReason> {
        let mut more = self.framer.lock().has_more();
        let mut was_oneway = false;
        loop {
            let mut framer = self.framer.lock();
            if !more {
                match fetch {
                    AfterServing::Return => return Ok(true),
                    AfterServing::Poll => fetch = AfterServing::Return,
                    AfterServing::Wait => {}
                }
                let oneway = worker.status.is_oneway();
                let in_flood = oneway && was_oneway;
                was_oneway = oneway;
                self.read(&mut framer, token, worker, (fetch, in_flood))?;
                if let Some(key) = worker.inbox.likely_object_key() {
                    self.objects.prefetch(key);
                }
            }
            if self.workers.is_closing() && !self.may_call() {
                return Err(CloseReason::Ours);
            }
            let Worker { inbox, reply, status, .. } = &mut *worker;
            let leads = match framer.take_single(inbox) {
                Some(message) => {
                    more = false;
                    match decode_request_fast(&message) {
                        Some((header, body)) => {
                            let context = LeaderContext { token, reply, status };
                            self.serve_request(framer, context, &message, header, body)?
                        }
                        None => {
                            let context = LeaderContext { token, reply, status };
                            self.serve_message(framer, context, &message)?
                        }
                    }
                }
                None => match framer.take(inbox) {
                    Err(error) => {
                        let skipped = framer.skip_oversized(error);
                        more = skipped != Ok(Skipped::Incomplete) && framer.has_more();
                        drop(framer);
                        let skipped = skipped.map_err(CloseReason::Framing)?;
                        if let Skipped::Request(request) = skipped {
                            self.refuse_oversized(&request, &error, reply)?;
                        }
                        true
                    }
                    Ok(Some(message)) => {
                        more = framer.has_more();
                        self.note_size(message.octets.len());
                        let _reserved = self.reservation.lock().take();
                        let context = LeaderContext { token, reply, status };
                        self.serve_message(framer, context, &message)?
                    }
                    Ok(None) => {
                        more = self.lacks_memory(&mut framer);
                        true
                    }
                },
            };
            if !leads {
                return Ok(false);
            }
        }
    }

    /// Reserves memory for the incomplete message. If there is none, the message is refused, and the
    /// result is `true`: what has arrived of it can be skipped.
    fn lacks_memory(&self, framer: &mut Framer) -> bool {
        // Fragments stay until the next one of their request arrives.
        let (octets, kept) = (framer.expected_memory(), framer.fragments_memory());
        if self.reservation.lock().resize(octets, kept) {
            return false;
        }
        framer.refuse_incomplete()
    }

    /// Serves one message of any kind. Returns `false` when another thread has taken over the
    /// leadership.
    #[cold]
    #[inline(never)]
    fn serve_message(
        self: &Arc<Self>,
        framer: MutexGuard<'_, Framer>,
        context: LeaderContext<'_>,
        message: &Message<'_>,
    ) -> Result<bool, CloseReason> {
        if message.header.kind != MessageKind::Request {
            drop(framer);
            return self.receive(message, context);
        }
        let malformed = |error| CloseReason::Malformed(MessageKind::Request, error);
        let (header, body) = decode_request(message).map_err(malformed)?;
        self.serve_request(framer, context, message, header, body)
    }

    /// Serves a request. Returns `false` as [`serve_message`](Self::serve_message) does. It is
    /// inlined into the loop, because most messages are requests.
    #[inline(always)]
    fn serve_request(
        self: &Arc<Self>,
        mut framer: MutexGuard<'_, Framer>,
        context: LeaderContext<'_>,
        message: &Message<'_>,
        header: RequestHeader<'_>,
        body: Decoder<'_>,
    ) -> Result<bool, CloseReason> {
        let LeaderContext { token, reply, status } = context;
        let (begun, code_sets) = self.begin(&mut framer, header.request_id);
        drop(framer);
        if begun != RequestAction::Serve {
            return self.answer_unserved(begun, message, &header, reply).map(|()| true);
        }
        self.leadership.enter_servant(token);
        status.enter_servant(*token, !header.response_expected);
        self.workers.monitor.wake_if_asleep();
        let timed = self.hand_over_if_slow(*token, header.response_expected);
        let served = requests::request(self.source(), message, header, body, code_sets, reply);
        status.leave_servant(&*self.workers);
        if let Some(begun) = timed {
            self.slowness.note(begun.elapsed());
        }
        if !self.leadership.leave_servant(token) {
            if let Err(end) = served {
                self.end_by_leader(&end);
            }
            return Ok(false);
        }
        served.map_err(|end| *end).map(|()| true)
    }

    /// The version of the message that could not be read.
    pub(in crate::server) fn failed_version(&self) -> Version {
        self.framer.lock().failed_version()
    }

    /// Where the requests of the connection come from.
    #[inline(always)]
    fn source(self: &Arc<Self>) -> Source<'_> {
        Source {
            orb: &self.orb,
            objects: &self.objects,
            sink: self,
            connection: Some(self),
            is_originated: self.is_originated(),
        }
    }

    /// Gives the buffer back before the leader turns to another connection.
    pub(in crate::server) fn park(&self, token: &mut LeadToken, worker: &mut Worker) {
        let mut framer = self.framer.lock();
        framer.return_buffer(&mut worker.inbox);
        if self.large.load(Ordering::Relaxed) {
            self.large.store(false, Ordering::Relaxed);
            worker.large = true;
        }
        self.await_message(token, &framer);
    }

    #[inline(always)]
    fn begin(&self, framer: &mut Framer, request_id: u32) -> (RequestAction, CodeSets) {
        let mut output = self.output.lock();
        let begun = match self.bidirectional.get() {
            // The server is closing, so this request must not begin: the client may send it again
            // to another server.
            Some(_) if self.workers.is_closing() => RequestAction::Ignore,
            Some(_) if output.serving() >= self.orb.settings().requests_per_connection => {
                RequestAction::Refuse
            }
            _ => output.responder.begin(request_id, || framer.has_cancel_for(request_id)),
        };
        if output.responder.has_several() {
            self.multiplexed.store(true, Ordering::Relaxed);
        }
        (begun, output.responder.code_sets())
    }

    /// Answers a request that is not served, if it needs an answer.
    #[cold]
    fn answer_unserved(
        self: &Arc<Self>,
        begun: RequestAction,
        message: &Message<'_>,
        header: &RequestHeader<'_>,
        reply: &mut Buffer,
    ) -> Result<(), CloseReason> {
        match begun {
            RequestAction::Refuse => self.refuse(message, header, reply),
            _ => Ok(()),
        }
    }

    /// Handles a message that is not a request. Returns `false` when another thread has taken over
    /// the leadership: a LocateRequest may call servant managers.
    #[cold]
    fn receive(
        self: &Arc<Self>,
        message: &Message<'_>,
        LeaderContext { token, reply, status }: LeaderContext<'_>,
    ) -> Result<bool, CloseReason> {
        if let Some(link) = self.link() {
            match message.header.kind {
                MessageKind::Reply | MessageKind::LocateReply => {
                    let ready = link.take(message)?;
                    return Ok(self.proceed_with(ready, token, status));
                }
                MessageKind::CloseConnection => link.fail(ConnectionLoss::Closed, ""),
                _ => {}
            }
        }
        let received = self.output.lock().responder.receive(message)?;
        let ServerEvent::Locate(request) = received else { return Ok(true) };
        self.leadership.enter_servant(token);
        status.enter_servant(*token, false);
        self.workers.monitor.wake_if_asleep();
        let located = locate(&self.source(), message, &request, self.locate_refusal(), reply);
        status.leave_servant(&*self.workers);
        if !self.leadership.leave_servant(token) {
            if let Err(end) = located {
                self.end_by_leader(&end);
            }
            return Ok(false);
        }
        located.map(|()| true)
    }

    /// Completes calls whose replies have arrived. This runs callbacks of the program, hence the
    /// result, as that of [`receive`](Self::receive).
    fn proceed_with(&self, ready: Ready, token: &mut LeadToken, status: &WorkerStatus) -> bool {
        self.leadership.enter_servant(token);
        status.enter_servant(*token, false);
        self.workers.monitor.wake_if_asleep();
        // A panic is reported.
        self.orb
            .call_back("a callback", Completion::Yes, || serve_from(None, || ready.resume()))
            .ok();
        status.leave_servant(&*self.workers);
        self.leadership.leave_servant(token)
    }

    /// Hands over the leadership before the servant is called, if the client's other requests would
    /// probably have to wait for it. Oneway requests are served in the order in which they were
    /// sent, so they do not hand over.
    #[inline]
    fn hand_over_if_slow(
        self: &Arc<Self>,
        token: LeadToken,
        response_expected: bool,
    ) -> Option<Instant> {
        if !self.multiplexed.load(Ordering::Relaxed) {
            return None;
        }
        if response_expected && self.slowness.is_likely() {
            self.hand_over_lead(token);
        }
        Some(Instant::now())
    }

    /// Whether the client has had several requests in progress at once.
    pub(in crate::server) fn is_multiplexed(&self) -> bool {
        self.multiplexed.load(Ordering::Relaxed)
    }

    /// Lets another thread lead the connection, whose leader is in the servant that it entered with
    /// the token `seen`. Does nothing when that servant has returned. `false` if a limit forbids it
    /// at present, such as that on the requests being served: it may be possible later.
    pub(in crate::server) fn hand_over_lead(self: &Arc<Self>, seen: LeadToken) -> bool {
        let limit = self.orb.settings().requests_per_connection;
        let Some(serving) = self.output.try_lock().map(|output| output.serving()) else {
            // The lock is held by a thread that sends a reply, which the client does not read. More
            // requests can wait.
            return false;
        };
        let driven = matches!(self.served_by, ServedBy::Thread(_));
        // On a bidirectional connection replies must be read, so the limit refuses requests
        // instead.
        let full = serving >= limit && !self.is_bidirectional();
        if full {
            self.report_full(limit);
            return false;
        }
        if driven && !self.workers.can_add_thread() {
            return false;
        }
        let Some(mut token) = self.leadership.take_over(seen) else { return true };
        match &self.served_by {
            ServedBy::Thread(_) => self.workers.assign_thread(self.clone(), token),
            ServedBy::Reactor(reactor_connection) => {
                let framer = self.framer.lock();
                if framer.has_more() || self.stream.has_buffered() {
                    drop(framer);
                    self.workers.continue_leading(self.clone(), token);
                } else {
                    self.await_message(&mut token, &framer);
                    drop(framer);
                    self.wait_for_more(reactor_connection);
                }
            }
        }
        true
    }

    /// Notes that the leader waits for more octets.
    #[inline]
    pub(in crate::server) fn await_message(&self, token: &mut LeadToken, framer: &Framer) {
        if self.leadership.await_message(token, framer.is_partial()) {
            self.workers.monitor.wake_if_asleep();
        }
    }

    /// Logs, once, that the limit on requests being served is reached.
    #[cold]
    fn report_full(&self, limit: usize) {
        if !self.reported.swap(true, Ordering::Relaxed) {
            report!(
                warn,
                "requests_per_connection reached; further requests of the connection are queued",
                peer = self.peer_name(),
                limit = limit,
            );
        }
    }
}
