//! Wide characters and strings: IDL `wchar`, which is a Rust `char`, and `wstring`.
//!
//! On the wire they are UTF-16. How its units are laid out depends on the version of GIOP (CORBA
//! 3.4 Part 2, 9.3.2.6 and 9.3.2.7).

use crate::{ByteOrder, CdrError, CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

/// How wide characters are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum WideFormat {
    /// Not at all, as in GIOP 1.0.
    Refused,
    /// As in GIOP 1.1: units of two octets in the byte order of the message; a string ends in a
    /// zero, which its length counts.
    Units,
    /// As from GIOP 1.2 on: octets with their number before them, the most significant first unless
    /// a byte order mark says otherwise.
    #[default]
    Octets,
}

/// An IDL `wstring`. It is a Rust string that is encoded as a wide one.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct WString(pub String);

impl Deref for WString {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<String> for WString {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for WString {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<WString> for String {
    fn from(text: WString) -> Self {
        text.0
    }
}

impl fmt::Debug for WString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for WString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Encoder<'_> {
    /// Appends a wide character.
    ///
    /// # Errors
    /// In GIOP 1.0, and in GIOP 1.1 when it takes two units of UTF-16.
    pub fn put_wchar(&mut self, value: char) -> CdrResult {
        let mut units = [0; 2];
        let units: &[u16] = value.encode_utf16(&mut units);
        match (self.wide_format(), units) {
            (WideFormat::Refused, _) => return Err(refused()),
            (WideFormat::Units, [unit]) => self.put_u16(*unit),
            (WideFormat::Units, _) => {
                return Err(CdrError::at(CdrErrorKind::TwoUnits(value), self.len()));
            }
            (WideFormat::Octets, units) => {
                // One character takes 2 or 4 octets.
                self.put_u8(2 * units.len() as u8);
                units.iter().for_each(|unit| self.copy_raw(&unit.to_be_bytes()));
            }
        }
        Ok(())
    }

    /// Appends a wide string.
    ///
    /// # Errors
    /// In GIOP 1.0, and when it contains a NUL.
    pub fn put_wstring(&mut self, value: &str) -> CdrResult {
        if value.as_bytes().contains(&0) {
            return Err(CdrError::new(CdrErrorKind::EmbeddedNul));
        }
        match self.wide_format() {
            WideFormat::Refused => return Err(refused()),
            WideFormat::Units => {
                let units: Vec<u16> = value.encode_utf16().chain([0]).collect();
                self.put_length(units.len())?;
                self.put_u16s(&units);
            }
            WideFormat::Octets => {
                let octets: Vec<u8> = value.encode_utf16().flat_map(u16::to_be_bytes).collect();
                self.copy_octets(&octets)?;
            }
        }
        Ok(())
    }

    /// Appends a wide string of at most `bound` characters, however many units each takes.
    ///
    /// # Errors
    /// When it is longer, or as [`put_wstring`](Self::put_wstring).
    pub fn put_bounded_wstring(&mut self, value: &str, bound: u32) -> CdrResult {
        if value.len() > bound as usize {
            self.check_bound(value.chars().count(), bound)?;
        }
        self.put_wstring(value)
    }
}

impl Decoder<'_> {
    /// Reads a wide character.
    ///
    /// # Errors
    /// In GIOP 1.0, and when the octets are not one character in UTF-16.
    pub fn wchar(&mut self) -> CdrResult<char> {
        let text = match self.wide_format() {
            WideFormat::Refused => return Err(refused()),
            WideFormat::Units => {
                let unit = self.u16()?;
                self.utf16([unit])?
            }
            WideFormat::Octets => {
                let length = self.u8()?;
                let octets = self.raw(length.into())?;
                self.units(octets)?
            }
        };
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => Ok(character),
            _ => Err(self.error(CdrErrorKind::MalformedWide)),
        }
    }

    /// Reads a wide string.
    ///
    /// # Errors
    /// In GIOP 1.0, when it is malformed, contains a NUL, or lacks the one that ends it in GIOP 1.1.
    pub fn wstring(&mut self) -> CdrResult<String> {
        let text = match self.wide_format() {
            WideFormat::Refused => return Err(refused()),
            WideFormat::Units => {
                let length = self.length()?;
                let mut units = self.u16s(length)?;
                match units.pop() {
                    None | Some(0) => self.utf16(units)?,
                    Some(_) => return Err(self.error(CdrErrorKind::MissingNul)),
                }
            }
            WideFormat::Octets => {
                let octets = self.octets()?;
                self.units(octets)?
            }
        };
        match text.contains('\0') {
            true => Err(self.error(CdrErrorKind::EmbeddedNul)),
            false => Ok(text),
        }
    }

    /// Reads a wide string of at most `bound` characters, however many units each takes.
    ///
    /// # Errors
    /// When it is longer, or as [`wstring`](Self::wstring).
    pub fn bounded_wstring(&mut self, bound: u32) -> CdrResult<String> {
        let text = self.wstring()?;
        if text.len() > bound as usize {
            self.check_bound(text.chars().count(), bound)?;
        }
        Ok(text)
    }

    /// UTF-16 in octets, behind a byte order mark or the most significant octets first.
    fn units(&self, octets: &[u8]) -> CdrResult<String> {
        let (order, octets) = match octets {
            [0xfe, 0xff, text @ ..] => (ByteOrder::Big, text),
            [0xff, 0xfe, text @ ..] => (ByteOrder::Little, text),
            text => (ByteOrder::Big, text),
        };
        let unit = |octets: &[u8; 2]| match order {
            ByteOrder::Big => u16::from_be_bytes(*octets),
            ByteOrder::Little => u16::from_le_bytes(*octets),
        };
        match octets.as_chunks() {
            (units, []) => self.utf16(units.iter().map(unit)),
            _ => Err(self.error(CdrErrorKind::MalformedWide)),
        }
    }

    fn utf16(&self, units: impl IntoIterator<Item = u16>) -> CdrResult<String> {
        let characters = char::decode_utf16(units).collect::<Result<String, _>>();
        characters.map_err(|_| self.error(CdrErrorKind::MalformedWide))
    }
}

#[cold]
const fn refused() -> CdrError {
    CdrError::new(CdrErrorKind::Invalid("GIOP 1.0 cannot carry wide characters"))
}

impl Encode for char {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_wchar(*self)
    }
}

impl<'a> Decode<'a> for char {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.wchar()
    }
}

impl Encode for WString {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_wstring(self)
    }
}

impl<'a> Decode<'a> for WString {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.wstring().map(Self)
    }
}
