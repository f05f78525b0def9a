//! One direction of a channel: its descriptor, its timeout, and the event that wakes a waiting
//! thread when this process ends the direction. The transfers themselves are in the parent module.

use crate::deadline::Timeout;
use crate::error::timespec;
use crate::{Readiness, sys};
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A descriptor used in one direction.
#[derive(Debug)]
pub(crate) struct Half {
    fd: OwnedFd,
    /// Becomes readable when the direction is ended from here.
    ended_event: OwnedFd,
    ended: AtomicBool,
    timeout: Timeout,
}

/// The direction in which a half is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Bytes come in.
    Read,
    /// Bytes go out.
    Write,
}

impl Direction {
    fn event(self) -> PollFlags {
        match self {
            Self::Read => PollFlags::IN,
            Self::Write => PollFlags::OUT,
        }
    }

    /// What did not happen when the wait is over.
    pub(super) fn timeout_message(self) -> &'static str {
        match self {
            Self::Read => "nothing was received",
            Self::Write => "the peer did not take the bytes",
        }
    }

    /// What a transfer yields in a direction that was ended from here.
    pub(super) fn after_end(self) -> io::Result<usize> {
        match self {
            Self::Read => Ok(0),
            Self::Write => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl Half {
    /// Takes over `fd` and makes it non-blocking.
    pub(crate) fn new(fd: OwnedFd) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&fd, true)?;
        let ended_event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { fd, ended_event, ended: false.into(), timeout: Timeout::default() })
    }

    pub(crate) fn set_timeout(&self, timeout: Option<Duration>) {
        // It is put into force by every wait, so there is nothing to grant.
        let _ = self.timeout.set(timeout, |_| Ok(()));
    }

    pub(super) fn timeout(&self) -> Option<Duration> {
        self.timeout.get()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Waits until the descriptor is ready, the direction is ended, or the time is over; the next
    /// attempt finds out which.
    pub(crate) fn wait(&self, wait: Direction, limit: Option<Duration>) -> io::Result<()> {
        let limit = limit.map(timespec);
        let fds = &mut [
            PollFd::new(&self.fd, wait.event()),
            PollFd::new(&self.ended_event, PollFlags::IN),
        ];
        match poll(fds, limit.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// What the descriptor is ready for at this moment.
    fn ready_for(&self) -> io::Result<PollFlags> {
        let fds = &mut [PollFd::new(&self.fd, PollFlags::IN)];
        let now = timespec(Duration::ZERO);
        while let Err(errno) = poll(fds, Some(&now)) {
            if errno != Errno::INTR {
                return Err(errno.into());
            }
        }
        Ok(fds[0].revents())
    }

    /// Whether the peer has opened and closed the other side.
    pub(super) fn hung_up(&self) -> io::Result<bool> {
        Ok(self.ready_for()?.contains(PollFlags::HUP))
    }

    pub(crate) fn readiness(&self) -> io::Result<Readiness> {
        if self.has_ended() {
            return Ok(Readiness::Closed);
        }
        let found = self.ready_for()?;
        // The kernel reports a hang-up while bytes are still unread; only their count tells the two
        // cases apart. A terminal that was hung up has no bytes and no count.
        let empty = || !rustix::io::ioctl_fionread(&self.fd).is_ok_and(|count| count > 0);
        let gone = found.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL);
        Ok(match (gone, found.contains(PollFlags::IN)) {
            (true, false) => Readiness::Closed,
            (true, true) if empty() => Readiness::Closed,
            (_, true) => Readiness::Data,
            (false, false) => Readiness::Idle,
        })
    }

    /// Ends the direction for every later transfer and for the threads that wait in one.
    pub(super) fn mark_ended(&self) {
        self.ended.store(true, Ordering::Release);
        // Fails only if the counter is full, and then the event is there already.
        let _ = rustix::io::write(&self.ended_event, &1_u64.to_ne_bytes());
    }

    /// Ends the direction, so that the peer notices it too.
    ///
    /// The descriptor stays open, because other threads may be about to use its number; but it no
    /// longer stands for the file.
    pub(crate) fn end(&self) -> io::Result<()> {
        self.mark_ended();
        // A descriptor of this kind can be neither read nor written.
        let nowhere = rustix::fs::open("/", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        Ok(sys::replace(&self.fd, nowhere.as_fd())?)
    }
}

impl AsFd for Half {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
