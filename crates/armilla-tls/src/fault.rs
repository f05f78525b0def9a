//! Why a handshake has failed, in a sentence that names the certificate and the rule, and what to do
//! about it.

use crate::certificate::{Certificate, Date, identifier};
use crate::verify::{RefusedChain, take_refused};
use armilla_core::exception::Minor;
use armilla_core::transport::Refused;
use rustls::pki_types::UnixTime;
use rustls::{AlertDescription, CertificateError, Error, InvalidMessage, PeerIncompatible};

/// Which end this process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Server,
}

impl Side {
    /// What the peer is.
    fn peer(self) -> &'static str {
        match self {
            Self::Client => "server",
            Self::Server => "client",
        }
    }
}

/// The part of a hint that is of no use to whoever is looking at the server already.
pub(crate) const LOOK_AT_IT: &str = "`armilla tls check URL` says what it offers; ";

/// The error of a handshake with the peer at `place`, which has just failed in this thread.
pub(crate) fn handshake(side: Side, place: &str, error: &Error) -> Refused {
    let refused = take_refused();
    let peer = side.peer();
    match error {
        Error::InvalidCertificate(why) => {
            let (what, hint) = certificate(side, why, refused.as_deref());
            let shown = refused.as_deref().and_then(|refused| refused.chain.first());
            let shown = shown.map_or_else(String::new, |shown| format!(" {shown}"));
            let text =
                format!("the certificate{shown} of the {peer} at {place} is refused: {what}");
            Refused::new(Minor::TLS_CERTIFICATE_REFUSED, text).with_hint(hint)
        }
        Error::NoCertificatesPresented => Refused::new(
            Minor::TLS_CERTIFICATE_REFUSED,
            format!(
                "the {peer} at {place} shows no certificate, which -ORBVerify required asks for"
            ),
        )
        .with_hint("the client needs -ORBCertificate and -ORBKey"),
        Error::AlertReceived(alert) => {
            let (minor, what, hint) = alert_received(side, *alert);
            Refused::new(minor, format!("the {peer} at {place} refuses: {what}")).with_hint(hint)
        }
        other => {
            let (what, hint) = disagreement(side, other);
            Refused::new(
                Minor::TLS_HANDSHAKE_FAILED,
                format!("no TLS with the {peer} at {place}: {what}"),
            )
            .with_hint(hint)
        }
    }
}

/// The rule that a certificate breaks, and the remedy.
fn certificate(
    side: Side,
    why: &CertificateError,
    refused: Option<&RefusedChain>,
) -> (String, String) {
    use CertificateError as Why;
    let peer = side.peer();
    if let Some(found) = refused.and_then(|refused| rule_of_ours(side, refused)) {
        return found;
    }
    let first = refused.and_then(|refused| refused.chain.first());
    match why {
        Why::Expired | Why::ExpiredContext { .. } => {
            let expired = refused.and_then(|refused| oldest(refused)).or(first);
            (
                format!("it has expired{}", by(expired, first)),
                format!("the {peer} needs a new one; the clock of this host says {}", Date::now()),
            )
        }
        Why::NotValidYet | Why::NotValidYetContext { .. } => (
            "it is not valid yet".to_owned(),
            format!("are the clocks right? That of this host says {}", Date::now()),
        ),
        Why::Revoked => {
            ("its authority has revoked it".to_owned(), format!("the {peer} needs a new one"))
        }
        Why::NotValidForName => {
            ("it is for another name".to_owned(), "the name is the one in the reference".to_owned())
        }
        Why::NotValidForNameContext { expected, .. } => another_name(&expected.to_str(), first),
        Why::UnknownIssuer => unknown_issuer(side, refused),
        Why::UnknownRevocationStatus => (
            "whether it was revoked is not known".to_owned(),
            "-ORBRevocations needs the list of its authority".to_owned(),
        ),
        Why::ExpiredRevocationList => expired_list(None),
        Why::ExpiredRevocationListContext { next_update, .. } => expired_list(Some(*next_update)),
        Why::BadSignature => (
            "its signature is not that of its authority".to_owned(),
            "an authority of the same name has another key: is -ORBRoots that of this authority?"
                .to_owned(),
        ),
        Why::InvalidPurpose | Why::InvalidPurposeContext { .. } => (
            format!("it is not for a {peer} (extendedKeyUsage)"),
            format!(
                "issue one for a {peer}: `extendedKeyUsage = {peer}Auth`, or none; \
                 `anyExtendedKeyUsage` is not enough"
            ),
        ),
        Why::BadEncoding => ("it is malformed".to_owned(), format!("the {peer} needs another one")),
        Why::UnhandledCriticalExtension => (
            "it has a critical extension that is not known here".to_owned(),
            "issue one without".to_owned(),
        ),
        _ if first.is_some_and(|first| first.is_authority) => (
            "it is the certificate of an authority, not of a server or client".to_owned(),
            format!(
                "the {peer}'s own certificate comes first in its file, then those of its \
                 authorities; the certificate of an authority proves nobody"
            ),
        ),
        other if is_of_another_version(other) => (
            "it is not of X.509 version 3, and so names no host".to_owned(),
            format!("the {peer} needs {VERSION_3}"),
        ),
        other => (words(other), format!("the {peer} needs another certificate")),
    }
}

