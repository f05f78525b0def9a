//! The server's endpoint: it accepts TCP connections, makes the handshakes beside one another in
//! threads of its own, and hands out those that succeed. A slow or hostile peer delays nobody.

use crate::fault::Side;
use crate::handshake::{Handshake, Wants};
use crate::shared::{Handshakes, Shared};
use crate::stream::lock;
use armilla_core::exception::Minor;
use armilla_core::log::report;
use armilla_core::peer::Peer;
use armilla_core::transport::Refused;
use armilla_ipc::reactor::{
    Handler, Interest, Next, Pool, PoolOptions, Reactor, Ready, Timer, Token,
};
use armilla_ipc::{Acceptor, Address, Readiness, Stream};
use rustls::ServerConnection;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// The most threads that make handshakes.
const MOST_THREADS: usize = 4;

/// How many streams wait for the ORB to take them before no more are accepted.
const MOST_READY: usize = 1024;

/// How many handshakes are looked at for one that waits for its client.
const LOOKED_AT: usize = 16;

/// When there are too many handshakes: how long each may take to say something, and how long a new one
/// waits for the threads to get to those before it.
const PATIENCE: Duration = Duration::from_millis(100);

/// An endpoint for TLS.
#[derive(Debug)]
pub(crate) struct TlsAcceptor {
    state: Arc<State>,
    reactor: Arc<Reactor>,
    timeout: Mutex<Option<Duration>>,
}

/// What the threads of an endpoint share.
#[derive(Debug)]
struct State {
    tcp: Box<dyn Acceptor>,
    shared: Arc<Shared>,
    queue: Mutex<Queue>,
    changed: Condvar,
    closed: AtomicBool,
}

#[derive(Debug, Default)]
struct Queue {
    /// The handshakes under way, the one that has waited the longest first.
    pending: VecDeque<Begun>,
    next: u64,
    ready: VecDeque<Box<dyn Stream>>,
    /// Why no more is accepted.
    failed: Option<io::Error>,
    /// Whether the thread that accepts waits for a handshake to end.
    awaits_end: bool,
}

/// A handshake under way.
#[derive(Debug)]
struct Begun {
    token: Token,
    number: u64,
    /// Whose it is.
    host: Peer,
    /// Whether the client has said enough for an answer.
    is_answered: Arc<AtomicBool>,
    pending: Arc<Pending>,
    at: Instant,
}

impl Queue {
    /// The limit that the handshakes under way exceed, with those of this host or with all.
    fn exceeded(&self, limits: &Handshakes, host: &Peer) -> Option<Exceeded> {
        let of_host = self.pending.iter().filter(|begun| begun.host == *host).count();
        if of_host > limits.per_host {
            return Some(Exceeded { of_host: true, option: "-ORBTlsHandshakesPerHost" });
        }
        let full = self.pending.len() > limits.count;
        full.then_some(Exceeded { of_host: false, option: "-ORBTlsHandshakes" })
    }

    /// Takes out the handshake that gives way to the last one: the one that has waited the longest
    /// for its client. Clients that have said nothing worth an answer go first: to say nothing costs
    /// them nothing, and one that is answered may be a call already. What has arrived and was not
    /// looked at yet is no silence, nor is a connection that was only just made: such a one goes only if
    /// the threads do not get to it.
    fn take_least(&mut self, exceeded: &Exceeded, host: &Peer, in_a_hurry: bool) -> Option<Token> {
        let others = self.pending.len().checked_sub(1)?;
        let is_one = |begun: &&Begun| !exceeded.of_host || begun.host == *host;
        let ones = || self.pending.iter().take(others).filter(is_one);
        let silent = |begun: &&Begun| !begun.is_answered.load(Ordering::Relaxed);
        let idle = |begun: &&Begun| begun.is_idle();
        let least = ones().filter(silent).take(LOOKED_AT).find(idle);
        let least = least.or_else(|| ones().take(LOOKED_AT).find(idle));
        let least = match least {
            None if in_a_hurry => ones().find(silent).or_else(|| ones().next()),
            least => least,
        };
        let number = least?.number;
        let at = self.pending.iter().position(|begun| begun.number == number)?;
        self.pending.remove(at).map(|begun| begun.token)
    }
}

/// More handshakes are under way than there may be.
struct Exceeded {
    /// Of one host, or else of all.
    of_host: bool,
    /// The option that says how many.
    option: &'static str,
}

impl Begun {
    /// Whether it waits for its client: no thread is at it, and nothing has arrived to be looked at. A
    /// client that has only just connected may be about to speak.
    fn is_idle(&self) -> bool {
        if self.at.elapsed() < PATIENCE {
            return false;
        }
        let is_free = self.pending.handshake.try_lock().is_ok();
        let readiness = self.pending.stream.readiness();
        is_free && readiness.is_ok_and(|readiness| readiness == Readiness::Idle)
    }
}

