//! Messages and tokens of CSIv2: the security attribute service, GSSUP, and the names in both (CORBA
//! 3.4 Part 2, 10). What a server offers stands in its references:
//! [`CsiSecMechList`](crate::ior::CsiSecMechList).
//!
//! Readers accept what is known of other vendors, and bound everything: a name, a password, a chain
//! of certificates and a list have a greatest length, and what is longer is an error.

mod context;
mod der;
mod gssup;
mod identity;
mod names;

pub use context::{
    ContextError, ContextErrorKind, EstablishContext, SECURITY_ATTRIBUTES_CONTEXT, SasMessage,
};
pub use der::{
    DerError, certificate_subject, certificates_of, distinguished_name, pack_certificates,
};
pub use gssup::{GSSUP_MECHANISM, GssupError, GssupToken};
pub use identity::{IdentityToken, IdentityTypes};
pub use names::{ExportedName, NameError, SCOPED_USER_NAME, ScopedName};

/// The longest user name, target name or distinguished name that is read, in octets.
pub const MAX_NAME: usize = 1024;
/// The longest password that is read, in octets.
pub const MAX_PASSWORD: usize = 1024;
/// The longest token or chain of certificates that is read, in octets.
pub const MAX_TOKEN: usize = 64 * 1024;
