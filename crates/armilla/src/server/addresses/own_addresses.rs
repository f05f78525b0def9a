//! Which addresses are certainly those of this process, however they are spelled.
//!
//! An address is one of them if a connection to it, opened by this process, would reach one of its
//! own endpoints. This also recognizes references that other processes hand in. No name service is
//! queried: a reference that only a query could recognize is called over its address.

use armilla_ipc::{Acceptor, Address, host};
use std::net::{IpAddr, SocketAddr};

/// Where the IIOP endpoints listen, and the names by which this host knows itself.
#[derive(Default)]
pub(in crate::server) struct OwnAddresses {
    listening: Vec<SocketAddr>,
    /// From the hosts file, read when the first endpoint was opened.
    names: Vec<(String, Vec<IpAddr>)>,
}

impl OwnAddresses {
    /// Adds the address of an endpoint.
    pub(in crate::server) fn add(&mut self, acceptor: &dyn Acceptor) {
        let Address::Tcp { host, port } = acceptor.local() else { return };
        let Ok(ip) = host.parse::<IpAddr>() else { return };
        if self.listening.is_empty() {
            self.names = host::names_in_hosts_file();
        }
        self.listening.push(SocketAddr::new(ip.to_canonical(), *port));
    }

    /// Whether this address leads to one of the endpoints.
    pub(in crate::server) fn include(&self, host: &str, port: u16) -> bool {
        if !self.listening.iter().any(|at| at.port() == port) {
            return false;
        }
        if let Ok(ip) = host.parse::<IpAddr>() {
            return self.listens_at(ip.to_canonical(), port);
        }
        let known = self.names.iter().find(|(name, _)| is_same_host(name, host));
        let Some((_, addresses)) = known else { return false };
        let reached = addresses.iter().any(|ip| self.listens_at(*ip, port));
        // A name that stands for other hosts too does not say which one is meant.
        reached && addresses.iter().all(|ip| host::is_local_address(*ip))
    }

    fn listens_at(&self, ip: IpAddr, port: u16) -> bool {
        let mut at_port = self.listening.iter().filter(|at| at.port() == port);
        at_port.any(|at| match at.ip() {
            IpAddr::V4(all) if all.is_unspecified() => ip.is_ipv4() && host::is_local_address(ip),
            IpAddr::V6(all) if all.is_unspecified() => host::is_local_address(ip),
            one => one == ip,
        })
    }
}

/// Whether both texts are the same host name or address.
pub(in crate::server) fn is_same_host(one: &str, other: &str) -> bool {
    fn name(text: &str) -> &str {
        text.strip_suffix('.').unwrap_or(text)
    }
    let ip = |text: &str| text.parse::<IpAddr>().ok().map(|ip| ip.to_canonical());
    match (ip(one), ip(other)) {
        (None, None) => name(one).eq_ignore_ascii_case(name(other)),
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(listening: &[&str]) -> OwnAddresses {
        let names = [
            ("localhost", &["127.0.0.1", "::1"][..]),
            ("vm", &["127.0.1.1"]),
            ("cluster", &["127.0.0.1", "192.0.2.7"]),
        ];
        let names = names.map(|(name, ips)| {
            (name.to_owned(), ips.iter().map(|ip| ip.parse().unwrap()).collect())
        });
        let listening = listening.iter().map(|text| text.parse().unwrap()).collect();
        OwnAddresses { listening, names: names.into() }
    }

    fn spellings(of: &OwnAddresses) -> Vec<&'static str> {
        let all = [
            "127.0.0.1",
            "::ffff:127.0.0.1",
            "127.0.0.2",
            "::1",
            "0:0:0:0:0:0:0:1",
            "localhost",
            "LocalHost.",
            "vm",
            "cluster",
            "elsewhere",
            "192.0.2.7",
            "0.0.0.0",
            "",
        ];
        all.into_iter().filter(|host| of.include(host, 7)).collect()
    }

    #[test]
    fn a_spelling_is_known_where_it_leads_to_an_endpoint() {
        let loopback = ["127.0.0.1", "::ffff:127.0.0.1", "localhost", "LocalHost."];
        assert_eq!(spellings(&at(&["127.0.0.1:7"])), loopback);
        let six = ["::1", "0:0:0:0:0:0:0:1", "localhost", "LocalHost."];
        assert_eq!(spellings(&at(&["[::1]:7"])), six);
        let four = ["127.0.0.1", "::ffff:127.0.0.1", "127.0.0.2", "localhost", "LocalHost.", "vm"];
        assert_eq!(spellings(&at(&["0.0.0.0:7"])), four);
        let every = [&four[..3], &six[..2], &four[3..]].concat();
        assert_eq!(spellings(&at(&["[::]:7"])), every);
        assert_eq!(spellings(&at(&["192.0.2.7:7"])), ["192.0.2.7"]);
        assert!(spellings(&at(&["[::]:8"])).is_empty(), "another port");
        assert!(spellings(&at(&[])).is_empty());
    }

    #[test]
    fn hosts_are_the_same_by_name_and_by_address() {
        for (one, other) in [("a.org", "A.ORG."), ("::1", "0::1"), ("127.0.0.1", "::ffff:7f00:1")] {
            assert!(is_same_host(one, other), "{one} {other}");
        }
        for (one, other) in [("a.org", "a.net"), ("127.0.0.1", "localhost"), ("::1", "127.0.0.1")] {
            assert!(!is_same_host(one, other), "{one} {other}");
        }
    }
}
