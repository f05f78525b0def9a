//! Accounts, passwords and times.

use super::keys;
use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;
use core::time::Duration;

/// What a password is worth to NTLM: whoever has it can act as the user.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct NtHash(pub [u8; 16]);

impl NtHash {
    /// The hash of a password (MS-NLMP 3.3.1, `NTOWFv1`).
    pub fn of(password: &str) -> Self {
        Self(keys::md4_of_utf16(password))
    }
}

/// The octets are a secret, and are not shown.
impl fmt::Debug for NtHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NtHash(…)")
    }
}

/// Who a client says that it is, and how it proves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    pub(super) domain: String,
    pub(super) user: String,
    pub(super) hash: NtHash,
    pub(super) workstation: String,
    pub(super) target: String,
}

impl Credentials {
    /// By password.
    pub fn new(domain: &str, user: &str, password: &str) -> Self {
        Self::from_hash(domain, user, NtHash::of(password))
    }

    /// By the hash of the password.
    pub fn from_hash(domain: &str, user: &str, hash: NtHash) -> Self {
        let (domain, user) = (domain.to_owned(), user.to_owned());
        Self { domain, user, hash, workstation: String::new(), target: String::new() }
    }

    /// The hash of the password, if this is the user, in whichever domain: for a server that lets in
    /// whoever it is itself elsewhere.
    pub fn hash_of(&self, user: &str) -> Option<NtHash> {
        let [own, other] = [(&*self.user, &*self.domain), (user, "")]
            .map(|(user, domain)| name_and_domain(user, domain).0.to_lowercase());
        (own == other).then_some(self.hash)
    }

    /// The name of the client's host, which is shown to the server.
    #[must_use]
    pub fn workstation(mut self, name: &str) -> Self {
        name.clone_into(&mut self.workstation);
        self
    }

    /// The service that is called, such as `RPCSS/192.0.2.1` (MS-NLMP 2.2.2.1, `MsvAvTargetName`).
    #[must_use]
    pub fn target(mut self, name: &str) -> Self {
        name.clone_into(&mut self.target);
        self
    }
}

/// The name of a user, and the domain: `operator@plant.example` has it in the name where there is no other
/// (MS-NLMP 3.3.2 makes the key of both as they are).
pub fn name_and_domain<'u>(user: &'u str, domain: &'u str) -> (&'u str, &'u str) {
    match user.split_once('@') {
        Some((name, of)) if domain.is_empty() && !name.is_empty() => (name, of),
        _ => (user, domain),
    }
}

/// A time as Windows counts it: tenths of microseconds since 1601 (MS-DTYP 2.3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileTime(pub u64);

impl FileTime {
    /// From the time since 1970.
    pub fn from_unix(since_1970: Duration) -> Self {
        const SECONDS_FROM_1601_TO_1970: u64 = 11_644_473_600;
        let ticks = since_1970.as_nanos() / 100;
        let ticks = u64::try_from(ticks).unwrap_or(u64::MAX);
        Self(ticks.saturating_add(SECONDS_FROM_1601_TO_1970 * 10_000_000))
    }
}
