//! Typed object references: calls through them, those that do not leave the process, and what a POA
//! gives out.

mod direct;
mod narrow;
mod near;
mod poa;
mod stub_factories;
mod this;
mod typed;
mod values;

pub use near::{LocalRef, Native};
pub(crate) use stub_factories::{FactoryLimit, StubFactories};
pub use typed::Ref;
