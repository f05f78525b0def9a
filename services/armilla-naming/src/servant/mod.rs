//! The contexts of a [`Store`] as CORBA objects, without rules of their own: `model` has those.
//!
//! `contexts` is the servant of all contexts, `iterators` that of the binding iterators. `foreign`
//! passes operations on to contexts of other servers, `balancer` chooses among the members of a
//! group, `liveness` knows which objects answer, `permission` asks the rules. `references` turns
//! references into octets and back, `stored_reply` puts those octets into replies, `exceptions`
//! turns errors into exceptions, `shares` knows whose names are. `service` assembles everything; `operator` is for consoles,
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
mod shares;
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
use crate::model::{Decision, NameTree, NamingError, Seconds};
use crate::store::{ChangeError, Store};
use administration::Watches;
use armilla::Orb;
use armilla_security::ServerSecurity;
#[cfg(feature = "transactions")]
use armilla_transactions::{Transaction, Transactions};
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
    /// The transactions of the ORB, if names change with them.
    #[cfg(feature = "transactions")]
    transactions: Option<Transactions>,
}

impl Names {
    #[cfg(feature = "transactions")]
    fn transaction(&self) -> Option<Transaction> {
        self.transactions.as_ref()?.current()
    }

    /// Whether the request belongs to a transaction, which has names of its own.
    fn is_in_transaction(&self) -> bool {
        #[cfg(feature = "transactions")]
        return self.transaction().is_some();
        #[cfg(not(feature = "transactions"))]
        false
    }

    /// Decides an operation and makes its changes: with the transaction of the request, if it has one.
    fn change(
        &self,
        decide: impl Fn(&NameTree) -> Result<Decision, NamingError>,
    ) -> Result<Decision, ChangeError> {
        self.change_of(
            || self.client(),
            decide,
            |decide| {
                #[cfg(feature = "transactions")]
                if let Some(transaction) = self.transaction() {
                    return self.store.change_within(&transaction, decide);
                }
                self.store.change(decide)
            },
        )
    }

    /// Reads the tree as the request sees it.
    fn read<R>(&self, read: impl FnOnce(&NameTree) -> R) -> R {
        #[cfg(feature = "transactions")]
        if let Some(transaction) = self.transaction() {
            return self.store.read_within(&transaction, read);
        }
        read(&self.store.read())
    }
}

/// The time of a binding that is made now.
pub(crate) fn now() -> Seconds {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Seconds::try_from(since.as_secs()).unwrap_or(Seconds::MAX)
}
