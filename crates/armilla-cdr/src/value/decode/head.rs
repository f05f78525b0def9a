//! The headers of values: tags, repository ids, codebases, and indirections to earlier ones (CORBA
//! 3.4 Part 2, 9.3.4.1 to 9.3.4.3).

use crate::decoder::Checkpoint;
use crate::value_table::{
    CHUNKED, CODEBASE, INDIRECTION, MANY_IDS, NULL, ONE_ID, TAG, TYPE, ValueHandle, is_chunk_size,
};
use crate::{CdrErrorKind, CdrResult, Decoder};
use alloc::sync::Arc;

/// The longest repository id or codebase URL that is accepted, in octets.
const MAX_ID: usize = 4096;

/// The most repository ids that one value may have.
const MAX_IDS: usize = 64;

/// The kinds of input where a value is expected.
pub enum ValueHead<'a> {
    /// The null value.
    Null,
    /// A value that was already read, or is being read.
    Known(ValueHandle),
    /// A new value. Its state follows.
    New(NewValue<'a>),
}

/// The header of a value.
#[derive(Debug)]
pub struct NewValue<'a> {
    pub(super) position: usize,
    pub(super) chunked: bool,
    codebase: Option<&'a [u8]>,
    ids: Ids<'a>,
    pub(super) next: Next,
}

/// Where reading goes on behind a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Next {
    /// Right behind it.
    Here,
    /// Behind the indirection that led to it.
    Indirection(Checkpoint),
    /// Right behind it, in the chunk in which it lies with its header.
    Chunk(Checkpoint),
}

#[derive(Debug)]
enum Ids<'a> {
    None,
    One(&'a [u8]),
    Many(Arc<[&'a [u8]]>),
}

impl<'a> NewValue<'a> {
    /// The repository ids of its type and of the bases to which it may be truncated, as octets.
    /// Empty if the value has the expected type.
    pub fn ids(&self) -> &[&'a [u8]] {
        match &self.ids {
            Ids::None => &[],
            Ids::One(id) => core::slice::from_ref(id),
            Ids::Many(ids) => ids,
        }
    }

    /// Whether a receiver that does not know the type can skip the rest of the value.
    pub const fn can_be_truncated(&self) -> bool {
        self.chunked
    }

    /// The codebase URLs of the sender.
    pub(crate) const fn codebase(&self) -> Option<&'a [u8]> {
        self.codebase
    }
}

impl<'a> Decoder<'a> {
    /// Reads the header of a value.
    ///
    /// # Errors
    /// When the input is not a value header, or an indirection that refers to no value.
    pub fn value_head(&mut self) -> CdrResult<ValueHead<'a>> {
        let between_chunks = self.is_between_chunks();
        let mut tag = self.tag()?;
        let in_chunk = between_chunks && is_chunk_size(tag);
        if in_chunk {
            self.enter_chunk(tag)?;
            tag = self.u32()?;
        }
        let position = self.place() - 4;
        match tag {
            NULL => {
                self.leave(between_chunks && !in_chunk);
                Ok(ValueHead::Null)
            }
            INDIRECTION => {
                let target = self.target()?;
                self.leave(between_chunks && !in_chunk);
                self.table().target = target;
                match self.table().known.at(target) {
                    Some(known) => Ok(ValueHead::Known(known.handle.clone())),
                    None => self.skipped_value(target).map(ValueHead::New),
                }
            }
            _ if self.table().level > 0 && (in_chunk || !between_chunks) => {
                let next = Next::Chunk(self.enter_value_in_chunk());
                let head = self.new_value(tag, position)?;
                Ok(ValueHead::New(NewValue { next, ..head }))
            }
            _ => {
                let head = self.new_value(tag, position)?;
                match self.visited_before(&head) {
                    None => Ok(ValueHead::New(head)),
                    Some(handle) => {
                        self.end_chunked(true)?;
                        Ok(ValueHead::Known(handle))
                    }
                }
            }
        }
    }

    /// The value that begins at `head` in a skipped part, if an indirection to it was resolved
    /// before. Does not apply to rereading.
    fn visited_before(&mut self, head: &NewValue<'a>) -> Option<ValueHandle> {
        let table = self.table();
        if table.skipped.is_empty() || table.target == head.position {
            return None;
        }
        table.skipped.at(head.position)?;
        table.known.at(head.position).map(|known| known.handle.clone())
    }

    /// Moves to the value at `target` in the skipped part of a truncated value, and returns here
    /// after its state.
    #[cold]
    fn skipped_value(&mut self, target: usize) -> CdrResult<NewValue<'a>> {
        let Some(level) = self.table().skipped.at(target).copied() else {
            return Err(self.invalid("an indirection leads to no value"));
        };
        let back = self.checkpoint();
        self.go_to_value(target, level)?;
        let tag = self.tag()?;
        let head = self.new_value(tag, target)?;
        Ok(NewValue { next: Next::Indirection(back), ..head })
    }

    pub(super) fn new_value(&mut self, tag: u32, position: usize) -> CdrResult<NewValue<'a>> {
        let flags = tag.wrapping_sub(TAG);
        if flags & !(CODEBASE | TYPE | CHUNKED) != 0 {
            return Err(self.invalid("no value begins with this tag"));
        }
        let chunked = flags & CHUNKED != 0;
        if !chunked && self.table().level > 0 {
            return Err(self.invalid("a value within one in chunks is not in chunks itself"));
        }
        let codebase = (flags & CODEBASE != 0).then(|| self.id()).transpose()?;
        let ids = match flags & TYPE {
            0 => Ids::None,
            ONE_ID => Ids::One(self.id()?),
            MANY_IDS => Ids::Many(self.id_list()?),
            _ => return Err(self.invalid("no value begins with this tag")),
        };
        if chunked {
            self.table().level += 1;
            self.leave(true);
        }
        Ok(NewValue { position, chunked, codebase, ids, next: Next::Here })
    }

    /// Reads a repository id or a URL, or an indirection to an earlier one.
    fn id(&mut self) -> CdrResult<&'a [u8]> {
        let length = self.u32()?;
        let position = self.place() - 4;
        if length == INDIRECTION {
            let target = self.target()?;
            let found = self.table().ids.at(target).copied();
            return found.ok_or_else(|| self.invalid("an indirection leads to no repository id"));
        }
        if length as usize > MAX_ID {
            return Err(self.invalid("a repository id is too long"));
        }
        let [id @ .., 0] = self.raw(length as usize)? else {
            return Err(self.error(CdrErrorKind::MissingNul));
        };
        self.table().ids.insert(position, id);
        Ok(id)
    }

    fn id_list(&mut self) -> CdrResult<Arc<[&'a [u8]]>> {
        let length = self.u32()?;
        let position = self.place() - 4;
        if length == INDIRECTION {
            let target = self.target()?;
            let found = self.table().lists.at(target).cloned();
            return found.ok_or_else(|| self.invalid("an indirection leads to no repository ids"));
        }
        if length as usize > MAX_IDS {
            return Err(self.invalid("a value has too many repository ids"));
        }
        let ids = (0..length).map(|_| self.id()).collect::<CdrResult<Arc<[_]>>>()?;
        self.table().lists.insert(position, ids.clone());
        Ok(ids)
    }

    /// The target of an indirection whose offset follows.
    fn target(&mut self) -> CdrResult<usize> {
        let distance = self.i32()?;
        let here = self.place() - 4;
        let target = isize::try_from(distance).ok().and_then(|d| here.checked_add_signed(d));
        target.ok_or_else(|| self.invalid("an indirection leads out of the message"))
    }
}
