//! Reading and writing the fields of PDUs and tokens, octet by octet.

use crate::order::ByteOrder;
use crate::uuid::Uuid;
use alloc::vec::Vec;

/// The octets end within a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended {
    /// The offset at which the field begins.
    pub(crate) at: usize,
}

/// Reads fields one after the other, and never beyond the end.
#[derive(Debug, Clone)]
pub(crate) struct Reader<'a> {
    octets: &'a [u8],
    at: usize,
    order: ByteOrder,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(octets: &'a [u8], at: usize, order: ByteOrder) -> Self {
        Self { octets, at, order }
    }

    pub(crate) fn left(&self) -> usize {
        self.octets.len().saturating_sub(self.at)
    }

    pub(crate) fn octets(&mut self, count: usize) -> Result<&'a [u8], Ended> {
        let end = self.at.checked_add(count).ok_or(Ended { at: self.at })?;
        let octets = self.octets.get(self.at..end).ok_or(Ended { at: self.at })?;
        self.at = end;
        Ok(octets)
    }

    pub(crate) fn rest(&mut self) -> &'a [u8] {
        let rest = self.octets.get(self.at..).unwrap_or_default();
        self.at = self.octets.len();
        rest
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Ended> {
        let at = self.at;
        self.octets(N)?.try_into().map_err(|_| Ended { at })
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Ended> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Ended> {
        let octets = self.array()?;
        Ok(match self.order {
            ByteOrder::Little => u16::from_le_bytes(octets),
            ByteOrder::Big => u16::from_be_bytes(octets),
        })
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Ended> {
        let octets = self.array()?;
        Ok(match self.order {
            ByteOrder::Little => u32::from_le_bytes(octets),
            ByteOrder::Big => u32::from_be_bytes(octets),
        })
    }

    pub(crate) fn uuid(&mut self) -> Result<Uuid, Ended> {
        Ok(Uuid::from_octets(self.array()?, self.order))
    }

    /// Passes over the padding up to a multiple of `alignment`, as far as there is any.
    pub(crate) fn align(&mut self, alignment: usize) {
        self.at = self.at.next_multiple_of(alignment);
    }
}

/// Writes fields one after the other.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) octets: Vec<u8>,
    order: ByteOrder,
}

impl Writer {
    pub(crate) fn new(order: ByteOrder) -> Self {
        Self { octets: Vec::new(), order }
    }

    pub(crate) fn put(&mut self, octets: &[u8]) {
        self.octets.extend_from_slice(octets);
    }

    pub(crate) fn u8(&mut self, value: u8) {
        self.octets.push(value);
    }

    pub(crate) fn u16(&mut self, value: u16) {
        match self.order {
            ByteOrder::Little => self.put(&value.to_le_bytes()),
            ByteOrder::Big => self.put(&value.to_be_bytes()),
        }
    }

    pub(crate) fn u32(&mut self, value: u32) {
        match self.order {
            ByteOrder::Little => self.put(&value.to_le_bytes()),
            ByteOrder::Big => self.put(&value.to_be_bytes()),
        }
    }

    pub(crate) fn uuid(&mut self, value: Uuid) {
        self.put(&value.to_octets(self.order));
    }

    pub(crate) fn align(&mut self, alignment: usize) {
        self.octets.resize(self.octets.len().next_multiple_of(alignment), 0);
    }
}
