//! Requests as a client sends them.

use armilla_cdr::{ByteOrder, Encoder};
use armilla_giop::{
    MessageHeader, OutgoingRequest, ResponseFlags, TargetAddress, Version, begin_request, put_body,
};

pub(crate) const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];
pub(crate) const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

/// A request with `body` behind its header.
pub(crate) fn request(version: Version, order: ByteOrder, request_id: u32, body: &[u8]) -> Vec<u8> {
    let mut out = Encoder::new(order);
    let response = ResponseFlags::Target;
    let (target, operation, contexts) = (TargetAddress::Key(b"key"), "operate", &[]);
    let request = OutgoingRequest { request_id, response, target, operation, contexts };
    begin_request(&mut out, version, &request).unwrap();
    put_body(&mut out, version, |out| out.copy_octets(body)).unwrap();
    MessageHeader::finish(&mut out).unwrap();
    out.to_vec()
}
