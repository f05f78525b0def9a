//! Certificates (X.509, RFC 5280) as people should see them: who, by whom, when, with what key.
//!
//! Nothing here decides whether a certificate is believed; `rustls` does. A certificate comes from a
//! stranger: what cannot be read is left out.

mod date;
mod der;
mod name;

pub use date::Date;
pub use name::DistinguishedName;

use der::{Der, tag};
use std::fmt;
use std::net::IpAddr;

/// What a certificate says.
///
/// ```
/// use armilla_tls::Certificate;
///
/// assert!(Certificate::parse(b"no certificate").is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Certificate {
    /// The serial number, in hexadecimal digits.
    pub serial: String,
    /// Who gave it out.
    pub issuer: DistinguishedName,
    /// Whose it is.
    pub subject: DistinguishedName,
    /// From when on it is valid.
    pub not_before: Date,
    /// Until when it is valid.
    pub not_after: Date,
    /// The host names and addresses that it is for (`subjectAltName`).
    pub names: Vec<String>,
    /// Whether it may give out others (`basicConstraints`).
    pub is_authority: bool,
    /// The kind of its key.
    pub key: PublicKey,
    /// The encoded `SubjectPublicKeyInfo`, for pins.
    pub key_info: Vec<u8>,
}

/// The public key of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PublicKey {
    /// RSA, with so many bits.
    Rsa(usize),
    /// An elliptic curve: its name, or its object identifier.
    Curve(String),
    /// Another kind, by its object identifier.
    Other(String),
}

impl Certificate {
    /// Reads a certificate in DER; `None` if it is none.
    pub fn parse(der: &[u8]) -> Option<Self> {
        let mut certificate = Der(der).within(tag::SEQUENCE)?;
        let mut body = certificate.within(tag::SEQUENCE)?;
        // The version, which every certificate with extensions has.
        body.optional(0xa0);
        let serial = hexadecimal(body.expect(tag::INTEGER)?);
        body.expect(tag::SEQUENCE)?;
        let issuer = DistinguishedName::parse(body.element()?.2)?;
        let mut validity = body.within(tag::SEQUENCE)?;
        let (not_before, not_after) = (Date::parse(&mut validity)?, Date::parse(&mut validity)?);
        let subject = DistinguishedName::parse(body.element()?.2)?;
        let (_, key, key_info) = body.element()?;
        let key = PublicKey::parse(Der(key))?;
        let mut read = Self {
            serial,
            issuer,
            subject,
            not_before,
            not_after,
            names: Vec::new(),
            is_authority: false,
            key,
            key_info: key_info.to_vec(),
        };
        read.read_extensions(body);
        Some(read)
    }

    /// Whether its own key has signed it, as far as the names tell.
    pub fn is_self_signed(&self) -> bool {
        self.issuer == self.subject
    }

    /// Reads the extensions that people ask about.
    fn read_extensions(&mut self, mut body: Der<'_>) -> Option<()> {
        while body.peek()? != 0xa3 {
            body.element()?;
        }
        let mut extensions = body.within(0xa3)?.within(tag::SEQUENCE)?;
        while let Some((tag::SEQUENCE, content, _)) = extensions.element() {
            let mut extension = Der(content);
            let id = extension.expect(tag::OBJECT_IDENTIFIER)?;
            extension.optional(tag::BOOLEAN);
            let value = Der(extension.expect(tag::OCTET_STRING)?);
            match id {
                // 2.5.29.17 and 2.5.29.19.
                [0x55, 0x1d, 0x11] => self.names = alternative_names(value).unwrap_or_default(),
                [0x55, 0x1d, 0x13] => self.is_authority = is_authority(value).unwrap_or(false),
                _ => {}
            }
        }
        Some(())
    }
}

/// The subject, serial number and validity, as every error names a certificate.
impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { serial, subject, not_before, not_after, .. } = self;
        write!(f, "\"{subject}\" (serial {serial}, valid from {not_before} to {not_after})")
    }
}

impl PublicKey {
    fn parse(mut info: Der<'_>) -> Option<Self> {
        let mut algorithm = info.within(tag::SEQUENCE)?;
        let id = algorithm.expect(tag::OBJECT_IDENTIFIER)?;
        Some(match id {
            // 1.2.840.113549.1.1.1
            [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01] => {
                let [_, octets @ ..] = info.expect(tag::BIT_STRING)? else { return None };
                let modulus = Der(octets).within(tag::SEQUENCE)?.expect(tag::INTEGER)?;
                let leading = modulus.iter().take_while(|octet| **octet == 0).count();
                let zeros = modulus.get(leading).map_or(0, |octet| octet.leading_zeros() as usize);
                Self::Rsa((modulus.len() - leading) * 8 - zeros)
            }
            // 1.2.840.10045.2.1
            [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01] => {
                let curve = algorithm.optional(tag::OBJECT_IDENTIFIER)?;
                Self::Curve(match curve {
                    [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07] => "P-256".to_owned(),
                    [0x2b, 0x81, 0x04, 0x00, 0x22] => "P-384".to_owned(),
                    [0x2b, 0x81, 0x04, 0x00, 0x23] => "P-521".to_owned(),
                    other => name::dotted(other),
                })
            }
            [0x2b, 0x65, 0x70] => Self::Curve("Ed25519".to_owned()),
            other => Self::Other(name::dotted(other)),
        })
    }

    /// Whether the key is shorter than what TLS accepts here.
    pub fn is_weak(&self) -> bool {
        matches!(self, Self::Rsa(bits) if *bits < 2048)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rsa(bits) => write!(f, "RSA of {bits} bits"),
            Self::Curve(name) => f.write_str(name),
            Self::Other(id) => write!(f, "the kind {id}"),
        }
    }
}

/// The names and addresses in a `subjectAltName`.
fn alternative_names(mut value: Der<'_>) -> Option<Vec<String>> {
    /// More are of no use to a reader.
    const MOST: usize = 64;
    let mut names = Vec::new();
    let mut all = value.within(tag::SEQUENCE)?;
    while let Some((kind, content, _)) = all.element().filter(|_| names.len() < MOST) {
        match (kind, content.len()) {
            (0x82, _) => names.push(name::printable(&String::from_utf8_lossy(content))),
            (0x87, 4) => names.push(IpAddr::from(<[u8; 4]>::try_from(content).ok()?).to_string()),
            (0x87, 16) => names.push(IpAddr::from(<[u8; 16]>::try_from(content).ok()?).to_string()),
            _ => {}
        }
    }
    Some(names)
}

fn is_authority(mut value: Der<'_>) -> Option<bool> {
    let mut constraints = value.within(tag::SEQUENCE)?;
    constraints.optional(tag::BOOLEAN).map(|authority| authority != [0])
}

/// The object identifier that these octets begin with, in numbers and dots.
pub(crate) fn identifier(octets: &[u8]) -> Option<String> {
    Der(octets).expect(tag::OBJECT_IDENTIFIER).map(name::dotted)
}

fn hexadecimal(octets: &[u8]) -> String {
    let digits: String = octets.iter().map(|octet| format!("{octet:02x}")).collect();
    match digits.trim_start_matches('0') {
        "" => "0".to_owned(),
        digits => digits.to_owned(),
    }
}
