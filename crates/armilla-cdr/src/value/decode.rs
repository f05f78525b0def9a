//! Octets into values.

mod parts;

pub(crate) use parts::Part;

use super::{CHUNKED, CODEBASE, INDIRECTION, MANY_IDS, NULL, ONE_ID, TAG, TYPE, ValueHandle};
use crate::decoder::StackBudget;
use crate::{CdrError, CdrErrorKind, CdrResult, Decoder, TypeCode};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The longest repository id or codebase URL that is accepted, in octets.
const MAX_ID: usize = 4096;

/// The most repository ids that one value may have.
const MAX_IDS: usize = 64;

/// How many times the octets of a message may be read again in all, for values that several `any`s share.
const MAX_AGAIN: usize = 4;

/// What a decoder notes of the values in its input.
#[derive(Clone)]
pub(crate) struct Values<'a> {
    /// All octets.
    full: &'a [u8],
    /// Where the present chunk ends; the decoder sees nothing behind it.
    end: usize,
    /// How many values in chunks enclose the next octet.
    level: u32,
    /// Values of this level and above have ended: one end tag may end several.
    ended: u32,
    /// Where the last indirection led.
    target: usize,
    /// How many octets were read again.
    again: usize,
    /// How many values are being read by who looks to the stack itself.
    depth: u32,
    /// The stack for what nests in the value that is being read so.
    stack_budget: StackBudget,
    /// Types of values that the octets are known to hold.
    types: &'a [TypeCode],
    known: Notes<Known>,
    ids: Notes<&'a [u8]>,
    lists: Notes<Arc<[&'a [u8]]>>,
    /// Values in what was left out of truncated ones, and how many in chunks enclose each.
    skipped: Notes<u32>,
}

/// A value that was read, or is being read.
#[derive(Clone)]
struct Known {
    handle: ValueHandle,
    /// How many values in chunks enclose it.
    level: u32,
}

impl<'a> Values<'a> {
    /// All octets.
    pub(crate) const fn all(&self) -> &'a [u8] {
        self.full
    }
}

impl core::fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Values").field("known", &self.known.ordered.len()).finish_non_exhaustive()
    }
}

/// What stands where a value is expected.
pub enum ValueHead<'a> {
    /// No value.
    Null,
    /// A value that was read before, or is being read.
    Known(ValueHandle),
    /// A value that begins here.
    New(NewValue<'a>),
}

/// The head of a value.
#[derive(Debug)]
pub struct NewValue<'a> {
    position: usize,
    chunked: bool,
    codebase: Option<&'a [u8]>,
    ids: Ids<'a>,
    /// Where to go on behind it, when an indirection led to it.
    back: Option<Checkpoint>,
}

/// Where a decoder is, so that it can return there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checkpoint {
    place: usize,
    end: usize,
    level: u32,
    ended: u32,
}

