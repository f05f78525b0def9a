//! What a stream asks of the operating system once its memory is mapped: to sleep and to be woken,
//! at a word of that memory or at the socket beside it.
//!
//! In a trial, the system that the trial plays answers instead.

use super::region::Region;
use crate::error::timespec;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::BorrowedFd;
use rustix::io::Errno;
use rustix::net::{self, RecvFlags, SendFlags};
use rustix::thread::futex;
use std::io;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// The events of a socket within `limit`; none if a signal interrupts.
pub(super) fn poll_socket(
    socket: BorrowedFd<'_>,
    interest: PollFlags,
    limit: Option<Duration>,
) -> io::Result<PollFlags> {
    let mut sockets = [PollFd::from_borrowed_fd(socket, interest)];
    match poll(&mut sockets, limit.map(timespec).as_ref()) {
        Ok(_) => Ok(sockets[0].revents()),
        Err(Errno::INTR) => Ok(PollFlags::empty()),
        Err(errno) => Err(errno.into()),
    }
}

/// Reads the doorbell bytes; false if the peer has gone instead.
pub(super) fn drain_doorbell(socket: BorrowedFd<'_>) -> io::Result<bool> {
    match net::recv(socket, &mut [0_u8; 64], RecvFlags::DONTWAIT) {
        Ok((_, count)) => Ok(count > 0),
        Err(Errno::AGAIN | Errno::INTR) => Ok(true),
        Err(Errno::CONNRESET | Errno::PIPE) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

/// Rings the doorbell of the peer. An error means that there is nobody to wake.
pub(super) fn ring_doorbell(socket: BorrowedFd<'_>) {
    let _ = net::send(socket, &[0], SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
}

/// Sleeps while the word is `expected`, for `slice` at most; false if that is over.
pub(super) fn sleep_on(word: &AtomicU32, expected: u32, slice: Duration) -> io::Result<bool> {
    // Not private: the other side is another process.
    match futex::wait(word, futex::Flags::empty(), expected, Some(&timespec(slice))) {
        Ok(()) | Err(Errno::AGAIN | Errno::INTR) => Ok(true),
        Err(Errno::TIMEDOUT) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

/// Wakes who sleeps on the word. An error means that there is nobody to wake.
pub(super) fn wake_at(word: &AtomicU32) {
    // One thread sleeps there; if it should be a peer's that has no business there, ours, which
    // sleeps a slice at most, is woken with it.
    let _ = futex::wake(word, futex::Flags::empty(), i32::MAX.cast_unsigned());
}

/// Wakes our own thread if it waits at the socket. The other direction of the socket stays, for the
/// peer to see that this process is alive. It fails if the peer has gone.
pub(super) fn shut_down_reading(socket: BorrowedFd<'_>) {
    let _ = net::shutdown(socket, net::Shutdown::Read);
}

/// Gives the memory of the large area of a ring back, see [`Region::give_back`].
pub(super) fn give_back(region: &Region, which: usize) {
    region.give_back(which);
}
