//! The replication manager (CORBA 3.0.3, 23.3): it makes groups, knows their properties, and replaces
//! members that have died. Several of them share what they know in one place, and are a group
//! themselves: none of them has a state of its own, so that any of them can be asked, and any may die.
//!
//! [`Manager::serve`] makes one in an ORB. A program that makes members for others serves a
//! [`MemberFactory`].

mod calls;
mod detector;
mod domain;
mod factory;
mod identity;
mod membership;
mod notifier;
mod plan;
mod properties;
mod record;
mod reports;
mod rounds;
mod servant;
mod service;
mod settings;
mod upkeep;

#[cfg(feature = "server")]
pub(crate) use calls::is_death;
pub use domain::{GroupState, MemberState};
pub use factory::{MemberFactory, Wanted};
pub use record::{GroupRecord, Made, Pending};
pub use service::{MANAGER_KEY, Manager, ManagerOptions, NOTIFIER_KEY};
pub use settings::{FactoryEntry, Settings};
