//! Values of every CDR type. The first octet chooses byte order and code set, the next eight the
//! types to read, one behind the other, from the rest.

use armilla_cdr::{ByteOrder, CdrResult, CodeSet, Decode, Decoder, Encode, Encoder};

pub(crate) fn check(data: &[u8]) {
    let [mode, types @ ..] = data else { return };
    let Some((types, octets)) = types.split_at_checked(8) else { return };
    let order = ByteOrder::from_flag(*mode);
    let code_set = if mode & 2 == 0 { CodeSet::Iso8859_1 } else { CodeSet::Utf8 };
    let mut input = Decoder::new(octets, order).with_code_set(code_set);
    for number in types {
        if value(*number, &mut input, code_set).is_err() {
            return;
        }
    }
}

fn value(number: u8, input: &mut Decoder<'_>, code_set: CodeSet) -> CdrResult {
    match number % 20 {
        0 => again::<u8>(input, code_set),
        1 => again::<bool>(input, code_set),
        2 => again::<i16>(input, code_set),
        3 => again::<u32>(input, code_set),
        4 => again::<i64>(input, code_set),
        5 => input.f32().map(drop),
        6 => input.f64s(3).map(drop),
        7 => again::<String>(input, code_set),
        8 => again::<Vec<u8>>(input, code_set),
        9 => again::<Vec<bool>>(input, code_set),
        10 => again::<Vec<u16>>(input, code_set),
        11 => again::<Vec<u64>>(input, code_set),
        12 => again::<Vec<String>>(input, code_set),
        13 => again::<Vec<Vec<Vec<i32>>>>(input, code_set),
        14 => again::<[u16; 5]>(input, code_set),
        15 => again::<Vec<[u8; 3]>>(input, code_set),
        16 => input.bounded_string(4).map(|text| assert!(text.chars().count() <= 4)),
        17 => input.bounded_octets(4).map(|octets| assert!(octets.len() <= 4)),
        18 => input.bounded_sequence::<u32>(4).map(|items| assert!(items.len() <= 4)),
        _ => {
            let mut inner = input.encapsulation()?;
            inner.string()?;
            Ok(())
        }
    }
}

/// Reads a value. One that was understood is written again, and must be understood the same.
fn again<T>(input: &mut Decoder<'_>, code_set: CodeSet) -> CdrResult
where
    T: Encode + for<'a> Decode<'a> + PartialEq + core::fmt::Debug,
{
    let value = T::decode(input)?;
    let mut out = Encoder::with_buffer(Vec::new(), input.order(), code_set);
    value.encode(&mut out).unwrap();
    let octets = out.to_vec();
    let mut written = Decoder::new(&octets, input.order()).with_code_set(code_set);
    assert_eq!(T::decode(&mut written).as_ref(), Ok(&value));
    assert_eq!(written.remaining(), 0);
    Ok(())
}
