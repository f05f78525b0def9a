//! Strings.

use super::{BORROW_FROM, Encoder};
use crate::ascii::{has_nul, is_ascii_text};
use crate::{ByteOrder, CdrError, CdrErrorKind, CdrResult, CodeSet, code_set};
use alloc::vec::Vec;

impl<'p> Encoder<'p> {
    /// Appends a copy of a string in the code set of the connection (CORBA 3.4 Part 2, 9.3.2.7).
    ///
    /// # Errors
    /// When it contains a NUL or a character that the code set lacks.
    pub fn put_string(&mut self, value: &str) -> CdrResult {
        match self.needs_no_conversion(value)? {
            true => self.put_text(value.as_bytes()),
            false => self.put_converted(value),
        }
    }

    /// Appends a copy of the octets of a string: its length, these and the NUL, all at once.
    #[inline]
    pub(crate) fn put_text(&mut self, text: &[u8]) -> CdrResult {
        let Ok(counted) = u32::try_from(text.len() + 1) else {
            return Err(CdrError::new(CdrErrorKind::TooLong(text.len() + 1)));
        };
        let counted = match self.order {
            ByteOrder::Big => counted.to_be_bytes(),
            ByteOrder::Little => counted.to_le_bytes(),
        };
        self.align(counted.len());
        let room = self.buffer.reserve(counted.len() + text.len() + 1);
        if let Some((length, rest)) = room.split_first_chunk_mut()
            && let Some((nul, place)) = rest.split_last_mut()
        {
            *length = counted;
            place.copy_from_slice(text);
            *nul = 0;
        }
        Ok(())
    }

    /// Appends a string, which is borrowed if it is long and needs no conversion.
    ///
    /// # Errors
    /// Those of [`put_string`](Self::put_string).
    #[inline]
    pub fn borrow_string(&mut self, value: &'p str) -> CdrResult {
        if value.len() < BORROW_FROM || !self.needs_no_conversion(value)? {
            return self.put_string(value);
        }
        self.borrow_text(value.as_bytes())
    }

    /// Appends a valid string from its octets, if they are the same in every code set. Otherwise
    /// appends nothing and returns `false`.
    pub(crate) fn borrow_ascii(&mut self, text: &'p [u8]) -> CdrResult<bool> {
        if !is_ascii_text(text) {
            return Ok(false);
        }
        match text.len() < BORROW_FROM {
            true => self.put_text(text)?,
            false => self.borrow_text(text)?,
        }
        Ok(true)
    }

    fn borrow_text(&mut self, text: &'p [u8]) -> CdrResult {
        self.put_length(text.len() + 1)?;
        self.put_raw(text);
        self.put_u8(0);
        Ok(())
    }

    /// Whether the octets of a string are the same in the code set of the connection.
    #[inline]
    fn needs_no_conversion(&self, value: &str) -> CdrResult<bool> {
        if is_ascii_text(value.as_bytes()) {
            return Ok(true);
        }
        if has_nul(value.as_bytes()) {
            return Err(CdrError::new(CdrErrorKind::EmbeddedNul));
        }
        Ok(self.code_sets.char == CodeSet::Utf8)
    }

    /// Appends a string that must be converted.
    fn put_converted(&mut self, value: &str) -> CdrResult {
        let set = self.code_sets.char;
        let mut octets = Vec::with_capacity(value.len() + 1);
        if let Err(character) = code_set::encode(value, set, &mut octets) {
            return Err(CdrError::at(CdrErrorKind::NotInCodeSet(character, set), self.len()));
        }
        octets.push(0);
        self.copy_octets(&octets)
    }

    /// Appends a string of at most `bound` characters. Their sizes do not count, so that the
    /// validity of a value does not depend on the code set of the connection.
    ///
    /// ```
    /// use armilla_cdr::{ByteOrder, CdrErrorKind, Encoder};
    ///
    /// let mut out = Encoder::new(ByteOrder::NATIVE);
    /// out.put_bounded_string("Vega", 8)?;
    /// let error = out.put_bounded_string("Betelgeuse", 8).unwrap_err();
    /// assert_eq!(error.kind, CdrErrorKind::BoundExceeded { bound: 8, length: 10 });
    /// # Ok::<(), armilla_cdr::CdrError>(())
    /// ```
    ///
    /// # Errors
    /// When it is longer; those of [`put_string`](Self::put_string).
    pub fn put_bounded_string(&mut self, value: &str, bound: u32) -> CdrResult {
        if value.len() > bound as usize {
            self.check_bound(value.chars().count(), bound)?;
        }
        self.put_string(value)
    }
}
