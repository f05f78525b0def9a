//! The lengths of sequences whose element type is known only at run time.

use super::ZERO_SIZED_LIMIT;
use crate::{CdrResult, Decoder, TypeCode};

impl Decoder<'_> {
    /// Reads the length of a sequence of elements of this type, which may take no octets
    /// ([`zero_sized_parts`](TypeCode::zero_sized_parts)).
    ///
    /// # Errors
    /// When the remaining octets cannot hold as many elements.
    pub fn length_for(&mut self, element: &TypeCode) -> CdrResult<usize> {
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
