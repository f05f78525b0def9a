//! The sixteen octets that begin every PDU (C706 12.6.3.1).

use super::error::PduError;
use crate::cursor::{Reader, Writer};
use crate::order::ByteOrder;
use core::fmt;
use core::ops::BitOr;

/// How many octets the header has.
pub const HEADER_LEN: usize = 16;

/// The kinds of PDUs that travel on connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PduKind {
    /// A call, or a fragment of one.
    Request = 0,
    /// Its results, or a fragment of them.
    Response = 2,
    /// Its failure.
    Fault = 3,
    /// The client offers contexts and begins security.
    Bind = 11,
    /// The server says which of them it takes.
    BindAck = 12,
    /// The server takes none, nor the connection.
    BindNak = 13,
    /// The client offers further contexts, or goes on with security.
    AlterContext = 14,
    /// The answer to it.
    AlterContextResponse = 15,
    /// The client's last word about security; nothing answers it.
    Auth3 = 16,
    /// The server asks the client to close the connection.
    Shutdown = 17,
    /// The client wants a call to end early, and still waits for its result.
    Cancel = 18,
    /// The client no longer waits for a call, whose request may be unfinished.
    Orphaned = 19,
}

impl PduKind {
    fn from_number(number: u8) -> Result<Self, PduError> {
        Ok(match number {
            0 => Self::Request,
            2 => Self::Response,
            3 => Self::Fault,
            11 => Self::Bind,
            12 => Self::BindAck,
            13 => Self::BindNak,
            14 => Self::AlterContext,
            15 => Self::AlterContextResponse,
            16 => Self::Auth3,
            17 => Self::Shutdown,
            18 => Self::Cancel,
            19 => Self::Orphaned,
            other => return Err(PduError::UnknownKind(other)),
        })
    }
}

/// The flags of a PDU.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Flags(pub u8);

impl Flags {
    /// The first fragment.
    pub const FIRST: Self = Self(1);
    /// The last fragment.
    pub const LAST: Self = Self(2);
    /// The first fragment and the last one.
    pub const WHOLE: Self = Self(3);
    /// A cancel was pending when the request or response was sent.
    pub const PENDING_CANCEL: Self = Self(4);
    /// In a bind, an alter_context and their answers: headers are signed (MS-RPCE 2.2.2.3).
    pub const HEADER_SIGNING: Self = Self(4);
    /// Calls may run at once on the connection.
    pub const CONCURRENT: Self = Self(0x10);
    /// A fault says that the call was not executed.
    pub const NOT_EXECUTED: Self = Self(0x20);
    /// The client expects no answer.
    pub const MAYBE: Self = Self(0x40);
    /// The request names an object.
    pub const OBJECT: Self = Self(0x80);

    /// Whether all of `flags` are set.
    pub fn has(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// These flags, and `flags` if `set`.
    pub fn with(self, flags: Self, set: bool) -> Self {
        if set { self | flags } else { self }
    }
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Flags({:#04x})", self.0)
    }
}

/// The header of a PDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What the PDU is.
    pub kind: PduKind,
    /// Its flags.
    pub flags: Flags,
    /// The byte order of its numbers.
    pub order: ByteOrder,
    /// How many octets it has, with the header.
    pub length: u16,
    /// How many octets its token or signature has.
    pub auth_length: u16,
    /// Which call it belongs to.
    pub call_id: u32,
}

impl Header {
    /// Reads the header.
    ///
    /// # Errors
    ///
    /// If it is none of version 5.0 or 5.1 with a known kind and representation, or the PDU is
    /// shorter than its parts.
    pub fn decode(octets: &[u8; HEADER_LEN]) -> Result<Self, PduError> {
        let header = Self::fields(octets)?;
        let found = match usize::from(header.auth_length) {
            0 => HEADER_LEN,
            token => HEADER_LEN + super::auth::TRAILER_LEN + token,
        };
        if usize::from(header.length) < found {
            return Err(PduError::Length { stated: header.length.into(), found });
        }
        Ok(header)
    }

    /// Reads the header, also one of a PDU that is shorter than its parts.
    pub(super) fn fields(octets: &[u8; HEADER_LEN]) -> Result<Self, PduError> {
        let [major, minor, kind, flags, label @ ..] = octets;
        if *major != 5 || *minor > 1 {
            return Err(PduError::Version { major: *major, minor: *minor });
        }
        let label = [label[0], label[1], label[2], label[3]];
        let order = match label {
            [0x10, 0, ..] => ByteOrder::Little,
            [0, 0, ..] => ByteOrder::Big,
            _ => return Err(PduError::Representation(label)),
        };
        let mut rest = Reader::new(octets, 8, order);
        Ok(Self {
            kind: PduKind::from_number(*kind)?,
            flags: Flags(*flags),
            order,
            length: rest.u16()?,
            auth_length: rest.u16()?,
            call_id: rest.u32()?,
        })
    }

    pub(super) fn encode(&self, out: &mut Writer) {
        out.put(&[5, 0, self.kind as u8, self.flags.0]);
        out.put(&[if self.order == ByteOrder::Little { 0x10 } else { 0 }, 0, 0, 0]);
        out.u16(self.length);
        out.u16(self.auth_length);
        out.u32(self.call_id);
    }
}
