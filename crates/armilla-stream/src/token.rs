//! The token of an endpoint.

use std::fmt;
use std::io;

/// What the side that connects shows to the side that listens: 32 octets from the system's random
/// numbers, which only the negotiating call carries. It is of use once.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Token([u8; Self::LENGTH]);

impl Token {
    /// How many octets it has.
    pub const LENGTH: usize = 32;

    /// A token that nobody can guess.
    pub(crate) fn random() -> io::Result<Self> {
        let mut octets = [0; Self::LENGTH];
        let mut filled = 0;
        while filled < octets.len() {
            let flags = rustix::rand::GetRandomFlags::empty();
            filled += rustix::rand::getrandom(&mut octets[filled..], flags)?;
        }
        Ok(Self(octets))
    }

    /// The token with these octets, as an endpoint names it; `None` if there are not
    /// [`LENGTH`](Self::LENGTH) of them.
    pub fn from_octets(octets: &[u8]) -> Option<Self> {
        octets.try_into().ok().map(Self)
    }

    /// Its octets.
    pub const fn octets(&self) -> &[u8; Self::LENGTH] {
        &self.0
    }
}

impl fmt::Debug for Token {
    /// Shows nothing of it: whoever reads a log must not be able to use it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
