//! Writes values in chunks unchanged, without knowing their types.
//!
//! The content of a chunk is aligned relative to the message, so it must keep its position modulo
//! eight. The header of the value provides the necessary padding: a single repository id may be
//! written as a list, and a list may get one more id, that of `ValueBase`, the base of every value.

use crate::encoding::Encoding;
use crate::value_table::{
    CHUNKED, CODEBASE, EncodedValues, MANY_IDS, ONE_ID, TAG, ValueHandle, ValueType,
};
use crate::{ByteOrder, CdrError, CdrErrorKind, CdrResult, Encoder};
use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// An id that every receiver knows. It moves what follows by four octets.
const VALUE_BASE: &[u8] = b"IDL:omg.org/CORBA/ValueBase:1.0";

/// The repository ids of a value in their encoded form.
struct Head<'i> {
    codebase: Option<&'i [u8]>,
    ids: Vec<&'i [u8]>,
    /// Whether they are a list, even if it has one element.
    list: bool,
    /// Whether [`VALUE_BASE`] follows them.
    padded: bool,
}

impl<'i> Head<'i> {
    /// The forms of a value header with these ids, the preferred one first.
    fn ways(
        codebase: Option<&'i [u8]>,
        ids: &[&'i [u8]],
        declared: Option<&'i str>,
    ) -> impl Iterator<Item = Self> {
        let way = move |ids: &[&'i [u8]], list, padded| {
            Some(Self { codebase, ids: ids.to_vec(), list, padded })
        };
        let declared = declared.filter(|id| !id.is_empty()).map(str::as_bytes);
        let ways = match ids {
            [] => [
                way(ids, false, false),
                declared.and_then(|id| way(&[id], false, false)),
                declared.and_then(|id| way(&[id], true, false)),
            ],
            [_] => [way(ids, false, false), way(ids, true, false), None],
            [ids @ .., VALUE_BASE] if ids.len() > 1 => {
                [way(ids, true, true), way(ids, true, false), None]
            }
            _ => [way(ids, true, false), way(ids, true, true), None],
        };
        ways.into_iter().flatten()
    }

    /// The size of the header and the padding after it, in an output that already has `values`.
    fn len(&self, values: &EncodedValues) -> usize {
        let in_full = |id: &[u8]| 4 + (id.len() + 1).next_multiple_of(4);
        let known = |id: &[u8]| values.ids.contains_key(id);
        let ids = self.ids.iter().enumerate().map(|(index, id)| {
            let earlier = self.ids.get(..index).is_some_and(|earlier| earlier.contains(id));
            if known(id) || earlier { 8 } else { in_full(id) }
        });
        let codebase = self.codebase.map_or(0, |url| if known(url) { 8 } else { in_full(url) });
        let padding = if self.padded { in_full(VALUE_BASE) } else { 0 };
        4 + codebase + if self.list { 4 } else { 0 } + ids.sum::<usize>() + padding
    }

    fn tag(&self) -> u32 {
        let ids = match (self.list, self.ids.is_empty()) {
            (true, _) => MANY_IDS,
            (false, true) => 0,
            (false, false) => ONE_ID,
        };
        TAG | CHUNKED | ids | if self.codebase.is_some() { CODEBASE } else { 0 }
    }
}

impl Encoder<'_> {
    /// Begins a value in chunks, which are then written one by one. `body` is the original position
    /// of the first chunk. `declared` is the repository id of the type that the receiver expects.
    ///
    /// # Errors
    /// When values nest too deeply, or no form of the header gives the required alignment.
    pub(crate) fn begin_parts(
        &mut self,
        value: &ValueHandle,
        codebase: Option<&[u8]>,
        ids: &[&[u8]],
        declared: Option<&str>,
        body: usize,
    ) -> CdrResult {
        self.check_depth()?;
        self.enter(value, ValueType::Described);
        // It may contain numbers of eight octets.
        self.eights_from = self.eights_from.min(self.len());
        let (place, values) = (self.len(), self.values.get_or_insert_default());
        let mut ways = Head::ways(codebase, ids, declared);
        let head = ways.find(|head| (place + head.len(values)) % 8 == body % 8);
        let head = head.ok_or(CdrError::new(CdrErrorKind::Invalid(
            "a value whose type has no repository id cannot be passed on with another alignment",
        )))?;
        values.level += 1;
        self.put_u32(head.tag());
        if let Some(url) = head.codebase {
            self.put_id(Cow::Owned(url.to_vec()))?;
        }
        if head.list {
            self.put_length(head.ids.len() + usize::from(head.padded))?;
        }
        head.ids.iter().try_for_each(|id| self.put_id(Cow::Owned(id.to_vec())))?;
        if head.padded {
            self.align(4);
            self.put_length(VALUE_BASE.len() + 1)?;
            self.copy_raw(VALUE_BASE);
            self.put_u8(0);
        }
        Ok(())
    }

    /// The number of enclosing values in chunks.
    pub(crate) fn value_level(&self) -> u32 {
        self.values.as_ref().map_or(0, |values| values.level)
    }

    /// The position of this value, if the output contains it.
    pub(crate) fn value_place(&self, value: &ValueHandle) -> Option<usize> {
        let address = Arc::as_ptr(value).cast::<()>() as usize;
        self.values.as_ref()?.known.get(address).map(|known| known.place)
    }

    /// Ends values that [`begin_parts`](Self::begin_parts) began, from level `ended` inwards.
    pub(crate) fn end_parts(&mut self, ended: u32) {
        self.put_end_tag(ended);
        let values = self.values.get_or_insert_default();
        // No value nests deeper than the limit.
        values.depth = values.depth.saturating_sub(values.level + 1 - ended);
        values.level = ended - 1;
    }

    /// Writes an end tag that ends nothing but the state of a base, as it came.
    pub(crate) fn end_base(&mut self, level: u32) {
        self.put_u32(level.wrapping_neg());
    }

    /// Goes on with the value that encloses the last one that was ended.
    pub(crate) fn leave_parts(&mut self) {
        self.open_chunk();
    }

    /// If `error` says that an opaque value has the other byte order, switches to that order and
    /// calls `write`, which begins with [`truncate`](Self::truncate).
    ///
    /// # Errors
    /// Those of `write`; any other `error`.
    #[cold]
    #[inline(never)]
    pub fn with_other_order<T>(
        &mut self,
        error: CdrError,
        write: impl FnOnce(&mut Self) -> CdrResult<T>,
    ) -> CdrResult<T> {
        if error.kind != CdrErrorKind::OtherByteOrder {
            return Err(error);
        }
        self.order = match self.order {
            ByteOrder::Big => ByteOrder::Little,
            ByteOrder::Little => ByteOrder::Big,
        };
        write(self)
    }

    /// Records that a value requires this encoding.
    pub(crate) fn want(&mut self, form: Encoding) {
        self.values.get_or_insert_default().wanted = Some(form);
    }

    /// The encoding that a value requires, if it could not be written in that of the output.
    pub(crate) fn wanted(&self) -> Option<Encoding> {
        self.values.as_ref()?.wanted
    }
}
