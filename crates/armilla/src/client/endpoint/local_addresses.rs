//! The addresses of this host from which connections to servers leave. An ORB that has to listen and
//! was not told where does so at these: a server that it calls can call it back by the same way.

use crate::log::report;
use crate::sync::lock;
use armilla_ipc::{Address, Stream};
use std::net::IpAddr;
use std::sync::Mutex;

/// How many addresses are kept.
const MOST: usize = 8;

/// The addresses from which connections leave, without those that only this host can reach.
#[derive(Default)]
pub(crate) struct LocalAddresses(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// In the order in which they were used first.
    used: Vec<IpAddr>,
    /// Where the ORB listens, if it had to choose.
    chosen: Option<Vec<IpAddr>>,
}

impl LocalAddresses {
    /// Notes from where a new connection leaves. The log says so if that is another address than
    /// those at which the ORB has chosen to listen before.
    #[cold]
    pub(super) fn note(&self, stream: &dyn Stream) {
        let Address::Tcp { host, .. } = stream.local() else { return };
        let Some(address) = host.parse().ok().filter(leads_here) else { return };
        if let Some(chosen) = lock(&self.0).add(address) {
            let chosen: Vec<_> = chosen.iter().map(IpAddr::to_string).collect();
            report!(
                warn,
                "a server is reached from an address at which this ORB does not listen, and may \
                 have no way to call it back",
                server = stream.peer(),
                from = address,
                listens = chosen.join(", "),
                fix = "-ORBEndpoint iiop://HOST:PORT listens at an address, iiop://: at all",
            );
        }
    }

    /// The addresses from which connections have left so far.
    pub(crate) fn used(&self) -> Vec<IpAddr> {
        lock(&self.0).used.clone()
    }

    /// Notes where the ORB has chosen to listen.
    pub(crate) fn choose(&self, addresses: Vec<IpAddr>) {
        lock(&self.0).chosen = Some(addresses);
    }
}

impl Known {
    /// Adds an address. Returns where the ORB listens if the address is new and none of those.
    fn add(&mut self, address: IpAddr) -> Option<&[IpAddr]> {
        let address = address.to_canonical();
        if self.used.contains(&address) || self.used.len() >= MOST {
            return None;
        }
        self.used.push(address);
        self.chosen.as_deref().filter(|chosen| !chosen.contains(&address))
    }
}

/// Whether a reference with this address leads other hosts here.
fn leads_here(address: &IpAddr) -> bool {
    let of_one_link = match address {
        IpAddr::V4(_) => false,
        // It needs the name of an interface, which no reference carries.
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    let address = address.to_canonical();
    !(of_one_link || address.is_loopback() || address.is_unspecified())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn only_addresses_that_other_hosts_reach_count() {
        let all = ["127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::", "fe80::1"];
        assert!(!all.iter().any(|text| leads_here(&ip(text))));
        assert!(["192.0.2.1", "2001:db8::1", "10.0.0.1"].iter().all(|text| leads_here(&ip(text))));
    }

    #[test]
    fn an_address_that_comes_too_late_is_told_once() {
        let mut known = Known::default();
        assert_eq!(known.add(ip("192.0.2.1")), None, "nothing was chosen yet");
        known.chosen = Some(vec![ip("192.0.2.1")]);
        assert_eq!(known.add(ip("::ffff:192.0.2.1")), None);
        assert_eq!(known.add(ip("198.51.100.1")), Some(&[ip("192.0.2.1")][..]));
        assert_eq!(known.add(ip("198.51.100.1")), None, "it was told");
        for n in 0..20 {
            known.add(ip(&format!("203.0.113.{n}")));
        }
        assert_eq!(known.used.len(), MOST);
    }
}
