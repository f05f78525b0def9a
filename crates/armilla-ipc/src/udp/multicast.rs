//! UDP multicast: datagrams to every member of a group.

use super::addr;
use crate::datagram::{Batch, Datagram, Endpoint, Received, roles};
use crate::error::context;
use crate::option::has_options;
use crate::sys::{self, Membership};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::net::{netdevice, sockopt};
use std::fmt;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

/// A network interface of this host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interface(u32);

impl Interface {
    /// The one that the routing table chooses.
    pub const DEFAULT: Self = Self(0);

    /// The interface called `name`, such as `eth0`.
    ///
    /// # Errors
    /// The message names the interface; [`io::ErrorKind::NotFound`] or an error of the operating
    /// system if there is none.
    pub fn named(name: &str) -> io::Result<Self> {
        let find = || {
            let (family, kind) = (rustix::net::AddressFamily::UNIX, rustix::net::SocketType::DGRAM);
            let any = rustix::net::socket(family, kind, None)?;
            netdevice::name_to_index(&any, name)
        };
        find().map(Self).map_err(|e| context(format_args!("there is no interface {name:?}"), e))
    }

    /// The interface with this index, as `ip link` shows it.
    pub const fn index(index: u32) -> Self {
        Self(index)
    }
}

/// A UDP socket of a multicast group: it receives what is sent to the groups that it has joined,
/// and sends to its own.
///
/// ```
/// use armilla_ipc::datagram::Datagram;
/// use armilla_ipc::udp::{Interface, UdpMulticast};
///
/// let socket = UdpMulticast::bind("239.255.7.7:0".parse().unwrap())?;
/// let loopback = Interface::named("lo")?;
/// socket.join(socket.group().ip(), loopback)?;
/// socket.set_interface(loopback)?;
/// socket.send(b"to all of us")?;
/// let (received, _from) = socket.recv_from(&mut [0; 64])?;
/// assert_eq!(received.length, 12);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct UdpMulticast {
    endpoint: Endpoint<SocketAddr>,
    group: SocketAddr,
}

