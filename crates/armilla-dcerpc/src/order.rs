//! The two orders of octets.

/// In which order the octets of a number travel: the integer representation of a data
/// representation label (C706 14.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// The least significant octet comes first, as nearly all peers send.
    Little,
    /// The most significant octet comes first.
    Big,
}

impl ByteOrder {
    /// The order in which this machine keeps numbers.
    pub const NATIVE: Self = if cfg!(target_endian = "big") { Self::Big } else { Self::Little };
}
