//! The header of a Request (CORBA 3.4 Part 2, 9.4.2). The arguments are read elsewhere, by the
//! decoder that comes with the header.

use crate::cursor::Cursor;
use crate::service_context::encode_contexts;
use crate::{
    HEADER_LEN, Message, MessageHeader, MessageKind, OperationName, ServiceContext,
    ServiceContexts, Target, TargetAddress, Version,
};
use armilla_cdr::{CdrError, CdrErrorKind, CdrResult, Decoder, Encoder};

/// The reply that the client asks for (`response_flags`, CORBA 3.4 Part 2, 9.4.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ResponseFlags {
    /// No reply: a oneway call.
    None = 0,
    /// A reply before the servant runs: a oneway call that is synchronized with the server.
    /// Before 1.2 it cannot be told from [`Target`](Self::Target).
    Server = 1,
    /// A reply with the result.
    Target = 3,
}

impl ResponseFlags {
    /// Whether the server sends a reply.
    #[inline]
    pub const fn response_expected(self) -> bool {
        !matches!(self, Self::None)
    }
}

/// A request as received.
#[derive(Debug, Clone)]
pub struct RequestHeader<'b> {
    /// The id that the reply repeats.
    pub request_id: u32,
    /// Whether the client waits for a reply.
    pub response_expected: bool,
    /// Whether the reply is due before the servant runs (1.2, oneway calls with
    /// `SYNC_WITH_SERVER`).
    pub sync_with_server: bool,
    /// The object.
    pub target: Target<'b>,
    /// The operation, by its IDL name; an attribute `x` is `_get_x` and `_set_x`.
    pub operation: OperationName<'b>,
    /// The service contexts of the client's ORB.
    pub contexts: ServiceContexts<'b>,
}

/// Reads the header of a request, and returns it with a decoder for the arguments.
///
/// # Errors
/// When the octets end too early or are not a request header.
pub fn decode_request<'b>(message: &Message<'b>) -> CdrResult<(RequestHeader<'b>, Decoder<'b>)> {
    let mut input = message.cursor();
    let version = message.header.version;
    let header = match version.has_1_2_layout() {
        true => decode_1_2(&mut input)?,
        false => decode_1_0(&mut input)?,
    };
    Ok((header, message.decoder_for_body(input.position())))
}

/// The fast path of [`decode_request`]: reads a request of 1.2 that is contiguous, names the object
/// by its key and has no service contexts. `None` leaves the message to `decode_request`.
#[inline(always)]
pub fn decode_request_fast<'b>(message: &Message<'b>) -> Option<(RequestHeader<'b>, Decoder<'b>)> {
    let MessageHeader { kind: MessageKind::Request, version: Version::V1_2, order, .. } =
        message.header
    else {
        return None;
    };
    let input = message.cursor();
    let (fixed, rest) = message.octets.get(HEADER_LEN..)?.split_first_chunk::<16>()?;
    let words = fixed.as_chunks::<4>().0;
    let [id, [flags, ..], [a0, a1, ..], key_length] = *words.first_chunk()?;
    let (key, rest) = padded(rest, input.number(key_length))?;
    let (name_length, rest) = rest.split_first_chunk()?;
    let (name, rest) = padded(rest, input.number(*name_length))?;
    let (contexts, rest) = rest.split_first_chunk::<4>()?;
    let (end, name) = name.split_last()?;
    if [a0, a1, *end] != [0; 3] || *contexts != [0; 4] || !message.is_contiguous() {
        return None;
    }
    let header = RequestHeader {
        request_id: input.number(id),
        response_expected: response_expected(flags),
        sync_with_server: sync_with_server(flags),
        target: Target::Key(key),
        operation: OperationName::new(name)?,
        contexts: ServiceContexts::EMPTY,
    };
    let body = (message.octets.len() - rest.len()).next_multiple_of(8);
    Some((header, Decoder::at(message.octets, body, order)))
}

