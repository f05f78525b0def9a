//! Replies: malformed, unexpected, fragmented, of other versions, and with exceptions.

use super::{NEWEST, assert_fails, once};
use armilla::{Completion, Error, ExceptionKind, Minor, Version};
use armilla_cdr::{ByteOrder, Encoder};
use armilla_giop::{
    MessageHeader, MessageKind, ReplyStatus, ServiceContext, begin_reply, message_error,
};
use armilla_tests::orbs;
use armilla_tests::peer::{self, ORDERS, Peer, VERSIONS, done, reply};
use armilla_tests::probe::everything::ChooseRaises;
use armilla_tests::probe::*;

const NONSENSE: (ExceptionKind, Minor, Completion) =
    (ExceptionKind::CommFailure, Minor::PROTOCOL_ERROR, Completion::Maybe);

#[test]
fn octets_that_are_no_giop_are_nonsense_and_the_text_asks_whether_it_is_a_server() {
    for nonsense in
        [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"GIOP\x09\x09\0\x01\0\0\0\0", &[0; 64]]
    {
        let peer = once(move |wire, _| {
            wire.send(nonsense);
        });
        let text = assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), NONSENSE);
        assert!(text.contains("is what listens there a CORBA server?"), "{text}");
    }
}

#[test]
fn a_reply_that_claims_more_than_the_limit_is_refused_without_waiting_for_it() {
    let peer = once(|wire, request| {
        wire.send(&peer::header(request.version, MessageKind::Reply, u32::MAX));
        wire.message(); // stays open until the client closes
    });
    let expected = (ExceptionKind::ImpLimit, Minor::MESSAGE_TOO_LARGE, Completion::Maybe);
    let text = assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), expected);
    assert!(text.contains("larger than the limit"), "{text}");
}

#[test]
fn a_reply_whose_body_lies_is_a_marshalling_error_of_a_call_that_ran() {
    let expected = (ExceptionKind::Marshal, Minor::DECODING_FAILED, Completion::Yes);
    for version in VERSIONS {
        let peer = Peer::answering(|request| match request.operation.as_str() {
            // A string of 4 GiB, and an enumerator that does not exist.
            "_get_name" => {
                reply(request.version, request.order, request.id, ReplyStatus::NoException, |out| {
                    out.put_u32(u32::MAX);
                    Ok(())
                })
            }
            "echo_colour" => {
                reply(request.version, request.order, request.id, ReplyStatus::NoException, |out| {
                    out.put_u32(77);
                    Ok(())
                })
            }
            _ => done(request),
        });
        let remote = peer.reference(&orbs::client(), version);
        assert_fails(remote.name(), expected);
        assert_fails(remote.echo_colour(Colour::Red, &mut Colour::Red), expected);
        assert_fails(remote.count(), expected);
        remote.ping().unwrap();
        assert_eq!(peer.connections(), 1, "the connection is as good as before");
    }
}

#[test]
fn a_reply_to_another_request_is_passed_over() {
    for version in VERSIONS {
        let peer = Peer::start(|_, mut wire| {
            while let Some(request) = wire.request() {
                for id in [request.id.wrapping_sub(1), request.id + 1_000] {
                    let status = ReplyStatus::UserException;
                    wire.send(&reply(request.version, request.order, id, status, |_| Ok(())));
                }
                wire.send(&done(&request));
            }
        });
        let remote = peer.reference(&orbs::client(), version);
        (0..3).for_each(|_| remote.ping().unwrap());
    }
}

#[test]
fn a_reply_that_comes_twice_is_passed_over() {
    for version in VERSIONS {
        let peer = Peer::start(|_, mut wire| {
            while let Some(request) = wire.request() {
                (0..2).for_each(|_| _ = wire.send(&done(&request)));
            }
        });
        let remote = peer.reference(&orbs::client(), version);
        (0..3).for_each(|_| remote.ping().unwrap());
        assert_eq!(peer.connections(), 1, "the connection is as good as before");
    }
}

#[test]
fn a_message_error_instead_of_a_reply_fails_the_call_as_not_executed() {
    let peer = once(|wire, request| {
        wire.send(&message_error(request.version));
    });
    let expected = (ExceptionKind::CommFailure, Minor::MESSAGE_ERROR_RECEIVED, Completion::No);
    assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), expected);
}

#[test]
fn a_message_that_only_clients_send_is_nonsense() {
    let peer = once(|wire, request| {
        wire.send(&request.octets);
    });
    assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), NONSENSE);
}

