//! Fixed-size structs: the bulk encoding is that of member by member, wherever a sequence begins.

use armilla_cdr::{
    Buffer, ByteOrder, CdrErrorKind, CdrResult, CodeSets, Decode, Decoder, Encode, Encoder, Fixed,
    FragmentedOctets, Order,
};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

/// Implements the three traits for a struct as the IDL compiler does: what it computes are the
/// numbers, and the place of each member in a chunk, with the padding behind it.
macro_rules! fixed {
    ($name:ident, $align:literal, $phase:literal, $stride:literal,
     $($member:ident $ty:ident $put:ident $at:literal..$end:literal),*) => {
        #[derive(Debug, Clone, Copy, PartialEq)]
        struct $name { $($member: $ty),* }

        impl Encode for $name {
            fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
                $(out.$put(self.$member);)*
                Ok(())
            }

            fn encode_slice<'p>(items: &'p [Self], out: &mut Encoder<'p>) -> CdrResult {
                out.put_fixed(items)
            }
        }

        impl<'a> Decode<'a> for $name {
            fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
                Ok(Self { $($member: input.$ty()?),* })
            }

            fn decode_vec(input: &mut Decoder<'a>, len: usize) -> CdrResult<Vec<Self>> {
                input.fixed_vec(len)
            }
        }

        impl Fixed for $name {
            const ALIGN: usize = $align;
            const PHASE: usize = $phase;
            type Chunk = [u8; $stride];

            fn write<O: Order>(&self, chunk: &mut [u8; $stride]) {
                chunk[..[$($at),*][0]].fill(0);
                $(O::$put(chunk, $at..$end, self.$member);)*
            }

            fn read<O: Order>(chunk: &[u8; $stride]) -> CdrResult<Self> {
                Ok(Self { $($member: fixed!(@get O $ty chunk $at)),* })
            }
        }
    };
    (@get $order:ident bool $chunk:ident $at:literal) => { $order::bool($chunk, $at)? };
    (@get $order:ident $ty:ident $chunk:ident $at:literal) => { $order::$ty($chunk, $at) };
}

fixed!(
    BinStruct, 8, 0, 24,
    s i16 put_i16 0..2, c u8 put_u8 2..4, l i32 put_i32 4..8, o u8 put_u8 8..16,
    d f64 put_f64 16..24
);
fixed!(Trailing, 4, 1, 8, l u32 put_u32 3..7, o u8 put_u8 7..8);
fixed!(Flag, 2, 1, 4, s u16 put_u16 1..3, on bool put_bool 3..4);
fixed!(Octet, 1, 0, 1, o u8 put_u8 0..1);

/// Buffer that holds what must not be seen again.
fn used_buffer() -> Buffer {
    let mut out = Encoder::new(ByteOrder::Big);
    out.copy_raw(&[0xbb; 1024]);
    out.truncate(0);
    out.take_buffer()
}

/// Compares the bulk encoding behind 0 to 15 octets with that of member by member, and reads it.
fn same_as_member_by_member<T>(items: &[T])
where
    T: Fixed + Copy + PartialEq + core::fmt::Debug,
{
    for (order, before) in ORDERS.iter().flat_map(|order| (0..16).map(|before| (*order, before))) {
        let mut bulk = Encoder::with_reused_buffer(used_buffer(), order, CodeSets::UNAGREED);
        bulk.copy_raw(&[0xaa; 16][..before]);
        let mut single = Encoder::new(order);
        single.copy_raw(&[0xaa; 16][..before]);
        bulk.put_fixed(items).unwrap();
        items.iter().for_each(|item| item.encode(&mut single).unwrap());
        let octets = bulk.to_vec();
        assert_eq!(octets, single.to_vec(), "{} items behind {before} octets", items.len());
        if !items.is_empty() {
            assert_eq!(octets.len() % T::ALIGN, T::PHASE);
        }

        let mut input = Decoder::at(&octets, before, order);
        assert_eq!(input.fixed_vec::<T>(items.len()).as_deref(), Ok(items));
        assert_eq!(input.remaining(), 0);
        let mut input = Decoder::at(&octets, before, order);
        assert!(input.fixed_vec::<T>(items.len() + 1).is_err());
        assert!(Decoder::at(&octets, before, order).fixed_vec::<T>(usize::MAX).is_err());
    }
}

#[test]
fn every_start_and_every_length_gives_the_same_octets() {
    for count in [0, 1, 2, 5, 40] {
        let numbers = || 0..count;
        let bin = |n: u8| BinStruct { s: -1 - i16::from(n), c: n, l: i32::MIN, o: 0xff, d: 1e300 };
        same_as_member_by_member(&numbers().map(bin).collect::<Vec<_>>());
        let trailing = |n| Trailing { l: u32::MAX - u32::from(n), o: n };
        same_as_member_by_member(&numbers().map(trailing).collect::<Vec<_>>());
        let flag = |n: u8| Flag { s: u16::from(n) << 8, on: n.is_multiple_of(2) };
        same_as_member_by_member(&numbers().map(flag).collect::<Vec<_>>());
        same_as_member_by_member(&numbers().map(|o| Octet { o }).collect::<Vec<_>>());
    }
}

#[test]
fn a_sequence_in_bulk_is_any_sequence() {
    let items = [BinStruct { s: 1, c: 2, l: 3, o: 4, d: 5.0 }; 3];
    for order in ORDERS {
        let mut out = Encoder::new(order);
        out.put_sequence(&items).unwrap();
        let octets = out.to_vec();
        let read = |input: &mut Decoder<'_>| input.sequence::<BinStruct>();
        assert_eq!(read(&mut Decoder::new(&octets, order)).as_deref(), Ok(&items[..]));
        for length in 0..octets.len() {
            assert!(read(&mut Decoder::new(&octets[..length], order)).is_err());
        }
    }
}

#[test]
fn an_invalid_member_is_refused_in_bulk_too() {
    let mut out = Encoder::new(ByteOrder::Big);
    out.put_sequence(&[Flag { s: 0, on: true }; 50]).unwrap();
    let mut octets = out.to_vec();
    let mut refused = None;
    // From the last to the first, so that others are invalid behind each.
    for (place, octet) in (6..octets.len()).rev().step_by(4).zip(2..) {
        octets[place] = octet;
        let error = Decoder::new(&octets, ByteOrder::Big).sequence::<Flag>().unwrap_err();
        assert_eq!(error.kind, CdrErrorKind::InvalidBoolean(octet), "at {place}");
        refused = Some(place);
    }
    assert_eq!(refused, Some(6));
}

#[test]
fn a_sequence_that_arrived_in_pieces_keeps_the_alignment_of_each() {
    // Two structs in a piece that ends at a multiple of eight, and two behind a header of twelve.
    let item = BinStruct { s: 1, c: 2, l: 3, o: 4, d: 5.0 };
    let part = |count: Option<u32>| {
        let mut out = Encoder::new(ByteOrder::Big);
        out.copy_raw(&[0; 12]);
        count.into_iter().for_each(|count| out.put_u32(count));
        (0..2).for_each(|_| item.encode(&mut out).unwrap());
        out.to_vec()
    };
    let mut pieces = FragmentedOctets::new(part(Some(4)), 12);
    pieces.push(&part(None)[12..]);
    let mut input = pieces.decoder(12, ByteOrder::Big);
    assert_eq!(input.sequence::<BinStruct>(), Ok(vec![item; 4]));
    assert_eq!(input.remaining(), 0);
}
