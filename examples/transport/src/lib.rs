//! A transport in a separate crate: GIOP over TCP, with a recording of all octets in files.
//! `transport.rs` implements a transport for the ORB, `stream.rs` a connection, and `recording.rs`
//! the file. The server and the client are in `src/bin`.

#![forbid(unsafe_code)]

mod recording;
mod stream;
mod transport;

pub use transport::Recio;

armilla::include_idl!("greeting");
