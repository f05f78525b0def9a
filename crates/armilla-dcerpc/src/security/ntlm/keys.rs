//! The functions that NTLM computes keys by (MS-NLMP 3.3.2, 3.4.5).

use alloc::string::String;
use alloc::vec::Vec;
use hmac::{Hmac, KeyInit, Mac};
use md4::Md4;
use md5::{Digest, Md5};
use rc4::{Rc4, StreamCipher};

/// A key, a hash or a MIC.
pub(super) type Key = [u8; 16];

/// A text as UTF-16, little-endian.
pub(super) fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

pub(super) fn md4_of_utf16(text: &str) -> Key {
    Md4::digest(utf16(text)).into()
}

pub(super) fn md5(parts: &[&[u8]]) -> Key {
    let mut hash = Md5::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

pub(super) fn hmac_md5(key: &Key, parts: &[&[u8]]) -> Key {
    KeyedHash::new(key).of(parts)
}

/// HMAC-MD5 with a key that is used again and again: two of the five blocks of a short message are
/// hashed once.
pub(super) struct KeyedHash(Hmac<Md5>);

impl KeyedHash {
    pub(super) fn new(key: &Key) -> Self {
        // A key that is padded with zeros to the length of a block is the same key.
        let mut block = [0; 64];
        block[..key.len()].copy_from_slice(key);
        Self(<Hmac<Md5> as KeyInit>::new(&block.into()))
    }

    pub(super) fn of(&self, parts: &[&[u8]]) -> Key {
        let mut mac = self.0.clone();
        parts.iter().for_each(|part| mac.update(part));
        mac.finalize().into_bytes().into()
    }
}

/// A stream of RC4.
pub(super) struct Stream(Rc4);

impl Stream {
    pub(super) fn new(key: &Key) -> Self {
        // Any length from 1 to 256 octets is a key.
        Self(Rc4::new_from_slice(key).unwrap_or_else(|_| unreachable!("a key of 16 octets")))
    }

    pub(super) fn apply(&mut self, octets: &mut [u8]) {
        self.0.apply_keystream(octets);
    }
}

/// The key of a user: `NTOWFv2` (MS-NLMP 3.3.2).
pub(super) fn user_key(hash: &Key, user: &str, domain: &str) -> Key {
    hmac_md5(hash, &[&utf16(&upper(user)), &utf16(domain)])
}

/// In upper case, character by character as Windows does it.
fn upper(text: &str) -> String {
    text.chars()
        .map(|character| {
            let mut upper = character.to_uppercase();
            match (upper.next(), upper.next()) {
                (Some(one), None) => one,
                _ => character,
            }
        })
        .collect()
}

/// The proof that somebody has the key of a user (`NTProofStr`).
pub(super) fn proof(user_key: &Key, server_challenge: &[u8; 8], blob: &[u8]) -> Key {
    hmac_md5(user_key, &[server_challenge, blob])
}

/// The session base key, which is the key exchange key too.
pub(super) fn session_base_key(user_key: &Key, proof: &Key) -> Key {
    hmac_md5(user_key, &[proof])
}

/// Which way something travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    ToServer,
    ToClient,
}

/// The key that signs (`SIGNKEY`).
pub(super) fn sign_key(session: &Key, direction: Direction) -> Key {
    let constant: &[u8] = match direction {
        Direction::ToServer => b"session key to client-to-server signing key magic constant\0",
        Direction::ToClient => b"session key to server-to-client signing key magic constant\0",
    };
    md5(&[session, constant])
}

/// The key that encrypts (`SEALKEY`, with 128 bits).
pub(super) fn seal_key(session: &Key, direction: Direction) -> Key {
    let constant: &[u8] = match direction {
        Direction::ToServer => b"session key to client-to-server sealing key magic constant\0",
        Direction::ToClient => b"session key to server-to-client sealing key magic constant\0",
    };
    md5(&[session, constant])
}
