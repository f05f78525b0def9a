//! Arrays: fixed, conformant, varying, and both at once (C706 14.3.3).

use super::decoder::Decoder;
use super::encoder::Encoder;
use super::error::{NdrError, NdrErrorKind};
use super::value::Ndr;
use alloc::vec::Vec;

/// A conformant array (`size_is`): its size travels with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Conformant<T>(pub Vec<T>);

/// A varying array (`length_is`): of the `MAX` elements that its type has, those that are in use
/// travel. Those that were sent from an index other than 0 are kept without the index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Varying<T, const MAX: u32>(pub Vec<T>);

/// A conformant and varying array (`size_is` and `length_is`): its size travels, and those
/// elements that are in use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ConformantVarying<T> {
    /// How many elements there may be; never fewer than the last one in use needs.
    pub maximum: u32,
    /// The index of the first that is in use (`first_is`); the others before it do not travel.
    pub first: u32,
    /// Those that are in use.
    pub values: Vec<T>,
}

impl<T> From<Vec<T>> for Conformant<T> {
    fn from(values: Vec<T>) -> Self {
        Self(values)
    }
}

impl<T> From<Vec<T>> for ConformantVarying<T> {
    fn from(values: Vec<T>) -> Self {
        Self { maximum: u32::try_from(values.len()).unwrap_or(u32::MAX), first: 0, values }
    }
}

impl<T> ConformantVarying<T> {
    /// The same elements with room for so many; never for fewer than there are.
    #[must_use]
    pub fn with_room(self, maximum: u32) -> Self {
        Self { maximum: self.maximum.max(maximum), ..self }
    }

    /// The same elements, of which the first has that index, with room for them there.
    #[must_use]
    pub fn from_index(self, first: u32) -> Self {
        let count = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        Self { first, ..self }.with_room(first.saturating_add(count))
    }
}

/// Compares the number of elements of the array `name` with what `bound`, such as `size_is(count)`, says:
/// for structures and parameters with a check ([`ndr_struct!`](crate::ndr_struct)).
///
/// # Errors
///
/// [`NdrErrorKind::InvalidSize`] if they differ, or if the bound says no number.
pub fn check_size(
    name: &'static str,
    bound: &'static str,
    says: Option<i64>,
    count: usize,
) -> Result<(), NdrErrorKind> {
    match says.is_some_and(|says| usize::try_from(says) == Ok(count)) {
        true => Ok(()),
        false => Err(NdrErrorKind::InvalidSize { name, bound, says, count }),
    }
}

/// Compares the index of the first element of the array `name` that is in use with what `bound`, such as
/// `first_is(from)`, says. Without `first_is` it is 0.
///
/// # Errors
///
/// [`NdrErrorKind::InvalidFirst`] if they differ, or if the bound says no number.
pub fn check_first(
    name: &'static str,
    bound: &'static str,
    says: Option<i64>,
    first: u32,
) -> Result<(), NdrErrorKind> {
    match says == Some(first.into()) {
        true => Ok(()),
        false => Err(NdrErrorKind::InvalidFirst { name, bound, says, first }),
    }
}

fn encode_all<T: Ndr>(values: &[T], out: &mut Encoder) -> Result<(), NdrError> {
    const { assert!(!T::CONFORMANT, "an element of an array has one size: use a pointer") }
    out.align(T::ALIGNMENT);
    values.iter().try_for_each(|value| value.encode(out))
}

fn referents_of_all<T: Ndr>(values: &[T], out: &mut Encoder) -> Result<(), NdrError> {
    values.iter().try_for_each(|value| value.encode_referents(out))
}

fn decode_all<T: Ndr>(input: &mut Decoder<'_>, count: u32) -> Result<Vec<T>, NdrError> {
    input.align(T::ALIGNMENT)?;
    let count = input.check_count(count)?;
    // An element in memory may be larger than its octets: memory grows with what was read.
    let mut values = Vec::with_capacity(count.min(64));
    for _ in 0..count {
        values.push(T::decode(input)?);
    }
    Ok(values)
}