/// What is wrong with a certificate, or with one above it, where that takes no more than a sentence.
pub(crate) fn words(why: &CertificateError) -> String {
    use CertificateError as Why;
    match why {
        Why::UnsupportedSignatureAlgorithmContext { signature_algorithm_id: id, .. }
        | Why::UnsupportedSignatureAlgorithmForPublicKeyContext {
            signature_algorithm_id: id,
            ..
        } => format!(
            "it, or one above it, is signed by {}; taken are RSA, P-256 and P-384 with SHA-256, SHA-384 \
             or SHA-512, and Ed25519",
            algorithm(id)
        ),
        // These are errors of a library of the library, which have no other names.
        Why::Other(other) => match &*format!("{:?}", other.0) {
            "NameConstraintViolation" => {
                "an authority above it may not issue for its names (nameConstraints)".to_owned()
            }
            "PathLenConstraintViolated" => {
                "an authority above it may have no further one below it (pathlen)".to_owned()
            }
            "MaximumPathDepthExceeded" => {
                "more than six authorities stand between it and a root".to_owned()
            }
            "MaximumPathBuildCallsExceeded" | "MaximumSignatureChecksExceeded" => {
                "the certificates that came with it lead to a root in too many ways".to_owned()
            }
            "MaximumNameConstraintComparisonsExceeded" => {
                "it has too many names for the limits of the authorities above it (nameConstraints)"
                    .to_owned()
            }
            "ExtensionValueInvalid" | "MalformedExtensions" => {
                "it, or one above it, has a malformed extension, or one twice".to_owned()
            }
            "EndEntityUsedAsCa" => {
                "one above it is none of an authority (basicConstraints)".to_owned()
            }
            "UnsupportedCriticalExtension" => {
                "it, or one above it, has a critical extension that is not known here".to_owned()
            }
            other => other.to_owned(),
        },
        other => other.to_string(),
    }
}

/// An algorithm for signatures, by its encoded identifier.
fn algorithm(id: &[u8]) -> String {
    let number = identifier(id).unwrap_or_default();
    let name = match &*number {
        "1.2.840.10045.4.1" | "1.2.840.113549.1.1.5" => "SHA-1",
        "1.2.840.113549.1.1.4" => "MD5",
        "1.2.840.113549.1.1.10" => "RSA-PSS with a salt that is not as long as the hash",
        "1.2.840.10045.4.3.2" | "1.2.840.10045.4.3.3" | "1.2.840.10045.4.3.4" => {
            "ECDSA with another curve or hash"
        }
        "1.3.101.113" => "Ed448",
        _ => "an algorithm that is not known here",
    };
    format!("{name} ({number})")
}

/// How to get a certificate that can be used.
pub(crate) const VERSION_3: &str = "one of version 3: `armilla tls issue`, or `openssl x509 -req -extfile \
     FILE` with a subjectAltName in the file";

/// Whether a certificate is of version 1, as OpenSSL makes it where nobody says what it is for.
pub(crate) fn is_of_another_version(why: &CertificateError) -> bool {
    // The error within is of a library of the library.
    matches!(why, CertificateError::Other(other) if format!("{other:?}").contains("UnsupportedCertVersion"))
}

