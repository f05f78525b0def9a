//! The rules of every call, whichever way it waits for its reply.

mod machine;
mod reply;

pub(in crate::client) use machine::Invocation;
pub(crate) use machine::{Forward, Step};
pub(crate) use reply::Reply;
pub(in crate::client) use reply::{Holder, ReplyStart};
