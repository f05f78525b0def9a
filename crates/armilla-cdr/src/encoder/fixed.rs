//! Sequences of fixed-size structs, written at constant offsets.

use super::Encoder;
use crate::fixed::TURN;
use crate::{BigEndian, ByteOrder, CdrResult, Chunk, Fixed, LittleEndian, Order};

impl<'p> Encoder<'p> {
    /// Appends the elements of a sequence of fixed-size structs, without the length.
    ///
    /// # Errors
    /// Those of the first element.
    #[inline]
    pub fn put_fixed<T: Fixed>(&mut self, items: &'p [T]) -> CdrResult {
        let Some((first, rest)) = items.split_first() else { return Ok(()) };
        first.encode(self)?;
        match self.order {
            ByteOrder::Little => self.put_chunks::<T, LittleEndian>(rest),
            ByteOrder::Big => self.put_chunks::<T, BigEndian>(rest),
        }
        Ok(())
    }

    /// Appends structs that begin at their phase.
    #[inline]
    fn put_chunks<T: Fixed, O: Order>(&mut self, items: &[T]) {
        write_chunks::<T, O>(items, self.buffer.reserve(size_of::<T::Chunk>() * items.len()));
    }
}

/// Writes structs into as many chunks.
#[inline(always)]
fn write_chunks<T: Fixed, O: Order>(items: &[T], octets: &mut [u8]) {
    let (turns, rest) = items.as_chunks::<TURN>();
    let (places, rest_places) = T::Chunk::all_mut(octets).as_chunks_mut::<TURN>();
    for (items, chunks) in turns.iter().zip(places) {
        for (item, chunk) in items.iter().zip(chunks) {
            item.write::<O>(chunk);
        }
    }
    for (item, chunk) in rest.iter().zip(rest_places) {
        item.write::<O>(chunk);
    }
}
