//! Distinguished names as text (RFC 4514).

use super::der::{Der, tag};
use std::fmt;

/// The name of a subject or an issuer. Its text form has the most special part first:
/// `CN=alice,O=Example`. Characters that a terminal or a log would obey are escaped.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DistinguishedName {
    /// The encoded name.
    der: Vec<u8>,
    text: String,
}

/// The short names of attributes that have one (RFC 4514, 3): the last octets of 2.5.4.x.
const SHORT: [(u8, &str); 8] = [
    (3, "CN"),
    (5, "SERIALNUMBER"),
    (6, "C"),
    (7, "L"),
    (8, "ST"),
    (9, "STREET"),
    (10, "O"),
    (11, "OU"),
];

impl DistinguishedName {
    /// Reads an encoded name; `None` if it is none.
    pub fn parse(der: &[u8]) -> Option<Self> {
        let mut parts = Vec::new();
        let mut all = Der(der).within(tag::SEQUENCE)?;
        while let Some((kind, content, _)) = all.element() {
            if kind != tag::SET {
                return None;
            }
            parts.push(relative(Der(content))?);
        }
        parts.reverse();
        Some(Self { der: der.to_vec(), text: parts.join(",") })
    }

    /// The name in DER, as assertions of identity carry it.
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// The text form.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for DistinguishedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.text.is_empty() { "an empty name" } else { &self.text })
    }
}

/// The attributes of one relative name, joined by `+`.
fn relative(mut set: Der<'_>) -> Option<String> {
    let mut text = String::new();
    while let Some((tag::SEQUENCE, content, _)) = set.element() {
        let mut attribute = Der(content);
        let id = attribute.expect(tag::OBJECT_IDENTIFIER)?;
        let (kind, value, _) = attribute.element()?;
        let short = match id {
            [0x55, 0x04, last] => SHORT.iter().find(|(number, _)| number == last),
            // 0.9.2342.19200300.100.1.25 and …1.1
            [0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 0x01, 0x19] => Some(&(0, "DC")),
            [0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 0x01, 0x01] => Some(&(0, "UID")),
            _ => None,
        };
        if !text.is_empty() {
            text.push('+');
        }
        text += &short.map_or_else(|| dotted(id), |(_, name)| (*name).to_owned());
        text.push('=');
        text += &escaped(&string(kind, value));
    }
    Some(text)
}

fn string(kind: u8, value: &[u8]) -> String {
    match kind {
        tag::UTF8_STRING | tag::PRINTABLE_STRING | tag::IA5_STRING => {
            String::from_utf8_lossy(value).into_owned()
        }
        tag::BMP_STRING => {
            let units = value.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
            char::decode_utf16(units)
                .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect()
        }
        // TeletexString, which is read as ISO 8859-1 everywhere.
        _ => value.iter().copied().map(char::from).collect(),
    }
}

/// The value of an attribute with what RFC 4514, 2.4 has escaped.
fn escaped(value: &str) -> String {
    let mut text = String::new();
    for (place, character) in printable(value).chars().enumerate() {
        let first = place == 0 && matches!(character, ' ' | '#');
        if first || "\",+;<>=".contains(character) {
            text.push('\\');
        }
        text.push(character);
    }
    text
}

/// The text with everything escaped that a terminal obeys.
pub(super) fn printable(text: &str) -> String {
    let mut printable = String::new();
    for character in text.chars() {
        match character.is_control() || ('\u{200b}'..='\u{206f}').contains(&character) {
            true => printable.extend(character.escape_unicode()),
            false => printable.push(character),
        }
    }
    printable
}

/// An object identifier in numbers and dots.
pub(super) fn dotted(id: &[u8]) -> String {
    let mut text = String::new();
    let mut number = 0_u64;
    for octet in id {
        number = number.saturating_mul(128) | u64::from(octet & 0x7f);
        if octet & 0x80 != 0 {
            continue;
        }
        if text.is_empty() {
            let first = (number / 40).min(2);
            text = format!("{first}.{}", number - first * 40);
        } else {
            text += &format!(".{number}");
        }
        number = 0;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_identifiers_are_written_in_numbers() {
        assert_eq!(dotted(&[0x55, 0x1d, 0x11]), "2.5.29.17");
        assert_eq!(
            dotted(&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01]),
            "1.2.840.113549.1.1.1"
        );
        assert_eq!(dotted(&[]), "");
    }

    #[test]
    fn what_a_terminal_obeys_is_escaped() {
        assert_eq!(escaped("a,b\u{1b}[31m"), "a\\,b\\u{1b}[31m");
        assert_eq!(escaped("#1"), "\\#1");
    }
}
