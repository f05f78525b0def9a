//! What a server offers, and why a connection to it would fail: for operators.

use crate::asked;
use crate::certificate::Certificate;
use crate::choices::Version;
use crate::fault::LOOK_AT_IT;
use crate::handshake;
use crate::material::Material;
use crate::reference;
use crate::settings::TlsSettings;
use armilla_ipc::{Address, Protection, Stream, StreamOptions, connect};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What was seen of a server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Inspection {
    /// For each version of TLS: the cipher suite, or why there is no connection.
    pub versions: Vec<(Version, Result<String, String>)>,
    /// The certificates that it shows, its own first.
    pub chain: Vec<Certificate>,
    /// Whether it asks for a certificate of the client.
    pub asks: bool,
    /// A connection with the settings of this process, or why there is none.
    pub connection: Result<Protection, String>,
}

/// Looks at the server at this host and port.
///
/// # Errors
/// When nothing answers there, or the settings are wrong.
pub(crate) fn inspect(
    settings: &TlsSettings,
    (host, port): (&str, u16),
    limit: Duration,
) -> io::Result<Inspection> {
    let place = reference::address(host, port);
    let seen = Arc::new(Seen::default());
    let mut versions = Vec::new();
    let mut asks = false;
    for version in [Version::Tls12, Version::Tls13] {
        let mut only = settings.clone();
        (only.oldest, only.newest) = (version, version);
        let material = Material::read(&only).map_err(reference::wrong)?;
        let mut config = ClientConfig::clone(&material.client);
        config.dangerous().set_certificate_verifier(seen.clone());
        let stream = tcp(host, port, limit)?;
        let name = reference::expected_name(host, settings.name.clone())?;
        let made = handshake::connect(stream, config.into(), (name, &place), limit);
        asks |= asked::was_asked();
        let suite = made.map(|stream| stream.protection().map(|it| it.cipher.clone()));
        versions.push((version, suite.map(Option::unwrap_or_default).map_err(told)));
    }
    let material = Material::read(settings).map_err(reference::wrong)?;
    let name = reference::expected_name(host, settings.name.clone())?;
    let made = handshake::connect(tcp(host, port, limit)?, material.client, (name, &place), limit);
    let connection = match made {
        Ok(stream) => Ok(stream
            .protection()
            .map(|it| (*it).clone())
            .unwrap_or_else(|| Protection::new("", ""))),
        Err(error) => Err(told(error)),
    };
    let chain = crate::stream::lock(&seen.0).clone();
    Ok(Inspection { versions, chain, asks, connection })
}

/// What an error says to who looks at the server.
fn told(error: io::Error) -> String {
    error.to_string().replace(LOOK_AT_IT, "")
}

fn tcp(host: &str, port: u16, limit: Duration) -> io::Result<Arc<dyn Stream>> {
    let options = StreamOptions::default();
    connect(&Address::tcp(host, port), Some(limit), &options).map(Arc::from)
}

/// Takes every certificate, and keeps the last chain. Nothing is sent over such a connection.
#[derive(Debug, Default)]
struct Seen(Mutex<Vec<Certificate>>);

impl ServerCertVerifier for Seen {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let all = std::iter::once(end_entity).chain(intermediates);
        *crate::stream::lock(&self.0) = all.filter_map(|der| Certificate::parse(der)).collect();
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        rustls::crypto::ring::default_provider()
            .signature_verification_algorithms
            .supported_schemes()
    }
}
