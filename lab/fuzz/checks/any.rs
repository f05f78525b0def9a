//! Values that carry their type: what can be read can be written, and reads the same again.

use armilla_cdr::{Any, ByteOrder, CdrErrorKind, CodeSet, Decode, Decoder, Encode, Encoder};

pub(crate) fn check(data: &[u8]) {
    let Some((flag, octets)) = data.split_first() else { return };
    let order = ByteOrder::from_flag(*flag);
    let mut input = Decoder::new(octets, order).with_code_set(CodeSet::Utf8);
    let Ok(any) = Any::decode(&mut input) else { return };
    // Nothing may change at any position, except bit patterns of NaN and the order of indirections.
    for before in [0, 4] {
        let mut out = Encoder::with_buffer(vec![0; before], order, CodeSet::Utf8);
        any.encode(&mut out).unwrap();
        let again = out.to_vec();
        let mut input = Decoder::at(&again, before, order).with_code_set(CodeSet::Utf8);
        let again = Any::decode(&mut input).unwrap();
        assert!(again.type_code().is_equivalent(any.type_code()));
        assert_eq!(input.remaining(), 0);
    }
    // Only what nobody can read cannot be converted.
    let other = ByteOrder::from_flag(!*flag);
    let refused = any.encode(&mut Encoder::with_buffer(Vec::new(), other, CodeSet::Utf8)).err();
    assert!(refused.is_none_or(|refused| refused.kind == CdrErrorKind::OtherByteOrder));
}
