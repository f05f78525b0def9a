//! The decoder of numbers, strings, sequences and encapsulations (CORBA 3.4 Part 2, 9.3).
//!
//! The decoder of valuetypes is in `value`; those of `any`s and TypeCodes are in `any` and
//! `type_code`.

mod chunks;
mod detached;
mod fixed;
mod fragmented;
mod lengths;
mod nesting;
mod numbers;
mod owned_input;
mod text;

pub(crate) use chunks::Checkpoint;
pub use fragmented::FragmentedOctets;
pub use nesting::DEPTH_LIMIT;
pub use numbers::Number;
pub use owned_input::OwnedInput;

use crate::encoding::Encoding;
use crate::value_table::DecodedValues;
use crate::{
    ByteOrder, CdrError, CdrErrorKind, CdrResult, CodeSet, CodeSets, Decode, Encoder, TypeCode,
    WideFormat,
};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;

/// The maximum number of elements without octets in a sequence, because nothing else limits them.
const ZERO_SIZED_LIMIT: u32 = 1 << 16;

/// The context of a decoder, for values that need more than their octets: an object reference needs
/// its ORB. The type that reads such a value [downcasts](Decoder::context) the context.
///
/// ```
/// use armilla_cdr::{ByteOrder, Context, Decoder};
///
/// struct Process(&'static str);
/// impl Context for Process {}
///
/// let process = Process("bank");
/// let input = Decoder::new(&[], ByteOrder::Big).with_context(&process);
/// assert_eq!(input.context::<Process>().map(|process| process.0), Some("bank"));
/// ```
pub trait Context: Any + Send + Sync {
    /// The type of values with this repository id, for an [`any`](crate::Any) whose TypeCode does
    /// not describe it.
    fn value_type(&self, _repository_id: &str) -> Option<TypeCode> {
        None
    }

    /// Copies the state of a custom value of the type with this repository id; `None` if the type
    /// is unknown. The decoder calls it for custom values that should be in chunks but are not.
    fn copy_custom(
        &self,
        _repository_id: &str,
        _input: &mut Decoder<'_>,
        _out: &mut Encoder<'_>,
    ) -> Option<CdrResult> {
        None
    }
}

impl Context for () {}

impl core::fmt::Debug for dyn Context {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Context")
    }
}

/// Reads CDR from a slice, aligned from its start.
#[derive(Debug)]
pub struct Decoder<'a> {
    pub(crate) octets: &'a [u8],
    pub(crate) position: usize,
    order: ByteOrder,
    code_sets: CodeSets,
    wide: WideFormat,
    pub(crate) depth: u16,
    /// The end of the stack when nesting began.
    pub(crate) stack: usize,
    context: Option<&'a dyn Context>,
    /// All fragments and the index of the current one, if `octets` is a fragment.
    pub(crate) fragments: Option<&'a FragmentedOctets>,
    fragment: u32,
    /// The values in the input, from the first of them on.
    pub(crate) values: Option<Box<DecodedValues<'a>>>,
    /// The octets of a sequence that were received apart from the input.
    detached: Option<&'a mut Vec<u8>>,
}

impl<'a> Decoder<'a> {
    /// A decoder at the start of `octets`, in ISO 8859-1.
    #[inline]
    pub const fn new(octets: &'a [u8], order: ByteOrder) -> Self {
        Self::at(octets, 0, order)
    }

    /// A decoder at `position` of `octets`, whose first octet is the origin of alignment.
    #[inline]
    pub const fn at(octets: &'a [u8], position: usize, order: ByteOrder) -> Self {
        Self {
            octets,
            position,
            order,
            code_sets: CodeSets::with_utf_16(CodeSet::Iso8859_1),
            wide: WideFormat::Octets,
            depth: 0,
            stack: 0,
            context: None,
            fragments: None,
            fragment: 0,
            values: None,
            detached: None,
        }
    }

