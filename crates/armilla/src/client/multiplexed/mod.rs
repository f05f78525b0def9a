//! A connection to a server that carries many calls at a time.
//!
//! Whoever calls encodes its request and puts it into the [`Outgoing`](outgoing) queue, which who finds
//! nobody sending sends, never waiting for the server to take it: what it does not take the ORB's
//! reactor sends later. Whoever waits for a reply and finds nobody reading reads for all, see
//! [`reading`]. A reply for which nobody waits, because it is that of an asynchronous call, is read by
//! the reactor, unless somebody reads anyway.
//!
//! A connection that carries requests both ways is [carried](MultiplexedConnection::carried) by one of the server
//! side: that reads, and hands the replies over; what is sent goes between the replies of that side.
//!
//! # Locks
//!
//! `outgoing` may be held when `state` is taken, never the other way round, and neither is held while
//! octets move or foreign code runs. A request gets its number and its place in the queue under both,
//! so that the [`Initiator`] knows what has left when the connection ends.
//!
//! # No wake-up is lost
//!
//! The framer is the role of who reads: it is in `state`, or with the reader. Nobody holding it waits
//! for anything but octets. Whenever it comes back, and whenever a thread leaves the followers while
//! it is there, one follower is woken, or else the reactor call_timers if asynchronous calls wait
//! ([`pass_on`](MultiplexedConnection::pass_on)). A follower puts itself on the list under the lock under which it
//! found the framer gone, so whoever brings the framer back sees it; and a thread that was woken before
//! it sleeps does not sleep. So while anybody waits, somebody reads or is about to. Replies are with_target_key as
//! there before their thread is woken, and a thread looks again before it sleeps.

mod carried;
mod outgoing;
mod reading;
mod slot;
mod watching;

pub(crate) use carried::Ready;
pub(super) use slot::Slot;

use super::asynchronous::AsyncCall;
use super::deadline::Deadline;
use super::driver::Driver;
use super::loss::Lost;
use super::request::{Outgoing as Request, Template};
use crate::client::Carrier;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::settings::Settings;
use crate::sync::lock;
use armilla_cdr::{Buffer, ByteOrder, CodeSets, Decoder, Encoder};
use armilla_giop::engine::{BeginError, ClientEvent, ConnectionLoss, Initiator, Role};
use armilla_giop::{
    CodeSetContext, Framer, Message, ReplyHeader, Version, cancel_request, close_connection,
};
use armilla_ipc::reactor::Timer;
use armilla_ipc::{CoarseInstant, Readiness, Stream, coarse_now};
use outgoing::Outgoing;
use std::cell::Cell;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::thread::Thread;
use watching::CallTimer;

/// A connection and its state.
pub(crate) struct MultiplexedConnection {
    /// For what outlives the calls: the reactor and its timers.
    myself: Weak<Self>,
    stream: Arc<dyn Stream>,
    settings: Arc<Settings>,
    driver: Arc<Driver>,
    agreed: Option<CodeSetContext>,
    code_sets: CodeSets,
    /// Whether the code sets and what is offered have still to be told to the server.
    unannounced: AtomicBool,
    /// The context of the listen points for which the connection is offered.
    offered: Option<Vec<u8>>,
    /// Who reads, if that is nobody here.
    carrier: Option<Arc<dyn Carrier>>,
    outgoing: Mutex<Outgoing>,
    /// Something of what was queued has left.
    room: Condvar,
    state: Mutex<State>,
    call_timer: CallTimer,
}

struct State {
    initiator: Initiator<Waiter>,
    /// Absent while somebody reads, and after the end.
    framer: Option<Framer>,
    /// Threads that wait for a reply while another reads.
    followers: Vec<Thread>,
    /// How many of the pending calls are asynchronous.
    asynchronous: usize,
    /// When the reactor looks for calls that have expired.
    timer: Option<(Timer, u64)>,
    last_used: CoarseInstant,
    /// Why the connection ended.
    lost: Option<Arc<Lost>>,
    version: Version,
}

/// What the calls on a connection need.
pub(crate) struct ConnectionSetup {
    /// The code sets of the connection, and whether they have still to be told.
    pub(crate) agreed: Option<CodeSetContext>,
    pub(crate) announces: bool,
    /// The context of the listen points for which the connection is offered.
    pub(crate) offered: Option<Vec<u8>>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) driver: Arc<Driver>,
}

