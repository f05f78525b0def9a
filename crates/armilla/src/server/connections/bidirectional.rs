//! Bidirectional GIOP: connections that carry requests both ways (CORBA 3.4 Part 2, 9.8).
//!
//! At both ends the connection belongs to the server side. Its leader reads all messages, serves
//! the requests, and hands the replies to the [`MultiplexedConnection`] of the calls in the other
//! direction. The connection waits in the reactor, and no thread blocks to send: two ends that each
//! wait for the other to read would deadlock.

use super::connection::Connection;
use super::listen_points;
use crate::client::{Carrier, ConnectionSetup, MultiplexedConnection};
use crate::exception::{Completion, SystemException};
use crate::log::report;
use crate::runtime::Orb;
use crate::server::reply::close_reason::CloseReason;
use crate::server::threads::served_by::ServedBy;
use crate::sync::lock;
use crate::transport::EndpointAddress;
use armilla_cdr::CodeSets;
use armilla_giop::engine::{ConnectionLoss, Role, TimeoutKind};
use armilla_giop::{CodeSetContext, ListenPoint, ListenPoints};
use armilla_ipc::{Address, Protection, Readiness, SendError, Stream};
use std::fmt;
use std::io::{self, IoSlice};
use std::iter;
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

/// The state of a bidirectional connection.
pub(in crate::server) struct Bidirectional {
    role: Role,
    /// The calls in the other direction, once there has been one.
    link: OnceLock<Arc<MultiplexedConnection>>,
    /// The addresses for which the client offered the connection.
    offered: Mutex<Vec<ListenPoint>>,
    /// How often something has arrived.
    arrived: AtomicU64,
}

impl Bidirectional {
    pub(in crate::server) fn new(role: Role) -> Self {
        Self { role, link: OnceLock::new(), offered: Mutex::default(), arrived: AtomicU64::new(0) }
    }
}

/// Makes a connection that this ORB has just opened bidirectional, and offers it for the addresses
/// at which the ORB listens. `None` when that is not possible.
pub(in crate::server) fn offer(
    orb: &Orb,
    stream: &Arc<dyn Stream>,
    setup: ConnectionSetup,
) -> Option<Arc<MultiplexedConnection>> {
    let server = orb.server().ok().filter(|_| is_watchable(&**stream))?;
    let points = listen_points::of(server.publications());
    let offered = Some(points.to_data().ok()?);
    let workers = server.workers();
    let served_by = workers.served_by(&**stream, true).ok()?;
    let new = |number| Connection::new(orb, workers, stream.clone(), number, served_by);
    let entered = workers.registry.enter(stream.peer(), |number| {
        let connection = new(number);
        connection.bidirectional.set(Bidirectional::new(Role::Originator)).ok();
        connection
    });
    let connection = match entered {
        Ok(connection) => connection,
        Err(why) => {
            why.report("a new connection is not bidirectional", orb.settings(), &setup.peer);
            return None;
        }
    };
    connection.output.lock().responder.set_code_sets(orb.settings().code_sets(setup.agreed));
    let carrier = ConnectionCarrier::of(&connection);
    let setup = ConnectionSetup { offered, ..setup };
    let link = carrier
        .link_by(|| {
            let carrier = Arc::new(carrier.clone());
            MultiplexedConnection::carried(setup, Role::Originator, carrier)
        })
        .filter(|_| connection.begin_serving().is_ok());
    if link.is_none() {
        workers.registry.leave(connection.number);
    }
    link
}

/// Whether the reactor can wait for a stream.
fn is_watchable(stream: &dyn Stream) -> bool {
    stream.descriptor().or_else(|| stream.doorbell()).is_some()
}

impl Connection {
    /// Whether the connection carries requests both ways.
    pub(in crate::server) fn is_bidirectional(&self) -> bool {
        self.bidirectional.get().is_some()
    }

