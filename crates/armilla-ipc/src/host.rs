//! The addresses and names of this host: which one to publish, and which ones lead back to it.
//!
//! Nothing here sends a packet: the answers come from the routing table and from local files.

use crate::route;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// The address to publish for servers on this host: the one from which traffic to the rest of the
/// world would leave, IPv4 before IPv6, or 127.0.0.1 on a host without a network.
///
/// Nothing is sent. Behind address translation this is the inside address, which is of no use to
/// clients outside; such a server needs its public name configured.
pub fn primary_address() -> IpAddr {
    // Addresses reserved for documentation: never local, and routed like any other.
    ["192.0.2.1:9", "[2001:db8::1]:9"]
        .into_iter()
        .filter_map(|target| source_address_for(target.parse().ok()?))
        .find(|source| !source.is_loopback() && !source.is_unspecified())
        .unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
}

/// An address of this host in a network, which is `address` with its first `prefix` bits; `None`
/// when it has none there. Nothing is sent.
pub fn address_in(network: IpAddr, prefix: u8) -> Option<IpAddr> {
    // The first host of the network is routed as the network is, whether or not it exists.
    let first = match network {
        IpAddr::V4(ip) => IpAddr::V4((u32::from(ip) | 1).into()),
        IpAddr::V6(ip) => IpAddr::V6((u128::from(ip) | 1).into()),
    };
    let found = source_address_for(SocketAddr::new(first, 9))?;
    contains(network, prefix, found).then_some(found)
}

/// The address of this host from which packets to `target` leave; `None` where no network leads
/// there. Nothing is sent.
///
/// ```
/// let loopback = "127.0.0.1".parse().unwrap();
/// assert_eq!(armilla_ipc::host::address_towards(loopback), Some(loopback));
/// ```
pub fn address_towards(target: IpAddr) -> Option<IpAddr> {
    source_address_for(SocketAddr::new(target, 9)).filter(|source| !source.is_unspecified())
}

/// Whether the first `prefix` bits of both are the same.
fn contains(network: IpAddr, prefix: u8, ip: IpAddr) -> bool {
    let same = |a: u128, b: u128, bits: u32| {
        (a ^ b).checked_shr(bits.saturating_sub(u32::from(prefix))).unwrap_or(0) == 0
    };
    match (network, ip) {
        (IpAddr::V4(a), IpAddr::V4(b)) => same(u32::from(a).into(), u32::from(b).into(), 32),
        (IpAddr::V6(a), IpAddr::V6(b)) => same(a.into(), b.into(), 128),
        _ => false,
    }
}

/// The name of this host, as the system knows it; whether others can resolve it is another matter.
pub fn name() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    let name = name.trim();
    (!name.is_empty() && name != "(none)").then(|| name.to_owned())
}

/// The kernel's random identifier of the current boot; `None` where there is none. Containers on
/// one host share it.
pub fn boot_id() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let id = id.trim();
    (!id.is_empty()).then(|| id.to_owned())
}

/// Whether `ip` is an address of this host, in the network namespace of this process: whether the
/// kernel delivers what is sent there to this host. A peer at such an address is on this host,
/// because the kernel drops packets from elsewhere that claim to come from one. Sends nothing.
///
/// Where a forwarder outside of a container hands connections on, as those of rootless containers
/// do, strangers come from an address of the container itself.
///
/// ```
/// use armilla_ipc::host;
///
/// assert!(host::is_local_address("127.0.0.1".parse().unwrap()));
/// assert!(!host::is_local_address("192.0.2.1".parse().unwrap())); // for documentation (RFC 5737)
/// ```
pub fn is_local_address(ip: IpAddr) -> bool {
    let ip = ip.to_canonical();
    // A successful `bind` would not prove it: with `ip_nonlocal_bind` any address can be bound.
    // Where the process may not use netlink, the source of packets to the address tells nearly the
    // same: of several addresses in one network only the first is recognised.
    let by_source = || source_address_for(SocketAddr::new(ip, 9)) == Some(ip);
    ip.is_loopback() || !ip.is_unspecified() && route::is_local(ip).unwrap_or_else(|_| by_source())
}

/// What limits by host count as one: an address of IPv4, or the network of 64 bits of one of IPv6.
/// Whoever has one address of such a network has all of them.
///
/// ```
/// use armilla_ipc::host::site;
///
/// assert_eq!(site("2001:db8::7:1".parse()?), site("2001:db8::7:2".parse()?));
/// assert_eq!(site("::ffff:192.0.2.1".parse()?), "192.0.2.1".parse::<std::net::IpAddr>()?);
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
pub fn site(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64).into(),
        ip => ip,
    }
}

