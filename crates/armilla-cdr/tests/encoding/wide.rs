//! Wide texts, decimal and long floating-point numbers, to the octet.

use armilla_cdr::{
    Any, ByteOrder, CdrErrorKind, CdrResult, CodeSet, CodeSets, Decimal, Decode, Decoder, Encode,
    Encoder, LongDouble, TypeCode, WString, WideFormat,
};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

fn octets<T: Encode>(value: &T, order: ByteOrder, format: WideFormat) -> CdrResult<Vec<u8>> {
    let mut out = Encoder::with_buffer(Vec::new(), order, CodeSet::Utf8);
    out.set_wide_format(format);
    value.encode(&mut out)?;
    Ok(out.to_vec())
}

fn value<T: for<'a> Decode<'a>>(
    octets: &[u8],
    order: ByteOrder,
    format: WideFormat,
) -> CdrResult<T> {
    let mut input = Decoder::new(octets, order).with_wide_format(format);
    let value = T::decode(&mut input)?;
    assert_eq!(input.remaining(), 0);
    Ok(value)
}

#[test]
fn giop_1_2_counts_octets_and_puts_the_most_significant_first() {
    for order in ORDERS {
        let format = WideFormat::Octets;
        let text = octets(&WString::from("a\u{2605}"), order, format).unwrap();
        assert_eq!(text[text.len() - 4..], [0, b'a', 0x26, 0x05]);
        assert_eq!(text.len(), 8, "no terminator");
        assert_eq!(octets(&'\u{2605}', order, format).unwrap(), [2, 0x26, 0x05]);
        assert_eq!(octets(&'\u{1f980}', order, format).unwrap(), [4, 0xd8, 0x3e, 0xdd, 0x80]);
        assert_eq!(value::<WString>(&text, order, format).unwrap(), "a\u{2605}".into());
    }
}

#[test]
fn giop_1_1_counts_units_and_ends_in_a_zero() {
    let format = WideFormat::Units;
    let text = octets(&WString::from("a\u{2605}"), ByteOrder::Big, format).unwrap();
    assert_eq!(text, [0, 0, 0, 3, 0, b'a', 0x26, 0x05, 0, 0]);
    let text = octets(&WString::from("a\u{2605}"), ByteOrder::Little, format).unwrap();
    assert_eq!(text, [3, 0, 0, 0, b'a', 0, 0x05, 0x26, 0, 0]);
    assert_eq!(value::<WString>(&text, ByteOrder::Little, format).unwrap(), "a\u{2605}".into());
    assert_eq!(octets(&'\u{2605}', ByteOrder::Little, format).unwrap(), [0x05, 0x26]);
    let error = octets(&'\u{1f980}', ByteOrder::Big, format).unwrap_err();
    assert!(error.is_conversion());
    let unended = [0, 0, 0, 1, 0, b'a'];
    let error = value::<WString>(&unended, ByteOrder::Big, format).unwrap_err();
    assert_eq!(error.kind, CdrErrorKind::MissingNul);
}

#[test]
fn giop_1_0_has_no_wide_texts() {
    for order in ORDERS {
        assert!(octets(&'a', order, WideFormat::Refused).is_err());
        assert!(octets(&WString::default(), order, WideFormat::Refused).is_err());
        assert!(value::<char>(&[0; 4], order, WideFormat::Refused).is_err());
        assert!(value::<WString>(&[0; 4], order, WideFormat::Refused).is_err());
    }
}

#[test]
fn a_byte_order_mark_says_the_order_and_is_no_character() {
    for order in ORDERS {
        let read = |octets: &[u8]| value::<char>(octets, order, WideFormat::Octets);
        assert_eq!(read(&[2, 0x26, 0x05]), Ok('\u{2605}'));
        assert_eq!(read(&[4, 0xfe, 0xff, 0x26, 0x05]), Ok('\u{2605}'));
        assert_eq!(read(&[4, 0xff, 0xfe, 0x05, 0x26]), Ok('\u{2605}'));
        assert_eq!(read(&[6, 0xff, 0xfe, 0x3e, 0xd8, 0x80, 0xdd]), Ok('\u{1f980}'));
    }
}

