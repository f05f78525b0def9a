//! The addresses of servers, with the connections to each: pools, making connections, keeping
//! house; and the objects of this process, which are reached without one.

mod access;
mod client;
mod connect;
mod connection_pool;
mod greeting;
mod housekeeping;
mod local_addresses;
mod local_objects;
mod look;
mod pool;
mod reverse_connections;
mod same_host;
mod shared;
mod sharing;
mod silence;
mod waiting_call;

pub(in crate::client) use access::{Access, Member, read_profile};
pub(crate) use client::Client;
pub use connection_pool::ConnectionPool;
pub use greeting::Greeting;
pub(in crate::client) use local_objects::serve_collocated;
pub(crate) use local_objects::{LocalKey, LocalLimit, LocalObject, LocalObjects, ReplyBuffer};
pub(in crate::client) use pool::{Endpoint, PooledConnection};
#[cfg(feature = "observe")]
pub(crate) use same_host::connections_made;
pub(in crate::client) use waiting_call::WaitingCall;
