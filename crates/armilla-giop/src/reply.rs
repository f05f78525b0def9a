//! Reply: what became of a request (CORBA 3.4 Part 2, 9.4.3).
//!
//! Results, exceptions and forwarded references are not read here; they begin where the decoder
//! stands that comes with the header.

use crate::message::skip_to_body;
use crate::service_context::encode_contexts;
use crate::{Message, MessageHeader, MessageKind, ServiceContext, ServiceContexts, Version};
use armilla_cdr::{CdrResult, Decoder, Encoder};

/// What became of a request, and so what the body of the reply is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ReplyStatus {
    /// The result and the out parameters follow.
    NoException = 0,
    /// An exception of the operation follows, its repository id first.
    UserException,
    /// A [`SystemExceptionBody`](crate::SystemExceptionBody) follows.
    SystemException,
    /// The reference of where to ask this time follows.
    LocationForward,
    /// The reference of where to ask from now on follows (since 1.2).
    LocationForwardPerm,
    /// The server wants the object addressed in another way; its number, a short, follows (since
    /// 1.2).
    NeedsAddressingMode,
}

impl ReplyStatus {
    /// The status with this number, if `version` has it.
    #[inline]
    pub const fn from_number(number: u32, version: Version) -> Option<Self> {
        Some(match number {
            0 => Self::NoException,
            1 => Self::UserException,
            2 => Self::SystemException,
            3 => Self::LocationForward,
            4 if version.has_1_2_layout() => Self::LocationForwardPerm,
            5 if version.has_1_2_layout() => Self::NeedsAddressingMode,
            _ => return None,
        })
    }
}

/// A reply as received.
#[derive(Debug, Clone)]
pub struct ReplyHeader<'b> {
    /// The number of the request.
    pub request_id: u32,
    /// What became of it.
    pub status: ReplyStatus,
    /// What the server's ORB says beside it.
    pub contexts: ServiceContexts<'b>,
}

/// Reads the header of a reply, and gives a decoder for its body.
///
/// # Errors
/// When the octets end too early or are no reply header.
#[inline]
pub fn decode_reply<'b>(message: &Message<'b>) -> CdrResult<(ReplyHeader<'b>, Decoder<'b>)> {
    let mut input = message.body();
    let version = message.header.version;
    let early = match version.has_1_2_layout() {
        true => None,
        false => Some(ServiceContexts::decode(&mut input)?),
    };
    let request_id = input.u32()?;
    let number = input.u32()?;
    let Some(status) = ReplyStatus::from_number(number, version) else {
        return Err(input.invalid_enum("GIOP::ReplyStatusType", number));
    };
    let contexts = match early {
        Some(contexts) => contexts,
        None => ServiceContexts::decode(&mut input)?,
    };
    skip_to_body(&mut input, version);
    Ok((ReplyHeader { request_id, status, contexts }, input))
}

/// Begins a reply in an empty encoder. Its body follows by [`put_body`](crate::put_body), then
/// [`MessageHeader::finish`].
///
/// # Errors
/// When a length does not fit 32 bits.
#[inline]
pub fn begin_reply(
    out: &mut Encoder<'_>,
    version: Version,
    request_id: u32,
    status: ReplyStatus,
    contexts: &[ServiceContext<'_>],
) -> CdrResult {
    MessageHeader::begin(out, version, MessageKind::Reply);
    let late = version.has_1_2_layout();
    if !late {
        encode_contexts(out, contexts)?;
    }
    out.put_u32(request_id);
    out.put_u32(status as u32);
    if late {
        encode_contexts(out, contexts)?;
    }
    Ok(())
}
