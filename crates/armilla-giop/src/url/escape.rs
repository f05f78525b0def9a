//! Octets in URLs: `%` and two hexadecimal digits (RFC 2396, 2.4).

use super::{UrlError, excerpt};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Decodes the escapes in `text` to octets.
pub(super) fn unescape(text: &str) -> Result<Vec<u8>, UrlError> {
    let mut octets = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        rest = behind;
        if *first != b'%' {
            octets.push(*first);
            continue;
        }
        let digits = behind.first_chunk::<2>().and_then(|[high, low]| {
            Some(char::from(*high).to_digit(16)? << 4 | char::from(*low).to_digit(16)?)
        });
        match digits.and_then(|value| u8::try_from(value).ok()) {
            Some(octet) => octets.push(octet),
            None => return Err(UrlError::BadEscape(excerpt(text))),
        }
        rest = &behind[2..];
    }
    Ok(octets)
}

/// Decodes the escapes in `text` to text.
pub(super) fn unescape_text(text: &str) -> Result<String, UrlError> {
    String::from_utf8(unescape(text)?).map_err(|_| UrlError::NotUtf8)
}

/// Decodes the escapes in the text of a name. Octets that are no UTF-8 are Latin-1 (ISO 8859-1): so
/// services of other vendors write names of clients with that code set.
pub(super) fn unescape_name(text: &str) -> Result<String, UrlError> {
    let octets = unescape(text)?;
    Ok(String::from_utf8(octets)
        .unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect()))
}

/// Writes octets so that [`unescape`] gives them back, all but the characters that CORBA lets
/// stand for themselves escaped.
pub(super) struct Escaped<'o>(pub(super) &'o [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|octet| match octet {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => write!(f, "{}", char::from(*octet)),
            octet if b";/:?@&=+$,-_.!~*'()".contains(octet) => write!(f, "{}", char::from(*octet)),
            octet => write!(f, "%{octet:02x}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn every_octet_survives_being_escaped() {
        let all: Vec<u8> = (0..=255).collect();
        let text = Escaped(&all).to_string();
        assert!(text.is_ascii());
        assert_eq!(unescape(&text), Ok(all));
        assert_eq!(Escaped(b"a/b c#%").to_string(), "a/b%20c%23%25");
    }

    #[test]
    fn a_percent_sign_without_two_digits_is_refused() {
        for text in ["%", "a%", "%1", "%1g", "%g1", "%%41", "%€"] {
            assert!(matches!(unescape(text), Err(UrlError::BadEscape(_))), "{text:?}");
        }
        assert_eq!(unescape_text("%ff"), Err(UrlError::NotUtf8));
    }

    #[test]
    fn octets_of_a_name_that_are_no_utf_8_are_latin_1() {
        for (text, name) in [
            ("caf%e9", "café"),
            ("caf%c3%a9", "café"),
            ("%e9%c3%a9", "éÃ©"),
            ("%ff%80", "ÿ\u{80}"),
            ("plain/a.b", "plain/a.b"),
        ] {
            assert_eq!(unescape_name(text).as_deref(), Ok(name), "{text}");
        }
        assert!(matches!(unescape_name("caf%e"), Err(UrlError::BadEscape(_))));
    }
}
