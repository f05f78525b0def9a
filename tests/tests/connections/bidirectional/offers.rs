//! Offers of clients: the GIOP version, the request ids, and the listen points that the server
//! accepts.

use super::{accepting, unreachable};
use armilla::{AcceptBidirectional, ExceptionKind, Minor, Version};
use armilla_giop::{
    BIDIRECTIONAL_CONTEXT, ListenPoint, ListenPoints, Message, MessageHeader, MessageKind,
    OutgoingRequest, ResponseFlags, TargetAddress, begin_request, decode_request, put_body,
};
use armilla_tests::gate::{PATIENCE, eventually};
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{self, Peer, Wire, done};
use armilla_tests::probe::*;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A whole request that offers the connection for these addresses.
fn offering(server: &Server, id: u32, points: &[(&str, u16)]) -> Vec<u8> {
    let points =
        points.iter().map(|(host, port)| ListenPoint { host: (*host).into(), port: *port });
    let data = ListenPoints(points.collect()).to_data().unwrap();
    let contexts = [ListenPoints::service_context(&data)];
    let ior = server.local.object().ior();
    let profile = ior.iiop_profiles().next().unwrap().unwrap();
    let mut out = armilla_cdr::Encoder::new(armilla_cdr::ByteOrder::NATIVE);
    let request = OutgoingRequest {
        request_id: id,
        response: ResponseFlags::Target,
        target: TargetAddress::Key(&profile.object_key),
        operation: "ping",
        contexts: &contexts,
    };
    begin_request(&mut out, Version::V1_2, &request).unwrap();
    put_body(&mut out, Version::V1_2, |_| Ok(())).unwrap();
    MessageHeader::finish(&mut out).unwrap();
    out.to_vec()
}

/// A client that offers its connection, and answers what comes over it.
fn offer(server: &Server, points: &[(&str, u16)]) -> Wire {
    let mut wire = Wire::connect(server.address());
    wire.send(&offering(server, 0, points));
    assert_eq!(wire.kind(), Some(MessageKind::Reply));
    wire
}

/// A reference to an object at `host`, as the server has it.
fn object_at(server: &Server, host: &str, port: u16) -> EverythingRef {
    let profile = armilla_giop::ior::IiopProfile {
        version: Version::V1_2,
        host: host.into(),
        port,
        object_key: peer::KEY.to_vec(),
        components: Vec::new(),
    };
    let ior = armilla::Ior {
        type_id: "IDL:armilla.org/Probe/Everything:1.0".into(),
        profiles: vec![profile.to_tagged().unwrap()],
    };
    peer::resolve(&server.orb, &ior)
}

/// Answers the next request on `wire`, while `call` makes it.
fn answered(wire: &mut Wire, call: impl FnOnce() + Send) -> u32 {
    thread::scope(|scope| {
        let called = scope.spawn(call);
        let request = wire.request().unwrap();
        wire.send(&done(&request));
        called.join().unwrap();
        request.id
    })
}

#[test]
fn the_two_ends_number_their_requests_evenly_and_oddly() {
    let server = accepting(AcceptBidirectional::Checked);
    let port = peer::dead_port();
    let mut wire = offer(&server, &[("127.0.0.1", port)]);
    let held = object_at(&server, "127.0.0.1", port);
    let numbers = [(); 3].map(|()| answered(&mut wire, || held.ping().unwrap()));
    assert_eq!(numbers, [1, 3, 5]);

    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = seen.clone();
    let other = Peer::answering(move |request| {
        let message = Message::parse(&request.octets).unwrap().unwrap();
        let (header, _) = decode_request(&message).unwrap();
        let offered = header.contexts.find(BIDIRECTIONAL_CONTEXT);
        let offered = offered.map(|data| ListenPoints::decode_data(data).unwrap());
        kept.lock().unwrap().push((request.id, offered));
        done(request)
    });
    let client = unreachable();
    let remote = other.reference(&client, Version::V1_2);
    (0..3).for_each(|_| remote.ping().unwrap());
    let seen = seen.lock().unwrap();
    assert_eq!(seen.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [0, 2, 4]);
    let published = client.published_addresses().unwrap().iter();
    let published = published.map(|(host, port)| ListenPoint { host: host.clone(), port: *port });
    assert_eq!(seen[0].1, Some(ListenPoints(published.collect())), "said with the first request");
    assert_eq!(seen[1].1, None, "and with no other");
}

#[test]
fn nothing_is_offered_before_giop_1_2() {
    let other = Peer::answering(|request| {
        let message = Message::parse(&request.octets).unwrap().unwrap();
        assert_eq!(decode_request(&message).unwrap().0.contexts.find(BIDIRECTIONAL_CONTEXT), None);
        done(request)
    });
    for version in [Version::V1_0, Version::V1_1] {
        other.reference(&unreachable(), version).ping().unwrap();
    }
}

#[test]
fn an_address_that_is_not_the_clients_own_is_not_believed() {
    let server = accepting(AcceptBidirectional::Checked);
    let mut wire = offer(&server, &[("192.0.2.1", 2809), ("no such host.invalid", 1)]);
    let held = object_at(&server, "192.0.2.1", 2809).with_timeout(Duration::from_millis(50));
    let error = held.ping().unwrap_err();
    assert!(
        matches!(error.kind(), ExceptionKind::Timeout | ExceptionKind::Transient),
        "it was tried to connect there: {error}"
    );
    wire.send(&offering(&server, 2, &[]));
    assert_eq!(wire.kind(), Some(MessageKind::Reply), "nothing came before");
}

