//! A server with a thread for each connection.

use super::entropy;
use super::limit::Limit;
use crate::fault::Status;
use crate::management::{MANAGEMENT, Management};
use crate::security::ntlm::{self, AcceptorOptions, NtHash};
use crate::security::{SecurityContext, service, spnego};
use crate::server::{Access, Host, Server, ServerCall, ServerEvent, ServerOptions};
use crate::uuid::SyntaxId;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use core::time::Duration;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
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
    /// How many connections there may be; further ones are closed at once.
    pub max_connections: usize,
}

impl ListenerOptions {
    /// The options of a host of this name.
    pub fn new(computer: &str) -> Self {
        let (server, ntlm) = (ServerOptions::default(), AcceptorOptions::new(computer));
        Self { server, ntlm, max_connections: 256 }
    }
}

/// A server that listens. It ends when this is dropped; connections end with their clients.
#[derive(Debug)]
pub struct Listener {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
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
    let listed = interfaces.iter().map(|(interface, _)| *interface).collect();
    let shared = Arc::new(Shared {
        interfaces,
        management: Management { interfaces: listed },
        service,
        options,
        connections: AtomicUsize::new(0),
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
    Ok(Listener { address, stop, thread: Some(thread) })
}

struct Shared<S> {
    service: S,
    interfaces: Vec<(SyntaxId, Access)>,
    management: Management,
    options: ListenerOptions,
    connections: AtomicUsize,
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
    if shared.connections.fetch_add(1, Ordering::SeqCst) >= shared.options.max_connections {
        shared.connections.fetch_sub(1, Ordering::SeqCst);
        return;
    }
    let own = shared.clone();
    let thread = thread::Builder::new().name("dcerpc".to_string()).spawn(move || {
        struct Leave<S>(Arc<Shared<S>>);
        impl<S> Drop for Leave<S> {
            fn drop(&mut self) {
                self.0.connections.fetch_sub(1, Ordering::SeqCst);
            }
        }
        let leave = Leave(own);
        // Whatever ended it, the client notices.
        let _ = serve(&leave.0, stream);
    });
    if thread.is_err() {
        shared.connections.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The association group that a connection began; nobody joins it after the connection.
struct Group<'a, S>(&'a Shared<S>, u32);

impl<S> Drop for Group<'_, S> {
    fn drop(&mut self) {
        self.0.leave(self.1);
    }
}

fn serve<S: Service>(shared: &Arc<Shared<S>>, mut stream: TcpStream) -> io::Result<()> {
    let start = Instant::now();
    let mut options = shared.options.server.clone();
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(options.fragment_timeout))?;
    let group = Group(shared, shared.new_group());
    options.group = group.1;
    let mut server = Server::new(options, Connected(shared.clone()), start.elapsed());
    let (mut buffer, mut reading) = ([0; 8192], Limit::default());
    loop {
        let mut open = true;
        while let Some(event) = server.poll_event() {
            match event {
                ServerEvent::Call(call) => {
                    let results = execute(shared, &call);
                    if !call.maybe {
                        let results = results.as_deref().map_err(|status| *status);
                        // The next event says that the connection has ended.
                        let _ = server.respond(call.id, results);
                    }
                }
                ServerEvent::Closed(_) => open = false,
                _ => {}
            }
        }
        if let Some(octets) = server.poll_output() {
            stream.write_all(&octets)?;
        }
        if !open {
            return Ok(());
        }
        let limit = server.poll_timeout().map(|limit| limit.saturating_sub(start.elapsed()));
        let limit = limit.map(|limit| limit.max(Duration::from_millis(1)));
        if reading.change(limit) {
            stream.set_read_timeout(limit)?;
        }
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => server.receive(&buffer[..count], start.elapsed()),
            Err(error) => match error.kind() {
                io::ErrorKind::Interrupted => {}
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                    server.handle_timeout(start.elapsed());
                }
                _ => return Err(error),
            },
        }
    }
}

fn execute<S: Service>(shared: &Shared<S>, call: &ServerCall) -> Result<Vec<u8>, Status> {
    if call.interface == MANAGEMENT {
        return shared.management.call(call.opnum, &call.stub, call.order);
    }
    shared.service.call(call)
}
