//! Codecs.

use armilla::interceptor::Codec;
use armilla::{Any, CodeSet, ExceptionKind, TypeCode, Version, WString};

#[test]
fn a_codec_refuses_what_is_no_value() {
    let codec = Codec::new(Version::V1_2);
    let value = Any::new(&vec![1_i32, 2]).unwrap();
    let octets = codec.encode(&value).unwrap();
    assert_eq!(codec.decode(&octets).unwrap(), value);
    let bare = codec.encode_value(&value).unwrap();
    assert_eq!(codec.decode_value(&bare, value.type_code()).unwrap(), value);
    for length in 0..octets.len() {
        assert_eq!(codec.decode(&octets[..length]).unwrap_err().kind(), ExceptionKind::Marshal);
    }
    let wide = Any::new(&WString::from("a")).unwrap();
    assert!(Codec::new(Version::V1_0).encode(&wide).is_err());
}

#[test]
fn a_codec_has_the_code_sets_that_others_have_laid_down() {
    let codec = Codec::new(Version::V1_2);
    let latin = codec.with_code_sets(CodeSet::Iso8859_1, CodeSet::Utf16).unwrap();
    let value = Any::new("Zo\u{eb}").unwrap();
    let octets = latin.encode_value(&value).unwrap();
    assert!(octets.ends_with(b"Zo\xeb\0"), "{octets:x?}");
    assert_eq!(latin.decode_value(&octets, &TypeCode::String(0)).unwrap(), value);
    assert_eq!(latin.decode(&latin.encode(&value).unwrap()).unwrap(), value);
    let wrong = codec.decode_value(&octets, &TypeCode::String(0));
    assert!(wrong.is_err(), "as UTF-8 it is no text");
    let beyond = latin.encode(&Any::new("\u{20ac}").unwrap()).unwrap_err();
    assert_eq!(beyond.kind(), ExceptionKind::DataConversion);
    let wide = Any::new(&WString::from("\u{1d11e}")).unwrap();
    let four = codec.with_code_sets(CodeSet::Utf8, CodeSet::Ucs4).unwrap();
    let octets = four.encode_value(&wide).unwrap();
    assert!(octets.ends_with(&[0, 1, 0xd1, 0x1e]), "{octets:x?}");
    assert_eq!(four.decode_value(&octets, wide.type_code()).unwrap(), wide);
    for (char, wchar) in [(CodeSet::Utf16, CodeSet::Utf16), (CodeSet::Utf8, CodeSet::Utf8)] {
        let refused = codec.with_code_sets(char, wchar).unwrap_err();
        assert_eq!(refused.kind(), ExceptionKind::BadParam);
    }
}
