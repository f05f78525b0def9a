//! The files for modalities over TLS.

use armilla_tls::{Tls, Verify};
use clap::Parser;
use std::path::PathBuf;

/// The files for modalities over TLS.
#[derive(Debug, Parser)]
pub(crate) struct DicomFiles {
    /// The certificates by which this server proves to modalities who it is, in PEM: its own first.
    /// Read again when they change.
    #[arg(long, value_name = "FILE")]
    dicom_certificate: Option<PathBuf>,
    /// The file with the key of the certificate, in PEM [default: the same file].
    #[arg(long, value_name = "FILE", requires = "dicom_certificate")]
    dicom_key: Option<PathBuf>,
    /// The authorities of peers, in PEM. With them, modalities over TLS have to show a certificate;
    /// rules know it as `user dn:SUBJECT`. Repeatable [default: those of the system, for the peers
    /// that this server connects to].
    #[arg(long, value_name = "FILE")]
    dicom_roots: Vec<PathBuf>,
}

impl DicomFiles {
    pub(super) fn tls(&self) -> Tls {
        let tls = match self.dicom_roots.is_empty() {
            true => Tls::new(),
            false => Tls::new().verify(Verify::Required),
        };
        let tls = self.dicom_certificate.iter().fold(tls, |tls, file| tls.certificate(file));
        let tls = self.dicom_key.iter().fold(tls, |tls, file| tls.key(file));
        self.dicom_roots.iter().fold(tls, |tls, file| tls.roots(file))
    }
}
