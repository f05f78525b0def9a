//! Security contexts: NTLM and SPNEGO, both roles, and what they refuse.

mod corpus;
mod handshake;
mod negotiation;
mod protection;
mod vectors;
