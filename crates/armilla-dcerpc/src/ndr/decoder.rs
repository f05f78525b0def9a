//! Reads values.

use super::MAX_NESTING;
use super::error::{NdrError, NdrErrorKind};
use crate::order::ByteOrder;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use core::any::Any;

/// Reads values one after the other from a stub.
pub struct Decoder<'a> {
    stub: &'a [u8],
    at: usize,
    order: ByteOrder,
    /// The size of the conformant array that ends the structure which is being read.
    hoisted: Option<u32>,
    depth: usize,
    /// What full pointers have led to, by referent id; `None` while it is being read.
    full: BTreeMap<u32, Option<Box<dyn Any>>>,
}

impl<'a> Decoder<'a> {
    /// Reads a stub in this byte order.
    pub fn new(stub: &'a [u8], order: ByteOrder) -> Self {
        Self { stub, at: 0, order, hoisted: None, depth: 0, full: BTreeMap::new() }
    }

    /// The byte order of numbers.
    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// How many octets have been read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// How many octets are left.
    pub fn left(&self) -> usize {
        self.stub.len() - self.at
    }

    /// The next `count` octets.
    ///
    /// # Errors
    ///
    /// If there are fewer.
    pub fn octets(&mut self, count: usize) -> Result<&'a [u8], NdrError> {
        let left = self.left();
        if count > left {
            return Err(self.error(NdrErrorKind::Truncated { needed: count, left }));
        }
        let octets = &self.stub[self.at..self.at + count];
        self.at += count;
        Ok(octets)
    }

    /// Passes over padding up to a multiple of `alignment`, counted from the start of the stub.
    /// The padding may have any value.
    ///
    /// # Errors
    ///
    /// If the stub ends before.
    pub fn align(&mut self, alignment: usize) -> Result<(), NdrError> {
        self.octets(self.at.next_multiple_of(alignment) - self.at).map(|_| ())
    }

    /// A number of `N` octets as little-endian ones.
    pub(crate) fn number<const N: usize>(&mut self) -> Result<[u8; N], NdrError> {
        self.align(N)?;
        let mut number = [0; N];
        number.copy_from_slice(self.octets(N)?);
        if self.order == ByteOrder::Big {
            number.reverse();
        }
        Ok(number)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, NdrError> {
        self.number().map(u32::from_le_bytes)
    }

    /// Refuses more elements than there are octets: each needs one at least.
    ///
    /// # Errors
    ///
    /// If there are fewer octets.
    pub fn check_count(&self, count: u32) -> Result<usize, NdrError> {
        let (needed, left) = (count as usize, self.left());
        if needed > left {
            return Err(self.error(NdrErrorKind::Truncated { needed, left }));
        }
        Ok(needed)
    }

    /// Reads the size of a conformant array ahead of the structure that it ends.
    pub(crate) fn hoist(&mut self) -> Result<(), NdrError> {
        self.hoisted = Some(self.u32()?);
        Ok(())
    }

    /// The size of the conformant array that is read now.
    pub(crate) fn hoisted(&mut self) -> Result<u32, NdrError> {
        match self.hoisted.take() {
            Some(size) => Ok(size),
            None => self.u32(),
        }
    }

    /// Reads something whose numbers are little-endian whatever the stub is, as the values of
    /// Automation are.
    ///
    /// # Errors
    ///
    /// Those of `read`.
    pub fn little_endian<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, NdrError>,
    ) -> Result<T, NdrError> {
        let order = core::mem::replace(&mut self.order, ByteOrder::Little);
        let value = read(self);
        self.order = order;
        value
    }

    /// Reads what a pointer leads to, one level deeper.
    ///
    /// # Errors
    ///
    /// Those of `read`, and if that is deeper than [`MAX_NESTING`].
    pub fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, NdrError>,
    ) -> Result<T, NdrError> {
        if self.depth == MAX_NESTING {
            return Err(self.error(NdrErrorKind::TooDeep));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    /// What the full pointer `id` leads to, if that has been read.
    ///
    /// # Errors
    ///
    /// If it is of another type, or is being read now.
    pub(crate) fn alias<T: Clone + 'static>(&self, id: u32) -> Result<Option<T>, NdrError> {
        match self.full.get(&id) {
            None => Ok(None),
            Some(known) => match known.as_ref().and_then(|value| value.downcast_ref::<T>()) {
                Some(value) => Ok(Some(value.clone())),
                None => Err(self.error(NdrErrorKind::InvalidAlias(id))),
            },
        }
    }

    /// Remembers what the full pointer `id` leads to; `None` before it is read.
    pub(crate) fn remember<T: 'static>(&mut self, id: u32, value: Option<T>) {
        self.full.insert(id, value.map(|value| Box::new(value) as Box<dyn Any>));
    }

    pub(crate) fn error(&self, kind: NdrErrorKind) -> NdrError {
        NdrError { kind, position: self.at }
    }
}

impl core::fmt::Debug for Decoder<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Decoder").field("at", &self.at).field("order", &self.order).finish()
    }
}
