//! Non-blocking connection establishment, as a state machine: each step goes as far as it can
//! without waiting, and then says what to wait for. A reactor, a proactor or any other event loop
//! drives it; a blocking connect drives it with `poll`.

use crate::error::timespec;
use crate::interest::Interest;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::BorrowedFd;
use rustix::io::Errno;
use std::io;
use std::time::Duration;

/// A connection about to be made, by [`Transport::start_connect`](crate::Transport::start_connect).
/// A [reactor](crate::reactor::connect) and a [proactor](crate::proactor::Proactor::connect) drive
/// it; so can any other loop:
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
///         None => drop(pending.wait_condition()), // here a loop would wait for this among other things
///     }
/// };
/// assert_eq!(stream.peer(), acceptor.local());
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait PendingConnect<S>: Send {
    /// Goes on without waiting; the stream, once it is there. To be called first at once, then
    /// whenever what the attempt [waits for](Self::wait_condition) has come. Too early does no
    /// harm.
    ///
    /// # Errors
    /// As [`Connector::connect`](crate::Connector::connect), [`io::ErrorKind::TimedOut`] if the
    /// time is over: the attempt has failed for good.
    fn advance(&mut self) -> io::Result<Option<S>>;

    /// What the attempt waits for after [`advance`](Self::advance) has brought no stream.
    fn wait_condition(&self) -> WaitCondition<'_>;
}

/// What an [`PendingConnect`] waits for: that the descriptor is ready, or that the time is over.
#[derive(Clone, Copy, Debug)]
pub struct WaitCondition<'a> {
    /// The descriptor, which may be another one after the next step; `None` if nothing but the time
    /// is waited for.
    pub descriptor: Option<BorrowedFd<'a>>,
    /// What it must be ready for.
    pub interest: Interest,
    /// After how long to go on in any case; `None` for never.
    pub limit: Option<Duration>,
}

impl<'a> WaitCondition<'a> {
    /// The descriptor to be ready, within the limit.
    pub fn ready(descriptor: BorrowedFd<'a>, interest: Interest, limit: Option<Duration>) -> Self {
        Self { descriptor: Some(descriptor), interest, limit }
    }

    /// The time to pass.
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

/// Waits as often as the attempt must.
pub(crate) fn wait_for_connect<S>(pending: &mut impl PendingConnect<S>) -> io::Result<S> {
    loop {
        if let Some(stream) = pending.advance()? {
            return Ok(stream);
        }
        pending.wait_condition().wait()?;
    }
}
