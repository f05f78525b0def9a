//! Operation lookup: from the name of an operation to its number in a skeleton. The perfect hash of
//! the generated skeleton does it, or one of three other strategies.

#[cfg(feature = "demultiplexing-strategies")]
mod component;
#[cfg(feature = "demultiplexing-strategies")]
mod lookup;
mod perfect;

#[cfg(feature = "demultiplexing-strategies")]
#[doc(hidden)]
pub use component::{Numbers, OperationNames};
#[cfg(feature = "demultiplexing-strategies")]
pub use lookup::OperationLookup;
#[cfg(feature = "demultiplexing-strategies")]
#[doc(hidden)]
pub use lookup::{Buckets, Finder};
#[doc(hidden)]
pub use perfect::Operations;
