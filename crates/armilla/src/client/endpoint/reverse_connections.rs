//! Addresses that are reachable over connections that clients have made: bidirectional GIOP, on the
//! side that accepted the connection (CORBA 3.4 Part 2, 9.8).

use crate::client::connection::Carrier;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The connections by the addresses that they claim. The server side decides whether a client may
/// claim an address.
#[derive(Default)]
pub(crate) struct ReverseConnections(RwLock<HashMap<String, Claims<Arc<dyn Carrier>>>>);

/// The claims to one address, in the order in which their connections are tried: those of the client
/// that was first, then those of others, which wait until its last connection has ended. Among the
/// connections of one client the latest is tried first.
struct Claims<C>(Vec<Claim<C>>);

struct Claim<C> {
    /// The connection over which the address is reachable.
    carrier: C,
    /// The address of its client.
    peer: String,
}

impl<C> Default for Claims<C> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<C> Claims<C> {
    /// Adds a claim. `false` if that of another client is before it.
    fn add(&mut self, peer: &str, carrier: C) -> bool {
        let place = self.0.iter().position(|claim| claim.peer == peer).unwrap_or(self.0.len());
        self.0.insert(place, Claim { carrier, peer: peer.to_owned() });
        place == 0
    }
}

impl ReverseConnections {
    /// Records that `address` is reachable over `carrier`. `false` if a connection from another
    /// client claims the address, so that the claim has to wait.
    pub(crate) fn add(&self, address: &str, peer: &str, carrier: &Arc<dyn Carrier>) -> bool {
        let mut reverse_connections = self.0.write().unwrap_or_else(PoisonError::into_inner);
        reverse_connections.entry(address.to_owned()).or_default().add(peer, carrier.clone())
    }

    /// Removes the claim of the connection with this number to `address`.
    pub(crate) fn withdraw(&self, address: &str, number: u64) {
        let mut reverse_connections = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let Some(Claims(known)) = reverse_connections.get_mut(address) else { return };
        known.retain(|claim| claim.carrier.number() != number);
        if known.is_empty() {
            reverse_connections.remove(address);
        }
    }

    /// The connections for `address`, in the order in which they are tried.
    pub(super) fn carriers(&self, address: &str) -> Vec<Arc<dyn Carrier>> {
        let reverse_connections = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let known = reverse_connections.get(address).into_iter().flat_map(|Claims(known)| known);
        known.map(|claim| claim.carrier.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Claims;

    #[test]
    fn the_claims_of_a_second_client_come_after_those_of_the_first() {
        let mut claims = Claims::default();
        let offers = [("a", 1), ("b", 2), ("a", 3), ("c", 4), ("b", 5)];
        let counts = offers.map(|(peer, carrier)| claims.add(peer, carrier));
        assert_eq!(counts, [true, false, true, false, false]);
        let order = |claims: &Claims<_>| -> Vec<i32> {
            claims.0.iter().map(|claim| claim.carrier).collect()
        };
        assert_eq!(order(&claims), [3, 1, 5, 2, 4]);
        claims.0.retain(|claim| claim.peer != "a");
        assert!(claims.add("b", 6), "it is the first now");
        assert_eq!(order(&claims), [6, 5, 2, 4]);
    }
}
