//! Object URLs (CORBA 3.4 Part 2, 7.6.10): `IOR:`, `corbaloc:`, `corbaname:` and `file://`. Parsing
//! one needs no network; the ORB resolves it.

mod corbaloc;
mod escape;
mod name;

pub use corbaloc::{Corbaloc, CorbalocAddress, DEFAULT_PORT, DEFAULT_TLS_PORT, NAME_SERVICE};
pub use name::{NameComponent, NameError, parse_name, stringify_name};

use crate::ior::{Ior, IorError};
use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

/// A parsed object URL.
///
/// ```
/// use armilla_giop::url::{CorbalocAddress, ObjectUrl};
///
/// let url = ObjectUrl::parse("corbaloc::example.org/account")?;
/// let ObjectUrl::Corbaloc(location) = url else { panic!("it is a corbaloc URL") };
/// assert_eq!(location.key, b"account");
/// let address =
///     CorbalocAddress::Iiop { version: None, host: "example.org".into(), port: 2809 };
/// assert_eq!(location.addresses, [address]);
/// # Ok::<(), armilla_giop::url::UrlError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectUrl {
    /// `IOR:…`: the reference itself.
    Ior(Ior),
    /// `corbaloc:…`: addresses and an object key.
    Corbaloc(Corbaloc),
    /// `corbaname:…`: a name in a naming context.
    Corbaname {
        /// The naming context.
        location: Corbaloc,
        /// The stringified name as [`parse_name`] reads it; empty for the context itself.
        name: String,
    },
    /// `file://…`: a file that holds one of the other forms. Everything behind `file://` is the
    /// path, so `file:///tmp/a.ior` is absolute and `file://a.ior` relative.
    File(String),
}

impl ObjectUrl {
    /// Parses a reference; white space around it does no harm.
    ///
    /// # Errors
    /// When it is of no known form, or malformed within it.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let text = text.trim();
        if strip_scheme(text, "IOR:").is_some() {
            return text.parse().map(Self::Ior).map_err(UrlError::Ior);
        }
        if let Some(rest) = strip_scheme(text, "corbaloc:") {
            return Corbaloc::parse(rest).map(Self::Corbaloc);
        }
        if let Some(rest) = strip_scheme(text, "corbaname:") {
            return corbaname(rest);
        }
        if let Some(path) = strip_scheme(text, "file://") {
            return escape::unescape_text(path).map(Self::File);
        }
        let scheme = text.split_once(':').map_or(text, |(scheme, _)| scheme);
        Err(UrlError::UnknownScheme(excerpt(scheme)))
    }
}

impl FromStr for ObjectUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        Self::parse(text)
    }
}

fn strip_scheme<'t>(text: &'t str, scheme: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(scheme.len())?;
    head.eq_ignore_ascii_case(scheme).then_some(rest)
}

fn corbaname(rest: &str) -> Result<ObjectUrl, UrlError> {
    let (location, name) = rest.split_once('#').unwrap_or((rest, ""));
    let mut location = Corbaloc::parse(location)?;
    if location.key.is_empty() {
        location.key = NAME_SERVICE.into();
    }
    let name = escape::unescape_name(name)?;
    if !name.is_empty() {
        parse_name(&name).map_err(UrlError::Name)?;
    }
    Ok(ObjectUrl::Corbaname { location, name })
}

impl fmt::Display for ObjectUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ior(ior) => f.write_str(&ior.to_text().map_err(|_| fmt::Error)?),
            Self::Corbaloc(corbaloc) => corbaloc.fmt(f),
            Self::Corbaname { location, name } => {
                f.write_str("corbaname:")?;
                location.fmt_rest(f)?;
                match name.as_str() {
                    "" => Ok(()),
                    name => write!(f, "#{}", escape::Escaped(name.as_bytes())),
                }
            }
            Self::File(path) => write!(f, "file://{}", escape::Escaped(path.as_bytes())),
        }
    }
}

