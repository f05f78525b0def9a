//! What strangers and users may do to a server: how many calls, octets and connections, and who is
//! not let in for a while.

mod connections;
mod held;
mod metrics;
mod options;
mod owner;
mod rate;
mod table;

pub use held::Held;
pub use metrics::LimitCounts;
pub use options::{LimitOptions, Quota, Resource};
pub use owner::Owner;

use crate::principal::Principal;
use armilla::transport::Admission;
use armilla_ipc::{Address, host};
use connections::Connections;
use metrics::Counters;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use table::{Share, Table};

/// How many parts a table has, so that threads seldom wait for each other.
const SHARDS: usize = 16;

/// Limits what clients may do and have, by host and by principal, and bans hosts that break the
/// protocol. Clones share what was counted.
/// [`ServerSecurityBuilder::limits`](crate::ServerSecurityBuilder::limits) takes it.
///
/// A call beyond a limit ends with `TRANSIENT`
/// ([`Minor::SHARE_USED_UP`](armilla::Minor::SHARE_USED_UP)) and is not executed. A connection beyond
/// one of its host is closed before anything is read, and before a TLS handshake. The shares of
/// calls, octets and connections are taken by the ORB; what a service keeps for its clients or does
/// for them, it asks for: [`hold`](Self::hold), [`pass`](Self::pass), or the same of
/// [`ServerSecurity`](crate::ServerSecurity::hold) for the caller of a request.
///
/// ```
/// use armilla::Orb;
/// use armilla_security::{Limits, ServerSecurity};
///
/// let limits = Limits::new("calls=1000,connections=50,user-calls=200,ban=600".parse()?);
/// let security = ServerSecurity::builder().limits(limits.clone()).build()?;
/// let orb = Orb::builder().initializer(security).build()?;
/// assert_eq!(limits.counts().banned, 0);
/// println!("{}", limits.to_prometheus());
/// # orb.shutdown();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Limits(Arc<Shared>);

struct Shared {
    options: LimitOptions,
    started: Instant,
    hasher: RandomState,
    hosts: [Mutex<Table<Host>>; SHARDS],
    principals: [Mutex<Table<Principal>>; SHARDS],
    connections: Mutex<Connections>,
    counters: Counters,
}

/// A host as limits tell them apart: an address, for IPv6 its network of 64 bits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Host {
    At(IpAddr),
    Named(String),
}

impl Host {
    /// `None` for a transport within the host: to ban it would ban everybody there.
    fn of(peer: &Address) -> Option<Self> {
        let Address::Tcp { host, .. } = peer else { return None };
        Some(match peer.ip() {
            Some(address) => Self::At(host::site(address)),
            None => Self::Named(host.clone()),
        })
    }

    /// What `Display` has written.
    fn from_text(text: &str) -> Self {
        let address = text.strip_suffix("/64").unwrap_or(text);
        address.parse().map_or_else(|_| Self::Named(text.to_owned()), Self::At)
    }

    /// Whether `from_text` finds it again, also in front of a space.
    fn is_text(&self) -> bool {
        match self {
            Self::At(_) => true,
            Self::Named(name) => !name.is_empty() && name != "-" && !name.contains(' '),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(address @ IpAddr::V6(_)) => write!(f, "{address}/64"),
            Self::At(address) => address.fmt(f),
            Self::Named(name) => f.write_str(name),
        }
    }
}

/// What was used up: the share of a host, or of a principal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsedUp {
    /// The share of what.
    pub resource: Resource,
    /// Whether it is that of the principal.
    pub by_user: bool,
}

impl UsedUp {
    pub(crate) const fn text(self) -> &'static str {
        match (self.resource, self.by_user) {
            (Resource::Calls, false) => "the host makes too many calls (calls)",
            (Resource::Calls, true) => "the caller makes too many calls (user-calls)",
            (Resource::Octets, false) => "the host sends too many octets (octets)",
            (Resource::Octets, true) => "the caller sends too many octets (user-octets)",
            (Resource::Connections, false) => "the host makes too many connections (connections)",
            (Resource::Connections, true) => {
                "the caller makes too many connections (user-connections)"
            }
            (Resource::Events, false) => "the host pushes too many events (events)",
            (Resource::Events, true) => "the caller pushes too many events (user-events)",
            (Resource::Bindings, false) => "the host has bound too many names (bindings)",
            (Resource::Bindings, true) => "the caller has bound too many names (user-bindings)",
            (Resource::Images, false) => "the host has stored too many images (images)",
            (Resource::Images, true) => "the caller has stored too many images (user-images)",
        }
    }
}

