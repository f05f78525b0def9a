//! Options that a stream needs before it exists, and how they are applied to its socket. Options of
//! a stream that exists are in [`option`](crate::option).

use crate::FileAccess;
use crate::error::context;
use crate::option::{
    BusyPoll, CodePoint, Congestion, Dscp, KeepAlive, Linger, NoDelay, Priority, RecvBuffer,
    SendBuffer, SocketOption, UserTimeout,
};
use crate::sys;
use rustix::fd::BorrowedFd;
use std::io;
use std::ops::RangeInclusive;
use std::time::Duration;

/// Options of a new stream. An acceptor applies its options to every stream that it accepts.
///
/// ```
/// # use armilla_ipc::StreamOptions;
/// let bulk = StreamOptions { no_delay: false, send_buffer: Some(1 << 20), ..Default::default() };
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamOptions {
    /// Sends small segments at once instead of collecting them (`TCP_NODELAY`). TCP only. Default:
    /// true.
    pub no_delay: bool,
    /// Probes a silent peer after this idle time, in whole seconds (`SO_KEEPALIVE`,
    /// `TCP_KEEPIDLE`). TCP only. Default: no probes.
    pub keep_alive: Option<Duration>,
    /// Breaks a connection whose peer acknowledges nothing of what was sent, or takes nothing of it,
    /// for so long, in whole milliseconds; see [`UserTimeout`]. It does not limit connecting. TCP
    /// only. Default: the system's, about a quarter of an hour.
    pub user_timeout: Option<Duration>,
    /// The size of the send queue in bytes (`SO_SNDBUF`); the kernel doubles it and caps it
    /// silently. Default: the kernel tunes it.
    pub send_buffer: Option<usize>,
    /// The size of the receive queue in bytes (`SO_RCVBUF`); see `send_buffer`. Over TCP, segments
    /// of more than half of a queue below 64 KiB are neither sent nor requested (`TCP_MAXSEG`), and
    /// a queue of 64 to 72 KiB becomes one of 72 KiB: a segment always fits.
    pub recv_buffer: Option<usize>,
    /// The congestion control algorithm by name, such as `"cubic"` or `"reno"` (`TCP_CONGESTION`).
    /// TCP only. Default: the system's.
    pub congestion: Option<String>,
    /// See [`Linger`]. TCP only. Default: bytes not yet sent are sent in the background.
    pub linger: Option<Duration>,
    /// See [`BusyPoll`]; over shared memory, how long a stream spins before it sleeps. TCP and
    /// shared memory only. Default: the system's; over shared memory some microseconds as long as
    /// spinning succeeds, see [`ShmConnector::new`](crate::ShmConnector::new).
    pub busy_poll: Option<Duration>,
    /// See [`Dscp`]. TCP only. Default: best effort.
    pub dscp: Option<CodePoint>,
    /// See [`Priority`]. TCP only. Default: the system's.
    pub priority: Option<u8>,
    /// The ports of this end when it connects: the first is taken by which no other connection
    /// leads to the same address. TCP only. Default: what the system chooses.
    pub local_ports: Option<RangeInclusive<u16>>,
    /// The permissions and the owner of the file that an acceptor makes. Unix-domain sockets and
    /// shared memory only. Default: as the process makes files.
    pub file_access: FileAccess,
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self {
            no_delay: true,
            keep_alive: None,
            user_timeout: None,
            send_buffer: None,
            recv_buffer: None,
            congestion: None,
            linger: None,
            busy_poll: None,
            dscp: None,
            priority: None,
            local_ports: None,
            file_access: FileAccess::default(),
        }
    }
}

impl StreamOptions {
    /// Applies what every socket understands. Queue sizes must be set before connecting or
    /// listening, because TCP negotiates its window scale from them.
    pub(crate) fn apply(&self, socket: BorrowedFd<'_>) -> io::Result<()> {
        set(socket, self.send_buffer.map(SendBuffer))?;
        set(socket, self.recv_buffer.map(RecvBuffer))
    }

    /// Applies everything to a TCP socket. A listening socket passes it on to what it accepts.
    pub(crate) fn apply_tcp(&self, socket: BorrowedFd<'_>) -> io::Result<()> {
        set(socket, self.send_buffer.map(SendBuffer))?;
        self.recv_buffer.map_or(Ok(()), |size| make_receive_queue(socket, size))?;
        set(socket, self.no_delay.then_some(NoDelay(true)))?;
        set(socket, self.keep_alive.map(|idle| KeepAlive(Some(idle))))?;
        set(socket, self.congestion.clone().map(Congestion))?;
        set(socket, self.linger.map(|time| Linger(Some(time))))?;
        set(socket, self.busy_poll.map(BusyPoll))?;
        set(socket, self.dscp.map(Dscp))?;
        set(socket, self.priority.map(Priority)) // behind `dscp`, which changes it
    }

    /// Applies to a TCP socket what would also limit connecting. A listening socket passes it on.
    pub(crate) fn apply_connected(&self, socket: BorrowedFd<'_>) -> io::Result<()> {
        set(socket, self.user_timeout.map(|time| UserTimeout(Some(time))))
    }
}

/// Makes a receive queue of `size` bytes into which a segment always fits. The loopback has segments
/// of 64 KiB, and Linux cuts them to half of the most room that it ever offered of the queue. What
/// it offers of a queue that is empty shrinks to 0.49 of the doubled queue where what comes fills
/// its buffers badly. A sender that may use less than a segment waits for a timer of 200 ms before
/// it does, for each queue full.
fn make_receive_queue(socket: BorrowedFd<'_>, size: usize) -> io::Result<()> {
    /// 0.49 of its double is more than a segment of the loopback.
    const ROOMY: usize = 72 << 10;
    /// From here on a queue is made roomy: segments of half of it would halve the speed.
    const NEARLY_ROOMY: usize = 64 << 10;
    if size < NEARLY_ROOMY {
        RecvBuffer(size).set_on(socket)?;
        return limit_segments(socket, size / 2);
    }
    RecvBuffer(size.max(ROOMY)).set_on(socket)
}

/// Asks the peer for segments of at most `segment` bytes, and sends none that are larger.
fn limit_segments(socket: BorrowedFd<'_>, segment: usize) -> io::Result<()> {
    /// What every host takes (RFC 9293, section 3.7.1), and the most that the option does.
    const SEGMENT: RangeInclusive<usize> = 536..=32_767;
    let segment = segment.clamp(*SEGMENT.start(), *SEGMENT.end());
    sys::MAX_SEGMENT
        .set(socket, segment as i32)
        .map_err(|error| context(format_args!("cannot limit segments to {segment} bytes"), error))
}

fn set(socket: BorrowedFd<'_>, option: Option<impl SocketOption>) -> io::Result<()> {
    option.map_or(Ok(()), |option| option.set_on(socket))
}
