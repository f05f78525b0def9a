//! From a decoded request to its servant: finding the object, and calling it.

pub(super) mod caller;
pub(super) mod find;
mod kept;
pub(super) mod key_locator;
pub(super) mod locate;
pub(super) mod main_thread;
pub(crate) mod nesting;
pub(super) mod published;
pub(super) mod requests;
pub(super) mod scratch;
pub(super) mod source;
