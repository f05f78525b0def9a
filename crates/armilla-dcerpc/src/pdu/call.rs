//! Request, response and fault (C706 12.6.4.7 to 12.6.4.10).

use super::error::PduError;
use super::header::{Flags, Header};
use crate::cursor::{Reader, Writer};
use crate::fault::Status;
use crate::uuid::Uuid;

/// A call, or a fragment of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'a> {
    /// How many octets the stub will have, of this and all further fragments; 0 if unknown.
    pub alloc_hint: u32,
    /// Which context: the interface.
    pub context: u16,
    /// The number of the operation.
    pub opnum: u16,
    /// The object that is called.
    pub object: Option<Uuid>,
    /// The parameters.
    pub stub: &'a [u8],
}

/// The results of a call, or a fragment of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Response<'a> {
    /// How many octets the stub will have, of this and all further fragments; 0 if unknown.
    pub alloc_hint: u32,
    /// Which context.
    pub context: u16,
    /// How many cancels the server received.
    pub cancels: u8,
    /// The results.
    pub stub: &'a [u8],
}

/// The failure of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault<'a> {
    /// How many octets the stub has; 0 if unknown.
    pub alloc_hint: u32,
    /// Which context.
    pub context: u16,
    /// How many cancels the server received.
    pub cancels: u8,
    /// Why it failed.
    pub status: Status,
    /// What a few servers add, such as the parameters of a status.
    pub stub: &'a [u8],
}

impl<'a> Request<'a> {
    pub(super) fn decode(input: &mut Reader<'a>, header: &Header) -> Result<Self, PduError> {
        Ok(Self {
            alloc_hint: input.u32()?,
            context: input.u16()?,
            opnum: input.u16()?,
            object: header.flags.has(Flags::OBJECT).then(|| input.uuid()).transpose()?,
            stub: input.rest(),
        })
    }

    pub(super) fn encode(&self, out: &mut Writer) {
        out.u32(self.alloc_hint);
        out.u16(self.context);
        out.u16(self.opnum);
        if let Some(object) = self.object {
            out.uuid(object);
        }
        out.put(self.stub);
    }
}

impl<'a> Response<'a> {
    pub(super) fn decode(input: &mut Reader<'a>) -> Result<Self, PduError> {
        let (alloc_hint, context, cancels) = (input.u32()?, input.u16()?, input.u8()?);
        input.u8()?;
        Ok(Self { alloc_hint, context, cancels, stub: input.rest() })
    }

    pub(super) fn encode(&self, out: &mut Writer) {
        out.u32(self.alloc_hint);
        out.u16(self.context);
        out.put(&[self.cancels, 0]);
        out.put(self.stub);
    }
}

impl<'a> Fault<'a> {
    pub(super) fn decode(input: &mut Reader<'a>) -> Result<Self, PduError> {
        let (alloc_hint, context, cancels) = (input.u32()?, input.u16()?, input.u8()?);
        input.u8()?;
        let status = Status(input.u32()?);
        // Some servers leave out the four octets behind the status.
        if input.left() >= 4 {
            input.octets(4)?;
        }
        Ok(Self { alloc_hint, context, cancels, status, stub: input.rest() })
    }

    pub(super) fn encode(&self, out: &mut Writer) {
        out.u32(self.alloc_hint);
        out.u16(self.context);
        out.put(&[self.cancels, 0]);
        out.u32(self.status.0);
        out.put(&[0; 4]);
        out.put(self.stub);
    }
}
