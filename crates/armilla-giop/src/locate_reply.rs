//! LocateReply: where the object is (CORBA 3.4 Part 2, 9.4.6).
//!
//! Unlike the body of a reply, the body of a LocateReply is not aligned to 8 in any version.

use crate::{Message, MessageHeader, MessageKind, Version};
use armilla_cdr::{CdrResult, Decoder, Encoder};

/// Where the object is, and so what the body of the reply is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum LocateStatus {
    /// The server does not know the object.
    UnknownObject = 0,
    /// The server takes requests for it.
    ObjectHere,
    /// The reference of where to ask this time follows.
    ObjectForward,
    /// The reference of where to ask from now on follows (since 1.2).
    ObjectForwardPerm,
    /// A [`SystemExceptionBody`](crate::SystemExceptionBody) follows (since 1.2).
    SystemException,
    /// The server wants the object addressed in another way; its number, a short, follows (since
    /// 1.2).
    NeedsAddressingMode,
}

impl LocateStatus {
    /// The status with this number, if `version` has it.
    pub const fn from_number(number: u32, version: Version) -> Option<Self> {
        Some(match number {
            0 => Self::UnknownObject,
            1 => Self::ObjectHere,
            2 => Self::ObjectForward,
            3 if version.has_1_2_layout() => Self::ObjectForwardPerm,
            4 if version.has_1_2_layout() => Self::SystemException,
            5 if version.has_1_2_layout() => Self::NeedsAddressingMode,
            _ => return None,
        })
    }
}

/// The header of a LocateReply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocateReplyHeader {
    /// The number of the request.
    pub request_id: u32,
    /// Where the object is.
    pub status: LocateStatus,
}

/// Reads the header of a LocateReply, and gives a decoder for its body.
///
/// # Errors
/// When the octets end too early or are no LocateReply.
pub fn decode_locate_reply<'b>(
    message: &Message<'b>,
) -> CdrResult<(LocateReplyHeader, Decoder<'b>)> {
    let mut input = message.body();
    let request_id = input.u32()?;
    let number = input.u32()?;
    match LocateStatus::from_number(number, message.header.version) {
        Some(status) => Ok((LocateReplyHeader { request_id, status }, input)),
        None => Err(input.invalid_enum("GIOP::LocateStatusType", number)),
    }
}

/// Begins a LocateReply in an empty encoder. A body, where the status has one, follows at once;
/// then [`MessageHeader::finish`].
pub fn begin_locate_reply(
    out: &mut Encoder<'_>,
    version: Version,
    request_id: u32,
    status: LocateStatus,
) {
    MessageHeader::begin(out, version, MessageKind::LocateReply);
    out.put_u32(request_id);
    out.put_u32(status as u32);
}
