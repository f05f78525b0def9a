//! Reading what is in PEM: certificates, keys, revocation lists; and whether a file has changed.

use crate::settings::{Pem, Roots, TlsSettings};
use rustls::RootCertStore;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The largest file that is read, in octets. Longer ones are no certificates.
const MOST: u64 = 16 << 20;

/// The mark that some editors put before a text in UTF-8: with it the first line would begin nothing.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// The octets of something in PEM.
fn read(pem: &Pem, what: &str) -> Result<Vec<u8>, String> {
    let octets = match pem {
        Pem::Text(text) => text.as_bytes().to_vec(),
        Pem::File(path) => read_file(path, what)?,
    };
    Ok(octets.strip_prefix(MARK).map(<[u8]>::to_vec).unwrap_or(octets))
}

fn read_file(path: &Path, what: &str) -> Result<Vec<u8>, String> {
    let failed = |error: &dyn std::fmt::Display| {
        format!("{}: cannot read the file of {what}: {error}", path.display())
    };
    let length = fs::metadata(path).map_err(|error| failed(&error))?.len();
    if length > MOST {
        return Err(failed(&format!("it has {length} octets, {MOST} may be")));
    }
    fs::read(path).map_err(|error| failed(&error))
}

/// What is in PEM, as text.
#[cfg(feature = "authority")]
pub(crate) fn text(pem: &Pem) -> Result<String, String> {
    String::from_utf8(read(pem, "the authority")?).map_err(|_| format!("{}: no text", pem.place()))
}

/// The certificates in PEM, at least one.
pub(crate) fn certificates(pem: &Pem, what: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let octets = read(pem, what)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&octets).collect();
    match found {
        // Those are passed over, and what comes behind would be taken for the first one.
        Ok(_) if has(&octets, "-----BEGIN TRUSTED CERTIFICATE-----") => Err(format!(
            "{}: OpenSSL has noted in it what it trusts a certificate for: `openssl x509 -in FILE -out \
             PEM` leaves that out",
            pem.place()
        )),
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(format!(
            "{}: there is no certificate in it; {}",
            pem.place(),
            instead(&octets, "-----BEGIN CERTIFICATE-----", "openssl x509 -inform DER")
        )),
        Err(error) => Err(malformed(pem, &error)),
    }
}

fn malformed(pem: &Pem, error: &pem::Error) -> String {
    let what = match error {
        pem::Error::MissingSectionEnd { .. } => {
            "it ends before the line -----END: was all of it copied?".to_owned()
        }
        pem::Error::Base64Decode(_) => {
            "what stands between the lines -----BEGIN and -----END is not Base64".to_owned()
        }
        other => other.to_string(),
    };
    format!("{}: malformed PEM: {what}", pem.place())
}

/// The key in PEM.
pub(crate) fn key(pem: &Pem) -> Result<PrivateKeyDer<'static>, String> {
    let octets = read(pem, "the key")?;
    PrivateKeyDer::from_pem_slice(&octets).map_err(|_| {
        let encrypted = octets.windows(9).any(|part| part == b"ENCRYPTED");
        let place = pem.place();
        match encrypted {
            true => format!(
                "{place}: the key is encrypted; `openssl pkey -in KEY -out PLAIN` removes the \
                 password, and the permissions of the file protect it then"
            ),
            false => format!(
                "{place}: there is no key in it; -ORBKey FILE names the file of the key: {}",
                instead(&octets, "-----BEGIN PRIVATE KEY-----", "openssl pkey -inform DER")
            ),
        }
    })
}

/// The file of the own key, if users of this host may read it who are neither its owner nor of its
/// group.
pub(crate) fn open_key(settings: &TlsSettings) -> Option<&Path> {
    match settings.key.as_ref().or(settings.certificate.as_ref())? {
        Pem::File(path) => {
            let mode = fs::metadata(path).ok()?.mode();
            (mode & 0o004 != 0).then_some(path)
        }
        Pem::Text(_) => None,
    }
}

fn has(octets: &[u8], text: &str) -> bool {
    octets.windows(text.len()).any(|part| part == text.as_bytes())
}

/// What a file has in the place of what begins with `wanted`, and what to do.
fn instead(octets: &[u8], wanted: &str, from_der: &str) -> String {
    let has = |text: &str| has(octets, text);
    match octets {
        [] => format!("it is empty, and {wanted} is how one begins"),
        _ if is_sequence(octets) => format!(
            "it is DER, or a store of PKCS#12: `{from_der} -in FILE -out PEM` makes PEM of DER, \
             `openssl pkcs12 -in FILE -out PEM -nodes` of a store"
        ),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
            "an editor has saved it in UTF-16: save it as plain ASCII".to_owned()
        }
        _ if has(wanted) => {
            format!("{wanted} is not how a line begins: remove what stands before, such as spaces")
        }
        _ if has("CERTIFICATE REQUEST") => {
            "it is a request for a certificate: the authority makes the certificate of it"
                .to_owned()
        }
        _ if has("PRIVATE KEY-----") => {
            format!("it has a key, which belongs to -ORBKey; {wanted} is wanted")
        }
        _ if has("BEGIN CERTIFICATE-----") => {
            format!("it has a certificate, which belongs to -ORBCertificate; {wanted} is wanted")
        }
        _ => format!("it begins with {wanted}"),
    }
}

