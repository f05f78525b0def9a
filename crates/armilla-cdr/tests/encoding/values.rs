//! Every kind of value: what octets it becomes, and that it comes back.

use armilla_cdr::{ByteOrder, CdrErrorKind, CdrResult, CodeSet, Decode, Decoder, Encode, Encoder};
use core::fmt::Debug;

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

fn encoded(order: ByteOrder, fill: impl FnOnce(&mut Encoder<'_>) -> CdrResult) -> Vec<u8> {
    let mut out = Encoder::new(order);
    fill(&mut out).unwrap();
    out.to_vec()
}

/// Writes and reads a value behind `before` octets, in both orders.
fn round_trip<T>(value: &T)
where
    T: Encode + for<'a> Decode<'a> + PartialEq + Debug,
{
    for (order, before) in ORDERS.iter().flat_map(|order| (0..8).map(|before| (*order, before))) {
        let mut out = Encoder::new(order);
        out.copy_raw(&[0xaa; 8][..before]);
        value.encode(&mut out).unwrap();
        let octets = out.to_vec();
        assert_eq!(octets.len(), out.len());
        let mut input = Decoder::at(&octets, before, order);
        assert_eq!(T::decode(&mut input).as_ref(), Ok(value), "behind {before} octets, {order:?}");
        assert_eq!(input.remaining(), 0);
        for length in before..octets.len() {
            let mut input = Decoder::at(&octets[..length], before, order);
            assert!(T::decode(&mut input).is_err(), "{value:?} cut to {length}");
        }
    }
}

#[test]
fn numbers_at_their_extremes_come_back_from_any_position() {
    for value in [0, 1, 0x7f, 0xff] {
        round_trip::<u8>(&value);
    }
    for value in [false, true] {
        round_trip(&value);
    }
    macro_rules! extremes {
        ($($ty:ty),*) => {$(
            for value in [<$ty>::MIN, <$ty>::MAX, 1 as $ty, 0 as $ty] {
                round_trip(&value);
                round_trip(&vec![value; 3]);
                round_trip(&[value, value]);
            }
        )*};
    }
    extremes!(i16, u16, i32, u32, i64, u64, f32, f64);
    round_trip(&[f64::INFINITY, f64::NEG_INFINITY, f64::EPSILON, -0.0]);
    let octets = encoded(ByteOrder::Little, |out| f64::NAN.encode(out));
    assert!(Decoder::new(&octets, ByteOrder::Little).f64().unwrap().is_nan());
}

#[test]
fn sequences_of_everything_come_back() {
    round_trip(&Vec::<u64>::new());
    round_trip(&vec![true, false, true]);
    round_trip(&vec![1_u8, 2, 3]);
    round_trip(&vec![String::new(), "a".into(), "Bär".into()]);
    round_trip(&vec![vec![1_i32], vec![], vec![2, 3]]);
    round_trip(&vec![[1_u16, 2, 3], [4, 5, 6]]);
}

#[test]
fn each_value_lies_where_the_specification_puts_it() {
    let fill = |out: &mut Encoder<'_>| {
        out.put_u8(1);
        out.put_i16(-2);
        out.put_bool(true);
        out.put_i32(3);
        out.put_u8(4);
        out.put_f64(1.0);
        out.put_string("hi")
    };
    let big = b"\x01\0\xff\xfe\x01\0\0\0\0\0\0\x03\x04\0\0\0\x3f\xf0\0\0\0\0\0\0\0\0\0\x03hi\0";
    let little = b"\x01\0\xfe\xff\x01\0\0\0\x03\0\0\0\x04\0\0\0\0\0\0\0\0\0\xf0\x3f\x03\0\0\0hi\0";
    assert_eq!(encoded(ByteOrder::Big, fill), big);
    assert_eq!(encoded(ByteOrder::Little, fill), little);
}

#[test]
fn an_empty_sequence_of_wide_numbers_has_no_padding_behind_its_length() {
    let octets = encoded(ByteOrder::Big, |out| {
        out.put_sequence::<f64>(&[])?;
        out.put_u8(1);
        Ok(())
    });
    assert_eq!(octets, [0, 0, 0, 0, 1]);
    let mut input = Decoder::new(&octets, ByteOrder::Big);
    assert_eq!((input.sequence::<f64>(), input.u8()), (Ok(vec![]), Ok(1)));
}

