//! Encoding and sending the reply to a LocateRequest (CORBA 3.4 Part 2, 9.4.6).

use super::close_reason::CloseReason;
use super::sink::ReplySink;
use crate::exception::{SystemException, encode_system};
use crate::runtime::Located;
use armilla_cdr::{Buffer, ByteOrder, CodeSet, CodeSets, Encode, Encoder};
use armilla_giop::{
    AddressingDisposition, LocateStatus, MessageHeader, MessageKind, Version, begin_locate_reply,
};

/// Tells the client what was found. The reply is written into `memory`.
///
/// # Errors
/// When the reply cannot be encoded or sent.
pub(in crate::server) fn send_locate_reply(
    sink: &dyn ReplySink,
    version: Version,
    request_id: u32,
    found: Result<Located, SystemException>,
    memory: &mut Buffer,
) -> Result<(), CloseReason> {
    // A LocateReply carries an exception from GIOP 1.2 on. Earlier clients get it with the request
    // that follows.
    let raised = found.as_ref().err().filter(|_| version >= Version::V1_2);
    let code_sets = CodeSets::with_utf_16(CodeSet::default());
    let mut out = Encoder::with_reused_buffer(std::mem::take(memory), ByteOrder::NATIVE, code_sets);
    out.truncate(0);
    let (status, ior) = match &found {
        Ok(Located::Here) => (LocateStatus::ObjectHere, None),
        Ok(Located::Elsewhere(ior)) => (LocateStatus::ObjectForward, Some(ior)),
        Ok(Located::Unnamed) => (LocateStatus::NeedsAddressingMode, None),
        Ok(Located::Nowhere) => (LocateStatus::UnknownObject, None),
        Err(_) if raised.is_some() => (LocateStatus::SystemException, None),
        Err(_) => (LocateStatus::ObjectHere, None),
    };
    begin_locate_reply(&mut out, version, request_id, status);
    let body = match (ior, raised) {
        (Some(ior), _) => ior.encode(&mut out),
        (None, Some(exception)) => encode_system(exception, &mut out),
        (None, None) if status == LocateStatus::NeedsAddressingMode => {
            AddressingDisposition::Key.encode(&mut out)
        }
        (None, None) => Ok(()),
    };
    let finished = body
        .map_err(|error| CloseReason::Malformed(MessageKind::LocateRequest, error))
        .and_then(|()| MessageHeader::finish(&mut out).map_err(CloseReason::Framing));
    let sent = finished.and_then(|()| sink.send(&out).map_err(CloseReason::from));
    *memory = out.take_buffer();
    sent
}