impl TlsAcceptor {
    /// Makes the handshakes of the connections that `tcp` accepts.
    ///
    /// # Errors
    /// If the system lacks descriptors or threads.
    pub(crate) fn start(tcp: Box<dyn Acceptor>, shared: Arc<Shared>) -> io::Result<Self> {
        let reactor = Arc::new(Reactor::shared()?);
        let threads = thread::available_parallelism().map_or(1, Into::into).min(MOST_THREADS);
        let options = PoolOptions {
            name: "armilla-tls".into(),
            min_threads: threads,
            max_threads: MOST_THREADS,
            ..PoolOptions::default()
        };
        Pool::start(reactor.clone(), options)?;
        let (queue, changed) = Default::default();
        let state = Arc::new(State { tcp, shared, queue, changed, closed: AtomicBool::new(false) });
        let (accepting, watched) = (state.clone(), reactor.clone());
        let accept = move || accepting.accept_all(&watched);
        thread::Builder::new().name("armilla-tls".into()).spawn(accept)?;
        Ok(Self { state, reactor, timeout: Mutex::default() })
    }
}

impl State {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Accepts until the endpoint is closed.
    fn accept_all(self: &Arc<Self>, reactor: &Arc<Reactor>) {
        loop {
            match self.tcp.accept() {
                Ok(Some(stream)) => self.begin(stream, reactor),
                Ok(None) => break,
                Err(error) => {
                    self.lock().failed = Some(error);
                    break;
                }
            }
            self.await_room();
        }
        self.changed.notify_all();
    }

    /// Waits while the ORB does not take what is ready.
    fn await_room(&self) {
        let mut queue = self.lock();
        while queue.ready.len() >= MOST_READY && !self.closed.load(Ordering::Acquire) {
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Begins the handshake with a client. If too many are under way, the oldest gives way.
    fn begin(self: &Arc<Self>, stream: Box<dyn Stream>, reactor: &Arc<Reactor>) {
        if !self.shared.is_welcome(stream.peer()) {
            return;
        }
        let settings = self.shared.handshakes();
        // Without a certificate there would be no endpoint.
        let Some(config) = self.shared.current().ok().and_then(|it| it.server.clone()) else {
            return;
        };
        let connection = match ServerConnection::new(config) {
            Ok(connection) => connection,
            Err(error) => {
                report!(error, "TLS cannot begin with a client", error = error);
                return;
            }
        };
        let place = stream.peer().to_string();
        let host = Peer::of(stream.peer());
        let handshake = Handshake::new(stream.into(), connection.into(), Side::Server, place);
        let is_answered = handshake.is_answered().clone();
        let mut queue = self.lock();
        queue.next += 1;
        let number = queue.next;
        let pending = Arc::new(Pending {
            stream: handshake.stream().clone(),
            handshake: Mutex::new(Some(handshake)),
            number,
            timer: Mutex::default(),
            state: Arc::downgrade(self),
        });
        let token = match reactor.register(pending.clone()) {
            Ok(token) => token,
            Err(error) => {
                drop(queue);
                report!(error, "the handshake with a client cannot begin", error = error);
                return;
            }
        };
        let (host_of, at) = (host.clone(), Instant::now());
        let shared = pending.clone();
        let begun = Begun { token, number, host: host_of, is_answered, pending: shared, at };
        queue.pending.push_back(begun);
        drop(queue);
        self.limit_time(reactor, &pending, token, settings.limit);
        let least = self.give_way(&settings, &host);
        if let Some((token, limit)) = least {
            reactor.deregister(token);
            report!(
                warn,
                "a handshake with a client gives way to a new one",
                endpoint = self.tcp.local(),
                limit = limit,
            );
        }
    }

    /// Ends a handshake that takes too long.
    fn limit_time(
        self: &Arc<Self>,
        reactor: &Reactor,
        pending: &Pending,
        token: Token,
        limit: Duration,
    ) {
        let (late, slow) = (Arc::downgrade(self), pending.stream.clone());
        let expire = move |reactor: &Reactor, _: Timer| {
            if let Some(state) = late.upgrade() {
                state.shared.broke_protocol(slow.peer());
            }
            reactor.deregister(token);
            None
        };
        *lock(&pending.timer) = Some(reactor.arm(limit, Arc::new(expire)));
        // Whoever has ended it meanwhile has found no timer.
        if lock(&pending.handshake).is_none() {
            pending.cancel_timer(reactor);
        }
    }

    /// Takes out the handshake that gives way to the last one, if there are too many. Where each has
    /// something to be looked at, or has just begun, no more are accepted for a while.
    fn give_way(&self, limits: &Handshakes, host: &Peer) -> Option<(Token, &'static str)> {
        let deadline = Instant::now() + PATIENCE;
        let mut queue = self.lock();
        loop {
            let exceeded = queue.exceeded(limits, host)?;
            let left = deadline.saturating_duration_since(Instant::now());
            let in_a_hurry = left.is_zero() || self.closed.load(Ordering::Acquire);
            if let Some(token) = queue.take_least(&exceeded, host, in_a_hurry) {
                return Some((token, exceeded.option));
            }
            if in_a_hurry {
                return None;
            }
            queue.awaits_end = true;
            let waited = self.changed.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
            queue.awaits_end = false;
        }
    }

    /// Removes a handshake from those under way.
    fn end(&self, number: u64) {
        let mut queue = self.lock();
        queue.pending.retain(|begun| begun.number != number);
        if queue.awaits_end {
            self.changed.notify_all();
        }
    }

    /// Hands over the stream of a handshake that has succeeded.
    fn hand_over(&self, handshake: Handshake) {
        match handshake.into_stream() {
            Ok(stream) => {
                self.lock().ready.push_back(Box::new(stream));
                self.changed.notify_all();
            }
            Err(error) => tracing::debug!(%error, "a connection ended with its handshake"),
        }
    }
}

/// A handshake, as the reactor watches it.
struct Pending {
    stream: Arc<dyn Stream>,
    /// `None` once it is over.
    handshake: Mutex<Option<Handshake>>,
    number: u64,
    timer: Mutex<Option<Timer>>,
    state: Weak<State>,
}

impl Pending {
    fn cancel_timer(&self, reactor: &Reactor) {
        if let Some(timer) = lock(&self.timer).take() {
            reactor.cancel(timer);
        }
    }
}

impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("stream", &self.stream).finish_non_exhaustive()
    }
}

