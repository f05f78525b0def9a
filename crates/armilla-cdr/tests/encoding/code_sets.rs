//! Code sets: their numbers and names, and texts in each of them to the octet.
#![cfg(feature = "legacy-code-sets")]

use armilla_cdr::{ByteOrder, CdrErrorKind, CodeSet, CodeSets, Decoder, Encoder};

fn encoded(text: &str, set: CodeSet) -> Result<Vec<u8>, CdrErrorKind> {
    let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::Big, set);
    out.put_string(text).map_err(|error| error.kind)?;
    let octets = out.to_vec();
    let (length, rest) = octets.split_first_chunk().unwrap();
    assert_eq!(u32::from_be_bytes(*length) as usize, rest.len());
    let (nul, text) = rest.split_last().unwrap();
    assert_eq!(*nul, 0);
    Ok(text.to_vec())
}

fn decoded(octets: &[u8], set: CodeSet) -> Result<String, CdrErrorKind> {
    let length = u32::try_from(octets.len() + 1).unwrap().to_be_bytes();
    let message = [&length[..], octets, &[0]].concat();
    let mut input = Decoder::new(&message, ByteOrder::Big).with_code_set(set);
    input.string().map(|text| text.into_owned()).map_err(|error| error.kind)
}

fn of_octets() -> impl Iterator<Item = CodeSet> {
    CodeSet::ALL.iter().copied().filter(|set| !set.is_wide())
}

fn of_one_octet() -> impl Iterator<Item = CodeSet> {
    let more = [CodeSet::Utf8, CodeSet::EucJp, CodeSet::ShiftJis];
    of_octets().filter(move |set| !more.contains(set))
}

#[test]
fn every_set_has_letters_of_its_own_where_its_standard_puts_them() {
    for (set, text, octets) in [
        (CodeSet::Iso8859_1, "Bär ÿ", &b"B\xe4r \xff"[..]),
        (CodeSet::Iso8859_2, "Łódź", b"\xa3\xf3d\xbc"),
        (CodeSet::Iso8859_3, "Ĝħ", b"\xd8\xb1"),
        (CodeSet::Iso8859_4, "Ķņ", b"\xd3\xf1"),
        (CodeSet::Iso8859_5, "Москва №", b"\xbc\xde\xe1\xda\xd2\xd0 \xf0"),
        (CodeSet::Iso8859_6, "سلام", b"\xd3\xe4\xc7\xe5"),
        (CodeSet::Iso8859_7, "Ωμέγα", b"\xd9\xec\xdd\xe3\xe1"),
        (CodeSet::Iso8859_8, "שלום", b"\xf9\xec\xe5\xed"),
        (CodeSet::Iso8859_9, "Işık İĞÜ", b"I\xfe\xfdk \xdd\xd0\xdc"),
        (CodeSet::Iso8859_10, "ĐŊ―", b"\xa9\xaf\xbd"),
        (CodeSet::Iso8859_11, "ไทย ๛", b"\xe4\xb7\xc2 \xfb"),
        (CodeSet::Iso8859_13, "Ģėž", b"\xcc\xeb\xfe"),
        (CodeSet::Iso8859_14, "Ŵŷ", b"\xd0\xfe"),
        (CodeSet::Iso8859_15, "1 € Œuf", b"1 \xa4 \xbcuf"),
        (CodeSet::Iso8859_16, "Ștțs €", b"\xaat\xfes \xa4"),
        (CodeSet::Ascii, "plain", b"plain"),
        (CodeSet::Windows1250, "Łódź €", b"\xa3\xf3d\x9f \x80"),
        (CodeSet::Windows1251, "Москва", b"\xcc\xee\xf1\xea\xe2\xe0"),
        (CodeSet::Windows1252, "“€”", b"\x93\x80\x94"),
        (CodeSet::Windows1253, "Ωμέγα", b"\xd9\xec\xdd\xe3\xe1"),
        (CodeSet::Windows1254, "Işık €", b"I\xfe\xfdk \x80"),
        (CodeSet::Windows1255, "שלום ₪", b"\xf9\xec\xe5\xed \xa4"),
        (CodeSet::Windows1256, "سلام", b"\xd3\xe1\xc7\xe3"),
        (CodeSet::Windows1257, "Ģėž €", b"\xcc\xeb\xfe \x80"),
        (CodeSet::Windows1258, "Đơ ₫", b"\xd0\xf5 \xfe"),
        (CodeSet::EucJp, "漢字カナ ｱ", b"\xb4\xc1\xbb\xfa\xa5\xab\xa5\xca \x8e\xb1"),
        (CodeSet::ShiftJis, "漢字カナ ｱ", b"\x8a\xbf\x8e\x9a\x83\x4a\x83\x69 \xb1"),
        (CodeSet::Utf8, "é€😀", "é€😀".as_bytes()),
    ] {
        assert_eq!(encoded(text, set).as_deref(), Ok(octets), "{text} in {set}");
        assert_eq!(decoded(octets, set).as_deref(), Ok(text), "{set}");
    }
}

