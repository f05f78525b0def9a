//! The server side: the endpoints that listen, the connections, the threads that serve them, the
//! object adapters ([`poa`]), and the servants that carry out the requests.
//!
//! The rooms, the lowest first; a file imports from its own room and from those before it:
//!
//! | room | what lives there |
//! |---|---|
//! | `addresses` | where the ORB is reached, and what references say about that |
//! | `interception`, `poa`, `servant` | interceptors, object adapters and skeletons |
//! | `reply` | where replies go, how they are encoded, and those that come later |
//! | `threads` | which thread serves which connection, and who leads it |
//! | `dispatch` | from a decoded request to its servant |
//! | `connections` | reading requests, sending replies, and ending |
//! | `endpoints` | listening, and taking connections in |
//! | `local` | calls of this process to its own objects |

mod addresses;
mod connections;
mod dispatch;
mod endpoints;
pub(crate) mod interception;
mod local;
pub(crate) mod poa;
mod reply;
mod servant;
mod threads;

pub use dispatch::call::{DispatchError, Dispatched, ServerCall};
pub use dispatch::caller::Caller;
pub(crate) use dispatch::key_locator::KeyLocator;
pub use dispatch::key_locator::{LocationReply, SoughtKey};
pub(crate) use dispatch::nesting;
pub(crate) use dispatch::published::Published;
pub use dispatch::scratch::Scratch;
pub use endpoints::endpoint_group::{EndpointGroup, EndpointGroupOptions, SettingsChange};
pub(crate) use endpoints::listeners::Listeners;
pub(crate) use local::local_objects::HostedObjects;
pub use reply::amh::{EncodeResults, ResponseHandler};
pub use servant::{AnyServant, Interface, IsA, ServantBase, Skeleton, Upcast, WhichObject};
pub(crate) use servant::{AsDeclared, Servant, address};
pub use threads::connection_slot::{ConnectionExtension, ConnectionSlot};
