//! The client side of a call: from a reference to a live connection and back.

mod call;
mod collocated;
mod connect;
mod deadline;
mod endpoint;
mod housekeeping;
mod journey;
mod link;
mod locate;
mod operation;
mod route;
mod watch;

pub(crate) use call::{
    Arguments, Finish, Request, Step, Way, call, invoke, invoke_oneway, invoke_raises,
    take_reply_here,
};
pub(crate) use deadline::Deadline;
pub(crate) use endpoint::Client;
pub(crate) use journey::{Forward, Journey};
pub(crate) use link::Intercepted;
pub(crate) use locate::locate;
pub(crate) use operation::{Operation, OperationKey};
pub(crate) use route::{Route, describe};
