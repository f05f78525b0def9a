//! Texts in several character sets at a time (PS3.5, 6.1.2.5: ISO 2022), which the parser leaves in
//! the first one of them; and known attributes that somebody has written as of unknown kind.

use dicom_core::dictionary::{DataDictionary, DataDictionaryEntry};
use dicom_core::value::{PrimitiveValue, Value};
use dicom_core::{DataElement, Tag, VR};
use dicom_dictionary_std::{StandardDataDictionary, tags};
use dicom_encoding::text::{SpecificCharacterSet, TextCodec};
use dicom_object::InMemDicomObject;
use encoding_rs::Encoding;

const ESCAPE: u8 = 0x1b;

/// The kinds of values whose texts are in the character sets of the object (PS3.5, 6.2).
const TEXTS: [VR; 7] = [VR::LO, VR::LT, VR::PN, VR::SH, VR::ST, VR::UC, VR::UT];

/// Decodes all texts of an object, and what is written as UN although its kind is known.
pub fn normalize(object: &mut InMemDicomObject) {
    normalize_within(object, &[]);
}

/// `sets` are those of the object around it.
fn normalize_within(object: &mut InMemDicomObject, sets: &[String]) {
    let own = object.get(tags::SPECIFIC_CHARACTER_SET).and_then(|set| set.to_multi_str().ok());
    let own: Option<Vec<String>> =
        own.map(|sets| sets.iter().map(|set| set.trim_matches(['\0', ' ']).to_owned()).collect());
    let sets = own.as_deref().unwrap_or(sets);
    let all: Vec<(Tag, VR)> =
        object.iter().map(|element| element.header()).map(|h| (h.tag, h.vr())).collect();
    for (tag, vr) in all {
        if vr == VR::UN {
            restore(object, tag, sets);
        } else if vr == VR::SQ {
            object.update_value(tag, |value| {
                let items = value.items_mut().into_iter().flatten();
                items.for_each(|item| normalize_within(item, sets));
            });
        } else if extends(sets) && TEXTS.contains(&vr) {
            object.update_value(tag, |value| decode_value(value, vr, sets));
        }
    }
}

/// Whether texts change their sets by escape sequences, which the parser does not know.
fn extends(sets: &[String]) -> bool {
    sets.len() > 1 || sets.iter().any(|set| set.starts_with("ISO 2022"))
}

/// Gives an element of unknown kind the kind that its attribute has.
fn restore(object: &mut InMemDicomObject, tag: Tag, sets: &[String]) {
    let Some(entry) = StandardDataDictionary.by_tag(tag) else { return };
    let vr = entry.vr().relaxed();
    let Some(octets) = object.get(tag).and_then(|element| element.to_bytes().ok()) else { return };
    let value = match vr {
        VR::US => PrimitiveValue::U16(words(&octets, u16::from_le_bytes)),
        VR::SS => PrimitiveValue::I16(words(&octets, i16::from_le_bytes)),
        VR::UL => PrimitiveValue::U32(words(&octets, u32::from_le_bytes)),
        VR::SL => PrimitiveValue::I32(words(&octets, i32::from_le_bytes)),
        VR::UV => PrimitiveValue::U64(words(&octets, u64::from_le_bytes)),
        VR::SV => PrimitiveValue::I64(words(&octets, i64::from_le_bytes)),
        VR::FL => PrimitiveValue::F32(words(&octets, f32::from_le_bytes)),
        VR::FD => PrimitiveValue::F64(words(&octets, f64::from_le_bytes)),
        VR::AT => PrimitiveValue::Tags(words(&octets, |[a, b, c, d]: [u8; 4]| {
            Tag(u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]))
        })),
        VR::OB => PrimitiveValue::U8(octets.iter().copied().collect()),
        VR::OW => PrimitiveValue::U16(words(&octets, u16::from_le_bytes)),
        _ if TEXTS.contains(&vr) => PrimitiveValue::from(decode(&octets, vr, sets)),
        VR::AE | VR::AS | VR::CS | VR::DA | VR::DS | VR::DT | VR::IS | VR::TM | VR::UI | VR::UR => {
            let text: String = octets.iter().map(|octet| char::from(*octet)).collect();
            PrimitiveValue::from(text.trim_end_matches(['\0', ' ']))
        }
        _ => return,
    };
    object.put(DataElement::new(tag, vr, value));
}

