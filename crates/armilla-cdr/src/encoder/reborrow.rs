//! The same output with a shorter lifetime, for payloads that do not live until the message is
//! sent.

use super::{Borrowed, Encoder};
use crate::{Buffer, CdrResult};

impl Encoder<'_> {
    /// The same output for payloads that need not outlive `'p`: all of them are copied.
    pub(crate) fn reborrow<'s>(&mut self) -> Encoder<'s> {
        Encoder {
            buffer: core::mem::take(&mut self.buffer),
            borrowed: Borrowed::full(self.borrowed.octets()),
            wide: self.wide,
            in_any: self.in_any,
            eights_from: self.eights_from,
            values: self.values.take(),
            ..Encoder::with_reused_buffer(Buffer::new(), self.order, self.code_sets)
        }
    }

    pub(crate) fn end_reborrow(&mut self, lent: Encoder<'_>) {
        self.buffer = lent.buffer;
        self.eights_from = lent.eights_from;
        self.values = lent.values;
    }

    /// Calls `write` with the same output for payloads that need not outlive `'p`: all of them are
    /// copied.
    ///
    /// # Errors
    /// Those of `write`.
    pub fn with_copies<'s>(
        &mut self,
        write: impl FnOnce(&mut Encoder<'s>) -> CdrResult,
    ) -> CdrResult {
        let mut lent = self.reborrow();
        let written = write(&mut lent);
        self.end_reborrow(lent);
        written
    }
}
