//! The permissions and the owner of a socket file.

use crate::error::context;
use rustix::fd::BorrowedFd;
use rustix::fs::{Mode, fchmod};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::{fs, io};

/// Who may connect to the socket file of an acceptor, by the operating system's rules. What is
/// `None` is as the process makes files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileAccess {
    /// The permission bits. To connect, a process needs the right to write. `None` beside an owner
    /// is `0o660`: the group may connect, others may not.
    pub mode: Option<u32>,
    /// The number of the user who owns the file.
    pub user: Option<u32>,
    /// The number of its group.
    pub group: Option<u32>,
}

impl FileAccess {
    /// Prepares a socket that is not yet bound: its file will be the owner's alone until
    /// [`apply`](Self::apply), so that nobody connects in between. (Linux makes the file with the
    /// bits of the socket; a system that does not makes it as any other.)
    pub(crate) fn prepare(&self, socket: BorrowedFd<'_>) -> io::Result<()> {
        if *self != Self::default() {
            fchmod(socket, Mode::RUSR | Mode::WUSR)?;
        }
        Ok(())
    }

    /// Gives the file its owner, and then its permissions.
    pub(crate) fn apply(&self, path: &Path) -> io::Result<()> {
        let Self { mode, user, group } = *self;
        if user.is_some() || group.is_some() {
            std::os::unix::fs::lchown(path, user, group)
                .map_err(|error| context("cannot change the owner of the socket file", error))?;
        }
        if *self == Self::default() {
            return Ok(());
        }
        let mode = mode.unwrap_or(0o660);
        fs::set_permissions(path, Permissions::from_mode(mode))
    }
}
