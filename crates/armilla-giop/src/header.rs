//! The header with which every message begins (CORBA 3.4 Part 2, 9.4.1), and why octets are not
//! one.

use crate::Version;
use armilla_cdr::{ByteOrder, Encoder};
use core::fmt;

/// The length of a message header in octets.
pub const HEADER_LEN: usize = 12;

pub(crate) const MAGIC: [u8; 4] = *b"GIOP";
const SIZE_OFFSET: usize = 8;
const MORE_FRAGMENTS: u8 = 2;

/// The type of a message (`MsgType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum MessageKind {
    /// A client calls an operation.
    Request = 0,
    /// A server answers a request.
    Reply,
    /// The client no longer waits for a reply.
    CancelRequest,
    /// A client asks where an object is.
    LocateRequest,
    /// A server answers a LocateRequest.
    LocateReply,
    /// The sender closes the connection in an orderly way.
    CloseConnection,
    /// The sender could not read a message.
    MessageError,
    /// The continuation of an earlier message (since 1.1).
    Fragment,
}

impl MessageKind {
    /// The kind with this number.
    #[inline]
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::Request,
            1 => Self::Reply,
            2 => Self::CancelRequest,
            3 => Self::LocateRequest,
            4 => Self::LocateReply,
            5 => Self::CloseConnection,
            6 => Self::MessageError,
            7 => Self::Fragment,
            _ => return None,
        })
    }
}

/// The header of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageHeader {
    /// The version, which determines the layout of the rest.
    pub version: Version,
    /// The byte order of the message, the size in the header included.
    pub order: ByteOrder,
    /// Whether the message continues in a [`MessageKind::Fragment`].
    pub more_fragments: bool,
    /// The type of the message.
    pub kind: MessageKind,
    /// The number of octets after the header.
    pub size: u32,
}

impl MessageHeader {
    /// Reads a header.
    ///
    /// # Errors
    /// When the octets are not GIOP, or of a version or kind that this crate does not know.
    #[inline(always)]
    pub fn decode(octets: &[u8; HEADER_LEN]) -> Result<Self, HeaderError> {
        let [m0, m1, m2, m3, major, minor, flags, kind, s0, s1, s2, s3] = *octets;
        if [m0, m1, m2, m3] != MAGIC {
            return Err(HeaderError::BadMagic([m0, m1, m2, m3]));
        }
        let version = Version { major, minor };
        if !version.is_supported() {
            return Err(HeaderError::UnsupportedVersion(version));
        }
        // In 1.0 the octet is a boolean and there are no fragments.
        let fragments = version > Version::V1_0;
        let order = ByteOrder::from_flag(flags);
        let kind = match MessageKind::from_number(kind) {
            Some(known) if fragments || known != MessageKind::Fragment => known,
            _ => return Err(HeaderError::UnknownKind { kind, version }),
        };
        let size = number([s0, s1, s2, s3], order);
        let more_fragments = fragments && flags & MORE_FRAGMENTS != 0;
        Ok(Self { version, order, more_fragments, kind, size })
    }

    /// The fast path of [`decode`](Self::decode): recognizes a request or a reply of 1.2 without
    /// fragments by one comparison. `None` leaves the header to `decode`.
    #[inline(always)]
    pub(crate) fn decode_fast(octets: &[u8; HEADER_LEN]) -> Option<Self> {
        const USUAL: u64 = u64::from_le_bytes(*b"GIOP\x01\x02\0\0");
        // The bits that differ: the byte order, and whether it is a request or a reply.
        const VARIES: u64 = u64::from_le_bytes([0, 0, 0, 0, 0, 0, 1, 1]);
        let (first, _) = octets.split_first_chunk()?;
        if u64::from_le_bytes(*first) & !VARIES != USUAL {
            return None;
        }
        let [.., flags, kind, s0, s1, s2, s3] = *octets;
        let order = ByteOrder::from_flag(flags);
        let kind = if kind == 0 { MessageKind::Request } else { MessageKind::Reply };
        let size = number([s0, s1, s2, s3], order);
        Some(Self { version: Version::V1_2, order, more_fragments: false, kind, size })
    }

