//! Locks (Concurrency Service 1.0): lock sets for transactions and for clients without one.
//!
//! `model` has the rules, `holders` says whose a lock is, `service` carries both out, and `servant`
//! has the objects.

mod holders;
pub mod model;
mod modes;
mod refusal;
mod servant;
mod service;

/// The interfaces, generated from `idl/CosConcurrencyControl.idl` and `idl/ArmillaLocks.idl`.
#[allow(missing_docs)]
pub mod corba {
    pub use crate::idl::concurrency::armilla_locks::*;
    pub use crate::idl::concurrency::cos_concurrency_control::*;
}

pub use servant::{KEY, OPERATOR_KEY};
pub use service::{LockOptions, LockService};
