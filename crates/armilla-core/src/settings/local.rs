//! Who may connect to the endpoints for processes of this host.

use armilla_ipc::FileAccess;
use std::str::FromStr;

/// Who may connect to the Unix-domain and shared-memory endpoints of a server.
///
/// The permissions and the owner of the socket file decide who can connect at all; the operating
/// system checks them. Of those who can, the server serves the users in `peers`, as the kernel
/// vouches for them, and closes the connections of others.
///
/// ```
/// use armilla::LocalAccess;
///
/// let access: LocalAccess = "mode=660,group=100,peers=0+1000".parse()?;
/// assert_eq!(access.mode, Some(0o660));
/// assert_eq!(access.peers, [0, 1000]);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LocalAccess {
    /// The permission bits of the socket files, such as `0o660`. Default: what the process's umask
    /// leaves.
    pub mode: Option<u32>,
    /// The number of the user who owns the files. Default: that of the process.
    pub user: Option<u32>,
    /// The number of the group of the files. Default: that of the process, or of the directory.
    pub group: Option<u32>,
    /// The numbers of the users that are served. Default: empty, which is everybody who can
    /// connect to a socket file, and the user of the process at the same-host endpoints beside TCP.
    /// A client connects to the same-host endpoints of these users, too.
    pub peers: Vec<u32>,
}

impl LocalAccess {
    /// What the socket file gets.
    #[doc(hidden)]
    pub const fn file(&self) -> FileAccess {
        FileAccess { mode: self.mode, user: self.user, group: self.group }
    }
}

impl FromStr for LocalAccess {
    type Err = String;

    /// Reads `mode=OCTAL`, `user=UID`, `group=GID` and `peers=UID+UID…`, separated by commas.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut access = Self::default();
        for part in text.split(',') {
            let bad =
                || format!("{part:?}: mode=OCTAL, user=UID, group=GID or peers=UID+UID is needed");
            let number = |text: &str| text.parse::<u32>().map_err(|_| bad());
            match part.split_once('=').ok_or_else(bad)? {
                ("mode", bits) => {
                    let bits = u32::from_str_radix(bits, 8).ok().filter(|bits| *bits <= 0o777);
                    access.mode = Some(bits.ok_or_else(bad)?);
                }
                ("user", user) => access.user = Some(number(user)?),
                ("group", group) => access.group = Some(number(group)?),
                ("peers", users) => {
                    access.peers = users.split('+').map(number).collect::<Result<_, _>>()?;
                }
                _ => return Err(bad()),
            }
        }
        Ok(access)
    }
}
