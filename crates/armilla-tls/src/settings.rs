//! What a program chooses for TLS, and the options of the command line that choose it.

use crate::choices::{Ciphers, Pin, Verify, Version};
use armilla_core::settings::OrbOption;
use armilla_giop::ior::AssociationOptions;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Where something in PEM is: certificates, a key, a revocation list.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pem {
    /// In a file, which is read again when it changes.
    File(PathBuf),
    /// Here.
    Text(Arc<str>),
}

impl std::fmt::Debug for Pem {
    /// A text may be a secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => path.fmt(f),
            Self::Text(_) => f.write_str("Text(..)"),
        }
    }
}

impl Pem {
    /// What is written in `text`.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// How errors name it.
    pub(crate) fn place(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Text(_) => "the text given by the program".to_owned(),
        }
    }
}

impl<P: Into<PathBuf>> From<P> for Pem {
    fn from(path: P) -> Self {
        Self::File(path.into())
    }
}

/// Whose certificates are believed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Roots {
    /// Those that the operating system trusts.
    System,
    /// Those in PEM.
    Pem(Pem),
}

/// What an ORB chooses for TLS. [`Tls::settings`](crate::Tls::settings) changes it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TlsSettings {
    /// The certificates with which this process proves who it is: its own first, then those of the
    /// authorities between it and the root. Default: none, so that it has no endpoint for TLS.
    pub certificate: Option<Pem>,
    /// The key of the certificate. Default: in the same place.
    pub key: Option<Pem>,
    /// Whose certificates are believed. Default: [`Roots::System`].
    pub roots: Vec<Roots>,
    /// Lists of certificates that their authorities have revoked. Default: none.
    pub revocations: Vec<Pem>,
    /// What a server wants of its clients. Default: [`Verify::None`].
    pub verify: Verify,
    /// The oldest version of TLS. Default: 1.2.
    pub oldest: Version,
    /// The newest version of TLS. Default: 1.3.
    pub newest: Version,
    /// The cipher suites. Default: all that `rustls` has.
    pub ciphers: Ciphers,
    /// Keys of which one must be in the chain of a server's certificates. Default: any will do.
    pub pins: Vec<Pin>,
    /// The name that the certificate of a server must be for, if a reference names the server by an
    /// address. Default: that address.
    pub name: Option<String>,
    /// Whether this ORB makes no connection over TCP without TLS. Default: false; but where a
    /// reference offers TLS, its plain port is never used.
    pub required: bool,
    /// Whether connections to the same server resume the session of an earlier one. Default: true.
    pub resume: bool,
    /// The time for a handshake with a client. Default: 10 s.
    pub handshake_timeout: Duration,
    /// How many handshakes with clients an endpoint has under way at once. Default: 512.
    pub handshakes: usize,
    /// How many of them are of one host; a network of IPv6 with 64 bits is one. Default: 128.
    pub handshakes_per_host: usize,
    /// What references say that the server supports. Default: what TLS gives, and trust in the
    /// client if [`verify`](Self::verify) wants its certificate.
    pub supports: Option<AssociationOptions>,
    /// What references say that the server requires. Default: integrity and confidentiality, and
    /// trust in the client if [`verify`](Self::verify) requires it; nothing where the same profile
    /// has a plain port.
    pub requires: Option<AssociationOptions>,
}

impl Default for TlsSettings {
    fn default() -> Self {
        Self {
            certificate: None,
            key: None,
            roots: Vec::new(),
            revocations: Vec::new(),
            verify: Verify::None,
            oldest: Version::Tls12,
            newest: Version::Tls13,
            ciphers: Ciphers::default(),
            pins: Vec::new(),
            name: None,
            required: false,
            resume: true,
            handshake_timeout: Duration::from_secs(10),
            handshakes: 512,
            handshakes_per_host: 128,
            supports: None,
            requires: None,
        }
    }
}

/// An option of the command line.
struct Declared {
    name: &'static str,
    value: &'static str,
    default: &'static str,
    help: &'static str,
    set: fn(&mut TlsSettings, &str) -> Result<(), String>,
}

