//! Choices by name: what is wanted of clients, versions, cipher suites, pins.

use rustls::crypto::CryptoProvider;
use rustls::crypto::ring::{ALL_CIPHER_SUITES, default_provider};
use rustls::{SupportedCipherSuite, SupportedProtocolVersion, version};
use std::fmt;
use std::str::FromStr;

/// What a server wants of its clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Verify {
    /// No certificate.
    #[default]
    None,
    /// A certificate, which is verified; clients without one are served too.
    Peer,
    /// A certificate; clients without one are refused.
    Required,
}

impl FromStr for Verify {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self::None),
            "peer" => Ok(Self::Peer),
            "required" => Ok(Self::Required),
            _ => Err(format!("{text:?}: one of none, peer and required is needed")),
        }
    }
}

/// A version of TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Version {
    /// TLS 1.2 (RFC 5246).
    Tls12,
    /// TLS 1.3 (RFC 8446).
    Tls13,
}

impl Version {
    /// The versions from this one to `newest`, as `rustls` takes them.
    pub(crate) fn until(self, newest: Self) -> Vec<&'static SupportedProtocolVersion> {
        let all = [(Self::Tls12, &version::TLS12), (Self::Tls13, &version::TLS13)];
        let within = all.into_iter().filter(|(one, _)| *one >= self && *one <= newest);
        within.map(|(_, version)| version).collect()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tls12 => "1.2",
            Self::Tls13 => "1.3",
        })
    }
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "1.2" => Ok(Self::Tls12),
            "1.3" => Ok(Self::Tls13),
            _ => Err(format!("{text:?}: 1.2 or 1.3 is needed; older versions are not spoken")),
        }
    }
}

/// Cipher suites, the preferred first. Its text form is `all`, `forward-256` for those with keys of
/// 256 bits, or names of suites, joined by `+`.
///
/// ```
/// use armilla_tls::Ciphers;
///
/// assert!("forward-256".parse::<Ciphers>().is_ok());
/// assert!("TLS13_AES_128_GCM_SHA256".parse::<Ciphers>().is_ok());
/// assert!("RC4".parse::<Ciphers>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ciphers(Vec<SupportedCipherSuite>);

impl Default for Ciphers {
    fn default() -> Self {
        Self(ALL_CIPHER_SUITES.to_vec())
    }
}

impl Ciphers {
    /// The names of the suites.
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(|suite| name(*suite)).collect()
    }

    /// The cryptography with these suites alone.
    pub(crate) fn provider(&self) -> CryptoProvider {
        CryptoProvider { cipher_suites: self.0.clone(), ..default_provider() }
    }
}

impl FromStr for Ciphers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let weak = |suite: &SupportedCipherSuite| name(*suite).contains("AES_128");
        match text {
            "all" => return Ok(Self::default()),
            "forward-256" => {
                return Ok(Self(
                    ALL_CIPHER_SUITES.iter().filter(|it| !weak(it)).copied().collect(),
                ));
            }
            _ => {}
        }
        let find = |wanted: &str| {
            let found = ALL_CIPHER_SUITES.iter().find(|suite| name(**suite) == wanted);
            found.copied().ok_or_else(|| {
                let known = Self::default().names().join(", ");
                format!("{wanted:?} is no cipher suite; these are: {known}")
            })
        };
        text.split('+').map(find).collect::<Result<_, _>>().map(Self)
    }
}

/// The name of a suite.
pub(crate) fn name(suite: SupportedCipherSuite) -> String {
    format!("{:?}", suite.suite())
}

/// The SHA-256 of a public key (`SubjectPublicKeyInfo`). Its text form is 64 hexadecimal digits, as
/// `armilla tls show` prints them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pin([u8; 32]);

impl Pin {
    /// The pin of an encoded `SubjectPublicKeyInfo`.
    pub fn of(key_info: &[u8]) -> Self {
        let hash = default_provider().cipher_suites.iter().find_map(|suite| match suite.tls13() {
            Some(suite) if suite.common.hash_provider.output_len() == 32 => {
                Some(suite.common.hash_provider.hash(key_info))
            }
            _ => None,
        });
        let hash = hash.and_then(|hash| hash.as_ref().try_into().ok());
        // The cryptography has a suite with SHA-256.
        Self(hash.unwrap_or_default())
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

impl fmt::Debug for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pin({self})")
    }
}

impl FromStr for Pin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("{text:?}: 64 hexadecimal digits are needed, the SHA-256 of a key");
        if text.len() != 64 || !text.is_ascii() {
            return Err(bad());
        }
        let mut pin = [0; 32];
        for (octet, place) in pin.iter_mut().zip((0..).step_by(2)) {
            *octet = u8::from_str_radix(&text[place..place + 2], 16).map_err(|_| bad())?;
        }
        Ok(Self(pin))
    }
}
