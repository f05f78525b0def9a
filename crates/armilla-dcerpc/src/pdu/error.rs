//! What reading and writing PDUs fails with.

use crate::cursor::Ended;
use core::fmt;

/// Why octets are no PDU, or a PDU cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PduError {
    /// The octets end within a field.
    Truncated {
        /// The offset in octets at which the field begins.
        at: usize,
    },
    /// The version is neither 5.0 nor 5.1.
    Version {
        /// Its major part.
        major: u8,
        /// Its minor part.
        minor: u8,
    },
    /// No PDU of connections has this number.
    UnknownKind(u8),
    /// Numbers or characters are neither of the two known representations: the format label.
    Representation([u8; 4]),
    /// The length in the header is not that of the PDU, or less than its parts.
    Length {
        /// The length in the header.
        stated: usize,
        /// The octets that there are, or that the parts need.
        found: usize,
    },
    /// The PDU is longer than this end said that it receives.
    TooLong {
        /// The length in the header.
        stated: usize,
        /// The limit.
        limit: usize,
    },
    /// The security trailer says that more octets are padding than there are.
    Padding(u8),
    /// The security trailer has a level that does not exist.
    UnknownLevel(u8),
    /// More than fits a field of 16 bits.
    TooLarge(usize),
}

impl From<Ended> for PduError {
    fn from(ended: Ended) -> Self {
        Self::Truncated { at: ended.at }
    }
}

impl fmt::Display for PduError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated { at } => write!(f, "the PDU ends within the field at octet {at}"),
            Self::Version { major, minor } => {
                write!(f, "version {major}.{minor} of RPC; this side speaks 5.0 and 5.1")
            }
            Self::UnknownKind(kind) => write!(f, "no PDU of a connection has the number {kind}"),
            Self::Representation(label) => {
                write!(f, "numbers in the representation {label:02x?}, which is not supported")
            }
            Self::Length { stated, found } => {
                write!(f, "a PDU of {found} octets says that it has {stated}")
            }
            Self::TooLong { stated, limit } => {
                write!(f, "a PDU of {stated} octets; this side receives {limit} at most")
            }
            Self::Padding(count) => write!(f, "{count} octets of padding are not there"),
            Self::UnknownLevel(level) => write!(f, "no level of security has the number {level}"),
            Self::TooLarge(count) => write!(f, "{count} does not fit a field of 16 bits"),
        }
    }
}

impl core::error::Error for PduError {}