#[test]
fn strings_travel_in_the_code_set_of_the_connection() {
    let encode = |text: &str, code_set| {
        let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::Big, code_set);
        out.put_string(text).map(|()| out.to_vec())
    };
    let latin = encode("Bär", CodeSet::Iso8859_1).unwrap();
    let utf8 = encode("Bär", CodeSet::Utf8).unwrap();
    assert_eq!(
        (&latin[..], &utf8[..]),
        (&b"\0\0\0\x04B\xe4r\0"[..], &b"\0\0\0\x05B\xc3\xa4r\0"[..])
    );
    let decode = |octets: &[u8], code_set| {
        let mut input = Decoder::new(octets, ByteOrder::Big).with_code_set(code_set);
        input.string().map(String::from)
    };
    assert_eq!(decode(&latin, CodeSet::Iso8859_1).unwrap(), "Bär");
    assert_eq!(decode(&utf8, CodeSet::Utf8).unwrap(), "Bär");
    assert_eq!(decode(&utf8, CodeSet::Iso8859_1).unwrap(), "BÃ¤r", "never an error");

    let error = encode("€", CodeSet::Iso8859_1).unwrap_err();
    assert_eq!(error.kind, CdrErrorKind::NotInCodeSet('€', CodeSet::Iso8859_1));
    let error = decode(&latin, CodeSet::Utf8).unwrap_err();
    assert_eq!(error.kind, CdrErrorKind::Malformed(CodeSet::Utf8));
    assert!(error.is_conversion());
}

#[test]
fn a_string_has_one_nul_and_that_at_its_end() {
    let decode = |octets: &[u8]| Decoder::new(octets, ByteOrder::Big).string().map(String::from);
    assert_eq!(decode(b"\0\0\0\x01\0").unwrap(), "");
    assert_eq!(decode(b"\0\0\0\0").unwrap(), "", "some ORBs send the empty string so");
    assert_eq!(decode(b"\0\0\0\x02ab").unwrap_err().kind, CdrErrorKind::MissingNul);
    assert_eq!(decode(b"\0\0\0\x03\0b\0").unwrap_err().kind, CdrErrorKind::EmbeddedNul);
    let mut out = Encoder::new(ByteOrder::Big);
    assert_eq!(out.put_string("a\0b").unwrap_err().kind, CdrErrorKind::EmbeddedNul);
}

#[test]
fn bounds_are_checked_at_both_ends() {
    let mut out = Encoder::new(ByteOrder::Big);
    assert!(out.put_bounded_sequence(&[1_u32, 2], 2).is_ok());
    assert!(out.put_bounded_sequence(&[1_u32, 2, 3], 2).is_err());
    let octets = encoded(ByteOrder::Big, |out| out.put_sequence(&[1_u8, 2, 3]));
    let input = || Decoder::new(&octets, ByteOrder::Big);
    assert_eq!(input().bounded_octets(3), Ok(&[1, 2, 3][..]));
    assert_eq!(input().bounded_sequence::<u8>(3), Ok(vec![1, 2, 3]));
    let exceeded = CdrErrorKind::BoundExceeded { bound: 2, length: 3 };
    assert_eq!(input().bounded_octets(2).unwrap_err().kind, exceeded);
    assert_eq!(input().bounded_sequence::<u8>(2).unwrap_err().kind, exceeded);
    assert_eq!(input().bounded_sequence_with(2, Decoder::u8).unwrap_err().kind, exceeded);
    let text = encoded(ByteOrder::Big, |out| out.put_string("abc"));
    let input = || Decoder::new(&text, ByteOrder::Big);
    assert_eq!(input().bounded_string(3).unwrap(), "abc");
    assert_eq!(input().bounded_string(2).unwrap_err().kind, exceeded);
}

#[test]
fn large_payloads_are_lent_and_stand_in_their_place() {
    let payloads: Vec<Vec<u8>> = (0..6).map(|number| vec![number; 20_000]).collect();
    for order in ORDERS {
        let mut out = Encoder::new(order);
        let mut plain = Encoder::new(order);
        for payload in &payloads {
            out.put_sequence(payload).unwrap();
            plain.copy_octets(payload).unwrap();
            out.put_u16(7);
            plain.put_u16(7);
        }
        assert!(out.as_contiguous().is_none());
        assert_eq!(out.len(), plain.len());
        let lent = |part: &[u8]| payloads.iter().any(|payload| payload.as_ptr() == part.as_ptr());
        assert_eq!(out.parts().filter(|part| lent(part)).count(), 4, "then they are copied");
        let whole: Vec<u8> = out.parts().flatten().copied().collect();
        assert!(whole == plain.to_vec() && whole == out.to_vec());
        let mut input = Decoder::new(&whole, order);
        for payload in &payloads {
            assert!(input.octets().unwrap() == payload);
            assert_eq!(input.u16(), Ok(7));
        }
        out.truncate(4);
        assert_eq!(out.as_contiguous().map(<[u8]>::len), Some(4));
    }
}

