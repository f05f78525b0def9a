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
pub struct Pattern {
    text: Box<str>,
    /// Where the first star is.
    star: Option<usize>,
}

impl Pattern {
    /// A pattern with this text.
    pub fn new(text: &str) -> Self {
        Self { text: text.into(), star: text.find('*') }
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it stands for everything.
    pub fn is_any(&self) -> bool {
        &*self.text == "*"
    }

    /// The only text that it stands for, if it has no star.
    pub(crate) fn plain(&self) -> Option<&str> {
        self.star.is_none().then_some(&self.text)
    }

    /// How every text begins that it stands for, if it has a star behind that.
    pub(crate) fn beginning(&self) -> Option<&str> {
        self.star.filter(|star| *star > 0).map(|star| &self.text[..star])
    }

    /// Whether it stands for this text. The time is at most proportional to the product of both
    /// lengths.
    pub fn matches(&self, text: &str) -> bool {
        match self.star {
            None => *self.text == *text,
            // Most have one star, at the end.
            Some(star) if star + 1 == self.text.len() => text.starts_with(&self.text[..star]),
            Some(_) => self.matches_octets(text.bytes()),
        }
    }

    /// Whether it stands for the text of this name, which nobody has to write for that.
    pub(crate) fn matches_name(&self, name: &ScopedName) -> bool {
        let has_escapes = |part: &str| part.bytes().any(|octet| matches!(octet, b'@' | b'\\'));
        let domain = name.domain.as_deref();
        let length = name.user.len() + domain.map_or(0, |domain| domain.len() + 1);
        if self.star.is_none() && self.text.len() <= length {
            // The text is as long as that, or longer if it has escapes.
            return self.text.len() == length
                && is_joined(&self.text, &name.user, domain)
                && !has_escapes(&name.user)
                && !domain.is_some_and(has_escapes);
        }
        if self.text.strip_prefix("*@").is_some_and(|rest| Some(rest) == domain)
            && !domain.is_some_and(has_escapes)
        {
            return true;
        }
        if has_escapes(&name.user) || domain.is_some_and(has_escapes) {
            return self.matches(&name.to_string());
        }
        let at = domain.map(|_| b'@');
        self.matches_octets(name.user.bytes().chain(at).chain(domain.unwrap_or_default().bytes()))
    }

    fn matches_octets(&self, mut text: impl Iterator<Item = u8> + Clone) -> bool {
        let mut pattern = self.text.as_bytes();
        // What to go back to: behind the last star, with the text that it has not taken yet.
        let mut star = None;
        loop {
            if let Some((b'*', rest)) = pattern.split_first() {
                if rest.is_empty() {
                    return true;
                }
                pattern = rest;
                star = Some((pattern, text.clone()));
                continue;
            }
            match (pattern.split_first(), text.next()) {
                (Some((one, rest)), Some(other)) if *one == other => pattern = rest,
                (None, None) => return true,
                _ => {
                    let Some((behind_star, left)) = &mut star else { return false };
                    if left.next().is_none() {
                        return false;
                    }
                    (pattern, text) = (behind_star, left.clone());
                }
            }
        }
    }

    /// Whether a text that begins so may be one of this pattern.
    pub(crate) fn may_begin_with(&self, begin: &str) -> bool {
        match self.text.split_once('*') {
            None => self.text.starts_with(begin),
            // The star takes whatever follows.
            Some((first, _)) => first.starts_with(begin) || begin.starts_with(first),
        }
    }

    /// Whether every text of `other` is one of this pattern, as far as is easily seen.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        // A star of the other pattern is a character that only a star of this one takes.
        self.is_any() || self.text == other.text || self.matches(&other.text.replace('*', "\u{1}"))
    }
}

/// Whether a text is a user and a domain with an `@` between, as they are.
fn is_joined(text: &str, user: &str, domain: Option<&str>) -> bool {
    text.strip_prefix(user).is_some_and(|rest| match domain {
        Some(domain) => rest.strip_prefix('@') == Some(domain),
        None => rest.is_empty(),
    })
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
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
    fn names_are_matched_as_their_texts_are() {
        let names = ["ann", "ann@bank", "@bank", r"a\@nn@bank", r"ann@ba\\nk"];
        let patterns = [
            "*",
            "ann",
            "*@bank",
            "ann@*",
            "*@*",
            r"*\@*",
            "a*n@b*k",
            r"ann@ba\\*",
            "",
            "ann*",
            "ann@bank",
            "a@nn@bank",
            r"a\@nn@bank",
        ];
        let mut matched = 0;
        for name in names {
            let name: ScopedName = name.parse().unwrap();
            for pattern in patterns.map(Pattern::new) {
                let expected = pattern.matches(&name.to_string());
                assert_eq!(pattern.matches_name(&name), expected, "{pattern} {name}");
                matched += usize::from(expected);
            }
        }
        assert_eq!(matched, 25);
    }

    #[test]
    fn a_wide_pattern_covers_narrow_ones() {
        let covers = |one, other| Pattern::new(one).covers(&Pattern::new(other));
        assert!(covers("*", "a*") && covers("a*", "ab") && covers("a*", "a*b"));
        assert!(!covers("a*", "*a") && !covers("ab", "a*"));
    }
}
