//! Object references: untyped, typed, and how they travel.

mod interface;
mod local;
mod marshal;
mod reference;
mod typed;

pub use interface::{Interface, IsA, Upcast};
pub(crate) use local::{Servant, Tie};
pub use reference::Object;
pub(crate) use reference::Reference;
pub use typed::Ref;
