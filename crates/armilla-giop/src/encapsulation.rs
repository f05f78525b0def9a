//! Encapsulations: octets with a byte order and an alignment of their own (CORBA 3.4 Part 2,
//! 9.3.3).

use alloc::vec::Vec;
use armilla_cdr::{
    ByteOrder, CdrErrorKind, CdrResult, CodeSet, CodeSets, Decode, Decoder, Encode, Encoder,
};

/// The strings in references are ASCII by their nature; what is not passes as UTF-8.
const CODE_SET: CodeSet = CodeSet::Utf8;

/// Where an encapsulation has wide characters they are in UTF-16, in the format of GIOP 1.2.
const WIDE: CodeSets = CodeSets::with_utf_16(CODE_SET);

/// A decoder for what follows the byte order with which `data` begins.
#[inline]
pub(crate) fn open(data: &[u8]) -> CdrResult<Decoder<'_>> {
    match data.first() {
        Some(flag) => Ok(Decoder::at(data, 1, ByteOrder::from_flag(*flag)).with_code_set(CODE_SET)),
        None => Err(Decoder::new(data, ByteOrder::Big)
            .error(CdrErrorKind::Invalid("an encapsulation lacks its byte order"))),
    }
}

/// The value in the encapsulation `data`.
pub(crate) fn unpack<'a, T: Decode<'a>>(data: &'a [u8]) -> CdrResult<T> {
    T::decode(&mut open(data)?)
}

/// The value in the encapsulation `data`, whose wide characters are in UTF-16.
pub(crate) fn unpack_wide<'a, T: Decode<'a>>(data: &'a [u8]) -> CdrResult<T> {
    T::decode(&mut open(data)?.with_code_sets(WIDE))
}

/// An encapsulation of `value`.
pub(crate) fn pack<T: Encode>(value: &T) -> CdrResult<Vec<u8>> {
    seal(value, Encoder::with_buffer(Vec::new(), ByteOrder::NATIVE, CODE_SET))
}

/// An encapsulation of `value` with its wide characters in UTF-16.
pub(crate) fn pack_wide<T: Encode>(value: &T) -> CdrResult<Vec<u8>> {
    seal(value, Encoder::with_code_sets(Vec::new(), ByteOrder::NATIVE, WIDE))
}

fn seal<'v, T: Encode>(value: &'v T, mut out: Encoder<'v>) -> CdrResult<Vec<u8>> {
    out.put_u8(ByteOrder::NATIVE.flag());
    value.encode(&mut out)?;
    Ok(out.to_vec())
}
