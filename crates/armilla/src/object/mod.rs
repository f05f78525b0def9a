//! Object references: untyped, typed, and how they travel.

mod direct;
mod identity;
mod interface;
mod local;
mod marshal;
mod near;
mod overrides;
mod reference;
mod servant_base;
mod typed;

pub use interface::{Interface, IsA, Upcast, WhichObject};
pub use local::AnyServant;
pub(crate) use local::{Servant, address};
pub use near::{LocalRef, Native};
pub use reference::Object;
pub(crate) use reference::Reference;
pub(crate) use servant_base::AsDeclared;
pub use servant_base::ServantBase;
pub use typed::Ref;