#[test]
fn every_octet_of_a_code_set_round_trips() {
    for set in of_one_octet() {
        let mut letters = std::collections::HashSet::new();
        for octet in 1..=u8::MAX {
            match decoded(&[octet], set) {
                Ok(text) => {
                    assert_eq!(encoded(&text, set).as_deref(), Ok(&[octet][..]), "{text} in {set}");
                    assert!(letters.insert(text), "{octet:#x} in {set}");
                }
                Err(kind) => assert_eq!(kind, CdrErrorKind::Malformed(set), "{octet:#x}"),
            }
        }
    }
}

#[test]
fn no_character_becomes_another_on_its_way() {
    let all = (1..=0xffff).chain([0x1_f980, 0x2_000b]).filter_map(char::from_u32);
    let mut text = [0; 4];
    for character in all {
        let text = character.encode_utf8(&mut text);
        for set in of_octets() {
            match encoded(text, set) {
                Ok(octets) => assert_eq!(decoded(&octets, set).as_deref(), Ok(&*text), "{set}"),
                Err(kind) => assert_eq!(kind, CdrErrorKind::NotInCodeSet(character, set)),
            }
        }
    }
}

#[test]
fn a_character_that_a_set_lacks_is_named() {
    let error = |text, set| {
        let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::Big, set);
        let error = out.put_string(text).unwrap_err();
        assert!(error.is_conversion());
        error.to_string()
    };
    let said = error("5 €", CodeSet::Iso8859_1);
    assert!(said.contains("'€' (U+20AC) does not exist in ISO-8859-1"), "{said}");
    let said = error("a¥b", CodeSet::ShiftJis);
    assert!(said.contains("'¥' (U+00A5) does not exist in Shift_JIS"), "{said}");
    let said = error("x − y", CodeSet::EucJp);
    assert!(said.contains("'−' (U+2212) does not exist in EUC-JP"), "{said}");
}

/// The rows that Windows leaves to the user, as the private use area.
#[test]
fn characters_of_the_user_in_shift_jis_are_written_as_they_were_read() {
    for (lead, trail) in (0xf0..=0xf9).flat_map(|lead| (0x40..=0xfc).map(move |it| (lead, it))) {
        let octets = [&b"a"[..], &[lead, trail], b"b", &[lead, trail]].concat();
        let Ok(text) = decoded(&octets, CodeSet::ShiftJis) else {
            assert_eq!(trail, 0x7f, "{lead:x}");
            continue;
        };
        assert!(('\u{e000}'..='\u{e757}').contains(&text.chars().nth(1).unwrap()), "{text:?}");
        assert_eq!(encoded(&text, CodeSet::ShiftJis).as_deref(), Ok(&octets[..]));
    }
    let beyond = encoded("\u{e758}", CodeSet::ShiftJis);
    assert_eq!(beyond, Err(CdrErrorKind::NotInCodeSet('\u{e758}', CodeSet::ShiftJis)));
}

