//! Sending buffers that the kernel, or the network card, reads in place.
//!
//! # Safety contract
//! The one `unsafe` call of this file gives the kernel a buffer that it reads after the call has
//! returned. The buffer is shared (`Arc<[u8]>`), so it neither moves nor changes; [`ZeroCopy`]
//! keeps a reference until the kernel has confirmed every call, and leaks it if it is dropped
//! before. Of one stream there is one `ZeroCopy` at a time, and none after one that was dropped
//! with calls open: so each confirmation is of its own calls.

#![allow(unsafe_code)]

use crate::deadline::{Deadline, LazyDeadline, timed_out};
use crate::error::timespec;
use crate::partial::SendError;
use crate::socket::SEND_TIMED_OUT;
use crate::{Stream, TcpStream, sys};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::AsFd;
use rustix::io::Errno;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often a stream that has ended is asked whether the kernel is done with its buffers.
const PAUSE: Duration = Duration::from_millis(2);

/// Sends buffers in place over a TCP stream.
///
/// The kernel reads a buffer until the peer has confirmed its bytes. It is therefore shared and not
/// borrowed, and given back when the kernel is done with all of them, at the latest by
/// [`wait`](Self::wait).
///
/// ```
/// # use armilla_ipc::{Address, Stream, StreamOptions, TcpAcceptor, TcpConnector};
/// use armilla_ipc::zero_copy::ZeroCopy;
/// use std::{sync::Arc, time::Duration};
///
/// # let acceptor = TcpAcceptor::bind(&Address::tcp("127.0.0.1", 0), &StreamOptions::default())?;
/// # let stream = TcpConnector::default().connect(acceptor.local(), None)?;
/// # let server = acceptor.accept()?.unwrap();
/// let image: Arc<[u8]> = vec![7; 100_000].into();
/// let mut sender = ZeroCopy::new(&stream)?;
/// sender.send(Arc::clone(&image))?;
/// # server.recv_all(&mut vec![0; 100_000])?;
/// sender.wait(Some(Duration::from_secs(5)))?;
/// assert_eq!(Arc::strong_count(&image), 1); // the kernel is done with it
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ZeroCopy<'a> {
    stream: &'a TcpStream,
    /// What the kernel may still read.
    in_flight: Vec<Arc<[u8]>>,
    /// Calls that the kernel has not confirmed.
    unconfirmed_calls: u32,
    was_copied: bool,
}

impl<'a> ZeroCopy<'a> {
    /// How many buffers the kernel may hold at a time.
    pub const MAX_BUFFERS: usize = 256;

    /// Prepares `stream` (`SO_ZEROCOPY`).
    ///
    /// # Errors
    /// [`io::ErrorKind::ResourceBusy`] if there is another for this stream, or one was dropped
    /// before the kernel was done: its confirmations could be taken for ours.
    /// [`io::ErrorKind::Unsupported`] or another error where the system has no such sending.
    pub fn new(stream: &'a TcpStream) -> io::Result<Self> {
        sys::ZERO_COPY.set(stream, 1)?;
        if stream.sending_in_place().swap(true, Ordering::Acquire) {
            let reason = "buffers of this stream are being sent in place already";
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, reason));
        }
        Ok(Self { stream, in_flight: Vec::new(), unconfirmed_calls: 0, was_copied: false })
    }

    /// Sends all of `bytes`, and keeps them until [`wait`](Self::wait) learns that the kernel is
    /// done.
    ///
    /// Where the kernel has no room for more unconfirmed sends, the rest is sent with a copy. Every
    /// [`MAX_BUFFERS`](Self::MAX_BUFFERS) buffers this waits until all are confirmed, within the
    /// send timeout.
    ///
    /// # Errors
    /// As [`Stream::send_all`].
    pub fn send(&mut self, bytes: Arc<[u8]>) -> Result<(), SendError> {
        if self.in_flight.len() >= Self::MAX_BUFFERS {
            self.wait(self.stream.send_timeout())
                .map_err(|source| SendError { sent: 0, source })?;
        }
        self.in_flight.push(Arc::clone(&bytes));
        let mut sent = 0;
        let mut limit = LazyDeadline::new(self.stream.send_timeout(), SEND_TIMED_OUT);
        while sent < bytes.len() {
            limit.before_call().map_err(|source| SendError { sent, source })?;
            // SAFETY: `bytes` are in `in_flight`, which gives them up only when every call is
            // confirmed; shared, they neither move nor change.
            match unsafe { sys::send_zero_copy(self.stream.as_fd(), &bytes[sent..]) } {
                Ok(count) => {
                    sent += count;
                    self.unconfirmed_calls += 1;
                }
                Err(Errno::INTR) => {}
                Err(Errno::NOBUFS) => {
                    let rest = self.stream.send_all(&bytes[sent..]);
                    return rest.map_err(|e| SendError { sent: sent + e.sent, ..e });
                }
                Err(Errno::AGAIN) => {
                    let source = timed_out(SEND_TIMED_OUT, self.stream.send_timeout());
                    return Err(SendError { sent, source });
                }
                Err(errno) => return Err(SendError { sent, source: errno.into() }),
            }
        }
        self.take_completions().map_err(|source| SendError { sent, source })
    }

    /// Waits until the kernel is done with every buffer, and gives them up.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] if it is not by then; the error of the stream.
    pub fn wait(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        let deadline = Deadline::after(timeout);
        loop {
            self.take_completions()?;
            if self.unconfirmed_calls == 0 {
                return Ok(());
            }
            let late = |_| timed_out("the sent bytes were not confirmed", timeout);
            let left = deadline.remaining().map_err(late)?.map(timespec);
            // The error queue is always reported, and so is the end of both directions, which is
            // not what is waited for.
            let mut streams = [PollFd::new(self.stream, PollFlags::empty())];
            match poll(&mut streams, left.as_ref()) {
                Ok(_) if streams[0].revents() == PollFlags::HUP => std::thread::sleep(PAUSE),
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    /// Whether the kernel had to copy in spite of all, as it does on the loopback. It then costs
    /// more than a plain send.
    pub fn was_copied(&self) -> bool {
        self.was_copied
    }

    /// Takes what confirmations there are; gives the buffers up when none is missing.
    fn take_completions(&mut self) -> io::Result<()> {
        loop {
            match sys::zero_copy_completion(self.stream.as_fd()) {
                Ok(completion) => {
                    self.unconfirmed_calls =
                        self.unconfirmed_calls.saturating_sub(completion.calls);
                    self.was_copied |= completion.copied;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(errno) => return Err(errno.into()),
            }
        }
        if self.unconfirmed_calls == 0 {
            self.in_flight.clear();
        }
        Ok(())
    }
}

impl Drop for ZeroCopy<'_> {
    /// Leaks what the kernel may still read: memory used for something else would be sent instead.
    fn drop(&mut self) {
        let _ = self.take_completions();
        self.in_flight.drain(..).for_each(std::mem::forget);
        // While confirmations are missing the stream stays taken.
        self.stream.sending_in_place().store(self.unconfirmed_calls > 0, Ordering::Release);
    }
}
