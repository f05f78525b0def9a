//! Requests that arrive late, in pieces, together, or in endless fragments.

use super::{NEWEST, answer, good_request, key, under_attack, under_attack_within};
use armilla::Version;
use armilla_cdr::ByteOrder;
use armilla_giop::{MessageHeader, MessageKind};
use armilla_tests::peer::{self, ORDERS, Wire, request};
use std::time::Duration;

/// Longer than the parts of a message can take to be sent, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn a_header_that_is_left_half_sent_is_waited_for_until_the_deadline() {
    under_attack(|server| {
        let good = good_request(server, NEWEST, ByteOrder::Big);
        let fragment = &peer::fragments(&good, 32)[0];
        for octets in [&b"G"[..], &good[..11], &good[..12], &good[..good.len() - 1], fragment] {
            let mut wire = Wire::connect(server.address());
            wire.send(octets);
            assert_eq!(wire.until_end(), [MessageKind::CloseConnection], "{} octets", octets.len());
        }
    });
}

#[test]
fn requests_that_drip_octet_by_octet_are_served() {
    under_attack_within(PATIENCE, |server| {
        let mut wire = Wire::connect(server.address());
        for octet in good_request(server, Version::V1_0, ByteOrder::Little) {
            assert!(wire.send(&[octet]));
        }
        assert_eq!(wire.kind(), Some(MessageKind::Reply));
    });
}

#[test]
fn many_requests_in_one_write_are_all_served() {
    under_attack(|server| {
        let one = good_request(server, Version::V1_1, ByteOrder::Big);
        assert_eq!(answer(server, &one.repeat(500)), [MessageKind::Reply; 500]);
    });
}

#[test]
fn requests_in_fragments_are_served() {
    under_attack_within(PATIENCE, |server| {
        for order in ORDERS {
            let given: Vec<u8> = (0..200_000).map(|n| n as u8).collect();
            let whole = request(NEWEST, order, &key(server), "echo_octets", |out| {
                out.copy_octets(&given)?;
                out.copy_octets(&[])
            });
            let pieces = peer::fragments(&whole, 4_096).concat();
            assert_eq!(answer(server, &pieces), [MessageKind::Reply]);
        }
    });
}

#[test]
fn fragments_without_end_are_cut_off_at_the_limit() {
    under_attack(|server| {
        for version in [Version::V1_1, NEWEST] {
            let mut wire = Wire::connect(server.address());
            let order = ByteOrder::NATIVE;
            let piece = |kind| {
                let more_fragments = true;
                MessageHeader { version, order, more_fragments, kind, size: 8_192 }.encode()
            };
            wire.send(&[&piece(MessageKind::Request)[..], &[0; 8_192]].concat());
            let fragment = [&piece(MessageKind::Fragment)[..], &[0; 8_192]].concat();
            let sent = (0..4_000).take_while(|_| wire.send(&fragment)).count();
            assert!(sent < 4_000, "the server took {sent} fragments");
        }
    });
}

#[test]
fn messages_that_begin_in_fragments_without_end_are_limited_in_number() {
    under_attack(|server| {
        let mut octets = Vec::new();
        for id in 0..10_000_u32 {
            let (kind, size) = (MessageKind::Request, 4);
            let order = ByteOrder::NATIVE;
            let more_fragments = true;
            let version = NEWEST;
            octets.extend(MessageHeader { version, order, more_fragments, kind, size }.encode());
            octets.extend(id.to_ne_bytes());
        }
        assert_eq!(answer(server, &octets), [MessageKind::MessageError]);
    });
}
