//! Sequences of fixed-size structs that live for one request, decoded into memory that the thread
//! reuses.

use armilla_cdr::{CdrResult, Decoder, Fixed};
use std::any::Any;
use std::cell::Cell;
use std::mem;
use std::ops::Deref;

/// How many octets of memory a thread keeps between requests.
const RETAINED: usize = 256 * 1024;

thread_local! {
    /// The [`Buffer`] of the last sequence of this thread, whatever its type; `None` while that is
    /// in use.
    static KEPT: Cell<Option<Box<dyn Any>>> = const { Cell::new(None) };
}

/// The memory of a sequence, as a type that tells the type of its elements.
struct Buffer<T>(Vec<T>);

/// A sequence that a skeleton lends to a servant. The next sequence of the same type reuses its
/// memory and the values in it, so it is neither allocated nor initialized before it is decoded.
#[doc(hidden)]
pub struct Scratch<T: 'static>(Option<Box<Buffer<T>>>);

impl<T: Fixed + 'static> Scratch<T> {
    /// Decodes a sequence of at most `bound` elements, if there is a bound.
    ///
    /// # Errors
    /// As [`Decoder::fixed_sequence`].
    #[inline]
    pub fn read(input: &mut Decoder<'_>, bound: Option<u32>) -> CdrResult<Self> {
        let kept = KEPT.take().and_then(|kept| kept.downcast::<Buffer<T>>().ok());
        let mut memory = kept.unwrap_or_else(|| Box::new(Buffer(Vec::new())));
        memory.0 = input.fixed_sequence(mem::take(&mut memory.0), bound)?;
        Ok(Self(Some(memory)))
    }
}

impl<T> Deref for Scratch<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.0.as_ref().map_or(&[], |memory| &memory.0)
    }
}

impl<T> Drop for Scratch<T> {
    #[inline]
    fn drop(&mut self) {
        let Some(memory) = self.0.take() else { return };
        if memory.0.capacity().saturating_mul(size_of::<T>()) <= RETAINED {
            // Fails only when the thread is ending, which needs no memory.
            KEPT.try_with(|kept| kept.set(Some(memory))).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_cdr::{ByteOrder, Decode, Encode, Encoder, Order};

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Number(u32);

    impl Encode for Number {
        fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
            self.0.encode(out)
        }
    }

    impl Decode<'_> for Number {
        fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
            input.u32().map(Self)
        }
    }

    impl Fixed for Number {
        const ALIGN: usize = 4;
        const PHASE: usize = 0;
        type Chunk = [u8; 4];

        fn write<O: Order>(&self, chunk: &mut [u8; 4]) {
            O::put_u32(chunk, 0..4, self.0);
        }

        fn read<O: Order>(chunk: &[u8; 4]) -> CdrResult<Self> {
            Ok(Self(O::u32(chunk, 0)))
        }
    }

    fn read(numbers: &[u32]) -> Scratch<Number> {
        let words = [&[numbers.len() as u32], numbers].concat();
        let octets: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        Scratch::read(&mut Decoder::new(&octets, ByteOrder::Little), None).unwrap()
    }

    #[test]
    fn a_scratch_vector_contains_only_the_last_values() {
        for numbers in [&[1, 2, 3][..], &[4], &[], &[5, 6], &[7, 8, 9, 10]] {
            let scratch = read(numbers);
            assert!(scratch.iter().map(|number| number.0).eq(numbers.iter().copied()));
        }
    }

    #[test]
    fn one_within_another_has_memory_of_its_own() {
        let outer = read(&[1, 2]);
        assert_eq!(read(&[3, 4, 5])[2], Number(5));
        assert_eq!(*outer, [Number(1), Number(2)]);
    }

    #[test]
    fn the_memory_of_a_large_one_is_given_back() {
        drop(read(&[1; RETAINED / 4 + 1]));
        assert!(KEPT.take().is_none());
        drop(read(&[1; 16]));
        assert!(KEPT.take().is_some());
    }

    #[test]
    fn a_sequence_beyond_its_bound_is_refused() {
        let octets = [2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0];
        let mut input = Decoder::new(&octets, ByteOrder::Little);
        assert!(Scratch::<Number>::read(&mut input, Some(1)).is_err());
    }
}
