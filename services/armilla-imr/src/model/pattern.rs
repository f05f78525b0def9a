//! Patterns of object keys: which requests belong to a server.

use super::definition_error::DefinitionError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The object key of a request, as far as the repository understands it.
#[derive(Debug, Clone, Copy)]
pub struct Key<'k> {
    /// The octets of the key.
    pub octets: &'k [u8],
    /// The names of the POA that made the key, from the child of the root POA on. `None` for a key
    /// of another vendor's ORB.
    pub adapter: Option<&'k [&'k str]>,
}

/// A pattern of object keys. Its text is one of these:
///
/// | text | keys |
/// |---|---|
/// | `poa:bank/accounts` | of the POA `accounts` below `bank` of a server of ours, and below it |
/// | `omniorb:bank/accounts` | of such a persistent POA of an omniORB server, and below it |
/// | `jacorb:BankServer` | of a JacORB server with this `jacorb.implname` |
/// | `key:%FEbank*` | of any ORB: these octets |
///
/// In the last one `*` stands for any octets, `%` and two hexadecimal digits for one octet.
///
/// Where several patterns match, the one that says most decides.
///
/// ```
/// use armilla_imr::model::{Key, KeyPattern};
///
/// let pattern: KeyPattern = "key:Bank*%00end".parse()?;
/// assert!(pattern.weight(&Key { octets: b"Bank of England\0end", adapter: None }).is_some());
/// assert_eq!(pattern.to_string(), "key:Bank*%00end");
/// # Ok::<(), armilla_imr::model::DefinitionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct KeyPattern {
    text: String,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Kind {
    /// The names of a POA of ours.
    Adapter(Vec<String>),
    /// The beginning of the keys of a persistent POA of omniORB.
    OmniOrb(Vec<u8>),
    /// Octets, with any octets between each two of them.
    Octets(Vec<Vec<u8>>),
}

impl KeyPattern {
    /// How much the pattern says of a key that it matches; `None` if it does not match.
    pub fn weight(&self, key: &Key<'_>) -> Option<usize> {
        match &self.kind {
            Kind::Adapter(names) => {
                let adapter = key.adapter?;
                let matches = adapter.len() >= names.len()
                    && names.iter().zip(adapter).all(|(wanted, name)| wanted == name);
                matches.then(|| names.iter().map(|name| name.len() + 1).sum())
            }
            Kind::OmniOrb(prefix) => {
                // Either the object id follows, or the name of a POA below it.
                let next = key.octets.strip_prefix(&prefix[..])?.first();
                matches!(next, Some(0 | 0xff)).then_some(prefix.len())
            }
            Kind::Octets(parts) => {
                let weight = parts.iter().map(Vec::len).sum();
                matches(parts, key.octets).then_some(weight)
            }
        }
    }

    /// The names of the POA of ours that it denotes.
    pub fn adapter(&self) -> Option<&[String]> {
        match &self.kind {
            Kind::Adapter(names) => Some(names),
            Kind::OmniOrb(_) | Kind::Octets(_) => None,
        }
    }
}

/// Whether `octets` are these parts with any octets between them.
fn matches(parts: &[Vec<u8>], octets: &[u8]) -> bool {
    let Some((first, rest)) = parts.split_first() else { return octets.is_empty() };
    let Some(mut octets) = octets.strip_prefix(&first[..]) else { return false };
    let Some((last, middle)) = rest.split_last() else { return octets.is_empty() };
    for part in middle {
        match find(octets, part) {
            Some(end) => octets = &octets[end..],
            None => return false,
        }
    }
    octets.ends_with(last)
}

/// The end of the first place where `part` stands in `octets`.
fn find(octets: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() {
        return Some(0);
    }
    octets.windows(part.len()).position(|window| window == part).map(|at| at + part.len())
}

impl FromStr for KeyPattern {
    type Err = DefinitionError;

    fn from_str(text: &str) -> Result<Self, DefinitionError> {
        let wrong = |why: &str| DefinitionError::new(format!("the pattern {text:?}: {why}"));
        let (scheme, rest) = text.split_once(':').ok_or_else(|| {
            wrong("poa:NAMES, key:OCTETS, omniorb:NAMES or jacorb:NAME is needed")
        })?;
        let names = || -> Result<Vec<String>, DefinitionError> {
            let names: Vec<String> = rest.split('/').map(str::to_owned).collect();
            let named = names.iter().all(|name| !name.is_empty() && !name.contains('\0'));
            if named { Ok(names) } else { Err(wrong("a name of a POA is empty")) }
        };
        let kind = match scheme {
            "poa" => Kind::Adapter(names()?),
            "key" => Kind::Octets(parts(rest).map_err(|why| wrong(&why))?),
            "omniorb" => Kind::OmniOrb(omniorb(&names()?)),
            "jacorb" if !rest.is_empty() => {
                Kind::Octets(vec![format!("{rest}/").into_bytes(), Vec::new()])
            }
            _ => {
                return Err(wrong("poa:NAMES, key:OCTETS, omniorb:NAMES or jacorb:NAME is needed"));
            }
        };
        if kind == Kind::Octets(vec![Vec::new(), Vec::new()]) {
            return Err(wrong("it matches every key"));
        }
        Ok(Self { text: text.to_owned(), kind })
    }
}

/// How the keys of a persistent POA of omniORB begin: an octet 255 before the name of each POA. An
/// octet 0 and the object id follow.
fn omniorb(names: &[String]) -> Vec<u8> {
    let mut prefix = Vec::new();
    for name in names {
        prefix.push(0xff);
        prefix.extend_from_slice(name.as_bytes());
    }
    prefix
}

/// The parts of a text with escapes, between its asterisks.
fn parts(text: &str) -> Result<Vec<Vec<u8>>, String> {
    let mut parts = vec![Vec::new()];
    let mut octets = text.bytes();
    while let Some(octet) = octets.next() {
        match octet {
            b'*' => parts.push(Vec::new()),
            b'%' => {
                let mut digit = || octets.next().and_then(|digit| char::from(digit).to_digit(16));
                let (high, low) = (digit(), digit());
                let pair = high.zip(low).ok_or("% needs two hexadecimal digits")?;
                let octet = (pair.0 << 4 | pair.1) as u8;
                parts.last_mut().into_iter().for_each(|part| part.push(octet));
            }
            octet => parts.last_mut().into_iter().for_each(|part| part.push(octet)),
        }
    }
    Ok(parts)
}

impl fmt::Display for KeyPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl TryFrom<String> for KeyPattern {
    type Error = DefinitionError;

    fn try_from(text: String) -> Result<Self, DefinitionError> {
        text.parse()
    }
}

impl From<KeyPattern> for String {
    fn from(pattern: KeyPattern) -> Self {
        pattern.text
    }
}
