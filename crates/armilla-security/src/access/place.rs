//! Where callers are, and when.

use crate::caller::Caller;
use armilla_ipc::{Address, host};
use std::cell::OnceCell;
use std::net::IpAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A network that callers are in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Network {
    /// On this host: its own transports, or one of its addresses.
    Local,
    /// Addresses that share the first bits of this one.
    Prefix(IpAddr, u8),
}

impl Network {
    /// Reads `local`, an address, or a network such as `10.0.0.0/8`.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        if text == "local" {
            return Ok(Self::Local);
        }
        let what = "a network is local, an address, or as 10.0.0.0/8";
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| what)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits: u8 = bits.map_or(Ok(most), str::parse).map_err(|_| what)?;
        if bits > most {
            return Err("the address does not have so many bits");
        }
        // Callers over IPv4 have addresses of IPv4, also at an endpoint for both.
        match (address.to_canonical(), bits.checked_sub(96)) {
            (of_4 @ IpAddr::V4(_), Some(bits)) if address.is_ipv6() => Ok(Self::Prefix(of_4, bits)),
            _ => Ok(Self::Prefix(address, bits)),
        }
    }

    pub(super) fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Prefix(network, bits), Self::Prefix(other, more)) => {
                bits <= more && shares(*network, *other, *bits)
            }
            // 127.0.0.0/8 and ::1 are of every host.
            (Self::Local, Self::Prefix(network, bits)) => {
                network.is_loopback() && *bits >= if network.is_ipv4() { 8 } else { 128 }
            }
            (one, other) => one == other,
        }
    }
}

/// Where a caller is. What rules ask of it is found out once, and only if one asks.
pub(super) struct Origin<'q> {
    address: &'q Address,
    /// `None` for a transport within the host, and for a name.
    ip: OnceCell<Option<IpAddr>>,
    /// Whether the address is one of this host.
    is_here: OnceCell<bool>,
    /// An address of this host that the caller has besides.
    also: Option<IpAddr>,
}

impl<'q> Origin<'q> {
    pub(super) const fn of(caller: &'q Caller) -> Self {
        let (ip, is_here) = (OnceCell::new(), OnceCell::new());
        Self { address: caller.address(), ip, is_here, also: None }
    }

    /// The same with a further address, which is one of this host.
    pub(super) const fn also(caller: &'q Caller, ip: IpAddr) -> Self {
        Self { also: Some(ip), ..Self::of(caller) }
    }

    pub(super) fn is_in(&self, network: &Network) -> bool {
        match network {
            Network::Local => self.also.is_some() || self.is_here(),
            Network::Prefix(network, bits) => {
                let has = |ip: Option<IpAddr>| ip.is_some_and(|ip| shares(*network, ip, *bits));
                has(self.also) || has(self.ip())
            }
        }
    }

    fn is_here(&self) -> bool {
        // This asks the operating system.
        let is_own = |ip: IpAddr| ip.is_loopback() || host::is_local_address(ip);
        match self.address {
            Address::Tcp { .. } => *self.is_here.get_or_init(|| self.ip().is_some_and(is_own)),
            _ => true,
        }
    }

    fn ip(&self) -> Option<IpAddr> {
        *self.ip.get_or_init(|| self.address.ip())
    }
}

/// Whether two addresses have the same first bits.
fn shares(one: IpAddr, other: IpAddr, bits: u8) -> bool {
    let differ = match (one, other) {
        (IpAddr::V4(one), IpAddr::V4(other)) => u128::from(one.to_bits() ^ other.to_bits()) << 96,
        (IpAddr::V6(one), IpAddr::V6(other)) => one.to_bits() ^ other.to_bits(),
        _ => return false,
    };
    differ.leading_zeros() >= u32::from(bits)
}

/// Hours of the day in UTC, to the minute. An end before the beginning is that of the next day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hours {
    from: u16,
    to: u16,
}

impl Hours {
    /// Reads `08:00-18:30`.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let what = "times are as 08:00-18:30, in UTC";
        let minute = |text: &str| {
            let (hours, minutes) = text.split_once(':')?;
            let (hours, minutes): (u16, u16) = (hours.parse().ok()?, minutes.parse().ok()?);
            let is_one = minutes < 60 && (hours < 24 || (hours, minutes) == (24, 0));
            is_one.then(|| hours * 60 + minutes)
        };
        let (from, to) = text.split_once('-').ok_or(what)?;
        match (minute(from), minute(to)) {
            (Some(from), Some(to)) if from != to && from < 24 * 60 => Ok(Self { from, to }),
            _ => Err(what),
        }
    }

    fn has(self, minute: u16) -> bool {
        match self.from < self.to {
            true => (self.from..self.to).contains(&minute),
            false => minute >= self.from || minute < self.to,
        }
    }
}

