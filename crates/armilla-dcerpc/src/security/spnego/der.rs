//! As much of DER as SPNEGO needs (ITU-T X.690).

use crate::security::error::SecurityError;
use alloc::vec::Vec;

pub(super) const ENUMERATED: u8 = 0x0a;
pub(super) const OCTETS: u8 = 4;
pub(super) const OBJECT_ID: u8 = 6;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const APPLICATION: u8 = 0x60;

/// The tag of a part that is named by a number.
pub(super) const fn context(number: u8) -> u8 {
    0xa0 | number
}

const MALFORMED: SecurityError = SecurityError::Malformed("it is no DER");

/// Splits the first element off: its tag, its content and what follows.
pub(super) fn element(octets: &[u8]) -> Result<(u8, &[u8], &[u8]), SecurityError> {
    let (&tag, rest) = octets.split_first().ok_or(MALFORMED)?;
    let (&first, rest) = rest.split_first().ok_or(MALFORMED)?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81 | 0x82 => {
            let (length, rest) = rest.split_at_checked(usize::from(first & 3)).ok_or(MALFORMED)?;
            (length.iter().fold(0, |length, octet| length << 8 | usize::from(*octet)), rest)
        }
        // Tokens travel in PDUs, which have fewer than 65,536 octets.
        _ => return Err(MALFORMED),
    };
    let (content, rest) = rest.split_at_checked(length).ok_or(MALFORMED)?;
    Ok((tag, content, rest))
}

/// The content of an element that must have this tag, and what follows.
pub(super) fn expect(octets: &[u8], tag: u8) -> Result<(&[u8], &[u8]), SecurityError> {
    match element(octets)? {
        (found, content, rest) if found == tag => Ok((content, rest)),
        _ => Err(MALFORMED),
    }
}

/// The content of an element that must have this tag and be the only one.
pub(super) fn only(octets: &[u8], tag: u8) -> Result<&[u8], SecurityError> {
    let (content, _) = expect(octets, tag)?;
    Ok(content)
}

/// An element.
pub(super) fn wrap(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let mut out = Vec::with_capacity(length + 4);
    out.push(tag);
    match length {
        0..0x80 => out.push(length as u8),
        0x80..0x100 => out.extend([0x81, length as u8]),
        _ => out.extend([0x82, (length >> 8) as u8, length as u8]),
    }
    out.extend_from_slice(content);
    out
}
