//! Object references: untyped, typed, and how they travel.

mod direct;
mod identity;
mod marshal;
mod near;
mod overrides;
mod reference;
mod this;
mod typed;

pub use near::{LocalRef, Native};
pub use reference::Object;
pub(crate) use reference::Reference;
pub use typed::Ref;