/// The addresses of this host, in the network namespace of this thread: those of its interfaces, the
/// loopback address first. Where the process may not use netlink, that and the
/// [primary address](primary_address). Sends nothing.
///
/// ```
/// use armilla_ipc::host;
///
/// assert!(host::addresses().contains(&"127.0.0.1".parse().unwrap()));
/// ```
pub fn addresses() -> Vec<IpAddr> {
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let found = route::interface_addresses().unwrap_or_else(|_| vec![primary_address()]);
    [loopback].into_iter().chain(found.into_iter().filter(|ip| *ip != loopback)).collect()
}

/// The names of this host with their addresses, as far as its own table of hosts (`/etc/hosts`) has
/// them, which the resolver reads first. No name server is asked. `localhost` is always among them
/// (RFC 6761).
pub fn names_in_hosts_file() -> Vec<(String, Vec<IpAddr>)> {
    let table = std::fs::read_to_string("/etc/hosts").unwrap_or_default();
    names_in(&table, name().as_deref())
}

/// The names that `table` gives to the host that calls itself `own`: those that stand in one line
/// with it.
fn names_in(table: &str, own: Option<&str>) -> Vec<(String, Vec<IpAddr>)> {
    let lines = table.lines().filter_map(|line| {
        let mut words = line.split('#').next()?.split_whitespace();
        Some((words.next()?.parse::<IpAddr>().ok()?, words.collect::<Vec<_>>()))
    });
    let lines: Vec<_> = lines.collect();
    let is_own = |name: &str| own.is_some_and(|own| own.eq_ignore_ascii_case(name));
    let ours = lines.iter().filter(|(_, names)| names.iter().any(|name| is_own(name)));
    let mut found: Vec<String> = vec![LOCALHOST.to_owned()];
    for name in ours.flat_map(|(_, names)| names) {
        if !found.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            found.push((*name).to_owned());
        }
    }
    let addresses = |name: &str| {
        let has = |names: &[&str]| names.iter().any(|other| other.eq_ignore_ascii_case(name));
        let all = lines.iter().filter(|(_, names)| has(names)).map(|(ip, _)| ip.to_canonical());
        let mut all: Vec<_> = all.collect();
        if name == LOCALHOST && all.is_empty() {
            all = vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
        }
        all
    };
    found.into_iter().map(|name| (name.clone(), addresses(&name))).collect()
}

const LOCALHOST: &str = "localhost";

/// The local address that the routing table chooses for `target`. Connecting a datagram socket
/// looks this up and sends no packet.
fn source_address_for(target: SocketAddr) -> Option<IpAddr> {
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
    fn an_address_is_found_by_its_network() {
        let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
        assert_eq!(address_in(Ipv4Addr::new(127, 0, 0, 0).into(), 8), Some(loopback));
        assert_eq!(address_in(Ipv4Addr::new(203, 0, 113, 0).into(), 24), None);
        let ten = |last| IpAddr::V4(Ipv4Addr::new(10, 0, last, 7));
        assert!(contains(ten(1), 16, ten(2)) && !contains(ten(1), 24, ten(2)));
        assert!(contains(ten(1), 0, loopback) && !contains(ten(1), 32, ten(2)));
    }

    #[test]
    fn local_addresses_are_distinguished_from_remote_ones() {
        assert!(
            is_local_address(Ipv4Addr::LOCALHOST.into()) && is_local_address(primary_address())
        );
        assert!(is_local_address("::ffff:127.0.0.1".parse().unwrap()));
        for other in ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1", "0.0.0.0", "::"] {
            assert!(!is_local_address(other.parse().unwrap()), "{other}");
        }
    }

    #[test]
    fn the_names_of_this_host_are_those_in_one_line_with_its_own() {
        let table = "127.0.0.1 localhost\n::1 localhost ip6-localhost # comment vm\n\
                     127.0.1.1 vm.example.org VM\nfe80::1%eth0 vm\n10.0.0.9 other vm2\n";
        let ips = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        let expected = [
            ("localhost".to_owned(), ips(&["127.0.0.1", "::1"])),
            ("vm.example.org".to_owned(), ips(&["127.0.1.1"])),
            ("VM".to_owned(), ips(&["127.0.1.1"])),
        ];
        assert_eq!(names_in(table, Some("vm")), expected);
        assert_eq!(names_in("", None), [("localhost".to_owned(), ips(&["127.0.0.1", "::1"]))]);
    }

    #[test]
    fn the_primary_address_belongs_to_this_host() {
        UdpSocket::bind((primary_address(), 0)).expect("only an own address can be bound");
    }
}