impl UdpMulticast {
    /// A socket of the group and port `group`; port 0 takes a free one. Several processes may share
    /// it. It has joined nothing yet.
    ///
    /// It receives only what is sent to `group`, even if another socket of the host has joined
    /// other groups at the same port; to receive several groups bind one socket for each.
    ///
    /// # Errors
    /// The message names the group; [`io::ErrorKind::InvalidInput`] if it is not a multicast
    /// address.
    pub fn bind(group: SocketAddr) -> io::Result<Self> {
        if !group.ip().is_multicast() {
            let why = format!("{} is not a multicast address", group.ip());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let fd = addr::bound(group, |fd| {
            sockopt::set_socket_reuseaddr(fd, true)?;
            // Only what this socket has joined, not what any socket of the host has.
            let all = if group.is_ipv4() { sys::MULTICAST_ALL } else { sys::MULTICAST_ALL_V6 };
            Ok(all.set(fd, 0)?)
        })?;
        let endpoint = Endpoint::<SocketAddr>::new(fd);
        let group = endpoint.local()?;
        Ok(Self { endpoint, group })
    }

    /// The group to which the socket sends, with its real port.
    pub fn group(&self) -> SocketAddr {
        self.group
    }

    /// Sends `bytes` to the group.
    ///
    /// # Errors
    /// As [`Datagram::send_to`].
    pub fn send(&self, bytes: &[u8]) -> io::Result<()> {
        self.endpoint.send_to(bytes, &self.group)
    }

    /// Receives from every sender to `group` over `interface`.
    ///
    /// # Errors
    /// The message names the group; [`io::ErrorKind::AddrInUse`] if it has been joined already.
    pub fn join(&self, group: IpAddr, interface: Interface) -> io::Result<()> {
        self.change("join", group, interface, Membership::Join)
    }

    /// Ends what [`join`](Self::join) began. Dropping the socket leaves every group.
    ///
    /// # Errors
    /// The message names the group; [`io::ErrorKind::AddrNotAvailable`] if it was not joined.
    pub fn leave(&self, group: IpAddr, interface: Interface) -> io::Result<()> {
        self.change("leave", group, interface, Membership::Leave)
    }

    /// Receives what `source` alone sends to `group` over `interface` (RFC 4607). May be called for
    /// several sources.
    ///
    /// # Errors
    /// As [`join`](Self::join).
    pub fn join_source(
        &self,
        group: IpAddr,
        source: IpAddr,
        interface: Interface,
    ) -> io::Result<()> {
        self.change("join", group, interface, Membership::JoinSource(source))
    }

    /// Ends what [`join_source`](Self::join_source) began.
    ///
    /// # Errors
    /// As [`leave`](Self::leave).
    pub fn leave_source(
        &self,
        group: IpAddr,
        source: IpAddr,
        interface: Interface,
    ) -> io::Result<()> {
        self.change("leave", group, interface, Membership::LeaveSource(source))
    }

    fn change(
        &self,
        verb: &str,
        group: IpAddr,
        interface: Interface,
        change: Membership,
    ) -> io::Result<()> {
        sys::change_membership(self.as_fd(), group, interface.0, change).map_err(|error| {
            context(format_args!("cannot {verb} the group {group} on interface {interface}"), error)
        })
    }

    /// Sends over `interface` from now on.
    ///
    /// # Errors
    /// The message names the interface.
    pub fn set_interface(&self, interface: Interface) -> io::Result<()> {
        match self.group.ip() {
            IpAddr::V4(_) => sockopt::set_ip_multicast_if_with_ifindex(
                self,
                &Ipv4Addr::UNSPECIFIED,
                &Ipv4Addr::UNSPECIFIED,
                interface.0,
            ),
            IpAddr::V6(_) => sockopt::set_ipv6_multicast_if(self, interface.0),
        }
        .map_err(|error| context(format_args!("cannot send over interface {interface}"), error))
    }

    /// How many routers a datagram may pass, and one more: 1, the default, stays in the own
    /// network.
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known.
    pub fn set_hops(&self, hops: u8) -> io::Result<()> {
        Ok(match self.group {
            SocketAddr::V4(_) => sockopt::set_ip_multicast_ttl(self, hops.into()),
            SocketAddr::V6(_) => sockopt::set_ipv6_multicast_hops(self, hops.into()),
        }?)
    }

    /// The value set by [`set_hops`](Self::set_hops).
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known.
    pub fn hops(&self) -> io::Result<u8> {
        let hops = match self.group {
            SocketAddr::V4(_) => sockopt::ip_multicast_ttl(self),
            SocketAddr::V6(_) => sockopt::ipv6_multicast_hops(self),
        }?;
        Ok(hops.try_into().unwrap_or(u8::MAX))
    }

    /// Whether sockets of this host receive what this one sends; the default is that they do. What
    /// is sent over the loopback interface itself comes back in any case.
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known.
    pub fn set_loopback(&self, on: bool) -> io::Result<()> {
        Ok(match self.group {
            SocketAddr::V4(_) => sockopt::set_ip_multicast_loop(self, on),
            SocketAddr::V6(_) => sockopt::set_ipv6_multicast_loop(self, on),
        }?)
    }

    /// The value set by [`set_loopback`](Self::set_loopback).
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known.
    pub fn loopback(&self) -> io::Result<bool> {
        Ok(match self.group {
            SocketAddr::V4(_) => sockopt::ip_multicast_loop(self),
            SocketAddr::V6(_) => sockopt::ipv6_multicast_loop(self),
        }?)
    }
}

impl fmt::Display for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("chosen by the system"),
            index => write!(f, "{index}"),
        }
    }
}

roles!(Datagram for UdpMulticast, SocketAddr);
has_options!(UdpMulticast: SendBuffer, RecvBuffer, BusyPoll, Priority, Dscp);
