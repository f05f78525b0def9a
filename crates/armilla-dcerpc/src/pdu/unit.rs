//! A PDU of any kind.

use super::auth::{Auth, Trailer};
use super::bind::{Bind, BindAck, BindNak};
use super::call::{Fault, Request, Response};
use super::error::PduError;
use super::header::{Flags, HEADER_LEN, Header, PduKind};
use crate::cursor::{Reader, Writer};
use crate::order::ByteOrder;
use alloc::vec::Vec;

/// A PDU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pdu<'a> {
    /// The byte order of its numbers.
    pub order: ByteOrder,
    /// Its flags. [`Pdu::encode`] sets [`Flags::OBJECT`] where a request names an object.
    pub flags: Flags,
    /// Which call it belongs to.
    pub call_id: u32,
    /// What it says.
    pub body: Body<'a>,
    /// What protects it.
    pub auth: Option<Auth<'a>>,
}

/// What a PDU says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body<'a> {
    /// A call, or a fragment of one.
    Request(Request<'a>),
    /// Its results, or a fragment of them.
    Response(Response<'a>),
    /// Its failure.
    Fault(Fault<'a>),
    /// The client offers contexts and begins security.
    Bind(Bind),
    /// The server says which of them it takes.
    BindAck(BindAck),
    /// The server takes none, nor the connection.
    BindNak(BindNak),
    /// The client offers further contexts, or goes on with security.
    AlterContext(Bind),
    /// The answer to it.
    AlterContextResponse(BindAck),
    /// The client's last word about security.
    Auth3,
    /// The server asks the client to close the connection.
    Shutdown,
    /// The client wants a call to end early.
    Cancel,
    /// The client no longer waits for a call.
    Orphaned,
}

impl Body<'_> {
    /// The kind of the PDU.
    pub fn kind(&self) -> PduKind {
        match self {
            Self::Request(_) => PduKind::Request,
            Self::Response(_) => PduKind::Response,
            Self::Fault(_) => PduKind::Fault,
            Self::Bind(_) => PduKind::Bind,
            Self::BindAck(_) => PduKind::BindAck,
            Self::BindNak(_) => PduKind::BindNak,
            Self::AlterContext(_) => PduKind::AlterContext,
            Self::AlterContextResponse(_) => PduKind::AlterContextResponse,
            Self::Auth3 => PduKind::Auth3,
            Self::Shutdown => PduKind::Shutdown,
            Self::Cancel => PduKind::Cancel,
            Self::Orphaned => PduKind::Orphaned,
        }
    }
}

impl<'a> Pdu<'a> {
    /// Reads one whole PDU.
    ///
    /// # Errors
    ///
    /// If the octets are none, or more or fewer than one.
    pub fn decode(octets: &'a [u8]) -> Result<Self, PduError> {
        let first = octets.first_chunk().ok_or(PduError::Truncated { at: octets.len() })?;
        let header = Header::decode(first)?;
        if usize::from(header.length) != octets.len() {
            return Err(PduError::Length { stated: header.length.into(), found: octets.len() });
        }
        let (auth, end) = Auth::decode(octets, &header)?;
        let mut input = Reader::new(&octets[..end], HEADER_LEN, header.order);
        let body = match header.kind {
            PduKind::Request => Body::Request(Request::decode(&mut input, &header)?),
            PduKind::Response => Body::Response(Response::decode(&mut input)?),
            PduKind::Fault => Body::Fault(Fault::decode(&mut input)?),
            PduKind::Bind => Body::Bind(Bind::decode(&mut input)?),
            PduKind::BindAck => Body::BindAck(BindAck::decode(&mut input)?),
            PduKind::BindNak => Body::BindNak(BindNak::decode(&mut input)?),
            PduKind::AlterContext => Body::AlterContext(Bind::decode(&mut input)?),
            PduKind::AlterContextResponse => {
                Body::AlterContextResponse(BindAck::decode(&mut input)?)
            }
            PduKind::Auth3 => Body::Auth3,
            PduKind::Shutdown => Body::Shutdown,
            PduKind::Cancel => Body::Cancel,
            PduKind::Orphaned => Body::Orphaned,
        };
        Ok(Self { order: header.order, flags: header.flags, call_id: header.call_id, body, auth })
    }

    /// The trailer of a PDU, which may be encrypted; `None` if it has none.
    ///
    /// # Errors
    ///
    /// If the octets have no room for it, or it is malformed.
    pub fn trailer(octets: &[u8], header: &Header) -> Result<Option<Trailer>, PduError> {
        Ok(Auth::decode(octets, header)?.0.map(|auth| auth.trailer))
    }

    /// The context of a request, also of one that is encrypted; 0 for another PDU.
    pub(crate) fn context(header: &Header, octets: &[u8]) -> u16 {
        if header.kind != PduKind::Request {
            return 0;
        }
        Reader::new(octets, HEADER_LEN + 4, header.order).u16().unwrap_or(0)
    }

    /// Writes it. The padding has the length that the trailer says.
    ///
    /// # Errors
    ///
    /// If it, or a list in it, is too long for its field.
    pub fn encode(&self) -> Result<Vec<u8>, PduError> {
        let mut header = Header {
            kind: self.body.kind(),
            flags: self.flags,
            order: self.order,
            length: 0,
            auth_length: 0,
            call_id: self.call_id,
        };
        if let Body::Request(Request { object: Some(_), .. }) = self.body {
            header.flags = header.flags | Flags::OBJECT;
        }
        if let Some(auth) = &self.auth {
            header.auth_length = small(auth.token.len())?;
        }
        let mut out = Writer::new(self.order);
        header.encode(&mut out);
        match &self.body {
            Body::Request(request) => request.encode(&mut out),
            Body::Response(response) => response.encode(&mut out),
            Body::Fault(fault) => fault.encode(&mut out),
            Body::Bind(bind) | Body::AlterContext(bind) => bind.encode(&mut out)?,
            Body::BindAck(ack) | Body::AlterContextResponse(ack) => ack.encode(&mut out)?,
            Body::BindNak(nak) => nak.encode(&mut out)?,
            // Four octets that mean nothing (MS-RPCE 2.2.2.10).
            Body::Auth3 => out.put(&[0; 4]),
            Body::Shutdown | Body::Cancel | Body::Orphaned => {}
        }
        if let Some(auth) = &self.auth {
            auth.encode(&mut out);
        }
        let mut length = Writer::new(self.order);
        length.u16(small(out.octets.len())?);
        out.octets[8..10].copy_from_slice(&length.octets);
        Ok(out.octets)
    }
}

fn small(length: usize) -> Result<u16, PduError> {
    u16::try_from(length).map_err(|_| PduError::TooLarge(length))
}

/// At which octet of a PDU the part begins that privacy encrypts: behind the header and the fields
/// of a request, response or fault.
pub fn stub_offset(kind: PduKind, flags: Flags) -> usize {
    match kind {
        PduKind::Request if flags.has(Flags::OBJECT) => HEADER_LEN + 24,
        PduKind::Request | PduKind::Response => HEADER_LEN + 8,
        PduKind::Fault => HEADER_LEN + 16,
        _ => HEADER_LEN,
    }
}
