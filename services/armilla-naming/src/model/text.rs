//! `corbaname:` URLs (Naming Service 1.3, 2.5; CORBA 3.4 Part 2, 7.6.10).

use super::{NameError, parse_name};
use armilla_giop::url::ObjectUrl;
use std::fmt;
use std::fmt::Write as _;

/// Why there is no URL for an address and a name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddressError {
    /// `InvalidAddress`: the address does not stand in a `corbaloc:` URL; the text says why.
    Address(String),
    /// `InvalidName`: the text is not a name.
    Name(NameError),
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(why) => f.write_str(why),
            Self::Name(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AddressError {}

/// `to_url`: the `corbaname:` URL of a name, given as text, in the service at `address`. The
/// address has the form of a `corbaloc:` URL, with or without an object key. An empty name stands
/// for the context at the address, as in other services.
///
/// ```
/// use armilla_naming::model::corbaname;
///
/// assert_eq!(
///     corbaname(":example.org:2809", "a b/c.d").as_deref(),
///     Ok("corbaname::example.org:2809#a%20b/c.d")
/// );
/// ```
///
/// # Errors
/// When the address or the name is malformed.
pub fn corbaname(address: &str, name: &str) -> Result<String, AddressError> {
    if address.is_empty() || address.contains('#') {
        return Err(AddressError::Address(format!("{address:?} is no address")));
    }
    ObjectUrl::parse(&format!("corbaloc:{address}"))
        .map_err(|error| AddressError::Address(format!("{address:?}: {error}")))?;
    let mut url = format!("corbaname:{address}");
    if name.is_empty() {
        return Ok(url);
    }
    parse_name(name).map_err(AddressError::Name)?;
    url.push('#');
    for octet in name.bytes() {
        match octet {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => url.push(octet.into()),
            octet if b";/:?@&=+$,-_.!~*'()".contains(&octet) => url.push(octet.into()),
            // Writing to a string does not fail.
            octet => drop(write!(url, "%{octet:02x}")),
        }
    }
    Ok(url)
}
