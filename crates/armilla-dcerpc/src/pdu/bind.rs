//! Bind, alter_context and their answers (C706 12.6.4.3 to 12.6.4.5, MS-RPCE 2.2.2.4 to 2.2.2.8).

use super::error::PduError;
use crate::cursor::{Reader, Writer};
use crate::uuid::{SyntaxId, Uuid};
use alloc::vec::Vec;

/// The client's offer: of a bind or an alter_context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bind {
    /// The longest PDU that the client sends, in octets.
    pub max_transmit: u16,
    /// The longest PDU that it receives.
    pub max_receive: u16,
    /// The association group that the connection joins; 0 for a new one.
    pub group: u32,
    /// The contexts.
    pub contexts: Vec<ContextOffer>,
}

/// An interface that the client wants to call, and how it would encode values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextOffer {
    /// The number that requests name it by.
    pub id: u16,
    /// The interface.
    pub interface: SyntaxId,
    /// The encodings, or one syntax that asks for features.
    pub transfer: Vec<SyntaxId>,
}

/// The server's answer to a bind or an alter_context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindAck {
    /// The longest PDU that the server sends, in octets.
    pub max_transmit: u16,
    /// The longest PDU that it receives.
    pub max_receive: u16,
    /// The association group.
    pub group: u32,
    /// The port as text with a NUL; empty in the answer to an alter_context.
    pub secondary_address: Vec<u8>,
    /// For each context that was offered, in the same order.
    pub results: Vec<ContextResult>,
}

/// What became of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextResult {
    /// Whether it was taken, and if not why.
    pub outcome: Outcome,
    /// The encoding that was chosen; all zeros if none was.
    pub transfer: SyntaxId,
}

/// Whether a context was taken (C706 12.6.3.1, `p_cont_def_result_t`; MS-RPCE 2.2.2.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was.
    Accepted,
    /// The user of the protocol refused it.
    UserRejection(u16),
    /// The server does not have the interface.
    UnknownInterface,
    /// The server has none of the encodings.
    UnknownTransfer,
    /// Contexts are used up.
    TooMany,
    /// The server refused it for another reason.
    ProviderRejection(u16),
    /// The features that the server has, of those that the client asked for.
    Features(u16),
    /// A result that no specification knows, with its reason.
    Other(u16, u16),
}

impl Outcome {
    fn numbers(self) -> (u16, u16) {
        match self {
            Self::Accepted => (0, 0),
            Self::UserRejection(reason) => (1, reason),
            Self::UnknownInterface => (2, 1),
            Self::UnknownTransfer => (2, 2),
            Self::TooMany => (2, 3),
            Self::ProviderRejection(reason) => (2, reason),
            Self::Features(bits) => (3, bits),
            Self::Other(result, reason) => (result, reason),
        }
    }

    fn from_numbers(result: u16, reason: u16) -> Self {
        match (result, reason) {
            (0, 0) => Self::Accepted,
            (1, reason) => Self::UserRejection(reason),
            (2, 1) => Self::UnknownInterface,
            (2, 2) => Self::UnknownTransfer,
            (2, 3) => Self::TooMany,
            (2, reason) => Self::ProviderRejection(reason),
            (3, bits) => Self::Features(bits),
            (result, reason) => Self::Other(result, reason),
        }
    }
}

/// The server refuses the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindNak {
    /// Why: see the constants.
    pub reason: u16,
    /// The versions of the protocol that the server speaks.
    pub versions: Vec<(u8, u8)>,
}

impl BindNak {
    /// Nobody says why.
    pub const NOT_SPECIFIED: u16 = 0;
    /// The server has no means for it now.
    pub const CONGESTION: u16 = 1;
    /// The server does not speak the version.
    pub const VERSION: u16 = 4;
    /// The authentication service is unknown (MS-RPCE 2.2.2.5).
    pub const UNKNOWN_SECURITY: u16 = 8;
    /// What the client showed was not enough (MS-RPCE 2.2.2.5).
    pub const INVALID_CHECKSUM: u16 = 9;

