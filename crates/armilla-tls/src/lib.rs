#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod acceptor;
mod asked;
#[cfg(feature = "authority")]
mod authority;
mod certificate;
mod choices;
mod fault;
mod files;
mod handshake;
mod inspect;
mod material;
mod reference;
mod settings;
mod shared;
mod stream;
mod tls;
mod verify;

#[cfg(feature = "authority")]
pub use authority::{Authority, Issued};
pub use certificate::{Certificate, Date, DistinguishedName, PublicKey};
pub use choices::{Ciphers, Pin, Verify, Version};
pub use inspect::Inspection;
pub use settings::{Pem, Roots, TlsSettings, options};
pub use tls::Tls;
