//! A transport that another crate adds: GIOP over TCP, with everything that passes written to files.
//! `transport.rs` is what an ORB asks of a transport, `stream.rs` what it asks of a connection,
//! `recording.rs` the file. The server and the client are in `src/bin`.

#![forbid(unsafe_code)]

mod recording;
mod stream;
mod transport;

pub use transport::Recio;

armilla::include_idl!("greeting");
