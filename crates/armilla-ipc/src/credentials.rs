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
    /// The effective user; [`UNKNOWN`](Self::UNKNOWN) if our user namespace has no number for it.
    pub user: u32,
    /// The effective group, or the same.
    pub group: u32,
}

/// The number that the kernel gives for a user or a group without a number here, unless its
/// administrator sets another one. A container may have a user of its own with this number.
const OVERFLOW: u32 = 65_534;

impl Credentials {
    /// The number that no user and no group has.
    pub const UNKNOWN: u32 = u32::MAX;

    /// What the kernel noted when the peer of `socket`, a Unix-domain one, connected or listened.
    pub(crate) fn of_peer(socket: BorrowedFd<'_>) -> io::Result<Self> {
        let found = sys::peer_credentials(socket)?;
        Ok(found.into())
    }

    /// What the kernel noted on a datagram; `None` if it noted nothing.
    pub(crate) fn of_sender(found: libc::ucred) -> Option<Self> {
        (found.pid != 0 || found.uid != OVERFLOW).then(|| found.into())
    }
}

impl From<libc::ucred> for Credentials {
    fn from(found: libc::ucred) -> Self {
        let user = known(found.uid, "uid_map");
        Self { process: found.pid.unsigned_abs(), user, group: known(found.gid, "gid_map") }
    }
}

/// The number, if it means the one user or group that has it: the kernel gives [`OVERFLOW`] for all
/// that a user namespace, of which this is the map, does not know.
fn known(number: u32, map: &str) -> u32 {
    let knows_all = || {
        let map = std::fs::read_to_string(format!("/proc/self/{map}")).ok();
        map.is_some_and(|map| maps_all(&map))
    };
    if number != OVERFLOW || knows_all() { number } else { Credentials::UNKNOWN }
}

/// Whether the map of a user namespace has every number: its lines tell a first number here, a first
/// one there and how many.
fn maps_all(map: &str) -> bool {
    let counts = map.lines().filter_map(|line| line.split_whitespace().nth(2)?.parse::<u64>().ok());
    counts.sum::<u64>() >= u64::from(u32::MAX)
}

impl fmt::Display for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} of user {}, group {}", self.process, self.user, self.group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_of_a_namespace_is_not_everybody_whom_it_does_not_know() {
        assert!(maps_all("         0          0 4294967295\n"));
        assert!(maps_all("0 0 65534\n65534 65534 4294901761\n"));
        for map in ["", "0 1000 1\n", "0 100000 65536\n", "nonsense\n"] {
            assert!(!maps_all(map), "{map}");
        }
        assert_eq!((known(0, "no such map"), known(7, "no such map")), (0, 7));
        assert_eq!(known(OVERFLOW, "no such map"), Credentials::UNKNOWN);
    }
}
