//! Files and settings that cannot work: the ORB is not built.

use super::{Came, Case};
use crate::certificates::{Authority, Identity};
use armilla_tests::orbs;
use armilla_tls::{Pem, Tls, Verify};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

/// A certificate of X.509 version 1 with its key, as OpenSSL makes it without extensions.
const OLD: &str = include_str!("../version-1.pem");

/// What is sent to an authority.
const REQUEST: &str =
    "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n";

/// A list of what was revoked since another one, which OpenSSL makes with an extension for that.
const DELTA: &str = include_str!("../delta.pem");

/// A certificate with a key of 1,024 bits, as OpenSSL makes it.
const WEAK: &str = include_str!("../weak.pem");

pub(super) fn cases() -> Vec<Case> {
    let root = Authority::new("root");
    let good = root.issue(&["127.0.0.1"]);
    let of_middle = root.below("middle").issue(&["127.0.0.1"]);
    let end = of_middle.certificate.find("-----END CERTIFICATE-----\n").unwrap() + 26;
    let (own, above) = of_middle.certificate.split_at(end);
    let encrypted = good.key.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
    let with = |certificate: &str, key: &str| {
        root.tls().certificate(Pem::text(certificate)).key(Pem::text(key))
    };
    let unbelieving = Tls::new()
        .certificate(good.pem())
        .roots(Pem::text("no certificate"))
        .verify(Verify::Required);
    let keyless = root.tls().certificate(Pem::text(good.certificate.as_str()));
    let revoking = |lists: &str| {
        root.tls().certificate(good.pem()).settings(|it| it.revocations.push(Pem::text(lists)))
    };
    let missing = root.tls().certificate(std::path::PathBuf::from("/nowhere/at/all.pem"));
    let case = |what, tls: Tls, says| {
        Case::new(what, "`INITIALIZE`", says, move || {
            let builder = orbs::builder().transport(tls.clone());
            let error = builder.listen("ssliop://127.0.0.1:0").unwrap().build().unwrap_err();
            vec![Came::of(error, 0)]
        })
    };
    vec![
        case(
            "a weak key",
            with(WEAK, &good.key),
            &["RSA of 1024 bits", "2,048 bits is the least"] as &[_],
        ),
        case(
            "a chain in the wrong order",
            with(&format!("{above}{own}"), &of_middle.key),
            &["own comes first"],
        ),
        case(
            "a key that is encrypted",
            with(&good.certificate, &encrypted),
            &["the key is encrypted", "openssl pkey"],
        ),
        case(
            "a key that does not belong to the certificate",
            with(&good.certificate, &of_middle.key),
            &["belongs to the first"],
        ),
        case("no certificate in its file", with("", &good.key), &["-----BEGIN CERTIFICATE-----"]),
        case(
            "a certificate of version 1",
            with(OLD, OLD),
            &["version 3", "subjectAltName", "armilla tls issue"],
        ),
        in_der(&root, &good),
        case("the key in the place of the certificate", with(&good.key, &good.key), &["-ORBKey"]),
        case(
            "a request in the place of the certificate",
            with(REQUEST, &good.key),
            &["the authority makes the certificate"],
        ),
        case("no root in the file of roots", unbelieving, &["there is no certificate in it"]),
        case("no list in the file of revocation lists", revoking(&good.key), &["X509 CRL"]),
        case(
            "a revocation list that is a part of one",
            revoking(DELTA),
            &["a revocation list is unusable: UnsupportedDeltaCrl", "-ORBRevocations needs whole"],
        ),
        case("no key", keyless, &["-ORBKey FILE"]),
        case("an endpoint over TLS and no certificate", root.tls(), &["-ORBCertificate FILE"]),
        case("a file that is not there", missing, &["/nowhere/at/all.pem"]),
    ]
}

fn in_der(root: &Authority, good: &Identity) -> Case {
    let path = std::env::temp_dir().join(format!("armilla-tls-{}.der", std::process::id()));
    let der = CertificateDer::from_pem_slice(good.certificate.as_bytes()).unwrap();
    let tls = root.tls().certificate(path.clone()).key(Pem::text(good.key.as_str()));
    let says = &["it is DER", "openssl x509 -inform DER"];
    Case::new("a certificate in DER", "`INITIALIZE`", says, move || {
        std::fs::write(&path, &der).unwrap();
        let builder = orbs::builder().transport(tls.clone());
        let error = builder.listen("ssliop://127.0.0.1:0").unwrap().build().unwrap_err();
        std::fs::remove_file(&path).unwrap();
        vec![Came::of(error, 0)]
    })
}
