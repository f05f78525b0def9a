//! Helpers that put words to the errors of the operating system.

use crate::Address;
use std::io;

/// The same kind of error, preceded by what was being done.
pub(crate) fn context(what: impl std::fmt::Display, error: impl Into<io::Error>) -> io::Error {
    let error = error.into();
    io::Error::new(error.kind(), format!("{what}: {error}"))
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
