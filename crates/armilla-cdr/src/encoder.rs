//! The encoder of numbers, strings, sequences and encapsulations (CORBA 3.4 Part 2, 9.3).
//!
//! The encoder of valuetypes is in `value`; those of `any`s and TypeCodes are in `any` and
//! `type_code`.

mod fixed;
mod numbers;
mod reborrow;
mod text;

use crate::encoding::Encoding;
use crate::value_table::EncodedValues;
use crate::{
    Buffer, ByteOrder, CdrError, CdrErrorKind, CdrResult, CodeSet, CodeSets, Encode, WideFormat,
};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The maximum number of borrowed payloads. Further ones are copied.
const MAX_BORROWED: usize = 4;

/// The maximum number of parts of the output.
const MAX_PARTS: usize = 2 * MAX_BORROWED + 1;

/// The minimum size of a borrowed payload, in octets. Copying less is cheaper than one more part of
/// a vectored write.
const BORROW_FROM: usize = 16 * 1024;

/// Writes CDR into a buffer that it owns, aligned from the start of that buffer.
///
/// Large payloads of octets or numbers are not copied: the encoder borrows them for `'p` and
/// remembers their positions. [`parts`](Self::parts) lists everything in order, for a vectored
/// write.
#[derive(Debug)]
pub struct Encoder<'p> {
    pub(crate) buffer: Buffer,
    pub(crate) order: ByteOrder,
    pub(crate) code_sets: CodeSets,
    pub(crate) wide: WideFormat,
    /// Whether the output is the value of an `any`.
    pub(crate) in_any: bool,
    borrowed: Borrowed<'p>,
    /// The length of the output when it was first aligned to eight.
    pub(crate) eights_from: usize,
    /// The values in the output, from the first of them on.
    pub(crate) values: Option<Box<EncodedValues>>,
}

/// The payloads that are part of the output but not in the buffer.
#[derive(Debug, Default)]
struct Borrowed<'p> {
    payloads: [Option<Payload<'p>>; MAX_BORROWED],
    count: usize,
    octets: usize,
}

/// A borrowed payload.
#[derive(Debug, Clone, Copy)]
struct Payload<'p> {
    /// Its position, in octets of the buffer.
    at: usize,
    octets: &'p [u8],
    /// Whether it consists of numbers of eight octets.
    eights: bool,
}

impl<'p> Borrowed<'p> {
    /// Borrows nothing more. `octets` are borrowed elsewhere.
    const fn full(octets: usize) -> Self {
        Self { payloads: [None; MAX_BORROWED], count: MAX_BORROWED, octets }
    }

    /// The payloads.
    fn iter(&self) -> impl Iterator<Item = Payload<'p>> {
        self.payloads.iter().take(self.count).copied().flatten()
    }

    /// The number of borrowed octets.
    const fn octets(&self) -> usize {
        self.octets
    }
}

impl<'p> Encoder<'p> {
    /// The most [`parts`](Self::parts) of an output.
    pub const MAX_PARTS: usize = MAX_PARTS;

    /// An encoder with an empty buffer, in ISO 8859-1.
    pub const fn new(order: ByteOrder) -> Self {
        Self::with_buffer(Vec::new(), order, CodeSet::Iso8859_1)
    }

    /// An encoder that appends to `buffer`, whose first octet is the origin of alignment.
    /// Strings are in `code_set`, wide characters in UTF-16.
    #[inline]
    pub const fn with_buffer(buffer: Vec<u8>, order: ByteOrder, code_set: CodeSet) -> Self {
        Self::with_code_sets(buffer, order, CodeSets::with_utf_16(code_set))
    }

    /// An encoder that appends to `buffer`, as [`with_buffer`](Self::with_buffer), for the
    /// characters of a connection.
    #[inline]
    pub const fn with_code_sets(buffer: Vec<u8>, order: ByteOrder, code_sets: CodeSets) -> Self {
        Self::with_reused_buffer(Buffer::of(buffer), order, code_sets)
    }

