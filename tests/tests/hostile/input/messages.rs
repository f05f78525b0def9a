//! Messages that are not GIOP, have wrong headers, or are only valid from servers.

use super::{NEWEST, answer, good_request, under_attack};
use armilla::Version;
use armilla_cdr::ByteOrder;
use armilla_giop::{MessageHeader, MessageKind, close_connection, message_error};
use armilla_tests::peer::{ORDERS, VERSIONS, Wire, header};

#[test]
fn octets_that_are_not_giop_get_a_message_error() {
    under_attack(|server| {
        let good = good_request(server, NEWEST, ByteOrder::Big);
        let changed = |at: usize, octet: u8| {
            let mut octets = good.clone();
            octets[at] = octet;
            octets
        };
        let attacks: [&[u8]; 9] = [
            b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x00\x00",
            &[0; 100],
            &changed(0, b'g'),
            &changed(4, 2),
            &changed(5, 3),
            &changed(5, 255),
            &changed(7, 8),
            &changed(7, 255),
        ];
        for octets in attacks {
            assert_eq!(answer(server, octets), [MessageKind::MessageError], "{octets:?}");
        }
    });
}

#[test]
fn a_message_that_claims_too_much_is_refused_at_once() {
    under_attack(|server| {
        let limit = server.settings().max_message as u32;
        for size in [limit + 1, u32::MAX / 2, u32::MAX] {
            for version in VERSIONS {
                // The rest is not waited for: the connection stays open on this side.
                let mut wire = Wire::connect(server.address());
                wire.send(&header(version, MessageKind::LocateRequest, size));
                assert_eq!(wire.until_end(), [MessageKind::MessageError], "{size}");
                // The id of the request and that a reply is expected: enough to answer.
                let mut wire = Wire::connect(server.address());
                let head: &[u8] = match version {
                    NEWEST => &[0, 0, 0, 0, 3],
                    _ => &[0, 0, 0, 0, 0, 0, 0, 0, 1],
                };
                wire.send(&[&header(version, MessageKind::Request, size)[..], head].concat());
                assert_eq!(wire.kind(), Some(MessageKind::Reply), "{size}");
            }
        }
    });
}

#[test]
fn a_truncated_message_has_no_effect_on_others() {
    under_attack(|server| {
        let good = good_request(server, NEWEST, ByteOrder::Little);
        for end in 0..good.len() {
            assert_eq!(answer(server, &good[..end]), [], "cut to {end} octets");
        }
        assert_eq!(answer(server, &good), [MessageKind::Reply]);
    });
}

#[test]
fn messages_that_only_servers_send_are_refused() {
    under_attack(|server| {
        for kind in [MessageKind::Reply, MessageKind::LocateReply, MessageKind::Fragment] {
            for version in VERSIONS {
                let octets = [&header(version, kind, 8)[..], &[0; 8]].concat();
                let mut wire = Wire::connect(server.address());
                wire.send(&octets);
                // A fragment of 1.2 may belong to a request that was cancelled: it is passed over.
                wire.end_sending();
                let expected = match (kind, version) {
                    (MessageKind::Fragment, Version::V1_2) => vec![],
                    _ => vec![MessageKind::MessageError],
                };
                assert_eq!(wire.until_end(), expected, "{kind:?} in {version}");
            }
        }
    });
}

#[test]
fn a_close_connection_of_the_client_gets_no_reply() {
    under_attack(|server| {
        for version in VERSIONS {
            assert_eq!(answer(server, &close_connection(version)), []);
            assert_eq!(answer(server, &message_error(version)), []);
            let cancel = armilla_giop::cancel_request(version, 77);
            let good = good_request(server, version, ByteOrder::Big);
            let answers = answer(server, &[&cancel[..], &good].concat());
            assert_eq!(answers, [MessageKind::Reply], "nothing to cancel is no error");
        }
    });
}

#[test]
fn a_message_whose_header_lies_is_answered_with_a_message_error() {
    under_attack(|server| {
        for (version, order) in VERSIONS.iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
            for kind in [MessageKind::Request, MessageKind::LocateRequest] {
                for fill in [0x7f, 0xff] {
                    let size = 40;
                    let header =
                        MessageHeader { version, order, more_fragments: false, kind, size };
                    let octets = [&header.encode()[..], &[fill; 40]].concat();
                    assert_eq!(answer(server, &octets), [MessageKind::MessageError]);
                }
                let empty = header(version, kind, 0);
                assert_eq!(answer(server, &empty), [MessageKind::MessageError]);
            }
        }
    });
}
