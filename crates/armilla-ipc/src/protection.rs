//! How a stream is protected on its way, where its transport encrypts it.

use std::fmt;

/// How the octets of a stream are protected between its two ends, and by which certificates the peer
/// has proved who it is.
///
/// ```
/// use armilla_ipc::Protection;
///
/// let protection = Protection::new("TLS 1.3", "TLS13_AES_128_GCM_SHA256");
/// assert!(!protection.is_authenticated());
/// assert_eq!(protection.to_string(), "TLS 1.3 with TLS13_AES_128_GCM_SHA256");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Protection {
    /// The protocol and its version: `TLS 1.3`.
    pub protocol: String,
    /// The cipher suite, by its name.
    pub cipher: String,
    /// The certificates of the peer, its own first, each in DER. They are there only if the
    /// transport has verified them; empty if the peer has shown none.
    pub certificates: Vec<Vec<u8>>,
}

impl Protection {
    /// The protection by a protocol and a cipher suite, of a peer that has shown no certificate.
    pub fn new(protocol: impl Into<String>, cipher: impl Into<String>) -> Self {
        Self { protocol: protocol.into(), cipher: cipher.into(), certificates: Vec::new() }
    }

    /// Whether the peer has proved who it is, by a certificate that was verified.
    pub fn is_authenticated(&self) -> bool {
        !self.certificates.is_empty()
    }
}

impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {}", self.protocol, self.cipher)
    }
}
