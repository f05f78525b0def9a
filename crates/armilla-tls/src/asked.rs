//! The certificate that a client shows, and whether the server has asked for one.

use rustls::SignatureScheme;
use rustls::client::ResolvesClientCert;
use rustls::sign::CertifiedKey;
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    /// Whether the server of the handshake that this thread makes has asked for a certificate.
    static ASKED: Cell<bool> = const { Cell::new(false) };
}

/// Begins a handshake: nobody has asked yet.
pub(crate) fn begin() {
    ASKED.set(false);
}

/// Whether the server has asked.
pub(crate) fn was_asked() -> bool {
    ASKED.get()
}

/// The certificate that this process shows as a client, if it has one.
#[derive(Debug)]
pub(crate) struct Shown(pub(crate) Option<Arc<CertifiedKey>>);

impl ResolvesClientCert for Shown {
    /// Shows the certificate whatever authorities the server names: its refusal says more than a
    /// client that shows nothing.
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        ASKED.set(true);
        self.0.clone()
    }

    fn has_certs(&self) -> bool {
        self.0.is_some()
    }
}
