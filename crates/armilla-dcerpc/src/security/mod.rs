//! Who calls, and that nobody changes or reads the calls: security contexts (MS-RPCE 3.3.1.5.2).
//!
//! [`SecurityContext`] is one side of a mechanism. [`Ntlm`](ntlm) implements it for both roles, and
//! [`spnego`] agrees on one of several; another mechanism, such as Kerberos, is another
//! implementation. Nothing here has a clock or a source of randomness: both are arguments.

mod constant_time;
mod context;
mod error;
pub mod ntlm;
pub mod spnego;

pub use context::{Message, Principal, Progress, SecurityContext, service};
pub use error::SecurityError;
