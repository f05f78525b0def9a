//! Cuts the octets of a connection into PDUs.

use super::error::PduError;
use super::header::{HEADER_LEN, Header};
use alloc::vec::Vec;

/// Splits a stream into whole PDUs, however it is cut.
#[derive(Debug)]
pub struct Framer {
    octets: Vec<u8>,
    /// Where the PDU begins that comes next.
    at: usize,
    limit: usize,
}

impl Framer {
    /// For PDUs of at most `limit` octets.
    pub fn new(limit: u16) -> Self {
        Self { octets: Vec::new(), at: 0, limit: limit.into() }
    }

    /// Takes what arrived.
    pub fn receive(&mut self, octets: &[u8]) {
        self.octets.drain(..self.at);
        self.at = 0;
        self.octets.extend_from_slice(octets);
    }

    /// The next whole PDU with its header; `None` while it is incomplete.
    ///
    /// # Errors
    ///
    /// If what comes next is no PDU, or too long. The connection cannot be read any further.
    pub fn next_pdu(&mut self) -> Result<Option<(Header, Vec<u8>)>, PduError> {
        let rest = &self.octets[self.at..];
        let Some(first) = rest.first_chunk::<HEADER_LEN>() else { return Ok(None) };
        let header = Header::decode(first)?;
        let stated = usize::from(header.length);
        if stated > self.limit {
            return Err(PduError::TooLong { stated, limit: self.limit });
        }
        let Some(pdu) = rest.get(..stated) else { return Ok(None) };
        self.at += stated;
        Ok(Some((header, pdu.to_vec())))
    }

    /// The header of the PDU that comes next, also if that is too long or too short; `None` if
    /// there is none.
    pub fn header(&self) -> Option<Header> {
        self.octets[self.at..].first_chunk().and_then(|first| Header::fields(first).ok())
    }

    /// Whether a PDU has begun and not ended.
    pub fn is_partial(&self) -> bool {
        self.at < self.octets.len()
    }
}
