//! A connection that carries many calls at a time.
//!
//! # Roles
//!
//! **Sending.** The calling thread encodes its request and puts it into the [`Outgoing`](outgoing)
//! queue. If no thread is sending, it sends the queue, without waiting for the server to accept it.
//! The ORB's reactor sends later what the server does not accept at once. While the queue is full,
//! a thread that calls synchronously waits, and an asynchronous call waits without one ([`room`]).
//!
//! **Reading.** One of the threads that wait for replies reads for all; the others are its
//! followers. See [`reading`]. If only asynchronous calls are under way, no thread waits, and the
//! reactor reads. It cannot read shared memory: there a thread of its own does, which leaves the
//! wait to the reactor when nothing has come for long.
//!
//! **Bidirectional connections.** The server side reads such a connection and passes the replies
//! in; requests are sent between the replies of that side. See
//! [`carried`](MultiplexedConnection::carried).
//!
//! # Locks
//!
//! `state` may be taken while `outgoing` is held, never the other way round. Neither is held during
//! I/O or while interceptors and callbacks run. A request gets its request id and its place in the
//! queue under both locks. The [`Initiator`] therefore knows which requests were sent when the
//! connection ends.
//!
//! # No wake-up is lost
//!
//! The reader holds the framer; without a reader it is in `state`. The reader blocks on nothing but
//! the stream.
//!
//! - [`wake_reader`](MultiplexedConnection::wake_reader) runs whenever the framer returns to
//!   `state`, and whenever a thread leaves `followers` while the framer is there. It wakes one
//!   follower. Without followers it registers the connection with the reactor if asynchronous calls
//!   are pending.
//! - A follower adds itself to the list under the lock under which it found the framer absent. The
//!   thread that returns the framer therefore sees it.
//! - An unpark before a park is not lost: the park returns at once.
//! - A reply is stored as done before its thread is woken, and a thread checks for its reply before
//!   it parks.
//!
//! As long as a call waits, a thread or the reactor reads, or is about to.

mod buffers;
mod carried;
mod outgoing;
mod reading;
mod refusals;
mod room;
mod silent;
mod slot;
mod watching;

pub(in crate::client) use buffers::BorrowedBuffers;
pub(crate) use carried::Ready;
pub(in crate::client) use slot::Slot;

use super::loss::LostConnection;
use super::reactor_threads::ReactorThreads;
use super::reply_memory::ReplyReservation;
use super::silence::{Silence, SilenceListener};
use crate::client::connection::FRESH;
use crate::client::connection::carrier::Carrier;
use crate::client::connection::peer_name::PeerName;
use crate::client::connection::pending_reply::PendingReply;
use crate::client::request::{Deadline, Outgoing as Request, wrong_reply};
use crate::exception::SystemException;
use crate::settings::Settings;
use crate::sync::lock;
use armilla_cdr::{ByteOrder, CodeSets, Encoder};
use armilla_giop::engine::{ClientEvent, ConnectionLoss, Initiator, Role};
use armilla_giop::{CodeSetContext, Framer, Message, Version, cancel_request, close_connection};
use armilla_ipc::reactor::Timer;
use armilla_ipc::{CoarseInstant, Readiness, Stream, coarse_now};
use buffers::TemplateGuard;
use outgoing::Outgoing;
use room::RoomWanted;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::thread::Thread;
use std::time::Duration;
use watching::Watch;