#[test]
fn replies_in_fragments_are_put_together() {
    for (version, order) in [Version::V1_1, NEWEST].iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
        let peer = Peer::start(move |_, mut wire| {
            while let Some(request) = wire.request() {
                let octets: Vec<u8> = (0..100_000).map(|n| n as u8).collect();
                let status = ReplyStatus::NoException;
                let whole = reply(request.version, order, request.id, status, |out| {
                    out.copy_octets(&octets)
                });
                for piece in peer::fragments(&whole, 5_000) {
                    wire.send(&piece);
                }
            }
        });
        let remote = peer.reference(&orbs::client(), version);
        for _ in 0..2 {
            let octets = remote.produce(100_000).unwrap();
            assert!(octets.iter().enumerate().all(|(n, octet)| *octet == n as u8));
            assert_eq!(octets.len(), 100_000);
        }
    }
}

#[test]
fn replies_of_every_version_and_byte_order_are_read() {
    for (version, order) in VERSIONS.iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
        let peer = Peer::answering(move |request| {
            assert_eq!(request.version, version, "the client speaks as the reference says");
            let status = ReplyStatus::NoException;
            reply(request.version, order, request.id, status, |out| out.put_string("tycho"))
        });
        assert_eq!(peer.reference(&orbs::client(), version).name().unwrap(), "tycho");
    }
}

#[test]
fn unknown_service_contexts_are_skipped() {
    for version in VERSIONS {
        let peer = Peer::answering(|request| {
            let contexts = [(0x4242_0001, &b"whatever"[..]), (17, b""), (u32::MAX, b"\xff\0\xff")]
                .map(|(id, data)| ServiceContext { id, data });
            let mut out = Encoder::new(ByteOrder::Big);
            let status = ReplyStatus::NoException;
            begin_reply(&mut out, request.version, request.id, status, &contexts).unwrap();
            MessageHeader::finish(&mut out).unwrap();
            out.to_vec()
        });
        peer.reference(&orbs::client(), version).ping().unwrap();
    }
}

/// A server that answers with a system exception.
fn raising(id: &'static str, minor: u32, completed: u32) -> Peer {
    Peer::answering(move |request| {
        let status = ReplyStatus::SystemException;
        reply(request.version, request.order, request.id, status, |out| {
            out.put_string(id)?;
            out.put_u32(minor);
            out.put_u32(completed);
            Ok(())
        })
    })
}

#[test]
fn a_system_exception_keeps_its_minor_code_and_completion() {
    let statuses = [(0, Completion::Yes), (1, Completion::No), (2, Completion::Maybe)];
    for (number, completed) in statuses {
        let peer = raising("IDL:omg.org/CORBA/NO_PERMISSION:1.0", 0x4f4d_0001, number);
        let remote = peer.reference(&orbs::client(), NEWEST);
        let expected = (ExceptionKind::NoPermission, Minor(0x4f4d_0001), completed);
        assert_fails(remote.ping(), expected);
        let Err(Error::System(error)) = remote.choose(0, &mut String::new()) else { panic!() };
        assert_fails::<()>(Err(error), expected);
    }
}

#[test]
fn a_system_exception_of_a_later_specification_is_unknown() {
    let peer = raising("IDL:omg.org/CORBA/OUT_OF_FASHION:1.0", 5, 0);
    let expected = (ExceptionKind::Unknown, Minor(5), Completion::Yes);
    assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), expected);
}

#[test]
fn a_user_exception_that_the_operation_does_not_declare_is_unknown_and_named() {
    let id = "IDL:armilla.org/Probe/Surprise:1.0";
    let peer = Peer::answering(move |request| {
        let status = ReplyStatus::UserException;
        reply(request.version, request.order, request.id, status, |out| out.put_string(id))
    });
    let remote = peer.reference(&orbs::client(), NEWEST);
    let expected =
        (ExceptionKind::Unknown, Minor::UNKNOWN_UNLISTED_USER_EXCEPTION, Completion::Yes);
    assert!(assert_fails(remote.ping(), expected).contains(id));
    let Err(Error::System(error)) = remote.choose(0, &mut String::new()) else { panic!() };
    assert_fails::<()>(Err(error), expected);
    assert_eq!(peer.connections(), 1);
}

#[test]
fn a_user_exception_in_either_byte_order_is_the_declared_one() {
    for order in ORDERS {
        let peer = Peer::answering(move |request| {
            reply(request.version, order, request.id, ReplyStatus::UserException, |out| {
                out.put_string("IDL:armilla.org/Probe/Refused:1.0")?;
                out.put_string("no")?;
                out.put_i32(-3);
                Ok(())
            })
        });
        let remote = peer.reference(&orbs::client(), NEWEST);
        let refused = Refused { reason: "no".into(), number: -3 };
        let expected = Err(Error::User(ChooseRaises::Refused(refused)));
        assert_eq!(remote.choose(0, &mut String::new()), expected);
    }
}