#[derive(Debug)]
enum Ids<'a> {
    None,
    One(&'a [u8]),
    Many(Arc<[&'a [u8]]>),
}

impl<'a> NewValue<'a> {
    /// The repository ids of its type and of those to which it may be truncated, as octets; none
    /// when it is of the type that was expected.
    pub fn ids(&self) -> &[&'a [u8]] {
        match &self.ids {
            Ids::None => &[],
            Ids::One(id) => core::slice::from_ref(id),
            Ids::Many(ids) => ids,
        }
    }

    /// Whether one who does not know its type can step over what is left of it.
    pub const fn can_be_truncated(&self) -> bool {
        self.chunked
    }

    /// The URLs from which the sender says that code for it can be had.
    pub(crate) const fn codebase(&self) -> Option<&'a [u8]> {
        self.codebase
    }
}

impl<'a> Decoder<'a> {
    /// Reads what stands where a value is expected, up to its state.
    ///
    /// # Errors
    /// When it is no head of a value, or an indirection that leads to none.
    pub fn value_head(&mut self) -> CdrResult<ValueHead<'a>> {
        let between_chunks = self.is_between_chunks();
        let mut tag = self.tag()?;
        let in_chunk = between_chunks && is_size(tag);
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
                Err(self.invalid("a value begins within a chunk"))
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

    /// The value that begins at `head` in what was left out of another one, when an indirection led to
    /// it before this reading of what was left out. One that is read again on purpose is none.
    fn visited_before(&mut self, head: &NewValue<'a>) -> Option<ValueHandle> {
        let table = self.table();
        if table.skipped.ordered.is_empty() || table.target == head.position {
            return None;
        }
        table.skipped.at(head.position)?;
        table.known.at(head.position).map(|known| known.handle.clone())
    }

    /// Goes to the value at `target`, which was left out of a truncated one; its state leads back here.
    #[cold]
    fn skipped_value(&mut self, target: usize) -> CdrResult<NewValue<'a>> {
        let Some(level) = self.table().skipped.at(target).copied() else {
            return Err(self.invalid("an indirection leads to no value"));
        };
        let back = self.checkpoint();
        self.go_to_value(target, level)?;
        let tag = self.tag()?;
        let head = self.new_value(tag, target)?;
        Ok(NewValue { back: Some(back), ..head })
    }

    /// Goes to a value that so many in chunks enclose.
    fn go_to_value(&mut self, target: usize, level: u32) -> CdrResult {
        let table = self.table();
        if table.again > table.full.len().saturating_mul(MAX_AGAIN) {
            return Err(self.invalid("values that are needed again are too many"));
        }
        (table.level, table.ended) = (level, u32::MAX);
        table.end = if level > 0 { target } else { table.full.len() };
        let end = table.end;
        self.go_to(target, end);
        Ok(())
    }

    /// Returns from there.
    fn go_back(&mut self, begun: usize, back: Checkpoint) {
        let octets = self.place().saturating_sub(begun);
        let table = self.table();
        table.again = table.again.saturating_add(octets);
        self.restore(back);
    }

    fn restore(&mut self, back: Checkpoint) {
        let table = self.table();
        (table.end, table.level, table.ended) = (back.end, back.level, back.ended);
        self.go_to(back.place, back.end);
    }

    /// Notes that `value` is what begins at `head`, so that later indirections find it. Each value
    /// is noted before its state is read, for that may lead back to it.
    pub fn register_value(&mut self, head: &NewValue<'a>, value: ValueHandle) {
        let table = self.table();
        let level = table.level - u32::from(head.chunked);
        table.known.note(head.position, Known { handle: value, level });
    }

    /// What was noted of the value that begins at `head`, when it is being read
    /// [again](Self::reread_value).
    pub fn registered_value(&mut self, head: &NewValue<'a>) -> Option<ValueHandle> {
        self.table().known.at(head.position).map(|known| known.handle.clone())
    }

    /// Goes back to the value that [`value_head`](Self::value_head) has just found to be known,
    /// calls `read` at its head, and returns to what follows the indirection: for who needs the
    /// value in another form than it was read in. That is so with `any`s, each of which holds all
    /// of its value, though a message may share values among them and with other parameters
    /// (CORBA 3.4 Part 2, 9.3.4.3).
    ///
    /// # Errors
    /// Those of `read`, or when more is read again than four times the whole message.
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

    /// The same decoder for octets that hold values of these types, which an `any` among them need not
    /// describe.
    pub(crate) fn with_types(mut self, types: &'a [TypeCode]) -> Self {
        if !types.is_empty() {
            self.table().types = types;
        }
        self
    }

    /// A type of values that is known here though no TypeCode describes it.
    pub(crate) fn value_type(&self, repository_id: &str) -> Option<TypeCode> {
        let mut types = self.values.iter().flat_map(|values| values.types);
        let known = types.find(|code| code.id() == Some(repository_id)).cloned();
        known.or_else(|| self.any_context()?.value_type(repository_id))
    }

    /// Reads the state of a value. Where it is `truncated`, what `read` leaves of it is skipped.
    ///
    /// # Errors
    /// Those of `read`, or when values nest too deep or do not end as they should.
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

    /// As [`value_state`](Self::value_state), for who looks to the stack itself
    /// ([`stack_used`](Self::stack_used), [`on_another_stack`](Self::on_another_stack)): such values
    /// may nest `limit` deep, and what nests within each counts anew.
    ///
    /// # Errors
    /// As [`value_state`](Self::value_state).
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
        if let Some(back) = head.back {
            self.go_back(head.position, back);
        }
        Ok(())
    }

    fn new_value(&mut self, tag: u32, position: usize) -> CdrResult<NewValue<'a>> {
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
        Ok(NewValue { position, chunked, codebase, ids, back: None })
    }

    /// A repository id or a URL, or an indirection to an earlier one.
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
        self.table().ids.note(position, id);
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
        self.table().lists.note(position, ids.clone());
        Ok(ids)
    }

    /// Where an indirection leads, whose distance is next.
    fn target(&mut self) -> CdrResult<usize> {
        let distance = self.i32()?;
        let here = self.place() - 4;
        let target = isize::try_from(distance).ok().and_then(|d| here.checked_add_signed(d));
        target.ok_or_else(|| self.invalid("an indirection leads out of the message"))
    }

    fn invalid(&self, what: &'static str) -> CdrError {
        self.error(CdrErrorKind::Invalid(what))
    }

    /// The table, which is made with the first value.
    fn table(&mut self) -> &mut Values<'a> {
        let full = self.all();
        self.values.get_or_insert_with(|| {
            Box::new(Values {
                full,
                end: full.len(),
                level: 0,
                ended: u32::MAX,
                target: 0,
                again: 0,
                depth: 0,
                stack_budget: StackBudget::FULL,
                types: &[],
                known: Notes::default(),
                ids: Notes::default(),
                lists: Notes::default(),
                skipped: Notes::default(),
            })
        })
    }

    /// The stack for what nests in the value that is being read, or in what is no value.
    pub(crate) fn stack_budget(&self) -> StackBudget {
        self.values.as_ref().map_or(StackBudget::FULL, |values| values.stack_budget)
    }

    pub(crate) fn value_stack_budget(&mut self) -> &mut StackBudget {
        &mut self.table().stack_budget
    }

    /// Whether what follows is no data of a chunk: a chunk, a value, or the end of one.
    fn is_between_chunks(&mut self) -> bool {
        self.table().level > 0 && self.place() == self.table().end
    }

    /// Reads a tag, between chunks if it stands there.
    fn tag(&mut self) -> CdrResult<u32> {
        if self.is_between_chunks() {
            let values = self.table();
            if values.ended <= values.level {
                return Err(self.invalid("a value ends before its state does"));
            }
            self.see_all();
        }
        self.u32()
    }

    /// Hides what follows, when it stands between chunks; else everything can be seen.
    fn leave(&mut self, between_chunks: bool) {
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

    /// Where what the decoder may read at present ends.
    pub(crate) fn end_of_chunk(&self) -> usize {
        self.values.as_ref().map_or_else(|| self.all().len(), |values| values.end)
    }

    /// Sees the chunk that begins here and has `size` octets.
    fn enter_chunk(&mut self, size: u32) -> CdrResult {
        let left = self.all().len() - self.place();
        let needed = size as usize;
        if needed > left {
            return Err(self.error(CdrErrorKind::Truncated { needed, left }));
        }
        self.set_end(self.place() + needed);
        Ok(())
    }

    /// Goes on to the next chunk, where the present one is used up and has a next.
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
        // Where the chunk ended nothing may have been skipped as padding.
        let back = self.checkpoint();
        self.position = self.octets.len();
        self.see_all();
        if let Some(size) = self.u32().ok().filter(|size| is_size(*size))
            && self.enter_chunk(size).is_ok()
        {
            return true;
        }
        self.restore(back);
        false
    }

    /// Whether what is read lies in chunks.
    #[inline]
    pub(crate) fn is_in_chunks(&self) -> bool {
        self.values.as_ref().is_some_and(|values| values.level > 0)
    }
}

