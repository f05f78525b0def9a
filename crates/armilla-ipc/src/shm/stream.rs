//! The stream of the shared-memory transport.

use super::connection::Connection;
use super::ring::{Consumer, DOORBELL, READER_CLOSED, RESET, Side, WRITER_CLOSED};
use super::rings::RingPair;
use super::spin::Spin;
use super::system::{drain_doorbell, poll_socket};
use super::wait::{WaitLimit, Waiter, WakeReason, hung_up};
use crate::deadline::{LazyDeadline, Timeout};
use crate::interest::Interest;
use crate::partial;
use crate::socket::{RECV_TIMED_OUT, SEND_TIMED_OUT};
use crate::{Address, Credentials, Readiness, RecvError, SendError, Stream};
use rustix::event::PollFlags;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::io::{self, IoSlice, IoSliceMut};
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A connection through shared memory. See the [module](super) for what it costs and promises.
///
/// Dropping it ends both directions; bytes that were not read by then reset the stream, as over a
/// socket. It is `Send` and `Sync`; one thread may send while another receives.
#[derive(Debug)]
pub struct ShmStream {
    connection: Connection,
    /// Whether the kernel has hung up on behalf of the peer.
    peer_gone: AtomicBool,
    recv_timeout: Timeout,
    send_timeout: Timeout,
    recv_spin: Spin,
    send_spin: Spin,
    local: Address,
    peer: Address,
}

impl ShmStream {
    /// A stream over a connected socket; without a `rings` it is still to come over the socket. See
    /// [`Spin::new`] for `spin`.
    pub(super) fn new(
        socket: OwnedFd,
        rings: Option<RingPair>,
        spin: Option<Duration>,
        [local, peer]: [Address; 2],
    ) -> Self {
        Self {
            connection: Connection::new(socket, rings),
            peer_gone: AtomicBool::new(false),
            recv_timeout: Timeout::default(),
            send_timeout: Timeout::default(),
            recv_spin: Spin::new(spin),
            send_spin: Spin::new(spin),
            local,
            peer,
        }
    }

    /// Checks as [`readiness`](Stream::readiness) does. If nothing has arrived, the peer will make
    /// this stream's descriptor readable when it sends.
    ///
    /// With it a [reactor](crate::reactor) waits for the stream, as with
    /// [`watch_for`](Stream::watch_for), which tells of room to send, too: the handler receives as long as
    /// this finds something, and waits for its descriptor to be readable when it finds nothing.
    ///
    /// ```
    /// # use armilla_ipc::{Readiness, ShmStream, Stream, reactor::Next};
    /// fn echo(stream: &ShmStream, buffer: &mut [u8]) -> std::io::Result<Next> {
    ///     loop {
    ///         match stream.watch()? {
    ///             Readiness::Idle => return Ok(Next::READ),
    ///             Readiness::Closed => return Ok(Next::Deregister),
    ///             Readiness::Data => {
    ///                 let count = stream.recv(buffer)?;
    ///                 stream.send_all(&buffer[..count])?;
    ///             }
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// As [`readiness`](Stream::readiness).
    pub fn watch(&self) -> io::Result<Readiness> {
        let found = self.readiness()?;
        let (Readiness::Idle, Some(rings)) = (found, self.connection.established()) else {
            return Ok(found);
        };
        // The doorbell is drained before it is requested: one that comes now belongs to this wait.
        if !drain_doorbell(self.as_fd())? {
            self.peer_gone.store(true, Ordering::Release);
        }
        rings.incoming().announce_sleep(Side::Consumer, DOORBELL);
        self.readiness()
    }