    /// The octets of the header.
    pub const fn encode(&self) -> [u8; HEADER_LEN] {
        let [m0, m1, m2, m3] = MAGIC;
        let Version { major, minor } = self.version;
        let fragments = if self.more_fragments { MORE_FRAGMENTS } else { 0 };
        let [s0, s1, s2, s3] = match self.order {
            ByteOrder::Big => self.size.to_be_bytes(),
            ByteOrder::Little => self.size.to_le_bytes(),
        };
        let flags = self.order.flag() | fragments;
        [m0, m1, m2, m3, major, minor, flags, self.kind as u8, s0, s1, s2, s3]
    }

    /// Begins a message in an empty encoder, with a size of 0 for [`finish`](Self::finish) to set.
    #[inline]
    pub fn begin(out: &mut Encoder<'_>, version: Version, kind: MessageKind) {
        debug_assert!(out.is_empty(), "alignment counts from the start of the message");
        let header = Self { version, order: out.order(), more_fragments: false, kind, size: 0 };
        out.copy_raw(&header.encode());
    }

    /// Sets the size of a message that is complete.
    ///
    /// # Errors
    /// When it does not fit 32 bits.
    #[inline]
    pub fn finish(out: &mut Encoder<'_>) -> Result<(), HeaderError> {
        let size = out.len().saturating_sub(HEADER_LEN);
        match u32::try_from(size) {
            Ok(size) => out.patch_u32(SIZE_OFFSET, size),
            Err(_) => return Err(HeaderError::TooLarge { size, limit: u32::MAX as usize }),
        }
        Ok(())
    }
}

#[inline(always)]
const fn number(octets: [u8; 4], order: ByteOrder) -> u32 {
    match order {
        ByteOrder::Big => u32::from_be_bytes(octets),
        ByteOrder::Little => u32::from_le_bytes(octets),
    }
}

/// Why octets from a connection are not GIOP messages, or why a message cannot be sent. After such
/// an error nothing on the connection can be trusted: the receiver answers with a MessageError and
/// closes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderError {
    /// The message does not begin with `GIOP`, but with this.
    BadMagic([u8; 4]),
    /// A version that this crate does not speak.
    UnsupportedVersion(Version),
    /// A kind of message that the version does not have.
    UnknownKind {
        /// Its number.
        kind: u8,
        /// The version.
        version: Version,
    },
    /// The message is larger than the limit; so are all fragmented messages under way together.
    TooLarge {
        /// How many octets follow the header.
        size: usize,
        /// The limit, in octets.
        limit: usize,
    },
    /// A message announces fragments that its kind cannot have.
    NotFragmentable(MessageKind),
    /// A message announces fragments and is too short for the request id that they refer to.
    NoRequestId,
    /// A fragment that continues no message, or in another version or byte order.
    StrayFragment,
    /// More fragmented messages are under way than the limit; in 1.1 that is one.
    TooManyFragmented {
        /// The limit.
        limit: usize,
    },
    /// A second fragmented message begins with the request id of one that is under way.
    DuplicateFragmented {
        /// The request id.
        request_id: u32,
    },
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::BadMagic(octets) => {
                write!(f, "a message begins with \"GIOP\", not \"{}\"", octets.escape_ascii())
            }
            Self::UnsupportedVersion(version) => {
                write!(f, "GIOP {version} is not supported, only 1.0 to 1.2")
            }
            Self::UnknownKind { kind, version } => {
                write!(f, "GIOP {version} has no message of kind {kind}")
            }
            Self::TooLarge { size, limit } => {
                write!(
                    f,
                    "a message of {size} octets is larger than the limit of {limit} (max_message)"
                )
            }
            Self::NotFragmentable(kind) => {
                write!(f, "a message of kind {kind:?} cannot come in fragments")
            }
            Self::NoRequestId => {
                f.write_str("a message that comes in fragments ends before its request id")
            }
            Self::StrayFragment => f.write_str("a fragment does not continue any message"),
            Self::TooManyFragmented { limit } => {
                write!(f, "more than {limit} messages come in fragments at the same time")
            }
            Self::DuplicateFragmented { request_id } => {
                write!(f, "two messages with request id {request_id} come in fragments")
            }
        }
    }
}

