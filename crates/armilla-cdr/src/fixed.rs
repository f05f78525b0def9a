//! Structs whose encoding has a fixed size.

use crate::{CdrResult, Decode, Encode, Order};

/// How many structs a loop writes or reads in a turn, each at constant offsets.
pub(crate) const TURN: usize = 16;

/// A struct of which every member has a fixed size, so that a sequence of them can be written and
/// read at constant offsets.
///
/// CDR aligns each member from the start of the message, so the size of a struct depends on where
/// it begins. But behind a member of the largest alignment the position is known, whatever came
/// before: after any value the position modulo [`ALIGN`](Self::ALIGN) is the same number,
/// [`PHASE`](Self::PHASE). So all elements of a sequence but the first begin at that phase, lie
/// [`STRIDE`](Self::STRIDE) octets apart, and hold their members at the same offsets. The IDL
/// compiler computes the three and writes the two functions.
pub trait Fixed: Copy + Encode + for<'a> Decode<'a> {
    /// The largest alignment of a member: 1, 2, 4 or 8.
    const ALIGN: usize;
    /// The position modulo `ALIGN` behind a value.
    const PHASE: usize;
    /// How many octets a value takes that begins at `PHASE`, padding before members included.
    const STRIDE: usize;

    /// Writes the value into a chunk of `STRIDE` octets that begins at `PHASE`: every octet, padding as
    /// zeros.
    fn write<O: Order>(&self, chunk: &mut [u8]);

    /// Reads a value from a chunk of `STRIDE` octets that begins at `PHASE`.
    ///
    /// # Errors
    /// When a boolean or an enum in it has no valid value.
    fn read<O: Order>(chunk: &[u8]) -> CdrResult<Self>;
}
