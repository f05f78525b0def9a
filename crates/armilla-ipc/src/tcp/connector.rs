//! The active side of the TCP transport: tries the addresses of a host in order, within one
//! timeout.

use super::TcpStream;
use super::addr::{self, AddressErrors, Resolution};
use crate::deadline::Deadline;
use crate::interest::Interest;
use crate::pending_connect::wait_for_connect;
use crate::socket::Socket;
use crate::{Address, Connector, PendingConnect, Stream, StreamOptions, WaitCondition};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{self, SocketFlags, sockopt};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};
use std::{io, mem, vec};

/// Makes TCP streams actively.
#[derive(Clone, Debug, Default)]
pub struct TcpConnector {
    options: StreamOptions,
}

impl TcpConnector {
    /// A connector whose streams have these options.
    pub fn new(options: StreamOptions) -> Self {
        Self { options }
    }

    /// Connects to `address` within `timeout` in total, name resolution included.
    ///
    /// If the host has several addresses they are tried in the resolver's order; each gets an equal
    /// share of the time that is left. Without a timeout the kernel gives up on each after about
    /// two minutes.
    ///
    /// # Errors
    /// As [`Connector::connect`]; the kind is that of the last address tried.
    pub fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<TcpStream> {
        wait_for_connect(&mut TcpPendingConnect::new(address, timeout, &self.options)?)
    }
}

impl Connector for TcpConnector {
    fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<Box<dyn Stream>> {
        Ok(Box::new(self.connect(address, timeout)?))
    }
}

/// A connection to one after the other of the addresses of a host.
pub(super) struct TcpPendingConnect {
    options: StreamOptions,
    deadline: Deadline,
    errors: AddressErrors,
    stage: Stage,
}

enum Stage {
    /// The host is being looked up.
    Resolving(Resolution),
    /// These are left to be tried.
    NextAddress(vec::IntoIter<SocketAddr>),
    /// One of them is being tried.
    Connecting(SocketConnect, vec::IntoIter<SocketAddr>),
}

impl TcpPendingConnect {
    pub(super) fn new(
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
    ) -> io::Result<Self> {
        let (host, port) = addr::parts(address)?;
        let (deadline, options) = (Deadline::after(timeout), options.clone());
        let errors = AddressErrors::new("cannot connect to", address);
        let stage = match host.parse::<IpAddr>() {
            Ok(ip) => Stage::NextAddress(vec![SocketAddr::new(ip, port)].into_iter()),
            Err(_) => Stage::Resolving(Resolution::start(host, port)?),
        };
        Ok(Self { options, deadline, errors, stage })
    }

    /// Begins with the next address, whose trial may fail at once.
    fn connect_to(&mut self, target: SocketAddr, left: usize) -> io::Result<SocketConnect> {
        let share = self.deadline.share(left)?;
        // The time counts from when there is a socket: a busy kernel may be slow to make one, and a
        // peer that answers at once must still be in time.
        let connect_to = |fd| {
            let (start, limit) = (Instant::now(), Deadline::after(share));
            SocketConnect { fd, target, start, limit }
        };
        let Some(ports) = self.options.local_ports.clone() else {
            return addr::socket(target, &self.options, SocketFlags::NONBLOCK).map(connect_to);
        };
        for port in ports.clone() {
            if let Some(fd) = self.connect_from_port(port, target)? {
                return Ok(connect_to(fd));
            }
        }
        let (first, last) = ports.into_inner();
        let taken = format!("all local ports from {first} to {last} are taken");
        Err(io::Error::new(io::ErrorKind::AddrNotAvailable, taken))
    }

