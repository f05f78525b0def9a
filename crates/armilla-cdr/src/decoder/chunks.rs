//! The chunks in which the state of a value may be encoded (CORBA 3.4 Part 2, 9.3.4.5).
//!
//! A decoder sees one chunk at a time, and calls this module at its end. `crate::value` interprets
//! the other tags between chunks.

use super::Decoder;
use crate::stack_budget::StackBudget;
use crate::value_table::{DecodedValues, is_chunk_size};
use crate::{CdrError, CdrErrorKind, CdrResult};

/// The position of a decoder, including its position among chunks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checkpoint {
    place: usize,
    end: usize,
    level: u32,
    ended: u32,
}

impl<'a> Decoder<'a> {
    /// The current state, for [`rewind`](Self::rewind).
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        let table = self.values.as_ref();
        let (level, ended) = table.map_or((0, u32::MAX), |table| (table.level, table.ended));
        Checkpoint { place: self.place(), end: self.end_of_chunk(), level, ended }
    }

    /// Restores an earlier state. Values that were registered meanwhile stay registered.
    pub(crate) fn rewind(&mut self, to: Checkpoint) {
        if let Some(table) = &mut self.values {
            (table.end, table.level, table.ended) = (to.end, to.level, to.ended);
        }
        self.go_to(to.place, to.end);
    }

    pub(crate) fn invalid(&self, what: &'static str) -> CdrError {
        self.error(CdrErrorKind::Invalid(what))
    }

    /// The table of values, which is created with the first value.
    pub(crate) fn table(&mut self) -> &mut DecodedValues<'a> {
        let full = self.all();
        self.values.get_or_insert_with(|| DecodedValues::new(full))
    }

    /// The stack budget within the value that is being read, or outside of values.
    pub(crate) fn stack_budget(&self) -> StackBudget {
        self.values.as_ref().map_or(StackBudget::FULL, |values| values.stack_budget)
    }

    pub(crate) fn value_stack_budget(&mut self) -> &mut StackBudget {
        &mut self.table().stack_budget
    }

    /// Whether the next octets are not the data of a chunk, but a chunk, a value, or an end tag.
    pub(crate) fn is_between_chunks(&mut self) -> bool {
        self.table().level > 0 && self.place() == self.table().end
    }

    /// Reads a tag, which may be between chunks.
    pub(crate) fn tag(&mut self) -> CdrResult<u32> {
        if self.is_between_chunks() {
            let values = self.table();
            if values.ended <= values.level {
                return Err(self.invalid("a value ends before its state does"));
            }
            self.see_all();
        }
        self.u32()
    }

    /// Hides the octets that follow if they are between chunks. Otherwise shows all octets.
    pub(crate) fn leave(&mut self, between_chunks: bool) {
        if between_chunks {
            self.set_end(self.place());
        } else if self.table().level == 0 {
            self.see_all();
        }
    }

    fn see_all(&mut self) {
        let end = self.table().full.len();
        self.set_end(end);
    }

    fn set_end(&mut self, end: usize) {
        self.table().end = end;
        self.see_up_to(end);
    }

    /// The end of the octets that the decoder may read now.
    pub(crate) fn end_of_chunk(&self) -> usize {
        self.values.as_ref().map_or_else(|| self.all().len(), |values| values.end)
    }

    /// Enters the chunk of `size` octets that begins here.
    pub(crate) fn enter_chunk(&mut self, size: u32) -> CdrResult {
        let left = self.all().len() - self.place();
        let needed = size as usize;
        if needed > left {
            return Err(self.error(CdrErrorKind::Truncated { needed, left }));
        }
        self.set_end(self.place() + needed);
        Ok(())
    }

    /// Enters the next chunk, if the current one is used up and another follows.
    #[cold]
    pub(crate) fn next_chunk(&mut self) -> bool {
        let Some(values) = &self.values else { return false };
        let end = values.end;
        if values.level == 0
            || values.ended <= values.level
            || self.place() < end
            || end == values.full.len()
        {
            return false;
        }
        // Padding may have been skipped at the end of the chunk, although there is none.
        let back = self.checkpoint();
        self.position = self.octets.len();
        self.see_all();
        if let Some(size) = self.u32().ok().filter(|size| is_chunk_size(*size))
            && self.enter_chunk(size).is_ok()
        {
            return true;
        }
        self.rewind(back);
        false
    }

    /// Whether the decoder reads the state of a value in chunks.
    #[inline]
    pub(crate) fn is_in_chunks(&self) -> bool {
        self.values.as_ref().is_some_and(|values| values.level > 0)
    }
}
