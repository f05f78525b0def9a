//! What a mechanism implements.

use super::error::SecurityError;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

/// The numbers of authentication services (MS-RPCE 2.2.1.1.7).
pub mod service {
    /// SPNEGO, which agrees on one of several mechanisms.
    pub const SPNEGO: u8 = 9;
    /// NTLM.
    pub const NTLM: u8 = 10;
    /// Kerberos.
    pub const KERBEROS: u8 = 16;
}

/// Who a client is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Principal {
    /// The domain or the host that knows the user; may be empty.
    pub domain: String,
    /// The user; empty if the client is anonymous.
    pub user: String,
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&*self.domain, &*self.user) {
            (_, "") => f.write_str("anonymous"),
            ("", user) => f.write_str(user),
            (domain, user) => write!(f, "{domain}\\{user}"),
        }
    }
}

/// A PDU that is protected, without the signature behind its trailer.
#[derive(Debug)]
pub struct Message<'a> {
    /// The octets from the header to the end of the trailer.
    pub pdu: &'a mut [u8],
    /// Which of them privacy encrypts: the stub with its padding.
    pub stub: Range<usize>,
    /// Whether it is encrypted.
    pub privacy: bool,
    /// Whether both sides agreed to sign headers. NTLM with extended session security signs them
    /// in any case.
    pub header_signing: bool,
}

/// What a step of a handshake led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// What the peer is to be sent.
    pub token: Option<Vec<u8>>,
    /// Whether this side needs nothing more from the peer.
    pub established: bool,
}

/// One side of a mechanism, on one connection. Use it from one thread at a time.
pub trait SecurityContext: Send + fmt::Debug {
    /// The number of the authentication service.
    fn service(&self) -> u8;

    /// The object identifier of the mechanism in SPNEGO: the content of its DER.
    fn mechanism(&self) -> &'static [u8];

    /// Takes a token of the peer. A client begins with an empty one.
    ///
    /// # Errors
    ///
    /// If the handshake failed.
    fn step(&mut self, token: &[u8]) -> Result<Progress, SecurityError>;

    /// Who the client is, once that is established: on the server's side.
    fn principal(&self) -> Option<&Principal>;

    /// How many octets a signature has.
    fn signature_length(&self) -> usize;

    /// Encrypts, if that is wanted, and signs what is sent next.
    ///
    /// # Errors
    ///
    /// If the context is not established.
    fn protect(&mut self, message: Message<'_>) -> Result<Vec<u8>, SecurityError>;

    /// Decrypts, if it was encrypted, and checks what came next.
    ///
    /// # Errors
    ///
    /// If it is not what the peer sent next. The context then refuses everything.
    fn unprotect(&mut self, message: Message<'_>, signature: &[u8]) -> Result<(), SecurityError>;

    /// Signs the list of mechanisms (RFC 4178 section 5). It is the first thing that is signed.
    ///
    /// # Errors
    ///
    /// If the context is not established.
    fn sign_mechanisms(&mut self, list: &[u8]) -> Result<Vec<u8>, SecurityError>;

    /// Checks what the peer says of the list of mechanisms.
    ///
    /// # Errors
    ///
    /// If the list is another one.
    fn verify_mechanisms(&mut self, list: &[u8], mic: &[u8]) -> Result<(), SecurityError>;

    /// Whether both sides agreed that it encrypts, once it is established.
    fn encrypts(&self) -> bool {
        true
    }

    /// Whether SPNEGO has to protect the list of mechanisms even where the first one was taken.
    fn wants_mechanisms_signed(&self) -> bool {
        false
    }
}
