//! Addresses from which servers that were started by hand may register.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// Addresses of hosts: one, those that share its first bits, or all.
///
/// ```
/// use armilla_imr::model::Network;
///
/// let network: Network = "10.20.0.0/16".parse()?;
/// assert!(network.includes("10.20.7.7".parse()?) && !network.includes("10.21.0.1".parse()?));
/// assert!("any".parse::<Network>()?.includes("2001:db8::1".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Network(Option<(IpAddr, u8)>);

impl Network {
    /// Whether an address is one of them.
    pub fn includes(&self, address: IpAddr) -> bool {
        let differ = match (self.0, address.to_canonical()) {
            (None, _) => return true,
            (Some((IpAddr::V4(one), _)), IpAddr::V4(other)) => {
                (u32::from(one) ^ u32::from(other)).leading_zeros()
            }
            (Some((IpAddr::V6(one), _)), IpAddr::V6(other)) => {
                (u128::from(one) ^ u128::from(other)).leading_zeros()
            }
            _ => return false,
        };
        self.0.is_some_and(|(_, bits)| differ >= u32::from(bits))
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("any"),
            Some((ip, bits)) if bits == width(ip) => ip.fmt(f),
            Some((ip, bits)) => write!(f, "{ip}/{bits}"),
        }
    }
}

fn width(ip: IpAddr) -> u8 {
    if ip.is_ipv4() { 32 } else { 128 }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?}: any, ADDRESS or ADDRESS/BITS is needed");
        if text == "any" {
            return Ok(Self(None));
        }
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let ip = address.parse::<IpAddr>().map_err(|_| wrong())?;
        let bits = bits.map_or(Ok(width(ip)), str::parse).map_err(|_| wrong())?;
        match bits <= width(ip) {
            true => Ok(Self(Some((ip, bits)))),
            false => Err(format!("{text:?}: the address has {} bits", width(ip))),
        }
    }
}

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Network> for String {
    fn from(network: Network) -> Self {
        network.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_has_the_addresses_that_share_its_bits() {
        let includes = |network: &str, ip: &str| {
            network.parse::<Network>().unwrap().includes(ip.parse().unwrap())
        };
        assert!(includes("10.0.0.7", "10.0.0.7") && !includes("10.0.0.7", "10.0.0.6"));
        assert!(includes("10.0.0.7", "::ffff:10.0.0.7"));
        assert!(includes("0.0.0.0/0", "192.0.2.1") && !includes("0.0.0.0/0", "::1"));
        assert!(includes("fd00::/8", "fdff::1") && !includes("fd00::/8", "fe00::1"));
        assert!(includes("any", "192.0.2.1") && includes("any", "::1"));
    }

    #[test]
    fn what_is_no_network_is_named() {
        for text in ["", "bank", "10.0.0.0/33", "10.0.0.0/", "::/129", "10.0.0/8", "any/0"] {
            assert!(text.parse::<Network>().unwrap_err().contains(text), "{text}");
        }
        for text in ["any", "10.0.0.7", "10.0.0.0/8", "fd00::/8"] {
            assert_eq!(text.parse::<Network>().unwrap().to_string(), text);
        }
    }
}
