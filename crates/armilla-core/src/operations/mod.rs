//! Operation lookup: from the name of an operation to its number in a skeleton. The perfect hash of
//! the generated skeleton does it, or one of three other strategies.

mod component;
mod lookup;
mod perfect;

#[doc(hidden)]
pub use component::{Numbers, OperationNames};
pub use lookup::OperationLookup;
#[doc(hidden)]
pub use lookup::{Buckets, Finder};
#[doc(hidden)]
pub use perfect::Operations;
