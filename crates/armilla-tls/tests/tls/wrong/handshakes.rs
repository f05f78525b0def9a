//! Set-ups that are wrong: each fails with the right exception, before anything was executed, and
//! with a sentence that names the certificate, the rule and the remedy.

use crate::certificates::{Authority, Identity, now, self_signed};
use crate::references::tls_port;
use armilla::{Completion, ExceptionKind, Minor};
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tls::{Pem, Tls, Verify, Version};
use rcgen::{BasicConstraints, ExtendedKeyUsagePurpose, IsCa};
use time::Duration;

/// A set-up: what the ends have, and what the error of the client must say.
struct Case {
    what: &'static str,
    server: Tls,
    client: Tls,
    minor: Minor,
    says: &'static [&'static str],
}

const HERE: &[&str] = &["127.0.0.1"];

fn cases() -> Vec<Case> {
    let root = Authority::new("root");
    let good = root.issue(HERE);
    let with = |identity: &Identity| root.tls().certificate(identity.pem());
    let refused = Minor::TLS_CERTIFICATE_REFUSED;
    let failed = Minor::TLS_HANDSHAKE_FAILED;
    let case = |what, server, client, minor, says| Case { what, server, client, minor, says };
    let mut cases = Vec::new();

    let expired = root.issue_with(HERE, |it| it.not_after = now() - Duration::hours(1));
    cases.push(case(
        "expired",
        with(&expired),
        root.tls(),
        refused,
        &["CN=probe", "serial 77", "valid from", "has expired", "needs a new one"],
    ));
    let early = root.issue_with(HERE, |it| it.not_before = now() + Duration::hours(1));
    cases.push(case(
        "not yet valid",
        with(&early),
        root.tls(),
        refused,
        &["CN=probe", "not valid yet", "clocks"],
    ));
    let elsewhere = root.issue(&["elsewhere.example.org"]);
    cases.push(case(
        "another name",
        with(&elsewhere),
        root.tls(),
        refused,
        &["leads to 127.0.0.1", "elsewhere.example.org", "-ORBTls name="],
    ));
    let nameless = root.issue(&[]);
    cases.push(case("no name", with(&nameless), root.tls(), refused, &["it is for no host"]));
    let other = Authority::new("other");
    cases.push(case(
        "another root",
        with(&good),
        other.tls(),
        refused,
        &["CN=root", "neither one of the 1 roots", "-ORBRoots"],
    ));
    let namesake = Authority::new("root");
    cases.push(case(
        "a root of the same name",
        with(&good),
        namesake.tls(),
        refused,
        &["-ORBRoots"],
    ));
    cases.push(case(
        "no roots",
        with(&good),
        Tls::new().roots(Pem::text(self_signed(&["x"]).certificate)),
        refused,
        &["-ORBRoots"],
    ));
    let own = self_signed(HERE);
    cases.push(case(
        "signed by itself",
        with(&own),
        root.tls(),
        refused,
        &["has signed itself", "armilla tls issue"],
    ));
    let middle = root.below("middle");
    let mut incomplete = middle.issue(HERE);
    let first = incomplete.certificate.find("-----END CERTIFICATE-----\n").unwrap();
    incomplete.certificate.truncate(first + "-----END CERTIFICATE-----\n".len());
    cases.push(case(
        "the certificate between is missing",
        with(&incomplete),
        root.tls(),
        refused,
        &["CN=middle has given out it", "-ORBCertificate"],
    ));
    let client_only = root
        .issue_with(HERE, |it| it.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth]);
    cases.push(case(
        "for clients alone",
        with(&client_only),
        root.tls(),
        refused,
        &["not for a server", "extendedKeyUsage"],
    ));
    let authority =
        root.issue_with(HERE, |it| it.is_ca = IsCa::Ca(BasicConstraints::Unconstrained));
    cases.push(case(
        "that of an authority",
        with(&authority),
        root.tls(),
        refused,
        &["of an authority"],
    ));
    let revoked = root
        .tls()
        .settings(|it| it.revocations.push(root.revoke(&[0x77], now() + Duration::days(1))));
    cases.push(case("revoked", with(&good), revoked, refused, &["serial 77", "has revoked it"]));
    let stale =
        root.tls().settings(|it| it.revocations.push(root.revoke(&[], now() - Duration::days(1))));
    cases.push(case(
        "an expired list",
        with(&good),
        stale,
        refused,
        &["revocation list", "has expired", "-ORBRevocations"],
    ));
    let pinned = root.tls().settings(|it| it.pins.push("00".repeat(32).parse().unwrap()));
    cases.push(case(
        "another pin",
        with(&good),
        pinned,
        refused,
        &["none of the keys in its chain is pinned", "armilla tls show"],
    ));
    let strict = |tls: Tls| tls.verify(Verify::Required);
    cases.push(case(
        "no certificate of the client",
        strict(with(&good)),
        root.tls(),
        refused,
        &["wants a certificate", "-ORBCertificate"],
    ));
    let foreign = other.issue(HERE);
    cases.push(case(
        "a client of another authority",
        strict(with(&good)),
        with(&foreign),
        refused,
        &["certificate of this client"],
    ));
    cases.push(case(
        "an expired client",
        strict(with(&good)),
        with(&expired),
        refused,
        &["certificate of this client", "expired"],
    ));
    let server_only = root
        .issue_with(HERE, |it| it.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth]);
    cases.push(case(
        "a client with a certificate for servers",
        strict(with(&good)),
        with(&server_only),
        refused,
        &["certificate of this client"],
    ));
    let strict_revoked = strict(with(&good))
        .settings(|it| it.revocations.push(root.revoke(&[0x77], now() + Duration::days(1))));
    cases.push(case(
        "a revoked client",
        strict_revoked,
        with(&good),
        refused,
        &["certificate of this client", "revoked"],
    ));
    let old = |tls: Tls| tls.settings(|it| it.newest = Version::Tls12);
    let new = |tls: Tls| tls.settings(|it| it.oldest = Version::Tls13);
    cases.push(case("an old client", new(with(&good)), old(root.tls()), failed, &["versions"]));
    cases.push(case("an old server", old(with(&good)), new(root.tls()), failed, &["version"]));
    let suites = |tls: Tls, names: &str| tls.settings(|it| it.ciphers = names.parse().unwrap());
    cases.push(case(
        "no cipher suite in common",
        suites(with(&good), "TLS13_AES_256_GCM_SHA384+TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
        suites(root.tls(), "TLS13_AES_128_GCM_SHA256+TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
        failed,
        &["127.0.0.1"],
    ));
    cases
}

#[test]
fn every_wrong_set_up_says_what_is_wrong_and_what_to_do() {
    for case in cases() {
        for version in [None, Some(Version::Tls12)] {
            let narrow = |tls: Tls| match version {
                Some(version) => tls.settings(|it| it.newest = version.max(it.oldest)),
                None => tls,
            };
            let Case { what, minor, says, .. } = case;
            let builder = orbs::builder().transport(narrow(case.server.clone()));
            let server =
                Server::of(builder.listen("ssliop://127.0.0.1:0").unwrap().build().unwrap());
            let client = orbs::builder().transport(narrow(case.client.clone())).build().unwrap();
            let error = server.remote(&client).increment().unwrap_err();
            let text = error.to_string();
            assert_eq!(error.kind(), ExceptionKind::NoPermission, "{what}: {text}");
            assert_eq!(error.completed(), Completion::No, "{what}: {text}");
            assert_eq!(error.minor(), minor, "{what}: {text}");
            assert!(text.contains("127.0.0.1:"), "{what}: {text}");
            for part in says {
                assert!(text.contains(part), "{what}: {part:?} is missing in: {text}");
            }
            assert_eq!(server.local.count().unwrap(), 0, "{what}: nothing was executed");
            client.shutdown();
        }
    }
}

#[test]
fn a_plain_peer_at_a_port_for_tls_and_the_reverse_are_told_apart() {
    let root = Authority::new("root");
    let plain = Server::start();
    let (host, port) = plain.address();
    let client = orbs::builder()
        .settings(|settings| settings.connect_timeout = std::time::Duration::from_secs(2))
        .transport(root.tls())
        .build()
        .unwrap();
    let object = client.string_to_object(&format!("corbaloc:ssliop:{host}:{port}/x")).unwrap();
    let error = object.non_existent().unwrap_err();
    assert_eq!(error.completed(), Completion::No, "{error}");
    assert!(error.to_string().contains("its port for TLS"), "{error}");

    let tls = root.tls().certificate(root.issue(HERE).pem());
    let builder = orbs::builder().transport(tls);
    let server = Server::of(builder.listen("ssliop://127.0.0.1:0").unwrap().build().unwrap());
    let port = tls_port(&server);
    let client = orbs::client();
    let object = client.string_to_object(&format!("corbaloc::127.0.0.1:{port}/x")).unwrap();
    let error = object.non_existent().unwrap_err();
    assert!(
        matches!(error.kind(), ExceptionKind::CommFailure | ExceptionKind::Transient),
        "{error}"
    );
}
