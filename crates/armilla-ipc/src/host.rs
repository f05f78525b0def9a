//! The address under which other hosts reach this one, and how to tell it from them.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};

/// The address to publish for servers on this host: the one from which traffic to the rest of the
/// world would leave, IPv4 before IPv6, or 127.0.0.1 on a host without a network.
///
/// Nothing is sent. Behind address translation this is the inside address, which is of no use to
/// clients outside; such a server must be told its public name.
pub fn primary_address() -> IpAddr {
    // Addresses reserved for documentation: never local, and routed like any other.
    ["192.0.2.1:9", "[2001:db8::1]:9"]
        .into_iter()
        .filter_map(|target| source_towards(target.parse().ok()?))
        .find(|source| !source.is_loopback() && !source.is_unspecified())
        .unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
}

/// What tells this host, since it was started, from every other; `None` where the system does not
/// say. Containers on one host have it in common.
pub fn boot_id() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let id = id.trim();
    (!id.is_empty()).then(|| id.to_owned())
}

/// The local address that the routing table chooses for `target`. Connecting a datagram socket
/// looks this up and sends no packet.
fn source_towards(target: SocketAddr) -> Option<IpAddr> {
    let any = if target.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let socket = UdpSocket::bind(any).ok()?;
    socket.connect(target).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_boot_id_stays() {
        assert!(boot_id().is_some_and(|id| id.len() >= 32));
        assert_eq!(boot_id(), boot_id());
    }

    #[test]
    fn the_primary_address_belongs_to_this_host() {
        UdpSocket::bind((primary_address(), 0)).expect("only an own address can be bound");
    }
}
