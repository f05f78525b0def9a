//! The verification trailer.

use armilla_dcerpc::pdu::{Verification, VerificationError};
use armilla_dcerpc::{ByteOrder::Little, SyntaxId};

const INTERFACE: SyntaxId = SyntaxId::literal("99fcfec4-5260-101b-bbcb-00aa0021347a", 0, 0);
const SENT: Verification = Verification {
    header_signing: true,
    context: Some((INTERFACE, SyntaxId::NDR)),
    request: Some((7, 1, 5)),
};

fn stub(length: usize, sent: Verification) -> Vec<u8> {
    let mut stub = vec![1; length];
    sent.append(&mut stub, Little);
    stub
}

#[test]
fn it_is_found_behind_any_stub() {
    for length in 0..40 {
        let found = Verification::find(&stub(length, SENT)).unwrap();
        assert_eq!(found, Some((length.next_multiple_of(4), SENT)));
    }
    assert_eq!(Verification::find(&[1; 64]), Ok(None));
    assert_eq!(Verification::find(&[]), Ok(None));
    let short = Verification { context: None, request: None, ..SENT };
    assert_eq!(stub(0, short).len(), 16);
}

#[test]
fn octets_that_look_like_it_within_a_stub_are_none() {
    let mut octets = stub(8, SENT);
    octets.push(0);
    assert_eq!(Verification::find(&octets), Ok(None));
}

#[test]
fn what_differs_is_refused() {
    let context = (INTERFACE, SyntaxId::NDR);
    assert_eq!(SENT.check(true, context, (7, 1, 5)), Ok(()));
    assert_eq!(SENT.check(false, context, (7, 1, 5)), Err(VerificationError::HeaderSigning));
    let other = (SyntaxId::NDR, SyntaxId::NDR);
    assert_eq!(SENT.check(true, other, (7, 1, 5)), Err(VerificationError::Context));
    assert_eq!(SENT.check(true, context, (7, 1, 6)), Err(VerificationError::Header));
}

#[test]
fn an_unknown_command_that_must_be_understood_is_refused() {
    let mut octets = stub(0, Verification { context: None, request: None, ..SENT });
    octets[8..10].copy_from_slice(&[9, 0xc0]);
    assert_eq!(Verification::find(&octets), Err(VerificationError::UnknownCommand(9)));
    octets[9] = 0x40;
    assert!(matches!(Verification::find(&octets), Ok(Some(_))));
}
