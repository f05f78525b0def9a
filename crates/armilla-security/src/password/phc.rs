//! Argon2id hashes of passwords in the PHC format: `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`.

use crate::secret::same;
use argon2::{Algorithm, Argon2, Params, Version};
use base64ct::{Base64Unpadded, Encoding};
use std::fmt;
use std::io;

/// The most memory that a hash in the file may ask for, in KiB.
const MAX_MEMORY: u32 = 1 << 20;
/// The most passes that a hash in the file may ask for.
const MAX_PASSES: u32 = 64;
/// A hash of a password, and how it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hash {
    memory: u32,
    passes: u32,
    lanes: u32,
    salt: Vec<u8>,
    hash: Vec<u8>,
}

impl Hash {
    const LENGTH: usize = 32;

    /// The hash of a password with a new salt, as OWASP advises: 19 MiB, two passes.
    pub(super) fn new(password: &[u8]) -> io::Result<Self> {
        let mut salt = Vec::with_capacity(16);
        for _ in 0..2 {
            salt.extend(armilla_ipc::random::number()?.get().to_ne_bytes());
        }
        let mut new = Self { salt, ..Self::unknown() };
        new.hash = new.made_of(password).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(new)
    }

    /// That of nobody.
    pub(super) fn unknown() -> Self {
        let (salt, hash) = (vec![0; 16], vec![0; Self::LENGTH]);
        Self { memory: 19_456, passes: 2, lanes: 1, salt, hash }
    }

    fn made_of(&self, password: &[u8]) -> Option<Vec<u8>> {
        let params =
            Params::new(self.memory, self.passes, self.lanes, Some(self.hash.len())).ok()?;
        let mut made = vec![0; self.hash.len()];
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(password, &self.salt, &mut made)
            .ok()?;
        Some(made)
    }

    pub(super) fn is_of(&self, password: &[u8]) -> bool {
        self.made_of(password).is_some_and(|made| same(&made, &self.hash))
    }

    /// Reads the PHC format of Argon2id.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let parts: Vec<&str> = text.split('$').collect();
        let ["", "argon2id", "v=19", costs, salt, hash] = parts[..] else {
            return Err("a hash begins with $argon2id$v=19$");
        };
        let cost = |name: &str| -> Result<u32, &'static str> {
            let found = costs.split(',').find_map(|cost| cost.strip_prefix(name));
            let number = found.and_then(|number| number.strip_prefix('=')?.parse().ok());
            number.ok_or("the costs of a hash are m=…,t=…,p=…")
        };
        let (memory, passes, lanes) = (cost("m")?, cost("t")?, cost("p")?);
        if !(8..=MAX_MEMORY).contains(&memory) || !(1..=MAX_PASSES).contains(&passes) {
            return Err("the costs of a hash are too high, or none");
        }
        let octets = |text| Base64Unpadded::decode_vec(text).map_err(|_| "a hash is in Base64");
        let (salt, hash) = (octets(salt)?, octets(hash)?);
        if !(8..=64).contains(&salt.len()) || !(16..=64).contains(&hash.len()) {
            return Err("a salt has 8 to 64 octets, a hash 16 to 64");
        }
        match Params::new(memory, passes, lanes, Some(hash.len())) {
            Ok(_) if lanes <= 16 => Ok(Self { memory, passes, lanes, salt, hash }),
            _ => Err("the costs of a hash do not fit each other"),
        }
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { memory, passes, lanes, salt, hash } = self;
        let (salt, hash) =
            (Base64Unpadded::encode_string(salt), Base64Unpadded::encode_string(hash));
        write!(f, "$argon2id$v=19$m={memory},t={passes},p={lanes}${salt}${hash}")
    }
}
