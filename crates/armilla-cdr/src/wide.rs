//! Wide characters and strings: IDL `wchar`, which is a Rust `char`, and `wstring`.
//!
//! The transmission code set is UTF-16, UCS-2 or UCS-4. The layout of the units depends on the
//! version of GIOP (CORBA 3.4 Part 2, 9.3.2.6 and 9.3.2.7).

use crate::lone_surrogate::{itself, units};
use crate::{
    ByteOrder, CdrError, CdrErrorKind, CdrResult, CodeSet, Decode, Decoder, Encode, Encoder,
    LoneSurrogate,
};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

/// The format of wide characters, which depends on the version of GIOP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum WideFormat {
    /// GIOP 1.0 has no wide characters.
    Refused,
    /// GIOP 1.1: units of two octets in the byte order of the message. A string ends with a NUL,
    /// which its length includes.
    Units,
    /// GIOP 1.2 and later: octets after their number, big-endian unless a byte order mark says
    /// otherwise.
    #[default]
    Octets,
}

/// An IDL `wstring`: a Rust string that is encoded as a wide string.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct WString(pub String);

impl WString {
    /// The text of these units of UTF-16. [`LoneSurrogate`] says how it holds those that are no
    /// character.
    ///
    /// # Errors
    /// When a pair of units is one of the characters that stand for lone surrogates.
    pub fn from_units(units: impl IntoIterator<Item = u16>) -> CdrResult<Self> {
        let characters = char::decode_utf16(units).map(|decoded| match decoded {
            Ok(character) => itself(character),
            Err(error) => {
                let surrogate = LoneSurrogate::new(error.unpaired_surrogate());
                Ok(surrogate.map_or(char::REPLACEMENT_CHARACTER, LoneSurrogate::as_char))
            }
        });
        characters.collect::<CdrResult<String>>().map(Self)
    }

    /// The units of UTF-16 of the text, lone surrogates among them.
    pub fn units(&self) -> impl Iterator<Item = u16> {
        units(self)
    }
}

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
    /// In GIOP 1.0; without a code set for wide characters; when the code set lacks the character;
    /// in GIOP 1.1, when it takes two units of UTF-16.
    pub fn put_wchar(&mut self, value: char) -> CdrResult {
        let set = self.sendable_set()?;
        let error = |kind, out: &Self| Err(CdrError::at(kind, out.len()));
        let mut units = [0; 2];
        let lone = self.lone_surrogate(value);
        let units: &[u16] = match lone {
            Some(surrogate) => &[surrogate.unit()],
            None => value.encode_utf16(&mut units),
        };
        let code = lone.map_or(value.into(), |surrogate| surrogate.unit().into());
        match (self.wide, set, units) {
            (_, CodeSet::Ucs2, [_, _]) => {
                return error(CdrErrorKind::NotInCodeSet(value, set), self);
            }
            (WideFormat::Units, CodeSet::Ucs4, _) => self.put_u32(code),
            (WideFormat::Units, _, [unit]) => self.put_u16(*unit),
            (WideFormat::Units, ..) => return error(CdrErrorKind::TwoUnits(value), self),
            (_, CodeSet::Ucs4, _) => {
                self.put_u8(4);
                self.copy_raw(&code.to_be_bytes());
            }
            (_, _, units) => {
                let mark: &[u16] = if needs_mark(value) { &[MARK] } else { &[] };
                // One character takes 2 or 4 octets, with a byte order mark 4.
                self.put_u8(2 * (mark.len() + units.len()) as u8);
                mark.iter().chain(units).for_each(|unit| self.copy_raw(&unit.to_be_bytes()));
            }
        }
        Ok(())
    }

    /// Appends a wide string.
    ///
    /// ```
    /// use armilla_cdr::{ByteOrder, CodeSet, CodeSets, Decoder, Encoder};
    ///
    /// let mut out = Encoder::new(ByteOrder::NATIVE);
    /// out.set_code_sets(CodeSets::with_utf_16(CodeSet::Utf8));
    /// out.put_wstring("Ωmega")?;
    /// let octets = out.to_vec();
    /// let mut input = Decoder::new(&octets, ByteOrder::NATIVE);
    /// assert_eq!(input.wstring()?, "Ωmega");
    /// # Ok::<(), armilla_cdr::CdrError>(())
    /// ```
    ///
    /// # Errors
    /// In GIOP 1.0; without a code set for wide characters; when the text contains a NUL or a
    /// character that the code set lacks.
    pub fn put_wstring(&mut self, value: &str) -> CdrResult {
        let set = self.sendable_set()?;
        if value.as_bytes().contains(&0) {
            return Err(CdrError::new(CdrErrorKind::EmbeddedNul));
        }
        if set == CodeSet::Ucs2
            && let Some(character) = value.chars().find(|character| {
                character.len_utf16() > 1 && self.lone_surrogate(*character).is_none()
            })
        {
            return Err(CdrError::at(CdrErrorKind::NotInCodeSet(character, set), self.len()));
        }
        match set {
            CodeSet::Ucs4 => self.put_ucs4(value),
            _ if self.code_sets.lone_surrogates => self.put_utf16(value, units(value)),
            _ => self.put_utf16(value, value.encode_utf16()),
        }
    }

    fn put_ucs4(&mut self, value: &str) -> CdrResult {
        let carries = self.code_sets.lone_surrogates;
        let codes = value.chars().map(|character| match LoneSurrogate::of(character) {
            Some(surrogate) if carries => surrogate.unit().into(),
            _ => character.into(),
        });
        if self.wide == WideFormat::Units {
            let codes: Vec<u32> = codes.chain([0]).collect();
            self.put_length(codes.len())?;
            self.copy_u32s(&codes);
            return Ok(());
        }
        let mark = value.starts_with('\u{feff}').then_some(MARK.into());
        let octets: Vec<u8> = mark.into_iter().chain(codes).flat_map(u32::to_be_bytes).collect();
        self.copy_octets(&octets)
    }

    /// Appends the text `value`, whose units are `units`.
    fn put_utf16(&mut self, value: &str, units: impl Iterator<Item = u16>) -> CdrResult {
        if self.wide == WideFormat::Units {
            let units: Vec<u16> = units.chain([0]).collect();
            self.put_length(units.len())?;
            self.copy_u16s(&units);
            return Ok(());
        }
        let mark = value.starts_with(needs_mark).then_some(MARK);
        let octets: Vec<u8> = mark.into_iter().chain(units).flat_map(u16::to_be_bytes).collect();
        self.copy_octets(&octets)
    }

    /// Appends a wide string of at most `bound` characters, regardless of their sizes.
    ///
    /// # Errors
    /// When it is longer; those of [`put_wstring`](Self::put_wstring).
    pub fn put_bounded_wstring(&mut self, value: &str, bound: u32) -> CdrResult {
        if value.len() > bound as usize {
            self.check_bound(value.chars().count(), bound)?;
        }
        self.put_wstring(value)
    }

    /// The lone surrogate for which a character stands, if the output carries them.
    fn lone_surrogate(&self, character: char) -> Option<LoneSurrogate> {
        LoneSurrogate::of(character).filter(|_| self.code_sets.lone_surrogates)
    }

    /// The code set of wide characters.
    fn sendable_set(&self) -> CdrResult<CodeSet> {
        match (self.wide, self.code_sets.wchar) {
            (WideFormat::Refused, _) => Err(CdrError::new(CdrErrorKind::WideInGiop1_0)),
            (_, None) => Err(CdrError::new(CdrErrorKind::NoWideCodeSet)),
            (_, Some(set)) => Ok(set),
        }
    }
}