const OPTIONS: [Declared; 9] = [
    Declared {
        name: "-ORBCertificate",
        value: "FILE",
        default: "none",
        help: "The file with the certificates by which this process proves who it is, in PEM: its \
               own first, then those of the authorities between it and the root. It may hold the \
               key too. Read again when it changes.",
        set: |settings, file| {
            settings.certificate = Some(path(file)?);
            Ok(())
        },
    },
    Declared {
        name: "-ORBKey",
        value: "FILE",
        default: "in the file of the certificate",
        help: "The file with the key of the certificate, in PEM: PKCS#8, PKCS#1 or SEC1, not \
               encrypted. Nobody but the owner should be able to read it.",
        set: |settings, file| {
            settings.key = Some(path(file)?);
            Ok(())
        },
    },
    Declared {
        name: "-ORBRoots",
        value: "FILE|system",
        default: "`system`",
        help: "The file with the certificates of the authorities that are believed, in PEM, or \
               those that the operating system trusts. May be repeated.",
        set: |settings, text| {
            settings.roots.push(match text {
                "system" => Roots::System,
                file => Roots::Pem(path(file)?),
            });
            Ok(())
        },
    },
    Declared {
        name: "-ORBRevocations",
        value: "FILE",
        default: "none",
        help: "The file with lists of certificates that their authorities have revoked, in PEM. A \
               list that has expired refuses every certificate of its authority. May be repeated.",
        set: |settings, file| {
            settings.revocations.push(path(file)?);
            Ok(())
        },
    },
    Declared {
        name: "-ORBVerify",
        value: "none|peer|required",
        default: "`none`",
        help: "What a server wants of its clients: `none` asks for no certificate, `peer` verifies \
               the one that a client shows, `required` refuses clients without. The certificates \
               of servers are always verified.",
        set: |settings, text| {
            settings.verify = text.parse()?;
            Ok(())
        },
    },
    Declared {
        name: "-ORBTls",
        value: "KEY=VALUE,KEY=VALUE",
        default: "`min=1.2,max=1.3,ciphers=all,required=0,resume=1`",
        help: "How TLS is spoken. `min=` and `max=`: the versions, 1.2 or 1.3. `ciphers=`: `all`, \
               `forward-256` (AES-256 and ChaCha20), or names of suites joined by `+`. `pin=`: the \
               SHA-256 of a key, in hexadecimal digits, that has to be in the chain of a server. \
               `name=`: the name that the certificate of a server must be for, where a reference \
               carries an address. `required=1`: no connection over TCP without TLS. `resume=0`: \
               no session is resumed. `supports=`, `requires=`: the association options that \
               references carry, as numbers. May be repeated.",
        set: set_all,
    },
    Declared {
        name: "-ORBTlsHandshakeTimeout",
        value: "MILLISECONDS",
        default: "10 s",
        help: "The time that a client has for its handshake.",
        set: |settings, text| {
            settings.handshake_timeout = Duration::from_millis(number(text)?);
            Ok(())
        },
    },
    Declared {
        name: "-ORBTlsHandshakes",
        value: "COUNT",
        default: "512",
        help: "How many handshakes with clients an endpoint has under way at once. The one that \
               has waited the longest gives way to a new one.",
        set: |settings, text| {
            settings.handshakes = usize::try_from(number(text)?).unwrap_or(usize::MAX);
            Ok(())
        },
    },
    Declared {
        name: "-ORBTlsHandshakesPerHost",
        value: "COUNT",
        default: "128",
        help: "How many of these handshakes are of one host, a network of IPv6 with 64 bits being \
               one. Beyond that the one of the host that has waited the longest gives way to a new \
               one.",
        set: |settings, text| {
            settings.handshakes_per_host = usize::try_from(number(text)?).unwrap_or(usize::MAX);
            Ok(())
        },
    },
];

/// The options that TLS adds to those of the ORB, for people.
///
/// ```
/// let options = armilla_tls::options();
/// assert!(options.iter().any(|option| option.name == "-ORBCertificate"));
/// ```
pub fn options() -> Vec<OrbOption> {
    let describe = |option: &Declared| {
        OrbOption::new((option.name, option.value), "TLS", option.default, option.help)
    };
    OPTIONS.iter().map(describe).collect()
}