    /// An encoder that appends to `buffer`, which another encoder may have used before and which
    /// [`take_buffer`](Self::take_buffer) returns.
    #[inline]
    pub const fn with_reused_buffer(buffer: Buffer, order: ByteOrder, code_sets: CodeSets) -> Self {
        let borrowed = Borrowed { payloads: [None; MAX_BORROWED], count: 0, octets: 0 };
        let (wide, in_any) = (WideFormat::Octets, false);
        let (eights_from, values) = (usize::MAX, None);
        Self { buffer, order, code_sets, wide, in_any, borrowed, eights_from, values }
    }

    /// The code sets of characters.
    pub const fn code_sets(&self) -> CodeSets {
        self.code_sets
    }

    /// Sets the code sets of characters from here on. Unless set, wide characters are in UTF-16.
    #[inline]
    pub const fn set_code_sets(&mut self, code_sets: CodeSets) {
        self.code_sets = code_sets;
    }

    /// An encoder with an empty buffer, for this encoding.
    pub(crate) const fn in_form(form: Encoding) -> Self {
        let mut out = Self::with_code_sets(Vec::new(), form.order, form.code_sets);
        out.wide = form.wide;
        out
    }

    /// An encoder with an empty buffer, for the value of an `any` in this encoding.
    pub(crate) const fn for_any(form: Encoding) -> Self {
        let mut out = Self::in_form(form);
        out.in_any = true;
        out
    }

    /// The encoding of the output.
    pub(crate) const fn encoding(&self) -> Encoding {
        Encoding { order: self.order, code_sets: self.code_sets, wide: self.wide }
    }

    /// The format of wide characters: that of GIOP 1.2 unless it was set.
    pub const fn wide_format(&self) -> WideFormat {
        self.wide
    }

    /// Sets the format of wide characters from here on.
    #[inline]
    pub const fn set_wide_format(&mut self, format: WideFormat) {
        self.wide = format;
    }

    /// The length of the output in octets, including borrowed payloads.
    #[inline]
    pub const fn len(&self) -> usize {
        self.buffer.len() + self.borrowed.octets
    }

    /// Whether the output is empty.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The byte order of the output.
    pub const fn order(&self) -> ByteOrder {
        self.order
    }

    /// Discards all octets from `len` on, and all borrowed payloads and values. `len` must not be
    /// greater than the position of the first of those.
    #[inline(always)]
    pub fn truncate(&mut self, len: usize) {
        self.buffer.truncate(len);
        (self.borrowed.count, self.borrowed.octets) = (0, 0);
        self.eights_from = usize::MAX;
        if self.values.is_some() {
            self.forget_values();
        }
    }

    #[cold]
    #[inline(never)]
    fn forget_values(&mut self) {
        self.values = None;
    }

    /// The output as one slice, if nothing in it is borrowed.
    #[inline]
    pub fn as_contiguous(&self) -> Option<&[u8]> {
        (self.borrowed.count == 0).then(|| self.buffer.written())
    }

