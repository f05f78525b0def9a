//! Properties (Property Service 1.0): named values that are given to objects.
//!
//! `model` has the rules, `store` keeps the sets, `service` makes changes, `servant` has the objects.

mod iterators;
pub mod model;
mod servant;
mod service;
mod store;

/// The interfaces, generated from `idl/CosPropertyService.idl` and `idl/ArmillaProperties.idl`.
#[allow(missing_docs)]
pub mod corba {
    pub use crate::idl::properties::armilla_properties as operators;
    pub use crate::idl::properties::cos_property_service::*;
}

pub use armilla_store::StoreError;
pub use iterators::IteratorLimits;
pub use servant::{DEF_KEY, KEY, OPERATOR_KEY};
pub use service::{PropertyLimits, PropertyService};
pub use store::Store;
#[cfg(feature = "disk")]
#[doc(hidden)]
pub use store::check_record;