/// Whether the response flags of 1.2 ask for a reply.
#[inline(always)]
const fn response_expected(flags: u8) -> bool {
    flags & 1 != 0
}

/// Whether the response flags of 1.2 ask for it before the servant runs.
#[inline(always)]
const fn sync_with_server(flags: u8) -> bool {
    flags & 3 == ResponseFlags::Server as u8
}

/// The first `length` octets, and what follows from the next multiple of four on.
#[inline(always)]
fn padded(octets: &[u8], length: u32) -> Option<(&[u8], &[u8])> {
    let (octets, rest) = octets.split_at_checked(length as usize)?;
    Some((octets, rest.get(length.wrapping_neg() as usize & 3..)?))
}

fn decode_1_2<'b>(input: &mut Cursor<'b>) -> CdrResult<RequestHeader<'b>> {
    let request_id = input.u32()?;
    let flags = input.flags::<4>()?;
    Ok(RequestHeader {
        request_id,
        response_expected: response_expected(flags),
        sync_with_server: sync_with_server(flags),
        target: Target::decode(input)?,
        operation: operation(input)?,
        contexts: ServiceContexts::decode(input)?,
    })
}

fn decode_1_0<'b>(input: &mut Cursor<'b>) -> CdrResult<RequestHeader<'b>> {
    let contexts = ServiceContexts::decode(input)?;
    let request_id = input.u32()?;
    // The three reserved octets of 1.1 are where 1.0 has padding.
    let response_expected = match input.flags::<4>()? {
        0 => false,
        1 => true,
        octet => return Err(input.error(CdrErrorKind::InvalidBoolean(octet))),
    };
    let target = Target::Key(input.octets()?);
    let operation = operation(input)?;
    let _principal = input.octets()?;
    let sync_with_server = false;
    Ok(RequestHeader {
        request_id,
        response_expected,
        sync_with_server,
        target,
        operation,
        contexts,
    })
}

/// Operation names are IDL identifiers, so no conversion applies to them.
#[inline(always)]
fn operation<'b>(input: &mut Cursor<'b>) -> CdrResult<OperationName<'b>> {
    let Some((0, name)) = input.octets()?.split_last() else {
        return Err(input.error(CdrErrorKind::MissingNul));
    };
    OperationName::new(name)
        .ok_or_else(|| input.error(CdrErrorKind::Invalid("the operation name is not ASCII")))
}

/// A request to send.
#[derive(Debug, Clone, Copy)]
pub struct OutgoingRequest<'r> {
    /// The id that the reply will repeat.
    pub request_id: u32,
    /// The reply that the client asks for.
    pub response: ResponseFlags,
    /// The object.
    pub target: TargetAddress<'r>,
    /// The operation, by its IDL name.
    pub operation: &'r str,
    /// The service contexts of this ORB.
    pub contexts: &'r [ServiceContext<'r>],
}

/// The positions of the parts of a request header, so that the request can serve as a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestLayout {
    /// The offset of the request id, for [`Encoder::patch_u32`].
    pub request_id_at: usize,
    /// The offset of the octets of the object key, for [`Encoder::patch`]; `None` where the object
    /// is named in another way.
    pub key_at: Option<usize>,
    /// The length of the header, before any padding that a body needs.
    pub end_of_header: usize,
}

/// Begins a request in an empty encoder. The arguments follow by [`put_body`](crate::put_body),
/// then [`MessageHeader::finish`].
///
/// # Errors
/// When a length does not fit 32 bits, or the operation contains a NUL.
#[inline]
pub fn begin_request(
    out: &mut Encoder<'_>,
    version: Version,
    request: &OutgoingRequest<'_>,
) -> CdrResult<RequestLayout> {
    MessageHeader::begin(out, version, MessageKind::Request);
    let (request_id_at, end_of_target) = match version.has_1_2_layout() {
        true => encode_1_2(out, request)?,
        false => encode_1_0(out, request)?,
    };
    let key_at = match request.target {
        TargetAddress::Key(key) => Some(end_of_target - key.len()),
        _ => None,
    };
    Ok(RequestLayout { request_id_at, key_at, end_of_header: out.len() })
}

