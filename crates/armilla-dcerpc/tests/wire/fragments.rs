//! Calls that are larger than one PDU.

use armilla_dcerpc::pdu::{Flags, Fragment, Limits, Reassembly, fragments};
use proptest::prelude::*;

const LIMITS: Limits = Limits { stub: 100, total: 150, calls: 3 };

proptest! {
    #[test]
    fn a_stub_comes_back_from_its_parts(
        stub in proptest::collection::vec(any::<u8>(), 0..2000), room in 1usize..500,
    ) {
        let mut reassembly = Reassembly::new(Limits::default());
        let parts: Vec<_> = fragments(&stub, room).collect();
        for (index, (flags, left, part)) in parts.iter().enumerate() {
            prop_assert!(part.len() % 8 == 0 || index + 1 == parts.len());
            prop_assert!(part.len() <= room.max(8));
            let done = reassembly.receive(1, *flags, (), part).unwrap();
            match done {
                Some(((), whole)) => prop_assert_eq!((index + 1, whole), (parts.len(), stub.clone())),
                None => prop_assert!(index + 1 < parts.len() && *left > 0),
            }
        }
        prop_assert!(!reassembly.is_partial());
    }
}

#[test]
fn calls_may_interleave() {
    let mut reassembly = Reassembly::new(LIMITS);
    let none = Flags::default();
    assert_eq!(reassembly.receive(1, Flags::FIRST, 'a', b"1"), Ok(None));
    assert_eq!(reassembly.receive(2, Flags::FIRST, 'b', b"x"), Ok(None));
    assert_eq!(reassembly.receive(1, none, 'a', b"2"), Ok(None));
    assert_eq!(reassembly.receive(2, Flags::LAST, 'b', b"y"), Ok(Some(('b', b"xy".to_vec()))));
    assert_eq!(reassembly.receive(1, Flags::LAST, 'a', b"3"), Ok(Some(('a', b"123".to_vec()))));
}

#[test]
fn a_misplaced_fragment_is_refused() {
    let mut reassembly = Reassembly::new(LIMITS);
    assert_eq!(reassembly.receive(1, Flags::LAST, 'a', b""), Err(Fragment::Misplaced));
    reassembly.receive(1, Flags::FIRST, 'a', b"").unwrap();
    assert_eq!(reassembly.receive(1, Flags::FIRST, 'a', b""), Err(Fragment::Misplaced));
    reassembly.receive(1, Flags::FIRST, 'a', b"").unwrap();
    assert_eq!(reassembly.receive(1, Flags::LAST, 'b', b""), Err(Fragment::Different));
}

#[test]
fn limits_hold_for_one_call_and_for_all() {
    let mut reassembly = Reassembly::new(LIMITS);
    let part = [0; 60];
    reassembly.receive(1, Flags::FIRST, (), &part).unwrap();
    assert_eq!(reassembly.receive(1, Flags::LAST, (), &part), Err(Fragment::TooLarge));
    reassembly.receive(2, Flags::FIRST, (), &part).unwrap();
    reassembly.receive(3, Flags::FIRST, (), &part).unwrap();
    assert_eq!(reassembly.receive(4, Flags::FIRST, (), &part), Err(Fragment::TooLarge));
    reassembly.receive(5, Flags::FIRST, (), &[]).unwrap();
    assert_eq!(reassembly.receive(6, Flags::FIRST, (), &[]), Err(Fragment::TooMany));
    assert!(reassembly.abandon(2) && !reassembly.abandon(2));
    reassembly.receive(6, Flags::FIRST, (), &part).unwrap();
}
