//! A server with a thread for each connection.

use super::connections::{Connections, Place};
use super::entropy;
use super::limit::Limit;
use crate::fault::Status;
use crate::management::{MANAGEMENT, Management};
use crate::security::ntlm::{self, AcceptorOptions, NtHash};
use crate::security::{SecurityContext, service, spnego};
use crate::server::{Access, Host, Server, ServerCall, ServerError, ServerEvent, ServerOptions};
use crate::uuid::SyntaxId;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// What a server does. Its methods are called by several threads at once.
pub trait Service: Send + Sync + 'static {
    /// Its interfaces, besides the management interface, which every server has.
    fn interfaces(&self) -> Vec<(SyntaxId, Access)>;

    /// Who may call an interface that is not among [`interfaces`](Self::interfaces), for servers
    /// whose interfaces come and go; `None` if there is no such interface.
    fn further_interface(&self, _interface: SyntaxId) -> Option<Access> {
        None
    }

    /// Executes a call; returns the stub of its results.
    ///
    /// # Errors
    ///
    /// The status that the client is told.
    fn call(&self, call: &ServerCall) -> Result<Vec<u8>, Status>;

    /// The hash of a user's password; `None` if there is no such user.
    fn hash(&self, user: &str, domain: &str) -> Option<NtHash>;
}

impl<S: Service + ?Sized> Service for Arc<S> {
    fn interfaces(&self) -> Vec<(SyntaxId, Access)> {
        (**self).interfaces()
    }

    fn further_interface(&self, interface: SyntaxId) -> Option<Access> {
        (**self).further_interface(interface)
    }

    fn call(&self, call: &ServerCall) -> Result<Vec<u8>, Status> {
        (**self).call(call)
    }

    fn hash(&self, user: &str, domain: &str) -> Option<NtHash> {
        (**self).hash(user, domain)
    }
}

/// How a server listens.
#[derive(Debug, Clone)]
pub struct ListenerOptions {
    /// How it behaves on each connection.
    pub server: ServerOptions,
    /// What it says of itself, and insists on.
    pub ntlm: AcceptorOptions,
    /// How many connections there may be. For a further one another one ends whose client has not proved
    /// who it is: the oldest of the host that has most of these. If all have, it is closed at once.
    pub max_connections: usize,
    /// How many connections of one host may stay, whose clients have proved who they are. A network of
    /// IPv6 counts as one host.
    pub max_connections_of_host: usize,
    /// How many wrong passwords a host has in a minute; until that is over its further connections are
    /// closed at once.
    pub max_guesses: u32,
}

impl ListenerOptions {
    /// The options of a host of this name.
    pub fn new(computer: &str) -> Self {
        let (server, ntlm) = (ServerOptions::default(), AcceptorOptions::new(computer));
        Self { server, ntlm, max_connections: 256, max_connections_of_host: 128, max_guesses: 20 }
    }
}

/// A server that listens. It ends when this is dropped, and each connection when what its client has sent
/// by then is answered.
#[derive(Debug)]
pub struct Listener {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    connections: Arc<Connections>,
}

impl Listener {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until it ends, which it does not by itself.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            // A panic was reported where it happened.
            let _ = thread.join();
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the thread up.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
        let _ = thread.join();
        self.connections.end();
    }
}

/// Listens at an address.
///
/// # Errors
///
/// If that cannot be done.
pub fn listen(
    address: impl ToSocketAddrs,
    service: impl Service,
    mut options: ListenerOptions,
) -> io::Result<Listener> {
    let listener = TcpListener::bind(address)?;
    let address = listener.local_addr()?;
    let mut port = address.port().to_string().into_bytes();
    port.push(0);
    options.server.secondary_address = port;
    let interfaces = service.interfaces();
    let most = (options.max_connections, options.max_connections_of_host);
    let connections = Connections::new(most, options.max_guesses);
    let all = connections.clone();
    let listed = interfaces.iter().map(|(interface, _)| *interface).collect();
    let shared = Arc::new(Shared {
        interfaces,
        management: Management { interfaces: listed },
        service,
        options,
        connections,
        groups: Mutex::new(Groups {
            last: u32::from_le_bytes(entropy::random()),
            ..Groups::default()
        }),
    });
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let thread = thread::Builder::new().name("dcerpc-listener".to_string()).spawn(move || {
        for stream in listener.incoming() {
            if stopped.load(Ordering::SeqCst) {
                return;
            }
            match stream {
                Ok(stream) => accept(&shared, stream),
                // Out of descriptors: another one may become free.
                Err(_) => thread::sleep(Duration::from_millis(50)),
            }
        }
    })?;
    Ok(Listener { address, stop, thread: Some(thread), connections: all })
}

struct Shared<S> {
    service: S,
    interfaces: Vec<(SyntaxId, Access)>,
    management: Management,
    options: ListenerOptions,
    connections: Arc<Connections>,
    groups: Mutex<Groups>,
}

/// The association groups that connections have.
#[derive(Default)]
struct Groups {
    last: u32,
    /// Those of the connections that began one.
    members: BTreeSet<u32>,
}

