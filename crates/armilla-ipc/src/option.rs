//! Socket options as types. An option can be set and read on the sockets that have it; on any other
//! it does not compile.
//!
//! Each transport says which options its sockets have. Options that a stream needs before it exists
//! are fields of [`StreamOptions`](crate::StreamOptions).

use crate::error::context;
use crate::sys;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::net::{AddressFamily, sockopt};
use std::fmt::Debug;
use std::io;
use std::time::Duration;

/// An option of a socket, with its value.
///
/// ```
/// use armilla_ipc::UnixStream;
/// use armilla_ipc::option::{Options, SendBuffer};
///
/// let (stream, _) = UnixStream::pair()?;
/// stream.set_option(SendBuffer(20_000))?;
/// assert_eq!(stream.option::<SendBuffer>()?, SendBuffer(40_000)); // the kernel doubles it
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// An option that a socket does not have is not accepted:
///
/// ```compile_fail,E0277
/// use armilla_ipc::UnixStream;
/// use armilla_ipc::option::{NoDelay, Options};
///
/// let (stream, _) = UnixStream::pair().unwrap();
/// stream.set_option(NoDelay(true)); // a TCP option
/// ```
pub trait SocketOption: Sized + Debug {
    /// Sets the option of `socket` to this value.
    ///
    /// # Errors
    /// The message names the option and its value.
    fn set_on(&self, socket: BorrowedFd<'_>) -> io::Result<()>;

    /// Reads the option of `socket`.
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known for a socket that has the option.
    fn get_from(socket: BorrowedFd<'_>) -> io::Result<Self>;
}

/// Marks the option as one that sockets of type `S` have.
pub trait AppliesTo<S>: SocketOption {}

/// A socket whose options can be set and read.
pub trait Options: AsFd + Sized {
    /// Sets an option.
    ///
    /// # Errors
    /// The message names the option and its value; [`io::ErrorKind::PermissionDenied`] if it needs
    /// a privilege.
    fn set_option<O: AppliesTo<Self>>(&self, option: O) -> io::Result<()> {
        option.set_on(self.as_fd())
    }

    /// Reads an option, as the kernel keeps it: not always the value that was set.
    ///
    /// # Errors
    /// As [`SocketOption::get_from`].
    fn option<O: AppliesTo<Self>>(&self) -> io::Result<O> {
        O::get_from(self.as_fd())
    }
}

/// Declares an option, and how it is set and read.
macro_rules! option {
    (
        $(#[$doc:meta])* $name:ident($value:ty);
        set($fd:ident, $new:ident) $set:expr;
        get $get:expr;
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name(pub $value);

        impl SocketOption for $name {
            fn set_on(&self, $fd: BorrowedFd<'_>) -> io::Result<()> {
                let $new = &self.0;
                let result: Result<(), rustix::io::Errno> = $set;
                result.map_err(|error| context(format_args!("cannot set {self:?}"), error))
            }

            fn get_from($fd: BorrowedFd<'_>) -> io::Result<Self> {
                Ok(Self($get))
            }
        }
    };
}

/// Declares that `$socket` has these options.
macro_rules! has_options {
    ($socket:ty: $($option:ident),+) => {
        impl crate::option::Options for $socket {}
        $(impl crate::option::AppliesTo<$socket> for crate::option::$option {})+
    };
}
pub(crate) use has_options;

option! {
    /// The size of the send queue in bytes (`SO_SNDBUF`); the kernel doubles it and caps it
    /// silently.
    SendBuffer(usize);
    set(fd, size) sockopt::set_socket_send_buffer_size(fd, *size);
    get sockopt::socket_send_buffer_size(fd)?;
}

option! {
    /// The size of the receive queue in bytes (`SO_RCVBUF`); see [`SendBuffer`].
    RecvBuffer(usize);
    set(fd, size) sockopt::set_socket_recv_buffer_size(fd, *size);
    get sockopt::socket_recv_buffer_size(fd)?;
}

option! {
    /// Sends small segments at once instead of collecting them (`TCP_NODELAY`).
    NoDelay(bool);
    set(fd, on) sockopt::set_tcp_nodelay(fd, *on);
    get sockopt::tcp_nodelay(fd)?;
}

option! {
    /// Probes a silent peer after this idle time, in whole seconds (`SO_KEEPALIVE`,
    /// `TCP_KEEPIDLE`); none: not at all.
    KeepAlive(Option<Duration>);
    set(fd, idle) sockopt::set_socket_keepalive(fd, idle.is_some()).and_then(|()| match idle {
        // The kernel counts whole seconds and refuses zero.
        Some(idle) => sockopt::set_tcp_keepidle(fd, (*idle).max(Duration::from_secs(1))),
        None => Ok(()),
    });
    get match sockopt::socket_keepalive(fd)? {
        true => Some(sockopt::tcp_keepidle(fd)?),
        false => None,
    };
}

option! {
    /// The time between two probes of [`KeepAlive`], in whole seconds (`TCP_KEEPINTVL`).
    ProbeInterval(Duration);
    // The kernel counts whole seconds and refuses zero.
    set(fd, time) sockopt::set_tcp_keepintvl(fd, (*time).max(Duration::from_secs(1)));
    get sockopt::tcp_keepintvl(fd)?;
}

option! {
    /// The number of unanswered probes of [`KeepAlive`] after which the connection is closed, 1 to
    /// 127 (`TCP_KEEPCNT`).
    ProbeCount(u32);
    set(fd, count) sockopt::set_tcp_keepcnt(fd, *count);
    get sockopt::tcp_keepcnt(fd)?;
}

option! {
    /// How long bytes that were sent may stay unacknowledged, or the peer's queue may stay full,
    /// before the connection is broken (`TCP_USER_TIMEOUT`, RFC 5482), in whole milliseconds; none
    /// leaves it to the system, which tries for about a quarter of an hour.
    UserTimeout(Option<Duration>);
    // Zero would mean the system's.
    set(fd, time) {
        let milliseconds = time.map_or(0, |time| time.as_millis().clamp(1, i32::MAX as u128) as u32);
        sockopt::set_tcp_user_timeout(fd, milliseconds)
    };
    get match sockopt::tcp_user_timeout(fd)? {
        0 => None,
        milliseconds => Some(Duration::from_millis(milliseconds.into())),
    };
}

option! {
    /// What closing does with bytes not yet sent (`SO_LINGER`), in whole seconds: none sends them
    /// in the background; a time waits so long for them to be sent; zero drops them and resets.
    Linger(Option<Duration>);
    set(fd, time) sockopt::set_socket_linger(fd, *time);
    get sockopt::socket_linger(fd)?;
}

option! {
    /// The congestion control algorithm by name, such as `"cubic"` (`TCP_CONGESTION`).
    Congestion(String);
    set(fd, name) sockopt::set_tcp_congestion(fd, name);
    get sockopt::tcp_congestion(fd)?;
}

option! {
    /// How long a reception polls the network card before it sleeps (`SO_BUSY_POLL`), in whole
    /// microseconds. More than the system's default needs the privilege `CAP_NET_ADMIN`; the
    /// loopback has no card to poll.
    BusyPoll(Duration);
    set(fd, time) {
        let micros = i32::try_from(time.as_micros()).unwrap_or(i32::MAX);
        sys::BUSY_POLL.set(fd, micros)
    };
    get Duration::from_micros(sys::BUSY_POLL.get(fd)?.unsigned_abs().into());
}

option! {
    /// The priority within the host's own queues (`SO_PRIORITY`), 0 to 6; more needs the privilege
    /// `CAP_NET_ADMIN`. Setting a [`Dscp`] afterwards changes it.
    Priority(u8);
    set(fd, priority) sys::PRIORITY.set(fd, (*priority).into());
    get sys::PRIORITY.get(fd)?.try_into().unwrap_or(u8::MAX);
}

option! {
    /// The treatment that the packets request from routers (RFC 2474).
    Dscp(CodePoint);
    set(fd, point) {
        let class = i32::from(point.0) << 2;
        match sockopt::socket_domain(fd)? {
            AddressFamily::INET6 => sys::TRAFFIC_CLASS_V6.set(fd, class)
                // For peers with an IPv4 address mapped into IPv6.
                .and_then(|()| sockopt::set_ip_tos(fd, point.0 << 2)),
            _ => sockopt::set_ip_tos(fd, point.0 << 2),
        }
    };
    get CodePoint(match sockopt::socket_domain(fd)? {
        AddressFamily::INET6 => (sys::TRAFFIC_CLASS_V6.get(fd)? >> 2) as u8,
        _ => sockopt::ip_tos(fd)? >> 2,
    });
}

/// A differentiated services code point: six bits (RFC 2474, section 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CodePoint(u8);

impl CodePoint {
    /// The default forwarding (RFC 2474, section 4.1).
    pub const BEST_EFFORT: Self = Self(0);
    /// Little loss, delay and jitter (RFC 3246).
    pub const EXPEDITED: Self = Self(46);

    /// The code point with this number; none if it has more than six bits.
    pub const fn new(number: u8) -> Option<Self> {
        if number < 64 { Some(Self(number)) } else { None }
    }

    /// The number.
    pub const fn number(self) -> u8 {
        self.0
    }
}
