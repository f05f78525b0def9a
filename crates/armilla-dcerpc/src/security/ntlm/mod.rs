//! NTLM version 2, both roles (MS-NLMP).
//!
//! Both sides insist on extended session security, 128 bits and Unicode; neither speaks NTLM
//! version 1 or LM. [`Initiator`] protects the whole handshake by a MIC if the server sends its
//! time, as [`Acceptor`] does.
//!
//! ```
//! use armilla_dcerpc::security::SecurityContext;
//! use armilla_dcerpc::security::ntlm::{
//!     Acceptor, AcceptorOptions, Credentials, FileTime, Initiator, NtHash,
//! };
//!
//! let now = FileTime::from_unix(core::time::Duration::from_secs(1_800_000_000));
//! let mut client = Initiator::new(
//!     Credentials::new("plant", "operator", "secret"), [1; 8], [2; 16], now,
//! );
//! let known = |user: &str, _domain: &str| {
//!     user.eq_ignore_ascii_case("Operator").then(|| NtHash::of("secret"))
//! };
//! let mut server = Acceptor::new(AcceptorOptions::new("SERVER"), known, [3; 8], now);
//!
//! let negotiate = client.step(b"")?.token.unwrap();
//! let challenge = server.step(&negotiate)?.token.unwrap();
//! let authenticate = client.step(&challenge)?.token.unwrap();
//! assert!(server.step(&authenticate)?.established);
//! assert_eq!(server.principal().unwrap().to_string(), "plant\\operator");
//! # Ok::<(), armilla_dcerpc::security::SecurityError>(())
//! ```

mod acceptor;
mod av_pairs;
mod credentials;
mod initiator;
mod keys;
mod messages;
mod observer;
mod session;
mod version_1;

pub use acceptor::{Acceptor, AcceptorOptions, Accounts};
pub use credentials::{Credentials, FileTime, NtHash, name_and_domain};
pub use initiator::Initiator;
pub use messages::{Authenticate, Challenge, Negotiate};
pub use observer::Observer;

/// The object identifier 1.3.6.1.4.1.311.2.2.10 of NTLM in SPNEGO.
pub(crate) const MECHANISM: &[u8] = &[0x2b, 6, 1, 4, 1, 0x82, 0x37, 2, 2, 10];