/// What this end asks of chains beyond what every end does, where a chain breaks that.
fn rule_of_ours(side: Side, refused: &RefusedChain) -> Option<(String, String)> {
    if refused.unpinned {
        return Some((
            "none of the keys in its chain is pinned".to_owned(),
            "`armilla tls show` prints the pin of a certificate, -ORBTls pin= adds it".to_owned(),
        ));
    }
    let weak = refused.chain.iter().find(|one| one.key.is_weak())?;
    let peer = side.peer();
    Some((
        format!("the key of {weak} is weak: {}, 2,048 bits is the least", weak.key),
        format!("the {peer} needs a certificate with a longer key, or of the curve P-256"),
    ))
}

/// The certificate is for other names than the one in the reference.
fn another_name(expected: &str, first: Option<&Certificate>) -> (String, String) {
    let names = first.map(|first| first.names.join(", ")).unwrap_or_default();
    let names = if names.is_empty() { "no host".to_owned() } else { names };
    (
        format!("the reference leads to {expected}, and it is for {names}"),
        "issue one with that name, let the reference carry the name that it has \
         (-ORBPublishHost), or set -ORBTls name= if references carry addresses"
            .to_owned(),
    )
}

/// The first certificate of a chain that has expired.
fn oldest(refused: &RefusedChain) -> Option<&Certificate> {
    refused.chain.iter().find(|one| one.not_after < Date::now())
}

/// Which certificate it is, if not the peer's own.
fn by(found: Option<&Certificate>, first: Option<&Certificate>) -> String {
    match (found, first) {
        (Some(found), Some(first)) if found != first => format!(" by way of {found}"),
        _ => String::new(),
    }
}

fn expired_list(next: Option<UnixTime>) -> (String, String) {
    let when = next.map(|next| Date(next.as_secs().cast_signed()));
    let when = when.map_or_else(String::new, |when| format!(" on {when}"));
    (
        format!("the revocation list of its authority has expired{when}"),
        "-ORBRevocations needs the latest list; it is read again when the file changes".to_owned(),
    )
}

/// Why no root leads to the chain: there are as many remedies as reasons.
fn unknown_issuer(side: Side, refused: Option<&RefusedChain>) -> (String, String) {
    let peer = side.peer();
    let add = "-ORBRoots FILE names the authorities that are believed".to_owned();
    let Some(RefusedChain { chain, known_issuers, roots, .. }) = refused else {
        return ("its authority is not believed".to_owned(), add);
    };
    let Some(first) = chain.first() else {
        return ("it cannot be read".to_owned(), format!("the {peer} needs another one"));
    };
    if *roots == 0 {
        return ("no authority is believed at all".to_owned(), add);
    }
    if first.is_self_signed() {
        return (
            format!("it has signed itself, and is none of the {roots} roots"),
            "-ORBRoots FILE believes it if the file holds this very certificate; better is one of \
             an authority (`armilla tls issue`)"
                .to_owned(),
        );
    }
    // The certificate at which the way from the first to a root ends.
    let (mut last, mut steps) = (first, 0);
    while let Some(next) = chain.iter().find(|next| next.subject == last.issuer && *next != last) {
        (last, steps) = (next, steps + 1);
        if steps > chain.len() || next.is_self_signed() {
            break;
        }
    }
    let place = chain.iter().position(|one| one == last).unwrap_or_default();
    if known_issuers.get(place) == Some(&true) {
        return (
            format!("a root has the name {} but another key", last.issuer),
            "is the file of -ORBRoots that of this authority, or of an earlier one of its name?"
                .to_owned(),
        );
    }
    (
        format!(
            "{} has issued {}, and is neither one of the {roots} roots nor among the {} \
             certificates that the {peer} has sent",
            last.issuer,
            if last == first { "it".to_owned() } else { format!("\"{}\"", last.subject) },
            chain.len(),
        ),
        format!(
            "if {0} is a root, -ORBRoots needs it; if it is between, the {peer}'s file \
             (-ORBCertificate) needs its certificate behind the {peer}'s own",
            last.issuer
        ),
    )
}

