//! Object references of the client: untyped, with the policy overrides of the calls through them.
//!
//! Typed references are built on these elsewhere.

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