/// A connection and its state.
pub(crate) struct MultiplexedConnection {
    /// For the reactor and its timers, which may outlive the connection.
    weak_self: Weak<Self>,
    stream: Arc<dyn Stream>,
    peer: PeerName,
    settings: Arc<Settings>,
    threads: Arc<ReactorThreads>,
    agreed: Option<CodeSetContext>,
    code_sets: CodeSets,
    /// Whether the code sets and the listen points have still to be sent to the server.
    unannounced: AtomicBool,
    /// The encoded listen points for which the connection is offered.
    offered: Option<Vec<u8>>,
    /// The bidirectional connection, if the server side reads it.
    carrier: Option<Arc<dyn Carrier>>,
    outgoing: Mutex<Outgoing>,
    /// What incomplete replies have reserved; `None` if the server side reads them. Only the reader
    /// locks it.
    memory: Option<Mutex<ReplyReservation>>,
    room_wanted: RoomWanted,
    /// Notified when queued octets were sent.
    room: Condvar,
    /// Counts what has arrived, unless the server side reads.
    arrived: AtomicU64,
    /// Told when the connection goes silent; `None` within the process.
    silence_listener: Option<Arc<dyn SilenceListener>>,
    state: Mutex<State>,
    watch: Watch,
}

struct State {
    initiator: Initiator<Waiter>,
    /// `None` while a thread reads, and after the end of the connection.
    framer: Option<Framer>,
    /// The threads that wait for replies while another thread reads.
    followers: Vec<Thread>,
    /// The number of pending asynchronous calls.
    asynchronous: usize,
    /// The timer for asynchronous calls that expire, and the time that it is set to.
    timer: Option<(Timer, u64)>,
    last_used: CoarseInstant,
    silence: Silence,
    /// Whether the connection is to be closed because it was silent.
    left: bool,
    /// The reason why the connection ended.
    lost: Option<Arc<LostConnection>>,
    version: Version,
}

/// The parts of a connection that do not depend on its stream.
pub(crate) struct ConnectionSetup {
    /// What the other end is called.
    pub(crate) peer: PeerName,
    /// The code sets of the connection; `announces` tells whether they have still to be sent.
    pub(crate) agreed: Option<CodeSetContext>,
    pub(crate) announces: bool,
    /// The encoded listen points for which the connection is offered.
    pub(crate) offered: Option<Vec<u8>>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) threads: Arc<ReactorThreads>,
    /// Told when the connection goes silent; `None` if that is not watched.
    pub(crate) silence_listener: Option<Arc<dyn SilenceListener>>,
}

/// How an unused connection rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::client) enum Rest {
    /// It is closed when it has rested for long enough since then.
    Since(CoarseInstant),
    /// It is not closed for that.
    ForEver,
}

/// The party that waits for a reply.
enum Waiter {
    /// A thread.
    Thread(Arc<Slot>),
    /// A future or a callback.
    Call(Arc<dyn PendingReply>),
}

