//! Life cycle (Life Cycle Service 1.2): objects that are made, copied, moved and removed, wherever they
//! are.
//!
//! `finder` finds factories in naming and trading services, `factory` makes objects of a program,
//! `object` is what servants need to be copied and moved.

mod factory;
mod finder;
mod object;

/// The interfaces, generated from `idl/CosLifeCycle.idl`.
#[allow(missing_docs)]
pub mod corba {
    pub use crate::idl::lifecycle::cos_life_cycle::*;
}

pub use factory::{Factories, MakeError};
pub use finder::{FINDER_KEY, Finder, first_generic};
pub use object::{LifeCycle, Moved, copy};
