//! The server side: endpoints that listen, connections and the threads that serve them, requests to
//! servants.

mod admit;
mod both_ways;
mod call;
mod caller;
mod connection;
mod workers;
mod status;
mod dispatch;
mod end;
mod endpoints;
mod here;
mod later;
mod leadership;
mod listen_points;
mod monitor;
mod output;
mod polled;
mod pool;
mod publications;
mod registry;
mod reply_port;
mod scratch;
mod whereabouts;
mod within;

pub(crate) use both_ways::{Carrier, offer};
pub use call::{DispatchError, Dispatched, ServerCall};
pub(crate) use status::BlockingScope;
pub(crate) use endpoints::Server;
pub(crate) use here::{Paper, is_here, serve_here};
pub use later::{EncodeResults, ReplyHandle};
pub use scratch::Scratch;
