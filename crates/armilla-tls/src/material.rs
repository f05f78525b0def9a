//! Everything that connections need, read from the settings at one time: it is replaced as a whole,
//! or not at all.

use crate::asked::Shown;
use crate::certificate::Certificate;
use crate::choices::Verify;
use crate::fault::{VERSION_3, is_of_another_version, words};
use crate::files;
use crate::settings::{Pem, TlsSettings};
use crate::verify::{ClientCheck, ServerCheck};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{
    ServerSessionMemoryCache, StoresServerSessions, VerifierBuilderError, WebPkiClientVerifier,
};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use std::sync::Arc;

/// How many sessions a server keeps so that they can be resumed.
const SESSIONS: usize = 4096;

/// What connections need.
#[derive(Debug)]
pub(crate) struct Material {
    pub(crate) client: Arc<ClientConfig>,
    /// `None` without a certificate.
    pub(crate) server: Option<Arc<ServerConfig>>,
    /// The own certificate.
    pub(crate) own: Option<Certificate>,
}

impl Material {
    /// Reads all files that the settings name.
    ///
    /// # Errors
    /// Which file or setting is wrong, and what to do.
    pub(crate) fn read(settings: &TlsSettings) -> Result<Self, String> {
        settings.check()?;
        let provider = Arc::new(settings.ciphers.provider());
        let roots = Arc::new(files::roots(settings.all_roots())?);
        let lists = settings.revocations.iter().map(files::revocations);
        let lists: Vec<_> = lists.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        let identity = identity(settings)?;
        let own = identity.as_ref().and_then(|(chain, _)| Certificate::parse(&chain[0]));
        let client = client(settings, &provider, &roots, &lists, identity.as_ref())?;
        let server = match &identity {
            Some(identity) => Some(Arc::new(server(settings, &provider, &roots, lists, identity)?)),
            None => None,
        };
        Ok(Self { client: Arc::new(client), server, own })
    }
}

type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// The own certificates and their key.
fn identity(settings: &TlsSettings) -> Result<Option<Identity>, String> {
    let Some(certificate) = &settings.certificate else { return Ok(None) };
    let chain = files::certificates(certificate, "the certificate")?;
    let key = files::key(settings.key.as_ref().unwrap_or(certificate))?;
    let parsed = Certificate::parse(&chain[0]);
    let place = certificate.place();
    match &parsed {
        Some(first) if first.is_authority && chain.len() > 1 && !first.is_self_signed() => {
            Err(format!(
                "{place}: the first certificate is that of an authority, {first}; the server's own \
             comes first, then that of who gave it out, and so on"
            ))
        }
        Some(first) if first.key.is_weak() => Err(format!(
            "{place}: the certificate {first} has a weak key, {}; 2,048 bits is the least: \
             issue one with a longer key, or of the curve P-256",
            first.key
        )),
        _ => Ok(Some((chain, key))),
    }
}

