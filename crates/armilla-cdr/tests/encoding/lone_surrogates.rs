//! Units of UTF-16 without their partners: refused by default, carried if the ORB says so.

use armilla_cdr::{
    Any, ByteOrder, CdrErrorKind, CdrResult, CodeSet, CodeSets, Decode, Decoder, Encode, Encoder,
    LoneSurrogate, WString, WideFormat,
};

const FORMATS: [WideFormat; 2] = [WideFormat::Units, WideFormat::Octets];
const SETS: [CodeSet; 3] = [CodeSet::Utf16, CodeSet::Ucs2, CodeSet::Ucs4];

fn code_sets(wide: CodeSet, lone_surrogates: bool) -> CodeSets {
    CodeSets { char: CodeSet::Utf8, wchar: Some(wide), lone_surrogates }
}

fn encode<T: Encode>(value: &T, sets: CodeSets, format: WideFormat) -> CdrResult<Vec<u8>> {
    let mut out = Encoder::with_code_sets(Vec::new(), ByteOrder::Big, sets);
    out.set_wide_format(format);
    value.encode(&mut out)?;
    Ok(out.to_vec())
}

fn decode<T: for<'a> Decode<'a>>(
    octets: &[u8],
    sets: CodeSets,
    format: WideFormat,
) -> CdrResult<T> {
    let input = Decoder::new(octets, ByteOrder::Big).with_code_sets(sets);
    T::decode(&mut input.with_wide_format(format))
}

fn character(unit: u16) -> char {
    LoneSurrogate::new(unit).unwrap().as_char()
}

#[test]
fn every_lone_surrogate_has_a_character_of_its_own() {
    for unit in 0..=u16::MAX {
        let surrogate = LoneSurrogate::new(unit);
        assert_eq!(surrogate.is_some(), char::from_u32(unit.into()).is_none());
        if let Some(surrogate) = surrogate {
            assert_eq!(surrogate.unit(), unit);
            assert_eq!(LoneSurrogate::of(surrogate.as_char()), Some(surrogate));
        }
    }
    assert_eq!(LoneSurrogate::of('a'), None);
    assert_eq!(LoneSurrogate::of('\u{10d7ff}'), None);
    assert_eq!(LoneSurrogate::of('\u{10e000}'), None);
}

#[test]
fn a_wide_string_keeps_units_that_are_no_characters() {
    for units in [&[][..], &[0xd83e], &[0x61, 0xdd80, 0x62], &[0xdd80, 0xd83e], &[0xd83e, 0xdd80]] {
        let text = WString::from_units(units.iter().copied()).unwrap();
        assert_eq!(text.units().collect::<Vec<_>>(), units);
    }
    assert_eq!(WString::from_units([0xd83e, 0xdd80]), Ok("\u{1f980}".into()));
    let taken = WString::from_units([0xdbf6, 0xdc3e]).unwrap_err();
    assert_eq!(taken.kind, CdrErrorKind::StandsForSurrogate('\u{10d83e}'));
}

#[test]
fn a_wide_string_with_a_lone_surrogate_is_refused_with_the_unit_and_its_place() {
    for (octets, unit, index) in [
        (&[0, 0, 0, 4, 0, b'a', 0xd8, 0x3e][..], 0xd83e, 1),
        (&[0, 0, 0, 6, 0xdd, 0x80, 0, b'a', 0, b'b'], 0xdd80, 0),
        (&[0, 0, 0, 8, 0xd8, 0x3e, 0xdd, 0x80, 0xd8, 0, 0, b'b'], 0xd800, 2),
    ] {
        let sets = code_sets(CodeSet::Utf16, false);
        let error = decode::<WString>(octets, sets, WideFormat::Octets).unwrap_err();
        assert_eq!(error.kind, CdrErrorKind::LoneSurrogate { unit, index });
        assert!(error.is_conversion());
        let words = error.to_string();
        let said = [format!("{unit:#06x}"), format!("unit {index} "), "lone_surrogates".into()];
        assert!(said.iter().all(|said| words.contains(said)), "{words}");
    }
}

#[test]
fn a_wide_character_that_is_a_lone_surrogate_is_refused_with_the_unit() {
    let wide = CdrErrorKind::LoneSurrogate { unit: 0xd83e, index: 0 };
    for (octets, set, format) in [
        (&[2, 0xd8, 0x3e][..], CodeSet::Utf16, WideFormat::Octets),
        (&[0xd8, 0x3e], CodeSet::Utf16, WideFormat::Units),
        (&[4, 0, 0, 0xd8, 0x3e], CodeSet::Ucs4, WideFormat::Octets),
        (&[0, 0, 0xd8, 0x3e], CodeSet::Ucs4, WideFormat::Units),
    ] {
        let error = decode::<char>(octets, code_sets(set, false), format).unwrap_err();
        assert_eq!(error.kind, wide, "{set} {format:?}");
        let read = decode::<char>(octets, code_sets(set, true), format);
        assert_eq!(read, Ok(character(0xd83e)), "{set} {format:?}");
    }
}

