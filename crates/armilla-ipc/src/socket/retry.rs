//! The rare paths of moving bytes: interrupted calls, short sends, timeouts. None of them is
//! inlined, so that the usual path stays one system call and one comparison.
//!
//! When a call turns out to need a second attempt, the clock is read for the first time, and all
//! further attempts share one more timeout. A stream of signals, or a peer that takes single bytes,
//! can therefore stretch an operation to about twice its timeout, but not without limit.

use super::Socket;
use crate::deadline::{Deadline, timed_out};
use crate::partial::MAX_PARTS;
use crate::{RecvError, SendError};
use rustix::io::Errno;
use rustix::net::{self, RecvFlags, SendFlags};
use std::io::{self, IoSlice, IoSliceMut};
use std::time::Duration;

type SysResult = rustix::io::Result<usize>;

pub(crate) const RECV_TIMED_OUT: &str = "nothing was received";
pub(crate) const SEND_TIMED_OUT: &str = "the peer did not take the bytes";

/// Repeats an interrupted call until it ends otherwise or its time is over.
#[cold]
pub(crate) fn retry_interrupted<T>(
    mut errno: Errno,
    what: &str,
    timeout: Option<Duration>,
    mut call: impl FnMut() -> rustix::io::Result<T>,
) -> io::Result<T> {
    let deadline = Deadline::after(timeout);
    while errno == Errno::INTR {
        deadline.remaining().map_err(|_| timed_out(what, timeout))?;
        match call() {
            Ok(done) => return Ok(done),
            Err(next) => errno = next,
        }
    }
    Err(if errno == Errno::AGAIN { timed_out(what, timeout) } else { broken(errno) })
}

/// The error of a transfer that failed. The kernel gives a connection up whose peer acknowledges
/// nothing, or answers no probe: that ends the connection, where `TimedOut` ends one transfer.
#[cold]
pub(crate) fn broken(errno: Errno) -> io::Error {
    match errno {
        Errno::TIMEDOUT => io::Error::new(
            io::ErrorKind::ConnectionAborted,
            "the peer has acknowledged nothing in time, and the system has given the connection up",
        ),
        errno => errno.into(),
    }
}

impl Socket {
    /// Goes on after a `recv` that ended with `errno`.
    #[cold]
    pub(super) fn recv_after(&self, errno: Errno, buffer: &mut [u8]) -> io::Result<usize> {
        self.retry_recv(errno, || Ok(net::recv(&self.fd, &mut *buffer, RecvFlags::empty())?.1))
    }

    /// Goes on after a `recvmsg` that ended with `errno`.
    #[cold]
    pub(super) fn recv_vectored_after(
        &self,
        errno: Errno,
        parts: &mut [IoSliceMut<'_>],
    ) -> io::Result<usize> {
        self.retry_recv(errno, || self.recv_parts(parts))
    }

    /// Goes on after a first `recv` that did not fill `buffer`.
    #[cold]
    pub(super) fn recv_rest(&self, buffer: &mut [u8], first: SysResult) -> Result<(), RecvError> {
        let timeout = self.recv_timeout.get();
        let deadline = Deadline::after(timeout);
        let mut received = 0;
        let mut result = first;
        loop {
            match result {
                Ok(0) if received < buffer.len() => return Err(RecvError::end(received)),
                Ok(count) => received += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    return Err(RecvError { received, source: timed_out(RECV_TIMED_OUT, timeout) });
                }
                Err(errno) => return Err(RecvError { received, source: broken(errno) }),
            }
            let rest = &mut buffer[received..];
            if rest.is_empty() {
                return Ok(());
            }
            if deadline.remaining().is_err() {
                return Err(RecvError { received, source: timed_out(RECV_TIMED_OUT, timeout) });
            }
            result = net::recv(&self.fd, rest, RecvFlags::empty()).map(|(_, count)| count);
        }
    }