/// An error in the text form of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UrlError {
    /// The text begins with none of the known forms, but with this.
    UnknownScheme(String),
    /// An address for a protocol that this ORB does not have.
    UnknownProtocol(String),
    /// An address without a protocol.
    MissingProtocol(String),
    /// `rir:` beside other addresses, or with something behind the colon.
    RirNotAlone,
    /// A version that is not 1.0, 1.1 or another of major version 1.
    BadVersion(String),
    /// A host that cannot be one; a literal IPv6 address stands in brackets.
    BadHost(String),
    /// A port that is no number from 1 to 65535.
    BadPort(String),
    /// A `%` without two hexadecimal digits.
    BadEscape(String),
    /// Escapes that are not UTF-8, where text is expected.
    NotUtf8,
    /// The name in a `corbaname:`.
    Name(NameError),
    /// The reference in an `IOR:`.
    Ior(IorError),
}

/// As much of what a person wrote as an error message should repeat.
fn excerpt(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => text[..end].to_string() + "…",
        None => text.to_string(),
    }
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownScheme(scheme) => write!(
                f,
                "{scheme:?} begins no object reference; \
                 known are \"IOR:\", \"corbaloc:\", \"corbaname:\" and \"file://\""
            ),
            Self::UnknownProtocol(protocol) => write!(
                f,
                "the protocol {protocol:?} is not supported; known are \"iiop\", \"ssliop\" \
                 and \"rir\""
            ),
            Self::MissingProtocol(address) => write!(
                f,
                "the address {address:?} lacks a protocol; write \":host:port\" or \
                 \"iiop:host:port\""
            ),
            Self::RirNotAlone => {
                f.write_str("\"rir:\" stands alone, without an address and beside no other")
            }
            Self::BadVersion(text) => {
                write!(f, "{text:?} is no IIOP version; write 1.0, 1.1 or 1.2 before the \"@\"")
            }
            Self::BadHost(text) => {
                write!(f, "{text:?} is no host; an IPv6 address stands in brackets")
            }
            Self::BadPort(text) => write!(f, "{text:?} is no port; a port is 1 to 65535"),
            Self::BadEscape(text) => {
                write!(f, "{text:?}: a \"%\" needs two hexadecimal digits behind it (\"%25\" is %)")
            }
            Self::NotUtf8 => f.write_str("the escaped octets are no UTF-8"),
            Self::Name(error) => error.fmt(f),
            Self::Ior(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for UrlError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_reads_and_writes_back() {
        for (text, written) in [
            ("corbaloc::h:1/K", "corbaloc::h:1/K"),
            ("CORBALOC:iiop:h/K", "corbaloc::h:2809/K"),
            ("corbaname::h", "corbaname::h:2809/NameService"),
            ("corbaname::h:1/K#a.b/c%20d", "corbaname::h:1/K#a.b/c%20d"),
            ("corbaname:rir:#a", "corbaname:rir:/NameService#a"),
            ("file:///tmp/a%20b.ior", "file:///tmp/a%20b.ior"),
            (" file://a.ior\n", "file://a.ior"),
        ] {
            let url = ObjectUrl::parse(text).unwrap();
            assert_eq!(url.to_string(), written);
            assert_eq!(ObjectUrl::parse(written), Ok(url));
        }
    }

    #[test]
    fn the_name_of_a_corbaname_is_unescaped_and_checked() {
        let Ok(ObjectUrl::Corbaname { location, name }) = ObjectUrl::parse("corbaname::h#a%5c.b.c")
        else {
            panic!("a corbaname");
        };
        assert_eq!((location.key.as_slice(), name.as_str()), (NAME_SERVICE.as_bytes(), r"a\.b.c"));
        let error = ObjectUrl::parse("corbaname::h#a//b");
        assert_eq!(error, Err(UrlError::Name(NameError::EmptyComponent { at: 2 })));
    }

    #[test]
    fn an_unknown_form_is_named_without_repeating_all_of_it() {
        let unknown = |text: &str| ObjectUrl::parse(text).unwrap_err();
        assert_eq!(unknown("http://h/"), UrlError::UnknownScheme("http".into()));
        assert_eq!(unknown(""), UrlError::UnknownScheme("".into()));
        let UrlError::UnknownScheme(excerpt) = unknown(&"ä".repeat(1000)) else {
            panic!("scheme")
        };
        assert_eq!(excerpt.chars().count(), 41);
        assert!(matches!(unknown("IOR:0"), UrlError::Ior(IorError::OddLength { .. })));
    }
}
