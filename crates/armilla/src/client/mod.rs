//! The client side: object references, and the path of a call from a reference to a connection and
//! back.
//!
//! The layers above the client are not known here. Objects of the same process are reached through
//! the traits of `endpoint/local_objects.rs`, which the server side implements.

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
pub use endpoint::{ConnectionPool, Greeting};
pub(crate) use endpoint::{LocalKey, LocalLimit, LocalObject, LocalObjects, ReplyBuffer};
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