#[test]
fn what_is_not_utf_16_is_refused() {
    for octets in [&[1, 0x26][..], &[0], &[4, 0, b'a', 0, b'b'], &[3, 0xd8, 0x3e, 0xdd]] {
        let error = value::<char>(octets, ByteOrder::Big, WideFormat::Octets).unwrap_err();
        assert_eq!(error.kind, CdrErrorKind::Malformed(CodeSet::Utf16), "{octets:?}");
        assert!(error.is_conversion());
    }
    let half = [0, 0, 0, 3, 0, b'a', 0];
    let error = value::<WString>(&half, ByteOrder::Big, WideFormat::Octets).unwrap_err();
    assert_eq!(error.kind, CdrErrorKind::Malformed(CodeSet::Utf16));
    let long = [0xff, 0xff, 0xff, 0xff, 0, b'a'];
    for format in [WideFormat::Units, WideFormat::Octets] {
        assert!(value::<WString>(&long, ByteOrder::Big, format).is_err());
    }
}

/// `value` in `set`, as GIOP 1.1 in big-endian order and as GIOP 1.2 lay it out.
fn in_set<T: Encode>(value: &T, set: CodeSet) -> [CdrResult<Vec<u8>>; 2] {
    [WideFormat::Units, WideFormat::Octets].map(|format| {
        let mut out = Encoder::new(ByteOrder::Big);
        out.set_wide_format(format);
        out.set_code_sets(CodeSets { wchar: Some(set), ..CodeSets::with_utf_16(CodeSet::Utf8) });
        value.encode(&mut out)?;
        Ok(out.to_vec())
    })
}

fn from_set<T: for<'a> Decode<'a>>(
    octets: &[u8],
    set: CodeSet,
    format: WideFormat,
) -> CdrResult<T> {
    let sets = CodeSets { wchar: Some(set), ..CodeSets::with_utf_16(CodeSet::Utf8) };
    let input = Decoder::new(octets, ByteOrder::Big);
    let mut input = input.with_code_sets(sets).with_wide_format(format);
    let value = T::decode(&mut input)?;
    assert_eq!(input.remaining(), 0);
    Ok(value)
}

#[test]
fn ucs_4_takes_four_octets_for_every_character() {
    let set = CodeSet::Ucs4;
    let [units, octets] = in_set(&'\u{1f980}', set);
    assert_eq!(units.unwrap(), [0, 1, 0xf9, 0x80]);
    assert_eq!(octets.unwrap(), [4, 0, 1, 0xf9, 0x80]);
    let [units, octets] = in_set(&WString::from("a\u{1f980}"), set);
    assert_eq!(units.unwrap(), [0, 0, 0, 3, 0, 0, 0, b'a', 0, 1, 0xf9, 0x80, 0, 0, 0, 0]);
    assert_eq!(octets.unwrap(), [0, 0, 0, 8, 0, 0, 0, b'a', 0, 1, 0xf9, 0x80]);
    let little = [4, 0x80, 0xf9, 1, 0];
    assert!(from_set::<char>(&little, set, WideFormat::Octets).is_err());
    let marked = [8, 0xff, 0xfe, 0, 0, 0x80, 0xf9, 1, 0];
    assert_eq!(from_set(&marked, set, WideFormat::Octets), Ok('\u{1f980}'));
}

#[test]
fn ucs_2_has_no_pairs() {
    let set = CodeSet::Ucs2;
    for result in in_set(&'\u{1f980}', set) {
        assert_eq!(result.unwrap_err().kind, CdrErrorKind::NotInCodeSet('\u{1f980}', set));
    }
    for result in in_set(&WString::from("a\u{1f980}"), set) {
        assert_eq!(result.unwrap_err().kind, CdrErrorKind::NotInCodeSet('\u{1f980}', set));
    }
    let pair = [0, 0, 0, 4, 0xd8, 0x3e, 0xdd, 0x80];
    let error = from_set::<WString>(&pair, set, WideFormat::Octets).unwrap_err();
    assert_eq!(error.kind, CdrErrorKind::Malformed(set));
    assert_eq!(in_set(&'\u{2605}', set)[1].as_deref(), Ok(&[2, 0x26, 0x05][..]));
}

