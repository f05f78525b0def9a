//! Strings.

use super::Decoder;
use crate::ascii::{has_nul, is_ascii_text};
use crate::{CdrErrorKind, CdrResult, CodeSet, code_set};
use alloc::borrow::Cow;

impl<'a> Decoder<'a> {
    /// Reads a string. It is borrowed if its octets are UTF-8 already.
    ///
    /// A length of 0, which some ORBs send for the empty string, is accepted.
    ///
    /// # Errors
    /// When it does not end with NUL, contains another NUL, or is malformed in its code set.
    pub fn string(&mut self) -> CdrResult<Cow<'a, str>> {
        let octets = match self.octets()? {
            [] => return Ok(Cow::Borrowed("")),
            [text @ .., 0] => text,
            _ => return Err(self.error(CdrErrorKind::MissingNul)),
        };
        let plain = is_ascii_text(octets);
        if !plain && has_nul(octets) {
            return Err(self.error(CdrErrorKind::EmbeddedNul));
        }
        match simdutf8::basic::from_utf8(octets) {
            Ok(text) if plain || self.code_sets.char == CodeSet::Utf8 => Ok(Cow::Borrowed(text)),
            _ => match code_set::decode(octets, self.code_sets.char) {
                Some(text) => Ok(Cow::Owned(text)),
                None => Err(self.error(CdrErrorKind::Malformed(self.code_sets.char))),
            },
        }
    }

    /// Whether the next string is `text`. The string stays unread. Some ORBs omit the repository id
    /// of an exception in an `any`.
    pub fn next_string_is(&mut self, text: &str) -> bool {
        let here = self.checkpoint();
        let found = self.octets();
        self.rewind(here);
        matches!(found, Ok([found @ .., 0]) if *found == *text.as_bytes())
    }

    /// Reads a string of at most `bound` characters, regardless of their sizes.
    ///
    /// # Errors
    /// When it is longer; those of [`string`](Self::string).
    pub fn bounded_string(&mut self, bound: u32) -> CdrResult<Cow<'a, str>> {
        let text = self.string()?;
        if text.len() > bound as usize {
            self.check_bound(text.chars().count(), bound)?;
        }
        Ok(text)
    }
}
