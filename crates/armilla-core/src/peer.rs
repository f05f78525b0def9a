//! Who is at the other end of a connection, as far as limits are concerned.

use armilla_ipc::Address;
use std::sync::Arc;

/// The host at the other end, whatever its port. All processes of this host that use its own
/// transports, such as Unix-domain sockets, are one peer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Peer(Option<Arc<str>>);

impl Peer {
    /// The host at this address.
    pub fn of(address: &Address) -> Self {
        Self(match address {
            Address::Tcp { host, .. } => Some(host.as_str().into()),
            _ => None,
        })
    }
}