#[test]
fn every_text_comes_back_in_every_wide_set_even_what_looks_like_a_mark() {
    let texts =
        ["", "a", "\u{feff}", "\u{feff}a", "\u{fffe}", "\u{fffe}a", "a\u{feff}", "\u{1f980}"];
    for set in [CodeSet::Utf16, CodeSet::Ucs2, CodeSet::Ucs4] {
        for text in texts.map(WString::from) {
            if set == CodeSet::Ucs2 && text.contains('\u{1f980}') {
                continue;
            }
            let [units, octets] = in_set(&text, set).map(Result::unwrap);
            assert_eq!(from_set(&units, set, WideFormat::Units).as_ref(), Ok(&text), "{set}");
            assert_eq!(from_set(&octets, set, WideFormat::Octets).as_ref(), Ok(&text), "{set}");
            let mut characters = text.chars();
            if let (Some(character), None) = (characters.next(), characters.next())
                && character.len_utf16() == 1
            {
                let [units, octets] = in_set(&character, set).map(Result::unwrap);
                assert_eq!(from_set(&units, set, WideFormat::Units), Ok(character), "{set}");
                assert_eq!(from_set(&octets, set, WideFormat::Octets), Ok(character), "{set}");
            }
        }
    }
}

#[test]
fn without_an_agreed_set_nothing_wide_is_sent_but_what_comes_is_read_as_utf_16() {
    let mut out = Encoder::new(ByteOrder::Big);
    out.set_code_sets(CodeSets::UNAGREED);
    assert_eq!(out.put_wchar('a').unwrap_err().kind, CdrErrorKind::NoWideCodeSet);
    assert_eq!(out.put_wstring("a").unwrap_err().kind, CdrErrorKind::NoWideCodeSet);
    let mut input = Decoder::new(&[2, 0, b'a'], ByteOrder::Big).with_code_sets(CodeSets::UNAGREED);
    assert_eq!(input.wchar(), Ok('a'));
}

#[test]
fn decimal_numbers_are_digits_with_a_sign_behind_them() {
    let packed = |value: &dyn Fn(&mut Encoder<'_>)| {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        value(&mut out);
        out.to_vec()
    };
    let price: Decimal<5, 2> = "123.45".parse().unwrap();
    assert_eq!(packed(&|out| out.put_decimal(price)), [0x12, 0x34, 0x5c]);
    let even: Decimal<4, 2> = "-1.5".parse().unwrap();
    assert_eq!(packed(&|out| out.put_decimal(even)), [0x00, 0x15, 0x0d]);
    let most = Decimal::<31, 0>::from_unscaled(10_i128.pow(31) - 1).unwrap();
    let octets = packed(&|out| out.put_decimal(most));
    assert_eq!(octets, [[0x99; 15].as_slice(), &[0x9c]].concat());
    assert_eq!(Decoder::new(&octets, ByteOrder::Big).decimal(), Ok(most));
    for octets in [[0x12, 0x34, 0x5f], [0x1a, 0x34, 0x5c], [0x12, 0x34, 0xd5]] {
        assert!(Decoder::new(&octets, ByteOrder::Big).decimal::<5, 2>().is_err(), "{octets:x?}");
    }
    let too_many = [0x12, 0x34, 0x5c];
    assert!(Decoder::new(&too_many, ByteOrder::Big).decimal::<4, 2>().is_err());
}

/// JacORB writes as many digits as a number has, whatever its type says.
#[test]
fn decimal_numbers_may_lack_zeroes_in_front() {
    type Price = Decimal<18, 6>;
    for (octets, unscaled) in
        [(&[0x0c][..], 0), (&[0x7d], -7), (&[0x01, 0x50, 0x00, 0x00, 0x0c], 15_000_000)]
    {
        let octets = [octets, &[0xff]].concat();
        let mut input = Decoder::new(&octets, ByteOrder::Big);
        assert_eq!(input.decimal::<18, 6>(), Ok(Price::from_unscaled(unscaled).unwrap()));
        assert_eq!(input.u8(), Ok(0xff), "what follows is aligned to nothing");
        let code = TypeCode::Fixed { digits: 18, scale: 6 };
        let any = Any::read(code, &mut Decoder::new(&octets, ByteOrder::Big)).unwrap();
        assert_eq!(any.get::<Price>(), Ok(Price::from_unscaled(unscaled)));
    }
    for octets in [&[0x12, 0x34, 0x56, 0x78, 0x90, 0x12, 0x34, 0x56, 0x78, 0x9c][..], &[0x12], &[]]
    {
        assert!(Decoder::new(octets, ByteOrder::Big).decimal::<18, 6>().is_err(), "{octets:x?}");
    }
}

