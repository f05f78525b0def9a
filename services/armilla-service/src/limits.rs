//! What a console spends on its clients at most.

use armilla_ipc::host;
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The limits of a console, for its pages and for the routes for programs alike.
///
/// ```
/// use armilla_service::{Console, ConsoleLimits, Lifecycle};
///
/// let mut limits = ConsoleLimits::default();
/// limits.connections = 64;
/// let console = Console::builder("127.0.0.1:0").limits(limits).start(&Lifecycle::new())?;
/// # drop(console);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConsoleLimits {
    /// The connections of all clients. A further one takes the place of the one that has waited for
    /// a request the longest; if each serves one, it is refused with 503. Default: 256.
    pub connections: usize,
    /// The same for the connections of one host, by its IPv4 address or the first 64 bits of its
    /// IPv6 address. Default: 64.
    pub per_peer: usize,
    /// The pages that hear of changes: half of them at most for one host. Default: 128.
    pub event_streams: usize,
    /// The requests of programs ([`ConsoleBuilder::api`](crate::ConsoleBuilder::api)) under way:
    /// half of them at most for one host. A further one gets 503. Default: 32.
    pub api_requests: usize,
    /// The threads for work that waits ([`spawn_blocking`](crate::spawn_blocking)). Default: 64.
    pub threads: usize,
    /// The time for the head of a request, and for the first octet of the next one. Default: 10 s.
    pub head: Duration,
    /// The time that the console waits for the octets of a body. For each second more, the peer
    /// must have sent [`body_rate`](Self::body_rate) octets. Default: 30 s.
    pub body: Duration,
    /// How many octets of a body must come in a second once [`body`](Self::body) is over. Default:
    /// 4,096.
    pub body_rate: u32,
    /// How long a peer may take nothing of an answer, and keep the console waiting in all. For each
    /// second more, it must have taken [`body_rate`](Self::body_rate) octets. Default: 30 s.
    pub stall: Duration,
    /// The users who are logged in. A further one takes the place of the one who has done nothing
    /// for longest. Default: 1,024.
    pub sessions: usize,
    /// The same for the sessions of one user. Default: 16.
    pub sessions_per_user: usize,
    /// The time after which a session ends that is not used. A page that follows changes by itself
    /// does not use it. Default: 30 minutes.
    pub session_idle: Duration,
    /// The time after which a session ends in any case. Default: 12 hours.
    pub session: Duration,
}

impl Default for ConsoleLimits {
    fn default() -> Self {
        Self {
            connections: 256,
            per_peer: 64,
            event_streams: 128,
            api_requests: 32,
            threads: 64,
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            body_rate: 4096,
            stall: Duration::from_secs(30),
            sessions: 1024,
            sessions_per_user: 16,
            session_idle: Duration::from_secs(30 * 60),
            session: Duration::from_secs(12 * 3600),
        }
    }
}

/// A host, as far as limits tell hosts apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Host(IpAddr);

impl From<IpAddr> for Host {
    fn from(address: IpAddr) -> Self {
        Self(host::site(address))
    }
}

impl Host {
    /// An address that stands for it.
    pub(crate) const fn address(self) -> IpAddr {
        self.0
    }
}

/// A number of places, of which one host gets half at most. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    most: usize,
    taken: Arc<Mutex<HashMap<Host, usize>>>,
}

/// A taken place. It is free when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    taken: Arc<Mutex<HashMap<Host, usize>>>,
    host: Host,
}

fn lock<K: Eq + Hash>(taken: &Mutex<HashMap<K, usize>>) -> MutexGuard<'_, HashMap<K, usize>> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Places {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, taken: Arc::default() }
    }

    /// A place for a host; `None` if there is none.
    pub(crate) fn take(&self, host: Host) -> Option<Place> {
        let mut taken = lock(&self.taken);
        let own = taken.get(&host).copied().unwrap_or_default();
        if taken.values().sum::<usize>() >= self.most || own >= self.most.div_ceil(2) {
            return None;
        }
        taken.insert(host, own + 1);
        Some(Place { taken: self.taken.clone(), host })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = lock(&self.taken);
        match taken.get_mut(&self.host) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(taken.remove(&self.host)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(address: &str) -> Host {
        Host::from(address.parse::<IpAddr>().unwrap())
    }

    #[test]
    fn a_host_gets_half_of_the_places_until_it_gives_them_back() {
        let places = Places::new(3);
        let one = [places.take(host("10.0.0.1")), places.take(host("::ffff:10.0.0.1"))];
        assert!(one.iter().all(Option::is_some) && places.take(host("10.0.0.1")).is_none());
        let _other = places.take(host("10.0.0.2")).unwrap();
        assert!(places.take(host("10.0.0.3")).is_none());
        drop(one);
        assert!(places.take(host("10.0.0.1")).is_some());
    }

    #[test]
    fn hosts_of_one_network_of_ipv6_are_one() {
        assert_eq!(host("2001:db8::1"), host("2001:db8::ffff:0:2"));
        assert_ne!(host("2001:db8::1"), host("2001:db8:0:1::1"));
    }
}
