//! Octets that were received apart from the rest of the input, straight into the memory of the value
//! that they become. A large result of octets is thus not copied.

use super::Decoder;
use alloc::vec::Vec;

impl<'a> Decoder<'a> {
    /// The same decoder for an input that ends where the octets of a sequence begin: `octets` has
    /// them. Whoever reads that sequence as a vector gets their memory. A clone of the decoder does
    /// not know them.
    ///
    /// ```
    /// use armilla_cdr::{ByteOrder, Decoder};
    ///
    /// let mut octets = vec![7; 1000];
    /// let mut input = Decoder::new(&[0, 0, 3, 232], ByteOrder::Big).with_detached(&mut octets);
    /// assert_eq!(input.sequence::<u8>()?, [7; 1000]);
    /// # Ok::<(), armilla_cdr::CdrError>(())
    /// ```
    #[must_use]
    pub const fn with_detached(mut self, octets: &'a mut Vec<u8>) -> Self {
        self.detached = Some(octets);
        self
    }

    /// Whether the octets of a sequence of this length are detached.
    #[cold]
    pub(super) fn has_detached(&self, len: usize) -> bool {
        self.here() == 0 && self.detached.as_ref().is_some_and(|octets| octets.len() == len)
    }

    /// Takes the octets of a sequence of this length if they are detached.
    #[cold]
    pub(super) fn take_detached(&mut self, len: usize) -> Option<Vec<u8>> {
        match self.has_detached(len) {
            true => self.detached.take().map(core::mem::take),
            false => None,
        }
    }
}

impl Clone for Decoder<'_> {
    fn clone(&self) -> Self {
        Self {
            octets: self.octets,
            position: self.position,
            order: self.order,
            code_sets: self.code_sets,
            wide: self.wide,
            depth: self.depth,
            stack: self.stack,
            context: self.context,
            fragments: self.fragments,
            fragment: self.fragment,
            values: self.values.clone(),
            detached: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ByteOrder, Decoder};
    use alloc::vec;

    #[test]
    fn only_the_sequence_at_the_end_gets_the_octets() {
        let input = [0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 3];
        let read = |skipped: usize| {
            let mut octets = vec![1, 2, 3];
            let mut input = Decoder::at(&input, skipped, ByteOrder::Big);
            input = input.with_detached(&mut octets);
            (input.sequence::<u8>(), input.sequence::<u8>().is_err())
        };
        assert_eq!(read(8), (Ok(vec![1, 2, 3]), true), "once");
        assert_eq!(read(4).0, Ok(vec![0, 0]), "what is in the input is read there");
        assert!(read(0).0.is_err(), "nine octets are nowhere");
    }

    #[test]
    fn bounds_hold_for_detached_octets() {
        let mut octets = vec![1, 2, 3];
        let mut input = Decoder::new(&[0, 0, 0, 3], ByteOrder::Big).with_detached(&mut octets);
        assert!(input.bounded_sequence::<u8>(2).is_err());
    }

    #[test]
    fn a_clone_does_not_take_them() {
        let mut octets = vec![1, 2, 3];
        let mut input = Decoder::new(&[0, 0, 0, 3], ByteOrder::Big).with_detached(&mut octets);
        assert!(input.clone().sequence::<u8>().is_err());
        assert_eq!(input.sequence::<u8>(), Ok(vec![1, 2, 3]));
    }
}