#[test]
fn a_trusted_client_is_believed_until_another_is_there_before_it() {
    let server = accepting(AcceptBidirectional::Trusted);
    let mut wire = offer(&server, &[("192.0.2.1", 2809), ("behind.example.org", 2809)]);
    for host in ["192.0.2.1", "behind.example.org"] {
        answered(&mut wire, || object_at(&server, host, 2809).ping().unwrap());
    }
}

#[test]
fn the_address_of_the_server_itself_cannot_be_claimed() {
    let server = accepting(AcceptBidirectional::Trusted);
    let (host, port) = server.address();
    let mut wire = offer(&server, &[(host, port)]);
    let error = object_at(&server, host, port).ping().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::ObjectNotExist, "{error}");
    wire.send(&offering(&server, 2, &[]));
    assert_eq!(wire.kind(), Some(MessageKind::Reply), "nothing came before");
}

#[test]
fn the_latest_connection_stands_for_an_address_and_when_it_ends_the_one_before() {
    let server = accepting(AcceptBidirectional::Checked);
    let port = peer::dead_port();
    let mut first = offer(&server, &[("127.0.0.1", port)]);
    let mut second = offer(&server, &[("127.0.0.1", port)]);
    let held = object_at(&server, "127.0.0.1", port);
    answered(&mut second, || held.ping().unwrap());
    second.send(&armilla_giop::close_connection(Version::V1_2));
    assert_eq!(second.until_end(), []);
    answered(&mut first, || held.ping().unwrap());
    first.reset();
    eventually("the claim has gone", || {
        held.ping().is_err_and(|error| error.minor() == Minor::CONNECT_FAILED)
    });
}

#[test]
fn listen_points_of_a_hostile_client_do_not_affect_others() {
    let server = accepting(AcceptBidirectional::Checked);
    let many: Vec<(&str, u16)> = (1..10_000).map(|port| ("127.0.0.1", port)).collect();
    let mut wire = offer(&server, &many);
    // An unexpected reply, before the first call in that direction.
    let request = peer::Request {
        id: 77,
        operation: String::new(),
        version: Version::V1_2,
        order: armilla_cdr::ByteOrder::NATIVE,
        octets: Vec::new(),
    };
    wire.send(&done(&request));
    assert_eq!(wire.until_end(), [MessageKind::MessageError]);
    server.remote(&orbs::client()).ping().unwrap();
    // And once there was: it is stale, and the connection serves on.
    let port = peer::dead_port();
    let mut wire = offer(&server, &[("127.0.0.1", port)]);
    let held = object_at(&server, "127.0.0.1", port);
    answered(&mut wire, || held.ping().unwrap());
    wire.send(&done(&request));
    answered(&mut wire, || held.ping().unwrap());
}

#[test]
fn a_client_that_does_not_read_blocks_calls_no_longer_than_their_time_limit() {
    let server = accepting(AcceptBidirectional::Checked);
    let port = peer::dead_port();
    let wire = offer(&server, &[("127.0.0.1", port)]);
    let held = object_at(&server, "127.0.0.1", port);
    let limit = Duration::from_millis(200);
    let given = vec![7; 1 << 20];
    for _ in 0..20 {
        let error = held.with_timeout(limit).echo_octets(&given, &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Timeout, "{error}");
    }
    server.remote(&orbs::client()).ping().unwrap();
    drop(wire);
    assert!(limit < PATIENCE);
}

/// The server is the client of the client here.
#[test]
fn calls_that_the_client_never_answers_take_no_places() {
    const LIMIT: usize = 4;
    let server = Server::of(orbs::listening_with(|settings| {
        settings.accept_bidirectional = AcceptBidirectional::Checked;
        settings.requests_in_flight = LIMIT;
    }));
    let port = peer::dead_port();
    let mut wire = offer(&server, &[("127.0.0.1", port)]);
    let held = object_at(&server, "127.0.0.1", port);
    let short = held.with_timeout(Duration::from_millis(20));
    for _ in 0..=LIMIT {
        assert_eq!(short.ping().unwrap_err().kind(), ExceptionKind::Timeout);
        assert_eq!(short.object().locate().unwrap_err().kind(), ExceptionKind::Timeout);
        drop(held.ping_async());
    }
    thread::scope(|scope| {
        let called = scope.spawn(|| held.ping().unwrap());
        // All but the last get replies that nobody waits for any more.
        let mut unanswered = 3 * (LIMIT + 1) + 1;
        while unanswered > 0 {
            let octets = wire.message().unwrap();
            let message = Message::parse(&octets).unwrap().unwrap();
            let Ok((request, _)) = decode_request(&message) else {
                unanswered -= usize::from(message.header.kind == MessageKind::LocateRequest);
                continue;
            };
            let (order, status) = (message.header.order, armilla_giop::ReplyStatus::NoException);
            let id = request.request_id;
            wire.send(&peer::reply(Version::V1_2, order, id, status, |_| Ok(())));
            unanswered -= 1;
        }
        called.join().unwrap();
    });
    answered(&mut wire, || held.ping().unwrap());
}
