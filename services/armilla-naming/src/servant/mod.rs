//! The contexts of a [`Store`] as CORBA objects, without rules of their own: `model` has those.
//!
//! `contexts` is the servant of all contexts, `iterators` that of the binding iterators. `foreign`
//! passes operations on to contexts of other servers, `balancer` chooses among the members of a
//! group, `liveness` knows which objects answer, `permission` asks the rules. `references` turns
//! references into octets and back, `stored_reply` puts those octets into replies, `exceptions`
//! turns errors into exceptions. `service` assembles everything; `operator` is for consoles,
//! `administration` for commands, `upkeep` finds contexts that no name leads to.

mod administration;
mod balancer;
mod contexts;
mod exceptions;
mod foreign;
mod iterators;
mod liveness;
#[cfg(feature = "server")]
mod operator;
mod permission;
mod references;
mod service;
mod stored_reply;
mod upkeep;

pub use foreign::ForeignLimits;
pub use iterators::IteratorLimits;
pub use liveness::Status;
#[cfg(feature = "server")]
#[cfg(feature = "server")]
pub(crate) use references::to_octets;
pub use service::{NamingService, NamingServiceBuilder};

use crate::access::RulesFile;
use crate::model::Seconds;
use crate::store::Store;
use administration::Watches;
use armilla::Orb;
use armilla_security::ServerSecurity;
use foreign::Foreign;
use iterators::Iterators;
use liveness::Statuses;
use std::time::SystemTime;

/// What all servants share. They do not keep it alive, because an ORB keeps servants until its end.
struct Names {
    orb: Orb,
    store: Store,
    iterators: Iterators,
    statuses: Statuses,
    rules: RulesFile,
    /// Who knows the clients, if anybody does.
    security: Option<ServerSecurity>,
    foreign: Foreign,
    watches: Watches,
}

/// The time of a binding that is made now.
pub(crate) fn now() -> Seconds {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Seconds::try_from(since.as_secs()).unwrap_or(Seconds::MAX)
}
