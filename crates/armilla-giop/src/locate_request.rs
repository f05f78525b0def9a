//! LocateRequest: a client asks where an object is (CORBA 3.4 Part 2, 9.4.5).

use crate::{Message, MessageHeader, MessageKind, Target, TargetAddress, Version};
use armilla_cdr::{CdrResult, Encoder};

/// A LocateRequest as received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocateRequest<'b> {
    /// The id that the LocateReply repeats.
    pub request_id: u32,
    /// The object.
    pub target: Target<'b>,
}

/// Reads a LocateRequest.
///
/// # Errors
/// When the octets end too early or are not a LocateRequest.
pub fn decode_locate_request<'b>(message: &Message<'b>) -> CdrResult<LocateRequest<'b>> {
    let mut input = message.cursor();
    let request_id = input.u32()?;
    let target = match message.header.version.has_1_2_layout() {
        true => Target::decode(&mut input)?,
        false => Target::Key(input.octets()?),
    };
    Ok(LocateRequest { request_id, target })
}

/// Writes a LocateRequest into an empty encoder; [`MessageHeader::finish`] follows.
///
/// ```
/// use armilla_cdr::{ByteOrder, Encoder};
/// use armilla_giop::{
///     Message, MessageHeader, TargetAddress, Version, decode_locate_request,
///     encode_locate_request,
/// };
///
/// let mut out = Encoder::new(ByteOrder::NATIVE);
/// encode_locate_request(&mut out, Version::V1_2, 7, TargetAddress::Key(b"account"))?;
/// MessageHeader::finish(&mut out)?;
/// let octets = out.to_vec();
/// let message = Message::parse(&octets)?.expect("the message is whole");
/// assert_eq!(decode_locate_request(&message)?.target.object_key(), Some(&b"account"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the length of the key does not fit 32 bits.
pub fn encode_locate_request(
    out: &mut Encoder<'_>,
    version: Version,
    request_id: u32,
    target: TargetAddress<'_>,
) -> CdrResult {
    MessageHeader::begin(out, version, MessageKind::LocateRequest);
    out.put_u32(request_id);
    match version.has_1_2_layout() {
        true => target.encode(out),
        false => out.copy_octets(target.key()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ORDERS, VERSIONS, for_each_mutation, golden, message, written};

    #[test]
    fn a_locate_request_is_written_and_read_as_the_specification_lays_it_out() {
        for (version, order) in VERSIONS.iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
            let mut expected = match version.minor {
                2 => golden(
                    b"GIOP\x01\x02\0\x03\0\0\0\x0f\0\0\0\x05\0\0\0\0\0\0\0\x03key",
                    order,
                    &[12, 20],
                ),
                _ => golden(b"GIOP\x01\0\0\x03\0\0\0\x0b\0\0\0\x05\0\0\0\x03key", order, &[12, 16]),
            };
            expected[5] = version.minor;
            let octets = written(order, |out| {
                encode_locate_request(out, version, 5, TargetAddress::Key(b"key")).unwrap()
            });
            assert_eq!(octets, expected, "GIOP {version} {order:?}");
            let request = LocateRequest { request_id: 5, target: Target::Key(b"key") };
            assert_eq!(decode_locate_request(&message(&octets)), Ok(request));
            for_each_mutation(&octets, |message| {
                decode_locate_request(message).ok();
            });
        }
    }
}