    /// A socket that begins to connect by this port; `None` where that is taken.
    fn connect_from_port(&self, port: u16, target: SocketAddr) -> io::Result<Option<OwnedFd>> {
        let any: IpAddr = match target {
            SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let fd = addr::socket(target, &self.options, SocketFlags::NONBLOCK)?;
        // The port may be in use for other addresses, and may have been in use for this one until a
        // moment ago.
        sockopt::set_socket_reuseaddr(&fd, true)?;
        let begun =
            net::bind(&fd, &SocketAddr::new(any, port)).and_then(|()| net::connect(&fd, &target));
        match begun {
            Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(Some(fd)),
            Err(Errno::ADDRINUSE | Errno::ADDRNOTAVAIL) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }
}

impl PendingConnect<TcpStream> for TcpPendingConnect {
    fn advance(&mut self) -> io::Result<Option<TcpStream>> {
        loop {
            let done = Stage::NextAddress(Vec::new().into_iter());
            match mem::replace(&mut self.stage, done) {
                Stage::Resolving(resolve_name) => {
                    let found = match (resolve_name.result(), self.deadline.remaining()) {
                        (Some(found), _) => found,
                        (None, Ok(_)) => {
                            self.stage = Stage::Resolving(resolve_name);
                            return Ok(None);
                        }
                        (None, Err(late)) => Err(late),
                    };
                    let found = found.map_err(|error| self.errors.unresolved(&error))?;
                    self.stage = Stage::NextAddress(found.into_iter());
                }
                Stage::NextAddress(mut left) => {
                    let count = left.len();
                    let Some(target) = left.next() else { return Err(self.errors.error()) };
                    match self.connect_to(target, count) {
                        Ok(connecting) => self.stage = Stage::Connecting(connecting, left),
                        Err(error) => {
                            self.errors.failed(target, Instant::now(), &error);
                            self.stage = Stage::NextAddress(left);
                        }
                    }
                }
                Stage::Connecting(connecting, left) => match connecting.outcome() {
                    Ok(Some(local)) => {
                        self.options.apply_connected(connecting.fd.as_fd())?;
                        let socket =
                            Socket::new(connecting.fd, local.into(), connecting.target.into());
                        return Ok(Some(TcpStream::from_socket(socket)));
                    }
                    Ok(None) => {
                        self.stage = Stage::Connecting(connecting, left);
                        return Ok(None);
                    }
                    Err(error) => {
                        self.errors.failed(connecting.target, connecting.start, &error);
                        self.stage = Stage::NextAddress(left);
                    }
                },
            }
        }
    }

    fn wait_condition(&self) -> WaitCondition<'_> {
        match &self.stage {
            Stage::Resolving(resolve_name) => WaitCondition::ready(
                resolve_name.descriptor(),
                Interest::READ,
                self.deadline.left(),
            ),
            Stage::Connecting(connecting, _) => WaitCondition::ready(
                connecting.fd.as_fd(),
                Interest::WRITE,
                connecting.limit.left(),
            ),
            Stage::NextAddress(_) => WaitCondition::pause(Duration::ZERO),
        }
    }
}

/// A connection to one address, by a non-blocking socket.
struct SocketConnect {
    fd: OwnedFd,
    target: SocketAddr,
    start: Instant,
    limit: Deadline,
}

impl SocketConnect {
    /// The local address, once the socket is connected. A repeated `connect` joins the one in
    /// progress.
    fn outcome(&self) -> io::Result<Option<SocketAddr>> {
        loop {
            match net::connect(&self.fd, &self.target) {
                Ok(()) | Err(Errno::ISCONN) => break,
                Err(Errno::INTR) => {}
                Err(Errno::INPROGRESS | Errno::ALREADY) => {
                    return self.limit.remaining().map(|_| None);
                }
                Err(errno) => return Err(errno.into()),
            }
        }
        let local = SocketAddr::try_from(net::getsockname(&self.fd)?)?;
        if local == self.target {
            // A port of the ephemeral range without a listener: the kernel chose it for our own end
            // too, and the socket connected to itself.
            return Err(Errno::CONNREFUSED.into());
        }
        rustix::io::ioctl_fionbio(&self.fd, false)?;
        Ok(Some(local))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_that_connects_to_itself_is_refused() {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let fd = addr::socket(any, &StreamOptions::default(), SocketFlags::NONBLOCK).unwrap();
        net::bind(&fd, &any).unwrap();
        let target = SocketAddr::try_from(net::getsockname(&fd).unwrap()).unwrap();
        let connecting =
            SocketConnect { fd, target, start: Instant::now(), limit: Deadline::after(None) };
        let error = loop {
            match connecting.outcome() {
                Ok(connected) => assert_eq!(connected, None),
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }
}
