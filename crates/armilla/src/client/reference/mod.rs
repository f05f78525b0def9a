//! Object references as the client has them: untyped, with what is chosen for the calls through them.

mod components;
mod effective;
mod identity;
mod interface;
mod marshal;
mod object;
mod overrides;

pub(crate) use effective::{Effective, Levels};
pub(crate) use interface::interface_of;
pub use object::Object;
pub(crate) use object::Reference;