    /// Goes on after a `send` that ended with `errno`.
    #[cold]
    pub(super) fn send_after(&self, errno: Errno, bytes: &[u8]) -> io::Result<usize> {
        self.retry_send(errno, || net::send(&self.fd, bytes, SendFlags::NOSIGNAL))
    }

    /// Goes on after a `sendmsg` that ended with `errno`.
    #[cold]
    pub(super) fn send_vectored_after(
        &self,
        errno: Errno,
        parts: &[IoSlice<'_>],
    ) -> io::Result<usize> {
        self.retry_send(errno, || self.send_parts(parts))
    }

    /// Repeats `call`, which sends and ended with `errno`, as long as it is interrupted.
    #[cold]
    pub(crate) fn retry_send(
        &self,
        errno: Errno,
        call: impl FnMut() -> SysResult,
    ) -> io::Result<usize> {
        retry_interrupted(errno, SEND_TIMED_OUT, self.send_timeout.get(), call)
    }

    /// Repeats `call`, which receives and ended with `errno`, as long as it is interrupted.
    #[cold]
    pub(crate) fn retry_recv(
        &self,
        errno: Errno,
        call: impl FnMut() -> SysResult,
    ) -> io::Result<usize> {
        retry_interrupted(errno, RECV_TIMED_OUT, self.recv_timeout.get(), call)
    }

    /// Goes on after a first `send` of `bytes` that did not take all of them.
    #[cold]
    pub(super) fn send_rest(&self, bytes: &[u8], first: SysResult) -> Result<(), SendError> {
        let mut progress = Progress::new(self.send_timeout.get());
        progress.record(first)?;
        while let Some(rest) = bytes.get(progress.sent..).filter(|rest| !rest.is_empty()) {
            progress.record(net::send(&self.fd, rest, SendFlags::NOSIGNAL))?;
        }
        Ok(())
    }

    /// Goes on after a first `sendmsg` of `parts` that did not take all of them.
    ///
    /// The rest of a part that left in half goes alone, then the whole parts behind it together:
    /// one call more than necessary, but no copy of the list of parts.
    #[cold]
    pub(super) fn send_rest_vectored(
        &self,
        parts: &[IoSlice<'_>],
        first: SysResult,
    ) -> Result<(), SendError> {
        let mut progress = Progress::new(self.send_timeout.get());
        progress.record(first)?;
        let (mut index, mut start) = (0, 0); // the part that is next, and what precedes it in bytes
        while let Some(part) = parts.get(index) {
            let end = start + part.len();
            if progress.sent >= end {
                (index, start) = (index + 1, end);
            } else if progress.sent > start {
                let rest = &part[progress.sent - start..];
                progress.record(net::send(&self.fd, rest, SendFlags::NOSIGNAL))?;
            } else {
                let last = parts.len().min(index + MAX_PARTS);
                progress.record(self.send_parts(&parts[index..last]))?;
            }
        }
        Ok(())
    }
}

/// How far a send of several system calls has come.
struct Progress {
    sent: usize,
    timeout: Option<Duration>,
    deadline: Deadline,
}

impl Progress {
    fn new(timeout: Option<Duration>) -> Self {
        Self { sent: 0, timeout, deadline: Deadline::after(timeout) }
    }

    /// Counts what a call has taken; fails if the send cannot go on. Only calls that had bytes to
    /// send are noted here, so a count of zero from one means that the stream takes no more.
    fn record(&mut self, result: SysResult) -> Result<(), SendError> {
        let failure = match result {
            Ok(count) if count > 0 => {
                self.sent += count;
                return self.within_deadline();
            }
            Err(Errno::INTR) => return self.within_deadline(),
            Ok(_) => io::ErrorKind::WriteZero.into(),
            Err(Errno::AGAIN) => self.late(),
            Err(errno) => broken(errno),
        };
        Err(SendError { sent: self.sent, source: failure })
    }

    fn within_deadline(&self) -> Result<(), SendError> {
        match self.deadline.remaining() {
            Ok(_) => Ok(()),
            Err(_) => Err(SendError { sent: self.sent, source: self.late() }),
        }
    }

    fn late(&self) -> io::Error {
        timed_out(SEND_TIMED_OUT, self.timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Address;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    /// A connected pair with a receive timeout, so that a test that loses bytes fails.
    fn pair() -> [Socket; 2] {
        let (family, kind) = (AddressFamily::UNIX, SocketType::STREAM);
        let (a, b) = socketpair(family, kind, SocketFlags::CLOEXEC, None).unwrap();
        [a, b].map(|fd| {
            let socket = Socket::new(fd, Address::unix(""), Address::unix(""));
            socket.set_recv_timeout(Some(Duration::from_secs(10))).unwrap();
            socket
        })
    }

    fn received(socket: &Socket) -> Vec<u8> {
        let mut buffer = [0; 64];
        let count = socket.recv(&mut buffer).unwrap();
        buffer[..count].to_vec()
    }

    #[test]
    fn a_short_send_goes_on_where_it_stopped() {
        let [near, far] = pair();
        for sent in 1..10 {
            near.send_rest(b"0123456789", Ok(sent)).unwrap();
            assert_eq!(received(&far), b"0123456789"[sent..]);
        }
    }

    #[test]
    fn a_short_vectored_send_goes_on_in_any_part() {
        let [near, far] = pair();
        let parts = ["", "012", "", "", "3456", "7", "89", ""].map(|p| IoSlice::new(p.as_bytes()));
        for sent in 1..10 {
            near.send_rest_vectored(&parts, Ok(sent)).unwrap();
            near.send_all(b"|").unwrap();
            let mut all = Vec::new();
            while !all.ends_with(b"|") {
                all.extend(received(&far));
            }
            assert_eq!(all[..all.len() - 1], b"0123456789"[sent..]);
        }
    }

    #[test]
    fn an_interrupted_call_is_made_again() {
        let [near, far] = pair();
        near.send_rest(b"abc", Err(Errno::INTR)).unwrap();
        near.send_rest_vectored(&[IoSlice::new(b"def")], Err(Errno::INTR)).unwrap();
        let mut buffer = [0; 6];
        assert_eq!(far.recv_after(Errno::INTR, &mut buffer).unwrap(), 6);
        assert_eq!(&buffer, b"abcdef");
    }

    #[test]
    fn an_interrupted_recv_still_times_out() {
        let [near, _far] = pair();
        near.set_recv_timeout(Some(Duration::from_millis(5))).unwrap();
        let error = near.recv_after(Errno::INTR, &mut [0; 1]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn a_peer_that_takes_single_bytes_cannot_hold_a_send_for_ever() {
        let mut progress = Progress::new(Some(Duration::from_millis(5)));
        let error = loop {
            if let Err(error) = progress.record(Ok(1)) {
                break error;
            }
        };
        assert_eq!(error.source.kind(), io::ErrorKind::TimedOut);
        assert!(error.sent > 0);
    }

    /// The kernel's own time for a connection is none of a transfer.
    #[test]
    fn a_connection_that_the_kernel_gives_up_has_not_merely_timed_out() {
        let [near, _far] = pair();
        let received = near.recv_after(Errno::TIMEDOUT, &mut [0; 1]).unwrap_err();
        let all = near.recv_rest(&mut [0; 1], Err(Errno::TIMEDOUT)).unwrap_err().source;
        let sent = near.send_rest(b"abc", Err(Errno::TIMEDOUT)).unwrap_err().source;
        for error in [received, all, sent] {
            assert_eq!(error.kind(), io::ErrorKind::ConnectionAborted, "{error}");
        }
    }

    #[test]
    fn a_failure_keeps_its_kind_and_the_count() {
        let mut progress = Progress::new(None);
        progress.record(Ok(7)).unwrap();
        let error = progress.record(Err(Errno::CONNRESET)).unwrap_err();
        assert_eq!((error.sent, error.source.kind()), (7, io::ErrorKind::ConnectionReset));
    }
}