#[test]
fn carried_units_are_sent_as_they_came_in_every_set_and_format() {
    let lone = WString::from_units([0x61, 0xd83e, 0x2605, 0xdd80, 0x62]).unwrap();
    for (set, format) in SETS.iter().flat_map(|set| FORMATS.map(|format| (*set, format))) {
        let sets = code_sets(set, true);
        let octets = encode(&lone, sets, format).unwrap();
        assert_eq!(decode(&octets, sets, format).as_ref(), Ok(&lone), "{set} {format:?}");
        let octets = encode(&character(0xdd80), sets, format).unwrap();
        let (unit, rest) = (&octets[octets.len() - 2..], &octets[..octets.len() - 2]);
        assert_eq!(unit, [0xdd, 0x80], "{set} {format:?}");
        assert!(rest.len() <= 3);
        assert_eq!(decode(&octets, sets, format), Ok(character(0xdd80)), "{set} {format:?}");
    }
    let octets = encode(&lone, code_sets(CodeSet::Utf16, true), WideFormat::Octets).unwrap();
    assert_eq!(octets[4..], [0, 0x61, 0xd8, 0x3e, 0x26, 5, 0xdd, 0x80, 0, 0x62]);
    let octets = encode(&lone, code_sets(CodeSet::Utf16, true), WideFormat::Units).unwrap();
    assert_eq!(octets[..4], [0, 0, 0, 6], "with the zero at the end");
}

#[test]
fn what_is_no_lone_surrogate_is_the_same_with_the_option_and_without() {
    let text = WString::from("gr\u{fc}\u{df} dich \u{1f980}\u{feff}");
    for format in FORMATS {
        let [off, on] = [false, true].map(|lone| code_sets(CodeSet::Utf16, lone));
        let octets = encode(&text, on, format).unwrap();
        assert_eq!(encode(&text, off, format).unwrap(), octets);
        assert_eq!(decode(&octets, on, format), Ok(text.clone()));
    }
    let pair = [0, 0, 0, 4, 0xd8, 0x3e, 0xdd, 0x80];
    let sets = code_sets(CodeSet::Ucs2, true);
    let read: WString = decode(&pair, sets, WideFormat::Octets).unwrap();
    assert_eq!(read.units().collect::<Vec<_>>(), [0xd83e, 0xdd80], "UCS-2 has no pairs");
    assert_eq!(encode(&read, sets, WideFormat::Octets).unwrap(), pair);
}

#[test]
fn a_character_that_stands_for_a_lone_surrogate_is_itself_without_the_option_only() {
    let text = WString::from("\u{10d83e}");
    let off = code_sets(CodeSet::Utf16, false);
    let octets = encode(&text, off, WideFormat::Octets).unwrap();
    assert_eq!(octets, [0, 0, 0, 4, 0xdb, 0xf6, 0xdc, 0x3e]);
    assert_eq!(decode(&octets, off, WideFormat::Octets), Ok(text));
    for set in [CodeSet::Utf16, CodeSet::Ucs4] {
        let text = WString::from("\u{10d83e}");
        let octets = encode(&text, code_sets(set, false), WideFormat::Octets).unwrap();
        let error = decode::<WString>(&octets, code_sets(set, true), WideFormat::Octets);
        assert_eq!(error.unwrap_err().kind, CdrErrorKind::StandsForSurrogate('\u{10d83e}'));
    }
}

#[test]
fn an_any_carries_a_lone_surrogate_from_and_to_the_wire() {
    let lone = WString::from_units([0xd83e, 0x61]).unwrap();
    let any = Any::new(&lone).unwrap();
    for format in FORMATS {
        let sets = code_sets(CodeSet::Utf16, true);
        let octets = encode(&any, sets, format).unwrap();
        let at = octets.windows(4).position(|four| four == [0xd8, 0x3e, 0, 0x61]);
        assert!(at.is_some(), "{octets:x?}");
        let read: Any = decode(&octets, sets, format).unwrap();
        assert_eq!(read.get::<WString>(), Ok(Some(lone.clone())));
        assert_eq!(encode(&read, sets, format).unwrap(), octets);
        let error = decode::<Any>(&octets, code_sets(CodeSet::Utf16, false), format)
            .and_then(|any| any.get::<WString>());
        let wide = CdrErrorKind::LoneSurrogate { unit: 0xd83e, index: 0 };
        assert_eq!(error.unwrap_err().kind, wide);
    }
}
