//! The server side: the endpoints that listen, the connections, the threads that serve them, the
//! object adapters ([`poa`]), and the servants that carry out the requests.
//!
//! The rooms, the lowest first; a file imports from its own room and from those before it:
//!
//! | room | what lives there |
//! |---|---|
//! | `addresses` | where the ORB is reached, and what references say about that |
//! | `reply` | where replies go, how they are encoded, and those that come later |
//! | `threads` | which thread serves which connection, and who leads it |
//! | `poa` | object adapters, and the servants that they call |
//! | `interception` | interceptors of requests, and of adapters and their references |
//! | `dispatch` | from a decoded request to its servant |
//! | `connections` | reading requests, sending replies, and ending |
//! | `endpoints` | listening, taking connections in, making references |
//! | `local` | calls of this process to its own objects |

mod addresses;
mod connections;
mod dispatch;
mod endpoints;
pub(crate) mod interception;
mod local;
pub(crate) mod poa;
mod reply;
mod threads;

pub use dispatch::caller::Caller;
pub(crate) use dispatch::nesting;
pub(crate) use dispatch::published::Published;
pub(crate) use dispatch::requests::servant_panicked;
pub use dispatch::scratch::Scratch;
pub use endpoints::endpoint_group::{EndpointGroup, EndpointGroupOptions, SettingsChange};
pub(crate) use endpoints::listeners::Listeners;
pub(crate) use local::local_objects::HostedObjects;
pub use poa::{
    AnyServant, DispatchError, Dispatched, Interface, IsA, ServantBase, ServerCall, Skeleton,
    Upcast, WhichObject,
};
pub(crate) use poa::{AsDeclared, address};
pub use reply::amh::{EncodeResults, ResponseHandler};
pub use reply::location_reply::{LocationReply, SoughtKey};
pub use threads::connection_slot::{ConnectionExtension, ConnectionSlot};
