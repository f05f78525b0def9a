//! Passwords: who verifies them, how often they may be guessed, and what is remembered.

mod attempts;
mod cache;
mod file;
mod guard;
mod login;
mod phc;
mod totp;
mod used;

pub use attempts::GuessLimits;
pub use file::{PasswordFile, PasswordFileError, check_text};
pub(crate) use guard::Guarded;
pub use login::{LoginRefused, Logins};
pub use totp::Totp;

use armilla_giop::csi::ScopedName;

/// Verifies names and passwords. Several threads may call it at once.
///
/// A verifier may be slow on purpose, as that of a [`PasswordFile`] is: what it accepts is
/// remembered for a while under a keyed hash, and only so many calls run at once.
pub trait PasswordVerifier: Send + Sync + 'static {
    /// Whether this is the password of the user. A name without a domain was given the domain of
    /// the server. An unknown user should take as long as a wrong password.
    fn verify(&self, user: &ScopedName, password: &[u8]) -> bool;

    /// A number that changes with what the verifier accepts: what was remembered before is
    /// forgotten then. The default never changes.
    fn generation(&self) -> u64 {
        0
    }

    /// Reads again what it verifies by, if that is in a file:
    /// [`ServerSecurity::reload`](crate::ServerSecurity::reload). The default does nothing.
    ///
    /// # Errors
    /// What is wrong, and where; what was read before stays.
    fn reload(&self) -> Result<(), String> {
        Ok(())
    }
}

impl<F: Fn(&ScopedName, &[u8]) -> bool + Send + Sync + 'static> PasswordVerifier for F {
    fn verify(&self, user: &ScopedName, password: &[u8]) -> bool {
        self(user, password)
    }
}
