//! The client side: object references, and the path of a call from a reference to a connection and
//! back.
//!
//! The layers above the client are not known here. Objects of the same process are reached through
//! the traits of `local_objects.rs`, which the server side implements.

mod access;
mod answer;
mod arguments;
mod asynchronous;
mod attempt;
mod binding;
mod call;
mod call_timer;
mod collocated;
mod connect;
mod connection_pool;
mod continuing;
mod deadline;
mod driver;
mod endpoint;
mod exclusive;
mod extension;
mod future;
mod greeting;
mod housekeeping;
pub(crate) mod interception;
mod invocation;
mod local_objects;
mod locate;
mod loss;
mod multiplexed;
mod operation;
mod pollable_set;
mod reference;
mod reply;
mod reply_memory;
mod request;
mod reselection;
mod resuming;
mod reverse_connections;
mod route;
mod shared;
mod stored_reply;
mod waiting;

pub(crate) use answer::no_reply;
pub(crate) use binding::Binding;
pub(crate) use call::{Request, call, invoke, invoke_oneway, invoke_raises, oneway_response};
pub use connection_pool::ConnectionPool;
pub(crate) use endpoint::Client;
pub use extension::{AddedContext, CallChoice, CallSelector, ClientExtension};
pub use future::ReplyFuture;
pub(crate) use future::{begin, invoke_async, invoke_raises_async};
pub use greeting::Greeting;
pub(crate) use invocation::{Forward, Step};
use local_objects::offer;
pub(crate) use local_objects::{
    Carrier, LocalKey, LocalLimit, LocalObject, LocalObjects, ReplyBuffer,
};
pub(crate) use locate::locate;
pub(crate) use multiplexed::{ConnectionSetup, MultiplexedConnection, Ready};
pub(crate) use operation::{Operation, OperationKey, OwnedOperation};
pub use pollable_set::PollableSet;
pub use reference::Object;
pub(crate) use reference::{Effective, Levels, Reference, interface_of};
pub(crate) use reply::Reply;
pub(crate) use route::{Target, describe};
pub(crate) use waiting::Waiting;