    /// Notes that something has arrived: the calls in the other direction tell by it whether the
    /// connection is silent.
    #[inline]
    pub(in crate::server) fn note_arrival(&self) {
        if let Some(both) = self.bidirectional.get() {
            both.arrived.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Whether this ORB opened the connection.
    #[inline]
    pub(in crate::server) fn is_originated(&self) -> bool {
        self.bidirectional.get().is_some_and(|both| both.role == Role::Originator)
    }

    /// The calls in the other direction.
    pub(in crate::server) fn link(&self) -> Option<&Arc<MultiplexedConnection>> {
        self.bidirectional.get()?.link.get()
    }

    /// What the other end is called in the log.
    pub(in crate::server) fn peer_name(&self) -> &dyn fmt::Display {
        match self.link() {
            // Within the host the address of a server is a name which nobody chose.
            Some(link) if self.is_originated() => link.peer(),
            _ => self.stream.peer(),
        }
    }

    /// Whether a servant here may still call in the other direction or wait for replies.
    #[cold]
    pub(in crate::server) fn may_call(&self) -> bool {
        self.is_bidirectional() && self.has_pending_replies()
    }

    /// Whether calls in the other direction wait for their replies.
    pub(in crate::server) fn is_calling(&self) -> bool {
        self.link().is_some_and(|link| link.is_waiting())
    }

    /// Fails the calls in the other direction: the connection has ended, so no reply can be read.
    pub(in crate::server) fn end_calls(&self, end: &CloseReason) {
        if let Some(link) = self.link() {
            let (loss, why) = match end {
                CloseReason::MessageError => (ConnectionLoss::MessageError, String::new()),
                CloseReason::Framing(error) => (ConnectionLoss::Unreadable(*error), String::new()),
                CloseReason::Malformed(kind, error) => {
                    (ConnectionLoss::Malformed(*kind, *error), String::new())
                }
                CloseReason::Unexpected(kind) => (ConnectionLoss::Unexpected(*kind), String::new()),
                CloseReason::Ours => (ConnectionLoss::Broken, "this ORB closes it".into()),
                CloseReason::Stalled | CloseReason::Trickled => {
                    (ConnectionLoss::Broken, "a message of the peer stopped halfway".into())
                }
                CloseReason::Io(error) => (ConnectionLoss::Broken, error.to_string()),
                CloseReason::Peer | CloseReason::CutShort => {
                    (ConnectionLoss::Broken, "the peer closed it".into())
                }
            };
            link.fail(loss, &why);
        }
        let (claims, both) = (self.orb.client().reverse_connections(), self.bidirectional.get());
        if let (Some(claims), Some(both)) = (claims, both) {
            let offered = std::mem::take(&mut *lock(&both.offered));
            let addresses = offered.iter().flat_map(|point| addresses_of(point, &*self.stream));
            addresses.for_each(|address| claims.withdraw(&address, self.number));
        }
    }
}

/// The sending side of a bidirectional connection, for the calls of one direction.
#[derive(Clone)]
pub(in crate::server) struct ConnectionCarrier {
    connection: Weak<Connection>,
    stream: Arc<dyn Stream>,
    number: u64,
}

impl ConnectionCarrier {
    fn of(connection: &Arc<Connection>) -> Self {
        let (stream, number) = (connection.stream.clone(), connection.number);
        Self { connection: Arc::downgrade(connection), stream, number }
    }

    /// Calls [`Carrier::link`] with a function that is called once.
    fn link_by(
        &self,
        make: impl FnOnce() -> Arc<MultiplexedConnection>,
    ) -> Option<Arc<MultiplexedConnection>> {
        let connection = self.connection.upgrade()?;
        let link = connection.bidirectional.get()?.link.get_or_init(make).clone();
        if connection.output.lock().responder.is_closing() {
            // The connection may have ended before the link was set.
            link.fail(ConnectionLoss::Broken, "the connection has ended");
            return None;
        }
        Some(link)
    }
}

impl Carrier for ConnectionCarrier {
    fn number(&self) -> u64 {
        self.number
    }

    fn link(
        &self,
        make: &mut dyn FnMut() -> Arc<MultiplexedConnection>,
    ) -> Option<Arc<MultiplexedConnection>> {
        self.link_by(make)
    }

    fn stated_code_sets(&self) -> Option<CodeSetContext> {
        let connection = self.connection.upgrade()?;
        let stated = connection.output.lock().responder.code_sets();
        let wchar = stated.wchar.map_or(0, |set| set.id());
        let agreed = CodeSets { lone_surrogates: false, ..stated } != CodeSets::UNAGREED;
        agreed.then_some(CodeSetContext { char: stated.char.id(), wchar })
    }

    fn has_room(&self) -> bool {
        self.connection.upgrade().is_none_or(|connection| !connection.output.lock().has_queued())
    }

    fn arrived(&self) -> u64 {
        let connection = self.connection.upgrade();
        let both = connection.as_ref().and_then(|connection| connection.bidirectional.get());
        both.map_or(0, |both| both.arrived.load(Ordering::Relaxed))
    }

    fn end(&self) {
        // The other end could not make the connection again.
        if let Some(connection) = self.connection.upgrade().filter(|it| it.is_originated()) {
            connection.wake(TimeoutKind::Idle);
        }
    }
}

impl fmt::Debug for ConnectionCarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionCarrier").field("stream", &self.stream).finish_non_exhaustive()
    }
}

