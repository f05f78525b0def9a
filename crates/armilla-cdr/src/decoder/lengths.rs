//! The lengths of sequences whose element type is known only at run time.

use super::ZERO_SIZED_LIMIT;
use crate::{CdrResult, Decoder, TypeCode};

impl Decoder<'_> {
    /// Reads the length of a sequence of at most `bound` elements of this type, or of any number if
    /// that is 0. The elements may take no octets
    /// ([`zero_sized_parts`](TypeCode::zero_sized_parts)).
    ///
    /// # Errors
    /// When the remaining octets cannot hold as many elements, or the length exceeds the bound.
    pub fn length_for(&mut self, element: &TypeCode, bound: u32) -> CdrResult<usize> {
        let length = self.unbounded_length_for(element)?;
        if bound > 0 {
            self.check_bound(length, bound)?;
        }
        Ok(length)
    }

    fn unbounded_length_for(&mut self, element: &TypeCode) -> CdrResult<usize> {
        let here = self.checkpoint();
        let length = self.length();
        // Computed only if needed, because there may be as many lengths as octets.
        if length.is_err() && element.zero_sized_parts(ZERO_SIZED_LIMIT as usize).is_some() {
            self.rewind(here);
            let length = self.u32()? as usize;
            self.check_bound(length, ZERO_SIZED_LIMIT)?;
            return Ok(length);
        }
        length
    }
}
