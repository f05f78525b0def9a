//! An authority of one's own: it gives out certificates for servers and clients of a test or a small
//! installation. Its key is a file like any other; whoever reads it can be anybody.

use crate::certificate::Certificate;
use crate::files;
use crate::settings::Pem;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SerialNumber,
};
use std::time::Duration;
use time::OffsetDateTime;

/// An authority.
///
/// ```
/// use armilla_tls::{Authority, Certificate};
/// use std::time::Duration;
///
/// const DAY: Duration = Duration::from_secs(86_400);
/// let authority = Authority::new("test authority", 365 * DAY)?;
/// let server = authority.issue("bank", &["bank.example.org", "127.0.0.1"], 30 * DAY)?;
/// assert!(server.certificate.starts_with("-----BEGIN CERTIFICATE-----"));
/// # Ok::<(), String>(())
/// ```
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Its certificate and its key.
    own: Issued,
}

/// A certificate and its key, both in PEM.
#[derive(Clone)]
#[non_exhaustive]
pub struct Issued {
    /// The certificate.
    pub certificate: String,
    /// The key, in PKCS#8 and not encrypted.
    pub key: String,
}

impl std::fmt::Debug for Issued {
    /// Without the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Issued").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority").field("own", &self.own).finish_non_exhaustive()
    }
}

impl Authority {
    /// A new authority of this name, valid from now on for so long.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn new(name: &str, valid: Duration) -> Result<Self, String> {
        let key = KeyPair::generate().map_err(failed)?;
        let params = authority(name, valid)?;
        let certificate = params.self_signed(&key).map_err(failed)?.pem();
        let own = Issued { certificate, key: key.serialize_pem() };
        Ok(Self { issuer: Issuer::new(params, key), own })
    }

    /// The authority that was written to these files.
    ///
    /// # Errors
    /// When they are not those of an authority that [`new`](Self::new) has made.
    pub fn read(certificate: impl Into<Pem>, key: impl Into<Pem>) -> Result<Self, String> {
        let (certificate, key) = (certificate.into(), key.into());
        let text = files::text(&certificate)?;
        let own = Issued { certificate: text, key: files::text(&key)? };
        let chain = files::certificates(&certificate, "the authority")?;
        let parsed = Certificate::parse(&chain[0])
            .ok_or_else(|| format!("{}: malformed certificate", certificate.place()))?;
        let name = parsed.subject.as_str().strip_prefix("CN=");
        let name = name.filter(|_| parsed.is_authority).ok_or_else(|| {
            format!("{}: {parsed} is not an authority made by this command", certificate.place())
        })?;
        let pair =
            KeyPair::from_pem(&own.key).map_err(|error| format!("{}: {error}", key.place()))?;
        let params = authority(name, Duration::ZERO)?;
        Ok(Self { issuer: Issuer::new(params, pair), own })
    }

    /// Its certificate and its key.
    pub const fn own(&self) -> &Issued {
        &self.own
    }

    /// A certificate for a server and a client alike: of this subject, for these host names and
    /// addresses, valid from now on for so long.
    ///
    /// # Errors
    /// When a name is none.
    pub fn issue(&self, subject: &str, names: &[&str], valid: Duration) -> Result<Issued, String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).map_err(failed)?;
        params.distinguished_name.push(DnType::CommonName, subject);
        (params.not_before, params.not_after) = validity(valid);
        params.serial_number = Some(serial()?);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        params.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate().map_err(failed)?;
        let certificate = params.signed_by(&key, &self.issuer).map_err(failed)?.pem();
        Ok(Issued { certificate, key: key.serialize_pem() })
    }
}

fn authority(name: &str, valid: Duration) -> Result<CertificateParams, String> {
    let mut params = CertificateParams::new(Vec::new()).map_err(failed)?;
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.serial_number = Some(serial()?);
    (params.not_before, params.not_after) = validity(valid);
    Ok(params)
}

/// From an hour ago, for hosts whose clocks are late, until the end of the time.
fn validity(valid: Duration) -> (OffsetDateTime, OffsetDateTime) {
    let now = OffsetDateTime::now_utc();
    (now - Duration::from_secs(3600), now + valid)
}

/// A random serial number, which is positive.
fn serial() -> Result<SerialNumber, String> {
    let number = armilla_ipc::random::number().map_err(|error| error.to_string())?;
    Ok(SerialNumber::from(number.get() >> 1))
}

fn failed(error: rcgen::Error) -> String {
    error.to_string()
}
