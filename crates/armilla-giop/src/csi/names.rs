//! Names as CSIv2 sends them: exported names of GSS (RFC 2743, 3.2), and user names with a scope
//! (CORBA 3.4 Part 2, 10.2.5).

use super::MAX_NAME;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The object identifier of a scoped user name, 2.23.130.1.2.1, encoded in DER.
pub const SCOPED_USER_NAME: &[u8] = &[6, 6, 0x67, 0x81, 2, 1, 2, 1];

/// Why a name was not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameError(pub(super) &'static str);

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl core::error::Error for NameError {}

/// A name that a mechanism has exported: which mechanism, and its octets.
///
/// ```
/// use armilla_giop::csi::{ExportedName, GSSUP_MECHANISM};
///
/// let name = ExportedName { mechanism: GSSUP_MECHANISM, name: b"ann@bank" };
/// let octets = name.to_octets();
/// assert_eq!(octets[..4], [4, 1, 0, 8]);
/// assert_eq!(ExportedName::parse(&octets), Ok(name));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExportedName<'n> {
    /// The object identifier of the mechanism, encoded in DER with its tag and length.
    pub mechanism: &'n [u8],
    /// The name, whose form the mechanism defines.
    pub name: &'n [u8],
}

impl<'n> ExportedName<'n> {
    /// Reads an exported name: `04 01`, the length of the identifier in two octets, the identifier,
    /// the length of the name in four octets, the name; lengths have the most significant octet
    /// first.
    ///
    /// # Errors
    /// When the octets are not one, or the name has more than [`MAX_NAME`] octets.
    pub fn parse(octets: &'n [u8]) -> Result<Self, NameError> {
        let cut = NameError("an exported name ends too early");
        let rest = octets.strip_prefix(&[4, 1]).ok_or(NameError("not an exported name"))?;
        let (length, rest) = rest.split_first_chunk().ok_or(cut)?;
        let length = usize::from(u16::from_be_bytes(*length));
        let (mechanism, rest) = rest.split_at_checked(length).ok_or(cut)?;
        let (length, name) = rest.split_first_chunk().ok_or(cut)?;
        if u32::from_be_bytes(*length) as usize != name.len() {
            return Err(NameError("the length of an exported name is wrong"));
        }
        match name.len() {
            0..=MAX_NAME => Ok(Self { mechanism, name }),
            _ => Err(NameError("an exported name is too long")),
        }
    }

    /// The octets that [`parse`](Self::parse) reads. An identifier of more than 65,535 octets, or a
    /// name of more than 2³² − 1, is cut.
    pub fn to_octets(&self) -> Vec<u8> {
        let mechanism = &self.mechanism[..self.mechanism.len().min(usize::from(u16::MAX))];
        let name = &self.name[..self.name.len().min(u32::MAX as usize)];
        let mut octets = Vec::with_capacity(8 + mechanism.len() + name.len());
        octets.extend([4, 1]);
        octets.extend((mechanism.len() as u16).to_be_bytes());
        octets.extend(mechanism);
        octets.extend((name.len() as u32).to_be_bytes());
        octets.extend(name);
        octets
    }
}

/// A user name with the domain in which it is valid: `name@domain`. In the text a backslash stands
/// before each `@` and backslash that belongs to the name.
///
/// ```
/// use armilla_giop::csi::ScopedName;
///
/// let name: ScopedName = r"ann\@home@bank".parse()?;
/// assert_eq!((name.user.as_str(), name.domain.as_deref()), ("ann@home", Some("bank")));
/// assert_eq!(name.to_string(), r"ann\@home@bank");
/// # Ok::<(), armilla_giop::csi::NameError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopedName {
    /// The name of the user; empty for the domain alone.
    pub user: String,
    /// The domain, if the name has one.
    pub domain: Option<String>,
}

