//! A listening socket that survives transient errors and that another thread can close.

use crate::accept::{AcceptTimeout, EXHAUSTION_PAUSE};
use crate::error::{is_exhaustion, timespec};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{self, SocketAddrAny, SocketFlags};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fmt, io};

/// How many peers may wait to be accepted; the kernel caps it at `net.core.somaxconn`.
const BACKLOG: i32 = 1024;

/// A bound socket in the listening state.
pub(crate) struct Listener {
    fd: OwnedFd,
    closed: AtomicBool,
    timeout: AcceptTimeout,
    /// Called before each pause for exhausted resources.
    on_exhausted: OnceLock<Box<Tell>>,
}

type Tell = dyn Fn(&io::Error) + Send + Sync;

impl Listener {
    /// Puts a bound socket into the listening state.
    pub(crate) fn new(fd: OwnedFd) -> io::Result<Self> {
        net::listen(&fd, BACKLOG)?;
        let (closed, timeout, on_exhausted) = Default::default();
        Ok(Self { fd, closed, timeout, on_exhausted })
    }

    /// Limits the waiting for a peer.
    pub(crate) fn set_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        // With a limit the waiting is done by `poll`, so that several threads may accept.
        rustix::io::ioctl_fionbio(&self.fd, timeout.is_some())?;
        self.timeout.set_timeout(timeout)
    }

    /// Has `tell` called before each pause.
    pub(crate) fn on_resource_exhausted(&self, tell: Box<Tell>) {
        // A second one is dropped, as documented.
        let _ = self.on_exhausted.set(tell);
    }

    /// The next connected socket and its peer, or `None` once closed. With a timeout of zero an
    /// exhausted resource is an error like the lack of a peer, and the caller pauses.
    pub(crate) fn accept(&self) -> io::Result<Option<(OwnedFd, Option<SocketAddrAny>)>> {
        let deadline = self.timeout.start();
        while !self.closed.load(Ordering::Acquire) {
            let errno = match net::acceptfrom_with(&self.fd, SocketFlags::CLOEXEC) {
                Ok(accepted) => return Ok(Some(accepted)),
                Err(errno) => errno,
            };
            match errno {
                errno if is_exhaustion(errno) && deadline.may_wait() => {
                    deadline.remaining()?;
                    if let Some(tell) = self.on_exhausted.get() {
                        tell(&errno.into());
                    }
                    std::thread::sleep(EXHAUSTION_PAUSE);
                }
                Errno::AGAIN if deadline.may_wait() && deadline.is_limited() => {
                    self.wait(deadline.remaining()?)?
                }
                errno if is_peer_error(errno) => {}
                // The error of a blocked call when `close` shuts the socket down.
                _ if self.closed.load(Ordering::Acquire) => {}
                errno => return Err(errno.into()),
            }
        }
        Ok(None)
    }

    /// Waits for a peer, or for the end of listening.
    fn wait(&self, limit: Option<Duration>) -> io::Result<()> {
        match poll(&mut [PollFd::new(&self.fd, PollFlags::IN)], limit.map(timespec).as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Wakes the threads in `accept` and disconnects the peers still in the queue; true the first
    /// time.
    pub(crate) fn close(&self) -> bool {
        let first = !self.closed.swap(true, Ordering::AcqRel);
        if first {
            // Linux ends a blocked accept with EINVAL when the listening socket is shut down. The
            // only possible failure, "not connected", means that no thread can be waiting.
            let _ = net::shutdown(&self.fd, net::Shutdown::Both);
            // TCP has emptied its queue by this; a Unix-domain socket still hands it out, and does
            // not block any more.
            while net::accept(&self.fd).is_ok() {}
        }
        first
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("fd", &self.fd).field("closed", &self.closed).finish()
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Whether an error of `accept` belongs to the one connection that it took from the queue. Linux
/// passes pending network errors of the new socket on this way.
fn is_peer_error(errno: Errno) -> bool {
    matches!(
        errno,
        Errno::INTR
            | Errno::CONNABORTED
            | Errno::PROTO
            | Errno::NOPROTOOPT
            | Errno::NETDOWN
            | Errno::NETUNREACH
            | Errno::HOSTDOWN
            | Errno::HOSTUNREACH
            | Errno::NONET
            | Errno::PERM
    )
}