/// How a request is queued and sent.
#[derive(Clone, Copy)]
pub(in crate::client) enum Sending<'d> {
    /// Send at once. Blocks while the queue is full.
    Blocking(&'d Deadline),
    /// As `Blocking`, and return when the operating system has accepted the request.
    UntilSent(&'d Deadline),
    /// Send at once even if the queue is full, for a thread that must not block.
    NonBlocking,
    /// Buffer, to send with later requests. Blocks while the queue is full, if there is a deadline.
    Buffered(Option<&'d Deadline>),
}

impl Sending<'_> {
    /// Whether the thread may wait for the server.
    const fn may_wait(self) -> bool {
        !matches!(self, Self::NonBlocking | Self::Buffered(None))
    }
}

impl MultiplexedConnection {
    pub(in crate::client) fn new(
        (stream, memory): (Arc<dyn Stream>, ReplyReservation),
        setup: ConnectionSetup,
    ) -> Arc<Self> {
        let settings = &setup.settings;
        // The timeout matters only for a stream without a descriptor and for sending in place,
        // which sets its own.
        stream.set_send_timeout(settings.call_timeout).ok();
        let initiator = Initiator::new(settings.requests_in_flight);
        let incoming = Some((Framer::new(settings.max_message), memory));
        Self::assemble(setup, stream, (initiator, incoming), None)
    }

    /// The calls of one direction of a bidirectional connection.
    pub(crate) fn carried(
        setup: ConnectionSetup,
        role: Role,
        carrier: Arc<dyn Carrier>,
    ) -> Arc<Self> {
        let initiator = Initiator::bidirectional(setup.settings.requests_in_flight, role);
        let stream: Arc<dyn Stream> = carrier.clone();
        Self::assemble(setup, stream, (initiator, None), Some(carrier))
    }

    fn assemble(
        setup: ConnectionSetup,
        stream: Arc<dyn Stream>,
        (initiator, incoming): (Initiator<Waiter>, Option<(Framer, ReplyReservation)>),
        carrier: Option<Arc<dyn Carrier>>,
    ) -> Arc<Self> {
        let ConnectionSetup { peer, agreed, announces, offered, settings, threads, .. } = setup;
        let silence_listener = setup.silence_listener;
        let (framer, memory) = incoming.unzip();
        let state = State {
            initiator,
            framer,
            followers: Vec::new(),
            asynchronous: 0,
            timer: None,
            last_used: coarse_now(),
            silence: Silence::new(),
            left: false,
            lost: None,
            version: settings.max_giop,
        };
        Arc::new_cyclic(|weak_self| Self {
            weak_self: weak_self.clone(),
            stream,
            peer,
            code_sets: settings.code_sets(agreed),
            settings,
            threads,
            agreed,
            unannounced: AtomicBool::new(announces || offered.is_some()),
            offered,
            carrier,
            outgoing: Mutex::default(),
            memory: memory.map(Mutex::new),
            room_wanted: RoomWanted::default(),
            room: Condvar::new(),
            arrived: AtomicU64::new(0),
            silence_listener,
            state: Mutex::new(state),
            watch: Watch::default(),
        })
    }

    /// The code sets of this connection.
    pub(in crate::client) fn code_sets(&self) -> CodeSets {
        self.code_sets
    }

    /// Whether calls can begin, as far as known.
    pub(in crate::client) fn is_open(&self) -> bool {
        lock(&self.state).initiator.is_open()
    }

    /// Whether a reply is pending.
    pub(crate) fn is_waiting(&self) -> bool {
        !lock(&self.state).initiator.is_idle()
    }

    pub(crate) fn peer(&self) -> &PeerName {
        &self.peer
    }

    /// Encodes and queues a request of the calling thread. Returns its request id.
    #[inline]
    pub(in crate::client) fn send(
        &self,
        request: Request<'_, '_>,
        buffers: &mut BorrowedBuffers,
        sending: Sending<'_>,
    ) -> Result<u32, SystemException> {
        let waiter = request.response.response_expected().then(|| {
            buffers.slot.reset();
            Waiter::Thread(buffers.slot.clone())
        });
        self.encode_and_queue(request, buffers, waiter, sending)
    }

    /// Encodes and queues the request of an asynchronous call.
    pub(in crate::client) fn send_for(
        &self,
        call: Arc<dyn PendingReply>,
        request: Request<'_, '_>,
        sending: Sending<'_>,
    ) -> Result<(), SystemException> {
        let waiter = Some(Waiter::Call(call));
        let mut buffers = BorrowedBuffers::of_this_thread();
        self.encode_and_queue(request, &mut buffers, waiter, sending).map(drop)
    }

    fn encode_and_queue<'p>(
        &self,
        request: Request<'_, 'p>,
        buffers: &mut BorrowedBuffers,
        waiter: Option<Waiter>,
        sending: Sending<'_>,
    ) -> Result<u32, SystemException> {
        let buffers::ThreadBuffers { request: memory, template, .. } = &mut **buffers;
        let mut out =
            Encoder::with_reused_buffer(std::mem::take(memory), ByteOrder::NATIVE, self.code_sets);
        // The arguments may be the program's, and panic: then the header is lost, and no template.
        let template = TemplateGuard(template);
        let announces = self.unannounced.load(Ordering::Acquire);
        let agreed = (self.agreed.as_ref(), self.offered.as_deref(), announces);
        let queued = template
            .0
            .encode(&mut out, 0, &request, agreed, self.settings.max_message)
            .and_then(|id_at| self.queue(&mut out, id_at, waiter, request.object.version, sending));
        *memory = out.take_buffer();
        std::mem::forget(template);
        // Later requests are queued after this one, so that they need not announce
        // again.
        let announced = self.offered.is_none() || request.object.version >= Version::V1_2;
        if announces && announced && queued.is_ok() {
            self.unannounced.store(false, Ordering::Release);
        }
        queued
    }

    /// Cancels a call and tells the server. `false` when its reply has been taken by another
    /// thread.
    pub(in crate::client) fn give_up(&self, id: u32) -> bool {
        let mut state = lock(&self.state);
        let Some(waiter) = state.initiator.cancel(id) else { return false };
        state.asynchronous -= usize::from(matches!(waiter, Waiter::Call(_)));
        let version = state.version;
        drop(state);
        self.cancel(version, id);
        self.close_when_idle();
        true
    }

    fn cancel(&self, version: Version, id: u32) {
        self.queue_octets(&cancel_request(version, id));
    }

    /// Whether calls can begin. Checks that the connection is alive if it has not been used
    /// recently, and then tells `after_pause`.
    #[inline]
    pub(in crate::client) fn is_usable(
        &self,
        now: CoarseInstant,
        after_pause: impl FnOnce(),
    ) -> bool {
        let mut state = lock(&self.state);
        let rest = now.since(state.last_used);
        state.last_used = now;
        let usable = state.initiator.is_open();
        let watched = !state.initiator.is_idle() || state.framer.is_none();
        let silent = state.silence.is_found(self.arrived());
        drop(state);
        if silent {
            return self.has_revived();
        }
        usable
            && (watched || rest < FRESH || {
                after_pause();
                self.is_alive()
            })
    }

    /// Whether the connection is alive: neither closed nor closing.
    #[cold]
    fn is_alive(&self) -> bool {
        if !matches!(self.stream.readiness(), Ok(Readiness::Idle)) {
            self.read_available();
        }
        lock(&self.state).initiator.is_open()
    }

    /// Closes the connection if it is idle and no call has begun since `limit`. Without a limit it
    /// accepts no more calls, and is closed when those under way have ended. Whether it accepts no
    /// more calls.
    pub(in crate::client) fn close_idle_since(&self, limit: Option<CoarseInstant>) -> bool {
        if limit.is_some() && self.carrier.is_some() {
            // The peer that uses the other direction could not make the connection again.
            return !self.is_open();
        }
        let mut state = lock(&self.state);
        let is_recent = |limit: CoarseInstant| state.last_used.as_nanos() >= limit.as_nanos();
        let is_used = !state.initiator.is_idle() || self.room_wanted.is_set();
        if limit.is_some_and(|limit| is_recent(limit) || is_used) {
            return !state.initiator.is_open();
        }
        state.initiator.close();
        drop(state);
        self.close_when_idle();
        true
    }

    /// Frees the memory of large messages if the connection was last used before `limit`. Returns
    /// how many octets that were, and since when the connection rests: it is in order, and no call
    /// uses it. `None` there if it does not.
    pub(in crate::client) fn rest(&self, limit: CoarseInstant) -> (usize, Option<Rest>) {
        let mut state = lock(&self.state);
        let unused = state.initiator.is_open()
            && state.initiator.is_idle()
            && state.last_used < limit
            && !state.silence.is_found(self.arrived())
            && !self.room_wanted.is_set();
        let rest = match self.carrier {
            Some(_) => Rest::ForEver,
            None => Rest::Since(state.last_used),
        };
        let rest = unused.then_some(rest);
        let is_idle = state.last_used < limit;
        let Some(framer) = state.framer.as_mut().filter(|_| is_idle) else {
            return (0, rest.filter(|rest| *rest == Rest::ForEver));
        };
        let released = framer.release_memory();
        // Without a reader nobody else locks it for long.
        if let Some(Ok(mut memory)) = self.memory.as_ref().map(Mutex::try_lock) {
            memory.resize(framer.expected_memory());
        }
        (released, rest)
    }

    /// Closes the connection once the last call has ended. Sends CloseConnection if the GIOP
    /// version lets a client do so.
    fn close_when_idle(&self) {
        let state = lock(&self.state);
        if state.initiator.is_open() || !state.initiator.is_idle() || state.lost.is_some() {
            return;
        }
        let (version, left) = (state.version, state.left);
        drop(state);
        self.flush();
        if version >= Version::V1_2 && self.carrier.is_none() {
            // A transport of the program may know no other way than to wait.
            self.stream.set_send_timeout(Some(Duration::ZERO)).ok();
            self.queue_octets(&close_connection(version));
        }
        let sent = lock(&self.outgoing).is_empty();
        if sent {
            self.fail(ConnectionLoss::Closed, "");
            self.carrier.iter().filter(|_| left).for_each(|carrier| carrier.end());
        }
    }

    /// Ends the connection. Every call under way fails with the reason.
    #[cold]
    pub(crate) fn fail(&self, loss: ConnectionLoss, why: &str) {
        let mut ended = Vec::new();
        let lost;
        {
            let mut state = lock(&self.state);
            if state.lost.is_some() {
                return;
            }
            lost = Arc::new(LostConnection { peer: self.peer().clone(), loss, why: why.into() });
            state.lost = Some(lost.clone());
            state.framer = None;
            state.asynchronous = 0;
            ended.extend(state.initiator.end(&lost.loss));
            state.followers.drain(..).for_each(|thread| thread.unpark());
            // The shutdown ends the wait of the reader.
            self.stream.shutdown(Shutdown::Both).ok();
            drop(state);
            lock(&self.outgoing).end(&lost);
            self.room.notify_all();
            for (waiter, executed) in &ended {
                match waiter {
                    Waiter::Thread(slot) => slot.fail(&lost, *executed),
                    Waiter::Call(call) => {
                        call.store_failure(lost.exception(*executed, call.deadline()));
                    }
                }
            }
        }
        self.watch.stop();
        for (waiter, _) in ended {
            if let Waiter::Call(call) = waiter {
                call.resume();
            }
        }
        self.end_room_queue(&lost);
    }

    /// Processes a received message. `true` for the reply that the calling thread waits for, which
    /// it has to take itself. Adds the asynchronous calls that have their replies to `ready`.
    #[inline]
    fn dispatch(
        &self,
        message: &Message<'_>,
        own: Option<&Arc<Slot>>,
        ready: &mut Vec<Arc<dyn PendingReply>>,
    ) -> Result<bool, ConnectionLoss> {
        let mut state = lock(&self.state);
        let waiter = match state.initiator.receive(message)? {
            ClientEvent::Reply(waiter, ..) => waiter,
            ClientEvent::LocateReply(Waiter::Thread(slot), ..) => {
                drop(state);
                slot.store_reply(message);
                return Ok(false);
            }
            ClientEvent::LocateReply(Waiter::Call(call), ..) => {
                state.asynchronous -= 1;
                drop(state);
                call.store_failure(wrong_reply());
                ready.push(call);
                return Ok(false);
            }
            ClientEvent::Stale => return Ok(false),
        };
        match waiter {
            Waiter::Thread(slot) if own.is_some_and(|own| Arc::ptr_eq(own, &slot)) => {
                return Ok(true);
            }
            Waiter::Thread(slot) => {
                drop(state);
                slot.store_reply(message);
            }
            Waiter::Call(call) => {
                state.asynchronous -= 1;
                drop(state);
                call.store_reply(message, self.code_sets);
                ready.push(call);
            }
        }
        Ok(false)
    }
}

impl Drop for MultiplexedConnection {
    fn drop(&mut self) {
        self.watch.stop();
        self.leave_room();
        let timer = lock(&self.state).timer;
        if let (Some(reactor), Some((timer, _))) = (self.threads.reactor(), timer) {
            reactor.cancel(timer);
        }
    }
}
