//! Errors of the operating system: context for their messages, and the class of those that tell of
//! exhausted resources.

use crate::Address;
use rustix::io::Errno;
use std::io;

/// The same kind of error, preceded by what was being done.
pub(crate) fn context(what: impl std::fmt::Display, error: impl Into<io::Error>) -> io::Error {
    let error = error.into();
    io::Error::new(kind(&error), format!("{what}: {error}"))
}

/// The kind that stands for an error where its number is lost. The standard library has none for a
/// shortage of descriptors.
pub(crate) fn kind(error: &io::Error) -> io::ErrorKind {
    match is_resource_exhausted(error) {
        true => io::ErrorKind::OutOfMemory,
        false => error.kind(),
    }
}

/// An address handed to a transport that does not serve its kind.
pub(crate) fn wrong_transport(transport: &str, address: &Address) -> io::Error {
    let message = format!("{address} is not an address of the {transport} transport");
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// The duration as `poll` takes it, at most what it can hold.
pub(crate) fn timespec(duration: std::time::Duration) -> rustix::event::Timespec {
    let limit = rustix::event::Timespec { tv_sec: i64::MAX, tv_nsec: 0 };
    duration.try_into().unwrap_or(limit)
}

/// Whether the process or the system has run out of something that may come back.
pub(crate) fn is_exhaustion(errno: Errno) -> bool {
    matches!(errno, Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM)
}

/// Whether an error tells that the process or the system has run out of descriptors or memory,
/// which may come back: connecting, accepting or listening may be tried again then. One that was
/// put into other words is of the kind [`OutOfMemory`](io::ErrorKind::OutOfMemory); where it tells
/// of several addresses, the last counts.
pub fn is_resource_exhausted(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::OutOfMemory
        || Errno::from_io_error(error).is_some_and(is_exhaustion)
}
