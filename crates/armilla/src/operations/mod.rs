//! Operation lookup: from the name of an operation to its number in a skeleton, by one of four
//! strategies.

mod component;
mod lookup;
mod perfect;

pub(crate) use component::{Numbers, OperationNames};
pub(crate) use lookup::Finder;
pub use lookup::OperationLookup;
pub use perfect::Operations;