/// What the peer says with an alert.
fn alert_received(side: Side, alert: AlertDescription) -> (Minor, String, String) {
    use AlertDescription as Alert;
    let own = match side {
        Side::Client => "the certificate of this client (-ORBCertificate)",
        Side::Server => "the certificate of this server (-ORBCertificate)",
    };
    let refused = Minor::TLS_CERTIFICATE_REFUSED;
    let failed = Minor::TLS_HANDSHAKE_FAILED;
    let peer = side.peer();
    match alert {
        Alert::CertificateRequired => (
            refused,
            "it wants a certificate of this client".to_owned(),
            "-ORBCertificate FILE and -ORBKey FILE show one".to_owned(),
        ),
        Alert::HandshakeFailure if side == Side::Client => (
            failed,
            "it finds no version and cipher suite in common, no curve or kind of key, or wants a \
             certificate of this client"
                .to_owned(),
            format!(
                "spoken here are ECDHE with AES-GCM or ChaCha20, the curves X25519, P-256 and P-384, \
                 and keys of RSA, P-256, P-384 or Ed25519; {LOOK_AT_IT}-ORBCertificate shows a \
                 certificate"
            ),
        ),
        Alert::UnknownCA => (
            refused,
            format!("it does not believe the authority of {own}"),
            format!("the {peer} needs that authority among its roots"),
        ),
        Alert::CertificateExpired => (
            refused,
            format!("{own} has expired, by its clock"),
            "issue a new one; it is read without a restart".to_owned(),
        ),
        Alert::CertificateRevoked => {
            (refused, format!("{own} was revoked"), "issue a new one".to_owned())
        }
        Alert::BadCertificate | Alert::UnsupportedCertificate | Alert::CertificateUnknown => (
            refused,
            format!("it does not accept {own} ({alert:?})"),
            format!(
                "the log of the {peer} may say why; is the name the one by which it is called?"
            ),
        ),
        Alert::ProtocolVersion => (
            failed,
            "it speaks none of the versions that are spoken here".to_owned(),
            "TLS 1.2 and 1.3 are spoken, within -ORBTls min= and max=".to_owned(),
        ),
        Alert::AccessDenied => (refused, "access denied".to_owned(), "ask its operator".to_owned()),
        other => (failed, format!("{other:?}"), format!("the log of the {peer} may say why")),
    }
}

/// What else can go wrong.
fn disagreement(side: Side, error: &Error) -> (String, String) {
    let peer = side.peer();
    match error {
        Error::InvalidMessage(
            InvalidMessage::InvalidContentType | InvalidMessage::UnknownProtocolVersion,
        ) => (
            "what it sends is not TLS".to_owned(),
            match side {
                Side::Client => "is this its port for TLS, or that for plain IIOP?".to_owned(),
                Side::Server => {
                    "the client connects to this port without TLS: its reference is an old one, or \
                     it knows no TLS"
                        .to_owned()
                }
            },
        ),
        Error::PeerIncompatible(why) => (
            match why {
                PeerIncompatible::Tls12NotOffered
                | PeerIncompatible::Tls12NotOfferedOrEnabled
                | PeerIncompatible::Tls13RequiredForQuic
                | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig
                | PeerIncompatible::ServerDoesNotSupportTls12Or13
                | PeerIncompatible::SupportedVersionsExtensionRequired => {
                    format!("no version in common ({why:?})")
                }
                _ => format!("{why:?}"),
            },
            format!(
                "TLS 1.2 and 1.3 are spoken, within -ORBTls min=, max= and ciphers=: the {peer} \
                 needs a newer version"
            ),
        ),
        Error::PeerMisbehaved(why) => {
            (format!("it breaks the protocol ({why:?})"), format!("the {peer} has a fault"))
        }
        Error::InvalidMessage(why) => (
            format!("it sends malformed messages ({why:?})"),
            format!("is that a {peer} of TLS, and is the port that for TLS?"),
        ),
        other => (other.to_string(), format!("the log of the {peer} may say more")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_algorithm_is_named_with_its_number() {
        let sha_1 = [6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 1];
        assert_eq!(algorithm(&sha_1), "SHA-1 (1.2.840.10045.4.1)");
        assert_eq!(algorithm(&[]), "an algorithm that is not known here ()");
        let why = CertificateError::UnsupportedSignatureAlgorithmContext {
            signature_algorithm_id: sha_1.to_vec(),
            supported_algorithms: Vec::new(),
        };
        assert!(words(&why).contains("signed by SHA-1 (1.2.840.10045.4.1); taken are RSA"));
    }

    #[test]
    fn errors_of_the_library_of_the_library_are_told_in_words() {
        #[derive(Debug)]
        struct MaximumPathDepthExceeded;
        impl std::fmt::Display for MaximumPathDepthExceeded {
            fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                Ok(())
            }
        }
        impl std::error::Error for MaximumPathDepthExceeded {}
        let other = rustls::OtherError(std::sync::Arc::new(MaximumPathDepthExceeded));
        assert!(words(&CertificateError::Other(other)).starts_with("more than six authorities"));
    }
}
