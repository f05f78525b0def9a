//! TCP addresses: name resolution, conversion from and to socket addresses, and the report of the
//! addresses of a host that failed.

use crate::error::{kind, wrong_transport};
use crate::{Address, StreamOptions};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::{self, AddressFamily, SocketAddrAny, SocketFlags, SocketType};
use std::fmt::Write as _;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread;
use std::time::Instant;

/// The host and port of a TCP address.
pub(super) fn parts(address: &Address) -> io::Result<(&str, u16)> {
    match address {
        Address::Tcp { host, port } => Ok((host, *port)),
        other => Err(wrong_transport("TCP", other)),
    }
}

/// Every socket address that `host` stands for, in the order of preference; at least one. Waits for
/// the system's resolver as long as that takes.
pub(super) fn resolve(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    match host.parse::<IpAddr>() {
        Ok(ip) => Ok(vec![SocketAddr::new(ip, port)]),
        Err(_) => resolve_name(host, port),
    }
}

fn resolve_name(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    let not_found = |reason: String| io::Error::new(io::ErrorKind::NotFound, reason);
    match (host, port).to_socket_addrs().map(Vec::from_iter) {
        Ok(found) if found.is_empty() => Err(not_found("the host has no address".into())),
        Ok(found) => Ok(found),
        Err(error) => Err(not_found(error.to_string())),
    }
}

/// A name resolution in a thread of its own, because the system's resolver has no time limit. The
/// result of an abandoned one is dropped.
pub(super) struct Resolution {
    found: Receiver<io::Result<Vec<SocketAddr>>>,
    /// Becomes readable when there is a result.
    event: Arc<OwnedFd>,
}

impl Resolution {
    pub(super) fn start(host: &str, port: u16) -> io::Result<Self> {
        let (sender, found) = sync_channel(1);
        let event = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        let (host, signal) = (host.to_owned(), SignalOnDrop(Arc::clone(&event)));
        thread::Builder::new().name("resolver".into()).spawn(move || {
            let _bell = signal;
            // It fails if the connection was abandoned.
            let _ = sender.send(resolve_name(&host, port));
        })?;
        Ok(Self { found, event })
    }

    /// The result, if it is there; none comes after it.
    pub(super) fn result(&self) -> Option<io::Result<Vec<SocketAddr>>> {
        match self.found.try_recv() {
            Ok(found) => Some(found),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                Some(Err(io::Error::other("the resolver's thread failed")))
            }
        }
    }

    /// What is readable when there is a result.
    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}

/// Makes the event readable at the end of the resolver's thread, even if it panics.
struct SignalOnDrop(Arc<OwnedFd>);

impl Drop for SignalOnDrop {
    fn drop(&mut self) {
        // The counter is at zero, so that there is room.
        let _ = rustix::io::write(&*self.0, &1_u64.to_ne_bytes());
    }
}

/// A new socket of the family of `target`, with all options set.
pub(super) fn socket(
    target: SocketAddr,
    options: &StreamOptions,
    flags: SocketFlags,
) -> io::Result<OwnedFd> {
    let family = if target.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let fd = net::socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC | flags, None)?;
    options.apply_tcp(fd.as_fd())?;
    Ok(fd)
}

/// The address of a socket, as the operating system tells it.
pub(super) fn from_os(address: SocketAddrAny) -> io::Result<Address> {
    Ok(SocketAddr::try_from(address)?.into())
}

/// Collects the errors of the resolved addresses of a host.
pub(super) struct AddressErrors {
    report: String,
    address: String,
    kind: io::ErrorKind,
    any: bool,
}

impl AddressErrors {
    /// Starts the report with the failed action, such as "cannot connect to".
    pub(super) fn new(what: &str, address: &Address) -> Self {
        let kind = io::ErrorKind::NotFound;
        Self { report: format!("{what} {address}"), address: address.to_string(), kind, any: false }
    }

    /// Adds a socket address that failed after the time since `start`.
    pub(super) fn failed(&mut self, target: SocketAddr, start: Instant, error: &io::Error) {
        let separator = if self.any { ';' } else { ':' };
        let elapsed = start.elapsed();
        let resolved = Address::from(target).to_string();
        // Where the host is an address already, it is not said again.
        let place = if resolved == self.address { String::new() } else { format!("{target}: ") };
        // Writing to a string cannot fail.
        let _ = write!(self.report, "{separator} {place}{error} (after {elapsed:.1?})");
        (self.kind, self.any) = (kind(error), true);
    }

    /// The error if the host could not be resolved.
    pub(super) fn unresolved(&self, error: &io::Error) -> io::Error {
        io::Error::new(kind(error), format!("{}: cannot resolve the host: {error}", self.report))
    }

    /// An error that reports all addresses, of the kind of the last one.
    pub(super) fn error(&self) -> io::Error {
        io::Error::new(self.kind, self.report.as_str())
    }
}
