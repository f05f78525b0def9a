//! The client side of a call: from a reference to a live connection and back.

mod access;
mod arguments;
mod asynchronous;
mod binding;
mod call;
mod call_timer;
mod collocated;
mod connect;
mod connection_policy;
mod continuing;
mod deadline;
mod driver;
mod endpoint;
mod exclusive;
mod future;
mod housekeeping;
mod invocation;
mod locate;
mod loss;
mod multiplexed;
mod operation;
mod pollable_set;
mod request;
mod reverse_connections;
mod route;
mod shared;

pub(crate) use binding::Binding;
pub(crate) use call::{
    Arguments, Finish, Request, Step, Way, call, invoke, invoke_oneway, invoke_raises,
    oneway_response, take_reply_here,
};
pub(crate) use collocated::{CODE_SETS as CODE_SETS_HERE, exchange as exchange_here};
pub use connection_policy::{ConnectionPolicy, OnewayBuffer, SyncScope};
pub(crate) use deadline::Deadline;
pub(crate) use endpoint::Client;
pub use future::ReplyFuture;
pub(crate) use future::{begin, invoke_async, invoke_raises_async};
pub(crate) use invocation::{Forward, Invocation};
pub(crate) use locate::locate;
pub(crate) use multiplexed::{ConnectionSetup, MultiplexedConnection, Ready};
pub(crate) use operation::{Operation, OperationKey, OwnedOperation};
pub use pollable_set::PollableSet;
pub(crate) use request::Intercepted;
pub(crate) use route::{Route, Target, describe};