    /// The same decoder for strings in `code_set`.
    #[inline]
    #[must_use]
    pub const fn with_code_set(mut self, code_set: CodeSet) -> Self {
        self.code_sets.char = code_set;
        self
    }

    /// The same decoder with these code sets. Without one for wide characters, it reads UTF-16.
    #[inline]
    #[must_use]
    pub const fn with_code_sets(mut self, code_sets: CodeSets) -> Self {
        self.code_sets = code_sets;
        self
    }

    /// Whether lone surrogates are read.
    pub(crate) const fn carries_lone_surrogates(&self) -> bool {
        self.code_sets.lone_surrogates
    }

    /// The code set of wide characters.
    pub(crate) const fn wide_code_set(&self) -> CodeSet {
        match self.code_sets.wchar {
            Some(code_set) => code_set,
            None => CodeSet::Utf16,
        }
    }

    /// The same decoder for wide characters in this format; that of GIOP 1.2 unless set.
    #[inline]
    #[must_use]
    pub const fn with_wide_format(mut self, format: WideFormat) -> Self {
        self.wide = format;
        self
    }

    /// The format of wide characters.
    pub const fn wide_format(&self) -> WideFormat {
        self.wide
    }

    /// The encoding of the input.
    pub(crate) const fn encoding(&self) -> Encoding {
        Encoding { order: self.order, code_sets: self.code_sets, wide: self.wide }
    }

    /// The same decoder with this context.
    #[inline]
    #[must_use]
    pub const fn with_context(mut self, context: &'a dyn Context) -> Self {
        self.context = Some(context);
        self
    }

    /// Ends the decoder. It is the same as dropping it, but only costs one comparison.
    #[inline(always)]
    pub fn end(self) {
        match self.values {
            None => {}
            values => forget(values),
        }
    }

