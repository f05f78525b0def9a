//! The identity of a peer process, for which the kernel vouches.

use crate::sys;
use rustix::fd::BorrowedFd;
use std::{fmt, io};

/// The process at the other end of a local stream and the user that it runs as.
///
/// The process may have ended and its number may belong to another by now; the user is what access
/// is decided by.
///
/// ```
/// let (near, _far) = armilla_ipc::UnixStream::pair()?;
/// assert_eq!(near.peer_credentials()?.process, std::process::id());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Credentials {
    /// The process, 0 if it is outside of our process namespace.
    pub process: u32,
    /// The effective user.
    pub user: u32,
    /// The effective group.
    pub group: u32,
}

impl Credentials {
    /// What the kernel noted when the peer of `socket`, a Unix-domain one, connected or listened.
    pub(crate) fn of_peer(socket: BorrowedFd<'_>) -> io::Result<Self> {
        let found = sys::peer_credentials(socket)?;
        Ok(found.into())
    }

    /// What the kernel noted on a datagram; `None` if it noted nothing.
    pub(crate) fn of_sender(found: libc::ucred) -> Option<Self> {
        const NOBODY: u32 = 65_534;
        (found.pid != 0 || found.uid != NOBODY).then(|| found.into())
    }
}

impl From<libc::ucred> for Credentials {
    fn from(found: libc::ucred) -> Self {
        Self { process: found.pid.unsigned_abs(), user: found.uid, group: found.gid }
    }
}

impl fmt::Display for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} of user {}, group {}", self.process, self.user, self.group)
    }
}
