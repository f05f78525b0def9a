//! The chunks in which the state of a value may be encoded (CORBA 3.4 Part 2, 9.3.4.5).
//!
//! A decoder sees one chunk at a time, and calls this module at its end. `crate::value` interprets
//! the other tags between chunks.
//!
//! Two other ORBs write chunks in ways of their own, and the decoder reads both. omniORB counts the
//! padding behind the last datum of a chunk as part of the chunk. TAO (2.2.2) ends the state of each
//! base of a value as if it were a nested value, though none has begun. It also puts nested values
//! into the chunk of the outer one, headers included, where they are levels of their own. No legal
//! stream has an end tag for a value that has not begun, or the tag of a value within a chunk, so
//! neither can be taken for the other. One thing is lost: an indirection does not find a value in
//! the chunks that are skipped when a value of TAO is truncated, because nothing there tells values
//! from other data.

use super::Decoder;
use crate::stack_budget::StackBudget;
use crate::value_table::{DecodedValues, is_chunk_size};
use crate::{CdrError, CdrErrorKind, CdrResult};

/// The position of a decoder, including its position among chunks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checkpoint {
    place: usize,
    end: usize,
    limit: usize,
    level: u32,
    ended: u32,
}

impl<'a> Decoder<'a> {
    /// The current state, for [`rewind`](Self::rewind).
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        let (place, end) = (self.place(), self.end_of_chunk());
        match &self.values {
            None => Checkpoint { place, end, limit: end, level: 0, ended: u32::MAX },
            Some(table) => {
                let (limit, level, ended) = (table.limit, table.level, table.ended);
                Checkpoint { place, end, limit, level, ended }
            }
        }
    }

    /// Restores an earlier state. Values that were registered meanwhile stay registered.
    pub(crate) fn rewind(&mut self, to: Checkpoint) {
        self.restore_chunks(to);
        self.go_to(to.place, to.end);
    }

    fn restore_chunks(&mut self, to: Checkpoint) {
        if let Some(table) = &mut self.values {
            (table.end, table.limit) = (to.end, to.limit);
            (table.level, table.ended) = (to.level, to.ended);
        }
    }

    /// Begins to read a value that lies in the present chunk with its header. Returns what
    /// [`leave_value_in_chunk`](Self::leave_value_in_chunk) needs at its end.
    #[cold]
    pub(crate) fn enter_value_in_chunk(&mut self) -> Checkpoint {
        let outer = self.checkpoint();
        let table = self.table();
        (table.limit, table.level, table.ended) = (table.end, 0, u32::MAX);
        outer
    }

    /// Goes on in the chunk in which a value lay.
    #[cold]
    pub(crate) fn leave_value_in_chunk(&mut self, outer: Checkpoint) {
        self.restore_chunks(outer);
        self.see_up_to(outer.end);
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
    /// Skips the padding at the end of a chunk.
    pub(crate) fn is_between_chunks(&mut self) -> bool {
        if self.table().level == 0 {
            return false;
        }
        self.skip_padding();
        self.place() == self.table().end
    }

    /// Skips padding up to a tag, if nothing else is left of the chunk.
    pub(crate) fn skip_padding(&mut self) {
        let (end, padding) = (self.table().end, self.position.wrapping_neg() % 4);
        if (1..=padding).contains(&end.saturating_sub(self.place())) {
            self.skip_to(end);
        }
    }

    /// Reads a tag, which may be between chunks.
    pub(crate) fn tag(&mut self) -> CdrResult<u32> {
        match self.is_between_chunks() {
            true => {
                let mut tag = self.tag_between_chunks()?;
                while self.is_end_of_base(tag) {
                    tag = self.u32()?;
                }
                Ok(tag)
            }
            false => self.u32(),
        }
    }

    /// Reads the next tag between chunks, whatever it is.
    pub(crate) fn tag_between_chunks(&mut self) -> CdrResult<u32> {
        let values = self.table();
        if values.ended <= values.level {
            return Err(self.invalid("a value ends before its state does"));
        }
        self.see_all();
        self.u32()
    }

    /// Whether a tag between chunks ends the state of a base, as TAO has it, and so means nothing.
    pub(crate) fn is_end_of_base(&mut self, tag: u32) -> bool {
        self.table().level == 1 && (0x8000_0000..u32::MAX).contains(&tag)
    }

    /// Hides what follows if it is between chunks, or else shows all octets.
    pub(crate) fn leave(&mut self, between_chunks: bool) {
        if between_chunks {
            self.set_end(self.place());
        } else if self.table().level == 0 {
            self.see_all();
        }
    }

    fn see_all(&mut self) {
        let end = self.table().limit;
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
        let left = self.table().limit.saturating_sub(self.place());
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
            || end == values.limit
        {
            return false;
        }
        // Padding may have been skipped at the end of the chunk, although there is none.
        let back = self.checkpoint();
        self.position = self.octets.len();
        self.see_all();
        let mut size = self.u32();
        while size.is_ok_and(|size| self.is_end_of_base(size)) {
            size = self.u32();
        }
        if let Some(size) = size.ok().filter(|size| is_chunk_size(*size))
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
