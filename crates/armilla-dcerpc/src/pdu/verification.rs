//! The verification trailer: what the client believes of the call, protected with the stub
//! (MS-RPCE 2.2.2.13).

use crate::cursor::{Ended, Reader, Writer};
use crate::order::ByteOrder;
use crate::uuid::SyntaxId;
use alloc::vec::Vec;
use core::fmt;

const SIGNATURE: [u8; 8] = [0x8a, 0xe3, 0x13, 0x71, 0x02, 0xf4, 0x36, 0x71];
const END: u16 = 0x4000;
const MUST_PROCESS: u16 = 0x8000;

const BITMASK: u16 = 1;
const CONTEXT: u16 = 2;
const HEADER: u16 = 3;

/// All commands with their signature: what those that are known need, and as much again.
const LONGEST: usize = 256;

/// What a request must be, as its client sent it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verification {
    /// Whether the client signs headers.
    pub header_signing: bool,
    /// The interface and the encoding of its context.
    pub context: Option<(SyntaxId, SyntaxId)>,
    /// Call id, context id and opnum.
    pub request: Option<(u32, u16, u16)>,
}

/// Why a request was not what its client sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerificationError {
    /// The client signs headers, and the server did not hear of it.
    HeaderSigning,
    /// The context of the request is not that of the client.
    Context,
    /// The header of the request is not that of the client.
    Header,
    /// A command that has to be understood is not.
    UnknownCommand(u16),
}

impl fmt::Display for VerificationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HeaderSigning => f.write_str("somebody removed the flag for header signing"),
            Self::Context => f.write_str("somebody changed the interface of the call"),
            Self::Header => f.write_str("somebody changed the header of the call"),
            Self::UnknownCommand(number) => {
                write!(f, "the verification trailer has the unknown command {number}")
            }
        }
    }
}

impl core::error::Error for VerificationError {}

impl Verification {
    /// Appends it to a stub.
    pub fn append(&self, stub: &mut Vec<u8>, order: ByteOrder) {
        let mut commands: Vec<(u16, Writer)> = Vec::new();
        let mut bits = Writer::new(ByteOrder::Little);
        bits.u32(u32::from(self.header_signing));
        commands.push((BITMASK, bits));
        if let Some((interface, transfer)) = self.context {
            let mut body = Writer::new(ByteOrder::Little);
            for syntax in [interface, transfer] {
                body.uuid(syntax.uuid);
                body.u32(syntax.version());
            }
            commands.push((CONTEXT | MUST_PROCESS, body));
        }
        if let Some((call_id, context, opnum)) = self.request {
            let mut body = Writer::new(ByteOrder::Little);
            body.put(&[0, 0, 0, 0, if order == ByteOrder::Little { 0x10 } else { 0 }, 0, 0, 0]);
            body.u32(call_id);
            body.u16(context);
            body.u16(opnum);
            commands.push((HEADER, body));
        }
        stub.resize(stub.len().next_multiple_of(4), 0);
        let mut out = Writer::new(ByteOrder::Little);
        out.put(&SIGNATURE);
        let last = commands.len() - 1;
        for (index, (number, body)) in commands.iter().enumerate() {
            out.u16(number | if index == last { END } else { 0 });
            out.u16(body.octets.len() as u16);
            out.put(&body.octets);
        }
        stub.extend_from_slice(&out.octets);
    }

    /// Finds it at the end of a stub; returns where it begins. A stub without one is none.
    ///
    /// # Errors
    ///
    /// If it has a command that has to be understood and is not.
    pub fn find(stub: &[u8]) -> Result<Option<(usize, Self)>, VerificationError> {
        let shortest = SIGNATURE.len() + 4;
        let Some(mut at) = stub.len().checked_sub(shortest).map(|at| at & !3) else {
            return Ok(None);
        };
        let lowest = stub.len().saturating_sub(LONGEST);
        loop {
            if stub[at..].starts_with(&SIGNATURE)
                && let Some(found) = Self::parse(&stub[at + SIGNATURE.len()..])
            {
                return found.map(|found| Some((at, found)));
            }
            match at.checked_sub(4) {
                Some(before) if before >= lowest => at = before,
                _ => return Ok(None),
            }
        }
    }

    /// The commands, if they end where the octets end.
    fn parse(octets: &[u8]) -> Option<Result<Self, VerificationError>> {
        let mut input = Reader::new(octets, 0, ByteOrder::Little);
        let mut found = Self { header_signing: false, context: None, request: None };
        let mut unknown = None;
        loop {
            let number = input.u16().ok()?;
            let length = input.u16().ok()?;
            let body = input.octets(length.into()).ok()?;
            let mut body = Reader::new(body, 0, ByteOrder::Little);
            match number & !(END | MUST_PROCESS) {
                BITMASK => found.header_signing = body.u32().ok()? & 1 != 0,
                CONTEXT => {
                    found.context = Some((syntax(&mut body).ok()?, syntax(&mut body).ok()?));
                }
                HEADER => {
                    body.octets(8).ok()?;
                    found.request = Some((body.u32().ok()?, body.u16().ok()?, body.u16().ok()?));
                }
                other if number & MUST_PROCESS != 0 => {
                    unknown = unknown.or(Some(VerificationError::UnknownCommand(other)));
                }
                _ => {}
            }
            if number & END != 0 {
                break;
            }
        }
        // Windows pads nothing behind the last command.
        (input.left() == 0).then_some(match unknown {
            Some(unknown) => Err(unknown),
            None => Ok(found),
        })
    }

    /// Compares it with what the server received.
    ///
    /// # Errors
    ///
    /// If they differ.
    pub fn check(
        &self,
        header_signing: bool,
        context: (SyntaxId, SyntaxId),
        request: (u32, u16, u16),
    ) -> Result<(), VerificationError> {
        if self.header_signing && !header_signing {
            return Err(VerificationError::HeaderSigning);
        }
        if self.context.is_some_and(|sent| sent != context) {
            return Err(VerificationError::Context);
        }
        if self.request.is_some_and(|sent| sent != request) {
            return Err(VerificationError::Header);
        }
        Ok(())
    }
}

fn syntax(input: &mut Reader<'_>) -> Result<SyntaxId, Ended> {
    let uuid = input.uuid()?;
    Ok(SyntaxId::new(uuid, input.u32()?))
}
