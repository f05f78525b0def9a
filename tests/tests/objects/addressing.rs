//! The three addressing dispositions of requests, and permanent forwards.

use armilla::{ConnectionPolicy, ExceptionKind, Ior, Orb, Version};
use armilla_cdr::{ByteOrder, Encode, Encoder};
use armilla_giop::ior::{IiopProfile, TaggedProfile};
use armilla_giop::{
    AddressingDisposition, LocateStatus, Message, MessageHeader, MessageKind, OutgoingRequest,
    ReplyStatus, ResponseFlags, Target, TargetAddress, begin_request, decode_locate_reply,
    decode_reply, decode_request, encode_locate_request,
};
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{self, KEY, Peer, Request, Wire};
use armilla_tests::probe::Common;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const NEWEST: Version = Version::V1_2;
const WAYS: [AddressingDisposition; 3] =
    [AddressingDisposition::Key, AddressingDisposition::Profile, AddressingDisposition::Reference];

/// Whether the request names the object in this way, and the right one.
fn is_named(request: &Request, way: AddressingDisposition) -> bool {
    let message = Message::parse(&request.octets).unwrap().unwrap();
    let (header, _) = decode_request(&message).unwrap();
    assert_eq!(header.target.object_key(), Some(KEY));
    // A whole reference is read as the profile that it selects.
    let by_key = matches!(header.target, Target::Key(_));
    by_key == (way == AddressingDisposition::Key) && request.octets[20] == way as u8
}

/// Asks for `way`.
fn asking_for(request: &Request, way: AddressingDisposition) -> Vec<u8> {
    let status = ReplyStatus::NeedsAddressingMode;
    peer::reply(request.version, request.order, request.id, status, |out| {
        out.put_u16(way as u16);
        Ok(())
    })
}

#[test]
fn the_addressing_disposition_that_the_server_asks_for_is_kept() {
    for way in [AddressingDisposition::Profile, AddressingDisposition::Reference] {
        let refused = Arc::new(AtomicUsize::new(0));
        let count = refused.clone();
        let peer = Peer::answering(move |request| match is_named(request, way) {
            true => peer::done(request),
            false => {
                count.fetch_add(1, Ordering::SeqCst);
                asking_for(request, way)
            }
        });
        let remote = peer.reference(&orbs::client(), NEWEST);
        (0..3).for_each(|_| remote.ping().unwrap());
        assert_eq!(refused.load(Ordering::SeqCst), 1, "{way:?}");
        assert_eq!(peer.connections(), 1);
    }
}

#[test]
fn a_server_that_wants_the_way_that_it_got_broke_the_protocol() {
    let peer = Peer::answering(|request| asking_for(request, WAYS[0]));
    let error = peer.reference(&orbs::client(), NEWEST).ping().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::CommFailure, "{error}");
}

#[test]
fn a_server_that_never_is_content_meets_the_limit_of_forwards() {
    let peer = Peer::answering(|request| {
        let other = if is_named(request, WAYS[0]) { WAYS[1] } else { WAYS[0] };
        asking_for(request, other)
    });
    let error = peer.reference(&orbs::client(), NEWEST).ping().unwrap_err();
    assert!(error.to_string().contains("max_forwards"), "{error}");
}

/// With keys of every length that references store in a different way, and keys with common
/// prefixes.
#[test]
fn each_call_names_its_own_object_though_all_go_over_one_connection() {
    let named = Arc::new(Mutex::new(Vec::new()));
    let seen = named.clone();
    let peer = Peer::answering(move |request| {
        let message = Message::parse(&request.octets).unwrap().unwrap();
        let (header, _) = decode_request(&message).unwrap();
        let key = header.target.object_key().unwrap().to_vec();
        seen.lock().unwrap().push((request.version, key));
        peer::done(request)
    });
    let client = orbs::client();
    let lengths = [0, 1, 2, 27, 28, 29, 30, 31, 32, 64, 300].into_iter();
    let keys =
        lengths.flat_map(|len| [b'a', b'b'].map(|last| [vec![b'k'; len], vec![last]].concat()));
    let keys = keys.chain([Vec::new(), vec![0; 3], vec![0; 4]]);
    let objects: Vec<_> = keys
        .flat_map(|key| [Version::V1_0, NEWEST].map(|version| (version, key.clone())))
        .map(|(version, key)| {
            let ior = peer.ior(version);
            let profile = IiopProfile::decode_data(&ior.profiles[0].data).unwrap();
            let profiles =
                vec![IiopProfile { object_key: key.clone(), ..profile }.to_tagged().unwrap()];
            (peer::resolve(&client, &Ior { profiles, ..ior }), (version, key))
        })
        .collect();
    let twice = objects.iter().chain(&objects).flat_map(|object| [object, object]);
    let backwards = objects.iter().rev();
    for (object, expected) in twice.chain(backwards) {
        object.ping().unwrap();
        assert_eq!(named.lock().unwrap().pop().as_ref(), Some(expected));
    }
    assert_eq!(peer.connections(), 1);
}

