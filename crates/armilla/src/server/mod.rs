//! The server side: the endpoints that listen, the connections, the threads that serve them, the
//! object adapters ([`poa`]), and the servants that carry out the requests.

mod admit;
mod amh;
mod bidirectional;
mod call;
mod caller;
mod close_reason;
mod closing;
mod collocated;
mod connection;
mod dispatch;
mod endpoints;
mod find;
mod in_process;
pub(crate) mod interception;
mod leadership;
mod listen_points;
mod local_objects;
mod monitor;
mod output;
mod own_addresses;
pub(crate) mod poa;
mod publications;
mod published;
mod reactor_connection;
mod reactor_pool;
mod registry;
mod reply_port;
mod scratch;
mod servant;
mod worker_status;
mod workers;

pub use amh::{EncodeResults, ResponseHandler};
pub use call::{DispatchError, Dispatched, ServerCall};
pub(crate) use endpoints::Listeners;
pub(crate) use local_objects::HostedObjects;
pub(crate) use published::Published;
pub use scratch::Scratch;
pub use servant::{AnyServant, Interface, IsA, ServantBase, Skeleton, Upcast, WhichObject};
pub(crate) use servant::{AsDeclared, Servant, address};