/// The words of a value, the lowest octet first.
fn words<const N: usize, T, C: FromIterator<T>>(octets: &[u8], word: fn([u8; N]) -> T) -> C {
    octets.as_chunks::<N>().0.iter().map(|octets| word(*octets)).collect()
}

/// Decodes a text that the parser has taken for one in the first set.
fn decode_value<I, P>(value: &mut Value<I, P>, vr: VR, sets: &[String]) {
    let first = sets.first().and_then(|set| SpecificCharacterSet::from_code(set));
    let first = first.unwrap_or_default();
    let again = |text: &String| match first.encode(text) {
        Ok(octets) => decode(&octets, vr, sets),
        Err(_) => text.clone(),
    };
    if let Value::Primitive(primitive) = value {
        match primitive {
            PrimitiveValue::Str(text) => *text = again(text),
            PrimitiveValue::Strs(texts) => texts.iter_mut().for_each(|text| *text = again(text)),
            _ => {}
        }
    }
}

/// What a graphic character of one or two octets is taken from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Set {
    /// ISO 646, or JIS X 0201 for Latin letters, which differ in two signs.
    Ascii,
    Katakana,
    /// The right half of ISO 8859-1.
    Latin1,
    /// The right half of another one with an octet for each character.
    Single(&'static Encoding),
    /// Two octets each: JIS X 0208, JIS X 0212.
    Kanji,
    MoreKanji,
    /// Two octets each, with the highest bit: KS X 1001, GB 2312.
    Double(&'static Encoding),
}

/// The sets for octets below and above 128.
#[derive(Clone, Copy)]
struct Active {
    low: Set,
    high: Option<Set>,
}

impl Active {
    /// What counts at the beginning of a text and behind a delimiter: the first set.
    fn first(sets: &[String]) -> Self {
        let name = sets.first().map(String::as_str).unwrap_or_default();
        let number = name.rsplit(' ').next().unwrap_or_default();
        let high = match number {
            "13" => Some(Set::Katakana),
            "149" => Some(Set::Double(encoding_rs::EUC_KR)),
            "58" => Some(Set::Double(encoding_rs::GBK)),
            _ => latin(number),
        };
        Self { low: Set::Ascii, high }
    }

    /// Follows an escape sequence (PS3.3, tables C.12-3 and C.12-4), and returns its length.
    fn escape(&mut self, octets: &[u8]) -> Option<usize> {
        let mut high = |set| self.high = Some(set);
        match *octets {
            [ESCAPE, b'(', b'B' | b'J', ..] => self.low = Set::Ascii,
            [ESCAPE, b')', b'I', ..] => high(Set::Katakana),
            [ESCAPE, b'$', b'B', ..] => self.low = Set::Kanji,
            [ESCAPE, b'$', b'(', b'D', ..] => self.low = Set::MoreKanji,
            [ESCAPE, b'$', b')', b'C', ..] => high(Set::Double(encoding_rs::EUC_KR)),
            [ESCAPE, b'$', b')', b'A', ..] => high(Set::Double(encoding_rs::GBK)),
            [ESCAPE, b'-', set, ..] => high(latin(match set {
                b'A' => "100",
                b'B' => "101",
                b'C' => "109",
                b'D' => "110",
                b'L' => "144",
                b'G' => "127",
                b'F' => "126",
                b'H' => "138",
                b'M' => "148",
                b'b' => "203",
                b'T' => "166",
                _ => return None,
            })?),
            _ => return None,
        }
        Some(if octets[1] == b'$' && matches!(octets[2], b'(' | b')') { 4 } else { 3 })
    }
}

/// A set with one octet for each character, by its number in the register.
fn latin(number: &str) -> Option<Set> {
    Some(match number {
        "100" => Set::Latin1,
        "101" => Set::Single(encoding_rs::ISO_8859_2),
        "109" => Set::Single(encoding_rs::ISO_8859_3),
        "110" => Set::Single(encoding_rs::ISO_8859_4),
        "126" => Set::Single(encoding_rs::ISO_8859_7),
        "127" => Set::Single(encoding_rs::ISO_8859_6),
        "138" => Set::Single(encoding_rs::ISO_8859_8),
        "144" => Set::Single(encoding_rs::ISO_8859_5),
        "148" => Set::Single(encoding_rs::WINDOWS_1254),
        "166" => Set::Single(encoding_rs::WINDOWS_874),
        "203" => Set::Single(encoding_rs::ISO_8859_15),
        _ => return None,
    })
}

/// Decodes the octets of a text. What no set has becomes U+FFFD.
fn decode(octets: &[u8], vr: VR, sets: &[String]) -> String {
    if let [only] = sets
        && !extends(sets)
        && let Some(set) = SpecificCharacterSet::from_code(only)
        && let Ok(text) = set.decode(octets)
    {
        return text;
    }
    let mut active = Active::first(sets);
    let (mut at, mut text) = (0, String::new());
    while let Some(&octet) = octets.get(at) {
        if octet == ESCAPE
            && let Some(length) = active.escape(&octets[at..])
        {
            at += length;
            continue;
        }
        let set = if octet < 0x80 { Some(active.low) } else { active.high };
        let wide = matches!(set, Some(Set::Kanji | Set::MoreKanji | Set::Double(_)));
        let wide = wide && octet & 0x7f > 0x20;
        let end = (at + 1 + usize::from(wide)).min(octets.len());
        append(&mut text, set.filter(|_| octet & 0x7f > 0x20), &octets[at..end]);
        at = end;
        let delimiter = matches!(octet, b'\r' | b'\n' | 0x0c | b'\t' | b'\\')
            || vr == VR::PN && matches!(octet, b'^' | b'=');
        if delimiter && !wide {
            active = Active::first(sets);
        }
    }
    text
}

/// Appends the character of one or two octets; blanks and controls are in no set.
fn append(text: &mut String, set: Option<Set>, octets: &[u8]) {
    let high = |octet: &u8| octet | 0x80;
    match (set, octets) {
        (Some(Set::Katakana), [octet @ 0xa1..=0xdf]) => {
            text.extend(char::from_u32(0xff61 + u32::from(*octet) - 0xa1));
        }
        (Some(Set::Latin1), [octet]) => text.push(char::from(*octet)),
        (Some(Set::Single(encoding) | Set::Double(encoding)), octets) => {
            text.push_str(&encoding.decode_without_bom_handling(octets).0);
        }
        (Some(Set::Kanji), [a, b]) => {
            let octets = [high(a), high(b)];
            text.push_str(&encoding_rs::EUC_JP.decode_without_bom_handling(&octets).0);
        }
        (Some(Set::MoreKanji), [a, b]) => {
            let octets = [0x8f, high(a), high(b)];
            text.push_str(&encoding_rs::EUC_JP.decode_without_bom_handling(&octets).0);
        }
        (Some(Set::Kanji | Set::MoreKanji), _) => text.push(char::REPLACEMENT_CHARACTER),
        (_, [octet @ ..0x80]) => text.push(char::from(*octet)),
        _ => text.push(char::REPLACEMENT_CHARACTER),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn names_are_read_in_each_of_their_character_sets() {
        // PS3.5, annexes H and I, and others.
        for (names, octets, expected) in [
            (
                &["", "ISO 2022 IR 87"][..],
                &b"Yamada^Tarou=\x1b$B;3ED\x1b(B^\x1b$BB@O:\x1b(B=\x1b$B$d$^$@\x1b(B"[..],
                "Yamada^Tarou=山田^太郎=やまだ",
            ),
            (
                &["ISO 2022 IR 13", "ISO 2022 IR 87"],
                b"\xd4\xcf\xc0\xde^\xc0\xdb\xb3=\x1b$B;3ED\x1b(J^\x1b$BB@O:\x1b(J",
                "ﾔﾏﾀﾞ^ﾀﾛｳ=山田^太郎",
            ),
            (
                &["", "ISO 2022 IR 149"],
                b"Hong^Gildong=\x1b$)C\xfb\xf3^\x1b$)C\xd1\xce\xd4\xd7",
                "Hong^Gildong=洪^吉洞",
            ),
            (
                &["", "ISO 2022 IR 58"],
                b"Wang=\x1b$)A\xcd\xf5^\x1b$)A\xd0\xa1\xb6\xab",
                "Wang=王^小东",
            ),
            (&["", "ISO 2022 IR 159"], b"\x1b$(D\x30\x21\x1b(B", "丂"),
            (&["ISO 2022 IR 100", "ISO 2022 IR 144"], b"J\xe9r^\x1b-L\xbb\xee\xda", "Jér^Люк"),
            (&["ISO 2022 IR 100", "ISO 2022 IR 126"], b"\x1b-F\xc4^\xc4", "Δ^Ä"),
            (&["ISO 2022 IR 6", "ISO 2022 IR 87"], b"a\xe4b \x1b$B;3", "a\u{fffd}b 山"),
            (&["ISO 2022 IR 149"], b"\x1b$)C\xfb\xf3^a", "洪^a"),
            (&["", "ISO 2022 IR 87"], b"\x1b$B;", "\u{fffd}"),
            (&["", "ISO 2022 IR 87"], b"\x1b", "\u{1b}"),
        ] {
            assert_eq!(decode(octets, VR::PN, &sets(names)), expected);
        }
    }

    #[test]
    fn any_octets_are_decoded_to_something() {
        let names = ["", "ISO 2022 IR 13", "ISO 2022 IR 87", "ISO 2022 IR 149", "ISO 2022 IR 58"];
        // Octets that mean something, in an order without meaning.
        let alphabet = b"\x1b\x1b$()-BJICDAFab^=\\\x80\xa1\xb0\xfe\xff\0 ";
        let mut state = 1_u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for _ in 0..20_000 {
            let octets: Vec<u8> = (0..next(12)).map(|_| alphabet[next(alphabet.len())]).collect();
            let sets = sets(&[names[next(5)], names[next(5)]]);
            let text = decode(&octets, VR::PN, &sets);
            assert!(text.chars().count() <= octets.len(), "{octets:?} {sets:?}");
        }
    }

    #[test]
    fn texts_are_decoded_wherever_they_stand() {
        let several =
            PrimitiveValue::Strs(["", "ISO 2022 IR 87"].map(str::to_owned).to_vec().into());
        // As the parser leaves it, which knows the first set only.
        let raw = PrimitiveValue::from("\u{1b}$B;3ED\u{1b}(B");
        let item = InMemDicomObject::from_element_iter([DataElement::new(
            tags::PATIENT_ID,
            VR::LO,
            raw.clone(),
        )]);
        let mut object = InMemDicomObject::from_element_iter([
            DataElement::new(tags::SPECIFIC_CHARACTER_SET, VR::CS, several),
            DataElement::new(tags::PATIENT_NAME, VR::PN, raw),
            DataElement::new(
                tags::OTHER_PATIENT_I_DS_SEQUENCE,
                VR::SQ,
                Value::Sequence(vec![item].into()),
            ),
            DataElement::new(tags::ROWS, VR::UN, PrimitiveValue::from([2_u8, 1])),
            DataElement::new(tags::STUDY_INSTANCE_UID, VR::UN, PrimitiveValue::from(*b"1.2.3\0")),
            DataElement::new(tags::STUDY_DESCRIPTION, VR::UN, PrimitiveValue::from(*b"\x1b$B;3ED")),
            DataElement::new(Tag(9, 1), VR::UN, PrimitiveValue::from(*b"private!")),
        ]);
        normalize(&mut object);
        let text = |tag| object.element(tag).unwrap().to_str().unwrap().into_owned();
        assert_eq!(text(tags::PATIENT_NAME), "山田");
        assert_eq!(text(tags::STUDY_DESCRIPTION), "山田");
        assert_eq!(text(tags::STUDY_INSTANCE_UID), "1.2.3");
        assert_eq!(text(tags::ROWS), "258");
        let items = object.element(tags::OTHER_PATIENT_I_DS_SEQUENCE).unwrap().items().unwrap();
        assert_eq!(items[0].element(tags::PATIENT_ID).unwrap().to_str().unwrap(), "山田");
        assert_eq!(object.element(Tag(9, 1)).unwrap().vr(), VR::UN);
    }
}
