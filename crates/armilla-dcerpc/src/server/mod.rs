//! The server's end of a connection, as a state machine.
//!
//! Octets that arrive go into [`Server::receive`], calls come from [`Server::poll_event`], and go
//! back by [`Server::respond`]; what is to be sent comes from [`Server::poll_output`]. Time is an
//! argument. A [`Host`] says which interfaces there are, and who may come in.

mod calls;
mod handshake;
mod machine;
mod types;

pub use machine::Server;
pub use types::{Access, Host, ServerCall, ServerError, ServerEvent, ServerOptions};