/// Days of the week and hours of the day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Times {
    /// A bit for each day from Monday on; of the day on which the hours begin to count at midnight.
    pub(super) days: u8,
    /// Any of these; every hour if there are none.
    pub(super) hours: Vec<Hours>,
}

impl Default for Times {
    fn default() -> Self {
        Self { days: Self::EVERY_DAY, hours: Vec::new() }
    }
}

impl Times {
    const EVERY_DAY: u8 = 0x7f;

    /// The bit of a day: `mon` … `sun`.
    pub(super) fn day(text: &str) -> Result<u8, &'static str> {
        let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
        let found = days.iter().position(|day| *day == text);
        found.map(|day| 1 << day).ok_or("a day is mon, tue, wed, thu, fri, sat or sun")
    }

    pub(super) fn is_always(&self) -> bool {
        self.days == Self::EVERY_DAY && self.hours.is_empty()
    }

    /// Whether all of `other` is of these, too.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let has = |times: &Self, minute| {
            times.hours.is_empty() || times.hours.iter().any(|hours| hours.has(minute))
        };
        self.is_always()
            || self.days & other.days == other.days
                && (0..24 * 60).all(|minute| !has(other, minute) || has(self, minute))
    }

    pub(super) fn has(&self, at: SystemTime) -> bool {
        if self.is_always() {
            return true;
        }
        let since = at.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
        // The first of January 1970 was a Thursday.
        let day = (since / 86_400 + 3) % 7;
        let minute = (since % 86_400 / 60) as u16;
        self.days >> day & 1 != 0
            && (self.hours.is_empty() || self.hours.iter().any(|hours| hours.has(minute)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::Proof;
    use crate::principal::Principal;

    #[test]
    fn networks_have_addresses() {
        let has = |network, host: &str| {
            let (network, address) = (Network::parse(network).unwrap(), Address::tcp(host, 1));
            Origin::of(&Caller::new(Principal::Anonymous, Proof::None, address)).is_in(&network)
        };
        assert!(has("10.0.0.0/8", "10.1.2.3") && !has("10.0.0.0/8", "11.0.0.1"));
        assert!(has("0.0.0.0/0", "1.2.3.4") && !has("0.0.0.0/0", "2001:db8::1"));
        assert!(has("2001:db8::/32", "2001:db8::1") && has("local", "127.0.0.1"));
        assert!(has("10.0.0.0/8", "::ffff:10.1.2.3"), "an IPv4 address in IPv6");
        assert!(has("fe80::/10", "fe80::1%2") && has("::/0", "fe80::1%eth0"), "with a zone");
        for network in ["::ffff:10.0.0.0/104", "::ffff:10.1.2.3", "::ffff:0:0/96"] {
            assert!(has(network, "10.1.2.3") && has(network, "::ffff:10.1.2.3"), "{network}");
            assert!(!has(network, "2001:db8::1"), "{network}");
        }
        assert!(!has("::ffff:10.0.0.0/104", "11.1.2.3"));
        assert!(!has("local", "192.0.2.1"));
        for wrong in ["", "10.0.0.0/33", "10", "::/129", "localhost"] {
            assert!(Network::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_in_utc() {
        // Friday, 27 November 2026, 16:30.
        let at = UNIX_EPOCH + Duration::from_secs(1_795_797_000);
        let times =
            |days, hours: &str| Times { days, hours: vec![Hours::parse(hours).unwrap()] }.has(at);
        let friday = Times::day("fri").unwrap();
        assert!(times(friday, "16:30-16:31") && !times(friday, "16:31-18:00"));
        assert!(!times(Times::day("thu").unwrap(), "00:00-24:00"));
        assert!(times(friday, "16:00-02:00") && !times(friday, "22:00-06:00"));
        for wrong in [
            "8-9",
            "25:00-26:00",
            "08:60-09:00",
            "08:00-08:00",
            "24:01-01:00",
            "24:00-00:00",
            "0:0-8018:00",
        ] {
            assert!(Hours::parse(wrong).is_err(), "{wrong}");
        }
    }
}
