//! As whom a client authenticates, and for whom it acts.

use crate::secret::Secret;
use armilla::{CustomPolicy, PolicyType};
use armilla_giop::csi::{ScopedName, pack_certificates};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The type of the policy with the credentials of a reference, with the number of the vendor.
pub(super) const CREDENTIALS: PolicyType = PolicyType(0x4152_4d11);

/// A user name and a password. Clones are the same credentials.
///
/// A reference may have its own, which replace those of the ORB's
/// [`ClientSecurity`](crate::ClientSecurity): give `.into()` to
/// [`Policies::custom`](armilla::Policies::custom).
#[derive(Debug, Clone)]
pub struct ClientCredentials(pub(super) Arc<Known>);

#[derive(Debug)]
pub(super) struct Known {
    pub(super) user: ScopedName,
    pub(super) password: Secret,
    /// No other credentials of the process have it.
    pub(super) number: u64,
}

impl ClientCredentials {
    /// The credentials of a user.
    pub fn new(user: ScopedName, password: impl Into<Secret>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(Arc::new(Known { user, password: password.into(), number }))
    }

    /// The name of the user.
    pub fn user(&self) -> &ScopedName {
        &self.0.user
    }
}

impl From<ClientCredentials> for CustomPolicy {
    fn from(credentials: ClientCredentials) -> Self {
        Self::new(CREDENTIALS, credentials)
    }
}

/// For whom a client acts. The server decides whether it may.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Identity {
    /// For somebody who has not told their name.
    Anonymous,
    /// For the user with this name.
    User(ScopedName),
    /// For the subject of the first of these certificates in DER; those that follow have issued the
    /// ones before them.
    Certificates(Vec<Vec<u8>>),
    /// For the user with this name of X.501 in DER.
    DistinguishedName(Vec<u8>),
}

impl Identity {
    /// Octets that differ for identities that differ, for tables.
    pub(super) fn to_octets(&self) -> Vec<u8> {
        let (kind, octets): (u8, Vec<u8>) = match self {
            Self::Anonymous => (1, Vec::new()),
            Self::User(name) => (2, name.to_string().into_bytes()),
            Self::Certificates(chain) => {
                let chain: Vec<&[u8]> = chain.iter().map(|one| &**one).collect();
                (4, pack_certificates(&chain))
            }
            Self::DistinguishedName(name) => (8, name.clone()),
        };
        [&[kind][..], &octets].concat()
    }
}
