//! Which of a server's mechanisms a client uses, and what it shows: the client security service
//! (CORBA 3.4 Part 2, 10.4.3), as a function of octets.

use super::credentials::{ClientCredentials, Identity};
use super::forms::Forms;
use crate::options::{IDENTITY_ASSERTION, TRUST_IN_CLIENT};
use armilla::{ExceptionKind, SystemException};
use armilla_giop::csi::{
    EstablishContext, GSSUP_MECHANISM, GssupToken, IdentityToken, IdentityTypes, SasMessage,
};
use armilla_giop::ior::{
    AssociationOptions, Component, CompoundSecMech, CsiSecMechList, SslSecTrans, TlsSecTrans,
};
use armilla_ipc::{Address, host};
use zeroize::Zeroizing;

/// How a request reaches its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Nobody else reads it: it stays on the host, or is encrypted.
    Private,
    /// Over the network in clear.
    Open,
}

impl Way {
    /// That of an address, as errors show it. One of an unknown scheme counts as open.
    fn to(address: &str) -> Self {
        let (scheme, rest) = address.split_once(':').unwrap_or_default();
        if PRIVATE.contains(&scheme) {
            return Self::Private;
        }
        let rest = rest.trim_start_matches('/');
        let host = rest.rsplit_once(':').map_or(rest, |(host, _)| host);
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let at = Address::tcp(host, 0).ip();
        let is_here = host == "localhost" || at.is_some_and(host::is_local_address);
        if is_here { Self::Private } else { Self::Open }
    }
}

/// The schemes of transports that stay on the host, and of those that encrypt.
const PRIVATE: [&str; 10] =
    ["unix", "abstract", "uiop", "shm", "shmiop", "fifo", "pipe", "pty", "ssliop", "tls"];

/// Whether this is the address of a transport without encryption that all ORBs have.
fn is_plain(address: &str) -> bool {
    address.starts_with("tcp:") || address.starts_with("iiop:")
}

/// Whether the transport of a mechanism is that at this address.
fn is_at(mechanism: &CompoundSecMech, address: &str) -> bool {
    let Some(place) = address.strip_prefix("ssliop://") else { return false };
    let Some((host, port)) = place.rsplit_once(':') else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let is_port = |other: u16| port == other.to_string();
    if let Ok(Some(tls)) = TlsSecTrans::from_tagged(&mechanism.transport) {
        return tls.addresses.iter().any(|at| {
            is_port(at.port) && (at.host.is_empty() || at.host.eq_ignore_ascii_case(host))
        });
    }
    let ssl = SslSecTrans::from_tagged(&mechanism.transport).ok().flatten();
    ssl.is_some_and(|ssl| is_port(ssl.port))
}

/// What the client is to show.
pub(super) struct Showing<'s> {
    pub(super) credentials: Option<&'s ClientCredentials>,
    pub(super) identity: Option<&'s Identity>,
    /// Whether a password may go over the network in clear.
    pub(super) in_clear: bool,
    /// Whether the server is one for Java's remote interfaces.
    pub(super) java: bool,
}

