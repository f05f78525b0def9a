//! What the other end of a connection is called in the log and in exceptions.

use crate::transport::{EndpointAddress, is_here};
use armilla_ipc::Address;
use std::fmt;
use std::sync::Arc;

/// The name of the other end of a connection, for people: its address. Within the host that is an
/// abstract name which nobody chose, so the name is the address in the reference.
#[derive(Debug, Clone)]
pub(crate) struct PeerName(Arc<str>);

impl PeerName {
    /// The name of `peer`, to which a connection leads for calls at the address `server`.
    pub(in crate::client) fn new(peer: &Address, server: &EndpointAddress) -> Self {
        let within_host = *peer == Address::SameHost
            || server.same_host().is_some_and(|same_host| same_host.address() == *peer);
        Self(match within_host {
            _ if is_here(peer) => "this process".into(),
            true => format!("{server} (within this host)").into(),
            false => peer.to_string().into(),
        })
    }
}

impl fmt::Display for PeerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
