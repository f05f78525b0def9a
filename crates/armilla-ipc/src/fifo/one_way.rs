//! One named pipe on its own, for processes that know its path. There is no connection: any number
//! of writers may share it.

use super::addr;
use crate::channel::{ReadEnd, WriteEnd};
use crate::deadline::Deadline;
use crate::error::context;
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::io;
use std::path::Path;
use std::time::Duration;

/// The pause before a pipe without a reader is tried again; the kernel does not report when a
/// reader comes.
const PAUSE: Duration = Duration::from_millis(2);

/// Opens the named pipe at `path` for receiving, and makes it if there is none. Does not wait for a
/// writer.
///
/// The end of the stream comes when the last of the writers has gone; before the first has come,
/// receiving waits.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] if another kind of file is there; whatever else the operating
/// system reports, such as [`io::ErrorKind::PermissionDenied`]. The message names the path.
pub fn open_read(path: impl AsRef<Path>) -> io::Result<ReadEnd> {
    let path = path.as_ref();
    let open = || {
        match addr::make(path) {
            Err(Errno::EXIST) => {}
            other => other?,
        }
        ReadEnd::new(addr::open_at(path, OFlags::RDONLY)?)
    };
    open().map_err(|error| context(format_args!("cannot read {}", path.display()), error))
}

/// Opens the named pipe at `path` for sending; waits up to `timeout` for a reader.
///
/// # Errors
/// [`io::ErrorKind::TimedOut`] if it has no reader by then; otherwise as [`open_read`].
pub fn open_write(path: impl AsRef<Path>, timeout: Option<Duration>) -> io::Result<WriteEnd> {
    let path = path.as_ref();
    let deadline = Deadline::after(timeout);
    let open = || loop {
        match addr::open_at(path, OFlags::WRONLY) {
            Err(error) if Errno::from_io_error(&error) == Some(Errno::NXIO) => {
                let left = deadline.remaining()?;
                std::thread::sleep(left.unwrap_or(PAUSE).min(PAUSE));
            }
            other => return WriteEnd::new(other?),
        }
    };
    open().map_err(|error| context(format_args!("cannot write to {}", path.display()), error))
}
