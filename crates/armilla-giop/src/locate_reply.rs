//! LocateReply: where an object is (CORBA 3.4 Part 2, 9.4.6).
//!
//! Unlike the body of a reply, the body of a LocateReply is not aligned to 8 in any version.

use crate::{Message, MessageHeader, MessageKind, Version};
use armilla_cdr::{CdrResult, Decoder, Encoder};

/// Where the object is, which determines the body of the reply (`LocateStatusType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum LocateStatus {
    /// The server does not know the object.
    UnknownObject = 0,
    /// The server takes requests for it.
    ObjectHere,
    /// The reference to use for the next request follows.
    ObjectForward,
    /// The reference to use from now on follows (since 1.2).
    ObjectForwardPerm,
    /// A [`SystemExceptionBody`](crate::SystemExceptionBody) follows (since 1.2).
    SystemException,
    /// The [`AddressingDisposition`](crate::AddressingDisposition) that the server asks for follows
    /// (since 1.2).
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
    /// The id of the LocateRequest.
    pub request_id: u32,
    /// Where the object is.
    pub status: LocateStatus,
}

/// Reads the header of a LocateReply, and gives a decoder for its body.
///
/// # Errors
/// When the octets end too early or are not a LocateReply.
pub fn decode_locate_reply<'b>(
    message: &Message<'b>,
) -> CdrResult<(LocateReplyHeader, Decoder<'b>)> {
    let mut input = message.cursor();
    let request_id = input.u32()?;
    let number = input.u32()?;
    match LocateStatus::from_number(number, message.header.version) {
        Some(status) => {
            Ok((LocateReplyHeader { request_id, status }, message.decoder(input.position())))
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ior::{Ior, TaggedProfile};
    use crate::testing::{ORDERS, VERSIONS, for_each_mutation, golden, message, written};
    use armilla_cdr::{Decode, Encode};

    #[test]
    fn a_locate_reply_reads_the_same_in_every_version_and_order() {
        for (version, order) in VERSIONS.iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
            let big = b"GIOP\x01\0\0\x04\0\0\0\x08\0\0\0\x05\0\0\0\x01";
            let mut expected = golden(big, order, &[12, 16]);
            expected[5] = version.minor;
            let status = LocateStatus::ObjectHere;
            let octets = written(order, |out| begin_locate_reply(out, version, 5, status));
            assert_eq!(octets, expected, "GIOP {version} {order:?}");
            let (header, body) = decode_locate_reply(&message(&octets)).unwrap();
            assert_eq!(header, LocateReplyHeader { request_id: 5, status });
            assert_eq!(body.remaining(), 0);
            for_each_mutation(&octets, |message| {
                decode_locate_reply(message).ok();
            });
        }
    }

    #[test]
    fn a_forward_follows_the_header_without_padding() {
        let profiles = [TaggedProfile { id: 77, data: b"x".to_vec() }].to_vec();
        let forward = Ior { type_id: "IDL:A:1.0".into(), profiles };
        for version in VERSIONS {
            let octets = written(armilla_cdr::ByteOrder::Big, |out| {
                begin_locate_reply(out, version, 5, LocateStatus::ObjectForward);
                // The reference must not outlive the encoder's borrow, so it goes in by copy.
                let mut ior = Encoder::new(armilla_cdr::ByteOrder::Big);
                forward.encode(&mut ior).unwrap();
                out.copy_raw(&ior.to_vec());
            });
            assert_eq!(octets[20..24], [0, 0, 0, 10], "the length of the type id");
            let (header, mut body) = decode_locate_reply(&message(&octets)).unwrap();
            assert_eq!(header.status, LocateStatus::ObjectForward);
            assert_eq!(Ior::decode(&mut body).unwrap(), forward);
        }
    }

    #[test]
    fn statuses_of_1_2_are_unknown_before() {
        for number in 0..8 {
            let early = LocateStatus::from_number(number, Version::V1_1);
            let late = LocateStatus::from_number(number, Version::V1_2);
            assert_eq!((early.is_some(), late.is_some()), (number < 3, number < 6));
        }
    }
}
