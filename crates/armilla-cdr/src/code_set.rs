//! The code sets in which the characters of a connection travel.

use core::fmt;

/// A transmission code set for `char` and `string` (CORBA 3.4 Part 2, 7.10), by the number that
/// the OSF character and code set registry gives it.
///
/// Conversion concerns strings: a Rust string is UTF-8 in memory and becomes the code set on the
/// wire. An IDL `char` is one octet of the code set as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u32)]
pub enum CodeSet {
    /// ISO 8859-1, which GIOP assumes until something else is agreed.
    #[default]
    Iso8859_1 = 0x0001_0001,
    /// UTF-8.
    Utf8 = 0x0501_0001,
}

impl CodeSet {
    /// The code set with this registry number, if it is one of ours.
    pub const fn from_id(id: u32) -> Option<Self> {
        match id {
            0x0001_0001 => Some(Self::Iso8859_1),
            0x0501_0001 => Some(Self::Utf8),
            _ => None,
        }
    }

    /// Its registry number.
    pub const fn id(self) -> u32 {
        self as u32
    }
}

impl fmt::Display for CodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Iso8859_1 => "ISO 8859-1",
            Self::Utf8 => "UTF-8",
        })
    }
}