#[test]
fn decimal_numbers_are_read_and_shown_as_text() {
    type Price = Decimal<5, 2>;
    for (text, unscaled, shown) in [
        ("0", 0, "0.00"),
        ("+7.5", 750, "7.50"),
        ("-0.05", -5, "-0.05"),
        (".5", 50, "0.50"),
        ("5.", 500, "5.00"),
        ("999.990", 99_999, "999.99"),
    ] {
        let price: Price = text.parse().unwrap();
        assert_eq!(price.unscaled(), unscaled);
        assert_eq!(price.to_string(), shown);
    }
    for text in ["", "-", ".", "1000", "0.001", "1e3", "1.2.3", "--1", "é"] {
        assert!(text.parse::<Price>().is_err(), "{text:?}");
    }
    assert!(Price::from_unscaled(-100_000).is_none());
    assert!("-1".parse::<Price>().unwrap() < "0.5".parse().unwrap());
}

#[test]
fn decimal_numbers_may_lie_below_one_to_the_last_of_31_digits() {
    type Tiny = Decimal<31, 31>;
    let most = Tiny::from_unscaled(10_i128.pow(31) - 1).unwrap();
    for tiny in [most, Tiny::from_unscaled(-1).unwrap(), Tiny::default()] {
        let octets = octets(&tiny, ByteOrder::Big, WideFormat::Octets).unwrap();
        assert_eq!(octets.len(), 16);
        assert_eq!(value::<Tiny>(&octets, ByteOrder::Big, WideFormat::Octets), Ok(tiny));
        assert_eq!(tiny.to_string().parse(), Ok(tiny));
    }
    assert_eq!(most.to_string(), format!("0.{}", "9".repeat(31)));
    assert!("1".parse::<Tiny>().is_err() && Tiny::from_unscaled(10_i128.pow(31)).is_none());
}

#[test]
fn nan_keeps_its_bits_and_those_that_fit_into_an_f64() {
    let payload = 0x7ff8_0000_dead_beef_u64;
    for bits in [payload, payload | 1 << 63, f64::NAN.to_bits()] {
        let long = LongDouble::from(f64::from_bits(bits));
        assert_eq!(long.to_f64().to_bits(), bits);
        let octets = octets(&long, ByteOrder::Big, WideFormat::Octets).unwrap();
        let read: LongDouble = value(&octets, ByteOrder::Big, WideFormat::Octets).unwrap();
        assert_eq!(read.to_bits(), long.to_bits());
    }
    let signaling = LongDouble::from_bits(0x7fff << 112 | 1);
    assert!(signaling.to_f64().is_nan(), "and no infinity, though none of its bits fit");
    for subnormal in [1_u128, (1 << 112) - 1] {
        assert_eq!(LongDouble::from_bits(subnormal).to_f64(), 0.0);
        let negative = LongDouble::from_bits(1 << 127 | subnormal).to_f64();
        assert!(negative == 0.0 && negative.is_sign_negative());
    }
}

#[test]
fn long_numbers_are_turned_round_as_a_whole() {
    let value = LongDouble::from_bits(0x0011_2233_4455_6677_8899_aabb_ccdd_eeff);
    let big = octets(&value, ByteOrder::Big, WideFormat::Octets).unwrap();
    let little = octets(&value, ByteOrder::Little, WideFormat::Octets).unwrap();
    assert_eq!(big, value.to_bits().to_be_bytes());
    assert_eq!(little, value.to_bits().to_le_bytes());
    for (order, octets) in [(ByteOrder::Big, big), (ByteOrder::Little, little)] {
        let read: LongDouble = self::value(&octets, order, WideFormat::Octets).unwrap();
        assert_eq!(read.to_bits(), value.to_bits());
    }
}