/// Sends what `write` makes, and gives the answer.
fn answer(server: &Server, write: impl FnOnce(&mut Encoder<'_>)) -> Vec<u8> {
    let mut out = Encoder::new(ByteOrder::Big);
    write(&mut out);
    MessageHeader::finish(&mut out).unwrap();
    let mut wire = Wire::connect(server.address());
    wire.send(&out.to_vec());
    wire.message().unwrap()
}

fn request<'r>(target: TargetAddress<'r>) -> OutgoingRequest<'r> {
    let (response, operation) = (ResponseFlags::Target, "_non_existent");
    OutgoingRequest { request_id: 1, response, target, operation, contexts: &[] }
}

#[test]
fn a_server_takes_all_three_ways() {
    let server = Server::start();
    let ior = server.local.object().ior();
    let profile = IiopProfile::decode_data(&ior.profiles[0].data).unwrap();
    for address in [
        TargetAddress::Key(&profile.object_key),
        TargetAddress::Profile(&ior.profiles[0]),
        TargetAddress::Reference { selected: 0, ior: &ior },
    ] {
        let reply = answer(&server, |out| {
            begin_request(out, NEWEST, &request(address)).unwrap();
        });
        let message = Message::parse(&reply).unwrap().unwrap();
        let (header, mut body) = decode_reply(&message).unwrap();
        assert_eq!(header.status, ReplyStatus::NoException);
        assert_eq!(body.bool(), Ok(false), "{address:?}");

        let reply = answer(&server, |out| encode_locate_request(out, NEWEST, 1, address).unwrap());
        let message = Message::parse(&reply).unwrap().unwrap();
        assert_eq!(decode_locate_reply(&message).unwrap().0.status, LocateStatus::ObjectHere);
    }
}

#[test]
fn a_server_asks_for_the_key_where_a_profile_is_not_one_of_its_own() {
    let server = Server::start();
    let profile = TaggedProfile { id: 0x1234, data: b"unheard of".to_vec() };
    let address = TargetAddress::Profile(&profile);
    let reply = answer(&server, |out| {
        begin_request(out, NEWEST, &request(address)).unwrap();
    });
    let message = Message::parse(&reply).unwrap().unwrap();
    let (header, mut body) = decode_reply(&message).unwrap();
    assert_eq!(header.status, ReplyStatus::NeedsAddressingMode);
    assert_eq!(body.u16(), Ok(AddressingDisposition::Key as u16));

    let reply = answer(&server, |out| encode_locate_request(out, NEWEST, 1, address).unwrap());
    let message = Message::parse(&reply).unwrap().unwrap();
    let (header, mut body) = decode_locate_reply(&message).unwrap();
    assert_eq!(header.status, LocateStatus::NeedsAddressingMode);
    assert_eq!(body.u16(), Ok(AddressingDisposition::Key as u16));
}

/// A server that answers locate requests with this status and body.
fn locating(status: LocateStatus, body: Vec<u8>) -> Peer {
    Peer::start(move |_, mut wire| {
        while let Some(octets) = wire.message() {
            if peer::kind(&octets) != MessageKind::LocateRequest {
                continue;
            }
            let message = Message::parse(&octets).unwrap().unwrap();
            let id = armilla_giop::decode_locate_request(&message).unwrap().request_id;
            let by_key = octets[16] == 0 && octets[17] == 0;
            let status = if by_key { status } else { LocateStatus::ObjectHere };
            let mut out = Encoder::new(ByteOrder::Little);
            armilla_giop::begin_locate_reply(&mut out, NEWEST, id, status);
            if by_key {
                out.copy_raw(&body);
            }
            MessageHeader::finish(&mut out).unwrap();
            wire.send(&out.to_vec());
        }
    })
}

#[test]
fn every_answer_to_where_an_object_is_is_followed() {
    let located = |status, body| {
        let peer = locating(status, body);
        peer.reference(&orbs::client(), NEWEST).object().locate()
    };
    assert_eq!(located(LocateStatus::ObjectHere, vec![]), Ok(true));
    assert_eq!(located(LocateStatus::UnknownObject, vec![]), Ok(false));
    assert_eq!(located(LocateStatus::NeedsAddressingMode, vec![1, 0]), Ok(true));
    assert_eq!(located(LocateStatus::NeedsAddressingMode, vec![2, 0]), Ok(true));

    let server = Server::start();
    let ior = server.local.object().ior();
    let mut out = Encoder::new(ByteOrder::Little);
    ior.encode(&mut out).unwrap();
    for status in [LocateStatus::ObjectForward, LocateStatus::ObjectForwardPerm] {
        assert_eq!(located(status, out.to_vec()), Ok(true));
    }

    let mut out = Encoder::new(ByteOrder::Little);
    out.put_string("IDL:omg.org/CORBA/NO_PERMISSION:1.0").unwrap();
    out.put_u32(7);
    out.put_u32(1);
    let error = located(LocateStatus::SystemException, out.to_vec()).unwrap_err();
    assert_eq!((error.kind(), error.minor().0), (ExceptionKind::NoPermission, 7));
}

