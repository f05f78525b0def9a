//! HMAC with SHA-256 (RFC 2104), under a key that this process has made up.

use sha2::{Digest, Sha256};
use std::io;
use zeroize::Zeroizing;

/// The size of a block of SHA-256.
const BLOCK: usize = 64;

/// A key that nobody else knows, as long as the process runs.
pub(crate) struct HashKey(Zeroizing<[u8; 32]>);

/// What a [`HashKey`] makes of octets.
pub(crate) type KeyedHash = [u8; 32];

impl HashKey {
    /// A key from the random numbers of the operating system.
    pub(crate) fn new() -> io::Result<Self> {
        let mut key = Zeroizing::new([0; 32]);
        for part in key.chunks_exact_mut(8) {
            part.copy_from_slice(&armilla_ipc::random::number()?.get().to_ne_bytes());
        }
        Ok(Self(key))
    }

    /// The hash of these parts, and of where each ends.
    pub(crate) fn of(&self, parts: &[&[u8]]) -> KeyedHash {
        let padded = |with: u8| {
            let mut block = Zeroizing::new([with; BLOCK]);
            block.iter_mut().zip(self.0.iter()).for_each(|(octet, key)| *octet ^= key);
            block
        };
        let mut inner = Sha256::new();
        inner.update(&padded(0x36)[..]);
        for part in parts {
            inner.update((part.len() as u64).to_be_bytes());
            inner.update(part);
        }
        let mut outer = Sha256::new();
        outer.update(&padded(0x5c)[..]);
        outer.update(inner.finalize());
        outer.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart_and_keys_differ() {
        let (one, other) = (HashKey::new().unwrap(), HashKey::new().unwrap());
        assert_eq!(one.of(&[b"ab", b"c"]), one.of(&[b"ab", b"c"]));
        assert_ne!(one.of(&[b"ab", b"c"]), one.of(&[b"a", b"bc"]));
        assert_ne!(one.of(&[b"ab"]), other.of(&[b"ab"]));
    }
}
