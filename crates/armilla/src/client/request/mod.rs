//! What a call asks for, and what it is answered: operation, arguments, time limits, the header
//! of the request, the answer. Knows no reference and no connection.

mod answer;
mod arguments;
mod deadline;
mod effective;
mod object_address;
mod operation;
mod outgoing;
mod reply_start;

pub(crate) use answer::Forward;
pub(crate) use answer::no_reply;
pub(in crate::client) use answer::{
    Answer, Undeclared, has_results, part, undecodable, user_exception, wrong_reply,
};
pub(in crate::client) use arguments::EncodedArguments;
pub(in crate::client) use deadline::{Bound, Deadline, Wait, milliseconds};
pub(crate) use effective::{Effective, Levels};
pub(in crate::client) use effective::{chosen_sync_scope, policies_in_effect};
pub(in crate::client) use object_address::{Addressed, Name, ObjectAddress, TargetKey};
pub(in crate::client) use operation::{FaultSource, Signatures, fault_of};
pub(crate) use operation::{Operation, OperationKey, OwnedOperation};
pub(crate) use outgoing::Request;
pub(in crate::client) use outgoing::{
    AddedContexts, Arguments, Outgoing, StableContexts, Template,
};
pub(in crate::client) use reply_start::ReplyStart;
