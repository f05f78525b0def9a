//! What the two sides of a flow tell each other.

use armilla_stream::wire::{Answer, Greeting, Receipt, Trailer, WireError, decode_chunk};

/// Reads the front of the data as each message; what is read and written again is read the same.
pub(crate) fn check(data: &[u8]) {
    if let Some(octets) = data.first_chunk() {
        again(Greeting::decode(octets), |message| Greeting::decode(&message.encode()));
        again(Trailer::decode(octets), |message| Trailer::decode(&message.encode()));
    }
    if let Some(octets) = data.first_chunk() {
        again(Answer::decode(octets), |message| Answer::decode(&message.encode()));
    }
    if let Some(octets) = data.first_chunk() {
        again(Receipt::decode(octets), |message| Receipt::decode(&message.encode()));
    }
    if let Some(octets) = data.first_chunk() {
        let size = u32::from_be_bytes(*octets);
        assert_eq!(decode_chunk(*octets).is_ok(), size <= armilla_stream::wire::MAX_CHUNK);
    }
}

fn again<T: std::fmt::Debug + PartialEq>(
    read: Result<T, WireError>,
    encode: impl Fn(&T) -> Result<T, WireError>,
) {
    match read {
        Ok(message) => assert_eq!(encode(&message).as_ref(), Ok(&message)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
