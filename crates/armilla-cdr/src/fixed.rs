//! Structs whose encoding has a fixed size.

use crate::{CdrResult, Decode, Encode, Order};

/// The number of structs that one round of a loop writes or reads, at constant offsets.
pub(crate) const TURN: usize = 16;

/// A struct whose members all have a fixed size, so that sequences of it are written and read at
/// constant offsets.
///
/// CDR aligns each member from the start of the message, so the size of a struct depends on where
/// it begins. But after a member with the largest alignment the position is known, whatever came
/// before: after any value the position modulo [`ALIGN`](Self::ALIGN) is the same number,
/// [`PHASE`](Self::PHASE). So all elements of a sequence but the first begin at that phase, take a
/// [`Chunk`](Self::Chunk) each, and hold their members at the same offsets in it. The IDL compiler
/// computes the three and writes the two functions.
pub trait Fixed: Copy + Encode + for<'a> Decode<'a> {
    /// The largest alignment of a member: 1, 2, 4 or 8.
    const ALIGN: usize;
    /// The position modulo `ALIGN` after a value.
    const PHASE: usize;
    /// The octets of a value that begins at `PHASE`, including padding before members. As a type,
    /// so that the compiler can prove each offset to be in bounds.
    type Chunk: Chunk;

    /// Writes the value into a chunk that begins at `PHASE`: every octet, padding as zeros.
    fn write<O: Order>(&self, chunk: &mut Self::Chunk);

    /// Reads a value from a chunk that begins at `PHASE`.
    ///
    /// # Errors
    /// When a boolean or an enum in it has no valid value.
    fn read<O: Order>(chunk: &Self::Chunk) -> CdrResult<Self>;
}

/// The chunk of a [`Fixed`] value: `[u8; N]`, for any length except 0.
pub trait Chunk: Sized + private::Sealed {
    /// The whole chunks in `octets`, one after the other.
    fn all(octets: &[u8]) -> &[Self];

    /// The same, mutable.
    fn all_mut(octets: &mut [u8]) -> &mut [Self];
}

impl<const N: usize> Chunk for [u8; N] {
    #[inline(always)]
    fn all(octets: &[u8]) -> &[Self] {
        octets.as_chunks().0
    }

    #[inline(always)]
    fn all_mut(octets: &mut [u8]) -> &mut [Self] {
        octets.as_chunks_mut().0
    }
}

mod private {
    pub trait Sealed {}
    impl<const N: usize> Sealed for [u8; N] {}
}