impl core::error::Error for HeaderError {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    const LITTLE_1_2: &[u8; 12] = b"GIOP\x01\x02\x03\x00\x10\x00\x00\x00";
    const BIG_1_0: &[u8; 12] = b"GIOP\x01\x00\x00\x05\x00\x00\x00\x00";

    #[test]
    fn headers_of_both_byte_orders_read_and_write_the_same_octets() {
        let request = MessageHeader {
            version: Version::V1_2,
            order: ByteOrder::Little,
            more_fragments: true,
            kind: MessageKind::Request,
            size: 16,
        };
        let close = MessageHeader {
            version: Version::V1_0,
            order: ByteOrder::Big,
            more_fragments: false,
            kind: MessageKind::CloseConnection,
            size: 0,
        };
        for (octets, header) in [(LITTLE_1_2, request), (BIG_1_0, close)] {
            assert_eq!(MessageHeader::decode(octets), Ok(header));
            assert_eq!(&header.encode(), octets);
        }
    }

    #[test]
    fn the_fast_path_reads_headers_as_the_whole_path_does() {
        for (usual, at, octet) in
            [b"GIOP\x01\x02\0\0\0\0\x01\x02", b"GIOP\x01\x02\x01\x01\x02\x01\0\0"]
                .into_iter()
                .flat_map(|usual| (0..HEADER_LEN).map(move |at| (usual, at)))
                .flat_map(|(usual, at)| (0..=u8::MAX).map(move |octet| (usual, at, octet)))
        {
            let mut octets = *usual;
            octets[at] = octet;
            let (fast, whole) =
                (MessageHeader::decode_fast(&octets), MessageHeader::decode(&octets));
            if let Some(header) = fast {
                assert_eq!(whole, Ok(header));
            }
            // What the fast path is meant for, in either byte order and with every size.
            let is_usual = octets[..6] == usual[..6] && octets[6] <= 1 && octets[7] <= 1;
            assert_eq!(fast.is_some(), is_usual, "{octets:?}");
        }
    }

    #[test]
    fn the_size_is_set_when_the_message_is_complete() {
        for (order, size) in [(ByteOrder::Big, [0, 0, 0, 5]), (ByteOrder::Little, [5, 0, 0, 0])] {
            let mut out = Encoder::new(order);
            MessageHeader::begin(&mut out, Version::V1_1, MessageKind::Reply);
            out.copy_raw(b"hello");
            MessageHeader::finish(&mut out).unwrap();
            assert_eq!(out.to_vec()[8..12], size);
        }
    }

    #[test]
    fn each_fault_has_its_own_error() {
        let faults: [(usize, u8, HeaderError); 4] = [
            (0, b'H', HeaderError::BadMagic(*b"HIOP")),
            (4, 2, HeaderError::UnsupportedVersion(Version { major: 2, minor: 2 })),
            (5, 3, HeaderError::UnsupportedVersion(Version { major: 1, minor: 3 })),
            (7, 8, HeaderError::UnknownKind { kind: 8, version: Version::V1_2 }),
        ];
        for (at, octet, error) in faults {
            let mut octets = *LITTLE_1_2;
            octets[at] = octet;
            assert_eq!(MessageHeader::decode(&octets), Err(error));
            assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn version_1_0_knows_no_fragments() {
        let mut octets = *BIG_1_0;
        octets[6] = 2;
        assert!(!MessageHeader::decode(&octets).unwrap().more_fragments);
        octets[7] = 7;
        let error = HeaderError::UnknownKind { kind: 7, version: Version::V1_0 };
        assert_eq!(MessageHeader::decode(&octets), Err(error));
    }
}