    /// The context, if there is one.
    pub(crate) const fn any_context(&self) -> Option<&'a dyn Context> {
        self.context
    }

    /// The context, if it is a `T`.
    pub fn context<T: Any>(&self) -> Option<&'a T> {
        let context: &'a dyn Any = self.context?;
        context.downcast_ref()
    }

    /// The offset of the next octet from the start.
    #[inline]
    pub const fn position(&self) -> usize {
        self.position
    }

    /// The number of remaining octets.
    #[inline]
    pub fn remaining(&self) -> usize {
        match (self.fragments, &self.values) {
            (None, None) => self.here(),
            _ => self.all().len() - self.place(),
        }
    }

    /// The number of remaining octets of the current fragment.
    #[inline]
    pub(crate) const fn here(&self) -> usize {
        self.octets.len().saturating_sub(self.position)
    }

    /// The byte order of the input.
    #[inline]
    pub const fn order(&self) -> ByteOrder {
        self.order
    }

    /// Skips padding up to a multiple of `alignment`, a power of two, or to the end of the input.
    #[inline]
    pub const fn align(&mut self, alignment: usize) {
        self.position += self.position.wrapping_neg() & (alignment - 1);
    }

    /// Reads `len` octets without alignment.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline]
    pub fn raw(&mut self, len: usize) -> CdrResult<&'a [u8]> {
        let taken = self.octets.get(self.position..).and_then(|left| left.get(..len));
        match taken {
            Some(taken) => {
                self.position += len;
                Ok(taken)
            }
            None => self.raw_behind(len),
        }
    }

    #[inline]
    fn take<const N: usize>(&mut self) -> CdrResult<[u8; N]> {
        self.align(N);
        match self.octets.get(self.position..).and_then(|left| left.first_chunk()) {
            Some(taken) => {
                self.position += N;
                Ok(*taken)
            }
            None => self.take_behind(),
        }
    }

    /// An error at the current position.
    #[inline]
    pub fn error(&self, kind: CdrErrorKind) -> CdrError {
        CdrError::at(kind, self.position)
    }

    /// The error for a number that is not an enumerator of `type_name`.
    #[inline]
    pub fn invalid_enum(&self, type_name: &'static str, value: u32) -> CdrError {
        self.error(CdrErrorKind::InvalidEnum { type_name, value })
    }

    /// The error for an invalid discriminator of the union `type_name`.
    #[doc(hidden)]
    #[inline]
    pub fn invalid_discriminator(&self, type_name: &'static str) -> CdrError {
        self.error(CdrErrorKind::InvalidDiscriminator { type_name })
    }

    /// Reads an octet or an IDL `char`.
    ///
    /// # Errors
    /// When none is left.
    #[inline]
    pub fn u8(&mut self) -> CdrResult<u8> {
        self.take::<1>().map(|[octet]| octet)
    }

    /// Reads a boolean.
    ///
    /// # Errors
    /// When the octet is neither 0 nor 1, or none is left.
    #[inline]
    pub fn bool(&mut self) -> CdrResult<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            octet => Err(self.error(CdrErrorKind::InvalidBoolean(octet))),
        }
    }

    /// Reads `len` octets into a vector.
    ///
    /// # Errors
    /// When fewer are left.
    pub fn u8s(&mut self, len: usize) -> CdrResult<Vec<u8>> {
        match self.raw(len) {
            Ok(octets) => Ok(octets.to_vec()),
            Err(error) => self.take_detached(len).ok_or(error),
        }
    }

    /// Reads `len` booleans.
    ///
    /// # Errors
    /// When an octet is neither 0 nor 1, or fewer are left.
    pub fn bools(&mut self, len: usize) -> CdrResult<Vec<bool>> {
        let octets = self.raw(len)?;
        match octets.iter().find(|octet| **octet > 1) {
            Some(octet) => Err(self.error(CdrErrorKind::InvalidBoolean(*octet))),
            None => Ok(octets.iter().map(|octet| *octet == 1).collect()),
        }
    }

    /// Reads the length of a sequence whose elements take at least one octet each.
    ///
    /// # Errors
    /// When the length exceeds the number of remaining octets, so that nothing is allocated for it.
    #[inline]
    pub fn length(&mut self) -> CdrResult<usize> {
        let length = self.u32()? as usize;
        if length > self.here() && length > self.remaining() && !self.has_detached(length) {
            return Err(truncated(self.position, self.remaining(), length));
        }
        Ok(length)
    }

    /// Reads the length of a sequence of at most `bound` elements.
    ///
    /// # Errors
    /// When there are more; those of [`length`](Self::length).
    #[inline]
    pub fn bounded_length(&mut self, bound: u32) -> CdrResult<usize> {
        let length = self.length()?;
        self.check_bound(length, bound)?;
        Ok(length)
    }

    /// Checks a length against the bound of its type.
    ///
    /// # Errors
    /// When it is larger.
    pub fn check_bound(&self, length: usize, bound: u32) -> CdrResult {
        if length > bound as usize {
            return Err(self.error(CdrErrorKind::BoundExceeded { bound, length }));
        }
        Ok(())
    }

    /// Reads a sequence of octets or of `char`, borrowed.
    ///
    /// # Errors
    /// When the input ends too early.
    #[inline]
    pub fn octets(&mut self) -> CdrResult<&'a [u8]> {
        let length = self.u32()? as usize;
        self.raw(length)
    }

    /// Reads a sequence of at most `bound` octets, borrowed.
    ///
    /// # Errors
    /// When there are more; those of [`octets`](Self::octets).
    #[inline]
    pub fn bounded_octets(&mut self, bound: u32) -> CdrResult<&'a [u8]> {
        let length = self.bounded_length(bound)?;
        self.raw(length)
    }

    /// Reads a sequence.
    ///
    /// # Errors
    /// Those of its elements.
    #[inline]
    pub fn sequence<T: Decode<'a>>(&mut self) -> CdrResult<Vec<T>> {
        let length = self.length_of::<T>()?;
        T::decode_vec(self, length)
    }

    /// Reads a sequence of at most `bound` elements.
    ///
    /// # Errors
    /// When there are more, or those of its elements.
    #[inline]
    pub fn bounded_sequence<T: Decode<'a>>(&mut self, bound: u32) -> CdrResult<Vec<T>> {
        let length = self.length_of::<T>()?;
        self.check_bound(length, bound)?;
        T::decode_vec(self, length)
    }

    /// Reads the length of a sequence of elements of this type.
    #[inline]
    fn length_of<T: Decode<'a>>(&mut self) -> CdrResult<usize> {
        if !T::ZERO_SIZED {
            return self.length();
        }
        let length = self.u32()? as usize;
        self.check_bound(length, ZERO_SIZED_LIMIT)?;
        Ok(length)
    }

    /// Reads a sequence. `element` reads an element.
    ///
    /// # Errors
    /// Those of `element`.
    pub fn sequence_with<T>(
        &mut self,
        element: impl FnMut(&mut Self) -> CdrResult<T>,
    ) -> CdrResult<Vec<T>> {
        let length = self.length()?;
        self.elements(length, element)
    }

    /// Reads a sequence of at most `bound` elements. `element` reads an element.
    ///
    /// # Errors
    /// When there are more; those of `element`.
    pub fn bounded_sequence_with<T>(
        &mut self,
        bound: u32,
        element: impl FnMut(&mut Self) -> CdrResult<T>,
    ) -> CdrResult<Vec<T>> {
        let length = self.bounded_length(bound)?;
        self.elements(length, element)
    }

    /// Reads `len` elements one by one. Reserves no more memory than the remaining octets justify.
    pub(crate) fn elements<T>(
        &mut self,
        len: usize,
        mut element: impl FnMut(&mut Self) -> CdrResult<T>,
    ) -> CdrResult<Vec<T>> {
        self.nested(|input| {
            let affordable = input.remaining() / size_of::<T>().max(1);
            let mut items = Vec::with_capacity(len.min(affordable));
            for _ in 0..len {
                items.push(element(input)?);
            }
            Ok(items)
        })
    }

    /// Reads an array. `element` reads an element.
    ///
    /// # Errors
    /// Those of `element`.
    pub fn array_with<T, const N: usize>(
        &mut self,
        mut element: impl FnMut(&mut Self) -> CdrResult<T>,
    ) -> CdrResult<[T; N]> {
        let mut failure = None;
        let items: [Option<T>; N] = core::array::from_fn(|_| {
            if failure.is_some() {
                return None;
            }
            element(self).map_err(|error| failure = Some(error)).ok()
        });
        match failure {
            Some(error) => Err(error),
            // All elements were read.
            None => Ok(items.map(|item| item.unwrap())),
        }
    }

    /// Reads an encapsulation, and returns a decoder for its content.
    ///
    /// # Errors
    /// When the input ends too early, or the encapsulation is empty.
    pub fn encapsulation(&mut self) -> CdrResult<Self> {
        let octets = self.octets()?;
        match octets.first() {
            Some(flag) => {
                let order = ByteOrder::from_flag(*flag);
                let (fragments, values) = (None, None);
                Ok(Self { octets, position: 1, order, fragments, values, detached: None, ..*self })
            }
            None => Err(truncated(self.position, self.remaining(), 1)),
        }
    }
}

/// Drops the table of values. Out of line, because few messages have one.
#[cold]
#[inline(never)]
fn forget(values: Option<Box<DecodedValues<'_>>>) {
    drop(values);
}

/// The error for octets that end within a value. It takes its arguments by value, so that a decoder
/// whose address is never taken can live in registers.
#[cold]
fn truncated(position: usize, left: usize, needed: usize) -> CdrError {
    CdrError::at(CdrErrorKind::Truncated { needed, left }, position)
}