impl fmt::Display for UsedUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for UsedUp {}

impl Limits {
    /// Limits, of which nothing was used.
    pub fn new(options: LimitOptions) -> Self {
        let most = options.remembered.div_ceil(SHARDS);
        Self(Arc::new(Shared {
            options,
            started: Instant::now(),
            hasher: RandomState::new(),
            hosts: std::array::from_fn(|_| Mutex::new(Table::new(most))),
            principals: std::array::from_fn(|_| Mutex::new(Table::new(most))),
            connections: Mutex::new(Connections::new(options.remembered)),
            counters: Counters::default(),
        }))
    }

    /// The hosts that are banned, and for how long still.
    pub fn banned(&self) -> Vec<(String, Duration)> {
        let now = self.now();
        let of = |table: &Mutex<Table<Host>>| -> Vec<_> {
            lock(table).banned(now).map(|(host, left)| (host.to_string(), left)).collect()
        };
        self.0.hosts.iter().flat_map(of).collect()
    }

    /// Lets a host in again. Returns whether it was banned.
    pub fn lift(&self, peer: &Address) -> bool {
        let Some(host) = Host::of(peer) else { return false };
        let now = self.now();
        let mut table = self.shard(&self.0.hosts, &host);
        table.find(&host).is_some_and(|share| share.is_banned(now) && share.lift())
    }

    /// Takes a request of so many octets that comes another way than by the ORB, as over HTTP, from
    /// the shares of its host and of its principal, if that is known. `None` if it may go on, else
    /// which share is used up.
    pub fn refuse(
        &self,
        peer: &Address,
        principal: Option<&Principal>,
        octets: usize,
    ) -> Option<&'static str> {
        let taken = match principal {
            Some(principal) => self.take_of(principal, octets),
            None if !self.is_welcome(peer) => return Some("the host is banned for a while (ban)"),
            None => self.take_of_host(peer, octets),
        };
        taken.err().map(UsedUp::text)
    }

    /// Takes a request of so many octets from the share of its host.
    pub(crate) fn take_of_host(&self, peer: &Address, octets: usize) -> Result<(), UsedUp> {
        let quota = &self.0.options.per_host;
        if quota.calls == 0 && quota.octets == 0 {
            return Ok(());
        }
        let Some(host) = Host::of(peer) else { return Ok(()) };
        let now = self.now();
        let mut table = self.shard(&self.0.hosts, &host);
        let taken = self.take(table.of(&host, now), quota, octets, now);
        drop(table);
        taken.map_err(|resource| self.refused(resource, false))
    }

    /// Takes it from the share of its principal, once that is known.
    pub(crate) fn take_of(&self, principal: &Principal, octets: usize) -> Result<(), UsedUp> {
        let quota = &self.0.options.per_principal;
        if quota.calls == 0 && quota.octets == 0 || !principal.is_known() {
            return Ok(());
        }
        let now = self.now();
        let mut table = self.shard(&self.0.principals, principal);
        let taken = self.take(table.of(principal, now), quota, octets, now);
        drop(table);
        taken.map_err(|resource| self.refused(resource, true))
    }

    /// Counts what is refused.
    fn refused(&self, resource: Resource, by_user: bool) -> UsedUp {
        let used_up = UsedUp { resource, by_user };
        self.0.counters.refuse(used_up);
        used_up
    }

    /// Takes a call; the error says what is used up.
    fn take(
        &self,
        share: &mut Share,
        quota: &Quota,
        octets: usize,
        now: Duration,
    ) -> Result<(), Resource> {
        let burst = self.0.options.burst;
        if !share.calls.take(1, quota.calls, burst, now) {
            return Err(Resource::Calls);
        }
        match share.octets.take(octets as u64, quota.octets, burst, now) {
            true => Ok(()),
            false => Err(Resource::Octets),
        }
    }

    fn now(&self) -> Duration {
        self.0.started.elapsed()
    }

    fn shard<'t, K: Hash>(
        &self,
        tables: &'t [Mutex<Table<K>>; SHARDS],
        key: &K,
    ) -> MutexGuard<'t, Table<K>> {
        let at = self.0.hasher.hash_one(key) % SHARDS as u64;
        lock(&tables[at as usize])
    }
}

impl Admission for Limits {
    fn is_welcome(&self, peer: &Address) -> bool {
        if self.0.options.breaches == 0 {
            return true;
        }
        let Some(host) = Host::of(peer) else { return true };
        let now = self.now();
        let mut table = self.shard(&self.0.hosts, &host);
        let is_banned = table.find(&host).is_some_and(|share| share.is_banned(now));
        drop(table);
        if is_banned {
            self.0.counters.turned_away.fetch_add(1, Ordering::Relaxed);
        }
        !is_banned
    }