    /// The output in order, part by part.
    ///
    /// ```
    /// use armilla_cdr::{ByteOrder, Encoder};
    ///
    /// let image = vec![7_u8; 100_000];
    /// let mut out = Encoder::new(ByteOrder::NATIVE);
    /// out.put_length(image.len())?;
    /// out.put_raw(&image);
    /// // The payload is lent, not copied.
    /// assert!(out.parts().any(|part| part.as_ptr() == image.as_ptr()));
    /// # Ok::<(), armilla_cdr::CdrError>(())
    /// ```
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let written = self.buffer.written();
        let starts = core::iter::once(0).chain(self.borrowed.iter().map(|payload| payload.at));
        let ends = self.borrowed.iter().map(|payload| payload.at).chain([written.len()]);
        let own = starts.zip(ends).map(|(start, end)| &written[start..end]);
        let lent = self.borrowed.iter().map(|payload| payload.octets).chain([&[] as &[u8]]);
        own.zip(lent).flat_map(|(own, lent)| [own, lent]).filter(|part| !part.is_empty())
    }

    /// Fills `places` with the [`parts`](Self::parts), each converted by `part`, and returns their
    /// number.
    pub fn list_parts<'e, T>(
        &'e self,
        places: &mut [T; MAX_PARTS],
        part: impl Fn(&'e [u8]) -> T,
    ) -> usize {
        let written = self.buffer.written();
        let (mut count, mut start) = (0, 0);
        let mut list = |octets: &'e [u8]| {
            if !octets.is_empty() {
                places[count] = part(octets);
                count += 1;
            }
        };
        for payload in self.borrowed.iter() {
            list(&written[start..payload.at]);
            list(payload.octets);
            start = payload.at;
        }
        list(&written[start..]);
        count
    }

    /// Where to split the output so that the rest can be a fragment of GIOP 1.1, whose data begins
    /// four octets after a multiple of eight (CORBA 3.4 Part 2, 9.4.9): up to seven octets before
    /// `wanted`, or else at the first possible position after it. `None` if there is none.
    ///
    /// A number must not be split, and the second fragment must not begin with the padding of one.
    /// So no position is possible after the first number of eight octets, except within borrowed
    /// octets and smaller numbers. Output with values in it is not split, since indirections are
    /// distances, which do not reach across fragments.
    pub fn cut(&self, wanted: usize) -> Option<usize> {
        if self.values.is_some() {
            return None;
        }
        let mut borrowed = 0;
        let payloads = self.borrowed.iter().filter_map(|payload| {
            let start = payload.at + borrowed;
            borrowed += payload.octets.len();
            (!payload.eights).then_some(start..start + payload.octets.len())
        });
        let from = wanted.saturating_sub(7);
        let before = core::iter::once(0..self.eights_from.min(self.len()));
        let mut places = before.chain(payloads);
        places.find_map(|safe| {
            let first = safe.start.max(from).saturating_sub(4).next_multiple_of(8) + 4;
            safe.contains(&first).then_some(first)
        })
    }

    /// A copy of the output.
    pub fn to_vec(&self) -> Vec<u8> {
        self.parts().fold(Vec::with_capacity(self.len()), |mut all, part| {
            all.extend_from_slice(part);
            all
        })
    }

    /// The octets in the buffer, without borrowed payloads.
    pub fn into_buffer(self) -> Vec<u8> {
        self.buffer.into_vec()
    }

    /// Takes out the buffer with its content, for reuse, and drops borrowed payloads. It takes
    /// `&mut self`, because moving the encoder costs more than a check that it is empty. Afterwards
    /// the encoder owns nothing, so it may be [forgotten](core::mem::forget) instead of dropped.
    #[inline(always)]
    pub fn take_buffer(&mut self) -> Buffer {
        if self.values.is_some() {
            self.forget_values();
        }
        (self.borrowed.count, self.borrowed.octets) = (0, 0);
        core::mem::take(&mut self.buffer)
    }

    /// Pads with zeros to a multiple of `alignment`, a power of two.
    #[inline(always)]
    pub fn align(&mut self, alignment: usize) {
        if alignment == 8 {
            self.eights_from = self.eights_from.min(self.len());
        }
        debug_assert!(alignment <= 8, "CDR aligns to eight at most");
        let padding = self.len().wrapping_neg() & (alignment - 1);
        if padding != 0 {
            self.buffer.pad::<8>(self.buffer.len() + padding);
        }
    }

    /// Removes padding that begins at `len`, if nothing follows it.
    #[inline(always)]
    pub fn remove_padding(&mut self, len: usize) {
        debug_assert!(self.len() - len < 8, "more than padding");
        self.buffer.truncate(len - self.borrowed.octets);
    }

    /// Overwrites the four octets at `at`, which are before every borrowed payload.
    #[inline]
    pub fn patch_u32(&mut self, at: usize, value: u32) {
        let octets = match self.order {
            ByteOrder::Big => value.to_be_bytes(),
            ByteOrder::Little => value.to_le_bytes(),
        };
        self.patch(at, &octets);
    }

    /// Overwrites the octets from `at` on, which are before every borrowed payload.
    #[inline]
    pub fn patch(&mut self, at: usize, octets: &[u8]) {
        if let Some(place) = self.buffer.written_mut().get_mut(at..at + octets.len()) {
            place.copy_from_slice(octets);
        }
    }

    /// Appends an octet or an IDL `char`.
    #[inline]
    pub fn put_u8(&mut self, value: u8) {
        self.buffer.put([value]);
    }

    /// Appends a boolean.
    #[inline]
    pub fn put_bool(&mut self, value: bool) {
        self.buffer.put([u8::from(value)]);
    }

    /// Appends octets as they are, without a length.
    #[inline]
    pub fn put_raw(&mut self, octets: &'p [u8]) {
        self.borrow_payload(octets, false);
    }

    /// Appends a payload, which is borrowed if it is large.
    #[inline]
    fn borrow_payload(&mut self, octets: &'p [u8], eights: bool) {
        let borrowed = &mut self.borrowed;
        if octets.len() < BORROW_FROM || borrowed.count == MAX_BORROWED {
            return self.buffer.append(octets);
        }
        let at = self.buffer.len();
        borrowed.payloads[borrowed.count] = Some(Payload { at, octets, eights });
        borrowed.count += 1;
        borrowed.octets += octets.len();
    }

    /// Appends a copy of octets as they are, without a length.
    #[inline]
    pub fn copy_raw(&mut self, octets: &[u8]) {
        self.buffer.append(octets);
    }

    /// Appends a sequence of octets, copied.
    ///
    /// # Errors
    /// When the length does not fit 32 bits.
    pub fn copy_octets(&mut self, octets: &[u8]) -> CdrResult {
        self.put_length(octets.len())?;
        self.copy_raw(octets);
        Ok(())
    }

    /// Appends booleans without a length.
    pub fn put_bools(&mut self, values: &[bool]) {
        let places = self.buffer.reserve(values.len()).iter_mut();
        places.zip(values).for_each(|(place, value)| *place = u8::from(*value));
    }

    /// Appends the length of a sequence.
    ///
    /// # Errors
    /// When it does not fit 32 bits.
    #[inline]
    pub fn put_length(&mut self, length: usize) -> CdrResult {
        match u32::try_from(length) {
            Ok(length) => self.put_u32(length),
            Err(_) => return Err(CdrError::new(CdrErrorKind::TooLong(length))),
        }
        Ok(())
    }

    /// Appends a sequence: its length and its elements.
    ///
    /// # Errors
    /// When an element cannot be encoded.
    #[inline]
    pub fn put_sequence<T: Encode>(&mut self, items: &'p [T]) -> CdrResult {
        self.put_length(items.len())?;
        T::encode_slice(items, self)
    }

    /// Appends a sequence of at most `bound` elements.
    ///
    /// # Errors
    /// When there are more, or an element cannot be encoded.
    #[inline]
    pub fn put_bounded_sequence<T: Encode>(&mut self, items: &'p [T], bound: u32) -> CdrResult {
        self.check_bound(items.len(), bound)?;
        self.put_sequence(items)
    }

    /// Checks a length against an IDL bound.
    ///
    /// # Errors
    /// When it is larger.
    #[inline]
    pub fn check_bound(&self, length: usize, bound: u32) -> CdrResult {
        if length > bound as usize {
            return Err(CdrError::new(CdrErrorKind::BoundExceeded { bound, length }));
        }
        Ok(())
    }

    /// Appends an encapsulation (CORBA 3.4 Part 2, 9.3.3): its length, its byte order, and what
    /// `fill` writes, aligned from its own start.
    ///
    /// ```
    /// use armilla_cdr::{ByteOrder, Decoder, Encoder};
    ///
    /// let mut out = Encoder::new(ByteOrder::NATIVE);
    /// out.put_encapsulation(|inner| inner.put_string("Vega"))?;
    /// let octets = out.to_vec();
    /// let mut inner = Decoder::new(&octets, ByteOrder::NATIVE).encapsulation()?;
    /// assert_eq!(inner.string()?, "Vega");
    /// # Ok::<(), armilla_cdr::CdrError>(())
    /// ```
    ///
    /// # Errors
    /// Those of `fill`.
    pub fn put_encapsulation(
        &mut self,
        fill: impl for<'e> FnOnce(&mut Encoder<'e>) -> CdrResult,
    ) -> CdrResult {
        let mut inner = Encoder::with_code_sets(Vec::new(), self.order, self.code_sets);
        inner.wide = self.wide;
        inner.put_u8(self.order.flag());
        fill(&mut inner)?;
        self.put_length(inner.len())?;
        inner.parts().for_each(|part| self.buffer.append(part));
        Ok(())
    }
}
