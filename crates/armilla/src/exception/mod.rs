//! Exceptions: the standard ones of the ORB, those of IDL, and what a call can end with.

mod completion;
mod kind;
mod minor;
mod outcome;
mod system;
mod wire;

pub use completion::Completion;
pub use kind::ExceptionKind;
pub use minor::Minor;
pub(crate) use outcome::ReplyError;
pub use outcome::{Error, Raises, UserException, encode_exception};
pub use system::SystemException;
pub(crate) use wire::{decode_members, decode_system, encode_detail, encode_system};
