//! What a server reads: requests, locate requests, cancel requests.

use armilla_cdr::Encoder;
use armilla_giop::{
    CODE_SETS_CONTEXT, CodeSetContext, Message, MessageHeader, OutgoingRequest, ResponseFlags,
    Target, TargetAddress, begin_request, decode_cancel_request, decode_locate_request,
    decode_request,
};

pub(crate) fn check(data: &[u8]) {
    let Ok(Some(message)) = Message::parse(data) else { return };
    decode_cancel_request(&message).ok();
    if let Ok(request) = decode_locate_request(&message) {
        request.target.object_key();
    }
    let Ok((header, mut arguments)) = decode_request(&message) else { return };
    arguments.clone().f64().ok();
    arguments.octets().ok();
    header.contexts.find(CODE_SETS_CONTEXT).map(CodeSetContext::decode);
    let Target::Key(object_key) = header.target else {
        header.target.object_key();
        return;
    };

    // What was understood is written again, and must be understood the same.
    let contexts: Vec<_> = header.contexts.iter().collect();
    let request = OutgoingRequest {
        request_id: header.request_id,
        response: match (header.response_expected, header.sync_with_server) {
            (false, _) => ResponseFlags::None,
            (true, true) => ResponseFlags::Server,
            (true, false) => ResponseFlags::Target,
        },
        target: TargetAddress::Key(object_key),
        operation: header.operation.as_str(),
        contexts: &contexts,
    };
    let mut out = Encoder::new(message.header.order);
    if begin_request(&mut out, message.header.version, &request).is_err() {
        assert!(header.operation.as_bytes().contains(&0));
        return;
    }
    MessageHeader::finish(&mut out).unwrap();
    let octets = out.to_vec();
    let written = Message::parse(&octets).unwrap().unwrap();
    let (again, _) = decode_request(&written).unwrap();
    assert_eq!((again.request_id, again.target), (header.request_id, header.target));
    assert_eq!(again.response_expected, header.response_expected);
    assert_eq!((again.operation, again.contexts), (header.operation, header.contexts));
}
