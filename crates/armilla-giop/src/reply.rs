//! The header of a Reply (CORBA 3.4 Part 2, 9.4.3). Results, exceptions and forwarded references
//! are read elsewhere, by the decoder that comes with the header.

use crate::service_context::encode_contexts;
use crate::{
    HEADER_LEN, Message, MessageHeader, MessageKind, ServiceContext, ServiceContexts, Version,
};
use armilla_cdr::{ByteOrder, CdrResult, Decoder, Encoder};

/// The outcome of a request, which determines the body of the reply (`ReplyStatusType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ReplyStatus {
    /// The result and the out parameters follow.
    NoException = 0,
    /// An exception of the operation follows, its repository id first.
    UserException,
    /// A [`SystemExceptionBody`](crate::SystemExceptionBody) follows.
    SystemException,
    /// The reference to use for this request follows.
    LocationForward,
    /// The reference to use from now on follows (since 1.2).
    LocationForwardPerm,
    /// The [`AddressingDisposition`](crate::AddressingDisposition) that the server asks for follows
    /// (since 1.2).
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
    /// The id of the request.
    pub request_id: u32,
    /// The outcome.
    pub status: ReplyStatus,
    /// The service contexts of the server's ORB.
    pub contexts: ServiceContexts<'b>,
}

/// The fast path of [`decode_reply`]: reads a reply of 1.2 that is contiguous and has no service
/// contexts. `None` leaves the message to `decode_reply`.
#[inline(always)]
pub fn decode_reply_fast<'b>(message: &Message<'b>) -> Option<(ReplyHeader<'b>, Decoder<'b>)> {
    let MessageHeader { kind: MessageKind::Reply, version: Version::V1_2, order, .. } =
        message.header
    else {
        return None;
    };
    let mut input = message.cursor();
    let [request_id, number, [0, 0, 0, 0]] = input.words().ok()? else { return None };
    let (request_id, number) = (input.number(request_id), input.number(number));
    let status = ReplyStatus::from_number(number, Version::V1_2)?;
    let header = ReplyHeader { request_id, status, contexts: ServiceContexts::EMPTY };
    // The position is a multiple of eight.
    let body = Decoder::at(message.octets, input.position(), order);
    message.is_contiguous().then_some((header, body))
}

/// Reads the header of a reply, and returns it with a decoder for the body.
///
/// # Errors
/// When the octets end too early or are not a reply header.
#[inline]
pub fn decode_reply<'b>(message: &Message<'b>) -> CdrResult<(ReplyHeader<'b>, Decoder<'b>)> {
    let mut input = message.cursor();
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
    let body = message.decoder_for_body(input.position());
    Ok((ReplyHeader { request_id, status, contexts }, body))
}