/// A LocateReply of this status as TAO sends it: eight octets.
fn second_answer(id: u32, status: u32) -> Vec<u8> {
    [b"GIOP\x01\x02\x01\x04\x08\0\0\0", &id.to_le_bytes()[..], &status.to_le_bytes()].concat()
}

/// Answers LocateRequests with a Reply, as the locator of TAO's implementation repository does, and
/// with a LocateReply of the same id behind it; requests as usual.
fn as_tao(wire: &mut Wire, status: ReplyStatus, body: &[u8], second: u32, joined: bool) {
    while let Some(octets) = wire.message() {
        let message = Message::parse(&octets).unwrap().unwrap();
        if peer::kind(&octets) != MessageKind::LocateRequest {
            let (header, _) = decode_request(&message).unwrap();
            let done = |_: &mut Encoder<'_>| Ok(());
            let (order, id) = (ByteOrder::Little, header.request_id);
            wire.send(&peer::reply(NEWEST, order, id, ReplyStatus::NoException, done));
            continue;
        }
        let id = armilla_giop::decode_locate_request(&message).unwrap().request_id;
        let first = peer::reply(NEWEST, ByteOrder::Little, id, status, |out| {
            out.copy_raw(body);
            Ok(())
        });
        let both = [first, second_answer(id, second)];
        match joined {
            true => _ = wire.send(&both.concat()),
            false => both.iter().for_each(|one| _ = wire.send(one)),
        }
    }
}

#[test]
fn a_reply_to_where_an_object_is_counts_and_what_follows_it_harms_nothing() {
    let server = Server::start();
    let mut forward = Encoder::new(ByteOrder::Little);
    let ior = server.local.object().ior();
    ior.encode(&mut forward).unwrap();
    let forward = forward.to_vec();
    let mut unknown = Encoder::new(ByteOrder::Little);
    unknown.put_string("IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0").unwrap();
    unknown.put_u32(0);
    unknown.put_u32(1);
    let unknown = unknown.to_vec();
    for (status, body, expected) in [
        (ReplyStatus::LocationForward, &forward, Ok(true)),
        (ReplyStatus::LocationForwardPerm, &forward, Ok(true)),
        (ReplyStatus::SystemException, &unknown, Ok(false)),
        (ReplyStatus::NoException, &vec![0], Ok(true)),
        (ReplyStatus::NoException, &vec![1], Ok(false)),
        (ReplyStatus::NoException, &vec![], Ok(true)),
    ] {
        // UNKNOWN_OBJECT, OBJECT_HERE, OBJECT_FORWARD.
        for (second, joined) in [(0, false), (1, true), (2, false), (2, true)] {
            let body = body.clone();
            let locator = Peer::start(move |_, mut wire| {
                as_tao(&mut wire, status, &body, second, joined);
            });
            let client = orbs::client();
            let remote = locator.reference(&client, NEWEST);
            assert_eq!(remote.object().locate(), expected, "{status:?} {second} {joined}");
            // In every engine, by way of the forward or at the locator itself.
            for policy in [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed] {
                let remote = remote.with_connection_policy(policy);
                remote.ping().unwrap();
                remote.ping_async().wait().unwrap();
                let fresh = locator.reference(&client, NEWEST).with_connection_policy(policy);
                assert_eq!(fresh.object().locate(), expected, "{status:?} {second} {joined}");
                fresh.ping().unwrap();
            }
        }
    }
}

#[test]
fn a_user_exception_says_nothing_of_where_an_object_is() {
    let locator = Peer::start(|_, mut wire| {
        as_tao(&mut wire, ReplyStatus::UserException, b"\x05\0\0\0IDL:\0", 0, false);
    });
    let remote = locator.reference(&orbs::client(), NEWEST);
    let error = remote.object().locate().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::Marshal, "{error}");
    assert!(error.to_string().contains("in answer to a LocateRequest"), "{error}");
    remote.ping().unwrap();
}

/// Forwards every request to `ior` with this status.
fn forwarding(status: ReplyStatus, ior: Ior) -> (Peer, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let peer = Peer::answering(move |request| {
        count.fetch_add(1, Ordering::SeqCst);
        peer::reply(request.version, request.order, request.id, status, |out| {
            peer::put_ior(&ior, out)
        })
    });
    (peer, asked)
}

/// Calls by way of a server that forwards with `status` to one that then ends; how often the first
/// was asked in all.
fn asked_after_the_end(client: &Orb, status: ReplyStatus) -> usize {
    let server = Server::start();
    let (home, asked) = forwarding(status, server.local.object().ior());
    let remote = home.reference(client, NEWEST);
    (0..2).for_each(|_| remote.ping().unwrap());
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    drop(server);
    assert_eq!(remote.ping().unwrap_err().kind(), ExceptionKind::Transient);
    asked.load(Ordering::SeqCst)
}

#[test]
fn a_permanent_forward_is_not_reverted() {
    let client = orbs::client();
    assert!(asked_after_the_end(&client, ReplyStatus::LocationForward) > 1, "home knows better");
    assert_eq!(asked_after_the_end(&client, ReplyStatus::LocationForwardPerm), 1);
}
