//! A value with a head of its own, outside of a call: type serialization version 1 (MS-RPCE 2.2.6).

use super::decoder::Decoder;
use super::encoder::Encoder;
use super::error::{NdrError, NdrErrorKind};
use super::value::Ndr;
use crate::order::ByteOrder;
use alloc::vec::Vec;

/// Both heads: eight octets that name version and order, eight with the length of the value.
const HEADS: usize = 16;

/// The value with its heads, padded to a multiple of eight octets.
///
/// # Errors
///
/// If something has more elements than 32 bits count.
pub fn serialize<T: Ndr>(value: &T, order: ByteOrder) -> Result<Vec<u8>, NdrError> {
    let mut body = Encoder::new(order);
    value.write(&mut body)?;
    body.align(8);
    let body = body.into_octets();
    let mut out = Encoder::new(order);
    out.put(&[1, if order == ByteOrder::Little { 0x10 } else { 0 }]);
    8u16.encode(&mut out)?;
    out.put(&[0xcc; 4]);
    out.count(body.len())?;
    out.put(&[0; 4]);
    out.put(&body);
    Ok(out.into_octets())
}

/// The value at the start of `octets`, and how many octets it takes with its heads and padding.
///
/// # Errors
///
/// If there are no such heads, the octets end, or are no such value.
pub fn deserialize<T: Ndr>(octets: &[u8]) -> Result<(T, usize), NdrError> {
    let refused = |position| NdrError { kind: NdrErrorKind::InvalidSerialization, position };
    let order = match octets.first_chunk() {
        Some([1, 0x10, 8, 0]) => ByteOrder::Little,
        Some([1, 0, 0, 8]) => ByteOrder::Big,
        _ => return Err(refused(0)),
    };
    let mut input = Decoder::new(octets, order);
    input.octets(8)?;
    let length = u32::decode(&mut input)?;
    input.octets(4)?;
    let body = input.octets(input.check_count(length)?)?;
    Ok((T::read(&mut Decoder::new(body, order))?, HEADS + body.len()))
}
