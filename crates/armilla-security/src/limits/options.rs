//! How much a host or a user may do, as a program or a command line says it.

use std::str::FromStr;
use std::time::Duration;

/// How much a host or a user may do in a second, and have at a time. 0 sets no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Quota {
    /// Calls in a second.
    pub calls: u64,
    /// Octets of requests in a second, with their headers.
    pub octets: u64,
    /// New connections in a second. A connection counts for a principal at its first call.
    pub connections: u64,
    /// Events that it pushes in a second.
    pub events: u64,
    /// Names that it has bound and not unbound.
    pub bindings: u64,
    /// Images that it has stored, as long as they stay.
    pub images: u64,
}

impl Quota {
    /// The part with this name, as in text.
    fn part(&mut self, name: &str) -> Option<&mut u64> {
        Some(match name {
            "calls" => &mut self.calls,
            "octets" => &mut self.octets,
            "connections" => &mut self.connections,
            "events" => &mut self.events,
            "bindings" => &mut self.bindings,
            "images" => &mut self.images,
            _ => return None,
        })
    }

    pub(super) const fn of(&self, resource: Resource) -> u64 {
        match resource {
            Resource::Calls => self.calls,
            Resource::Octets => self.octets,
            Resource::Connections => self.connections,
            Resource::Events => self.events,
            Resource::Bindings => self.bindings,
            Resource::Images => self.images,
        }
    }
}

/// What hosts and principals have shares of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resource {
    /// Calls in a second.
    Calls,
    /// Octets of requests in a second.
    Octets,
    /// New connections in a second.
    Connections,
    /// Events that are pushed in a second.
    Events,
    /// Names that are bound.
    Bindings,
    /// Images that are stored.
    Images,
}

impl Resource {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Calls, Self::Octets, Self::Connections, Self::Events, Self::Bindings, Self::Images];

    /// Its name in the text of limits, and in metrics: that of a host's share. A principal's has
    /// `user-` before it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Octets => "octets",
            Self::Connections => "connections",
            Self::Events => "events",
            Self::Bindings => "bindings",
            Self::Images => "images",
        }
    }
}

/// The limits of what clients may do.
///
/// As text it is what differs from the default: `calls=500,octets=10000000,connections=20,events=,
/// bindings=,images=` for a host, the same with `user-` before it for a user, `burst=`, `window=` and
/// `ban=` in seconds, and `breaches=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitOptions {
    /// For each host, whoever calls from it. A network of IPv6 with 64 bits is one host. The
    /// transports within the host are not limited. Default: no limits.
    pub per_host: Quota,
    /// For each principal, wherever it calls from; callers who are nobody in particular have the
    /// limits of their host alone. Default: no limits.
    pub per_principal: Quota,
    /// How long the rates may be saved up: after a silence, so much comes at once. Default: two
    /// seconds.
    pub burst: Duration,
    /// How often a host may break the protocol in the window before it is banned; 0 bans nobody.
    /// Default: 10.
    pub breaches: u32,
    /// Default: a minute.
    pub window: Duration,
    /// For how long a host is banned. Default: a minute.
    pub ban: Duration,
    /// How many hosts, and how many principals, are remembered. Default: 16,384.
    pub remembered: usize,
}

impl Default for LimitOptions {
    fn default() -> Self {
        let minute = Duration::from_secs(60);
        Self {
            per_host: Quota::default(),
            per_principal: Quota::default(),
            burst: Duration::from_secs(2),
            breaches: 10,
            window: minute,
            ban: minute,
            remembered: 16_384,
        }
    }
}

impl FromStr for LimitOptions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut options = Self::default();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let bad = || {
                format!(
                    "{part:?}: calls=, octets=, connections=, events=, bindings= or images=, the \
                     same behind user-, burst=, breaches=, window=, ban= or remembered= and a \
                     number is needed"
                )
            };
            let (key, value) = part.split_once('=').ok_or_else(bad)?;
            let number: u32 = value.parse().map_err(|_| bad())?;
            let time = Duration::from_secs(number.into());
            let quota = match key.strip_prefix("user-") {
                Some(name) => options.per_principal.part(name),
                None => options.per_host.part(key),
            };
            if let Some(quota) = quota {
                *quota = number.into();
                continue;
            }
            match key {
                "burst" => options.burst = time,
                "breaches" => options.breaches = number,
                "window" => options.window = time,
                "ban" => options.ban = time,
                "remembered" if number > 0 => options.remembered = number as usize,
                _ => return Err(bad()),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_from_text() {
        let read: LimitOptions = "calls=5,user-octets=7,ban=3,breaches=0".parse().unwrap();
        assert_eq!((read.per_host.calls, read.per_principal.octets), (5, 7));
        assert_eq!(
            (read.ban, read.breaches, read.burst),
            (Duration::from_secs(3), 0, LimitOptions::default().burst)
        );
        assert_eq!("".parse(), Ok(LimitOptions::default()));
        for resource in Resource::ALL {
            let name = resource.name();
            let read: LimitOptions = format!("{name}=3,user-{name}=4").parse().unwrap();
            assert_eq!((read.per_host.of(resource), read.per_principal.of(resource)), (3, 4));
        }
        for wrong in ["calls", "calls=x", "speed=1", "remembered=0", "ban=-1", "user-ban=1"] {
            assert!(wrong.parse::<LimitOptions>().unwrap_err().contains("is needed"), "{wrong}");
        }
    }
}