    fn admit(&self, peer: &Address) -> bool {
        if !self.is_welcome(peer) {
            return false;
        }
        let quota = &self.0.options.per_host;
        if quota.connections == 0 {
            return true;
        }
        let Some(host) = Host::of(peer) else { return true };
        let now = self.now();
        let mut table = self.shard(&self.0.hosts, &host);
        let share = table.of(&host, now);
        let admitted = share.connections.take(1, quota.connections, self.0.options.burst, now);
        drop(table);
        if !admitted {
            self.refused(Resource::Connections, false);
            tracing::debug!(%host, "a connection is refused: the host makes too many");
        }
        admitted
    }

    fn broke_protocol(&self, peer: &Address) {
        self.0.counters.breaches.fetch_add(1, Ordering::Relaxed);
        let Some(host) = Host::of(peer) else { return };
        let LimitOptions { breaches, window, ban, .. } = self.0.options;
        let now = self.now();
        let mut table = self.shard(&self.0.hosts, &host);
        let banned = table.of(&host, now).breach((breaches, window, ban), now);
        drop(table);
        if banned {
            self.0.counters.bans.fetch_add(1, Ordering::Relaxed);
            let seconds = ban.as_secs();
            tracing::warn!(%host, breaches, seconds, "a host broke the protocol too often: banned");
        }
    }
}

impl fmt::Debug for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits").field("options", &self.0.options).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used_up(resource: Resource, by_user: bool) -> UsedUp {
        UsedUp { resource, by_user }
    }

    #[test]
    fn hosts_are_told_apart_as_strangers_have_them() {
        let of = |host: &str| Host::of(&Address::tcp(host, 1)).unwrap().to_string();
        assert_eq!(of("192.0.2.1"), "192.0.2.1");
        assert_eq!(of("::ffff:192.0.2.1"), "192.0.2.1");
        assert_eq!(of("2001:db8::1:2:3:4"), of("2001:db8::9"));
        assert_eq!(
            of("fe80::1%2"),
            of("fe80::9%2"),
            "addresses of a link are of such a network, too"
        );
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(Host::of(&Address::Unix("/a".into())), None);
    }

    #[test]
    fn a_banned_host_is_turned_away_and_others_are_not() {
        let limits = Limits::new("breaches=2,ban=600,connections=1,burst=0".parse().unwrap());
        let (eve, ann) = (Address::tcp("192.0.2.66", 1), Address::tcp("192.0.2.1", 1));
        assert!(limits.admit(&eve) && !limits.admit(&eve), "one in a second");
        limits.broke_protocol(&eve);
        assert!(limits.is_welcome(&eve));
        limits.broke_protocol(&eve);
        assert!(!limits.is_welcome(&eve) && limits.is_welcome(&ann) && limits.admit(&ann));
        assert_eq!(limits.banned()[0].0, "192.0.2.66");
        let counts = limits.counts();
        assert_eq!((counts.breaches, counts.bans, counts.banned), (2, 1, 1));
        assert_eq!((counts.turned_away, counts.connections), (1, 1));
        assert!(limits.lift(&eve) && limits.is_welcome(&eve) && !limits.lift(&eve));
    }

    #[test]
    fn shares_of_principals_follow_them_from_host_to_host() {
        let limits = Limits::new("user-calls=1,burst=0".parse().unwrap());
        let ann = Principal::User("ann@bank".parse().unwrap());
        assert_eq!(limits.take_of(&ann, 10), Ok(()));
        assert_eq!(limits.take_of(&ann, 10), Err(used_up(Resource::Calls, true)));
        assert_eq!(limits.take_of(&Principal::LocalUser(0), 10), Ok(()));
        for _ in 0..10 {
            assert_eq!(limits.take_of(&Principal::Anonymous, 10), Ok(()));
            assert_eq!(limits.take_of_host(&Address::tcp("h", 1), 10), Ok(()), "no limit");
        }
        let limits = Limits::new("octets=10,burst=0".parse().unwrap());
        let host = Address::tcp("192.0.2.1", 1);
        assert_eq!(limits.take_of_host(&host, 1000), Ok(()));
        assert_eq!(limits.take_of_host(&host, 1), Err(used_up(Resource::Octets, false)));
        assert!(limits.to_prometheus().contains("refused_total{what=\"octets\"} 1"));
    }
}
