//! What the limits have done, as numbers.

use super::Limits;
use std::fmt::Write;
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

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) calls: AtomicU64,
    pub(super) octets: AtomicU64,
    pub(super) user_calls: AtomicU64,
    pub(super) user_octets: AtomicU64,
    pub(super) connections: AtomicU64,
    pub(super) turned_away: AtomicU64,
    pub(super) breaches: AtomicU64,
    pub(super) bans: AtomicU64,
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
        LimitCounts {
            calls: read(&counters.calls),
            octets: read(&counters.octets),
            user_calls: read(&counters.user_calls),
            user_octets: read(&counters.user_octets),
            connections: read(&counters.connections),
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
        let refused = [
            ("calls", counts.calls),
            ("octets", counts.octets),
            ("user-calls", counts.user_calls),
            ("user-octets", counts.user_octets),
            ("connections", counts.connections),
            ("banned", counts.turned_away),
        ];
        // Writing to a string cannot fail.
        for (what, count) in refused {
            let _ = writeln!(text, "armilla_limits_refused_total{{what=\"{what}\"}} {count}");
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
