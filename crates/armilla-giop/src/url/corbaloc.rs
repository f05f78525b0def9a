//! `corbaloc:` (CORBA 3.4 Part 2, 7.6.10.1 to 7.6.10.3).

use super::escape::{Escaped, unescape};
use super::{UrlError, excerpt};
use crate::Version;
use crate::ior::{Component, IiopProfile, Ior, SslSecTrans};
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use armilla_cdr::CdrResult;
use core::fmt;

/// The port of an IIOP address that names none.
pub const DEFAULT_PORT: u16 = 2809;
/// The port of an address over TLS that names none.
pub const DEFAULT_TLS_PORT: u16 = 684;
/// The object key of a `corbaname:` that names none, and the initial reference of a bare `rir:`.
pub const NAME_SERVICE: &str = "NameService";

/// The host of an IIOP address that names none.
const LOCAL_HOST: &str = "localhost";

/// Addresses of an object, and its key there.
///
/// ```
/// use armilla_giop::Version;
/// use armilla_giop::url::ObjectUrl;
///
/// let url = ObjectUrl::parse("corbaloc:iiop:1.2@[::1]:2809,:backup.example.org/Bank%20One")?;
/// let ObjectUrl::Corbaloc(location) = url else { panic!("it is a corbaloc URL") };
/// assert_eq!(location.key, b"Bank One");
/// let ior = location.to_ior(Version::V1_0)?;
/// let hosts = ior.iiop_profiles().map(|profile| profile.map(|profile| profile.host));
/// assert_eq!(hosts.collect::<Result<Vec<_>, _>>()?, ["::1", "backup.example.org"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Corbaloc {
    /// The addresses, to be tried in order; never empty when parsed.
    pub addresses: Vec<CorbalocAddress>,
    /// The object key, without escapes; for `rir:` the name of an initial reference.
    pub key: Vec<u8>,
}

/// One address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CorbalocAddress {
    /// `iiop:` or `:`.
    Iiop {
        /// The version, if the text contains one. The default of the specification is 1.0.
        version: Option<Version>,
        /// A host name or an address, IPv6 without brackets.
        host: String,
        /// The port.
        port: u16,
    },
    /// `ssliop:`: the address of an endpoint over TLS. The standard does not have it; TAO and JacORB
    /// do. TAO has `sslioploc:` for it, too.
    Ssliop {
        /// The version, if the text contains one; at least 1.1 counts, because profiles of version
        /// 1.0 have no place for it.
        version: Option<Version>,
        /// A host name or an address, IPv6 without brackets.
        host: String,
        /// The port for TLS.
        port: u16,
    },
    /// `rir:`: an initial reference of the ORB.
    Rir,
}

impl Corbaloc {
    /// Parses the part after `corbaloc:`.
    pub(super) fn parse(rest: &str) -> Result<Self, UrlError> {
        let (addresses, key) = rest.split_once('/').unwrap_or((rest, ""));
        let addresses = addresses.split(',').map(address).collect::<Result<Vec<_>, _>>()?;
        let rir = addresses.contains(&CorbalocAddress::Rir);
        if rir && addresses.len() > 1 {
            return Err(UrlError::RirNotAlone);
        }
        let key = match key {
            "" if rir => NAME_SERVICE.into(),
            key => unescape(key)?,
        };
        Ok(Self { addresses, key })
    }

    /// The reference that the addresses make: a profile each, in order, of the version that the
    /// address says or else of `unversioned`. An address `rir:` makes no profile.
    ///
    /// # Errors
    /// When a host contains a NUL; none that was parsed does.
    pub fn to_ior(&self, unversioned: Version) -> CdrResult<Ior> {
        let mut ior = Ior::NIL;
        for address in &self.addresses {
            let (version, host, port, components) = match address {
                CorbalocAddress::Iiop { version, host, port } => {
                    (version.unwrap_or(unversioned), host, *port, Vec::new())
                }
                CorbalocAddress::Ssliop { version, host, port } => {
                    let version = version.unwrap_or(unversioned).max(Version::V1_1);
                    (version, host, 0, vec![SslSecTrans::at(*port).to_tagged()?])
                }
                CorbalocAddress::Rir => continue,
            };
            let (host, object_key) = (host.clone(), self.key.clone());
            let profile = IiopProfile { version, host, port, object_key, components };
            ior.profiles.push(profile.to_tagged()?);
        }
        Ok(ior)
    }