impl<S> Shared<S> {
    fn groups(&self) -> MutexGuard<'_, Groups> {
        // A thread that panics leaves numbers that are right.
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A group for a new connection.
    fn new_group(&self) -> u32 {
        let mut groups = self.groups();
        loop {
            groups.last = groups.last.wrapping_add(1).max(1);
            let group = groups.last;
            if groups.members.insert(group) {
                return group;
            }
        }
    }

    fn leave(&self, group: u32) {
        self.groups().members.remove(&group);
    }
}

/// The host of one connection.
struct Connected<S>(Arc<Shared<S>>);

impl<S: Service> Host for Connected<S> {
    fn interface(&self, interface: SyntaxId) -> Option<Access> {
        if interface == MANAGEMENT {
            return Some(Access::Anybody);
        }
        let known = self.0.interfaces.iter().find(|(known, _)| *known == interface);
        let further = || self.0.service.further_interface(interface);
        known.map(|(_, access)| *access).or_else(further)
    }

    fn security(&self, service: u8) -> Option<Box<dyn SecurityContext>> {
        let shared = self.0.clone();
        let hash = move |user: &str, domain: &str| shared.service.hash(user, domain);
        let options = self.0.options.ntlm.clone();
        let ntlm = Box::new(ntlm::Acceptor::new(options, hash, entropy::random(), entropy::now()));
        match service {
            service::NTLM => Some(ntlm),
            service::SPNEGO => Some(Box::new(spnego::Acceptor::new(vec![ntlm]))),
            _ => None,
        }
    }

    fn has_group(&self, group: u32) -> bool {
        self.0.groups().members.contains(&group)
    }
}

fn accept<S: Service>(shared: &Arc<Shared<S>>, stream: TcpStream) {
    // One that has ended already has no address.
    let Ok(peer) = stream.peer_addr() else { return };
    let Some(place) = shared.connections.admit(stream, peer) else { return };
    let shared = shared.clone();
    let run = move || match serve(&shared, &place) {
        Ok(None) => {}
        Ok(Some(ServerError::Security(error))) => place.denied(error),
        Ok(Some(error)) => tracing::debug!(peer = %place.peer, %error, "a connection is closed"),
        Err(error) => tracing::debug!(peer = %place.peer, %error, "a connection broke"),
    };
    if let Err(error) = thread::Builder::new().name("dcerpc".to_string()).spawn(run) {
        tracing::warn!(%peer, %error, "no thread for a connection; it is closed");
    }
}

/// The association group that a connection began; nobody joins it after the connection.
struct Group<'a, S>(&'a Shared<S>, u32);

impl<S> Drop for Group<'_, S> {
    fn drop(&mut self) {
        self.0.leave(self.1);
    }
}

/// Serves a connection; returns why the server ended it, if it did.
fn serve<S: Service>(shared: &Arc<Shared<S>>, place: &Place) -> io::Result<Option<ServerError>> {
    let (start, mut stream) = (Instant::now(), &*place.stream);
    let mut options = shared.options.server.clone();
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(options.fragment_timeout))?;
    let group = Group(shared, shared.new_group());
    options.group = group.1;
    let mut server = Server::new(options, Connected(shared.clone()), start.elapsed());
    let (mut buffer, mut reading) = ([0; 8192], Limit::default());
    // The time that calls take is not the client's, which waits for them.
    let (mut executing, mut proven) = (Duration::ZERO, false);
    loop {
        let mut end = None;
        while let Some(event) = server.poll_event() {
            match event {
                ServerEvent::Call(call) => {
                    let begun = Instant::now();
                    let results = execute(shared, &call);
                    executing += begun.elapsed();
                    if !call.maybe {
                        let results = results.as_deref().map_err(|status| *status);
                        // The next event says that the connection has ended.
                        let _ = server.respond(call.id, results);
                    }
                }
                ServerEvent::Closed(error) => end = Some(error),
                _ => {}
            }
            // At once: the answers of many calls would be much.
            send(&mut server, stream)?;
        }
        send(&mut server, stream)?;
        if end.is_some() {
            return Ok(end);
        }
        if !proven && server.is_proven() {
            if !place.prove() {
                return Ok(None);
            }
            proven = true;
        }
        let now = || start.elapsed().saturating_sub(executing);
        let limit = server.poll_timeout().map(|limit| limit.saturating_sub(now()));
        let limit = limit.map(|limit| limit.max(Duration::from_millis(1)));
        if reading.change(limit) {
            stream.set_read_timeout(limit)?;
        }
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(None),
            Ok(count) => server.receive(&buffer[..count], now()),
            Err(error) => match error.kind() {
                io::ErrorKind::Interrupted => {}
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                    server.handle_timeout(now());
                }
                _ => return Err(error),
            },
        }
    }
}

fn send(server: &mut Server, mut stream: &TcpStream) -> io::Result<()> {
    server.poll_output().map_or(Ok(()), |octets| stream.write_all(&octets))
}

fn execute<S: Service>(shared: &Shared<S>, call: &ServerCall) -> Result<Vec<u8>, Status> {
    if call.interface == MANAGEMENT {
        return shared.management.call(call.opnum, &call.stub, call.order);
    }
    // What panics fails its call; the others of the connection go on.
    let run = AssertUnwindSafe(|| shared.service.call(call));
    catch_unwind(run).unwrap_or(Err(Status::SERVER_FAULT))
}