impl TlsSettings {
    /// Sets what an option of the command line sets.
    ///
    /// # Errors
    /// What is wrong with the value.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let option = OPTIONS.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        let option = option.ok_or_else(|| format!("{name} is no option of TLS"))?;
        (option.set)(self, value)
    }

    /// Whose certificates are believed.
    pub(crate) fn all_roots(&self) -> &[Roots] {
        if self.roots.is_empty() { &[Roots::System] } else { &self.roots }
    }

    /// Whether a file, or something in its place, was named.
    pub(crate) fn names_files(&self) -> bool {
        self.certificate.is_some() || !self.roots.is_empty() || !self.revocations.is_empty()
    }

    /// Checks what no single option shows.
    ///
    /// # Errors
    /// What contradicts what.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.oldest > self.newest {
            return Err(format!(
                "-ORBTls min={} and max={} leave no version of TLS",
                self.oldest, self.newest
            ));
        }
        match (&self.certificate, &self.key) {
            (None, Some(_)) => Err("-ORBKey needs -ORBCertificate, whose key it is".to_owned()),
            _ => Ok(()),
        }
    }
}

/// Reads `KEY=VALUE,KEY=VALUE`.
fn set_all(settings: &mut TlsSettings, text: &str) -> Result<(), String> {
    text.split(',').try_for_each(|part| {
        let bad = || format!("{part:?}: min=, max=, ciphers=, pin=, name=, required=, resume=, supports= or requires= is needed");
        let (key, value) = part.split_once('=').ok_or_else(bad)?;
        match key {
            "min" => settings.oldest = value.parse()?,
            "max" => settings.newest = value.parse()?,
            "ciphers" => settings.ciphers = value.parse()?,
            "pin" => settings.pins.push(value.parse()?),
            "name" if !value.is_empty() => settings.name = Some(value.to_owned()),
            "required" => settings.required = switch(value)?,
            "resume" => settings.resume = switch(value)?,
            "supports" => settings.supports = Some(association(value)?),
            "requires" => settings.requires = Some(association(value)?),
            _ => return Err(bad()),
        }
        Ok(())
    })
}

fn path(text: &str) -> Result<Pem, String> {
    match text {
        "" => Err("the name of a file is needed".to_owned()),
        text => Ok(Pem::File(text.into())),
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| format!("{text:?}: a number above 0 is needed"))
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(format!("{text:?}: 0 or 1 is needed")),
    }
}

fn association(text: &str) -> Result<AssociationOptions, String> {
    let number = text.parse().map_err(|_| format!("{text:?}: a number below 65536 is needed"))?;
    Ok(AssociationOptions(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_sets_what_it_says_and_names_a_wrong_value() {
        let mut settings = TlsSettings::default();
        for (name, value) in [
            ("-ORBCertificate", "a.pem"),
            ("-orbkey", "a.key"),
            ("-ORBRoots", "system"),
            ("-ORBRoots", "roots.pem"),
            ("-ORBRevocations", "crl.pem"),
            ("-ORBVerify", "required"),
            ("-ORBTls", "min=1.3,required=1,resume=0,name=a.org,requires=6"),
            ("-ORBTls", "ciphers=TLS13_AES_256_GCM_SHA384+TLS13_AES_128_GCM_SHA256"),
            ("-ORBTlsHandshakeTimeout", "250"),
            ("-ORBTlsHandshakes", "7"),
            ("-ORBTlsHandshakesPerHost", "3"),
        ] {
            settings.set(name, value).unwrap();
        }
        assert_eq!(settings.certificate, Some(Pem::File("a.pem".into())));
        assert_eq!(settings.roots.len(), 2);
        assert_eq!((settings.verify, settings.oldest), (Verify::Required, Version::Tls13));
        assert!(settings.required && !settings.resume);
        assert_eq!(settings.handshake_timeout, Duration::from_millis(250));
        for (name, value) in [
            ("-ORBCertificate", ""),
            ("-ORBVerify", "maybe"),
            ("-ORBTls", "min=1.1"),
            ("-ORBTls", "ciphers=RC4"),
            ("-ORBTls", "pin=ab"),
            ("-ORBTls", "speed=1"),
            ("-ORBTlsHandshakes", "0"),
        ] {
            assert!(settings.set(name, value).is_err(), "{name} {value}");
        }
    }

    #[test]
    fn settings_that_contradict_each_other_are_refused() {
        let mut settings = TlsSettings::default();
        settings.set("-ORBTls", "min=1.3,max=1.2").unwrap();
        assert!(settings.check().unwrap_err().contains("min=1.3"));
        let mut settings = TlsSettings::default();
        settings.set("-ORBKey", "a.key").unwrap();
        assert!(settings.check().unwrap_err().contains("-ORBCertificate"));
    }
}
