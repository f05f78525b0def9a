//! Typed object references: calls through them, direct collocated calls, stub factories, and the
//! typed operations of a POA.
//!
//! The untyped reference, and the protocol of a call, are in `client`.

mod direct;
mod narrow;
mod near;
mod poa;
mod stub_factories;
mod this;
mod tied;
mod typed;
mod values;

pub use near::{LocalRef, Native};
pub(crate) use stub_factories::{FactoryLimit, StubFactories};
pub use tied::Tied;
pub use typed::Ref;
