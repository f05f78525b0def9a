//! Many numbers at once: not copied where they lie in memory as they travel, and the same for who
//! reads them wherever they lie.

use armilla_cdr::{
    Any, ByteOrder, CdrErrorKind, Decoder, Encode, Encoder, FragmentedOctets, Number, TypeCode,
};
use std::borrow::Cow;
use std::fmt::Debug;

const NATIVE: ByteOrder = ByteOrder::NATIVE;
const OTHER: ByteOrder = match NATIVE {
    ByteOrder::Little => ByteOrder::Big,
    ByteOrder::Big => ByteOrder::Little,
};

/// `octets` from a multiple of eight on, and `shift` octets behind one.
fn shifted<R>(octets: &[u8], shift: usize, read: impl FnOnce(&[u8]) -> R) -> R {
    let mut memory = vec![0_u64; octets.len() / 8 + 3];
    let place: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
    let place = &mut place[shift..shift + octets.len()];
    place.copy_from_slice(octets);
    read(place)
}

fn travel<T: Number + Encode + PartialEq + Debug>(of: impl Fn(u16) -> T, size: usize) {
    for count in [0, 1, 7, 100, 20_000] {
        let numbers: Vec<T> = (0..count).map(&of).collect();
        let mut encoded = Vec::new();
        for order in [NATIVE, OTHER] {
            let mut out = Encoder::new(order);
            out.put_u8(9);
            out.put_sequence(&numbers).unwrap();
            out.put_u8(10);
            let borrowed = out.as_contiguous().is_none();
            assert_eq!(borrowed, order == NATIVE && count as usize * size >= 16 * 1024);
            encoded.push(out.to_vec());
        }
        for (order, octets) in [NATIVE, OTHER].into_iter().zip(&encoded) {
            for shift in 0..8 {
                shifted(octets, shift, |octets| {
                    let mut input = Decoder::new(octets, order);
                    assert_eq!(input.u8(), Ok(9));
                    let read = input.borrowed_sequence::<T>(None).unwrap();
                    let lent = order == NATIVE && shift % align_of::<T>() == 0 && count > 0;
                    assert_eq!(matches!(read, Cow::Borrowed(_)), lent, "{count} at {shift}");
                    assert_eq!((&read[..], input.u8()), (&numbers[..], Ok(10)));
                    assert_eq!(input.remaining(), 0);
                });
            }
        }
    }
}

#[test]
fn numbers_of_every_size_arrive_and_are_copied_only_where_they_must_be() {
    travel(|n| n as i8, 1);
    travel(|n| n as i16, 2);
    travel(|n| n, 2);
    travel(|n| -i32::from(n), 4);
    travel(u32::from, 4);
    travel(|n| i64::from(n) << 40, 8);
    travel(|n| u64::from(n) << 40, 8);
    travel(|n| f32::from(n) / 3.0, 4);
    travel(|n| f64::from(n) / 3.0, 8);
}

#[test]
fn a_borrowed_sequence_is_as_long_as_its_bound_and_as_its_octets_allow() {
    let mut out = Encoder::new(NATIVE);
    out.put_sequence(&[0.5_f64, 1.5, 2.5]).unwrap();
    let octets = out.to_vec();
    shifted(&octets, 0, |octets| {
        let read = |bound| Decoder::new(octets, NATIVE).borrowed_sequence::<f64>(bound);
        assert_eq!(read(Some(3)).as_deref(), Ok(&[0.5, 1.5, 2.5][..]));
        let error = read(Some(2)).unwrap_err();
        assert_eq!(error.kind, CdrErrorKind::BoundExceeded { bound: 2, length: 3 });
        for end in 0..octets.len() {
            assert!(Decoder::new(&octets[..end], NATIVE).borrowed_sequence::<f64>(None).is_err());
        }
    });
    let endless = [u32::MAX.to_ne_bytes(), [0; 4]].concat();
    assert!(Decoder::new(&endless, NATIVE).borrowed_sequence::<f64>(None).is_err());
    assert!(Decoder::new(&endless, NATIVE).borrowed_numbers::<f64>(usize::MAX).is_err());
}

#[test]
fn an_empty_sequence_needs_no_padding_behind_its_length() {
    let mut input = Decoder::new(&[0; 4], NATIVE);
    assert_eq!(input.borrowed_sequence::<f64>(None).as_deref(), Ok(&[][..]));
    assert_eq!(input.remaining(), 0);
}

#[test]
fn numbers_on_both_sides_of_a_seam_are_put_together() {
    let numbers = [1_u32, 2, 3];
    let octets = bytemuck::cast_slice::<u32, u8>(&numbers);
    let mut pieces = FragmentedOctets::new([&3_u32.to_ne_bytes()[..], &octets[..6]].concat(), 0);
    pieces.push(&octets[6..]);
    let mut input = pieces.decoder(0, NATIVE);
    assert_eq!(input.borrowed_sequence::<u32>(None).as_deref(), Ok(&numbers[..]));
    assert_eq!(input.remaining(), 0);
}

#[test]
fn an_any_lends_its_numbers_and_turns_them_round_for_the_other_order() {
    let longs: Vec<i32> = (0..10_000).collect();
    let doubles: Vec<f64> = longs.iter().map(|n| f64::from(*n) / 7.0).collect();
    let any = |element, fill: &dyn Fn(&mut Encoder<'_>)| {
        let mut out = Encoder::new(NATIVE);
        fill(&mut out);
        let octets = out.to_vec();
        let code = TypeCode::sequence(element, 0);
        Any::read(code, &mut Decoder::new(&octets, NATIVE)).unwrap()
    };
    let of_longs = any(TypeCode::Long, &|out| longs.encode_copy(out));
    let of_doubles = any(TypeCode::Double, &|out| doubles.encode_copy(out));
    let empty = any(TypeCode::Double, &|out| out.put_u32(0));
    for order in [NATIVE, OTHER] {
        let mut out = Encoder::new(order);
        out.put_u8(1);
        for any in [&of_longs, &of_doubles, &empty] {
            any.write_borrowed(&mut out).unwrap();
        }
        assert_eq!(out.as_contiguous().is_none(), order == NATIVE);
        let octets = out.to_vec();
        let mut input = Decoder::new(&octets, order);
        assert_eq!(input.u8(), Ok(1));
        assert_eq!(input.sequence::<i32>().as_ref(), Ok(&longs));
        assert_eq!(input.sequence::<f64>().as_ref(), Ok(&doubles));
        assert_eq!((input.sequence::<f64>(), input.remaining()), (Ok(Vec::new()), 0));
    }
}

/// Sequences that an encoder which outlives them takes.
trait EncodeCopy {
    fn encode_copy(&self, out: &mut Encoder<'_>);
}

impl EncodeCopy for Vec<i32> {
    fn encode_copy(&self, out: &mut Encoder<'_>) {
        out.put_length(self.len()).unwrap();
        out.copy_i32s(self);
    }
}

impl EncodeCopy for Vec<f64> {
    fn encode_copy(&self, out: &mut Encoder<'_>) {
        out.put_length(self.len()).unwrap();
        out.copy_f64s(self);
    }
}
