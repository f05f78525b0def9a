//! Errors of the operating system: context for their messages, and the class of those that tell of
//! exhausted resources.

use crate::Address;
use rustix::io::Errno;
use std::io;

/// The same error with the failed action before its message.
pub(crate) fn context(what: impl std::fmt::Display, error: impl Into<io::Error>) -> io::Error {
    let error = error.into();
    io::Error::new(kind(&error), format!("{what}: {error}"))
}

/// The kind of an error whose number is lost. The standard library has no kind for exhausted
/// descriptors: `OutOfMemory` stands for them.
pub(crate) fn kind(error: &io::Error) -> io::ErrorKind {
    match is_resource_exhausted(error) {
        true => io::ErrorKind::OutOfMemory,
        false => error.kind(),
    }
}

/// The error for an address of another transport.
pub(crate) fn wrong_transport(transport: &str, address: &Address) -> io::Error {
    let message = format!("{address} is not an address of the {transport} transport");
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// The duration as `poll` takes it, at most what it can hold.
pub(crate) fn timespec(duration: std::time::Duration) -> rustix::event::Timespec {
    let limit = rustix::event::Timespec { tv_sec: i64::MAX, tv_nsec: 0 };
    duration.try_into().unwrap_or(limit)
}

/// Whether the process or the system has exhausted a resource that may become free again.
pub(crate) fn is_exhaustion(errno: Errno) -> bool {
    matches!(errno, Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM)
}

/// Whether an error means that the process or the system has exhausted its descriptors or its
/// memory. Both may become free again, so that connecting, accepting or listening may be tried
/// again. An error that this crate has given context has the kind
/// [`OutOfMemory`](io::ErrorKind::OutOfMemory) instead of its number; of an error about several
/// addresses, the last address counts.
///
/// ```
/// use armilla_ipc::is_resource_exhausted;
/// use std::io::{Error, ErrorKind};
///
/// assert!(is_resource_exhausted(&Error::from_raw_os_error(24))); // EMFILE
/// assert!(!is_resource_exhausted(&ErrorKind::ConnectionRefused.into()));
/// ```
pub fn is_resource_exhausted(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::OutOfMemory
        || Errno::from_io_error(error).is_some_and(is_exhaustion)
}
