//! Any type and any value of it: what is read is what was written, in both byte orders, at every
//! alignment, and from one byte order into the other.

#[path = "../random/deep.rs"]
mod deep;
use crate::random;
use armilla_cdr::{Any, ByteOrder, CdrErrorKind, Decode, Decoder, Encode, Encoder, TypeCode};
use proptest::prelude::*;
use random::{encoded, message, types};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn types_survive_the_wire(code in types(), before in 0..8_usize) {
        for order in ORDERS {
            let octets = encoded(&code, order, before);
            let mut input = Decoder::at(&octets, before, order);
            prop_assert_eq!(&TypeCode::decode(&mut input).unwrap(), &code);
            prop_assert_eq!(input.remaining(), 0);
        }
        prop_assert!(code.compact().is_equivalent(&code));
        prop_assert!(encoded(&code.compact(), ByteOrder::Big, 0).len()
            <= encoded(&code, ByteOrder::Big, 0).len());
    }

    #[test]
    fn values_survive_the_wire(code in types(), seed in 1..u64::MAX, before in 0..8_usize) {
        let mut anys = Vec::new();
        for order in ORDERS {
            let sent = message(&code, seed, order, before);
            let mut input = Decoder::at(&sent, before, order);
            let any = Any::decode(&mut input).unwrap();
            prop_assert_eq!(input.remaining(), 0);
            prop_assert_eq!(encoded(&any, order, before), sent, "{:?}", order);
            anys.push(any);
        }
        prop_assert_eq!(&anys[0], &anys[1]);
        // From each order into the other, at another place, as part of another any.
        for (order, other) in [(ByteOrder::Big, 0), (ByteOrder::Little, 1)] {
            let outer = Any::new(&anys[other]).unwrap();
            let octets = encoded(&outer, order, before + 3);
            let again = Any::decode(&mut Decoder::at(&octets, before + 3, order)).unwrap();
            prop_assert_eq!(&again.get::<Any>().unwrap().unwrap(), &anys[other]);
        }
    }

    #[test]
    fn damage_is_an_error_or_another_value(
        code in types(), seed in 1..u64::MAX, bit in 0..1_000_000_usize
    ) {
        let mut octets = message(&code, seed, ByteOrder::Little, 0);
        let bit = bit % (8 * octets.len());
        octets[bit / 8] ^= 1 << (bit % 8);
        if let Ok(any) = Any::decode(&mut Decoder::new(&octets, ByteOrder::Little)) {
            // The damage may have made a value that nobody can read, and so nobody convert.
            let refused = any.encode(&mut Encoder::new(ByteOrder::Big)).err();
            let kind = refused.map_or(CdrErrorKind::OtherByteOrder, |refused| refused.kind);
            prop_assert_eq!(kind, CdrErrorKind::OtherByteOrder);
        }
    }
}

#[test]
fn values_nest_as_deep_as_the_limit_on_little_stack_and_no_deeper() {
    deep::with_little_stack(|| {
        let read = |octets: &[u8]| Any::decode(&mut Decoder::new(octets, ByteOrder::NATIVE));
        for (code, octets) in deep::messages(254) {
            let any = read(&octets).unwrap_or_else(|error| panic!("{error}: {code:?}"));
            assert_eq!(encoded(&any, ByteOrder::NATIVE, 0), octets, "{code:?}");
            assert_eq!(any.clone(), any);
            encoded(&any, ORDERS[0], 1);
            encoded(&any, ORDERS[1], 1);
        }
        for (code, octets) in deep::messages(200_000) {
            let refused = read(&octets).unwrap_err();
            assert_eq!(refused.kind, CdrErrorKind::TooDeep { limit: 256 }, "{code:?}");
        }
    });
}