    /// Writes the part after the scheme.
    pub(super) fn fmt_rest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, address) in self.addresses.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            write!(f, "{address}")?;
        }
        match self.key.as_slice() {
            [] => Ok(()),
            key => write!(f, "/{}", Escaped(key)),
        }
    }
}

impl fmt::Display for Corbaloc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("corbaloc:")?;
        self.fmt_rest(f)
    }
}

impl fmt::Display for CorbalocAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, version, host, port) = match self {
            Self::Iiop { version, host, port } => ("iiop:", version, host, port),
            Self::Ssliop { version, host, port } => ("ssliop:", version, host, port),
            Self::Rir => return f.write_str("rir:"),
        };
        match version {
            Some(version) => write!(f, "{scheme}{version}@")?,
            None if scheme == "iiop:" => f.write_str(":")?,
            None => f.write_str(scheme)?,
        }
        match host.contains(':') {
            true => write!(f, "[{host}]:{port}"),
            false => write!(f, "{host}:{port}"),
        }
    }
}

fn address(text: &str) -> Result<CorbalocAddress, UrlError> {
    let Some((protocol, rest)) = text.split_once(':') else {
        return Err(UrlError::MissingProtocol(excerpt(text)));
    };
    match protocol {
        "" | "iiop" => {
            let (version, host, port) = place(rest, DEFAULT_PORT)?;
            Ok(CorbalocAddress::Iiop { version, host, port })
        }
        "ssliop" | "sslioploc" => {
            let (version, host, port) = place(rest, DEFAULT_TLS_PORT)?;
            Ok(CorbalocAddress::Ssliop { version, host, port })
        }
        "rir" if rest.is_empty() => Ok(CorbalocAddress::Rir),
        "rir" => Err(UrlError::RirNotAlone),
        _ => Err(UrlError::UnknownProtocol(excerpt(protocol))),
    }
}

/// The version, host and port of an address `[VERSION@]HOST[:PORT]`.
fn place(text: &str, default_port: u16) -> Result<(Option<Version>, String, u16), UrlError> {
    let (version, address) = match text.split_once('@') {
        Some((version, address)) => (Some(parse_version(version)?), address),
        None => (None, text),
    };
    let (host, port) = match address.strip_prefix('[') {
        Some(bracketed) => {
            let bad = || UrlError::BadHost(excerpt(address));
            let (host, rest) = bracketed.split_once(']').ok_or_else(bad)?;
            match rest.strip_prefix(':') {
                Some(port) => (host, Some(port)),
                None if rest.is_empty() => (host, None),
                None => return Err(bad()),
            }
        }
        None => match address.split_once(':') {
            // More than one colon is an IPv6 address without its brackets.
            Some((_, port)) if port.contains(':') => {
                return Err(UrlError::BadHost(excerpt(address)));
            }
            Some((host, port)) => (host, Some(port)),
            None => (address, None),
        },
    };
    let port = port.map_or(Ok(default_port), parse_port)?;
    Ok((version, parse_host(host)?, port))
}

fn parse_version(text: &str) -> Result<Version, UrlError> {
    match text.parse() {
        Ok(version @ Version { major: 1, .. }) => Ok(version),
        _ => Err(UrlError::BadVersion(excerpt(text))),
    }
}

fn parse_host(text: &str) -> Result<String, UrlError> {
    let wrong = |c: char| c.is_whitespace() || c.is_control() || "[]#\"<>\\".contains(c);
    match text {
        "" => Ok(LOCAL_HOST.to_string()),
        text if text.contains(wrong) => Err(UrlError::BadHost(excerpt(text))),
        text => Ok(text.to_string()),
    }
}

