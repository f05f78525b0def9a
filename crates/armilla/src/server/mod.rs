//! The server side: endpoints that listen, a thread per connection, requests to servants.

mod call;
mod connection;
mod dispatch;
mod endpoints;
mod registry;
mod reply_port;

pub use call::{DispatchError, Dispatched, ServerCall};
pub(crate) use endpoints::{ListenAddress, Server};
