//! Modes of locks in IDL, and in the rules.

use super::corba::LockMode;
use super::model::Mode;

/// A mode in IDL.
pub(super) const fn wire(mode: Mode) -> LockMode {
    match mode {
        Mode::Read => LockMode::Read,
        Mode::Write => LockMode::Write,
        Mode::Upgrade => LockMode::Upgrade,
        Mode::IntentionRead => LockMode::IntentionRead,
        Mode::IntentionWrite => LockMode::IntentionWrite,
    }
}

/// The mode that IDL tells.
pub(super) const fn mode(mode: LockMode) -> Mode {
    match mode {
        LockMode::Read => Mode::Read,
        LockMode::Write => Mode::Write,
        LockMode::Upgrade => Mode::Upgrade,
        LockMode::IntentionRead => Mode::IntentionRead,
        LockMode::IntentionWrite => Mode::IntentionWrite,
    }
}
