//! Signing and encrypting, once both sides have a key (MS-NLMP 3.4).

use super::keys::{self, Direction, Key, KeyedHash, Stream};
use crate::security::constant_time;
use crate::security::context::Message;
use crate::security::error::SecurityError;
use alloc::vec::Vec;
use core::fmt;

/// How many octets a signature has.
pub(super) const SIGNATURE_LENGTH: usize = 16;

/// Both directions of an established context.
pub(super) struct Session {
    sending: Way,
    receiving: Way,
    /// Whether the session key was exchanged: checksums are encrypted then.
    exchanged: bool,
    /// Something that was received was not authentic: nothing is any more.
    failed: bool,
}

/// What one direction has to remember.
struct Way {
    signing: KeyedHash,
    seal_key: Key,
    stream: Stream,
    /// The number of the next message.
    sequence: u32,
}

impl Way {
    fn new(session: &Key, direction: Direction) -> Self {
        let seal_key = keys::seal_key(session, direction);
        Self {
            signing: KeyedHash::new(&keys::sign_key(session, direction)),
            seal_key,
            stream: Stream::new(&seal_key),
            sequence: 0,
        }
    }

    fn checksum(&self, octets: &[u8]) -> [u8; 8] {
        let mac = self.signing.of(&[&self.sequence.to_le_bytes(), octets]);
        [mac[0], mac[1], mac[2], mac[3], mac[4], mac[5], mac[6], mac[7]]
    }

    /// The signature with this checksum, and on to the next message.
    fn signature(&mut self, checksum: [u8; 8]) -> Vec<u8> {
        let sequence = self.sequence.to_le_bytes();
        self.sequence = self.sequence.wrapping_add(1);
        [&[1, 0, 0, 0][..], &checksum, &sequence].concat()
    }
}

impl Session {
    pub(super) fn new(session: &Key, sending: Direction, exchanged: bool) -> Self {
        let receiving = match sending {
            Direction::ToServer => Direction::ToClient,
            Direction::ToClient => Direction::ToServer,
        };
        let way = |direction| Way::new(session, direction);
        Self { sending: way(sending), receiving: way(receiving), exchanged, failed: false }
    }

    pub(super) fn protect(&mut self, message: Message<'_>) -> Result<Vec<u8>, SecurityError> {
        if self.failed {
            return Err(SecurityError::NotEstablished);
        }
        let way = &mut self.sending;
        let mut checksum = way.checksum(message.pdu);
        if message.privacy {
            let stub = message.pdu.get_mut(message.stub).ok_or(SecurityError::NotAuthentic)?;
            way.stream.apply(stub);
        }
        if self.exchanged {
            way.stream.apply(&mut checksum);
        }
        Ok(way.signature(checksum))
    }

    pub(super) fn unprotect(
        &mut self,
        message: Message<'_>,
        signature: &[u8],
    ) -> Result<(), SecurityError> {
        if self.failed {
            return Err(SecurityError::NotEstablished);
        }
        // Until it has turned out to be authentic: the streams are of no use otherwise.
        self.failed = true;
        let way = &mut self.receiving;
        if message.privacy {
            let stub = message.pdu.get_mut(message.stub).ok_or(SecurityError::NotAuthentic)?;
            way.stream.apply(stub);
        }
        let mut checksum = way.checksum(message.pdu);
        if self.exchanged {
            way.stream.apply(&mut checksum);
        }
        if !constant_time::equal(&way.signature(checksum), signature) {
            return Err(SecurityError::NotAuthentic);
        }
        self.failed = false;
        Ok(())
    }

    /// The signature of the list of mechanisms: under a stream that begins anew afterwards.
    pub(super) fn sign_mechanisms(&mut self, list: &[u8]) -> Vec<u8> {
        Self::mic(&mut self.sending, self.exchanged, list)
    }

    pub(super) fn verify_mechanisms(
        &mut self,
        list: &[u8],
        mic: &[u8],
    ) -> Result<(), SecurityError> {
        let own = Self::mic(&mut self.receiving, self.exchanged, list);
        self.failed |= !constant_time::equal(&own, mic);
        if self.failed { Err(SecurityError::WrongMic) } else { Ok(()) }
    }

    fn mic(way: &mut Way, exchanged: bool, list: &[u8]) -> Vec<u8> {
        let mut checksum = way.checksum(list);
        if exchanged {
            Stream::new(&way.seal_key).apply(&mut checksum);
        }
        way.signature(checksum)
    }
}

/// Keys are not shown.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("sent", &self.sending.sequence)
            .field("received", &self.receiving.sequence)
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}