    /// Announces to the peer that this side waits at the doorbell for what is `wanted`. `false` if it
    /// need not wait: that is the case already, or the next transfer will tell why it never is.
    fn announce(&self, wanted: Interest) -> io::Result<bool> {
        let Some(rings) = self.connection.try_rings()? else {
            // The greeting comes over the socket.
            return Ok(true);
        };
        // Before the announcement: what rings from now on belongs to this wait.
        if !drain_doorbell(self.as_fd())? {
            self.peer_gone.store(true, Ordering::Release);
            return Ok(false);
        }
        rings.note_wait(self.as_fd());
        if wanted.contains(Interest::READ) {
            let ring = rings.incoming();
            ring.announce_sleep(Side::Consumer, DOORBELL);
            if rings.holds_bytes()
                || ring.ended() & (WRITER_CLOSED | RESET) != 0
                || self.connection.closed_for_reading()
            {
                ring.clear_sleep(Side::Consumer);
                return Ok(false);
            }
        }
        if wanted.contains(Interest::WRITE) {
            let (ring, mut writer) = (rings.outgoing(), rings.writer());
            let room_needed = writer.capacity() / 2;
            ring.announce_room_needed(room_needed as u32);
            ring.announce_sleep(Side::Producer, DOORBELL);
            if writer.room(ring, room_needed).map_or(true, |room| room >= room_needed)
                || ring.ended() & READER_CLOSED != 0
                || self.connection.closed_for_writing()
            {
                ring.clear_sleep(Side::Producer);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The process and the user at the other end, as they were when it connected or listened.
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known for an open stream.
    pub fn peer_credentials(&self) -> io::Result<Credentials> {
        Credentials::of_peer(self.as_fd())
    }

    /// Sends all of `parts`; `sent` counts how many bytes the ring has taken.
    fn send_parts(&self, parts: &[IoSlice<'_>], sent: &mut usize) -> io::Result<()> {
        let mut limit = WaitLimit::new(self.send_timeout.get(), &self.send_spin, SEND_TIMED_OUT);
        let total: usize = parts.iter().map(|part| part.len()).sum();
        if self.connection.closed_for_writing() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let rings = self.connection.rings(&mut limit)?;
        let ring = rings.outgoing();
        let mut writer = rings.writer();
        loop {
            if self.connection.closed_for_writing() || ring.ended() & READER_CLOSED != 0 {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            *sent += rings.write(&mut writer, parts, *sent, self.as_fd())?;
            if *sent == total {
                return Ok(());
            }
            // The producer wakes for half a ring of room, or for what the rest needs.
            let room_needed = ((total - *sent) as u64).min(writer.capacity() / 2);
            ring.announce_room_needed(room_needed as u32);
            let waiter = self.waiter(Side::Producer, rings);
            let ready = || {
                writer.room(ring, room_needed).map_or(true, |room| room >= room_needed)
                    || ring.ended() & READER_CLOSED != 0
                    || self.connection.closed_for_writing()
            };
            if waiter.wait(&mut limit, ready, || ())? == WakeReason::PeerGone {
                self.peer_gone.store(true, Ordering::Release);
                return Err(io::ErrorKind::BrokenPipe.into());
            }
        }
    }

    /// Waits until `read` brings bytes, or there will be none.
    #[inline(always)]
    fn recv_by(
        &self,
        mut read: impl FnMut(&RingPair, &mut Consumer) -> io::Result<usize>,
    ) -> io::Result<usize> {
        if self.connection.closed_for_reading() {
            return Ok(0);
        }
        let mut limit = WaitLimit::new(self.recv_timeout.get(), &self.recv_spin, RECV_TIMED_OUT);
        let rings = match self.connection.rings(&mut limit) {
            Ok(rings) => rings,
            Err(_) if self.connection.closed_for_reading() => return Ok(0),
            Err(error) => return Err(error),
        };
        let ring = rings.incoming();
        let mut consumer = rings.reader();
        loop {
            // Read before the bytes, so that what a peer wrote before its end is received first.
            let (gone, ended) = (self.peer_gone.load(Ordering::Acquire), ring.ended());
            let count = read(rings, &mut consumer)?;
            if count > 0 {
                return Ok(count);
            }
            if self.connection.closed_for_reading() {
                return Ok(0);
            }
            if let Some(end) = self.at_end(ended, gone) {
                return end;
            }
            let waiter = self.waiter(Side::Consumer, rings);
            let ready = || {
                consumer.available(ring, 1) != Ok(0)
                    || ring.ended() & (WRITER_CLOSED | RESET) != 0
                    || self.connection.closed_for_reading()
            };
            if waiter.wait(&mut limit, ready, || rings.give_back(self.as_fd()))?
                == WakeReason::PeerGone
            {
                self.peer_gone.store(true, Ordering::Release);
            }
        }
    }

    /// This side as producer of its ring, or as consumer of the peer's.
    #[inline]
    fn waiter<'a>(&'a self, side: Side, rings: &'a RingPair) -> Waiter<'a> {
        let ring = match side {
            Side::Producer => rings.outgoing(),
            Side::Consumer => rings.incoming(),
        };
        Waiter { ring, side, socket: self.as_fd(), found_awake: rings.found_awake() }
    }

    /// The result where the ring is empty and nothing more will come.
    fn at_end(&self, ended: u32, gone: bool) -> Option<io::Result<usize>> {
        match ended {
            ended if ended & RESET != 0 => Some(Err(io::ErrorKind::ConnectionReset.into())),
            ended if ended & WRITER_CLOSED != 0 => Some(Ok(0)),
            _ if gone => Some(Err(died())),
            _ => None,
        }
    }
}

crate::stream::impl_read!(ShmStream);
crate::stream::impl_write!(ShmStream);

impl Stream for ShmStream {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        self.recv_by(|rings, consumer| rings.read(consumer, buffer, self.as_fd()))
    }

    fn recv_append(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        if buffer.len() == buffer.capacity() {
            return Ok(0);
        }
        self.recv_by(|rings, consumer| rings.read_append(consumer, buffer, self.as_fd()))
    }

    fn recv_all(&self, buffer: &mut [u8]) -> Result<(), RecvError> {
        let mut limit = LazyDeadline::new(self.recv_timeout.get(), RECV_TIMED_OUT);
        partial::recv_all(buffer, |rest| {
            limit.before_call()?;
            self.recv(rest)
        })
    }

    fn recv_all_vectored(&self, parts: &mut [IoSliceMut<'_>]) -> Result<(), RecvError> {
        let mut limit = LazyDeadline::new(self.recv_timeout.get(), RECV_TIMED_OUT);
        partial::recv_all_vectored(parts, |rest| {
            limit.before_call()?;
            self.recv_vectored(rest)
        })
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        // Bytes that are there need no system call.
        let arrived = self.connection.established().is_some_and(RingPair::holds_bytes);
        if !arrived && self.readiness()? == Readiness::Idle {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.recv(buffer)
    }

    fn try_send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        if self.connection.closed_for_writing() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let Some(rings) = self.connection.try_rings()? else {
            return Err(io::ErrorKind::WouldBlock.into());
        };
        if rings.outgoing().ended() & READER_CLOSED != 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let mut writer = rings.writer();
        let (mut sent, total) = (0, parts.iter().map(|part| part.len()).sum());
        while sent < total {
            match rings.write(&mut writer, parts, sent, self.as_fd())? {
                0 if sent > 0 => break,
                0 if hung_up(poll_socket(
                    self.as_fd(),
                    PollFlags::empty(),
                    Some(Duration::ZERO),
                )?) =>
                {
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
                0 => return Err(io::ErrorKind::WouldBlock.into()),
                count => sent += count,
            }
        }
        Ok(sent)
    }

    fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        self.send_all_vectored(&[IoSlice::new(bytes)])
    }

    fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        let mut sent = 0;
        self.send_parts(parts, &mut sent).map_err(|source| SendError { sent, source })
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.recv_timeout.set(timeout, |_| Ok(()))
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.send_timeout.set(timeout, |_| Ok(()))
    }

    fn readiness(&self) -> io::Result<Readiness> {
        let gone = hung_up(poll_socket(self.as_fd(), PollFlags::empty(), Some(Duration::ZERO))?);
        if gone {
            // A reception that follows need not find it out, and does not wait for more.
            self.peer_gone.store(true, Ordering::Release);
        }
        let rings = match self.connection.try_rings() {
            Ok(Some(rings)) => rings,
            Ok(None) if gone => return Ok(Readiness::Closed),
            Ok(None) => return Ok(Readiness::Idle),
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                return Ok(Readiness::Closed);
            }
            Err(error) => return Err(error),
        };
        let ended = rings.incoming().ended() & (WRITER_CLOSED | RESET) != 0;
        Ok(match rings.holds_bytes() {
            true => Readiness::Data,
            false if ended || gone || self.connection.closed_for_reading() => Readiness::Closed,
            false => Readiness::Idle,
        })
    }

    fn doorbell(&self) -> Option<BorrowedFd<'_>> {
        Some(self.as_fd())
    }

    fn watch_for(&self, wanted: Interest) -> Interest {
        if wanted == Interest::NONE {
            return wanted;
        }
        // The socket always has room: so this is an event at once.
        let at_once = Interest::WRITE;
        self.announce(wanted).map_or(at_once, |waits| if waits { Interest::READ } else { at_once })
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.connection.end(how);
        Ok(())
    }

    fn release_memory(&self) {
        if let Some(rings) = self.connection.established() {
            rings.give_back(self.as_fd());
        }
    }

    fn peer(&self) -> &Address {
        &self.peer
    }

    fn local(&self) -> &Address {
        &self.local
    }

    fn credentials(&self) -> Option<Credentials> {
        self.peer_credentials().ok()
    }
}

#[cfg(any(test, feature = "trial"))]
impl ShmStream {
    /// Closes both directions, as dropping it does.
    pub(super) fn close(&self) {
        if let Some(rings) = self.connection.established() {
            rings.close(self.as_fd());
        }
    }

    /// A new stream over the same socket and memory, without limits of time.
    pub(super) fn begin_anew(&mut self) {
        self.connection.begin_anew();
        self.peer_gone = AtomicBool::new(false);
    }
}

impl Drop for ShmStream {
    fn drop(&mut self) {
        // A stream that was accepted and never used is closed in order too.
        if let Ok(Some(rings)) = self.connection.try_rings() {
            rings.close(self.as_fd());
        }
    }
}

impl AsFd for ShmStream {
    /// The socket beside the memory, which tells whether the peer lives. The bytes of the stream do
    /// not pass through it, and what does must not be touched.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.connection.socket()
    }
}

/// The error for a peer that died without closing the stream.
#[cold]
fn died() -> io::Error {
    let reason = "the peer's process ended without closing the stream";
    io::Error::new(io::ErrorKind::ConnectionReset, reason)
}