/// Who waits for a reply.
enum Waiter {
    /// A thread.
    Thread(Arc<Slot>),
    /// A future or a callback.
    Call(Arc<AsyncCall>),
}

thread_local! {
    /// The last request that this thread sent over such a connection, whose header is the template of
    /// the next, and where it waits for replies.
    static AT_HAND: Cell<Option<Box<ThreadBuffers>>> = const { Cell::new(None) };
}

/// What a thread uses again with every call. A call within a call finds none and makes its own.
pub(super) struct ThreadBuffers {
    request: Buffer,
    template: Template,
    pub(super) slot: Arc<Slot>,
}

impl ThreadBuffers {
    /// Runs `call` with what the calling thread has at worker.
    #[inline]
    pub(super) fn with<T>(call: impl FnOnce(&mut Self) -> T) -> T {
        let mut buffers = AT_HAND.take().unwrap_or_else(|| {
            let slot = Arc::new(Slot::of_this_thread());
            Box::new(Self { request: Buffer::new(), template: Template::default(), slot })
        });
        let result = call(&mut buffers);
        AT_HAND.set(Some(buffers));
        result
    }
}

/// How a request is put into the queue.
#[derive(Clone, Copy)]
pub(super) enum Sending<'d> {
    /// To leave at once; when too much is queued already, that is waited for.
    Now(&'d Deadline),
    /// The same, returning when the operating system has it.
    Through(&'d Deadline),
    /// To leave at once, whatever is queued already: by a thread that may not wait.
    Never,
    /// To leave together with others; when too much is queued already, that is waited for by a thread
    /// that may wait.
    Later(Option<&'d Deadline>),
}

impl MultiplexedConnection {
    pub(super) fn new(
        stream: Arc<dyn Stream>,
        agreed: Option<CodeSetContext>,
        settings: &Arc<Settings>,
        driver: &Arc<Driver>,
    ) -> Arc<Self> {
        // Only a stream without a descriptor ever waits for the server to take something, unless a
        // thread says how long it may.
        stream.set_send_timeout(settings.call_timeout).ok();
        let initiator = Initiator::new(settings.requests_in_flight);
        let framer = Some(Framer::new(settings.max_message));
        let (settings, driver) = (settings.clone(), driver.clone());
        let announces = agreed.is_some();
        let setup = ConnectionSetup { agreed, announces, offered: None, settings, driver };
        Self::assemble(setup, stream, (initiator, framer), None)
    }

    /// The calls in one direction of a connection that carries requests both ways.
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
        (initiator, framer): (Initiator<Waiter>, Option<Framer>),
        carrier: Option<Arc<dyn Carrier>>,
    ) -> Arc<Self> {
        let ConnectionSetup { agreed, announces, offered, settings, driver } = setup;
        let state = State {
            initiator,
            framer,
            followers: Vec::new(),
            asynchronous: 0,
            timer: None,
            last_used: coarse_now(),
            lost: None,
            version: settings.max_giop,
        };
        Arc::new_cyclic(|myself| Self {
            myself: myself.clone(),
            stream,
            settings,
            driver,
            agreed,
            code_sets: agreed.and_then(|sets| sets.code_sets().ok()).unwrap_or(CodeSets::UNAGREED),
            unannounced: AtomicBool::new(announces || offered.is_some()),
            offered,
            carrier,
            outgoing: Mutex::default(),
            room: Condvar::new(),
            state: Mutex::new(state),
            call_timer: CallTimer::default(),
        })
    }

    /// The code sets of this connection.
    pub(super) fn code_sets(&self) -> CodeSets {
        self.code_sets
    }

    /// Whether calls can be begun, as far as anybody knows.
    pub(super) fn is_open(&self) -> bool {
        lock(&self.state).initiator.is_open()
    }

    /// Whether anybody waits for a reply.
    pub(crate) fn is_waiting(&self) -> bool {
        !lock(&self.state).initiator.is_idle()
    }

    pub(super) fn peer(&self) -> &armilla_ipc::Address {
        self.stream.peer()
    }

    /// Encodes and queues a request for which the calling thread will wait, and returns its number.
    #[inline]
    pub(super) fn send(
        &self,
        request: Request<'_, '_>,
        buffers: &mut ThreadBuffers,
        sending: Sending<'_>,
    ) -> Result<u32, SystemException> {
        let waiter = request.response.response_expected().then(|| {
            buffers.slot.reset();
            Waiter::Thread(buffers.slot.clone())
        });
        self.encode_and_queue(request, buffers, waiter, sending)
    }

    /// Encodes and queues the request of an asynchronous call.
    pub(super) fn send_for(
        &self,
        call: &Arc<AsyncCall>,
        request: Request<'_, '_>,
        sending: Sending<'_>,
    ) -> Result<(), SystemException> {
        let waiter = Some(Waiter::Call(call.clone()));
        ThreadBuffers::with(|buffers| self.encode_and_queue(request, buffers, waiter, sending))
            .map(drop)
    }

    fn encode_and_queue<'p>(
        &self,
        request: Request<'_, 'p>,
        buffers: &mut ThreadBuffers,
        waiter: Option<Waiter>,
        sending: Sending<'_>,
    ) -> Result<u32, SystemException> {
        let ThreadBuffers { request: memory, template, .. } = buffers;
        let mut out =
            Encoder::with_reused_buffer(std::mem::take(memory), ByteOrder::NATIVE, self.code_sets);
        let announces = self.unannounced.load(Ordering::Acquire);
        let agreed = (self.agreed.as_ref(), self.offered.as_deref(), announces);
        let queued =
            template.encode(&mut out, 0, &request, agreed, self.settings.max_message).and_then(
                |id_at| self.queue(&mut out, id_at, waiter, request.target.access.version, sending),
            );
        *memory = out.take_buffer();
        // What is queued later comes later.
        let told = self.offered.is_none() || request.target.access.version >= Version::V1_2;
        if announces && told && queued.is_ok() {
            self.unannounced.store(false, Ordering::Release);
        }
        queued
    }

    /// Why a call cannot be begun.
    #[cold]
    fn refuse(&self, state: &State, refused: BeginError) -> SystemException {
        match (refused, &state.lost) {
            (BeginError::Full, _) => {
                let what = format!(
                    "{} requests on the connection to {} wait for a reply, which is the limit \
                     (requests_in_flight)",
                    state.initiator.in_flight(),
                    self.peer()
                );
                let kind = ExceptionKind::NoResources;
                SystemException::new(kind, Minor::TOO_MANY_REQUESTS_IN_FLIGHT, Completion::No)
                    .with_reason(what)
            }
            (BeginError::Closed, _) => {
                let what = format!("the connection to {} was closed", self.peer());
                SystemException::new(
                    ExceptionKind::Transient,
                    Minor::CONNECTION_CLOSING,
                    Completion::No,
                )
                .with_reason(what)
            }
        }
    }

    /// Gives a call up whose reply nobody wants any more, and tells the server. `false` when its reply
    /// has come, or is about to.
    pub(super) fn give_up(&self, id: u32) -> bool {
        let mut state = lock(&self.state);
        let Some(waiter) = state.initiator.cancel(id) else { return false };
        state.asynchronous -= usize::from(matches!(waiter, Waiter::Call(_)));
        let version = state.version;
        drop(state);
        self.cancel(version, id);
        true
    }

    fn cancel(&self, version: Version, id: u32) {
        self.queue_octets(&cancel_request(version, id));
    }

    /// Whether calls can be begun: looks whether the connection still stands when nobody has done so
    /// for a while.
    #[inline]
    pub(super) fn is_usable(&self, now: CoarseInstant) -> bool {
        let mut state = lock(&self.state);
        let rest = now.since(state.last_used);
        state.last_used = now;
        let usable = state.initiator.is_open();
        let watched = !state.initiator.is_idle() || state.framer.is_none();
        drop(state);
        usable && (watched || rest < super::endpoint::FRESH || self.still_stands())
    }

    /// Whether the server has neither closed the connection nor is about to.
    #[cold]
    fn still_stands(&self) -> bool {
        if !matches!(self.stream.readiness(), Ok(Readiness::Idle)) {
            self.read_what_is_there();
        }
        lock(&self.state).initiator.is_open()
    }

    /// Closes the connection when no call is under way on it and none began after `limit`; without a
    /// limit, it takes no more calls and is closed when those under way have ended.
    pub(super) fn close_idle_since(&self, limit: Option<CoarseInstant>) -> bool {
        if limit.is_some() && self.carrier.is_some() {
            // Whoever calls in the other direction could not make it again.
            return !self.is_open();
        }
        let mut state = lock(&self.state);
        let is_recent = |limit: CoarseInstant| state.last_used.as_nanos() >= limit.as_nanos();
        if limit.is_some_and(|limit| is_recent(limit) || !state.initiator.is_idle()) {
            return !state.initiator.is_open();
        }
        state.initiator.close();
        drop(state);
        self.close_when_idle();
        true
    }

    /// Tells the server that no more calls will come, once the last is answered.
    fn close_when_idle(&self) {
        let state = lock(&self.state);
        if state.initiator.is_open() || !state.initiator.is_idle() || state.lost.is_some() {
            return;
        }
        let version = state.version;
        drop(state);
        self.flush();
        if version >= Version::V1_2 && self.carrier.is_none() {
            self.queue_octets(&close_connection(version));
        }
        let sent = lock(&self.outgoing).is_empty();
        if sent {
            self.fail(ConnectionLoss::Closed, "");
        }
    }

    /// Ends the connection: every call under way hears why.
    #[cold]
    pub(crate) fn fail(&self, loss: ConnectionLoss, why: &str) {
        let mut ended = Vec::new();
        {
            let mut state = lock(&self.state);
            if state.lost.is_some() {
                return;
            }
            let lost = Arc::new(Lost { peer: self.peer().clone(), loss, why: why.into() });
            state.lost = Some(lost.clone());
            state.framer = None;
            state.asynchronous = 0;
            ended.extend(state.initiator.end(&lost.loss));
            state.followers.drain(..).for_each(|thread| thread.unpark());
            // Who reads, and who waits for room, finds the end.
            self.stream.shutdown(Shutdown::Both).ok();
            drop(state);
            lock(&self.outgoing).end(&lost);
            self.room.notify_all();
            for (waiter, executed) in &ended {
                match waiter {
                    Waiter::Thread(slot) => slot.fail(&lost, *executed),
                    Waiter::Call(call) => call.lost(&lost, *executed),
                }
            }
        }
        self.call_timer.leave();
        for (waiter, _) in ended {
            if let Waiter::Call(call) = waiter {
                call.proceed();
            }
        }
    }

    /// Takes a message that came. `Some` when it is the reply that the calling thread waits for;
    /// asynchronous calls that it completes are added to `ready`.
    #[inline]
    fn dispatch<'m>(
        &self,
        message: &Message<'m>,
        own: Option<&Arc<Slot>>,
        ready: &mut Vec<Arc<AsyncCall>>,
    ) -> Result<Option<(ReplyHeader<'m>, Decoder<'m>)>, ConnectionLoss> {
        let mut state = lock(&self.state);
        let (waiter, header, body) = match state.initiator.receive(message)? {
            ClientEvent::Reply(waiter, header, body) => (waiter, header, body),
            ClientEvent::LocateReply(Waiter::Thread(slot), ..) => {
                drop(state);
                slot.deliver(message);
                return Ok(None);
            }
            ClientEvent::LocateReply(..) | ClientEvent::Stale => return Ok(None),
        };
        match waiter {
            Waiter::Thread(slot) if own.is_some_and(|own| Arc::ptr_eq(own, &slot)) => {
                return Ok(Some((header, body)));
            }
            Waiter::Thread(slot) => {
                drop(state);
                slot.deliver(message);
            }
            Waiter::Call(call) => {
                state.asynchronous -= 1;
                drop(state);
                call.deliver(message, self.code_sets);
                ready.push(call);
            }
        }
        Ok(None)
    }
}

impl Drop for MultiplexedConnection {
    fn drop(&mut self) {
        self.call_timer.leave();
        let timer = lock(&self.state).timer;
        if let (Some(reactor), Some((timer, _))) = (self.driver.reactor(), timer) {
            reactor.cancel(timer);
        }
    }
}
