//! Values that carry their type: what can be read can be written, and reads the same again.

use armilla_cdr::{Any, ByteOrder, CodeSet, Decode, Decoder, Encode, Encoder};

pub(crate) fn check(data: &[u8]) {
    let Some((flag, octets)) = data.split_first() else { return };
    let mut input = Decoder::new(octets, ByteOrder::from_flag(*flag)).with_code_set(CodeSet::Utf8);
    let Ok(any) = Any::decode(&mut input) else { return };
    let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::NATIVE, CodeSet::Utf8);
    any.encode(&mut out).unwrap();
    let again = out.to_vec();
    let mut input = Decoder::new(&again, ByteOrder::NATIVE).with_code_set(CodeSet::Utf8);
    let again = Any::decode(&mut input).unwrap();
    // Bit patterns of NaN and the order of indirections aside, nothing may change.
    assert!(again.type_code().is_equivalent(any.type_code()));
}
