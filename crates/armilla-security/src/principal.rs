//! Who somebody is, and patterns of names.

use armilla_giop::csi::ScopedName;
use std::fmt;
use std::str::FromStr;

/// Who somebody is, as far as names go. Its text is what rules and audit records have:
/// `anonymous`, `ann@bank`, `dn:CN=ann,O=Bank`, `uid:1000`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Principal {
    /// Nobody in particular.
    Anonymous,
    /// A user with a name, and the domain in which it is valid.
    User(ScopedName),
    /// The subject of a certificate, as text: `CN=ann,O=Bank`.
    DistinguishedName(String),
    /// A user of this host, by number.
    LocalUser(u32),
}

impl Principal {
    /// Whether this is somebody.
    pub const fn is_known(&self) -> bool {
        !matches!(self, Self::Anonymous)
    }

    /// The user with this name. A name without a domain gets `domain`.
    pub(crate) fn user(mut name: ScopedName, domain: &str) -> Self {
        if name.domain.is_none() && !domain.is_empty() {
            name.domain = Some(domain.to_owned());
        }
        Self::User(name)
    }
}

impl FromStr for Principal {
    type Err = &'static str;

    /// Reads what `Display` writes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            _ if text == "anonymous" => Ok(Self::Anonymous),
            Some(("uid", number)) => {
                number.parse().map(Self::LocalUser).map_err(|_| "uid: needs a number")
            }
            Some(("dn", name)) => Ok(Self::DistinguishedName(name.to_owned())),
            _ => text.parse().map(Self::User).map_err(|_| "this is the name of no user"),
        }
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anonymous => f.write_str("anonymous"),
            Self::User(name) => name.fmt(f),
            Self::DistinguishedName(name) => write!(f, "dn:{name}"),
            Self::LocalUser(number) => write!(f, "uid:{number}"),
        }
    }
}

/// A pattern of names: `*` stands for any characters, also none; everything else for itself.
///
/// ```
/// use armilla_security::Pattern;
///
/// let staff = Pattern::new("*@bank");
/// assert!(staff.matches("ann@bank") && !staff.matches("ann@home"));
/// assert!(Pattern::new("_get_*").matches("_get_balance"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern(Box<str>);

impl Pattern {
    /// A pattern with this text.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it stands for everything.
    pub fn is_any(&self) -> bool {
        &*self.0 == "*"
    }

    /// Whether it stands for this text. The time is at most proportional to the product of both
    /// lengths.
    pub fn matches(&self, text: &str) -> bool {
        let (mut pattern, mut text) = (self.0.as_bytes(), text.as_bytes());
        // What to go back to: behind the last star, with the text that it has not taken yet.
        let mut star: Option<(&[u8], &[u8])> = None;
        loop {
            match (pattern.split_first(), text.split_first()) {
                (Some((b'*', rest)), _) => {
                    pattern = rest;
                    star = Some((pattern, text));
                }
                (Some((one, rest)), Some((other, behind))) if one == other => {
                    (pattern, text) = (rest, behind);
                }
                (None, None) => return true,
                _ => match star {
                    Some((behind_star, [_, left @ ..])) => {
                        (pattern, text) = (behind_star, left);
                        star = Some((behind_star, left));
                    }
                    _ => return false,
                },
            }
        }
    }

    /// Whether a text that begins so may be one of this pattern.
    pub(crate) fn may_begin_with(&self, begin: &str) -> bool {
        match self.0.split_once('*') {
            None => self.0.starts_with(begin),
            // The star takes whatever follows.
            Some((first, _)) => first.starts_with(begin) || begin.starts_with(first),
        }
    }

    /// Whether every text of `other` is one of this pattern, as far as is easily seen.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        // A star of the other pattern is a character that only a star of this one takes.
        self.is_any() || self.0 == other.0 || self.matches(&other.0.replace('*', "\u{1}"))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        let cases = [
            ("*", "", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "a--b-b--c", true),
            ("a*b*c", "acb", false),
            ("*a", "aaab", false),
            ("ann", "ann@bank", false),
            ("", "", true),
            ("", "a", false),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(Pattern::new(pattern).matches(text), expected, "{pattern} {text}");
        }
        let hard = "a".repeat(5000);
        assert!(!Pattern::new(&"a*".repeat(200)).matches(&format!("{}b", &hard[..150])));
    }

    #[test]
    fn a_wide_pattern_covers_narrow_ones() {
        let covers = |one, other| Pattern::new(one).covers(&Pattern::new(other));
        assert!(covers("*", "a*") && covers("a*", "ab") && covers("a*", "a*b"));
        assert!(!covers("a*", "*a") && !covers("ab", "a*"));
    }
}
