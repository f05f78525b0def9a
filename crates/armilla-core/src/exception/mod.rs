//! Exceptions: what a call can end with besides its result.
//!
//! A [`SystemException`] is one of the standard exceptions that any call may raise: its
//! [`ExceptionKind`] says what happened, its [`Minor`] code why, its [`Completion`] whether the
//! operation was executed. IDL declares a [`UserException`]; an [`Error`] is either of the two.
//!
//! The module also encodes exceptions into replies and decodes them again. When an exception is
//! raised, whether a call is retried, and what a log says of it belong to the callers: the module
//! knows nothing of connections, objects or the ORB.

mod completion;
mod convert;
mod entry;
mod kind;
mod minor;
mod outcome;
mod system;
mod wire;

pub use completion::Completion;
pub use kind::ExceptionKind;
pub use minor::Minor;
#[doc(hidden)]
pub use outcome::ReplyError;
pub use outcome::{Error, UserException};
#[doc(hidden)]
pub use outcome::{Raises, encode_exception};
pub use system::SystemException;
#[doc(hidden)]
pub use wire::{decode_members, decode_system, encode_detail, encode_system};