#[test]
fn an_encapsulation_is_aligned_from_its_own_start_and_has_its_own_order() {
    for order in ORDERS {
        let octets = encoded(order, |out| {
            out.put_u8(9);
            out.put_encapsulation(|inner| {
                inner.put_f64(0.5);
                Ok(())
            })
        });
        assert_eq!((octets.len(), octets[8]), (24, order.flag()));
        let mut input = Decoder::at(&octets, 1, order);
        assert_eq!(input.encapsulation().unwrap().f64(), Ok(0.5));
        assert_eq!(input.remaining(), 0);
    }
    let other = b"\0\0\0\x08\x01\0\0\0\x05\0\0\0";
    let mut input = Decoder::new(other, ByteOrder::Big).encapsulation().unwrap();
    assert_eq!(input.u32(), Ok(5));
    assert!(Decoder::new(b"\0\0\0\0", ByteOrder::Big).encapsulation().is_err());
}

#[test]
fn a_length_that_the_octets_do_not_justify_is_refused_at_once() {
    let octets = [0xff; 32];
    for order in ORDERS {
        let input = || Decoder::new(&octets, order);
        assert!(input().sequence::<u8>().is_err());
        assert!(input().sequence::<f64>().is_err());
        assert!(input().sequence::<String>().is_err());
        assert!(input().sequence::<[u64; 100]>().is_err());
        assert!(input().octets().is_err() && input().string().is_err());
        assert!(input().u64s(usize::MAX).is_err() && input().raw(usize::MAX).is_err());
    }
    let claims = [&[0, 0, 0, 20][..], &[0; 20]].concat();
    assert!(
        Decoder::new(&claims, ByteOrder::Big).sequence::<f64>().is_err(),
        "room for octets only"
    );
}

#[test]
fn booleans_are_zero_or_one() {
    let octets = [0, 0, 0, 3, 1, 0, 2];
    let error = CdrErrorKind::InvalidBoolean(2);
    assert_eq!(Decoder::at(&octets, 6, ByteOrder::Big).bool().unwrap_err().kind, error);
    let list = Decoder::new(&octets, ByteOrder::Big).sequence::<bool>();
    assert_eq!(list.unwrap_err().kind, error);
}

#[test]
fn values_nest_as_deep_as_the_limit() {
    fn nest(input: &mut Decoder<'_>, depth: u16) -> CdrResult {
        match depth {
            0 => Ok(()),
            depth => input.nested(|input| nest(input, depth - 1)),
        }
    }
    let mut input = Decoder::new(&[], ByteOrder::Big);
    assert_eq!(nest(&mut input, armilla_cdr::DEPTH_LIMIT), Ok(()));
    let limit = armilla_cdr::DEPTH_LIMIT;
    assert_eq!(nest(&mut input, limit + 1).unwrap_err().kind, CdrErrorKind::TooDeep { limit });
    assert_eq!(nest(&mut input, limit), Ok(()), "an error leaves the depth as it was");
}

/// As generated code has a struct that contains itself.
#[derive(Debug)]
struct Large {
    _room: [u8; 30_000],
    _below: Vec<Self>,
}

impl<'a> Decode<'a> for Large {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self { _room: Decode::decode(input)?, _below: Decode::decode(input)? })
    }
}

#[test]
fn large_values_nest_only_as_deep_as_there_is_room_on_the_stack() {
    let nested = |levels| {
        let level = [&[0; 30_000][..], &[0, 0, 0, 1]].concat();
        [level.repeat(levels), vec![0; 30_004]].concat()
    };
    assert!(Large::decode(&mut Decoder::new(&nested(3), ByteOrder::Big)).is_ok());
    let error = Large::decode(&mut Decoder::new(&nested(250), ByteOrder::Big)).unwrap_err();
    assert!(error.to_string().contains("stack"), "{error}");
}
