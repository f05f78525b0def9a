//! The client side: object references, and the path of a call from a reference to a connection and
//! back.
//!
//! The layers above the client are not known here. Objects of the same process are reached through
//! the traits of `endpoint/local_objects.rs`, which the server side implements.
//!
//! # Rooms
//!
//! From the lowest to the highest; each imports from those above it in this list only.
//!
//! 1. `request`: what a call asks for and is answered; knows no reference and no connection.
//! 2. `connection`: requests out, replies in; knows neither its endpoint nor the call that waits.
//! 3. `endpoint`: addresses of servers and the connections to each; objects of this process.
//! 4. `reference`: object references, their policies, and where their calls go.
//! 5. `invocation`: the rules of every call, whichever way it waits.
//! 6. `interception`: the part of a call that runs interceptors.
//! 7. `synchronous`: calls whose thread waits.
//! 8. `asynchronous`: calls for which no thread waits.
//! 9. `operations`: the operations that every object has.

mod asynchronous;
mod connection;
mod endpoint;
pub(crate) mod interception;
mod invocation;
mod operations;
mod reference;
mod request;
mod synchronous;

use crate::runtime::Orb;
use crate::settings::Settings;
use std::sync::Arc;

pub use asynchronous::{PollableSet, ReplyFuture};
pub(crate) use asynchronous::{begin, invoke_async, invoke_raises_async};
pub(crate) use connection::{Carrier, ConnectionSetup, MultiplexedConnection, Ready};
#[cfg(feature = "observe")]
pub(crate) use endpoint::connections_made;
pub use endpoint::{ConnectionPool, Greeting};
pub(crate) use endpoint::{LocalKey, LocalLimit, LocalObject, LocalObjects, ReplyBuffer};
pub use invocation::{calls_with_derived_identity, with_derived_identity};
pub(crate) use operations::{Waiting, interface_of};
pub(crate) use reference::Reference;
pub use reference::{AddedContext, CallChoice, CallSelector, ClientExtension, Object};
pub(crate) use request::{Operation, OperationKey, OwnedOperation, Request, no_reply};
pub(crate) use synchronous::{call, invoke, invoke_oneway, invoke_raises, oneway_response};

/// Installs the parts of the client in a new ORB.
pub(crate) fn install(orb: &Orb, settings: Arc<Settings>) {
    orb.install(endpoint::Client::new(settings));
    orb.install(reference::InstalledExtension::default());
    orb.install(asynchronous::Reselections::default());
}
