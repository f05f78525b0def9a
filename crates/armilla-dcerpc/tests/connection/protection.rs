//! What is protected on the wire: any flipped bit, any repeated or reordered PDU is refused.

use crate::pair::{Pair, SECURED, security};
use armilla_dcerpc::client::{Call, ClientEvent};
use armilla_dcerpc::pdu::{AuthLevel, Framer};
use armilla_dcerpc::server::ServerEvent;
use proptest::prelude::*;

fn pdus(octets: &[u8]) -> Vec<Vec<u8>> {
    let mut framer = Framer::new(u16::MAX);
    framer.receive(octets);
    core::iter::from_fn(|| framer.next_pdu().unwrap().map(|(_, pdu)| pdu)).collect()
}

fn bound(privacy: bool, spnego: bool) -> Pair {
    let level = if privacy { AuthLevel::Privacy } else { AuthLevel::Integrity };
    Pair::bound(&[SECURED], security(if spnego { "spnego" } else { "ntlm" }, level))
}

/// The PDUs of a call of this size.
fn request(pair: &mut Pair, size: usize) -> Vec<Vec<u8>> {
    pair.client.call(&Call::new(SECURED, 1, &vec![7; size])).unwrap();
    pdus(&pair.client.poll_output().unwrap())
}

/// The PDUs of the answer to a call.
fn response(pair: &mut Pair, size: usize) -> Vec<Vec<u8>> {
    pair.client.call(&Call::new(SECURED, 1, b"")).unwrap();
    pair.pass();
    let call = pair.served();
    pair.server.respond(call.id, Ok(&vec![7; size])).unwrap();
    pdus(&pair.server.poll_output().unwrap())
}

/// Whether the server served a call, after these octets.
fn served(pair: &mut Pair, octets: &[u8]) -> bool {
    pair.server.receive(octets, pair.now);
    let mut served = false;
    while let Some(event) = pair.server.poll_event() {
        served |= matches!(event, ServerEvent::Call(_));
    }
    served
}

/// Whether a call of the client succeeded, after these octets.
fn answered(pair: &mut Pair, octets: &[u8]) -> bool {
    pair.client.receive(octets);
    let mut answered = false;
    while let Some(event) = pair.client.poll_event() {
        answered |= matches!(event, ClientEvent::Response { .. });
    }
    answered
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_flipped_bit_is_refused(
        size in 0usize..9000, place: prop::sample::Index, bit in 0u8..8,
        privacy: bool, spnego: bool, back: bool,
    ) {
        let mut pair = bound(privacy, spnego);
        let sent = if back { response(&mut pair, size) } else { request(&mut pair, size) };
        let mut octets = sent.concat();
        octets[place.index(sent.concat().len())] ^= 1 << bit;
        if back {
            prop_assert!(!answered(&mut pair, &octets));
        } else {
            prop_assert!(!served(&mut pair, &octets));
        }
    }

    #[test]
    fn any_other_order_of_pdus_is_refused(
        one in 0usize..4, two in 0usize..4, kind in 0..3, privacy: bool, back: bool,
    ) {
        let mut pair = bound(privacy, false);
        let mut sent =
            if back { response(&mut pair, 20_000) } else { request(&mut pair, 20_000) };
        prop_assert_eq!(sent.len(), 4);
        let whole = sent.clone();
        match kind {
            0 => sent.swap(one, two),
            1 => sent.insert(two, whole[one].clone()),
            _ => drop(sent.remove(one)),
        }
        prop_assume!(sent != whole);
        // A repeated last PDU comes after the call, and ends the connection.
        let complete = sent.starts_with(&whole);
        let end = if back {
            answered(&mut pair, &sent.concat())
        } else {
            served(&mut pair, &sent.concat())
        };
        prop_assert_eq!(end, complete);
    }
}

#[test]
fn a_repeated_call_is_refused() {
    let mut pair = bound(true, true);
    let call = request(&mut pair, 100).concat();
    assert!(served(&mut pair, &call));
    pair.server.receive(&call, pair.now);
    let event = pair.server.poll_event();
    assert!(matches!(event, Some(ServerEvent::Closed(_))), "{event:?}");
}

#[test]
fn a_call_without_its_signature_is_refused() {
    let mut pair = bound(false, false);
    let mut call = request(&mut pair, 16).concat();
    call.truncate(call.len() - 24);
    let length = (call.len() as u16).to_le_bytes();
    call[8..12].copy_from_slice(&[length[0], length[1], 0, 0]);
    assert!(!served(&mut pair, &call));
}

#[test]
fn a_fault_that_anybody_may_have_sent_ends_its_call_alone() {
    let mut pair = bound(false, false);
    let id = pair.client.call(&Call::new(SECURED, 1, b"")).unwrap();
    let mut fault = vec![5, 0, 3, 3, 0x10, 0, 0, 0, 32, 0, 0, 0];
    fault.extend(id.to_le_bytes());
    fault.extend([0; 8]);
    fault.extend([5, 0, 0, 0, 0, 0, 0, 0]);
    pair.client.receive(&fault);
    let Some(ClientEvent::Fault(fault)) = pair.client.poll_event() else { panic!() };
    assert!(!fault.authentic);
    // The true answer is still in its place, and the next call is protected.
    pair.pass();
    let call = pair.served();
    pair.server.respond(call.id, Ok(b"true")).unwrap();
    pair.pass();
    assert_eq!(pair.client.poll_event(), None);
    pair.client.call(&Call::new(SECURED, 1, b"")).unwrap();
    pair.pass();
    let call = pair.served();
    pair.server.respond(call.id, Ok(b"next")).unwrap();
    pair.pass();
    assert_eq!(pair.answer(), b"next");
}