#[test]
fn octets_that_are_no_text_of_the_set_are_refused() {
    for (set, octets) in [
        (CodeSet::Ascii, &b"\x80"[..]),
        (CodeSet::Iso8859_6, b"\xa1"),
        (CodeSet::Iso8859_11, b"\xdb"),
        (CodeSet::Iso8859_11, b"\xfc"),
        (CodeSet::EucJp, b"\xb4"),
        (CodeSet::EucJp, b"\xb4\x41"),
        (CodeSet::ShiftJis, b"\x8a"),
        (CodeSet::ShiftJis, b"\x85\x40"),
        (CodeSet::Utf8, b"\xc3"),
        (CodeSet::Utf8, b"\xed\xa0\x80"),
        (CodeSet::Utf8, b"\xc0\xaf"),
    ] {
        let found = decoded(octets, set);
        assert_eq!(found, Err(CdrErrorKind::Malformed(set)), "{octets:x?} in {set}");
    }
}

#[test]
fn the_rest_of_the_message_stands_where_it_should_behind_a_converted_string() {
    let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::Little, CodeSet::EucJp);
    out.put_u8(7);
    out.put_string("漢字").unwrap();
    out.put_u16(9);
    let octets = out.to_vec();
    let mut input = Decoder::new(&octets, ByteOrder::Little).with_code_set(CodeSet::EucJp);
    assert_eq!(input.u8(), Ok(7));
    assert_eq!(input.string().unwrap(), "漢字");
    assert_eq!((input.u16(), input.remaining()), (Ok(9), 0));
}

#[test]
fn names_and_numbers_lead_to_the_set_and_back() {
    for set in CodeSet::ALL {
        assert_eq!(CodeSet::from_id(set.id()), Some(*set));
        assert_eq!(set.name().parse(), Ok(*set));
        assert_eq!(set.name().to_lowercase().replace('-', "_").parse(), Ok(*set));
    }
    assert_eq!("ISO 8859-15".parse(), Ok(CodeSet::Iso8859_15));
    assert_eq!("utf8".parse(), Ok(CodeSet::Utf8));
    assert_eq!(CodeSet::from_id(0x1002_03af), Some(CodeSet::ShiftJis), "another of its numbers");
    assert_eq!(CodeSet::from_id(0), None);
    let error = "EBCDIC".parse::<CodeSet>().unwrap_err().to_string();
    assert!(error.contains("known are ISO-8859-1, ISO-8859-2,"), "{error}");
}

#[test]
fn an_encapsulation_is_in_the_code_sets_around_it() {
    let sets =
        CodeSets { char: CodeSet::Windows1252, wchar: Some(CodeSet::Ucs4), lone_surrogates: false };
    let mut out = Encoder::new(ByteOrder::Big);
    out.set_code_sets(sets);
    out.put_encapsulation(|out| {
        out.put_string("€")?;
        out.put_wstring("€")
    })
    .unwrap();
    let octets = out.to_vec();
    assert_eq!(octets[4..], [0, 0, 0, 0, 0, 0, 0, 2, 0x80, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0x20, 0xac]);
    let mut inner = Decoder::new(&octets, ByteOrder::Big).with_code_sets(sets);
    let mut inner = inner.encapsulation().unwrap();
    assert_eq!(inner.string().unwrap(), "€");
    assert_eq!(inner.wstring().unwrap(), "€");
}

/// It would take hours, did each text cost as much as all before it.
#[test]
fn many_texts_that_are_converted_take_a_time_in_proportion_to_their_number() {
    let texts = vec!["żółw na plaży ".repeat(20); 20_000];
    let set = CodeSet::Iso8859_2;
    let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::NATIVE, set);
    texts.iter().try_for_each(|text| out.put_string(text)).unwrap();
    let octets = out.to_vec();
    let mut input = Decoder::new(&octets, ByteOrder::NATIVE).with_code_set(set);
    assert!(texts.iter().all(|text| input.string().unwrap() == *text));
}
