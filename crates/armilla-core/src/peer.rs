//! Who is at the other end of a connection, as far as limits are concerned.

use armilla_ipc::Address;
use std::sync::Arc;

/// The host at the other end, whatever its port; of IPv6 the network with 64 bits, whose owner has an
/// address for each connection. All processes of this host that use its own transports, such as
/// Unix-domain sockets, are one peer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Peer(Option<Arc<str>>);

impl Peer {
    /// The host at this address.
    pub fn of(address: &Address) -> Self {
        Self(address.site().map(Into::into))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_ipv6_is_one_peer() {
        let peer = |host: &str, port| Peer::of(&Address::tcp(host, port));
        assert_eq!(peer("2001:db8:0:7::1", 1), peer("2001:db8:0:7:8::2", 2));
        assert_ne!(peer("2001:db8:0:7::1", 1), peer("2001:db8:0:8::1", 1));
        assert_eq!(peer("fe80::1%eth0", 1), peer("fe80::2%eth0", 2));
        assert_eq!(peer("::ffff:192.0.2.1", 1), peer("192.0.2.1", 2));
        assert_ne!(peer("192.0.2.1", 1), peer("192.0.2.2", 1));
        assert_eq!(Peer::of(&Address::unix("/a")), Peer::of(&Address::SameHost));
    }
}
