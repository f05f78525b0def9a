//! The rules of every call, whichever way it waits for its reply.

mod collocated_reply;
mod group;
mod machine;
mod reply;
mod selection;
mod stale;
mod step;

pub(in crate::client) use collocated_reply::{COLLOCATED_VERSION, CollocatedReply};
pub use group::{calls_with_derived_identity, with_derived_identity};
pub(in crate::client) use machine::Invocation;
pub(in crate::client) use reply::Holder;
pub(crate) use reply::Reply;
pub(in crate::client) use selection::{Selected, Selection, to_send};
pub(in crate::client) use stale::{StaleConnections, is_stale};
pub(crate) use step::{Action, At, Step};
