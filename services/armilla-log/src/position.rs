//! Places in a log.

use std::fmt;

/// Where a record begins: the number of octets of the records before it, since the log was made.
/// Later records have greater positions. It stays valid when segments are removed, when the log is
/// recovered, and across restarts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position(u64);

impl Position {
    /// The place of the first record that a log ever has.
    pub const FIRST: Self = Self(0);

    /// The position with this number, as [`octets`](Self::octets) gave it.
    pub const fn new(octets: u64) -> Self {
        Self(octets)
    }

    /// The number of octets before it, to keep it elsewhere.
    pub const fn octets(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
