//! From the address of a shared-memory endpoint to that of its Unix-domain socket.

use crate::Address;
use crate::error::{kind, wrong_transport};
use std::io;

/// The socket beside the memory.
pub(super) fn socket(address: &Address) -> io::Result<Address> {
    match address {
        Address::Shm(path) => Ok(Address::unix(path)),
        other => Err(wrong_transport("shared-memory", other)),
    }
}

/// An error of the socket, with the address that the caller knows.
pub(super) fn in_terms_of<T>(address: &Address, result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| {
        let message = error.to_string();
        let message = match message.split_once("unix://") {
            Some((before, behind)) => format!("{before}shm://{behind}"),
            None => format!("{address}: {message}"),
        };
        io::Error::new(kind(&error), message)
    })
}

/// The name of an end that was never bound.
pub(super) fn unnamed() -> Address {
    Address::shm("")
}
