//! Once a context is established: nothing can be changed, repeated, left out or reordered.

use crate::handshake::{client, server};
use armilla_dcerpc::security::{Message, SecurityContext, SecurityError};
use proptest::prelude::*;

/// The octets of a text in hexadecimal, with spaces.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

type Context = Box<dyn SecurityContext>;

/// Client and server, established; `back` swaps them: sender and receiver.
fn pair(back: bool) -> (Context, Context) {
    let (mut client, mut server) = (client("operator", "secret"), server());
    let negotiate = client.step(&[]).unwrap().token.unwrap();
    let challenge = server.step(&negotiate).unwrap().token.unwrap();
    let authenticate = client.step(&challenge).unwrap().token.unwrap();
    server.step(&authenticate).unwrap();
    let (client, server): (Context, Context) = (Box::new(client), Box::new(server));
    if back { (server, client) } else { (client, server) }
}

fn protect(sender: &mut Context, pdu: &[u8], privacy: bool) -> (Vec<u8>, Vec<u8>) {
    let mut pdu = pdu.to_vec();
    let stub = 4..pdu.len() - 4;
    let message = Message { pdu: &mut pdu, stub, privacy, header_signing: false };
    let signature = sender.protect(message).unwrap();
    (pdu, signature)
}

fn unprotect(
    receiver: &mut Context,
    (pdu, signature): &(Vec<u8>, Vec<u8>),
    privacy: bool,
) -> Result<Vec<u8>, SecurityError> {
    let mut pdu = pdu.clone();
    let stub = 4..pdu.len() - 4;
    let message = Message { pdu: &mut pdu, stub, privacy, header_signing: false };
    receiver.unprotect(message, signature).map(|()| pdu)
}

proptest! {
    #[test]
    fn any_flipped_bit_is_refused(
        pdu in proptest::collection::vec(any::<u8>(), 8..200),
        before in 0usize..3, privacy: bool, back: bool, place: prop::sample::Index, bit in 0u8..8,
    ) {
        let (mut sender, mut receiver) = pair(back);
        for _ in 0..before {
            let sent = protect(&mut sender, &pdu, privacy);
            prop_assert_eq!(unprotect(&mut receiver, &sent, privacy).unwrap(), pdu.clone());
        }
        let mut sent = protect(&mut sender, &pdu, privacy);
        let place = place.index(sent.0.len() + sent.1.len());
        match place.checked_sub(sent.0.len()) {
            None => sent.0[place] ^= 1 << bit,
            Some(place) => sent.1[place] ^= 1 << bit,
        }
        let end = unprotect(&mut receiver, &sent, privacy);
        prop_assert_eq!(end, Err(SecurityError::NotAuthentic));
        let next = protect(&mut sender, &pdu, privacy);
        let end = unprotect(&mut receiver, &next, privacy);
        prop_assert_eq!(end, Err(SecurityError::NotEstablished));
    }

    #[test]
    fn any_other_order_is_refused(
        order in Just((0..4usize).collect::<Vec<_>>()).prop_shuffle(), repeat in 0usize..4,
        privacy: bool, back: bool,
    ) {
        let (mut sender, mut receiver) = pair(back);
        let sent: Vec<_> =
            (0..4u8).map(|number| protect(&mut sender, &[number; 24], privacy)).collect();
        let mut order = order;
        order.insert(repeat, order[repeat]);
        for (expected, number) in order.into_iter().enumerate() {
            let end = unprotect(&mut receiver, &sent[number], privacy);
            prop_assert_eq!(end.is_ok(), number == expected);
            if end.is_err() {
                break;
            }
        }
    }
}

#[test]
fn what_was_sent_cannot_be_sent_back() {
    let (mut sender, mut receiver) = pair(false);
    let sent = protect(&mut sender, &[5; 24], false);
    assert_eq!(unprotect(&mut sender, &sent, false), Err(SecurityError::NotAuthentic));
    assert!(unprotect(&mut receiver, &sent, false).is_ok());
}

#[test]
fn privacy_hides_the_stub_alone() {
    let (mut sender, _) = pair(false);
    let (sealed, _) = protect(&mut sender, &[5; 24], true);
    assert_eq!((&sealed[..4], &sealed[20..]), (&[5; 4][..], &[5; 4][..]));
    assert_ne!(sealed[4..20], [5; 16]);
}

#[test]
fn before_the_handshake_nothing_is_protected() {
    let mut early: Context = Box::new(client("operator", "secret"));
    let message = Message { pdu: &mut [0; 8], stub: 0..8, privacy: true, header_signing: false };
    assert_eq!(early.protect(message), Err(SecurityError::NotEstablished));
}
