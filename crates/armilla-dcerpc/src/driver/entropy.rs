//! The host's clock and randomness.

use crate::security::ntlm::{self, Credentials, FileTime};
use crate::security::{SecurityContext, spnego};
use alloc::boxed::Box;
use alloc::vec;
use std::time::{SystemTime, UNIX_EPOCH};

/// The time now.
pub fn now() -> FileTime {
    FileTime::from_unix(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// Octets that nobody can predict.
///
/// # Panics
///
/// If the host has no source of randomness: nothing would be secure.
pub fn random<const N: usize>() -> [u8; N] {
    let mut octets = [0; N];
    getrandom::fill(&mut octets).expect("the host has a source of randomness");
    octets
}

/// A client's side of NTLM with fresh keys.
///
/// # Panics
///
/// If the host has no source of randomness.
pub fn ntlm(credentials: Credentials) -> Box<dyn SecurityContext> {
    Box::new(ntlm::Initiator::new(credentials, random(), random(), now()))
}

/// A client's side of SPNEGO that offers NTLM.
///
/// # Panics
///
/// If the host has no source of randomness.
pub fn spnego(credentials: Credentials) -> Box<dyn SecurityContext> {
    Box::new(spnego::Initiator::new(vec![ntlm(credentials)]))
}
