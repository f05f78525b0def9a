//! The conversion of text to and from a code set.
//!
//! ISO 8859-1, -9 and -11 have conversions here, because `encoding_rs` follows the web, where these
//! names mean the Windows code pages that extend them. For the other sets both agree; octets that a
//! Windows code page leaves unassigned are control characters, in both directions.

use super::CodeSet;
use alloc::string::String;
use alloc::vec::Vec;

/// Appends `text` in `set` to `out`. Fails with the first character that the set lacks; the text
/// before it stays in `out`.
pub(crate) fn encode(text: &str, set: CodeSet, out: &mut Vec<u8>) -> Result<(), char> {
    let octet: fn(char) -> Option<u8> = match set {
        CodeSet::Utf8 => {
            out.extend_from_slice(text.as_bytes());
            return Ok(());
        }
        CodeSet::Iso8859_1 => |character| u8::try_from(character).ok(),
        CodeSet::Iso8859_9 => turkish_octet,
        CodeSet::Iso8859_11 => thai_octet,
        CodeSet::Ascii => |character| u8::try_from(character).ok().filter(u8::is_ascii),
        _ => return legacy::encode(text, set, out),
    };
    for character in text.chars() {
        out.push(octet(character).ok_or(character)?);
    }
    Ok(())
}

/// The text that `octets` encode in `set`; `None` when they are malformed.
pub(crate) fn decode(octets: &[u8], set: CodeSet) -> Option<String> {
    let character: fn(u8) -> Option<char> = match set {
        CodeSet::Utf8 => return core::str::from_utf8(octets).ok().map(String::from),
        CodeSet::Iso8859_1 => |octet| Some(char::from(octet)),
        CodeSet::Iso8859_9 => |octet| Some(turkish(octet)),
        CodeSet::Iso8859_11 => thai,
        CodeSet::Ascii => |octet| octet.is_ascii().then_some(char::from(octet)),
        _ => return legacy::decode(octets, set),
    };
    octets.iter().map(|octet| character(*octet)).collect()
}

/// The letters in which ISO 8859-9 differs from ISO 8859-1.
const TURKISH: [(u8, char); 6] =
    [(0xd0, 'Ğ'), (0xdd, 'İ'), (0xde, 'Ş'), (0xf0, 'ğ'), (0xfd, 'ı'), (0xfe, 'ş')];

fn turkish(octet: u8) -> char {
    let letter = TURKISH.iter().find(|(place, _)| *place == octet);
    letter.map_or(char::from(octet), |(_, letter)| *letter)
}

fn turkish_octet(character: char) -> Option<u8> {
    if let Some((octet, _)) = TURKISH.iter().find(|(_, letter)| *letter == character) {
        return Some(*octet);
    }
    let octet = u8::try_from(character).ok()?;
    (turkish(octet) == character).then_some(octet)
}

/// The Thai letters have the order of Unicode, with two gaps.
fn thai(octet: u8) -> Option<char> {
    match octet {
        0xa1..=0xda | 0xdf..=0xfb => char::from_u32(0x0e00 + u32::from(octet) - 0xa0),
        0xdb..=0xde | 0xfc.. => None,
        _ => Some(char::from(octet)),
    }
}

fn thai_octet(character: char) -> Option<u8> {
    let octet = match u32::from(character) {
        code @ 0x0e01..=0x0e5b => u8::try_from(code - 0x0e00 + 0xa0).ok()?,
        code => u8::try_from(code).ok()?,
    };
    (thai(octet) == Some(character)).then_some(octet)
}

#[cfg(feature = "legacy-code-sets")]
mod legacy {
    use super::{CodeSet, String, Vec};
    use encoding_rs::{self as tables, EncoderResult, Encoding};

