//! How transactions are told apart.

use std::fmt;
use std::str::FromStr;

/// The number of a transaction at its coordinator: of no other transaction, and not to be guessed,
/// because who knows it can end the transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub [u8; 16]);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

impl FromStr for Key {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "the number of a transaction has 32 hexadecimal digits";
        if text.len() != 32 || !text.is_ascii() {
            return Err(WRONG);
        }
        let mut octets = [0; 16];
        for (place, octet) in octets.iter_mut().enumerate() {
            let digits = &text[2 * place..2 * place + 2];
            *octet = u8::from_str_radix(digits, 16).map_err(|_| WRONG)?;
        }
        Ok(Self(octets))
    }
}

/// The identifier that all coordinators of a transaction share: `otid_t` (Transaction Service 1.4,
/// 2.15).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct GlobalId {
    /// Who has made it: see the notes of the specification; −1 is no identifier.
    pub format: i32,
    /// How many of the last octets tell branches of one transaction apart; 0 if none do.
    pub branch_length: i32,
    /// The identifier, and behind it the branch.
    pub octets: Vec<u8>,
}

/// What the branches of one transaction have in common: the format, and the identifier.
pub type GlobalRef<'g> = (i32, &'g [u8]);

impl GlobalId {
    /// What two branches of one transaction have in common.
    pub fn global(&self) -> GlobalRef<'_> {
        common(self.format, self.branch_length, &self.octets)
    }

    /// Whether both are of one transaction.
    pub fn is_same(&self, other: &Self) -> bool {
        self.global() == other.global()
    }
}

/// What an identifier has in common with those of other branches.
pub(crate) fn common(format: i32, branch_length: i32, octets: &[u8]) -> GlobalRef<'_> {
    let branch = usize::try_from(branch_length).unwrap_or_default();
    (format, &octets[..octets.len().saturating_sub(branch)])
}

impl fmt::Display for GlobalId {
    /// `1096968525:0a1b`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.format)?;
        self.octets.iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}
