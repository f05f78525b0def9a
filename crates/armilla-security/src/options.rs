//! Numbers of the specification that both ends need.

use armilla_giop::ior::AssociationOptions;

/// `EstablishTrustInClient`.
pub(crate) const TRUST_IN_CLIENT: AssociationOptions = AssociationOptions(64);
/// `IdentityAssertion`.
pub(crate) const IDENTITY_ASSERTION: AssociationOptions = AssociationOptions(1024);