    fn table(set: CodeSet) -> Option<&'static Encoding> {
        Some(match set {
            CodeSet::Iso8859_2 => tables::ISO_8859_2,
            CodeSet::Iso8859_3 => tables::ISO_8859_3,
            CodeSet::Iso8859_4 => tables::ISO_8859_4,
            CodeSet::Iso8859_5 => tables::ISO_8859_5,
            CodeSet::Iso8859_6 => tables::ISO_8859_6,
            CodeSet::Iso8859_7 => tables::ISO_8859_7,
            CodeSet::Iso8859_8 => tables::ISO_8859_8,
            CodeSet::Iso8859_10 => tables::ISO_8859_10,
            CodeSet::Iso8859_13 => tables::ISO_8859_13,
            CodeSet::Iso8859_14 => tables::ISO_8859_14,
            CodeSet::Iso8859_15 => tables::ISO_8859_15,
            CodeSet::Iso8859_16 => tables::ISO_8859_16,
            CodeSet::Windows1250 => tables::WINDOWS_1250,
            CodeSet::Windows1251 => tables::WINDOWS_1251,
            CodeSet::Windows1252 => tables::WINDOWS_1252,
            CodeSet::Windows1253 => tables::WINDOWS_1253,
            CodeSet::Windows1254 => tables::WINDOWS_1254,
            CodeSet::Windows1255 => tables::WINDOWS_1255,
            CodeSet::Windows1256 => tables::WINDOWS_1256,
            CodeSet::Windows1257 => tables::WINDOWS_1257,
            CodeSet::Windows1258 => tables::WINDOWS_1258,
            CodeSet::EucJp => tables::EUC_JP,
            CodeSet::ShiftJis => tables::SHIFT_JIS,
            _ => return None,
        })
    }

    /// Encodes with the tables, and decodes the result for comparison: the tables replace some
    /// characters by others, such as the yen sign by a backslash.
    pub(super) fn encode(text: &str, set: CodeSet, out: &mut Vec<u8>) -> Result<(), char> {
        let first = || text.chars().next().unwrap_or_default();
        let table = table(set).ok_or_else(first)?;
        let start = out.len();
        let mut encoder = table.new_encoder();
        // A length that cannot be computed cannot be allocated either.
        let room = encoder.max_buffer_length_from_utf8_without_replacement(text.len());
        out.reserve(room.ok_or_else(first)?);
        let mut rest = text;
        loop {
            let (result, read) =
                encoder.encode_from_utf8_to_vec_without_replacement(rest, out, true);
            let EncoderResult::Unmappable(character) = result else { break };
            out.extend_from_slice(&user_defined(character, set).ok_or(character)?);
            rest = rest.get(read..).unwrap_or_default();
            encoder = table.new_encoder();
        }
        let written = out.get(start..).and_then(|written| decode(written, set));
        let written = written.ok_or_else(first)?;
        match text.chars().zip(written.chars()).find(|(wanted, found)| wanted != found) {
            Some((wanted, _)) => Err(wanted),
            None => Ok(()),
        }
    }

    /// The octets of a character of the user's own in Shift_JIS: rows 95 to 114 are the private use
    /// area from U+E000 on. The tables read these, and do not write them.
    fn user_defined(character: char, set: CodeSet) -> Option<[u8; 2]> {
        let number = u32::from(character).checked_sub(0xe000).filter(|number| *number < 20 * 94)?;
        if set != CodeSet::ShiftJis {
            return None;
        }
        let (lead, trail) = (0xf0 + number / 188, number % 188);
        // No trail octet is DEL.
        let trail = if trail < 0x3f { 0x40 + trail } else { 0x41 + trail };
        Some([u8::try_from(lead).ok()?, u8::try_from(trail).ok()?])
    }

    pub(super) fn decode(octets: &[u8], set: CodeSet) -> Option<String> {
        let text = table(set)?.decode_without_bom_handling_and_without_replacement(octets)?;
        Some(text.into_owned())
    }
}

#[cfg(not(feature = "legacy-code-sets"))]
mod legacy {
    use super::{CodeSet, String, Vec};

    pub(super) fn encode(text: &str, _: CodeSet, _: &mut Vec<u8>) -> Result<(), char> {
        Err(text.chars().next().unwrap_or_default())
    }

    pub(super) fn decode(_: &[u8], _: CodeSet) -> Option<String> {
        None
    }
}
