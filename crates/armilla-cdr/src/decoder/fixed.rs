//! Sequences of fixed-size structs, read at constant offsets.

use super::Decoder;
use crate::fixed::TURN;
use crate::{BigEndian, ByteOrder, CdrResult, Chunk, Fixed, LittleEndian, Order};
use alloc::vec::Vec;

impl Decoder<'_> {
    /// Reads `len` fixed-size structs, without a length before them.
    ///
    /// # Errors
    /// When the octets end too early or a struct in them is invalid.
    #[inline]
    pub fn fixed_vec<T: Fixed>(&mut self, len: usize) -> CdrResult<Vec<T>> {
        self.fixed_elements(Vec::new(), len)
    }

    /// Reads a sequence of fixed-size structs, of at most `bound` if there is one, into the memory
    /// of `items`. The previous elements are lost, and after an error also the memory.
    ///
    /// # Errors
    /// When there are more; those of [`fixed_vec`](Self::fixed_vec).
    #[inline]
    pub fn fixed_sequence<T: Fixed>(
        &mut self,
        items: Vec<T>,
        bound: Option<u32>,
    ) -> CdrResult<Vec<T>> {
        let len = match bound {
            Some(bound) => self.bounded_length(bound)?,
            None => self.length()?,
        };
        self.fixed_elements(items, len)
    }

    #[inline]
    fn fixed_elements<T: Fixed>(&mut self, mut items: Vec<T>, len: usize) -> CdrResult<Vec<T>> {
        let Some(rest) = len.checked_sub(1) else {
            items.clear();
            return Ok(items);
        };
        if self.fragments.is_some() || self.is_in_chunks() {
            // The offsets are valid only if nothing changes the alignment in between.
            return self.elements(len, T::decode);
        }
        let first = T::decode(self)?;
        let octets = self.raw(rest.saturating_mul(size_of::<T::Chunk>()))?;
        items.resize(len, first);
        items[0] = first;
        match self.order {
            ByteOrder::Little => read_chunks::<T, LittleEndian>(octets, &mut items[1..])?,
            ByteOrder::Big => read_chunks::<T, BigEndian>(octets, &mut items[1..])?,
        }
        Ok(items)
    }
}

/// The structs in `octets`. Writing to existing elements is cheaper than checking the capacity with
/// every push.
#[inline]
fn read_chunks<T: Fixed, O: Order>(octets: &[u8], places: &mut [T]) -> CdrResult {
    let (turns, rest_places) = places.as_chunks_mut::<TURN>();
    let (chunks, rest) = T::Chunk::all(octets).as_chunks::<TURN>();
    for (places, chunks) in turns.iter_mut().zip(chunks) {
        for (place, chunk) in places.iter_mut().zip(chunks) {
            *place = T::read::<O>(chunk)?;
        }
    }
    for (place, chunk) in rest_places.iter_mut().zip(rest) {
        *place = T::read::<O>(chunk)?;
    }
    Ok(())
}
