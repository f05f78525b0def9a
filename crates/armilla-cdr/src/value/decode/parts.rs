//! Reads values in chunks without knowing their types.

use super::NewValue;
use crate::value_table::{NULL, ValueHandle, is_chunk_size};
use crate::{CdrResult, Decoder};

/// A part of a value in chunks.
pub(crate) enum Part<'a> {
    /// The content of a chunk.
    Chunk(&'a [u8]),
    /// The null value.
    Null,
    /// A nested value, up to its first part.
    Value(NewValue<'a>),
    /// The end of the values from this level inwards.
    End(u32),
    /// An end tag of this level that ends no value but the state of a base.
    EndOfBase(u32),
}

impl<'a> Decoder<'a> {
    /// Reads a value part by part, after its header.
    ///
    /// # Errors
    /// Those of `visit`; when the value is malformed.
    pub(crate) fn value_parts(
        &mut self,
        head: &NewValue<'a>,
        visit: impl FnMut(&mut Self, Part<'a>) -> CdrResult,
    ) -> CdrResult {
        self.parts(visit)?;
        self.go_on_behind_value(head);
        Ok(())
    }

    /// Reads the end of a value in chunks, and skips the rest of a truncated one.
    pub(super) fn end_chunked(&mut self, truncated: bool) -> CdrResult {
        self.skip_padding();
        if self.place() < self.end_of_chunk() && !truncated {
            return Err(self.invalid("a value has more state than its type"));
        }
        self.parts(|input, part| {
            match part {
                Part::End(_) | Part::EndOfBase(_) => {}
                _ if !truncated => return Err(input.invalid("a value does not end")),
                Part::Value(head) => {
                    let table = input.table();
                    table.skipped.insert(head.position, table.level - 1);
                }
                Part::Null | Part::Chunk(_) => {}
            }
            Ok(())
        })
    }

    /// Reads the rest of the innermost value in chunks, and its end.
    fn parts(&mut self, mut visit: impl FnMut(&mut Self, Part<'a>) -> CdrResult) -> CdrResult {
        let level = self.table().level;
        self.skip_to(self.end_of_chunk());
        while self.table().ended > level {
            let part = self.part()?;
            if let Part::End(ended) = part {
                if ended > self.table().level {
                    return Err(self.invalid("an end tag ends a value that was not begun"));
                }
                let table = self.table();
                table.level = ended - 1;
                table.ended = if ended <= level { ended } else { u32::MAX };
            }
            visit(self, part)?;
        }
        let values = self.table();
        values.level = level - 1;
        if values.ended == level {
            values.ended = u32::MAX;
        }
        self.leave(level > 1);
        Ok(())
    }

    fn part(&mut self) -> CdrResult<Part<'a>> {
        let tag = self.tag_between_chunks()?;
        Ok(match tag {
            NULL => Part::Null,
            tag if self.is_end_of_base(tag) => Part::EndOfBase(tag.wrapping_neg()),
            // End tags are negative. One of them equals the tag of an indirection, but indirections
            // only occur within chunks.
            0x8000_0000.. => Part::End(tag.wrapping_neg()),
            size if is_chunk_size(size) => Part::Chunk(self.raw(size as usize)?),
            tag => {
                let position = self.place() - 4;
                Part::Value(self.new_value(tag, position)?)
            }
        })
    }

    /// The number of enclosing values in chunks.
    pub(crate) fn value_level(&mut self) -> u32 {
        self.table().level
    }

    /// The value at `target`, if one was read there. `Some(None)` for one in a skipped part.
    pub(crate) fn value_at(&mut self, target: usize) -> Option<Option<ValueHandle>> {
        let table = self.table();
        match table.known.at(target) {
            Some(known) => Some(Some(known.handle.clone())),
            None => table.skipped.at(target).map(|_| None),
        }
    }
}
