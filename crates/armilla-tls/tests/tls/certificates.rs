//! Certificates for the tests, right and wrong ones.

use armilla_tls::{Pem, Pin, Tls};
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, DnType,
    ExtendedKeyUsagePurpose, GeneralSubtree, IsCa, Issuer, KeyIdMethod, KeyPair, KeyUsagePurpose,
    NameConstraints, PublicKeyData, RevocationReason, RevokedCertParams, SerialNumber,
};
use time::{Duration, OffsetDateTime};

/// An authority.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Its certificate, in PEM.
    pub(crate) pem: String,
    /// The certificates between it and a root, which its own certificates need.
    between: String,
}

/// A certificate and its key, in PEM.
#[derive(Clone)]
pub(crate) struct Identity {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl Identity {
    /// Both.
    pub(crate) fn pem(&self) -> Pem {
        Pem::text(format!("{}{}", self.certificate, self.key))
    }
}

pub(crate) fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}

fn key() -> KeyPair {
    KeyPair::generate().unwrap()
}

fn authority_params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

impl Authority {
    /// A root of this name.
    pub(crate) fn new(name: &str) -> Self {
        let (params, key) = (authority_params(name), key());
        let certificate = params.self_signed(&key).unwrap();
        let (pem, between) = (certificate.pem(), String::new());
        Self { issuer: Issuer::new(params, key), pem, between }
    }

    /// An authority below this one.
    pub(crate) fn below(&self, name: &str) -> Self {
        let (params, key) = (authority_params(name), key());
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let (pem, between) = (self.pem.clone(), certificate.pem());
        Self { issuer: Issuer::new(params, key), pem, between }
    }

    /// An authority below this one that may only issue for names that end so.
    pub(crate) fn below_for(&self, name: &str, of: &str) -> Self {
        let (mut params, key) = (authority_params(name), key());
        let permitted_subtrees = vec![GeneralSubtree::DnsName(of.to_owned())];
        let excluded_subtrees = Vec::new();
        params.name_constraints = Some(NameConstraints { permitted_subtrees, excluded_subtrees });
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let (pem, between) = (self.pem.clone(), certificate.pem());
        Self { issuer: Issuer::new(params, key), pem, between }
    }

    /// A certificate for these names, valid from a day ago until tomorrow.
    pub(crate) fn issue(&self, names: &[&str]) -> Identity {
        self.issue_with(names, |_| {})
    }

    /// The same with something changed.
    pub(crate) fn issue_with(
        &self,
        names: &[&str],
        change: impl FnOnce(&mut CertificateParams),
    ) -> Identity {
        let (params, key) = (params(names, change), key());
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let certificate = format!("{}{}", certificate.pem(), self.between);
        Identity { certificate, key: key.serialize_pem() }
    }

    /// A list on which these serial numbers are, valid until `next`.
    pub(crate) fn revoke(&self, serials: &[u64], next: OffsetDateTime) -> Pem {
        let revoked = serials.iter().map(|serial| RevokedCertParams {
            serial_number: SerialNumber::from(*serial),
            revocation_time: now() - Duration::days(2),
            reason_code: Some(RevocationReason::KeyCompromise),
            invalidity_date: None,
        });
        let list = CertificateRevocationListParams {
            this_update: now() - Duration::days(3),
            next_update: next,
            crl_number: SerialNumber::from(1),
            issuing_distribution_point: None,
            revoked_certs: revoked.collect(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        Pem::text(list.signed_by(&self.issuer).unwrap().pem().unwrap())
    }

    /// The pin of its key.
    pub(crate) fn pin(&self) -> Pin {
        Pin::of(&self.issuer.key().subject_public_key_info())
    }

    /// TLS that believes this authority.
    pub(crate) fn tls(&self) -> Tls {
        Tls::new().roots(Pem::text(self.pem.as_str()))
    }
}

fn params(names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> CertificateParams {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).unwrap();
    params.distinguished_name.push(DnType::CommonName, "probe");
    params.not_before = now() - Duration::days(1);
    params.not_after = now() + Duration::days(1);
    params.serial_number = Some(SerialNumber::from(0x77));
    params.extended_key_usages =
        vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    change(&mut params);
    params
}

/// A certificate for these names that has signed itself.
pub(crate) fn self_signed(names: &[&str]) -> Identity {
    let (params, key) = (params(names, |_| {}), key());
    let certificate = params.self_signed(&key).unwrap().pem();
    Identity { certificate, key: key.serialize_pem() }
}
