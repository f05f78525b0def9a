//! How references name the host of a server, and which of its networks they prefer.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// The form in which references carry the host of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum PublishAs {
    /// As the endpoint names it; the address if it names none.
    #[default]
    Given,
    /// The address to which the name in the endpoint resolves.
    Address,
    /// The name of this host.
    Name,
}

/// An IP network: an address and the length of its prefix. The text form is `10.1.0.0/16`.
///
/// ```
/// use armilla::Network;
///
/// let network: Network = "10.1.0.0/16".parse()?;
/// assert_eq!(network.prefix, 16);
/// assert!("10.1.0.0/33".parse::<Network>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    /// An address in the network.
    pub address: IpAddr,
    /// The number of leading bits that all addresses of the network share.
    pub prefix: u8,
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("{text:?}: a network is ADDRESS/BITS, such as 10.1.0.0/16");
        let (address, prefix) = text.split_once('/').ok_or_else(bad)?;
        let address: IpAddr = address.parse().map_err(|_| bad())?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.parse().ok().filter(|prefix| *prefix <= longest).ok_or_else(bad)?;
        Ok(Self { address, prefix })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}
