//! Operation lookup: from the name of an operation to its number in a skeleton. The perfect hash of
//! the generated skeleton does it, or one of three other strategies.

#[cfg(feature = "demultiplexing-strategies")]
mod component;
#[cfg(feature = "demultiplexing-strategies")]
mod lookup;
mod perfect;

#[cfg(feature = "demultiplexing-strategies")]
pub(crate) use component::{Numbers, OperationNames};
#[cfg(feature = "demultiplexing-strategies")]
pub(crate) use lookup::Finder;
#[cfg(feature = "demultiplexing-strategies")]
pub use lookup::OperationLookup;
pub use perfect::Operations;