fn client(
    settings: &TlsSettings,
    provider: &Arc<CryptoProvider>,
    roots: &Arc<RootCertStore>,
    lists: &[CertificateRevocationListDer<'static>],
    identity: Option<&Identity>,
) -> Result<ClientConfig, String> {
    let versions = settings.oldest.until(settings.newest);
    let builder = ClientConfig::builder_with_provider(provider.clone());
    let builder = builder.with_protocol_versions(&versions).map_err(no_version)?;
    let verifier = match roots.is_empty() {
        true => None,
        false => {
            let verifier =
                WebPkiServerVerifier::builder_with_provider(roots.clone(), provider.clone())
                    .with_crls(lists.iter().cloned())
                    .allow_unknown_revocation_status()
                    .enforce_revocation_expiration();
            Some(verifier.build().map_err(|error| unusable(settings, &error))?)
        }
    };
    let check = ServerCheck::new(verifier, roots.clone(), settings.pins.clone(), provider.clone());
    let builder = builder.dangerous().with_custom_certificate_verifier(Arc::new(check));
    let shown = identity.map(|(chain, key)| {
        let made = CertifiedKey::from_der(chain.clone(), key.clone_key(), provider);
        made.map(Arc::new).map_err(|error| wrong_key(settings, &error))
    });
    let mut config = builder.with_client_cert_resolver(Arc::new(Shown(shown.transpose()?)));
    if !settings.resume {
        config.resumption = Resumption::disabled();
    }
    Ok(config)
}

fn server(
    settings: &TlsSettings,
    provider: &Arc<CryptoProvider>,
    roots: &Arc<RootCertStore>,
    lists: Vec<CertificateRevocationListDer<'static>>,
    (chain, key): &Identity,
) -> Result<ServerConfig, String> {
    let versions = settings.oldest.until(settings.newest);
    let builder = ServerConfig::builder_with_provider(provider.clone());
    let builder = builder.with_protocol_versions(&versions).map_err(no_version)?;
    let builder = match settings.verify {
        Verify::None => builder.with_no_client_auth(),
        wanted => {
            if roots.is_empty() {
                return Err("-ORBVerify needs -ORBRoots FILE, the authorities of the clients' \
                            certificates"
                    .to_owned());
            }
            let verifier =
                WebPkiClientVerifier::builder_with_provider(roots.clone(), provider.clone())
                    .with_crls(lists)
                    .allow_unknown_revocation_status()
                    .enforce_revocation_expiration();
            let verifier = match wanted {
                Verify::Required => verifier,
                _ => verifier.allow_unauthenticated(),
            };
            let verifier: Arc<dyn ClientCertVerifier> =
                verifier.build().map_err(|error| unusable(settings, &error))?;
            builder.with_client_cert_verifier(Arc::new(ClientCheck::new(verifier, roots.clone())))
        }
    };
    let mut config = builder
        .with_single_cert(chain.clone(), key.clone_key())
        .map_err(|error| wrong_key(settings, &error))?;
    // Clients take it for the word that their certificate was accepted, even if it is of no use.
    config.send_tls13_tickets = 1;
    config.session_storage = match settings.resume {
        true => ServerSessionMemoryCache::new(SESSIONS),
        false => Arc::new(Forgetful),
    };
    Ok(config)
}

/// Keeps no session.
#[derive(Debug)]
struct Forgetful;

impl StoresServerSessions for Forgetful {
    fn put(&self, _: Vec<u8>, _: Vec<u8>) -> bool {
        true
    }

    fn get(&self, _: &[u8]) -> Option<Vec<u8>> {
        None
    }

    fn take(&self, _: &[u8]) -> Option<Vec<u8>> {
        None
    }

    fn can_cache(&self) -> bool {
        true
    }
}

/// Why nobody can be verified.
fn unusable(settings: &TlsSettings, error: &VerifierBuilderError) -> String {
    let VerifierBuilderError::InvalidCrl(why) = error else {
        return format!("the roots are unusable: {error}");
    };
    let places: Vec<_> = settings.revocations.iter().map(Pem::place).collect();
    format!(
        "{}: a revocation list is unusable: {why:?}; -ORBRevocations needs whole lists of version 2, as \
         `openssl ca -gencrl` makes them",
        places.join(", ")
    )
}

fn no_version(error: rustls::Error) -> String {
    format!("-ORBTls: the versions and cipher suites do not go together: {error}")
}

fn wrong_key(settings: &TlsSettings, error: &rustls::Error) -> String {
    let certificate = settings.certificate.as_ref().map(|pem| pem.place()).unwrap_or_default();
    if let rustls::Error::InvalidCertificate(error) = error {
        let why = match is_of_another_version(error) {
            true => format!("it is not of X.509 version 3; a server needs {VERSION_3}"),
            false => words(error),
        };
        return format!("{certificate}: its first certificate is of no use: {why}");
    }
    let key = settings.key.as_ref().map_or_else(|| certificate.clone(), |pem| pem.place());
    format!(
        "the key in {key} cannot be used with the certificate in {certificate}: {error}; a key is \
         RSA of 2,048 bits or more, P-256, P-384 or Ed25519, and belongs to the first certificate"
    )
}
