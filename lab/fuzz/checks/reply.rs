//! What a client reads: replies, locate replies, and what their bodies may be.

use armilla_cdr::{Decode, Encoder};
use armilla_giop::ior::Ior;
use armilla_giop::{
    ExceptionDetail, Message, MessageHeader, SystemExceptionBody, begin_reply, decode_locate_reply,
    decode_reply,
};

pub(crate) fn check(data: &[u8]) {
    let Ok(Some(message)) = Message::parse(data) else { return };
    if let Ok((_, mut body)) = decode_locate_reply(&message) {
        Ior::decode(&mut body).ok();
    }
    let Ok((header, body)) = decode_reply(&message) else { return };
    SystemExceptionBody::decode(&mut body.clone()).ok();
    Ior::decode(&mut body.clone()).ok();
    for context in header.contexts.iter() {
        ExceptionDetail::decode_data(context.data).ok();
    }

    // What was understood is written again, and must be understood the same.
    let contexts: Vec<_> = header.contexts.iter().collect();
    let version = message.header.version;
    let mut out = Encoder::new(message.header.order);
    begin_reply(&mut out, version, header.request_id, header.status, &contexts).unwrap();
    MessageHeader::finish(&mut out).unwrap();
    let octets = out.to_vec();
    let written = Message::parse(&octets).unwrap().unwrap();
    let (again, _) = decode_reply(&written).unwrap();
    assert_eq!((again.request_id, again.status), (header.request_id, header.status));
    assert_eq!(again.contexts, header.contexts);
}
