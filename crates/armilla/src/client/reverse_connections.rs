//! Addresses that are reachable over connections that clients have made: bidirectional GIOP, on the
//! side that accepted the connection (CORBA 3.4 Part 2, 9.8).

use super::endpoint::Endpoint;
use super::multiplexed::{ConnectionSetup, MultiplexedConnection};
use crate::client::Carrier;
use armilla_giop::Version;
use armilla_giop::engine::Role;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The connections by the addresses that they claim. The server side decides whether a client may
/// claim an address.
#[derive(Default)]
pub(crate) struct ReverseConnections(RwLock<HashMap<String, Vec<Claim>>>);

struct Claim {
    /// The connection over which the address is reachable.
    carrier: Arc<dyn Carrier>,
    /// The address of its client.
    peer: String,
}

impl ReverseConnections {
    /// Records that `address` is reachable over `carrier`. `false` if a connection from another
    /// client claims the address.
    pub(crate) fn add(&self, address: &str, peer: &str, carrier: &Arc<dyn Carrier>) -> bool {
        let mut reverse_connections = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let known = reverse_connections.entry(address.to_owned()).or_default();
        if known.iter().any(|claim| claim.peer != peer) {
            return false;
        }
        // The latest connection is tried first.
        known.insert(0, Claim { carrier: carrier.clone(), peer: peer.to_owned() });
        true
    }

    /// Removes the claim of the connection with this number to `address`.
    pub(crate) fn withdraw(&self, address: &str, number: u64) {
        let mut reverse_connections = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = reverse_connections.get_mut(address) else { return };
        known.retain(|claim| claim.carrier.number() != number);
        if known.is_empty() {
            reverse_connections.remove(address);
        }
    }

    fn carriers(&self, address: &str) -> Vec<Arc<dyn Carrier>> {
        let reverse_connections = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let known = reverse_connections.get(address).map(Vec::as_slice).unwrap_or_default();
        known.iter().map(|claim| claim.carrier.clone()).collect()
    }
}

impl Endpoint {
    /// A connection that the server at this address has made and offered for calls. `None` before
    /// GIOP 1.2, which introduced bidirectional connections.
    #[cold]
    pub(super) fn reverse_connection(
        &self,
        version: Version,
    ) -> Option<Arc<MultiplexedConnection>> {
        let reverse_connections =
            self.reverse_connections.as_ref().filter(|_| version >= Version::V1_2)?;
        let carriers = reverse_connections.carriers(self.address.address());
        carriers.into_iter().find_map(|carrier| {
            let link = carrier.link(&mut || {
                // The code sets of the originator hold in both directions.
                let stated = carrier.stated_code_sets();
                let setup = ConnectionSetup {
                    agreed: stated.or(self.code_sets),
                    announces: stated.is_none() && self.code_sets.is_some(),
                    offered: None,
                    settings: self.settings.clone(),
                    driver: self.driver.clone(),
                };
                MultiplexedConnection::carried(setup, Role::Acceptor, carrier.clone())
            })?;
            link.is_open().then_some(link)
        })
    }
}