fn parse_port(text: &str) -> Result<u16, UrlError> {
    let digits = text.bytes().all(|digit| digit.is_ascii_digit());
    match text.parse() {
        Ok(port) if digits && port != 0 => Ok(port),
        _ => Err(UrlError::BadPort(excerpt(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iiop(version: Option<Version>, host: &str, port: u16) -> CorbalocAddress {
        CorbalocAddress::Iiop { version, host: host.into(), port }
    }

    #[test]
    fn addresses_and_keys_read_and_write_back() {
        let cases = [
            (":h:1/Key", ":h:1/Key", [iiop(None, "h", 1)].to_vec(), &b"Key"[..]),
            ("iiop:h/K", ":h:2809/K", [iiop(None, "h", 2809)].to_vec(), b"K"),
            (":", ":localhost:2809", [iiop(None, "localhost", 2809)].to_vec(), b""),
            (
                "iiop:1.2@h:1,:1.1@[::1]:65535,iiop:[fe80::1]/a%20/b%ff",
                "iiop:1.2@h:1,iiop:1.1@[::1]:65535,:[fe80::1]:2809/a%20/b%ff",
                [
                    iiop(Some(Version::V1_2), "h", 1),
                    iiop(Some(Version::V1_1), "::1", 65535),
                    iiop(None, "fe80::1", 2809),
                ]
                .to_vec(),
                b"a /b\xff",
            ),
            ("rir:/X", "rir:/X", [CorbalocAddress::Rir].to_vec(), b"X"),
            ("rir:", "rir:/NameService", [CorbalocAddress::Rir].to_vec(), b"NameService"),
        ];
        for (text, written, addresses, key) in cases {
            let corbaloc = Corbaloc { addresses, key: key.to_vec() };
            assert_eq!(Corbaloc::parse(text).as_ref(), Ok(&corbaloc), "{text:?}");
            assert_eq!(corbaloc.to_string(), "corbaloc:".to_string() + written);
            assert_eq!(Corbaloc::parse(written), Ok(corbaloc));
        }
    }

    #[test]
    fn each_fault_in_an_address_has_its_own_error() {
        let cases = [
            ("/K", UrlError::MissingProtocol("".into())),
            ("h/K", UrlError::MissingProtocol("h".into())),
            (":h,/K", UrlError::MissingProtocol("".into())),
            ("ssl:h:1/K", UrlError::UnknownProtocol("ssl".into())),
            ("ssliop:h:0/K", UrlError::BadPort("0".into())),
            ("rir:h/K", UrlError::RirNotAlone),
            ("rir:,:h/K", UrlError::RirNotAlone),
            (":2.0@h/K", UrlError::BadVersion("2.0".into())),
            (":@h/K", UrlError::BadVersion("".into())),
            (":::1:80/K", UrlError::BadHost("::1:80".into())),
            (":[::1/K", UrlError::BadHost("[::1".into())),
            (":[::1]80/K", UrlError::BadHost("[::1]80".into())),
            (":a b/K", UrlError::BadHost("a b".into())),
            (":h:/K", UrlError::BadPort("".into())),
            (":h:0/K", UrlError::BadPort("0".into())),
            (":h:+1/K", UrlError::BadPort("+1".into())),
            (":h:65536/K", UrlError::BadPort("65536".into())),
        ];
        for (text, error) in cases {
            assert_eq!(Corbaloc::parse(text), Err(error), "{text:?}");
        }
    }

    #[test]
    fn an_address_over_tls_becomes_a_profile_that_leads_nowhere_else() {
        for (text, version, port) in [
            ("ssliop:1.2@[::1]:2810/K", Version::V1_2, 2810),
            ("ssliop:[::1]/K", Version::V1_1, DEFAULT_TLS_PORT),
            ("ssliop:1.0@[::1]:7/K", Version::V1_1, 7),
            ("sslioploc:1.2@[::1]:7/K", Version::V1_2, 7),
        ] {
            let corbaloc = Corbaloc::parse(text).unwrap();
            assert_eq!(
                Corbaloc::parse(&corbaloc.to_string()["corbaloc:".len()..]),
                Ok(corbaloc.clone())
            );
            let ior = corbaloc.to_ior(Version::V1_0).unwrap();
            let profile = ior.iiop_profiles().next().unwrap().unwrap();
            assert_eq!(
                (profile.version, &*profile.host, profile.port),
                (version, "::1", 0),
                "{text}"
            );
            let tls = SslSecTrans::from_tagged(&profile.components[0]).unwrap().unwrap();
            assert_eq!((tls.port, tls.target_requires.0), (port, 6), "{text}");
        }
    }

    #[test]
    fn addresses_become_profiles_of_the_version_that_they_say() {
        let corbaloc = Corbaloc::parse("iiop:1.2@a:1,:b:2/K").unwrap();
        let ior = corbaloc.to_ior(Version::V1_0).unwrap();
        let profiles: Vec<_> = ior.iiop_profiles().map(Result::unwrap).collect();
        assert_eq!((profiles[0].version, profiles[0].host.as_str()), (Version::V1_2, "a"));
        assert_eq!((profiles[1].version, profiles[1].port), (Version::V1_0, 2));
        assert!(profiles.iter().all(|profile| profile.object_key == b"K"));
        assert!(Corbaloc::parse("rir:/K").unwrap().to_ior(Version::V1_0).unwrap().is_nil());
    }
}
