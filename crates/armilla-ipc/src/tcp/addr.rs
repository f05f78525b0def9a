//! From a host name to socket addresses and back, and the record of addresses tried in vain.

use crate::deadline::Deadline;
use crate::error::wrong_transport;
use crate::{Address, StreamOptions};
use rustix::fd::{AsFd, OwnedFd};
use rustix::net::{self, AddressFamily, SocketAddrAny, SocketFlags, SocketType};
use std::fmt::Write as _;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// The host and port of a TCP address.
pub(super) fn parts(address: &Address) -> io::Result<(&str, u16)> {
    match address {
        Address::Tcp { host, port } => Ok((host, *port)),
        other => Err(wrong_transport("TCP", other)),
    }
}

/// Every socket address that `host` stands for, in the order of preference; at least one.
pub(super) fn resolve(host: &str, port: u16, deadline: Deadline) -> io::Result<Vec<SocketAddr>> {
    if let Ok(ip) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let found = match deadline.remaining()? {
        None => look_up(host, port),
        Some(left) => look_up_within(host, port, left),
    }?;
    if found.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "the host has no address"));
    }
    Ok(found)
}

fn look_up(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    match (host, port).to_socket_addrs() {
        Ok(found) => Ok(found.collect()),
        Err(error) => Err(io::Error::new(io::ErrorKind::NotFound, error.to_string())),
    }
}

/// Looks up in a thread of its own, because the system's resolver knows no time limit. A resolver
/// that is too slow finishes there unheard.
fn look_up_within(host: &str, port: u16, limit: Duration) -> io::Result<Vec<SocketAddr>> {
    let (sender, receiver) = sync_channel(1);
    let name = host.to_owned();
    thread::Builder::new().name("resolver".into()).spawn(move || {
        // The receiver may have gone, then nobody is interested.
        let _ = sender.send(look_up(&name, port));
    })?;
    receiver.recv_timeout(limit).unwrap_or_else(|error| {
        Err(match error {
            RecvTimeoutError::Timeout => {
                io::Error::new(io::ErrorKind::TimedOut, "the name was not resolved in time")
            }
            RecvTimeoutError::Disconnected => io::Error::other("the resolver's thread failed"),
        })
    })
}

/// A new socket of the family of `target`, with all options set.
pub(super) fn socket(target: SocketAddr, options: &StreamOptions) -> io::Result<OwnedFd> {
    let family = if target.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let fd = net::socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    options.apply_tcp(fd.as_fd())?;
    Ok(fd)
}

/// The address of a socket, as the operating system tells it.
pub(super) fn from_os(address: SocketAddrAny) -> io::Result<Address> {
    Ok(SocketAddr::try_from(address)?.into())
}

/// Collects why each resolved address of a host could not be used.
pub(super) struct Attempts {
    report: String,
    address: String,
    kind: io::ErrorKind,
    any: bool,
}

impl Attempts {
    /// Starts the report with what is attempted, such as "cannot connect to".
    pub(super) fn new(what: &str, address: &Address) -> Self {
        let kind = io::ErrorKind::NotFound;
        Self { report: format!("{what} {address}"), address: address.to_string(), kind, any: false }
    }

    /// Notes one socket address that failed after the time since `start`.
    pub(super) fn failed(&mut self, target: SocketAddr, start: Instant, error: &io::Error) {
        let separator = if self.any { ';' } else { ':' };
        let elapsed = start.elapsed();
        let resolved = Address::from(target).to_string();
        // Where the host is an address already, it is not said again.
        let place = if resolved == self.address { String::new() } else { format!("{target}: ") };
        // Writing to a string cannot fail.
        let _ = write!(self.report, "{separator} {place}{error} (after {elapsed:.1?})");
        (self.kind, self.any) = (error.kind(), true);
    }

    /// Notes that the host could not be resolved.
    pub(super) fn unresolved(mut self, error: &io::Error) -> io::Error {
        let _ = write!(self.report, ": cannot resolve the host: {error}");
        io::Error::new(error.kind(), self.report)
    }
}

impl From<Attempts> for io::Error {
    /// An error of the kind of the last attempt that tells of all of them.
    fn from(attempts: Attempts) -> Self {
        Self::new(attempts.kind, attempts.report)
    }
}