/// The calls only send through it. The leader of the connection receives and closes.
impl Stream for ConnectionCarrier {
    fn recv(&self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        self.send_all_vectored(&[IoSlice::new(bytes)])
    }

    fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        self.try_send_vectored(parts).map(drop).map_err(|source| SendError { sent: 0, source })
    }

    /// Sends everything, or nothing while octets are queued for the peer.
    fn try_send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        match self.connection.upgrade() {
            Some(connection) => connection.send_requests(parts),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn set_recv_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn set_send_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn readiness(&self) -> io::Result<Readiness> {
        self.stream.readiness()
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.stream.descriptor().or_else(|| self.stream.doorbell())
    }

    fn has_buffered(&self) -> bool {
        self.stream.has_buffered()
    }

    fn protection(&self) -> Option<Arc<Protection>> {
        self.stream.protection()
    }

    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        Ok(())
    }

    fn peer(&self) -> &Address {
        self.stream.peer()
    }

    fn local(&self) -> &Address {
        self.stream.local()
    }
}

/// The address as references spell it. Calls that need a protected connection go over this one if
/// it is protected and its client has proved who it is.
fn addresses_of(point: &ListenPoint, stream: &dyn Stream) -> Vec<String> {
    let plain = Address::tcp(point.host.clone(), point.port).to_string();
    let proved = stream.protection().is_some_and(|protection| protection.is_authenticated());
    let protected = proved.then(|| EndpointAddress::protected_key(&plain));
    iter::once(plain).chain(protected).collect()
}

/// Adds the addresses for which the client offers its connection to those offered before.
#[cold]
pub(in crate::server) fn accept_offer(
    connection: &Arc<Connection>,
    data: &[u8],
) -> Result<(), SystemException> {
    let Some(claims) = connection.orb.client().reverse_connections() else { return Ok(()) };
    if !matches!(connection.served_by, ServedBy::Reactor(_)) {
        return Ok(());
    }
    let points = ListenPoints::decode_data(data)
        .map_err(|error| SystemException::decoding(&error, Completion::No))?;
    let both = connection.bidirectional.get_or_init(|| Bidirectional::new(Role::Acceptor));
    if both.role == Role::Originator {
        return Ok(());
    }
    let mut offered = lock(&both.offered);
    if connection.output.lock().responder.is_closing() {
        // The connection is no longer offered for any address.
        return Ok(());
    }
    let carrier: Arc<dyn Carrier> = Arc::new(ConnectionCarrier::of(connection));
    let peer = listen_points::host_of(&*connection.stream);
    for point in points.0 {
        // Many clients repeat the offer with every request.
        if offered.contains(&point) || offered.len() >= listen_points::MAX_OFFERED {
            continue;
        }
        let addresses = addresses_of(&point, &*connection.stream);
        let address = &addresses[0];
        if let Err(why) = listen_points::check(&point, &connection.orb, &*connection.stream) {
            report!(
                warn,
                "calls to an address do not go over the connection that was offered for it",
                peer = connection.stream.peer(),
                address = address,
                why = why,
            );
        } else if addresses.iter().filter(|at| !claims.add(at, &peer, &carrier)).count() > 0 {
            report!(
                warn,
                "two clients offer connections for the same address; the second one has to wait",
                peer = connection.stream.peer(),
                address = address,
            );
        }
        offered.push(point);
    }
    Ok(())
}
