//! The security trailer, and the token or signature behind it (MS-RPCE 2.2.2.11).

use super::error::PduError;
use super::header::{HEADER_LEN, Header, PduKind};
use crate::cursor::{Reader, Writer};
use alloc::borrow::Cow;
use core::fmt;

/// How many octets the trailer has, without what follows it.
pub const TRAILER_LEN: usize = 8;

/// How much of each call is protected (MS-RPCE 2.2.1.1.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum AuthLevel {
    /// Nothing; the client has no name.
    None = 1,
    /// The client proves its name once.
    Connect = 2,
    /// As [`Packet`](Self::Packet), which it stands for on connections.
    Call = 3,
    /// Each PDU has a verifier that does not cover its octets.
    Packet = 4,
    /// Nobody can change, repeat or reorder PDUs.
    Integrity = 5,
    /// Besides, nobody else can read the parameters.
    Privacy = 6,
}

impl AuthLevel {
    /// The level of this number.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn from_number(number: u8) -> Result<Self, PduError> {
        Ok(match number {
            // 0 stands for the default, which is that of a connection without security.
            1 => Self::None,
            2 => Self::Connect,
            3 => Self::Call,
            4 => Self::Packet,
            5 => Self::Integrity,
            6 => Self::Privacy,
            other => return Err(PduError::UnknownLevel(other)),
        })
    }
}

impl fmt::Display for AuthLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::None => "none",
            Self::Connect => "connect",
            Self::Call => "call",
            Self::Packet => "packet",
            Self::Integrity => "integrity",
            Self::Privacy => "privacy",
        };
        write!(f, "{name} ({})", *self as u8)
    }
}

/// The trailer: what protects the PDU and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trailer {
    /// The authentication service: SPNEGO 9, NTLM 10, Kerberos 16.
    pub service: u8,
    /// How much is protected.
    pub level: AuthLevel,
    /// How many octets of padding stand between the body and the trailer.
    pub padding: u8,
    /// Which security context of the connection.
    pub context_id: u32,
}

/// The trailer with the token or signature behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Auth<'a> {
    /// What protects the PDU and how.
    pub trailer: Trailer,
    /// The token or signature.
    pub token: Cow<'a, [u8]>,
}

impl<'a> Auth<'a> {
    /// The security of a PDU whose header is `header`, and the offset at which its body ends.
    pub(super) fn decode(
        octets: &'a [u8],
        header: &Header,
    ) -> Result<(Option<Self>, usize), PduError> {
        if header.auth_length == 0 {
            return Ok((None, octets.len()));
        }
        let at = octets
            .len()
            .checked_sub(usize::from(header.auth_length) + TRAILER_LEN)
            .ok_or(PduError::Truncated { at: HEADER_LEN })?;
        let mut input = Reader::new(octets, at, header.order);
        let (service, level, padding) = (input.u8()?, input.u8()?, input.u8()?);
        input.u8()?;
        let trailer = Trailer {
            service,
            level: AuthLevel::from_number(level)?,
            padding,
            context_id: input.u32()?,
        };
        // Other bodies know their length, and some peers count a part of them as padding.
        let stub = matches!(header.kind, PduKind::Request | PduKind::Response | PduKind::Fault);
        // No stub that is padded has fewer than eight octets between it and the header.
        let least = HEADER_LEN + if stub && padding != 0 { 8 } else { 0 };
        let end = at.checked_sub(padding.into()).filter(|end| *end >= least);
        let end = end.ok_or(PduError::Padding(padding))?;
        let token = Cow::Borrowed(input.rest());
        Ok((Some(Self { trailer, token }), if stub { end } else { at }))
    }

    pub(super) fn encode(&self, out: &mut Writer) {
        for _ in 0..self.trailer.padding {
            out.u8(0);
        }
        out.put(&[self.trailer.service, self.trailer.level as u8, self.trailer.padding, 0]);
        out.u32(self.trailer.context_id);
        out.put(&self.token);
    }
}