/// Whether a tag is the size of a chunk.
fn is_size(tag: u32) -> bool {
    (1..TAG).contains(&tag)
}

/// A table only where there is a value.
pub(crate) type Table<'a> = Option<Box<Values<'a>>>;

/// What stands at some positions.
#[derive(Clone)]
struct Notes<T> {
    /// Most are noted from the first on to the last.
    ordered: Vec<(usize, T)>,
    /// What was skipped when what stands behind it was noted.
    late: BTreeMap<usize, T>,
}

impl<T> Default for Notes<T> {
    fn default() -> Self {
        Self { ordered: Vec::new(), late: BTreeMap::new() }
    }
}

impl<T> Notes<T> {
    fn note(&mut self, position: usize, what: T) {
        match self.ordered.last() {
            Some((last, _)) if *last >= position => match self.find(position) {
                Some(found) => self.ordered[found].1 = what,
                None => drop(self.late.insert(position, what)),
            },
            _ => self.ordered.push((position, what)),
        }
    }

    fn at(&self, position: usize) -> Option<&T> {
        let found = self.find(position).and_then(|found| self.ordered.get(found));
        found.map(|(_, what)| what).or_else(|| self.late.get(&position))
    }

    fn find(&self, position: usize) -> Option<usize> {
        self.ordered.binary_search_by_key(&position, |(position, _)| *position).ok()
    }
}
