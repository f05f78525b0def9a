//! Servants: what the generated code of an interface tells the ORB, and how the object adapters
//! hold them.
//!
//! Activating servants is in `objects`.

mod any_servant;
mod base;
mod call;
mod interface;
#[cfg(feature = "demultiplexing-strategies")]
mod operation_lookup;
mod skeleton;

pub use any_servant::AnyServant;
pub(crate) use any_servant::{Servant, address};
pub(crate) use base::AsDeclared;
pub use base::ServantBase;
pub use call::{DispatchError, Dispatched, ServerCall};
pub use interface::{Interface, IsA, Upcast, WhichObject};
#[cfg(feature = "demultiplexing-strategies")]
use operation_lookup::NumberedOperations;
pub use skeleton::Skeleton;

/// The operations of a skeleton by number, which nothing asks for.
#[cfg(not(feature = "demultiplexing-strategies"))]
pub(crate) trait NumberedOperations {}

#[cfg(not(feature = "demultiplexing-strategies"))]
impl<S: Servant> NumberedOperations for S {}
