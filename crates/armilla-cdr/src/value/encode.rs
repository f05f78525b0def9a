//! Writes valuetypes: headers, indirections, and state with or without chunks.

mod parts;

use crate::encoding::Encoding;
use crate::key_table::KeyTable;
use crate::value_table::{
    CHUNKED, EncodedValues, INDIRECTION, MANY_IDS, NULL, ONE_ID, TAG, ValueHandle, ValueType,
    WrittenValue,
};
use crate::{CdrError, CdrErrorKind, CdrResult, DEPTH_LIMIT, Encoder, TypeCode};
use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;

impl<'p> Encoder<'p> {
    /// Appends the null value.
    pub fn put_null_value(&mut self) {
        self.put_u32(NULL);
    }

    /// Begins a value. If the output already contains it, writes an indirection and returns `None`.
    /// Otherwise writes the header and returns an encoder for the state, which the caller passes to
    /// [`end_value`](Self::end_value). The state need not live as long as `'p`.
    ///
    /// `ids` are the repository ids of its type and of the bases to which the receiver may truncate
    /// it. The state of a truncatable or `custom` value is written in chunks. `type_code` is its
    /// type, for an `any` built from the output. The caller limits the use of the stack.
    ///
    /// `declared` is the repository id of the type that the receiver expects. A value of that very
    /// type needs no id, and no chunks because no receiver truncates it. It gets both all the same
    /// within a value in chunks: a receiver may skip it there, and an indirection from where another
    /// type is declared may lead to it. In an `any` it gets the id.
    ///
    /// # Errors
    /// When the message is too long for an indirection.
    pub fn begin_value<'s>(
        &mut self,
        value: &ValueHandle,
        declared: &str,
        ids: &'static [&'static str],
        custom: bool,
        type_code: fn() -> TypeCode,
    ) -> CdrResult<Option<Encoder<'s>>> {
        let is_free = !custom && !self.in_any && self.value_level() == 0;
        let ids = match ids {
            [id, ..] if is_free && *id == declared => &[],
            ids => ids,
        };
        let chunked = ids.len() > 1 || custom;
        let ids = ids.iter().map(|id| Cow::Borrowed(id.as_bytes()));
        self.begin(value, chunked, ValueType::Compiled(type_code), ids)
    }

    /// Does what [`begin_value`](Self::begin_value) does, for a value whose type is known at run
    /// time only. The repository ids are copied; none means that the value has the type that the
    /// receiver expects. `chunked` requests chunks, which are also used where they are required.
    /// `ty` is its type if the TypeCode of the whole does not describe it.
    ///
    /// # Errors
    /// Those of [`begin_value`](Self::begin_value); when values nest deeper than [`DEPTH_LIMIT`].
    pub fn begin_dynamic_value<'s>(
        &mut self,
        value: &ValueHandle,
        ids: &[&[u8]],
        chunked: bool,
        ty: Option<TypeCode>,
    ) -> CdrResult<Option<Encoder<'s>>> {
        let chunked = ids.len() > 1 || chunked;
        let ty = ty.map_or(ValueType::Described, ValueType::Known);
        self.check_depth()?;
        self.begin(value, chunked, ty, ids.iter().map(|id| Cow::Owned(id.to_vec())))
    }

    /// The distinct types of the written values, except those that the TypeCode of the whole
    /// describes.
    pub(crate) fn value_types(&self) -> Vec<TypeCode> {
        let (mut types, mut made, mut seen) =
            (Vec::new(), KeyTable::default(), KeyTable::default());
        for known in self.values.iter().flat_map(|values| values.known.entries()) {
            match &known.ty {
                ValueType::Compiled(make) if made.insert(*make as usize, ()) => types.push(make()),
                ValueType::Known(code)
                    if code.identity().is_none_or(|known| seen.insert(known, ())) =>
                {
                    types.push(code.clone());
                }
                _ => {}
            }
        }
        types
    }

    /// Whether this value was written before, so that an indirection suffices.
    pub fn has_value(&self, value: &ValueHandle) -> bool {
        let address = Arc::as_ptr(value).cast::<()>() as usize;
        self.values.as_ref().is_some_and(|values| values.known.contains(address))
    }

    fn begin<'s>(
        &mut self,
        value: &ValueHandle,
        chunked: bool,
        ty: ValueType,
        ids: impl ExactSizeIterator<Item = Cow<'static, [u8]>>,
    ) -> CdrResult<Option<Encoder<'s>>> {
        let address = Arc::as_ptr(value).cast::<()>() as usize;
        let values = self.values.get_or_insert_default();
        if let Some(met) = &mut values.met {
            met.push(value.clone());
            return Ok(None);
        }
        if let Some(WrittenValue { place, .. }) = values.known.get(address) {
            let place = *place;
            self.put_indirection(place)?;
            return Ok(None);
        }
        let values = self.enter(value, ty);
        let chunked = values.level > 0 || chunked;
        let kind = match ids.len() {
            0 => 0,
            1 => ONE_ID,
            _ => MANY_IDS,
        };
        self.put_u32(TAG | kind | if chunked { CHUNKED } else { 0 });
        self.put_ids(ids)?;
        if chunked {
            self.values.get_or_insert_default().level += 1;
            self.open_chunk();
        }
        Ok(Some(self.reborrow()))
    }

    /// The values that `write` refers to directly, once for each reference.
    ///
    /// # Errors
    /// Those of `write`.
    pub fn referenced_values(
        write: impl FnOnce(&mut Self) -> CdrResult,
    ) -> CdrResult<Vec<ValueHandle>> {
        let mut out = Encoder::in_form(Encoding::NATIVE);
        out.values.get_or_insert_default().met = Some(Vec::new());
        write(&mut out)?;
        Ok(out.values.and_then(|values| values.met).unwrap_or_default())
    }

    fn check_depth(&mut self) -> CdrResult {
        match self.values.get_or_insert_default().depth < u32::from(DEPTH_LIMIT) {
            true => Ok(()),
            false => Err(CdrError::new(CdrErrorKind::TooDeep { limit: DEPTH_LIMIT })),
        }
    }

    /// Records that `value` begins here.
    fn enter(&mut self, value: &ValueHandle, ty: ValueType) -> &mut EncodedValues {
        self.close_chunk();
        self.align(4);
        let place = self.len();
        let address = Arc::as_ptr(value).cast::<()>() as usize;
        let values = self.values.get_or_insert_default();
        values.known.insert(address, WrittenValue { place, _handle: value.clone(), ty });
        values.depth += 1;
        values
    }

    /// Ends a value whose state was written to `state` with the result `encoded`.
    ///
    /// # Errors
    /// Those of `encoded`; when a chunk is too long.
    pub fn end_value(&mut self, state: Encoder<'_>, encoded: CdrResult) -> CdrResult {
        self.end_reborrow(state);
        encoded?;
        self.close_chunk();
        let Some(values) = &mut self.values else { return Ok(()) };
        values.depth -= 1;
        if values.level > 0 {
            let level = values.level;
            values.level -= 1;
            self.put_end_tag(level);
            self.open_chunk();
        }
        Ok(())
    }

    /// Ends the values of this level and above. One tag ends all values that end at one place:
    /// omniORB, which writes only that one, takes a second one for the state of an outer value.
    fn put_end_tag(&mut self, level: u32) {
        let tag = level.wrapping_neg();
        let ended_at = self.values.as_ref().and_then(|values| values.ended_at);
        if ended_at == Some(self.len()) {
            return self.patch_u32(self.buffer.len() - 4, tag);
        }
        self.put_u32(tag);
        let here = self.len();
        self.values.get_or_insert_default().ended_at = Some(here);
    }

    fn put_ids(&mut self, ids: impl ExactSizeIterator<Item = Cow<'static, [u8]>>) -> CdrResult {
        if ids.len() > 1 {
            self.put_length(ids.len())?;
        }
        ids.into_iter().try_for_each(|id| self.put_id(id))
    }

    fn put_id(&mut self, id: Cow<'static, [u8]>) -> CdrResult {
        self.align(4);
        let place = self.len();
        let values = self.values.get_or_insert_default();
        match values.ids.get(&*id).copied() {
            Some(place) => self.put_indirection(place)?,
            None => {
                self.put_length(id.len() + 1)?;
                self.copy_raw(&id);
                self.put_u8(0);
                self.values.get_or_insert_default().ids.insert(id, place);
            }
        }
        Ok(())
    }

    /// Writes an indirection to `place`, as the distance from its own position.
    pub(crate) fn put_indirection(&mut self, place: usize) -> CdrResult {
        self.put_u32(INDIRECTION);
        let distance = i64::try_from(place).ok().zip(i64::try_from(self.len()).ok());
        let distance = distance.and_then(|(place, here)| i32::try_from(place - here).ok());
        let too_long = CdrError::new(CdrErrorKind::TooLong(self.len()));
        self.put_i32(distance.ok_or(too_long)?);
        Ok(())
    }

    /// Begins a chunk, if the output belongs to a value in chunks.
    fn open_chunk(&mut self) {
        if self.values.as_ref().is_some_and(|values| values.level > 0) {
            self.put_u32(0);
            let place = self.buffer.len() - 4;
            self.values.get_or_insert_default().chunk = Some(place);
        }
    }

    /// Ends the open chunk. An empty chunk is removed.
    fn close_chunk(&mut self) {
        let Some(place) = self.values.as_mut().and_then(|values| values.chunk.take()) else {
            return;
        };
        match self.buffer.len() - place - 4 {
            0 => self.buffer.truncate(place),
            // Such a message is refused later, because a message has at most 2 GiB.
            size => self.patch_u32(place, u32::try_from(size).unwrap_or(u32::MAX)),
        }
    }
}
