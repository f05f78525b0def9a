//! The buffer of an encoder, which is reused from message to message.

use alloc::vec::Vec;

/// Octets that were written, followed by space that was initialized earlier.
///
/// A vector has to be cleared before it can be written in place. A buffer clears each octet once,
/// however often it is reused, so that a [`Fixed`](crate::Fixed) struct costs no more than its
/// members. Code that reserves space fills all of it: octets of an earlier message are never sent
/// with another.
///
/// ```
/// use armilla_cdr::{Buffer, ByteOrder, CodeSets, Encoder};
///
/// let mut buffer = Buffer::new();
/// for number in 0..3 {
///     let mut out = Encoder::with_reused_buffer(buffer, ByteOrder::Big, CodeSets::UNAGREED);
///     out.truncate(0);
///     out.put_u32(number);
///     buffer = out.take_buffer();
/// }
/// assert_eq!(buffer.written(), [0, 0, 0, 2]);
/// ```
#[derive(Debug, Default)]
pub struct Buffer {
    octets: Vec<u8>,
    /// How many of them were written.
    len: usize,
}

/// The least space that is allocated.
const LEAST: usize = 64;

/// From this many octets on, appending costs less than clearing space for them and as many again.
const MANY: usize = 4096;

impl Buffer {
    /// A buffer that allocates nothing until it is written.
    pub const fn new() -> Self {
        Self::of(Vec::new())
    }

    /// A buffer that holds `octets`.
    pub(crate) const fn of(octets: Vec<u8>) -> Self {
        Self { len: octets.len(), octets }
    }

    /// The octets that were written.
    #[inline]
    pub fn written(&self) -> &[u8] {
        // Never behind the end, which it follows.
        self.octets.get(..self.len).unwrap_or_default()
    }

    /// The octets that are allocated.
    pub fn capacity(&self) -> usize {
        self.octets.capacity()
    }

    /// The octets that were written, as a vector.
    pub fn into_vec(mut self) -> Vec<u8> {
        self.octets.truncate(self.len);
        self.octets
    }

    #[inline(always)]
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Discards what was written from `len` on.
    #[inline(always)]
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Appends `N` octets.
    #[inline(always)]
    pub(crate) fn put<const N: usize>(&mut self, octets: [u8; N]) {
        match self.octets.get_mut(self.len..).and_then(|room| room.first_chunk_mut()) {
            Some(place) => {
                *place = octets;
                self.len += N;
            }
            None => self.append_growing(&octets),
        }
    }

    /// Appends octets.
    #[inline(always)]
    pub(crate) fn append(&mut self, octets: &[u8]) {
        match self.octets.get_mut(self.len..).and_then(|room| room.get_mut(..octets.len())) {
            Some(place) => {
                place.copy_from_slice(octets);
                self.len += octets.len();
            }
            None => self.append_growing(octets),
        }
    }

    /// Appends zeros up to `end`, which is at most `N` octets further on.
    #[inline(always)]
    pub(crate) fn pad<const N: usize>(&mut self, end: usize) {
        match self.octets.get_mut(self.len..).and_then(|room| room.first_chunk_mut()) {
            // One store of a fixed size costs less than a loop; what is beyond `end` does not
            // count.
            Some(place) => *place = [0; N],
            None => {
                let len = self.len;
                self.append_growing(&[0; N]);
                self.len = len;
            }
        }
        self.len = end;
    }

    /// Appends `count` octets and returns them. The caller writes every one of them.
    #[inline]
    pub(crate) fn reserve(&mut self, count: usize) -> &mut [u8] {
        let start = self.len;
        if self.octets.len() - start < count {
            self.grow(count);
        }
        self.len = start + count;
        &mut self.octets[start..start + count]
    }

    /// The octets that were written, to be changed.
    #[inline(always)]
    pub(crate) fn written_mut(&mut self) -> &mut [u8] {
        self.octets.get_mut(..self.len).unwrap_or_default()
    }

    #[cold]
    #[inline(never)]
    fn append_growing(&mut self, octets: &[u8]) {
        if octets.len() < MANY {
            return self.reserve(octets.len()).copy_from_slice(octets);
        }
        self.octets.truncate(self.len);
        self.octets.extend_from_slice(octets);
        self.len = self.octets.len();
    }

    /// Provides space for `count` octets, and for as many again as were written, so that the cost
    /// of clearing stays proportional to that of writing.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, count: usize) {
        let end = self.len + count;
        if self.octets.capacity() < end {
            self.octets.truncate(self.len);
            self.octets.reserve(count.max(LEAST));
        }
        let room = (2 * end).clamp(LEAST, self.octets.capacity().max(LEAST));
        self.octets.resize(room.max(end), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn what_is_written_is_what_is_there_however_it_is_written() {
        let (mut buffer, mut expected) = (Buffer::new(), Vec::new());
        for round in 0..3_u8 {
            for step in 0..200_u8 {
                let many = vec![step; usize::from(step) * 40];
                buffer.put([round, step]);
                buffer.append(&many);
                let end = buffer.len() + usize::from(step % 8);
                buffer.pad::<8>(end);
                buffer.reserve(3).fill(round);
                buffer.append(&[step]);
                expected.extend([round, step]);
                expected.extend(&many);
                expected.resize(end, 0);
                expected.extend([round, round, round, step]);
                assert_eq!(buffer.len(), expected.len());
            }
            assert_eq!(buffer.written(), expected);
            let kept = expected.len() / 3;
            buffer.truncate(kept);
            expected.truncate(kept);
            assert_eq!(buffer.written(), expected);
        }
        assert_eq!(buffer.into_vec(), expected);
    }

    #[test]
    fn room_that_was_cleared_is_not_cleared_again() {
        let mut buffer = Buffer::new();
        buffer.append(&[7; 100]);
        buffer.truncate(0);
        assert_eq!(buffer.reserve(100), [7; 100]);
    }
}
