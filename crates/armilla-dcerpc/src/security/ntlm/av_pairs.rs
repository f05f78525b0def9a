//! What a server tells of itself, and the client repeats with additions (MS-NLMP 2.2.2.1).

use crate::cursor::{Reader, Writer};
use crate::order::ByteOrder;
use crate::security::error::SecurityError;
use alloc::vec::Vec;

pub(super) const COMPUTER: u16 = 1;
pub(super) const DOMAIN: u16 = 2;
pub(super) const DNS_COMPUTER: u16 = 3;
pub(super) const DNS_DOMAIN: u16 = 4;
pub(super) const FLAGS: u16 = 6;
pub(super) const TIME: u16 = 7;
pub(super) const TARGET: u16 = 9;
pub(super) const CHANNEL: u16 = 10;

/// The bit of [`FLAGS`] that says that the message has a MIC.
pub(super) const HAS_MIC: u32 = 2;

/// More than any peer sends.
const MOST: usize = 64;

/// Attributes with their values, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AvPairs(Vec<(u16, Vec<u8>)>);

impl AvPairs {
    pub(super) fn decode(octets: &[u8]) -> Result<Self, SecurityError> {
        let bad = |_| SecurityError::Malformed("the attributes do not end");
        let mut input = Reader::new(octets, 0, ByteOrder::Little);
        let mut pairs = Vec::new();
        loop {
            let (id, length) = (input.u16().map_err(bad)?, input.u16().map_err(bad)?);
            if id == 0 {
                return Ok(Self(pairs));
            }
            if pairs.len() == MOST {
                return Err(SecurityError::Malformed("there are too many attributes"));
            }
            pairs.push((id, input.octets(length.into()).map_err(bad)?.to_vec()));
        }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Writer::new(ByteOrder::Little);
        for (id, value) in &self.0 {
            out.u16(*id);
            out.u16(u16::try_from(value.len()).unwrap_or(u16::MAX));
            out.put(&value[..value.len().min(u16::MAX.into())]);
        }
        out.put(&[0; 4]);
        out.octets
    }

    pub(super) fn get(&self, id: u16) -> Option<&[u8]> {
        self.0.iter().find(|(known, _)| *known == id).map(|(_, value)| &**value)
    }

    /// Whether all attributes of `other` are here, with the same values.
    pub(super) fn contains(&self, other: &Self) -> bool {
        other.0.iter().all(|(id, value)| self.get(*id) == Some(value))
    }

    pub(super) fn set(&mut self, id: u16, value: Vec<u8>) {
        match self.0.iter_mut().find(|(known, _)| *known == id) {
            Some(pair) => pair.1 = value,
            None => self.0.push((id, value)),
        }
    }

    /// The number in [`FLAGS`]; 0 if there is none.
    pub(super) fn flags(&self) -> u32 {
        let flags = self.get(FLAGS).and_then(|value| value.first_chunk());
        flags.map_or(0, |flags| u32::from_le_bytes(*flags))
    }

    /// The time of the server.
    pub(super) fn time(&self) -> Option<[u8; 8]> {
        self.get(TIME)?.try_into().ok()
    }
}
