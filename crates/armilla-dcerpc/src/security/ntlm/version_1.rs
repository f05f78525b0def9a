//! What clients answer that know only NTLM version 1, with extended session security (MS-NLMP
//! 3.3.1): a proof by DES, which is broken within hours. Servers take it by an option alone.

use super::credentials::NtHash;
use super::keys::{self, Key};
use des::Des;
use des::cipher::{Array, BlockCipherEncrypt, KeyInit};
use md4::{Digest, Md4};

/// The length of an answer.
pub(super) const LENGTH: usize = 24;

/// Seven octets of a key, each bit but the eighth of its octets.
fn spread(seven: [u8; 7]) -> [u8; 8] {
    let bits = seven.iter().fold(0u64, |bits, octet| bits << 8 | u64::from(*octet));
    core::array::from_fn(|at| ((bits >> (49 - 7 * at)) as u8 & 0x7f) << 1)
}

/// The proof that somebody has the hash (`DESL`): of the server's challenge and the client's.
pub(super) fn proof(hash: &NtHash, server: &[u8; 8], client: &[u8; 8]) -> [u8; LENGTH] {
    let mut both = [0; 8];
    both.copy_from_slice(&keys::md5(&[server, client])[..8]);
    let mut key = [0; 21];
    key[..16].copy_from_slice(&hash.0);
    let mut proof = [0; LENGTH];
    let (keys, _) = key.as_chunks::<7>();
    for (part, key) in proof.as_chunks_mut::<8>().0.iter_mut().zip(keys) {
        let mut block = Array(both);
        Des::new(&Array(spread(*key))).encrypt_block(&mut block);
        *part = block.0;
    }
    proof
}

/// The key of the session (`KXKEY`).
pub(super) fn session_base_key(hash: &NtHash, server: &[u8; 8], client: &[u8; 8]) -> Key {
    let base = Md4::digest(hash.0).into();
    keys::hmac_md5(&base, &[server, client])
}
