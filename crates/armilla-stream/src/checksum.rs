//! Checksums of octets that pass by.

use crate::Checksum;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// A checksum that grows with the octets. A clone goes on by itself.
#[derive(Clone)]
pub struct RunningChecksum(State);

#[derive(Clone)]
enum State {
    None,
    Crc32(crc32fast::Hasher),
    Sha256(Sha256),
}

impl RunningChecksum {
    /// The checksum of nothing so far.
    pub fn new(algorithm: Checksum) -> Self {
        Self(match algorithm {
            Checksum::None => State::None,
            Checksum::Crc32 => State::Crc32(crc32fast::Hasher::new()),
            Checksum::Sha256 => State::Sha256(Sha256::new()),
        })
    }

    /// Adds octets behind those that came before.
    pub fn update(&mut self, octets: &[u8]) {
        match &mut self.0 {
            State::None => {}
            State::Crc32(hasher) => hasher.update(octets),
            State::Sha256(hasher) => hasher.update(octets),
        }
    }

    /// The checksum: nothing, 4 octets (big-endian) or 32.
    pub fn finish(self) -> Vec<u8> {
        match self.0 {
            State::None => Vec::new(),
            State::Crc32(hasher) => hasher.finalize().to_be_bytes().to_vec(),
            State::Sha256(hasher) => hasher.finalize().to_vec(),
        }
    }

    /// The checksum of these octets.
    ///
    /// ```
    /// use armilla_stream::{Checksum, RunningChecksum};
    ///
    /// let digest = RunningChecksum::of(Checksum::Crc32, b"123456789");
    /// assert_eq!(digest, [0xcb, 0xf4, 0x39, 0x26]);
    /// ```
    pub fn of(algorithm: Checksum, octets: &[u8]) -> Vec<u8> {
        let mut running = Self::new(algorithm);
        running.update(octets);
        running.finish()
    }
}

impl fmt::Debug for RunningChecksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            State::None => "RunningChecksum(none)",
            State::Crc32(_) => "RunningChecksum(CRC-32)",
            State::Sha256(_) => "RunningChecksum(SHA-256)",
        })
    }
}
