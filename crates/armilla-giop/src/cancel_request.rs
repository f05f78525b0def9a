//! CancelRequest: the client no longer waits for a reply (CORBA 3.4 Part 2, 9.4.4).

use crate::{HEADER_LEN, Message, MessageHeader, MessageKind, Version};
use armilla_cdr::{ByteOrder, CdrResult};

/// Reads the id of the request that the client cancels.
///
/// # Errors
/// When the octets end too early.
pub fn decode_cancel_request(message: &Message<'_>) -> CdrResult<u32> {
    message.cursor().u32()
}

/// The whole message that cancels the request with this id.
///
/// ```
/// use armilla_giop::{Message, Version, cancel_request, decode_cancel_request};
///
/// let octets = cancel_request(Version::V1_2, 7);
/// let message = Message::parse(&octets)?.expect("the message is whole");
/// assert_eq!(decode_cancel_request(&message)?, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cancel_request(version: Version, request_id: u32) -> [u8; HEADER_LEN + 4] {
    let order = ByteOrder::NATIVE;
    let kind = MessageKind::CancelRequest;
    let header = MessageHeader { version, order, more_fragments: false, kind, size: 4 };
    let mut message = [0; HEADER_LEN + 4];
    let (head, body) = message.split_at_mut(HEADER_LEN);
    head.copy_from_slice(&header.encode());
    body.copy_from_slice(&request_id.to_ne_bytes());
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ORDERS, VERSIONS, for_each_mutation, golden, message};

    #[test]
    fn a_cancel_request_reads_the_same_in_every_version_and_order() {
        for (version, order) in VERSIONS.iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
            let mut octets = golden(b"GIOP\x01\0\0\x02\0\0\0\x04\0\x01\0\x05", order, &[12]);
            octets[5] = version.minor;
            assert_eq!(decode_cancel_request(&message(&octets)), Ok(0x10005));
            for_each_mutation(&octets, |message| {
                decode_cancel_request(message).ok();
            });
            if order == ByteOrder::NATIVE {
                assert_eq!(cancel_request(version, 0x10005)[..], octets);
            }
        }
    }
}
