//! As much of DER and X.509 as identity tokens need: the certificates of a chain, the subject of a
//! certificate, and a distinguished name as text. Nothing here verifies anything.

use super::{MAX_NAME, MAX_TOKEN};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

/// Why octets are not the DER that was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DerError(&'static str);

impl fmt::Display for DerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl core::error::Error for DerError {}

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const OBJECT_IDENTIFIER: u8 = 6;
/// The version of a certificate, `[0]`.
const VERSION: u8 = 0xa0;
/// The most certificates in a chain.
const MAX_CHAIN: usize = 16;

/// One element.
struct Element<'d> {
    tag: u8,
    /// Its contents.
    inner: &'d [u8],
    /// With its tag and length.
    whole: &'d [u8],
}

/// Takes the first element off `input`.
fn take<'d>(input: &mut &'d [u8]) -> Result<Element<'d>, DerError> {
    let cut = DerError("an element of DER ends too early");
    let all = *input;
    let [tag, first, rest @ ..] = all else { return Err(cut) };
    let (length, rest) = match *first {
        length @ ..=0x7f => (usize::from(length), rest),
        count @ 0x81..=0x83 => {
            let (length, rest) = rest.split_at_checked(usize::from(count & 0x7f)).ok_or(cut)?;
            (length.iter().fold(0, |sum, octet| sum << 8 | usize::from(*octet)), rest)
        }
        _ => return Err(DerError("an element of DER is too long, or has no length")),
    };
    let (inner, rest) = rest.split_at_checked(length).ok_or(cut)?;
    *input = rest;
    Ok(Element { tag: *tag, inner, whole: &all[..all.len() - rest.len()] })
}

/// Takes the first element, which must have this tag.
fn take_a<'d>(input: &mut &'d [u8], tag: u8) -> Result<Element<'d>, DerError> {
    let element = take(input)?;
    match element.tag == tag {
        true => Ok(element),
        false => Err(DerError("an element of DER is of another kind than expected")),
    }
}

/// The certificates of a chain, that of its subject first, each with its tag and length. A single
/// certificate counts as a chain of one.
///
/// # Errors
/// When the octets are neither, or there are more than 16.
pub fn certificates_of(chain: &[u8]) -> Result<Vec<&[u8]>, DerError> {
    if chain.len() > MAX_TOKEN {
        return Err(DerError("a chain of certificates is too long"));
    }
    if certificate_subject(chain).is_ok() {
        return Ok(alloc::vec![chain]);
    }
    let mut rest = chain;
    let mut inner = take_a(&mut rest, SEQUENCE)?.inner;
    let mut found = Vec::new();
    while !inner.is_empty() {
        if found.len() == MAX_CHAIN {
            return Err(DerError("a chain has too many certificates"));
        }
        found.push(take_a(&mut inner, SEQUENCE)?.whole);
    }
    match found.is_empty() || !rest.is_empty() {
        true => Err(DerError("not a chain of certificates")),
        false => Ok(found),
    }
}

/// A chain of these certificates, as [`certificates_of`] reads it.
pub fn pack_certificates(certificates: &[&[u8]]) -> Vec<u8> {
    let inner = certificates.concat();
    let mut octets = alloc::vec![SEQUENCE];
    match inner.len() {
        length @ ..=0x7f => octets.push(length as u8),
        length => octets.extend([0x83, (length >> 16) as u8, (length >> 8) as u8, length as u8]),
    }
    octets.extend(inner);
    octets
}

/// The subject of a certificate, a distinguished name in DER (RFC 5280, 4.1).
///
/// # Errors
/// When the octets are no certificate.
pub fn certificate_subject(certificate: &[u8]) -> Result<&[u8], DerError> {
    let mut rest = certificate;
    let mut inner = take_a(&mut rest, SEQUENCE)?.inner;
    let mut signed = take_a(&mut inner, SEQUENCE)?.inner;
    if signed.first() == Some(&VERSION) {
        take(&mut signed)?;
    }
    // Serial number, algorithm, issuer, validity.
    for tag in [2, SEQUENCE, SEQUENCE, SEQUENCE] {
        take_a(&mut signed, tag)?;
    }
    Ok(take_a(&mut signed, SEQUENCE)?.whole)
}

/// A distinguished name as text, the most specific part first: `CN=ann,O=Bank` (RFC 4514).
///
/// # Errors
/// When the octets are none, or the text has more than [`MAX_NAME`] octets.
pub fn distinguished_name(name: &[u8]) -> Result<String, DerError> {
    let mut rest = name;
    let mut parts = take_a(&mut rest, SEQUENCE)?.inner;
    let mut texts = Vec::new();
    while !parts.is_empty() {
        let mut set = take_a(&mut parts, SET)?.inner;
        let mut text = String::new();
        while !set.is_empty() {
            let mut pair = take_a(&mut set, SEQUENCE)?.inner;
            let kind = take_a(&mut pair, OBJECT_IDENTIFIER)?.inner;
            let value = take(&mut pair)?;
            if !text.is_empty() {
                text.push('+');
            }
            attribute(&mut text, kind, &value);
        }
        texts.push(text);
        if texts.iter().map(String::len).sum::<usize>() > MAX_NAME {
            return Err(DerError("a distinguished name is too long"));
        }
    }
    if !rest.is_empty() || texts.is_empty() {
        return Err(DerError("not a distinguished name"));
    }
    texts.reverse();
    Ok(texts.join(","))
}