impl Handler for Pending {
    fn descriptor(&self) -> BorrowedFd<'_> {
        // `TlsAcceptor` accepts TCP streams alone.
        self.stream.descriptor().expect("a TCP stream has a descriptor")
    }

    fn ready(&self, _: &Reactor, _: Token, _: Ready) -> Next {
        let mut place = lock(&self.handshake);
        let Some(handshake) = &mut *place else { return Next::Deregister };
        let advanced = handshake.advance();
        let ended = match advanced {
            Ok(Wants::Read) => return Next::READ,
            Ok(Wants::Write) => return Next::Wait(Interest::WRITE),
            Ok(Wants::Nothing) => Ok(()),
            Err(error) => Err(error),
        };
        let ended = ended.map(|()| place.take());
        *place = None;
        drop(place);
        match (ended, self.state.upgrade()) {
            (Ok(Some(handshake)), Some(state)) => state.hand_over(handshake),
            (Err(error), state) => {
                // What a client may have done by mistake breaks no protocol: a certificate, say.
                let broke =
                    Refused::of(&error).is_some_and(|it| it.minor() == Minor::TLS_HANDSHAKE_FAILED);
                if let Some(state) = state.filter(|_| broke) {
                    state.shared.broke_protocol(self.stream.peer());
                }
                tell(&error);
            }
            _ => {}
        }
        Next::Deregister
    }

    fn closed(&self, reactor: &Reactor, _: Token) {
        *lock(&self.handshake) = None;
        self.cancel_timer(reactor);
        if let Some(state) = self.state.upgrade() {
            state.end(self.number);
        }
    }
}

/// Tells of a handshake that has failed, if an operator can do something about it.
fn tell(error: &io::Error) {
    match Refused::of(error) {
        Some(refused) => report!(warn, "a client gets no connection", why = refused),
        None => tracing::debug!(%error, "a handshake ended early"),
    }
}

impl Acceptor for TlsAcceptor {
    fn accept(&self) -> io::Result<Option<Box<dyn Stream>>> {
        let limit = *lock(&self.timeout);
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        let mut queue = self.state.lock();
        loop {
            if self.state.closed.load(Ordering::Acquire) {
                return Ok(None);
            }
            if let Some(stream) = queue.ready.pop_front() {
                drop(queue);
                self.state.changed.notify_all();
                return Ok(Some(stream));
            }
            if let Some(error) = queue.failed.take() {
                return Err(error);
            }
            queue =
                match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
                    Some(Duration::ZERO) => return Err(io::ErrorKind::WouldBlock.into()),
                    Some(left) => {
                        let waited = self.state.changed.wait_timeout(queue, left);
                        waited.unwrap_or_else(PoisonError::into_inner).0
                    }
                    None => self.state.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
                };
        }
    }

    fn set_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        *lock(&self.timeout) = timeout;
        Ok(())
    }

    fn on_resource_exhausted(&self, tell: Box<dyn Fn(&io::Error) + Send + Sync>) {
        self.state.tcp.on_resource_exhausted(tell);
    }

    fn local(&self) -> &Address {
        self.state.tcp.local()
    }

    fn close(&self) {
        self.state.closed.store(true, Ordering::Release);
        self.state.tcp.close();
        self.reactor.stop();
        let left = {
            let mut queue = self.state.lock();
            queue.pending.clear();
            std::mem::take(&mut queue.ready)
        };
        drop(left);
        self.state.changed.notify_all();
    }
}

impl Drop for TlsAcceptor {
    fn drop(&mut self) {
        self.close();
    }
}
