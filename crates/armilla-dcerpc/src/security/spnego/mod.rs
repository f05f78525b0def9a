//! SPNEGO: client and server agree on a mechanism (RFC 4178, MS-SPNG).
//!
//! The client lists its mechanisms and begins with the first of them. The server takes the first
//! one that it has. Both then sign the list, so that nobody can shorten it: always where another
//! one than the first was taken or a side asks for it, and with NTLM where its messages have a MIC.

mod acceptor;
mod der;
mod initiator;
mod tokens;

pub use acceptor::Acceptor;
pub use initiator::Initiator;
pub use tokens::{NegState, NegTokenInit, NegTokenResponse, Token};

/// More mechanisms than any client offers.
const MOST_MECHANISMS: usize = 32;
