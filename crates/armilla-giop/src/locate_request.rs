//! LocateRequest: where is the object? (CORBA 3.4 Part 2, 9.4.5)

use crate::{Message, MessageHeader, MessageKind, Target, Version};
use armilla_cdr::{CdrResult, Encoder};

/// A LocateRequest as received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocateRequest<'b> {
    /// The number that the reply has to repeat.
    pub request_id: u32,
    /// The object.
    pub target: Target<'b>,
}

/// Reads a LocateRequest.
///
/// # Errors
/// When the octets end too early or are no LocateRequest.
pub fn decode_locate_request<'b>(message: &Message<'b>) -> CdrResult<LocateRequest<'b>> {
    let mut input = message.body();
    let request_id = input.u32()?;
    let target = match message.header.version.has_1_2_layout() {
        true => Target::decode(&mut input)?,
        false => Target::Key(input.octets()?),
    };
    Ok(LocateRequest { request_id, target })
}

/// Writes a LocateRequest into an empty encoder; [`MessageHeader::finish`] follows.
///
/// # Errors
/// When the length of the key does not fit 32 bits.
pub fn encode_locate_request(
    out: &mut Encoder<'_>,
    version: Version,
    request_id: u32,
    object_key: &[u8],
) -> CdrResult {
    MessageHeader::begin(out, version, MessageKind::LocateRequest);
    out.put_u32(request_id);
    match version.has_1_2_layout() {
        true => Target::encode_key(out, object_key),
        false => out.copy_octets(object_key),
    }
}