/// Begins a reply in an empty encoder. Its body follows by [`put_body`](crate::put_body), then
/// [`MessageHeader::finish`].
///
/// # Errors
/// When a length does not fit 32 bits.
#[inline(always)]
pub fn begin_reply(
    out: &mut Encoder<'_>,
    version: Version,
    request_id: u32,
    status: ReplyStatus,
    contexts: &[ServiceContext<'_>],
) -> CdrResult {
    if version.has_1_2_layout() && contexts.is_empty() {
        begin_reply_fast(out, version, request_id, status);
        return Ok(());
    }
    begin_reply_full(out, version, request_id, status, contexts)
}

#[inline(never)]
fn begin_reply_full(
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

/// The fast path for a reply of 1.2 without contexts: writes both headers at once.
#[inline(always)]
fn begin_reply_fast(out: &mut Encoder<'_>, version: Version, request_id: u32, status: ReplyStatus) {
    let order = out.order();
    let kind = MessageKind::Reply;
    let header = MessageHeader { version, order, more_fragments: false, kind, size: 0 }.encode();
    let numbers = [request_id, status as u32, 0].map(|number| match order {
        ByteOrder::Big => number.to_be_bytes(),
        ByteOrder::Little => number.to_le_bytes(),
    });
    let mut octets = [0; HEADER_LEN + 12];
    octets[..HEADER_LEN].copy_from_slice(&header);
    octets[HEADER_LEN..].copy_from_slice(numbers.as_flattened());
    out.copy_raw(&octets);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::put_body;
    use crate::testing::{ORDERS, VERSIONS, for_each_mutation, golden, message, written};
    use alloc::vec::Vec;
    use armilla_cdr::{ByteOrder, CdrErrorKind};

    const CONTEXTS: &[ServiceContext<'static>] = &[ServiceContext { id: 9, data: b"abc" }];

    /// A reply with status 1 and one context, as it should be.
    fn expected(version: Version, order: ByteOrder) -> Vec<u8> {
        let (big, words): (&[u8], &[usize]) = match version.minor {
            2 => (
                b"GIOP\x01\x02\0\x01\0\0\0\x17\
                  \0\0\0\x05\0\0\0\x01\0\0\0\x01\0\0\0\x09\0\0\0\x03abc",
                &[12, 16, 20, 24, 28],
            ),
            _ => (
                b"GIOP\x01\0\0\x01\0\0\0\x18\
                  \0\0\0\x01\0\0\0\x09\0\0\0\x03abc\0\0\0\0\x05\0\0\0\x01",
                &[12, 16, 20, 28, 32],
            ),
        };
        let mut octets = golden(big, order, words);
        octets[5] = version.minor;
        octets
    }

    fn encoded(version: Version, order: ByteOrder, status: ReplyStatus) -> Vec<u8> {
        written(order, |out| begin_reply(out, version, 5, status, CONTEXTS).unwrap())
    }

    #[test]
    fn a_reply_is_written_and_read_as_the_specification_lays_it_out() {
        for (version, order) in VERSIONS.iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
            let octets = encoded(version, order, ReplyStatus::UserException);
            assert_eq!(octets, expected(version, order), "GIOP {version} {order:?}");
            let (header, body) = decode_reply(&message(&octets)).unwrap();
            assert_eq!((header.request_id, header.status), (5, ReplyStatus::UserException));
            assert!(header.contexts.iter().eq(CONTEXTS.iter().copied()));
            assert_eq!(body.remaining(), 0);
        }
    }

    #[test]
    fn the_result_begins_at_a_multiple_of_eight_in_1_2_and_at_once_before() {
        for (version, start) in VERSIONS.into_iter().zip([36, 36, 40]) {
            let octets = written(ByteOrder::Big, |out| {
                begin_reply(out, version, 5, ReplyStatus::NoException, CONTEXTS).unwrap();
                put_body(out, version, |out| {
                    out.put_u8(7);
                    Ok(())
                })
                .unwrap();
            });
            assert_eq!((octets.len(), octets[start]), (start + 1, 7));
            assert_eq!(decode_reply(&message(&octets)).unwrap().1.u8(), Ok(7));
        }
    }

    #[test]
    fn the_fast_path_writes_replies_as_the_whole_path_does() {
        for (order, number) in ORDERS.iter().flat_map(|o| (0..6).map(move |n| (*o, n))) {
            let status = ReplyStatus::from_number(number, Version::V1_2).unwrap();
            let fast = written(order, |out| begin_reply_fast(out, Version::V1_2, 0x0102, status));
            let whole = written(order, |out| {
                begin_reply_full(out, Version::V1_2, 0x0102, status, &[]).unwrap();
            });
            assert_eq!(fast, whole);
        }
    }

    #[test]
    fn statuses_of_1_2_are_unknown_before() {
        for status in [ReplyStatus::LocationForwardPerm, ReplyStatus::NeedsAddressingMode] {
            for version in VERSIONS {
                let octets = encoded(version, ByteOrder::Little, status);
                match decode_reply(&message(&octets)) {
                    Ok((header, _)) => {
                        assert_eq!((version, header.status), (Version::V1_2, status))
                    }
                    Err(error) => {
                        assert!(version < Version::V1_2);
                        assert!(matches!(error.kind, CdrErrorKind::InvalidEnum { .. }));
                    }
                }
            }
        }
    }

    #[test]
    fn mutilated_replies_are_refused_without_a_panic() {
        for (version, order) in VERSIONS.iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
            let octets = encoded(version, order, ReplyStatus::NoException);
            for_each_mutation(&octets, |message| {
                let Ok((header, mut body)) = decode_reply(message) else { return };
                header.contexts.find(9);
                body.u64().ok();
            });
            let cut = Message { octets: &octets[..octets.len() - 1], ..message(&octets) };
            assert!(decode_reply(&cut).is_err(), "an octet short");
        }
    }
}
