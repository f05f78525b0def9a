//! Calls for which no thread waits.

mod call;
mod call_target;
mod carrying;
mod continuing;
mod future;
mod pollable_set;
mod reselection;
mod resuming;
mod stored_reply;

pub use future::ReplyFuture;
pub(crate) use future::{begin, invoke_async, invoke_raises_async};
pub use pollable_set::PollableSet;
pub(in crate::client) use reselection::Reselections;