/// The byte order mark.
const MARK: u16 = 0xfeff;

/// Whether a decoder would take the first character of the text for a byte order mark, and lose it.
fn needs_mark(first: char) -> bool {
    matches!(first, '\u{feff}' | '\u{fffe}')
}

impl Decoder<'_> {
    /// Reads a wide character.
    ///
    /// # Errors
    /// In GIOP 1.0; when the octets are not one character of the code set.
    pub fn wchar(&mut self) -> CdrResult<char> {
        let set = self.wide_code_set();
        match (self.wide_format(), set) {
            (WideFormat::Refused, _) => Err(CdrError::new(CdrErrorKind::WideInGiop1_0)),
            (WideFormat::Units, CodeSet::Ucs4) => {
                let code = self.u32()?;
                self.character(code, 0)
            }
            (WideFormat::Units, _) => {
                let unit = self.u16()?;
                self.character(unit.into(), 0)
            }
            (WideFormat::Octets, _) => {
                let length = self.u8()?;
                self.wchar_of(length.into())
            }
        }
    }

    /// The wide character in the next `length` octets. A lone byte order mark is a character.
    fn wchar_of(&mut self, length: usize) -> CdrResult<char> {
        let octets = self.raw(length)?;
        if matches!(octets, [0xfe, 0xff] | [0, 0, 0xfe, 0xff]) {
            return Ok('\u{feff}');
        }
        let text = self.wide_text(octets)?;
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => Ok(character),
            _ => Err(self.malformed_wide()),
        }
    }

    /// Reads a wide string.
    ///
    /// # Errors
    /// In GIOP 1.0; when it is malformed or contains a NUL; in GIOP 1.1, when it does not end with
    /// one.
    pub fn wstring(&mut self) -> CdrResult<String> {
        let text = match (self.wide_format(), self.wide_code_set()) {
            (WideFormat::Refused, _) => return Err(CdrError::new(CdrErrorKind::WideInGiop1_0)),
            (WideFormat::Units, CodeSet::Ucs4) => {
                let length = self.length()?;
                let mut units = self.u32s(length)?;
                self.ended(units.pop().unwrap_or_default())?;
                self.ucs4(units)?
            }
            (WideFormat::Units, _) => {
                let length = self.length()?;
                let mut units = self.u16s(length)?;
                self.ended(units.pop().unwrap_or_default().into())?;
                self.utf16(units)?
            }
            (WideFormat::Octets, _) => {
                let octets = self.octets()?;
                self.wide_text(octets)?
            }
        };
        match text.contains('\0') {
            true => Err(self.error(CdrErrorKind::EmbeddedNul)),
            false => Ok(text),
        }
    }

    /// Reads a wide string of at most `bound` characters, regardless of their sizes.
    ///
    /// # Errors
    /// When it is longer; those of [`wstring`](Self::wstring).
    pub fn bounded_wstring(&mut self, bound: u32) -> CdrResult<String> {
        let text = self.wstring()?;
        if text.len() > bound as usize {
            self.check_bound(text.chars().count(), bound)?;
        }
        Ok(text)
    }

    /// Whether the last unit of a wide string is NUL.
    fn ended(&self, last: u32) -> CdrResult {
        match last {
            0 => Ok(()),
            _ => Err(self.error(CdrErrorKind::MissingNul)),
        }
    }

    /// The text in `octets`: in the order of its byte order mark, or else big-endian.
    fn wide_text(&self, octets: &[u8]) -> CdrResult<String> {
        if self.wide_code_set() == CodeSet::Ucs4 {
            let (order, octets) = match octets {
                [0, 0, 0xfe, 0xff, text @ ..] => (ByteOrder::Big, text),
                [0xff, 0xfe, 0, 0, text @ ..] => (ByteOrder::Little, text),
                text => (ByteOrder::Big, text),
            };
            let (units, []) = octets.as_chunks() else { return Err(self.malformed_wide()) };
            return self.ucs4(units.iter().map(|unit| match order {
                ByteOrder::Big => u32::from_be_bytes(*unit),
                ByteOrder::Little => u32::from_le_bytes(*unit),
            }));
        }
        let (order, octets) = match octets {
            [0xfe, 0xff, text @ ..] => (ByteOrder::Big, text),
            [0xff, 0xfe, text @ ..] => (ByteOrder::Little, text),
            text => (ByteOrder::Big, text),
        };
        let (units, []) = octets.as_chunks() else { return Err(self.malformed_wide()) };
        self.utf16(units.iter().map(|unit| match order {
            ByteOrder::Big => u16::from_be_bytes(*unit),
            ByteOrder::Little => u16::from_le_bytes(*unit),
        }))
    }

    fn ucs4(&self, codes: impl IntoIterator<Item = u32>) -> CdrResult<String> {
        let codes = codes.into_iter().enumerate();
        codes.map(|(index, code)| self.character(code, index)).collect()
    }

    /// The text in units of UTF-16, or of UCS-2, which has no pairs.
    fn utf16(&self, units: impl IntoIterator<Item = u16>) -> CdrResult<String> {
        let one_each = self.wide_code_set() == CodeSet::Ucs2;
        let mut index = 0;
        let mut text = String::new();
        for decoded in char::decode_utf16(units) {
            match decoded {
                Ok(character) if character.len_utf16() == 1 => text.push(character),
                Ok(pair) if one_each => text.push_str(&self.two_of_ucs2(pair)?),
                Ok(pair) => text.push(self.itself(pair)?),
                Err(ref error) => {
                    text.push(self.character(error.unpaired_surrogate().into(), index)?);
                }
            }
            index += decoded.map_or(1, char::len_utf16);
        }
        Ok(text)
    }

    /// The two characters of UCS-2 that are a pair in UTF-16: lone surrogates both.
    fn two_of_ucs2(&self, pair: char) -> CdrResult<String> {
        match self.carries_lone_surrogates() {
            true => pair
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| self.character((*unit).into(), 0))
                .collect(),
            false => Err(self.malformed_wide()),
        }
    }

    /// The character with this number, `index` units from the start of its text. If lone
    /// surrogates are carried, another character stands for each.
    fn character(&self, code: u32, index: usize) -> CdrResult<char> {
        let surrogate = u16::try_from(code).ok().and_then(LoneSurrogate::new);
        match (char::from_u32(code), surrogate) {
            (Some(character), _) => self.itself(character),
            (None, Some(surrogate)) if self.carries_lone_surrogates() => Ok(surrogate.as_char()),
            (None, Some(surrogate)) => {
                let unit = surrogate.unit();
                Err(self.error(CdrErrorKind::LoneSurrogate { unit, index }))
            }
            (None, None) => Err(self.malformed_wide()),
        }
    }

    /// The character, unless it stands for a lone surrogate because these are carried.
    fn itself(&self, character: char) -> CdrResult<char> {
        match self.carries_lone_surrogates() {
            true => itself(character).map_err(|error| self.error(error.kind)),
            false => Ok(character),
        }
    }

    #[cold]
    fn malformed_wide(&self) -> CdrError {
        self.error(CdrErrorKind::Malformed(self.wide_code_set()))
    }
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
