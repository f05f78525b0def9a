//! How much a host or a user may do, as a program or a command line says it.

use std::str::FromStr;
use std::time::Duration;

/// How much a host or a user may do in a second. 0 sets no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quota {
    /// Calls.
    pub calls: u64,
    /// Octets of requests, with their headers.
    pub octets: u64,
    /// New connections; of hosts alone.
    pub connections: u64,
}

/// The limits of what clients may do.
///
/// As text it is what differs from the default: `calls=500,octets=10000000,connections=20` for a
/// host, `user-calls=`, `user-octets=` for a user, `burst=`, `window=` and `ban=` in seconds, and
/// `breaches=`.
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
                    "{part:?}: calls=, octets=, connections=, user-calls=, user-octets=, burst=, \
                     breaches=, window=, ban= or remembered= and a number is needed"
                )
            };
            let (key, value) = part.split_once('=').ok_or_else(bad)?;
            let number: u32 = value.parse().map_err(|_| bad())?;
            let (many, time) = (u64::from(number), Duration::from_secs(number.into()));
            match key {
                "calls" => options.per_host.calls = many,
                "octets" => options.per_host.octets = many,
                "connections" => options.per_host.connections = many,
                "user-calls" => options.per_principal.calls = many,
                "user-octets" => options.per_principal.octets = many,
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
        for wrong in ["calls", "calls=x", "speed=1", "remembered=0", "ban=-1"] {
            assert!(wrong.parse::<LimitOptions>().unwrap_err().contains("is needed"), "{wrong}");
        }
    }
}