/// Returns the offset of the request id, and that of the end of the target.
fn encode_1_2(out: &mut Encoder<'_>, request: &OutgoingRequest<'_>) -> CdrResult<(usize, usize)> {
    let request_id_at = out.len();
    out.put_u32(request.request_id);
    out.copy_raw(&[request.response as u8, 0, 0, 0]);
    request.target.encode(out)?;
    let end_of_target = out.len();
    encode_operation(out, request.operation)?;
    encode_contexts(out, request.contexts)?;
    Ok((request_id_at, end_of_target))
}

/// As [`encode_1_2`].
fn encode_1_0(out: &mut Encoder<'_>, request: &OutgoingRequest<'_>) -> CdrResult<(usize, usize)> {
    encode_contexts(out, request.contexts)?;
    out.align(4);
    let request_id_at = out.len();
    out.put_u32(request.request_id);
    // The three reserved octets of 1.1 are where 1.0 has padding.
    out.copy_raw(&[u8::from(request.response.response_expected()), 0, 0, 0]);
    out.copy_octets(request.target.key()?)?;
    let end_of_target = out.len();
    encode_operation(out, request.operation)?;
    out.put_u32(0); // No principal: deprecated before 1.2 took it away.
    Ok((request_id_at, end_of_target))
}

fn encode_operation(out: &mut Encoder<'_>, name: &str) -> CdrResult {
    if name.contains('\0') {
        return Err(CdrError::new(CdrErrorKind::EmbeddedNul));
    }
    out.put_length(name.len() + 1)?;
    out.copy_raw(name.as_bytes());
    out.put_u8(0);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::put_body;
    use crate::testing::{ORDERS, VERSIONS, for_each_mutation, golden, message, written};
    use alloc::vec::Vec;
    use armilla_cdr::ByteOrder;

    const CONTEXTS: &[ServiceContext<'static>] = &[ServiceContext { id: 1, data: b"ab" }];
    const REQUEST: OutgoingRequest<'static> = OutgoingRequest {
        request_id: 5,
        response: ResponseFlags::Target,
        target: TargetAddress::Key(b"key"),
        operation: "ping",
        contexts: CONTEXTS,
    };

    /// [`REQUEST`] as it should be, the minor version left open.
    fn expected(version: Version, order: ByteOrder) -> Vec<u8> {
        let mut octets = match version.minor {
            2 => golden(
                b"GIOP\x01\x02\0\0\0\0\0\x2e\
                  \0\0\0\x05\x03\0\0\0\0\0\0\0\0\0\0\x03key\0\0\0\0\x05ping\0\0\0\0\
                  \0\0\0\x01\0\0\0\x01\0\0\0\x02ab",
                order,
                &[12, 24, 32, 44, 48, 52],
            ),
            _ => golden(
                b"GIOP\x01\0\0\0\0\0\0\x30\
                  \0\0\0\x01\0\0\0\x01\0\0\0\x02ab\0\0\
                  \0\0\0\x05\x01\0\0\0\0\0\0\x03key\0\0\0\0\x05ping\0\0\0\0\0\0\0\0",
                order,
                &[12, 16, 20, 28, 36, 44, 56],
            ),
        };
        octets[5] = version.minor;
        octets
    }

    fn encoded(version: Version, order: ByteOrder, request: &OutgoingRequest<'_>) -> Vec<u8> {
        written(order, |out| {
            begin_request(out, version, request).unwrap();
        })
    }

    #[test]
    fn a_request_is_written_and_read_as_the_specification_lays_it_out() {
        for (version, order) in VERSIONS.iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
            let octets = encoded(version, order, &REQUEST);
            assert_eq!(octets, expected(version, order), "GIOP {version} {order:?}");
            let (header, arguments) = decode_request(&message(&octets)).unwrap();
            assert_eq!((header.request_id, header.response_expected), (5, true));
            assert_eq!(header.target, Target::Key(b"key"));
            assert_eq!(header.operation, "ping");
            assert!(header.contexts.iter().eq(CONTEXTS.iter().copied()));
            assert_eq!(arguments.remaining(), 0);
        }
    }

    #[test]
    fn arguments_begin_at_a_multiple_of_eight_in_1_2_and_at_once_before() {
        for version in VERSIONS {
            let octets = written(ByteOrder::Big, |out| {
                let layout = begin_request(out, version, &REQUEST).unwrap();
                put_body(out, version, |out| {
                    let aligned = layout.end_of_header.next_multiple_of(8);
                    let start = if version == Version::V1_2 { aligned } else { 60 };
                    assert_eq!(out.len(), start);
                    out.put_u8(7);
                    Ok(())
                })
                .unwrap();
            });
            assert_eq!(decode_request(&message(&octets)).unwrap().1.u8(), Ok(7));
        }
    }

    #[test]
    fn arguments_that_turn_out_empty_leave_no_padding() {
        for version in VERSIONS {
            let octets = written(ByteOrder::Big, |out| {
                begin_request(out, version, &REQUEST).unwrap();
                put_body(out, version, |_| Ok(())).unwrap();
            });
            assert_eq!(octets, expected(version, ByteOrder::Big));
        }
    }

    #[test]
    fn a_template_serves_again_with_another_request_id_and_key() {
        for version in VERSIONS {
            let octets = written(ByteOrder::Little, |out| {
                let layout = begin_request(out, version, &REQUEST).unwrap();
                out.patch_u32(layout.request_id_at, 0xabcd);
                out.patch(layout.key_at.unwrap(), b"kex");
            });
            let header = decode_request(&message(&octets)).unwrap().0;
            assert_eq!((header.request_id, header.target), (0xabcd, Target::Key(b"kex")));
        }
    }

    #[test]
    fn response_flags_are_distinguished_as_far_as_the_version_allows() {
        let ways = [
            (ResponseFlags::None, (false, false)),
            (ResponseFlags::Server, (true, true)),
            (ResponseFlags::Target, (true, false)),
        ];
        for (version, (response, (expected, sync))) in
            VERSIONS.iter().flat_map(|v| ways.map(|w| (*v, w)))
        {
            let request = OutgoingRequest { response, ..REQUEST };
            let octets = encoded(version, ByteOrder::Big, &request);
            let header = decode_request(&message(&octets)).unwrap().0;
            assert_eq!(header.response_expected, expected);
            assert_eq!(header.sync_with_server, sync && version == Version::V1_2);
        }
    }

    #[test]
    fn mutilated_requests_are_refused_without_a_panic() {
        for (version, order) in VERSIONS.iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
            let octets = encoded(version, order, &REQUEST);
            for_each_mutation(&octets, |message| {
                let Ok((header, mut arguments)) = decode_request(message) else { return };
                let lent: usize = header.contexts.iter().map(|context| context.data.len()).sum();
                assert!(lent <= octets.len());
                header.target.object_key();
                arguments.u64().ok();
            });
            let whole = message(&octets);
            let cut = Message { octets: &octets[..octets.len() - 1], ..whole };
            assert!(decode_request(&cut).is_err(), "an octet short");
        }
    }

    #[test]
    fn an_operation_without_its_nul_is_refused() {
        let mut octets = encoded(Version::V1_2, ByteOrder::Big, &REQUEST);
        octets[40] = b'!';
        let error = decode_request(&message(&octets)).unwrap_err();
        assert_eq!(error.kind, CdrErrorKind::MissingNul);
    }
}
