//! Little-endian fields that are not NDR.

use crate::error::ObjRefError;
use alloc::vec::Vec;
use armilla_dcerpc::{ByteOrder, Uuid};

/// Reads fields one after the other.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn octets(&mut self, count: usize) -> Result<&'a [u8], ObjRefError> {
        let (octets, rest) = self.0.split_at_checked(count).ok_or(ObjRefError::Truncated)?;
        self.0 = rest;
        Ok(octets)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ObjRefError> {
        self.octets(N)?.try_into().map_err(|_| ObjRefError::Truncated)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, ObjRefError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, ObjRefError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, ObjRefError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn uuid(&mut self) -> Result<Uuid, ObjRefError> {
        Ok(Uuid::from_octets(self.array()?, ByteOrder::Little))
    }
}

/// The octets of a UUID as COM writes it.
pub(crate) fn put_uuid(out: &mut Vec<u8>, uuid: Uuid) {
    out.extend(uuid.to_octets(ByteOrder::Little));
}

/// A length that fits 32 bits.
pub(crate) fn length(octets: usize) -> Result<u32, ObjRefError> {
    u32::try_from(octets).map_err(|_| ObjRefError::TooLong)
}
