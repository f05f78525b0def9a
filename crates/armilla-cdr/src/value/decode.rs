//! Reads valuetypes: registers them, resolves indirections to them, and reads their state.

mod head;
mod parts;

pub use head::{NewValue, ValueHead};
pub(crate) use parts::Part;

use crate::decoder::Checkpoint;
use crate::value_table::{KnownValue, ValueHandle};
use crate::{CdrErrorKind, CdrResult, Decoder, TypeCode};
use head::Next;

/// Limits rereading for values that several `any`s share, as a multiple of the size of the message.
const MAX_AGAIN: usize = 4;

impl<'a> Decoder<'a> {
    /// Moves to the value at `target`, which `level` values in chunks enclose.
    fn go_to_value(&mut self, target: usize, level: u32) -> CdrResult {
        let table = self.table();
        if table.again > table.full.len().saturating_mul(MAX_AGAIN) {
            return Err(self.invalid("shared values are reread more often than the limit allows"));
        }
        (table.level, table.ended) = (level, u32::MAX);
        table.limit = table.full.len();
        table.end = if level > 0 { target } else { table.limit };
        let end = table.end;
        self.go_to(target, end);
        Ok(())
    }

    /// Returns from a value that began at `begun`, and counts the octets that were reread.
    fn go_back(&mut self, begun: usize, back: Checkpoint) {
        let octets = self.place().saturating_sub(begun);
        let table = self.table();
        table.again = table.again.saturating_add(octets);
        self.rewind(back);
    }
    /// Registers `value` as the one that begins at `head`, for later indirections. A value is
    /// registered before its state is read, because the state may refer back to it.
    pub fn register_value(&mut self, head: &NewValue<'a>, value: ValueHandle) {
        let table = self.table();
        let level = table.level - u32::from(head.chunked);
        table.known.insert(head.position, KnownValue { handle: value, level });
    }

    /// The value that was registered at `head`, if it is being [reread](Self::reread_value).
    pub fn registered_value(&mut self, head: &NewValue<'a>) -> Option<ValueHandle> {
        self.table().known.at(head.position).map(|known| known.handle.clone())
    }

    /// Moves to the known value that [`value_head`](Self::value_head) has just found, calls `read`
    /// at its header, and returns to the octets after the indirection. An `any` needs this, because
    /// it contains its whole value, even if the message shares values among `any`s and other
    /// parameters (CORBA 3.4 Part 2, 9.3.4.3).
    ///
    /// # Errors
    /// Those of `read`; when more than four times the message is reread.
    pub fn reread_value<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> CdrResult<T>,
    ) -> CdrResult<T> {
        let back = self.checkpoint();
        let table = self.table();
        let target = table.target;
        let Some(level) = table.known.at(target).map(|known| known.level) else {
            return Err(self.invalid("an indirection leads to no value"));
        };
        self.go_to_value(target, level)?;
        let result = read(self);
        self.go_back(target, back);
        result
    }

    /// The same decoder with types that an `any` in the input does not describe.
    pub(crate) fn with_types(mut self, types: &'a [TypeCode]) -> Self {
        if !types.is_empty() {
            self.table().types = types;
        }
        self
    }

    /// The type with this repository id, from the decoder or its context.
    pub(crate) fn value_type(&self, repository_id: &str) -> Option<TypeCode> {
        let mut types = self.values.iter().flat_map(|values| values.types);
        let known = types.find(|code| code.id() == Some(repository_id)).cloned();
        known.or_else(|| self.any_context()?.value_type(repository_id))
    }

    /// Reads the state of a value. If it is `truncated`, skips the rest that `read` leaves.
    ///
    /// # Errors
    /// Those of `read`; when values nest too deeply or are not terminated correctly.
    pub fn value_state<T>(
        &mut self,
        head: &NewValue<'a>,
        truncated: bool,
        read: impl FnOnce(&mut Self) -> CdrResult<T>,
    ) -> CdrResult<T> {
        self.nested(|input| {
            let state = read(input)?;
            input.end_state(head, truncated)?;
            Ok(state)
        })
    }

    /// Does what [`value_state`](Self::value_state) does, for callers that limit the use of the
    /// stack ([`stack_used`](Self::stack_used), [`on_another_stack`](Self::on_another_stack)). Such
    /// values may nest `limit` levels, each with a new count of other nesting.
    ///
    /// # Errors
    /// Those of [`value_state`](Self::value_state).
    pub fn deep_value_state<T>(
        &mut self,
        head: &NewValue<'a>,
        truncated: bool,
        limit: u32,
        read: impl FnOnce(&mut Self) -> CdrResult<T>,
    ) -> CdrResult<T> {
        if self.table().depth >= limit {
            return Err(self.error(CdrErrorKind::ValuesTooDeep { limit }));
        }
        self.table().depth += 1;
        let state = self.with_fresh_depth(read);
        self.table().depth -= 1;
        let state = state?;
        self.end_state(head, truncated)?;
        Ok(state)
    }

    fn end_state(&mut self, head: &NewValue<'a>, truncated: bool) -> CdrResult {
        if head.chunked {
            self.end_chunked(truncated)?;
        }
        self.go_on_behind_value(head);
        Ok(())
    }

    /// Goes on where reading goes on behind a value that has just been read.
    fn go_on_behind_value(&mut self, head: &NewValue<'a>) {
        match head.next {
            Next::Here => {}
            Next::Indirection(back) => self.go_back(head.position, back),
            Next::Chunk(outer) => self.leave_value_in_chunk(outer),
        }
    }
}
