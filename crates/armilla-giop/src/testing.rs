//! Helpers of the unit tests.

use crate::{HEADER_LEN, Message, MessageHeader, Version};
use alloc::vec::Vec;
use armilla_cdr::{ByteOrder, Encoder};

pub(crate) const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];
pub(crate) const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];

/// A message that is written down in big-endian order, in `order`: `words` are the offsets of its
/// four-octet numbers besides the size.
pub(crate) fn golden(big: &[u8], order: ByteOrder, words: &[usize]) -> Vec<u8> {
    let mut octets = big.to_vec();
    if order == ByteOrder::Little {
        octets[6] = 1;
        for at in [&[8], words].concat() {
            octets[at..at + 4].reverse();
        }
    }
    octets
}

/// What `write` makes of an empty encoder, as a finished message.
pub(crate) fn written(order: ByteOrder, write: impl FnOnce(&mut Encoder<'_>)) -> Vec<u8> {
    let mut out = Encoder::new(order);
    write(&mut out);
    MessageHeader::finish(&mut out).unwrap();
    out.to_vec()
}

/// The message that `octets` are.
pub(crate) fn message(octets: &[u8]) -> Message<'_> {
    let message = Message::parse(octets).unwrap().expect("a whole message");
    assert_eq!(message.octets.len(), octets.len());
    message
}

/// Hands `read` the message truncated at every length behind the header, and with every bit of the
/// rest flipped. Whatever `read` makes of it, it must return.
pub(crate) fn for_each_mutation(octets: &[u8], read: impl Fn(&Message<'_>)) {
    let header = MessageHeader::decode(octets.first_chunk().unwrap()).unwrap();
    for length in HEADER_LEN..octets.len() {
        read(&Message { header, octets: &octets[..length], fragments: None });
    }
    for bit in HEADER_LEN * 8..octets.len() * 8 {
        let mut octets = octets.to_vec();
        octets[bit / 8] ^= 1 << (bit % 8);
        read(&Message { header, octets: &octets, fragments: None });
    }
}
