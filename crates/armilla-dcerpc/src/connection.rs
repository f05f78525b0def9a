//! What both ends of a connection have in common: how PDUs are protected, and how they are written.

use crate::order::ByteOrder;
use crate::pdu::{
    Auth, AuthLevel, Body, Flags, Header, Pdu, PduError, TRAILER_LEN, Trailer, stub_offset,
};
use crate::security::{Message, SecurityContext, SecurityError};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// What every implementation receives (C706 12.6.3.1, `MustRecvFragSize`).
pub(crate) const LEAST_PDU: u16 = 1432;

/// Stubs are padded to it before the trailer, as Windows does it.
const PADDING: usize = 16;

/// The longest PDU that may be sent to a peer which receives `receives`.
pub(crate) fn longest(own: u16, receives: u16) -> u16 {
    own.min(receives).max(LEAST_PDU)
}

/// The security context of a connection.
#[derive(Debug)]
pub(crate) struct Protection {
    pub(crate) context: Box<dyn SecurityContext>,
    pub(crate) service: u8,
    pub(crate) level: AuthLevel,
    pub(crate) context_id: u32,
    pub(crate) header_signing: bool,
    pub(crate) established: bool,
}

impl Protection {
    /// Whether PDUs carry signatures. At level connect they do not.
    pub(crate) fn signs(&self) -> bool {
        self.established && self.level >= AuthLevel::Call
    }

    /// A token of the handshake with its trailer.
    pub(crate) fn token(&self, token: Vec<u8>) -> Auth<'static> {
        Auth { trailer: self.trailer(0), token: Cow::Owned(token) }
    }

    fn trailer(&self, padding: u8) -> Trailer {
        let Self { service, level, context_id, .. } = *self;
        Trailer { service, level, padding, context_id }
    }

    /// Whether a trailer is one of this context.
    pub(crate) fn owns(&self, trailer: &Trailer) -> bool {
        *trailer == self.trailer(trailer.padding)
    }

    fn message<'a>(&self, pdu: &'a mut [u8], header: &Header) -> Message<'a> {
        let end = pdu.len().saturating_sub(TRAILER_LEN);
        let stub = stub_offset(header.kind, header.flags).min(end)..end;
        let (privacy, header_signing) = (self.level == AuthLevel::Privacy, self.header_signing);
        Message { pdu, stub, privacy, header_signing }
    }

    /// Writes and protects a PDU.
    fn seal(&mut self, mut pdu: Pdu<'_>) -> Result<Vec<u8>, SendError> {
        let stub = match &pdu.body {
            Body::Request(request) => request.stub.len(),
            Body::Response(response) => response.stub.len(),
            Body::Fault(fault) => fault.stub.len(),
            _ => 0,
        };
        let padding = (stub.next_multiple_of(PADDING) - stub) as u8;
        let signature = vec![0; self.context.signature_length()];
        pdu.auth = Some(Auth { trailer: self.trailer(padding), token: Cow::Owned(signature) });
        let mut octets = pdu.encode()?;
        let first = octets.first_chunk().ok_or(PduError::Truncated { at: 0 })?;
        let header = Header::decode(first)?;
        let at = octets.len() - usize::from(header.auth_length);
        let (message, place) = octets.split_at_mut(at);
        let message = self.message(message, &header);
        let signature = self.context.protect(message)?;
        if signature.len() != place.len() {
            return Err(SecurityError::NotEstablished.into());
        }
        place.copy_from_slice(&signature);
        Ok(octets)
    }

    /// Checks and decrypts a PDU.
    pub(crate) fn open(&mut self, header: &Header, pdu: &mut [u8]) -> Result<(), SecurityError> {
        let trailer = Pdu::trailer(pdu, header).map_err(|_| SecurityError::NotAuthentic)?;
        if !trailer.is_some_and(|trailer| self.owns(&trailer)) {
            return Err(SecurityError::NotAuthentic);
        }
        self.unprotect(header, pdu)
    }

    /// Checks and decrypts a PDU that continues a call of this context, whatever its trailer says:
    /// that becomes the one of this context.
    pub(crate) fn open_further(
        &mut self,
        header: &Header,
        pdu: &mut [u8],
    ) -> Result<(), SecurityError> {
        if self.signs() {
            self.unprotect(header, pdu)?;
        }
        let at = pdu.len().saturating_sub(usize::from(header.auth_length) + TRAILER_LEN);
        let Some(trailer) = pdu[at..].first_chunk_mut::<TRAILER_LEN>() else {
            return Err(SecurityError::NotAuthentic);
        };
        let context_id = match header.order {
            ByteOrder::Little => self.context_id.to_le_bytes(),
            ByteOrder::Big => self.context_id.to_be_bytes(),
        };
        trailer[..2].copy_from_slice(&[self.service, self.level as u8]);
        trailer[4..].copy_from_slice(&context_id);
        Ok(())
    }

    fn unprotect(&mut self, header: &Header, pdu: &mut [u8]) -> Result<(), SecurityError> {
        let at = pdu.len() - usize::from(header.auth_length);
        let (message, signature) = pdu.split_at_mut(at);
        let message = self.message(message, header);
        self.context.unprotect(message, signature)
    }
}

/// Why a PDU could not be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendError {
    Pdu(PduError),
    Security(SecurityError),
}

impl From<PduError> for SendError {
    fn from(error: PduError) -> Self {
        Self::Pdu(error)
    }
}

impl From<SecurityError> for SendError {
    fn from(error: SecurityError) -> Self {
        Self::Security(error)
    }
}

/// Writes PDUs to one peer, protected once that is established.
#[derive(Debug)]
pub(crate) struct Output {
    octets: Vec<u8>,
    /// The longest PDU that the peer receives.
    pub(crate) longest: u16,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self { octets: Vec::new(), longest: LEAST_PDU }
    }

    /// Takes out what is to be sent.
    pub(crate) fn take(&mut self) -> Option<Vec<u8>> {
        (!self.octets.is_empty()).then(|| core::mem::take(&mut self.octets))
    }

    /// Writes a PDU of a handshake, which is not protected.
    pub(crate) fn plain(&mut self, pdu: &Pdu<'_>) -> Result<(), SendError> {
        self.octets.extend(pdu.encode()?);
        Ok(())
    }

    /// Writes a PDU, protected if `protection` is established.
    pub(crate) fn protected(
        &mut self,
        protection: Option<&mut Protection>,
        pdu: Pdu<'_>,
    ) -> Result<(), SendError> {
        let octets = match protection.filter(|protection| protection.signs()) {
            Some(protection) => protection.seal(pdu)?,
            None => pdu.encode()?,
        };
        self.octets.extend(octets);
        Ok(())
    }

    /// Writes a stub in as many PDUs as it needs. `body` makes the body of each.
    pub(crate) fn stub<'a>(
        &mut self,
        mut protection: Option<&mut Protection>,
        (order, call_id, flags): (ByteOrder, u32, Flags),
        (head, stub): (usize, &'a [u8]),
        body: impl Fn(u32, &'a [u8]) -> Body<'a>,
    ) -> Result<(), SendError> {
        let signature = match &protection {
            Some(protection) if protection.signs() => {
                TRAILER_LEN + protection.context.signature_length()
            }
            _ => 0,
        };
        let room = usize::from(self.longest).saturating_sub(head + signature) & !(PADDING - 1);
        for (part, hint, octets) in crate::pdu::fragments(stub, room) {
            let pdu =
                Pdu { order, flags: flags | part, call_id, body: body(hint, octets), auth: None };
            self.protected(protection.as_deref_mut(), pdu)?;
        }
        Ok(())
    }
}
