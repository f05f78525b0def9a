//! The server side: endpoints that listen, connections and the threads that serve them, requests to
//! servants.

mod admit;
mod bidirectional;
mod call;
mod caller;
mod connection;
mod workers;
mod status;
mod dispatch;
mod close_reason;
mod endpoints;
mod collocated;
mod later;
mod leadership;
mod listen_points;
mod monitor;
mod output;
mod reactor_connection;
mod reactor_pool;
mod publications;
mod registry;
mod reply_port;
mod scratch;
mod own_addresses;
mod in_process;

pub(crate) use bidirectional::{Carrier, offer};
pub use call::{DispatchError, Dispatched, ServerCall};
pub(crate) use status::BlockingScope;
pub(crate) use endpoints::Server;
pub(crate) use collocated::{ReplyBuffer, is_here, serve_collocated};
pub use later::{EncodeResults, ReplyHandle};
pub use scratch::Scratch;
