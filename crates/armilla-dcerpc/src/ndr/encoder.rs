//! Writes values.

use super::error::{NdrError, NdrErrorKind};
use crate::order::ByteOrder;
use alloc::vec::Vec;

/// The first referent id; each further one is 4 more, as Windows counts.
const FIRST_REFERENT: u32 = 0x0002_0000;

/// Writes values one after the other into a stub.
#[derive(Debug)]
pub struct Encoder {
    octets: Vec<u8>,
    order: ByteOrder,
    referents: u32,
    full: Vec<FullPointer>,
}

/// A value that full pointers lead to.
#[derive(Debug)]
struct FullPointer {
    /// Where it lies in memory: two pointers to it are equal.
    place: usize,
    id: u32,
    written: bool,
}

impl Encoder {
    /// An empty stub in this byte order.
    pub fn new(order: ByteOrder) -> Self {
        Self { octets: Vec::new(), order, referents: 0, full: Vec::new() }
    }

    /// The byte order of numbers.
    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// How many octets there are so far.
    pub fn position(&self) -> usize {
        self.octets.len()
    }

    /// The stub.
    pub fn into_octets(self) -> Vec<u8> {
        self.octets
    }

    /// Appends octets as they are.
    pub fn put(&mut self, octets: &[u8]) {
        self.octets.extend_from_slice(octets);
    }

    /// Pads with zeros to a multiple of `alignment`, counted from the start of the stub.
    pub fn align(&mut self, alignment: usize) {
        self.octets.resize(self.octets.len().next_multiple_of(alignment), 0);
    }

    /// Writes something whose numbers are little-endian whatever the stub is, as the values of
    /// Automation are.
    ///
    /// # Errors
    ///
    /// Those of `write`.
    pub fn little_endian(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(), NdrError>,
    ) -> Result<(), NdrError> {
        let order = core::mem::replace(&mut self.order, ByteOrder::Little);
        let written = write(self);
        self.order = order;
        written
    }

    /// Replaces the number of 32 bits at `at` by another one, in the byte order of now. Without
    /// effect if there is none.
    pub fn patch(&mut self, at: usize, number: u32) {
        let octets = match self.order {
            ByteOrder::Little => number.to_le_bytes(),
            ByteOrder::Big => number.to_be_bytes(),
        };
        if let Some(place) = self.octets.get_mut(at..at + 4) {
            place.copy_from_slice(&octets);
        }
    }

    /// Appends a number, aligned to its size.
    pub(crate) fn number<const N: usize>(&mut self, little: [u8; N]) {
        self.align(N);
        let mut octets = little;
        if self.order == ByteOrder::Big {
            octets.reverse();
        }
        self.put(&octets);
    }

    /// Appends a count.
    ///
    /// # Errors
    ///
    /// If it has more than 32 bits.
    pub(crate) fn count(&mut self, count: usize) -> Result<(), NdrError> {
        let number = u32::try_from(count).map_err(|_| self.error(NdrErrorKind::TooLong(count)))?;
        self.number(number.to_le_bytes());
        Ok(())
    }

    /// Appends the id of a pointer that is not null, and returns it. What it leads to follows where
    /// the type says.
    pub fn referent(&mut self) -> u32 {
        let id = FIRST_REFERENT.wrapping_add(self.referents.wrapping_mul(4));
        self.referents += 1;
        self.number(id.to_le_bytes());
        id
    }

    /// Appends the id of a full pointer to the value at `place`.
    pub(crate) fn full_referent(&mut self, place: usize) {
        match self.full.iter().find(|known| known.place == place) {
            Some(known) => self.number(known.id.to_le_bytes()),
            None => {
                let id = self.referent();
                self.full.push(FullPointer { place, id, written: false });
            }
        }
    }

    /// Whether the value at `place` has to be written now: it was not before.
    pub(crate) fn first_time(&mut self, place: usize) -> bool {
        let known = self.full.iter_mut().find(|known| known.place == place);
        known.is_some_and(|known| !core::mem::replace(&mut known.written, true))
    }

    pub(crate) fn error(&self, kind: NdrErrorKind) -> NdrError {
        NdrError { kind, position: self.octets.len() }
    }
}
