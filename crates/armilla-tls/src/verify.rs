//! Verifying the certificates of peers. `rustls` decides; this notes what was refused and why, so
//! that an error can name it, and adds pins.

use crate::certificate::Certificate;
use crate::choices::Pin;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, RootCertStore,
    SignatureScheme,
};
use std::cell::Cell;
use std::sync::Arc;

/// A chain of certificates that was refused, and what is known of it.
#[derive(Debug)]
pub(crate) struct RefusedChain {
    /// The certificates that the peer has shown, its own first, as far as they can be read.
    pub(crate) chain: Vec<Certificate>,
    /// Whether a root has the name of the issuer of each.
    pub(crate) known_issuers: Vec<bool>,
    /// How many roots there are.
    pub(crate) roots: usize,
    /// Whether the chain is valid, but has none of the pinned keys.
    pub(crate) unpinned: bool,
}

thread_local! {
    /// The chain that this thread has refused last: a handshake runs in one thread, which takes it
    /// when the handshake fails.
    static REFUSED: Cell<Option<Box<RefusedChain>>> = const { Cell::new(None) };
}

/// The chain that the handshake which has failed in this thread has refused, if it was that.
pub(crate) fn take_refused() -> Option<Box<RefusedChain>> {
    REFUSED.take()
}

/// Notes a refused chain for the error.
fn note(
    first: &CertificateDer<'_>,
    others: &[CertificateDer<'_>],
    roots: &RootCertStore,
    unpinned: bool,
) {
    /// More are of no use to a reader.
    const MOST: usize = 8;
    let all = std::iter::once(first).chain(others).take(MOST);
    let chain: Vec<_> = all.filter_map(|der| Certificate::parse(der)).collect();
    let is_root = |certificate: &Certificate| {
        // The content of the name, without its tag and length, is what a root has.
        let issuer = certificate.issuer.der();
        roots.roots.iter().any(|root| issuer.ends_with(root.subject.as_ref()))
    };
    let known_issuers = chain.iter().map(is_root).collect();
    REFUSED.set(Some(Box::new(RefusedChain {
        chain,
        known_issuers,
        roots: roots.len(),
        unpinned,
    })));
}

/// Verifies servers.
#[derive(Debug)]
pub(crate) struct ServerCheck {
    /// `None` without roots: then nobody is believed.
    verifier: Option<Arc<WebPkiServerVerifier>>,
    roots: Arc<RootCertStore>,
    pins: Vec<Pin>,
    provider: Arc<CryptoProvider>,
}

impl ServerCheck {
    pub(crate) fn new(
        verifier: Option<Arc<WebPkiServerVerifier>>,
        roots: Arc<RootCertStore>,
        pins: Vec<Pin>,
        provider: Arc<CryptoProvider>,
    ) -> Self {
        Self { verifier, roots, pins, provider }
    }

    /// Whether the certificate has a pinned key or an authority with one, if any must be pinned. A
    /// certificate that a server sends beside its chain proves nothing: everybody has a copy of it.
    /// So one with a pinned key counts only if the server's own leads to it.
    fn is_pinned(
        &self,
        first: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        now: UnixTime,
    ) -> bool {
        let has_pin = |der: &CertificateDer<'_>| {
            let read = Certificate::parse(der);
            read.is_some_and(|read| self.pins.contains(&Pin::of(&read.key_info)))
        };
        if self.pins.is_empty() || has_pin(first) {
            return true;
        }
        let mut pinned = RootCertStore::empty();
        pinned.add_parsable_certificates(
            others.iter().filter(|der| has_pin(der)).map(|der| der.clone().into_owned()),
        );
        // Without any it cannot be built.
        let leads =
            WebPkiServerVerifier::builder_with_provider(pinned.into(), self.provider.clone())
                .build();
        leads.is_ok_and(|leads| leads.verify_server_cert(first, others, name, &[], now).is_ok())
    }
}

impl ServerCertVerifier for ServerCheck {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = match &self.verifier {
            None => Err(CertificateError::UnknownIssuer.into()),
            Some(verifier) => verifier.verify_server_cert(
                end_entity,
                intermediates,
                server_name,
                ocsp_response,
                now,
            ),
        };
        let unpinned =
            verified.is_ok() && !self.is_pinned(end_entity, intermediates, server_name, now);
        if verified.is_err() || unpinned {
            note(end_entity, intermediates, &self.roots, unpinned);
        }
        match unpinned {
            true => Err(CertificateError::ApplicationVerificationFailure.into()),
            false => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
            .inspect_err(|_| note(cert, &[], &self.roots, false))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
            .inspect_err(|_| note(cert, &[], &self.roots, false))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Verifies clients.
#[derive(Debug)]
pub(crate) struct ClientCheck {
    verifier: Arc<dyn ClientCertVerifier>,
    roots: Arc<RootCertStore>,
}

impl ClientCheck {
    pub(crate) fn new(verifier: Arc<dyn ClientCertVerifier>, roots: Arc<RootCertStore>) -> Self {
        Self { verifier, roots }
    }
}

impl ClientCertVerifier for ClientCheck {
    fn offer_client_auth(&self) -> bool {
        self.verifier.offer_client_auth()
    }

    fn client_auth_mandatory(&self) -> bool {
        self.verifier.client_auth_mandatory()
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.verifier.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.verifier
            .verify_client_cert(end_entity, intermediates, now)
            .inspect_err(|_| note(end_entity, intermediates, &self.roots, false))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier
            .verify_tls12_signature(message, cert, dss)
            .inspect_err(|_| note(cert, &[], &self.roots, false))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier
            .verify_tls13_signature(message, cert, dss)
            .inspect_err(|_| note(cert, &[], &self.roots, false))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}
