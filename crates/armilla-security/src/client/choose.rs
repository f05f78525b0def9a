//! Which of a server's mechanisms a client uses, and what it shows: the client security service
//! (CORBA 3.4 Part 2, 10.4.3), as a function of octets.

use super::credentials::{ClientCredentials, Identity};
use crate::options::{IDENTITY_ASSERTION, TAG_NULL_TAG, TRUST_IN_CLIENT};
use armilla::{ExceptionKind, SystemException};
use armilla_giop::csi::{
    EstablishContext, GSSUP_MECHANISM, GssupToken, IdentityToken, IdentityTypes, SasMessage,
};
use armilla_giop::ior::{AssociationOptions, CompoundSecMech, CsiSecMechList};
use armilla_ipc::host;
use zeroize::Zeroizing;

/// How a request reaches its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Nobody else reads it: it stays on the host, or is encrypted.
    Private,
    /// Over the network in clear.
    Open,
}

impl Way {
    /// That of an address, as errors show it. One of an unknown scheme counts as open.
    pub(super) fn to(address: &str) -> Self {
        let (scheme, rest) = address.split_once(':').unwrap_or_default();
        if PRIVATE.contains(&scheme) {
            return Self::Private;
        }
        let rest = rest.trim_start_matches('/');
        let host = rest.rsplit_once(':').map_or(rest, |(host, _)| host);
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let is_here = host == "localhost" || host.parse().is_ok_and(host::is_local_address);
        if is_here { Self::Private } else { Self::Open }
    }
}

/// The schemes of transports that stay on the host, and of those that encrypt.
const PRIVATE: [&str; 10] =
    ["unix", "abstract", "uiop", "shm", "shmiop", "fifo", "pipe", "pty", "ssliop", "tls"];

/// Whether this is the address of a transport without encryption that all ORBs have.
pub(super) fn is_plain(address: &str) -> bool {
    address.starts_with("tcp:") || address.starts_with("iiop:")
}

/// What the client is to show.
pub(super) struct Showing<'s> {
    pub(super) credentials: Option<&'s ClientCredentials>,
    pub(super) identity: Option<&'s Identity>,
    /// Whether a password may go over the network in clear.
    pub(super) in_clear: bool,
}

/// The data of the service context that establishes a context with the number 0; `None` if there is
/// nothing to show.
///
/// # Errors
/// `NO_PERMISSION`, with a hint, when the server requires what the client does not have, or takes
/// no assertion.
pub(super) fn choose(
    list: &CsiSecMechList,
    way: Way,
    is_plain: bool,
    showing: &Showing<'_>,
) -> Result<Option<Zeroizing<Vec<u8>>>, SystemException> {
    let mut why = None;
    for mechanism in &list.mechanisms {
        match with(mechanism, way, is_plain, showing) {
            Ok(shown) => return Ok(shown),
            Err(unfit) => why = why.or(Some(unfit)),
        }
    }
    match why {
        None => Ok(None),
        Some((what, hint)) => Err(ExceptionKind::NoPermission.because(what).with_hint(hint)),
    }
}

/// Why a mechanism does not fit, and what to do about it.
type Unfit = (&'static str, &'static str);

fn with(
    mechanism: &CompoundSecMech,
    way: Way,
    is_plain: bool,
    showing: &Showing<'_>,
) -> Result<Option<Zeroizing<Vec<u8>>>, Unfit> {
    if mechanism.transport.id != TAG_NULL_TAG && is_plain {
        return Err((
            "the server takes secured calls over TLS only",
            "let the ORB have TLS, so that it uses that address of the reference",
        ));
    }
    let layer = &mechanism.authentication;
    let has = |set: AssociationOptions, option: AssociationOptions| set.0 & option.0 != 0;
    let takes_password =
        has(layer.target_supports, TRUST_IN_CLIENT) && layer.mechanism == GSSUP_MECHANISM;
    // Another transport may have shown who the client is: by a certificate, or as a user of the host.
    let required = has(layer.target_requires, TRUST_IN_CLIENT) && is_plain;
    let token = match showing.credentials {
        Some(_) if takes_password && way == Way::Open && !showing.in_clear => {
            return Err((
                "the password would go over the network in clear",
                "use TLS, or allow it: `ClientSecurityBuilder::allow_passwords_in_clear`",
            ));
        }
        Some(credentials) if takes_password => {
            let user = credentials.0.user.to_string();
            let token = GssupToken {
                user: user.as_bytes(),
                password: credentials.0.password.reveal().as_bytes(),
                target: &layer.target_name,
            };
            Zeroizing::new(token.to_octets().map_err(|_| TOO_LONG)?)
        }
        _ if required && takes_password => {
            return Err((
                "the server requires a user and a password",
                "give them to `ClientSecurityBuilder::user`",
            ));
        }
        _ if required => {
            return Err((
                "the server requires another mechanism than passwords",
                "use a client that has it",
            ));
        }
        _ => Zeroizing::new(Vec::new()),
    };
    let Some(identity) = showing.identity else {
        return match token.is_empty() {
            true => Ok(None),
            false => encode(IdentityToken::Absent, &token).map(Some),
        };
    };
    identity.with_token(|identity| {
        let attributes = &mechanism.attributes;
        let types = IdentityTypes(attributes.identity_types);
        if !has(attributes.target_supports, IDENTITY_ASSERTION) || !types.has(identity.kind()) {
            return Err((
                "the server takes no assertion of this identity",
                "see `ServerSecurityBuilder::may_assert` of the server",
            ));
        }
        encode(identity, &token).map(Some)
    })
}

const TOO_LONG: Unfit = ("the credentials are too long", "use shorter ones");

fn encode(identity: IdentityToken<'_>, token: &[u8]) -> Result<Zeroizing<Vec<u8>>, Unfit> {
    let (context, authorization) = (0, Vec::new());
    let shown = EstablishContext { context, authorization, identity, authentication: token };
    SasMessage::Establish(shown).to_data().map(Zeroizing::new).map_err(|_| TOO_LONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_on_the_host_or_is_encrypted_is_private() {
        for address in ["tcp://127.0.0.1:1", "tcp://[::1]:1", "tcp://localhost:1", "unix:/a"] {
            assert_eq!(Way::to(address), Way::Private, "{address}");
        }
        assert_eq!(Way::to("ssliop://192.0.2.1:1"), Way::Private);
        for address in ["tcp://192.0.2.1:1", "iiop://bank.example.org:1", "x", ""] {
            assert_eq!(Way::to(address), Way::Open, "{address}");
        }
    }
}
