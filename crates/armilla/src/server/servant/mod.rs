//! Servants: what the generated code of an interface tells the ORB, and how the object adapters
//! hold them.
//!
//! Activating servants is in [`super::poa`].

mod any_servant;
mod base;
mod interface;
mod skeleton;

pub use any_servant::AnyServant;
pub(crate) use any_servant::{Servant, address};
pub(crate) use base::AsDeclared;
pub use base::ServantBase;
pub use interface::{Interface, IsA, Upcast, WhichObject};
pub use skeleton::Skeleton;
