//! Certificates, versions and cipher suites with which no handshake succeeds, in both versions of TLS.

use super::{Came, Case};
use crate::certificates::{Authority, Identity, now, self_signed};
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tls::{Pem, Tls, Verify, Version};
use rcgen::{BasicConstraints, ExtendedKeyUsagePurpose, IsCa};
use time::Duration;

const HERE: &[&str] = &["127.0.0.1"];

/// What the client gets where a certificate is refused, and where the ends do not agree.
const REFUSED: &str = "`NO_PERMISSION`, `TLS_CERTIFICATE_REFUSED`";
const FAILED: &str = "`NO_PERMISSION`, `TLS_HANDSHAKE_FAILED`";

/// Calls with these ends, with TLS 1.3 and with TLS 1.2.
fn calls(server: &Tls, client: &Tls) -> Vec<Came> {
    let call = |version: Option<Version>| {
        let narrow = |tls: &Tls| match version {
            Some(version) => tls.clone().settings(|it| it.newest = version.max(it.oldest)),
            None => tls.clone(),
        };
        let builder = orbs::builder().transport(narrow(server));
        let server = Server::of(builder.listen("ssliop://127.0.0.1:0").unwrap().build().unwrap());
        let client = orbs::builder().transport(narrow(client)).build().unwrap();
        let error = server.remote(&client).increment().unwrap_err();
        client.shutdown();
        assert!(error.to_string().contains("127.0.0.1:"), "it says where: {error}");
        Came::of(error, server.local.count().unwrap())
    };
    [None, Some(Version::Tls12)].map(call).into()
}

pub(super) fn cases() -> Vec<Case> {
    let root = Authority::new("root");
    let good = root.issue(HERE);
    let with = |identity: &Identity| root.tls().certificate(identity.pem());
    let (refused, failed) = (REFUSED, FAILED);
    let case = |what, server: Tls, client: Tls, ends, says| {
        Case::new(what, ends, says, move || calls(&server, &client))
    };
    let mut cases = Vec::new();

    let expired = root.issue_with(HERE, |it| it.not_after = now() - Duration::hours(1));
    cases.push(case(
        "a certificate that has expired",
        with(&expired),
        root.tls(),
        refused,
        &["CN=probe", "serial 77", "valid from", "has expired", "needs a new one"],
    ));
    let early = root.issue_with(HERE, |it| it.not_before = now() + Duration::hours(1));
    cases.push(case(
        "a certificate that is not valid yet, or a clock that is wrong",
        with(&early),
        root.tls(),
        refused,
        &["CN=probe", "not valid yet", "clocks"],
    ));
    let elsewhere = root.issue(&["elsewhere.example.org"]);
    cases.push(case(
        "a certificate for another name",
        with(&elsewhere),
        root.tls(),
        refused,
        &["leads to 127.0.0.1", "elsewhere.example.org", "-ORBTls name="],
    ));
    let nameless = root.issue(&[]);
    cases.push(case(
        "a certificate for no name",
        with(&nameless),
        root.tls(),
        refused,
        &["it is for no host"],
    ));
    let constrained = root.below_for("constrained", "example.org");
    cases.push(case(
        "an authority that may not issue for the name",
        with(&constrained.issue(&["127.0.0.1", "localhost"])),
        root.tls(),
        refused,
        &["may not issue for its names (nameConstraints)"],
    ));
    let other = Authority::new("other");
    cases.push(case(
        "a certificate of an authority that is not believed",
        with(&good),
        other.tls(),
        refused,
        &["CN=root", "neither one of the 1 roots", "-ORBRoots"],
    ));
    let namesake = Authority::new("root");
    cases.push(case(
        "a root of the same name with another key",
        with(&good),
        namesake.tls(),
        refused,
        &["-ORBRoots"],
    ));
    cases.push(case(
        "a root that is no authority",
        with(&good),
        Tls::new().roots(Pem::text(self_signed(&["x"]).certificate)),
        refused,
        &["-ORBRoots"],
    ));
    let own = self_signed(HERE);
    cases.push(case(
        "a certificate that has signed itself",
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
        "a chain without the certificate between",
        with(&incomplete),
        root.tls(),
        refused,
        &["CN=middle has issued it", "-ORBCertificate"],
    ));
    let client_only = root
        .issue_with(HERE, |it| it.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth]);
    cases.push(case(
        "a server with a certificate for clients alone",
        with(&client_only),
        root.tls(),
        refused,
        &["not for a server", "extendedKeyUsage"],
    ));
    let authority =
        root.issue_with(HERE, |it| it.is_ca = IsCa::Ca(BasicConstraints::Unconstrained));
    cases.push(case(
        "the certificate of an authority as one's own",
        with(&authority),
        root.tls(),
        refused,
        &["of an authority"],
    ));
    let revoked = root
        .tls()
        .settings(|it| it.revocations.push(root.revoke(&[0x77], now() + Duration::days(1))));
    cases.push(case(
        "a certificate that was revoked",
        with(&good),
        revoked,
        refused,
        &["serial 77", "has revoked it"],
    ));
    let stale =
        root.tls().settings(|it| it.revocations.push(root.revoke(&[], now() - Duration::days(1))));
    cases.push(case(
        "a revocation list that has expired",
        with(&good),
        stale,
        refused,
        &["revocation list", "has expired", "-ORBRevocations"],
    ));
    let pinned = root.tls().settings(|it| it.pins.push("00".repeat(32).parse().unwrap()));
    cases.push(case(
        "a key that is not pinned",
        with(&good),
        pinned,
        refused,
        &["none of the keys in its chain is pinned", "armilla tls show"],
    ));
    let strict = |tls: Tls| tls.verify(Verify::Required);
    cases.push(case(
        "a certificate of the client is required, and it has none",
        strict(with(&good)),
        root.tls(),
        refused,
        &["wants a certificate", "-ORBCertificate"],
    ));
    let foreign = other.issue(HERE);
    cases.push(case(
        "a client's certificate of an authority that the server does not believe",
        strict(with(&good)),
        with(&foreign),
        refused,
        &["certificate of this client"],
    ));
    cases.push(case(
        "a client's certificate that has expired",
        strict(with(&good)),
        with(&expired),
        refused,
        &["certificate of this client", "expired"],
    ));
    let server_only = root
        .issue_with(HERE, |it| it.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth]);
    cases.push(case(
        "a client with a certificate for servers alone",
        strict(with(&good)),
        with(&server_only),
        refused,
        &["certificate of this client"],
    ));
    let strict_revoked = strict(with(&good))
        .settings(|it| it.revocations.push(root.revoke(&[0x77], now() + Duration::days(1))));
    cases.push(case(
        "a client's certificate that was revoked",
        strict_revoked,
        with(&good),
        refused,
        &["certificate of this client", "revoked"],
    ));
    let old = |tls: Tls| tls.settings(|it| it.newest = Version::Tls12);
    let new = |tls: Tls| tls.settings(|it| it.oldest = Version::Tls13);
    cases.push(case(
        "a client that speaks TLS 1.2 alone, where 1.3 is required",
        new(with(&good)),
        old(root.tls()),
        failed,
        &["versions"],
    ));
    cases.push(case(
        "a server that speaks TLS 1.2 alone, where 1.3 is required",
        old(with(&good)),
        new(root.tls()),
        failed,
        &["version"],
    ));
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