/// Whether this is one sequence of ASN.1 (X.690), as everything in DER here is.
fn is_sequence(octets: &[u8]) -> bool {
    let [0x30, length, rest @ ..] = octets else { return false };
    match length {
        0..=0x7f => rest.len() == usize::from(*length),
        _ => (0x81..=0x84).contains(length),
    }
}

/// The revocation lists in PEM, at least one.
pub(crate) fn revocations(pem: &Pem) -> Result<Vec<CertificateRevocationListDer<'static>>, String> {
    let octets = read(pem, "revocation lists")?;
    let found: Result<Vec<_>, _> = CertificateRevocationListDer::pem_slice_iter(&octets).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(format!(
            "{}: there is no revocation list in it; {}",
            pem.place(),
            instead(&octets, "-----BEGIN X509 CRL-----", "openssl crl -inform DER")
        )),
        Err(error) => Err(malformed(pem, &error)),
    }
}

/// The authorities that are believed.
pub(crate) fn roots(all: &[Roots]) -> Result<RootCertStore, String> {
    let mut store = RootCertStore::empty();
    for roots in all {
        match roots {
            Roots::System => {
                // What cannot be read of them is left out; others may do.
                let found = rustls_native_certs::load_native_certs();
                store.add_parsable_certificates(found.certs);
            }
            Roots::Pem(pem) => {
                for certificate in certificates(pem, "roots")? {
                    store.add(certificate).map_err(|error| {
                        format!(
                            "{}: a certificate of an authority is unusable: {error}",
                            pem.place()
                        )
                    })?;
                }
            }
        }
    }
    Ok(store)
}

/// The state of the files that settings name, by which a change of one shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamps(Vec<(PathBuf, Option<Stamp>)>);

/// When a file was changed, which one it is, and its length: one that takes the place of another may
/// have its time and its length.
type Stamp = (SystemTime, (u64, u64), u64);

impl Stamps {
    /// That of now.
    pub(crate) fn of(settings: &TlsSettings) -> Self {
        let own = settings.certificate.iter().chain(&settings.key).chain(&settings.revocations);
        let roots = settings.roots.iter().filter_map(|roots| match roots {
            Roots::Pem(pem) => Some(pem),
            Roots::System => None,
        });
        let files = own.chain(roots).filter_map(|pem| match pem {
            Pem::File(path) => Some((path.clone(), stamp(path))),
            Pem::Text(_) => None,
        });
        Self(files.collect())
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, (metadata.dev(), metadata.ino()), metadata.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::os::unix::fs::PermissionsExt;

    const ONE: &str = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";

    #[test]
    fn texts_are_read_as_editors_and_programs_leave_them() {
        let count = |text: String| certificates(&Pem::text(text), "roots").map(|all| all.len());
        let comments = format!("subject=CN = a\n\n{ONE}# another one\n{ONE}");
        for text in [comments.clone(), comments.replace('\n', "\r\n"), comments + "\n\n"] {
            assert_eq!(count(text.clone()), Ok(2), "{text}");
            // The mark would hide what the first line begins.
            assert_eq!(count(format!("\u{feff}{text}")), Ok(2), "{text}");
        }
        assert_eq!(count(format!("\u{feff}{ONE}{ONE}")), Ok(2));
        assert_eq!(count(format!("{}{}", ONE.trim_end(), "\r\n")), Ok(1));
        for (text, says) in [
            (ONE.replace("-----END CERTIFICATE-----", ""), "ends before the line -----END"),
            (ONE.replace("MAA=", "?"), "is not Base64"),
            (ONE.replace('-', " -"), "there is no certificate"),
            (format!("  {ONE}"), "remove what stands before"),
            (format!("{}{ONE}", ONE.replace(" CERT", " TRUSTED CERT")), "openssl x509 -in FILE"),
        ] {
            let why = count(text.clone()).unwrap_err();
            assert!(why.contains(says), "{text}: {why}");
        }
    }

    #[test]
    fn a_key_that_everybody_may_read_is_told() {
        let file = std::env::temp_dir().join(format!("armilla-open-key-{}", std::process::id()));
        fs::write(&file, ONE).unwrap();
        let own = TlsSettings { certificate: Some((&*file).into()), ..TlsSettings::default() };
        for (mode, is_open) in [(0o600, false), (0o640, false), (0o644, true), (0o604, true)] {
            fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
            assert_eq!(open_key(&own), is_open.then_some(&*file), "{mode:o}");
        }
        // The certificate alone is for everybody.
        let apart = TlsSettings { key: Some(Pem::text("x")), ..own.clone() };
        assert_eq!(open_key(&apart), None);
        fs::remove_file(&file).unwrap();
    }

    #[test]
    fn what_stands_in_the_place_of_pem_is_told() {
        let says = |octets: &[u8]| instead(octets, "-----BEGIN PRIVATE KEY-----", "openssl pkey");
        // Short and long lengths, as keys of curves and of RSA have them.
        for length in [&[3][..], &[0x81, 0x87], &[0x82, 1, 0]] {
            let der = [&[0x30], length, &[2, 1, 0]].concat();
            assert!(says(&der).contains("it is DER"), "{der:x?}");
        }
        assert!(says(b"0 is how this text begins").starts_with("it begins with -----BEGIN"));
        assert!(says(&[0xff, 0xfe, b'-', 0]).contains("UTF-16"));
    }
}
