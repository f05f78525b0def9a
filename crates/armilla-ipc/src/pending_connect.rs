//! Non-blocking connection establishment, as a state machine: each step goes as far as it can
//! without waiting, and then says what to wait for. A reactor or any other event loop drives
//! it; a blocking connect drives it with `poll`.

use crate::error::timespec;
use crate::interest::Interest;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::BorrowedFd;
use rustix::io::Errno;
use std::io;
use std::time::Duration;

/// A connection in progress, started by
/// [`Transport::start_connect`](crate::Transport::start_connect). A
/// [reactor](crate::reactor::connect) drives it, and so can any other event loop:
///
/// ```
/// use armilla_ipc::{Address, Stream, StreamOptions, Transport, tcp::Tcp};
/// use std::time::Duration;
///
/// let acceptor = Tcp::listen(&Address::tcp("127.0.0.1", 0), &StreamOptions::default())?;
/// let limit = Some(Duration::from_secs(5));
/// let mut pending = Tcp::start_connect(acceptor.local(), limit, &StreamOptions::default())?;
/// let stream = loop {
///     match pending.advance()? {
///         Some(stream) => break stream,
///         None => drop(pending.wait_condition()), // an event loop waits for it here
///     }
/// };
/// assert_eq!(stream.peer(), acceptor.local());
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait PendingConnect<S>: Send {
    /// Goes on without waiting. Returns the stream once it is connected. Call this at once, and
    /// then whenever the [wait condition](Self::wait_condition) is met; an early call does no harm.
    ///
    /// # Errors
    /// As [`Connector::connect`](crate::Connector::connect), [`io::ErrorKind::TimedOut`] after the
    /// timeout. An error is final.
    fn advance(&mut self) -> io::Result<Option<S>>;

    /// What to wait for after [`advance`](Self::advance) has returned no stream.
    fn wait_condition(&self) -> WaitCondition<'_>;
}

/// What a [`PendingConnect`] waits for: a descriptor that becomes ready, or the end of the time
/// limit.
#[derive(Clone, Copy, Debug)]
pub struct WaitCondition<'a> {
    /// The descriptor; the next step may use another one. `None` waits for the time alone.
    pub descriptor: Option<BorrowedFd<'a>>,
    /// The readiness to wait for.
    pub interest: Interest,
    /// The longest wait; `None` is for ever.
    pub limit: Option<Duration>,
}

impl<'a> WaitCondition<'a> {
    /// Waits for `descriptor`, at most for `limit`.
    pub fn ready(descriptor: BorrowedFd<'a>, interest: Interest, limit: Option<Duration>) -> Self {
        Self { descriptor: Some(descriptor), interest, limit }
    }

    /// Waits for `time` alone.
    pub fn pause(time: Duration) -> Self {
        Self { descriptor: None, interest: Interest::NONE, limit: Some(time) }
    }

    fn wait(self) -> io::Result<()> {
        let Some(descriptor) = self.descriptor else {
            std::thread::sleep(self.limit.unwrap_or_default());
            return Ok(());
        };
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, self.interest.contains(Interest::READ));
        flags.set(PollFlags::OUT, self.interest.contains(Interest::WRITE));
        let limit = self.limit.map(timespec);
        match poll(&mut [PollFd::from_borrowed_fd(descriptor, flags)], limit.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }
}

/// Drives `pending` to its end with `poll`.
pub(crate) fn wait_for_connect<S>(pending: &mut impl PendingConnect<S>) -> io::Result<S> {
    loop {
        if let Some(stream) = pending.advance()? {
            return Ok(stream);
        }
        pending.wait_condition().wait()?;
    }
}
