//! Values of every CDR type. The first octet chooses byte order and code sets, the next eight the
//! types to read, one behind the other, from the rest.

use armilla_cdr::{
    ByteOrder, CdrResult, CodeSet, CodeSets, Decode, Decoder, Encode, Encoder, Number, WString,
    WideFormat,
};

pub(crate) fn check(data: &[u8]) {
    let [mode, types @ ..] = data else { return };
    let Some((types, octets)) = types.split_at_checked(8) else { return };
    let order = ByteOrder::from_flag(*mode);
    let code_sets = code_sets(*mode);
    let mut input = Decoder::new(octets, order).with_code_sets(code_sets);
    for number in types {
        let format = if *number & 128 == 0 { WideFormat::Octets } else { WideFormat::Units };
        input = input.with_wide_format(format);
        if value(*number, &mut input, code_sets).is_err() {
            return;
        }
    }
}

/// Bit 1 alone: ISO 8859-1 or UTF-8. Bits from 2 on: any of the others.
fn code_sets(mode: u8) -> CodeSets {
    let (narrow, wide): (Vec<_>, Vec<_>) = CodeSet::ALL.iter().partition(|set| !set.is_wide());
    let other = usize::from(mode >> 2);
    let char = match (other, mode & 2) {
        (0, 0) => CodeSet::Iso8859_1,
        (0, _) => CodeSet::Utf8,
        _ => narrow[other % narrow.len()],
    };
    CodeSets { char, wchar: Some(wide[other % wide.len()]), lone_surrogates: mode & 64 != 0 }
}

fn value(number: u8, input: &mut Decoder<'_>, code_sets: CodeSets) -> CdrResult {
    match number & 127 {
        0 => again::<u8>(input, code_sets),
        1 => again::<bool>(input, code_sets),
        2 => again::<i16>(input, code_sets),
        3 => again::<u32>(input, code_sets),
        4 => again::<i64>(input, code_sets),
        5 => input.f32().map(drop),
        6 => input.f64s(3).map(drop),
        7 => again::<String>(input, code_sets),
        8 => again::<Vec<u8>>(input, code_sets),
        9 => again::<Vec<bool>>(input, code_sets),
        10 => again::<Vec<u16>>(input, code_sets),
        11 => again::<Vec<u64>>(input, code_sets),
        12 => again::<Vec<String>>(input, code_sets),
        13 => again::<Vec<Vec<Vec<i32>>>>(input, code_sets),
        14 => again::<[u16; 5]>(input, code_sets),
        15 => again::<Vec<[u8; 3]>>(input, code_sets),
        16 => input.bounded_string(4).map(|text| assert!(text.chars().count() <= 4)),
        17 => input.bounded_octets(4).map(|octets| assert!(octets.len() <= 4)),
        18 => input.bounded_sequence::<u32>(4).map(|items| assert!(items.len() <= 4)),
        20 => again::<char>(input, code_sets),
        21 => again::<WString>(input, code_sets),
        22 => input.bounded_wstring(4).map(|text| assert!(text.chars().count() <= 4)),
        23 => lent::<u16>(input),
        24 => lent::<u64>(input),
        _ => {
            let mut inner = input.encapsulation()?;
            inner.string()?;
            Ok(())
        }
    }
}

/// Reads a sequence of numbers, which is the same where it is borrowed.
fn lent<T: Number + PartialEq + core::fmt::Debug>(input: &mut Decoder<'_>) -> CdrResult {
    let mut copied = input.clone();
    let (numbers, copy) = (input.borrowed_sequence::<T>(None), copied.sequence::<T>());
    assert_eq!(numbers.as_deref(), copy.as_deref());
    assert!(numbers.is_err() || input.position() == copied.position());
    numbers.map(drop)
}

/// Reads a value. One that was understood is written again, and must be understood the same.
fn again<T>(input: &mut Decoder<'_>, code_sets: CodeSets) -> CdrResult
where
    T: Encode + for<'a> Decode<'a> + PartialEq + core::fmt::Debug,
{
    let value = T::decode(input)?;
    let mut out = Encoder::new(input.order());
    out.set_code_sets(code_sets);
    out.set_wide_format(input.wide_format());
    match value.encode(&mut out) {
        Ok(()) => {}
        // EUC-JP has characters that are read but not written: JIS X 0212.
        Err(error) if code_sets.char == CodeSet::EucJp && error.is_conversion() => return Ok(()),
        Err(error) => panic!("{value:?} cannot be written again: {error}"),
    }
    let octets = out.to_vec();
    let written = Decoder::new(&octets, input.order()).with_code_sets(code_sets);
    let mut written = written.with_wide_format(input.wide_format());
    assert_eq!(T::decode(&mut written).as_ref(), Ok(&value));
    assert_eq!(written.remaining(), 0);
    Ok(())
}
