//! Servants: what the generated code of an interface tells the ORB, and how the object adapters
//! hold them.
//!
//! Activating servants is in `objects`.

mod any_servant;
mod base;
mod call;
mod interface;
#[cfg_attr(not(feature = "demultiplexing-strategies"), path = "perfect_lookup.rs")]
mod operation_lookup;
mod skeleton;

pub use any_servant::AnyServant;
pub(crate) use any_servant::{Servant, address};
pub(crate) use base::AsDeclared;
pub use base::ServantBase;
pub(crate) use call::LocatedCall;
pub use call::{DispatchError, Dispatched, ServerCall};
pub use interface::{Interface, IsA, Upcast, WhichObject};
use operation_lookup::NumberedOperations;
pub(crate) use operation_lookup::{number_components, numbered_key};
pub use skeleton::Skeleton;