fn read_referents_of_all<T: Ndr>(
    values: &mut [T],
    input: &mut Decoder<'_>,
) -> Result<(), NdrError> {
    values.iter_mut().try_for_each(|value| value.decode_referents(input))
}

/// Reads the offset and the count of a varying array of `maximum` elements.
pub(super) fn decode_range(input: &mut Decoder<'_>, maximum: u32) -> Result<(u32, u32), NdrError> {
    let (offset, count) = (input.u32()?, input.u32()?);
    if offset.checked_add(count).is_none_or(|end| end > maximum) {
        return Err(input.error(NdrErrorKind::InvalidRange { maximum, offset, count }));
    }
    Ok((offset, count))
}

const fn at_least_4(alignment: usize) -> usize {
    if alignment > 4 { alignment } else { 4 }
}

impl<T: Ndr> Ndr for Conformant<T> {
    const ALIGNMENT: usize = T::ALIGNMENT;
    const CONFORMANT: bool = true;

    fn conformance(&self) -> usize {
        self.0.len()
    }

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        encode_all(&self.0, out)
    }

    fn encode_referents(&self, out: &mut Encoder) -> Result<(), NdrError> {
        referents_of_all(&self.0, out)
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        let count = input.hoisted()?;
        decode_all(input, count).map(Self)
    }

    fn decode_referents(&mut self, input: &mut Decoder<'_>) -> Result<(), NdrError> {
        read_referents_of_all(&mut self.0, input)
    }
}

impl<T: Ndr, const MAX: u32> Ndr for Varying<T, MAX> {
    const ALIGNMENT: usize = at_least_4(T::ALIGNMENT);

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        if self.0.len() > MAX as usize {
            return Err(out.error(NdrErrorKind::TooLong(self.0.len())));
        }
        out.count(0)?;
        out.count(self.0.len())?;
        encode_all(&self.0, out)
    }

    fn encode_referents(&self, out: &mut Encoder) -> Result<(), NdrError> {
        referents_of_all(&self.0, out)
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        let (_, count) = decode_range(input, MAX)?;
        decode_all(input, count).map(Self)
    }

    fn decode_referents(&mut self, input: &mut Decoder<'_>) -> Result<(), NdrError> {
        read_referents_of_all(&mut self.0, input)
    }
}

impl<T: Ndr> Ndr for ConformantVarying<T> {
    const ALIGNMENT: usize = at_least_4(T::ALIGNMENT);
    const CONFORMANT: bool = true;

    fn conformance(&self) -> usize {
        self.values.len().saturating_add(self.first as usize).max(self.maximum as usize)
    }

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        out.count(self.first as usize)?;
        out.count(self.values.len())?;
        encode_all(&self.values, out)
    }

    fn encode_referents(&self, out: &mut Encoder) -> Result<(), NdrError> {
        referents_of_all(&self.values, out)
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        let maximum = input.hoisted()?;
        let (first, count) = decode_range(input, maximum)?;
        Ok(Self { maximum, first, values: decode_all(input, count)? })
    }

    fn decode_referents(&mut self, input: &mut Decoder<'_>) -> Result<(), NdrError> {
        read_referents_of_all(&mut self.values, input)
    }
}

/// A fixed array: its size is part of its type and does not travel.
impl<T: Ndr, const N: usize> Ndr for [T; N] {
    const ALIGNMENT: usize = T::ALIGNMENT;

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        encode_all(self, out)
    }

    fn encode_referents(&self, out: &mut Encoder) -> Result<(), NdrError> {
        referents_of_all(self, out)
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        let values = decode_all(input, u32::try_from(N).unwrap_or(u32::MAX))?;
        values.try_into().map_err(|values: Vec<T>| {
            input.error(NdrErrorKind::Truncated { needed: N - values.len(), left: 0 })
        })
    }

    fn decode_referents(&mut self, input: &mut Decoder<'_>) -> Result<(), NdrError> {
        read_referents_of_all(self, input)
    }
}
