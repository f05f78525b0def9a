//! Asking servers whether they answer.

use super::references::Place;
use armilla::{
    ByteOrder, Decode, Decoder, Encode, Encoder, ExceptionKind, Ior, Minor, Object, Orb,
};
use std::time::Duration;

/// What a server has answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// It has the object, or holds the request.
    Here,
    /// It answers, and does not know the object.
    Unknown,
    /// It did not answer in time.
    Silent,
    /// Nobody listens there.
    Gone,
}

/// The reference with these profiles.
fn to_object(orb: &Orb, ior: &Ior) -> Option<Object> {
    let mut out = Encoder::new(ByteOrder::NATIVE);
    ior.encode(&mut out).ok()?;
    let octets = out.to_vec();
    Object::decode(&mut Decoder::new(&octets, ByteOrder::NATIVE).with_context(orb)).ok()
}

/// Asks with a LocateRequest for the object with this key.
pub(super) fn probe(orb: &Orb, place: &Place, key: &[u8], limit: Duration) -> Answer {
    let object = place.reference(key).and_then(|ior| to_object(orb, &ior));
    let Some(object) = object else { return Answer::Gone };
    match object.with_timeout(limit).locate() {
        Ok(true) => Answer::Here,
        Ok(false) => Answer::Unknown,
        Err(error) => match error.kind() {
            ExceptionKind::Timeout => Answer::Silent,
            ExceptionKind::Transient if error.minor() == Minor::CONNECT_FAILED => Answer::Gone,
            ExceptionKind::CommFailure => Answer::Gone,
            // The server has said so itself.
            _ => Answer::Unknown,
        },
    }
}