/// The data of the service context that establishes a context with the number 0; `None` if there is
/// nothing to show.
///
/// # Errors
/// `NO_PERMISSION`, with a hint, when the server requires what the client does not have, or takes
/// no assertion.
pub(super) fn choose(
    list: &CsiSecMechList,
    address: &str,
    showing: &Showing<'_>,
) -> Result<Option<Zeroizing<Vec<u8>>>, SystemException> {
    let (way, is_plain) = (Way::to(address), is_plain(address));
    let mut why = None;
    // A server may want other things at other ports.
    let (here, others): (Vec<_>, Vec<_>) =
        list.mechanisms.iter().partition(|mechanism| is_at(mechanism, address));
    for mechanism in here.into_iter().chain(others) {
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
    if mechanism.transport_options().is_none() {
        return Err((
            "the server takes secured calls over a transport that is neither TCP nor TLS",
            "it needs an endpoint over TLS",
        ));
    }
    if is_plain && mechanism.requires_protection() {
        return Err((
            "the server takes secured calls over TLS only",
            "let the ORB have TLS, so that it uses that address of the reference",
        ));
    }
    let layer = &mechanism.authentication;
    let target = &layer.target_name[..];
    let forms = if showing.java { Forms::Java { target } } else { Forms::Plain };
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
            let user = forms.name(&credentials.0.user);
            let token = GssupToken {
                user: user.as_bytes(),
                password: credentials.0.password.reveal().as_bytes(),
                target,
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
    let shown = forms.with_token(identity, |identity| {
        let attributes = &mechanism.attributes;
        let types = IdentityTypes(attributes.identity_types);
        if !has(attributes.target_supports, IDENTITY_ASSERTION) || !types.has(identity.kind()) {
            return Err((
                "the server takes no assertion of this identity",
                "see `ServerSecurityBuilder::may_assert` of the server",
            ));
        }
        encode(identity, &token).map(Some)
    });
    shown.map_err(|_| TOO_LONG)?
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

    use armilla_giop::ior::{
        AlternateAddress, AttributeLayer, AuthenticationLayer, TaggedComponent,
    };

    /// A mechanism over this transport that takes the token of this realm.
    fn mechanism(transport: TaggedComponent, requires: u16, realm: &str) -> CompoundSecMech {
        let authentication = AuthenticationLayer {
            target_supports: TRUST_IN_CLIENT,
            target_requires: TRUST_IN_CLIENT,
            mechanism: GSSUP_MECHANISM.to_vec(),
            target_name: realm.as_bytes().to_vec(),
        };
        let attributes = AttributeLayer::default();
        let target_requires = AssociationOptions(requires | 64);
        CompoundSecMech { target_requires, transport, authentication, attributes }
    }

    fn tls(requires: u16, host: &str, port: u16) -> TaggedComponent {
        let addresses = vec![AlternateAddress { host: host.into(), port }];
        let target_requires = AssociationOptions(requires);
        // GlassFish supports this much.
        let target_supports = AssociationOptions(102);
        TlsSecTrans { target_supports, target_requires, addresses }.to_tagged().unwrap()
    }

    fn none() -> TaggedComponent {
        TaggedComponent { id: CompoundSecMech::NO_TRANSPORT, data: vec![] }
    }

    /// The realm to which a client with a password shows it, or the refusal.
    fn chosen(mechanisms: &[CompoundSecMech], address: &str) -> Result<String, String> {
        let user = ClientCredentials::new("ann".parse().unwrap(), "secret");
        let showing =
            Showing { credentials: Some(&user), identity: None, in_clear: false, java: false };
        let list = CsiSecMechList { stateful: false, mechanisms: mechanisms.to_vec() };
        let shown = choose(&list, address, &showing).map_err(|error| error.to_string())?.unwrap();
        match SasMessage::decode_data(&shown).unwrap() {
            SasMessage::Establish(shown) => {
                let target = GssupToken::parse(shown.authentication).unwrap().target;
                Ok(String::from_utf8(target.to_vec()).unwrap())
            }
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn the_best_mechanism_that_fits_the_address_is_chosen() {
        let both = [
            mechanism(tls(6, "h", 3820), 6, "tls"),
            mechanism(tls(70, "h", 3920), 70, "mutual"),
            mechanism(none(), 0, "plain"),
        ];
        assert_eq!(chosen(&both, "ssliop://h:3820").as_deref(), Ok("tls"));
        assert_eq!(chosen(&both, "ssliop://H:3920").as_deref(), Ok("mutual"));
        assert_eq!(chosen(&both, "ssliop://other:1").as_deref(), Ok("tls"), "the first of all");
        assert_eq!(chosen(&both, "tcp://127.0.0.1:1").as_deref(), Ok("plain"));
        assert_eq!(chosen(&both, "unix:/a").as_deref(), Ok("tls"), "nobody else reads it");
        let inside = mechanism(SslSecTrans::at(7).to_tagged().unwrap(), 6, "ssl");
        assert_eq!(chosen(&[both[0].clone(), inside], "ssliop://h:7").as_deref(), Ok("ssl"));
    }

    #[test]
    fn a_plain_port_is_for_mechanisms_that_require_no_protection() {
        let plain = "tcp://127.0.0.1:1";
        for (transport, requires) in [(tls(6, "h", 1), 0), (tls(32, "h", 1), 0), (none(), 4)] {
            let refused = chosen(&[mechanism(transport, requires, "r")], plain).unwrap_err();
            assert!(refused.contains("over TLS only"), "{refused}");
        }
        // Open Liberty and GlassFish offer TLS beside a plain port, and do not insist on it.
        let offered = mechanism(tls(0, "h", 1), 0, "offered");
        assert_eq!(chosen(&[offered], plain).as_deref(), Ok("offered"));
        let other = mechanism(TaggedComponent { id: 35, data: vec![0; 8] }, 0, "seciop");
        let refused = chosen(std::slice::from_ref(&other), "ssliop://h:1").unwrap_err();
        assert!(refused.contains("neither TCP nor TLS"), "{refused}");
        assert_eq!(chosen(&[other, mechanism(none(), 0, "tcp")], plain).as_deref(), Ok("tcp"));
    }

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
