//! Reading what is in PEM: certificates, keys, revocation lists; and whether a file has changed.

use crate::settings::{Pem, Roots, TlsSettings};
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The largest file that is read, in octets. Longer ones are no certificates.
const MOST: u64 = 16 << 20;

/// The octets of something in PEM.
fn read(pem: &Pem, what: &str) -> Result<Vec<u8>, String> {
    let path = match pem {
        Pem::Text(text) => return Ok(text.as_bytes().to_vec()),
        Pem::File(path) => path,
    };
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
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(format!(
            "{}: there is no certificate in it; {}",
            pem.place(),
            instead(&octets, "-----BEGIN CERTIFICATE-----", "openssl x509 -inform DER")
        )),
        Err(error) => Err(format!("{}: malformed PEM: {error}", pem.place())),
    }
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

/// What a file has in the place of what begins with `wanted`, and what to do.
fn instead(octets: &[u8], wanted: &str, from_der: &str) -> String {
    let has = |text: &str| octets.windows(text.len()).any(|part| part == text.as_bytes());
    match octets {
        [] => format!("it is empty, and {wanted} is how one begins"),
        // An ASN.1 sequence with a length of two octets.
        [0x30, 0x82, ..] => format!(
            "it is DER, or a store of PKCS#12: `{from_der} -in FILE -out PEM` makes PEM of DER, \
             `openssl pkcs12 -in FILE -out PEM -nodes` of a store"
        ),
        [0xEF, 0xBB, 0xBF, ..] | [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
            "an editor has put a byte order mark before the text: save it as plain ASCII".to_owned()
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

/// The revocation lists in PEM, at least one.
pub(crate) fn revocations(pem: &Pem) -> Result<Vec<CertificateRevocationListDer<'static>>, String> {
    let octets = read(pem, "revocation lists")?;
    let found: Result<Vec<_>, _> = CertificateRevocationListDer::pem_slice_iter(&octets).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(format!("{}: there is no revocation list in it", pem.place())),
        Err(error) => Err(format!("{}: malformed PEM: {error}", pem.place())),
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
