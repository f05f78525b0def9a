//! What the limits have done, as numbers.

use super::{Limits, Resource, UsedUp};
use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How many banned hosts the metrics name: a page has no room for a network of attackers.
const NAMED: usize = 32;

/// The longest bans. The name of a host is an address, or one of a label that needs no escape.
fn longest(mut bans: Vec<(String, Duration)>) -> Vec<(String, Duration)> {
    bans.retain(|(host, _)| !host.contains(['"', '\\', '\n']));
    bans.sort_by(|(a, long), (b, longer)| longer.cmp(long).then(a.cmp(b)));
    bans.truncate(NAMED);
    bans
}

/// What a service counts itself.
pub(super) type Count = Box<dyn Fn() -> u64 + Send + Sync>;

#[derive(Default)]
pub(super) struct Counters {
    /// What was refused to hosts, and to principals, by resource.
    refused: [[AtomicU64; Resource::ALL.len()]; 2],
    /// What is held now, by resource: each only once, though host and principal are charged.
    held: [AtomicU64; Resource::ALL.len()],
    /// What tells that in the place of these.
    counted: Mutex<[Option<Count>; Resource::ALL.len()]>,
    pub(super) turned_away: AtomicU64,
    pub(super) breaches: AtomicU64,
    pub(super) bans: AtomicU64,
}

impl Counters {
    /// Counts what was refused.
    pub(super) fn refuse(&self, UsedUp { resource, by_user }: UsedUp) {
        self.refused[usize::from(by_user)][resource as usize].fetch_add(1, Ordering::Relaxed);
    }

    fn refused(&self, resource: Resource, by_user: bool) -> u64 {
        self.refused[usize::from(by_user)][resource as usize].load(Ordering::Relaxed)
    }

    pub(super) fn hold(&self, resource: Resource, amount: u64) {
        self.held[resource as usize].fetch_add(amount, Ordering::Relaxed);
    }

    pub(super) fn give_back(&self, resource: Resource, amount: u64) {
        self.held[resource as usize].fetch_sub(amount, Ordering::Relaxed);
    }

    pub(super) fn count_by(&self, resource: Resource, count: Count) {
        super::lock(&self.counted)[resource as usize] = Some(count);
    }

    fn held(&self, resource: Resource) -> u64 {
        match &super::lock(&self.counted)[resource as usize] {
            Some(count) => count(),
            None => self.held[resource as usize].load(Ordering::Relaxed),
        }
    }
}

/// What [`Limits`] have refused until now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LimitCounts {
    /// Calls, because the host makes too many.
    pub calls: u64,
    /// Calls, because the host sends too many octets.
    pub octets: u64,
    /// Calls, because the principal makes too many.
    pub user_calls: u64,
    /// Calls, because the principal sends too many octets.
    pub user_octets: u64,
    /// Connections, because the host makes too many.
    pub connections: u64,
    /// Calls over a new connection, because the principal makes too many of them.
    pub user_connections: u64,
    /// Events, because the host pushes too many.
    pub events: u64,
    /// Events, because the principal pushes too many.
    pub user_events: u64,
    /// Names, because the host has bound too many.
    pub bindings: u64,
    /// Names, because the principal has bound too many.
    pub user_bindings: u64,
    /// Images, because the host has stored too many.
    pub images: u64,
    /// Images, because the principal has stored too many.
    pub user_images: u64,
    /// Connections of banned hosts.
    pub turned_away: u64,
    /// How often clients have broken the protocol.
    pub breaches: u64,
    /// How often a host was banned.
    pub bans: u64,
    /// How many hosts are banned now.
    pub banned: usize,
}

impl Limits {
    /// What was refused until now.
    pub fn counts(&self) -> LimitCounts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let counters = &self.0.counters;
        let host = |resource| counters.refused(resource, false);
        let user = |resource| counters.refused(resource, true);
        LimitCounts {
            calls: host(Resource::Calls),
            octets: host(Resource::Octets),
            user_calls: user(Resource::Calls),
            user_octets: user(Resource::Octets),
            connections: host(Resource::Connections),
            user_connections: user(Resource::Connections),
            events: host(Resource::Events),
            user_events: user(Resource::Events),
            bindings: host(Resource::Bindings),
            user_bindings: user(Resource::Bindings),
            images: host(Resource::Images),
            user_images: user(Resource::Images),
            turned_away: read(&counters.turned_away),
            breaches: read(&counters.breaches),
            bans: read(&counters.bans),
            banned: self.banned().len(),
        }
    }

    /// The same in the text format of Prometheus, version 0.0.4, to stand behind that of
    /// `Metrics`.
    pub fn to_prometheus(&self) -> String {
        let counts = self.counts();
        let mut text = String::from(
            "# HELP armilla_limits_refused_total What the limits of hosts and users have refused.\n\
             # TYPE armilla_limits_refused_total counter\n",
        );
        // Writing to a string cannot fail.
        for (prefix, by_user) in [("", false), ("user-", true)] {
            for resource in Resource::ALL {
                let count = self.0.counters.refused(resource, by_user);
                let what = resource.name();
                let _ = writeln!(
                    text,
                    "armilla_limits_refused_total{{what=\"{prefix}{what}\"}} {count}"
                );
            }
        }
        let away = counts.turned_away;
        let _ = writeln!(text, "armilla_limits_refused_total{{what=\"banned\"}} {away}");
        text += "# HELP armilla_limits_held What hosts and users hold of what is limited.\n\
                 # TYPE armilla_limits_held gauge\n";
        for resource in [Resource::Bindings, Resource::Images] {
            let (what, held) = (resource.name(), self.0.counters.held(resource));
            let _ = writeln!(text, "armilla_limits_held{{what=\"{what}\"}} {held}");
        }
        for (name, kind, help, count) in [
            ("breaches_total", "counter", "How often clients broke the protocol.", counts.breaches),
            ("bans_total", "counter", "How often a host was banned.", counts.bans),
            ("banned", "gauge", "Hosts that are banned now.", counts.banned as u64),
        ] {
            let name = format!("armilla_limits_{name}");
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {count}");
        }
        let bans = self.banned();
        if !bans.is_empty() {
            let name = "armilla_limits_ban_seconds";
            let help = "For how long a host is still not let in; the longest of many.";
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge");
            for (host, left) in longest(bans) {
                let _ = writeln!(text, "{name}{{host=\"{host}\"}} {}", left.as_secs());
            }
        }
        text
    }
}