/// Writes one attribute.
fn attribute(text: &mut String, kind: &[u8], value: &Element<'_>) {
    let name = match kind {
        [0x55, 4, 3] => "CN",
        [0x55, 4, 6] => "C",
        [0x55, 4, 7] => "L",
        [0x55, 4, 8] => "ST",
        [0x55, 4, 9] => "STREET",
        [0x55, 4, 10] => "O",
        [0x55, 4, 11] => "OU",
        [0x55, 4, 5] => "SERIALNUMBER",
        [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 1] => "EMAIL",
        [0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 1] => "UID",
        [0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 25] => "DC",
        _ => "",
    };
    match name {
        "" => dotted(text, kind),
        name => text.push_str(name),
    }
    text.push('=');
    match (value.tag, core::str::from_utf8(value.inner)) {
        // UTF8String, PrintableString, TeletexString, IA5String.
        (0x0c | 0x13 | 0x14 | 0x16, Ok(value)) if !name.is_empty() => escape(text, value),
        _ => {
            text.push('#');
            for octet in value.whole {
                // A string takes every character.
                let _ = write!(text, "{octet:02x}");
            }
        }
    }
}

/// An object identifier with dots.
fn dotted(text: &mut String, kind: &[u8]) {
    let mut number = 0u64;
    for (at, octet) in kind.iter().enumerate() {
        number = number << 7 & u64::MAX >> 1 | u64::from(octet & 0x7f);
        if octet & 0x80 != 0 {
            continue;
        }
        let first = (number / 40).min(2);
        // A string takes every character.
        let _ = match (text.ends_with(|last: char| last.is_ascii_digit()), at) {
            (false, _) => write!(text, "{first}.{}", number - first * 40),
            (true, _) => write!(text, ".{number}"),
        };
        number = 0;
    }
}

/// Writes a value with the characters escaped that mean something in a distinguished name.
fn escape(text: &mut String, value: &str) {
    let last = value.chars().count().saturating_sub(1);
    for (at, character) in value.chars().enumerate() {
        match character {
            '"' | '+' | ',' | ';' | '<' | '>' | '\\' | '=' => text.extend(['\\', character]),
            '#' | ' ' if at == 0 => text.extend(['\\', character]),
            ' ' if at == last => text.push_str("\\ "),
            character if character.is_control() => {
                let mut octets = [0; 4];
                for octet in character.encode_utf8(&mut octets).bytes() {
                    let _ = write!(text, "\\{octet:02x}");
                }
            }
            character => text.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `O=Bank, CN=ann` as `openssl` encodes it.
    const NAME: &[u8] = b"\x30\x1d\x31\x0d\x30\x0b\x06\x03\x55\x04\x0a\x0c\x04Bank\
        \x31\x0c\x30\x0a\x06\x03\x55\x04\x03\x0c\x03ann";

    /// A certificate as far as its subject.
    fn certificate() -> Vec<u8> {
        let mut signed = b"\xa0\x03\x02\x01\x02\x02\x01\x07\x30\x00\x30\x00\x30\x00".to_vec();
        signed.extend(NAME);
        let mut inner = alloc::vec![SEQUENCE, signed.len() as u8];
        inner.extend(signed);
        let mut whole = alloc::vec![SEQUENCE, inner.len() as u8];
        whole.extend(inner);
        whole
    }

    #[test]
    fn a_distinguished_name_is_text_from_its_most_specific_part() {
        assert_eq!(distinguished_name(NAME).as_deref(), Ok("CN=ann,O=Bank"));
        let odd = b"\x30\x0e\x31\x0c\x30\x0a\x06\x03\x55\x04\x03\x0c\x03a,b";
        assert_eq!(distinguished_name(odd).as_deref(), Ok("CN=a\\,b"));
        let unknown = b"\x30\x0d\x31\x0b\x30\x09\x06\x03\x2a\x03\x04\x0c\x02hi";
        assert_eq!(distinguished_name(unknown).as_deref(), Ok("1.2.3.4=#0c026869"));
    }

    #[test]
    fn a_chain_has_certificates_and_they_have_subjects() {
        let one = certificate();
        assert_eq!(certificate_subject(&one), Ok(NAME));
        assert_eq!(certificates_of(&one), Ok(alloc::vec![&one[..]]));
        let chain = pack_certificates(&[&one, &one, &one]);
        assert_eq!(certificates_of(&chain), Ok(alloc::vec![&one[..]; 3]));
        assert!(certificates_of(&pack_certificates(&[&one[..]; 17])).is_err());
    }

    #[test]
    fn what_is_cut_is_refused() {
        for end in 0..NAME.len() {
            assert!(distinguished_name(&NAME[..end]).is_err(), "{end}");
        }
        let chain = pack_certificates(&[&certificate()]);
        for end in 0..chain.len() {
            assert!(certificates_of(&chain[..end]).is_err(), "{end}");
        }
    }
}