impl ScopedName {
    /// Reads a name from UTF-8.
    ///
    /// # Errors
    /// When it is empty, too long, no UTF-8, has control characters, or ends in a backslash.
    pub fn from_octets(octets: &[u8]) -> Result<Self, NameError> {
        match core::str::from_utf8(octets) {
            Ok(text) => text.parse(),
            Err(_) => Err(NameError("a user name is not UTF-8")),
        }
    }

    /// Whether two spellings name the same domain; a leading `@`, which some products write in a
    /// target name, does not count.
    pub fn is_same_domain(one: &str, other: &str) -> bool {
        let plain = |text: &str| -> String { text.strip_prefix('@').unwrap_or(text).into() };
        plain(one) == plain(other)
    }
}

impl core::str::FromStr for ScopedName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        const TOO_LONG: NameError = NameError("a user name is too long");
        // Backslashes may stand before each of its characters.
        if text.len() > 2 * MAX_NAME + 1 {
            return Err(TOO_LONG);
        }
        if text.chars().any(char::is_control) {
            return Err(NameError("a user name has control characters"));
        }
        let (mut user, mut domain) = (String::new(), None::<String>);
        let mut rest = text.chars();
        while let Some(next) = rest.next() {
            let (character, is_plain) = match next {
                '\\' => (rest.next().ok_or(NameError("a user name ends in a backslash"))?, true),
                next => (next, false),
            };
            match (&mut domain, character) {
                (None, '@') if !is_plain => domain = Some(String::new()),
                (None, character) => user.push(character),
                (Some(domain), character) => domain.push(character),
            }
        }
        if user.len() + domain.as_ref().map_or(0, String::len) > MAX_NAME {
            return Err(TOO_LONG);
        }
        match (&user[..], domain.as_deref()) {
            ("", None | Some("")) => Err(NameError("a user name is empty")),
            (_, Some("")) => Ok(Self { user, domain: None }),
            _ => Ok(Self { user, domain }),
        }
    }
}

impl fmt::Display for ScopedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escaped(&self.user, f)?;
        if let Some(domain) = &self.domain {
            f.write_str("@")?;
            escaped(domain, f)?;
        }
        Ok(())
    }
}

fn escaped(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    use fmt::Write;
    text.chars().try_for_each(|character| {
        if matches!(character, '@' | '\\') {
            f.write_str("\\")?;
        }
        f.write_char(character)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn names_read_back() {
        for text in ["ann", "ann@bank", "@bank", r"a\\b\@c@d\@e", "Zoë@Bank of Ålesund"] {
            let name: ScopedName = text.parse().unwrap();
            assert_eq!(name.to_string(), text);
        }
        let long = alloc::format!("p{}", "@".repeat(MAX_NAME));
        let long: ScopedName = long.parse().unwrap();
        assert_eq!(long.to_string().parse(), Ok(long), "backslashes are not of the name");
        assert_eq!("ann@".parse::<ScopedName>().unwrap().to_string(), "ann");
        assert_eq!("ann@a@b".parse::<ScopedName>().unwrap().to_string(), r"ann@a\@b");
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for text in ["", "@", "ann\\", "a\nb", "a\0"] {
            assert!(text.parse::<ScopedName>().is_err(), "{text:?}");
        }
        assert!(ScopedName::from_octets(&[b'a', 0xff]).is_err());
        assert!(ScopedName::from_octets(&[b'a'; MAX_NAME + 1]).is_err());
    }

    #[test]
    fn an_exported_name_that_is_cut_or_too_long_is_refused() {
        let octets = ExportedName { mechanism: SCOPED_USER_NAME, name: b"ann" }.to_octets();
        assert_eq!(octets[2..12], [0, 8, 6, 6, 0x67, 0x81, 2, 1, 2, 1]);
        assert_eq!(octets[12..], *b"\0\0\0\x03ann");
        for end in 0..octets.len() {
            assert!(ExportedName::parse(&octets[..end]).is_err(), "{end}");
        }
        assert!(ExportedName::parse(&[&octets[..], &[0]].concat()).is_err());
    }
}