    pub(super) fn decode(input: &mut Reader<'_>) -> Result<Self, PduError> {
        let reason = input.u16()?;
        // Some servers leave the versions out.
        let count = if input.left() > 0 { input.u8()? } else { 0 };
        let versions =
            (0..count).map(|_| Ok((input.u8()?, input.u8()?))).collect::<Result<_, PduError>>()?;
        Ok(Self { reason, versions })
    }

    pub(super) fn encode(&self, out: &mut Writer) -> Result<(), PduError> {
        out.u16(self.reason);
        out.u8(count(self.versions.len())?);
        self.versions.iter().for_each(|(major, minor)| out.put(&[*major, *minor]));
        out.align(4);
        Ok(())
    }
}

/// A count of one octet.
fn count(length: usize) -> Result<u8, PduError> {
    u8::try_from(length).map_err(|_| PduError::TooLarge(length))
}

fn syntax(input: &mut Reader<'_>) -> Result<SyntaxId, PduError> {
    let uuid: Uuid = input.uuid()?;
    Ok(SyntaxId::new(uuid, input.u32()?))
}

fn put_syntax(syntax: SyntaxId, out: &mut Writer) {
    out.uuid(syntax.uuid);
    out.u32(syntax.version());
}

impl Bind {
    pub(super) fn decode(input: &mut Reader<'_>) -> Result<Self, PduError> {
        let (max_transmit, max_receive, group) = (input.u16()?, input.u16()?, input.u32()?);
        let count = input.u8()?;
        input.octets(3)?;
        let contexts =
            (0..count).map(|_| ContextOffer::decode(input)).collect::<Result<_, PduError>>()?;
        Ok(Self { max_transmit, max_receive, group, contexts })
    }

    pub(super) fn encode(&self, out: &mut Writer) -> Result<(), PduError> {
        out.u16(self.max_transmit);
        out.u16(self.max_receive);
        out.u32(self.group);
        out.u8(count(self.contexts.len())?);
        out.put(&[0; 3]);
        self.contexts.iter().try_for_each(|context| context.encode(out))
    }
}

impl ContextOffer {
    fn decode(input: &mut Reader<'_>) -> Result<Self, PduError> {
        let id = input.u16()?;
        let count = input.u8()?;
        input.u8()?;
        let interface = syntax(input)?;
        let transfer = (0..count).map(|_| syntax(input)).collect::<Result<_, PduError>>()?;
        Ok(Self { id, interface, transfer })
    }

    fn encode(&self, out: &mut Writer) -> Result<(), PduError> {
        out.u16(self.id);
        out.u8(count(self.transfer.len())?);
        out.u8(0);
        put_syntax(self.interface, out);
        self.transfer.iter().for_each(|transfer| put_syntax(*transfer, out));
        Ok(())
    }
}

impl BindAck {
    pub(super) fn decode(input: &mut Reader<'_>) -> Result<Self, PduError> {
        let (max_transmit, max_receive, group) = (input.u16()?, input.u16()?, input.u32()?);
        let length = input.u16()?;
        let secondary_address = input.octets(length.into())?.to_vec();
        input.align(4);
        let count = input.u8()?;
        input.octets(3)?;
        let results = (0..count)
            .map(|_| {
                let outcome = Outcome::from_numbers(input.u16()?, input.u16()?);
                Ok(ContextResult { outcome, transfer: syntax(input)? })
            })
            .collect::<Result<_, PduError>>()?;
        Ok(Self { max_transmit, max_receive, group, secondary_address, results })
    }

    pub(super) fn encode(&self, out: &mut Writer) -> Result<(), PduError> {
        let length = self.secondary_address.len();
        out.u16(self.max_transmit);
        out.u16(self.max_receive);
        out.u32(self.group);
        out.u16(u16::try_from(length).map_err(|_| PduError::TooLarge(length))?);
        out.put(&self.secondary_address);
        out.align(4);
        out.u8(count(self.results.len())?);
        out.put(&[0; 3]);
        for result in &self.results {
            let (number, reason) = result.outcome.numbers();
            out.u16(number);
            out.u16(reason);
            put_syntax(result.transfer, out);
        }
        Ok(())
    }
}
