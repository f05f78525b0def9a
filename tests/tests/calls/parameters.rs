//! Calls: every kind of parameter and result, the same assertions remote and collocated.
//!
//! A second ORB in the process stands for another process: it does not know the objects of the
//! first, so its calls travel over TCP.

use armilla::{
    Completion, Error, ExceptionKind, IdAssignment, Minor, Object, ObjectId, SystemException,
    Version,
};
use armilla_giop::{Message, ReplyStatus, decode_reply};
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::peer::{self, ORDERS, Peer, VERSIONS, Wire, request};
use armilla_tests::probe::everything::ChooseRaises;
use armilla_tests::probe::*;
use armilla_tests::servant::{Ear, Probe};
use std::fmt::Debug;

/// Runs a suite collocated, then remote in each version of GIOP.
fn near_and_far(suite: impl Fn(&EverythingRef)) {
    let server = Server::start();
    assert!(server.local.local().is_some());
    suite(&server.local);
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        let server = Server::start();
        let client = orbs::builder().max_giop(version).build().unwrap();
        let remote = server.remote(&client);
        assert!(remote.local().is_none());
        suite(&remote);
    }
}

/// Checks the echo rule with two different values, in every position.
fn check<T: Clone + PartialEq + Debug>(
    given: T,
    before: T,
    call: impl FnOnce(&T, &mut T) -> Result<(T, T), SystemException>,
) {
    let mut kept = before.clone();
    let (result, copy) = call(&given, &mut kept).unwrap();
    assert_eq!((result, copy, kept), (before, given.clone(), given));
}

#[test]
fn basic_values_arrive_in_every_direction() {
    near_and_far(|probe| {
        check(i16::MIN, i16::MAX, |g, k| probe.echo_short(*g, k));
        check(u16::MAX, 0, |g, k| probe.echo_ushort(*g, k));
        check(i32::MIN, i32::MAX, |g, k| probe.echo_long(*g, k));
        check(u32::MAX, 1, |g, k| probe.echo_ulong(*g, k));
        check(i64::MIN, i64::MAX, |g, k| probe.echo_longlong(*g, k));
        check(u64::MAX, 2, |g, k| probe.echo_ulonglong(*g, k));
        check(f32::MIN_POSITIVE, f32::NEG_INFINITY, |g, k| probe.echo_float(*g, k));
        check(f64::MAX, -0.0, |g, k| probe.echo_double(*g, k));
        check(b'a', b'z', |g, k| probe.echo_char(*g, k));
        check(true, false, |g, k| probe.echo_boolean(*g, k));
        check(0xff, 0, |g, k| probe.echo_octet(*g, k));
        check(Colour::Blue, Colour::Green, |g, k| probe.echo_colour(*g, k));
    });
}

#[test]
fn a_nan_keeps_its_bits() {
    near_and_far(|probe| {
        let nan = f64::from_bits(0x7ff8_0000_dead_beef);
        let (_, copy) = probe.echo_double(nan, &mut 0.0).unwrap();
        assert_eq!(copy.to_bits(), nan.to_bits());
    });
}

#[test]
fn texts_arrive_in_every_direction() {
    near_and_far(|probe| {
        check("héllo".to_owned(), String::new(), |g, k| probe.echo_string(g, k));
        check("x".repeat(100_000), "ÿ".to_owned(), |g, k| probe.echo_string(g, k));
        check("four".to_owned(), String::new(), |g, k| probe.echo_code(g, k));
    });
}

#[test]
fn texts_of_any_language_reach_a_peer_of_the_same_make() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    for probe in [&server.local, &remote] {
        check("ᚠ Ω 漢 🦀".to_owned(), "–".to_owned(), |g, k| probe.echo_string(g, k));
    }
}

fn point(n: u8) -> Point {
    Point { tag: n, x: f64::from(n) / 3.0, y: -i16::from(n) }
}

fn label(n: u8) -> Label {
    Label { text: "x".repeat(n.into()), shade: Colour::Green, place: point(n) }
}

fn tree(depth: usize) -> Tree {
    let leaf = Tree { name: "leaf".into(), children: Vec::new() };
    (0..depth).fold(leaf, |child, n| Tree { name: n.to_string(), children: vec![child] })
}

#[test]
fn structs_unions_and_arrays_arrive_in_every_direction() {
    near_and_far(|probe| {
        check(point(1), point(255), |g, k| probe.echo_point(g, k));
        check(label(7), label(0), |g, k| probe.echo_label(g, k));
        check(Choice::Number(-5), Choice::Text("five".into()), |g, k| probe.echo_choice(g, k));
        check(tree(20), tree(0), |g, k| probe.echo_tree(g, k));
        check([1, -2, i32::MAX], [0; 3], |g, k| probe.echo_triple(g, k));
    });
}

#[test]
fn sequences_arrive_in_every_direction() {
    near_and_far(|probe| {
        let octets = |n: usize| (0..n).map(|i| i as u8).collect::<Vec<_>>();
        for length in [0, 1, 8, 65_535, 200_000] {
            check(octets(length), octets(3), |g, k| probe.echo_octets(g, k));
        }
        let points = |n: u8| (0..n).map(point).collect::<Vec<_>>();
        check(points(200), points(0), |g, k| probe.echo_points(g, k));
        let labels = |n: u8| (0..n).map(label).collect::<Vec<_>>();
        check(labels(9), labels(2), |g, k| probe.echo_labels(g, k));
        check(vec!["".into(), "a".into()], vec![], |g, k| probe.echo_texts(g, k));
        check(vec![1, 2, 3], vec![], |g, k| probe.echo_few(g, k));
    });
}

#[test]
fn attributes_keep_what_they_are_set_to() {
    near_and_far(|probe| {
        probe.set_name("tycho").unwrap();
        assert_eq!(probe.name().unwrap(), "tycho");
        probe.set_place(&point(3)).unwrap();
        assert_eq!(probe.place().unwrap(), point(3));
        let before = probe.count().unwrap();
        assert_eq!(probe.increment().unwrap(), before + 1);
        assert_eq!(probe.count().unwrap(), before + 1);
    });
}

#[test]
fn exceptions_reach_the_caller_as_the_servant_raised_them() {
    near_and_far(|probe| {
        let mut note = "why not".to_owned();
        assert_eq!(probe.choose(0, &mut note).unwrap(), 42);
        assert_eq!(note, "why not!");
        let refused = Refused { reason: note.clone(), number: 1 };
        assert_eq!(probe.choose(1, &mut note), Err(Error::User(ChooseRaises::Refused(refused))));
        assert_eq!(probe.choose(2, &mut note), Err(Error::User(ChooseRaises::Empty(Empty))));
        let Err(Error::System(system)) = probe.choose(3, &mut note) else { panic!() };
        // The servant itself has refused the call, and says COMPLETED_NO.
        let got = (system.kind(), system.minor(), system.completed());
        assert_eq!(got, (ExceptionKind::NoPermission, Minor(7), Completion::No));
        assert_eq!(note, "why not!", "an exception leaves inout parameters alone");
    });
}

#[test]
fn oneway_calls_arrive_in_their_order() {
    near_and_far(|probe| {
        let texts: Vec<String> = (0..50).map(|n| n.to_string()).collect();
        texts.iter().for_each(|text| probe.remark(text).unwrap());
        assert_eq!(probe.remarks(50).unwrap(), texts);
    });
}

#[test]
fn references_arrive_in_every_direction_and_can_be_called() {
    let ears = orbs::listening();
    let (ear, listener) = Ear::activate(&ears);
    near_and_far(|probe| {
        check(listener.clone(), ListenerRef::nil(), |g, k| probe.echo_listener(g, k));
        let object = listener.object().clone();
        check(object, Object::nil(), |g, k| probe.echo_object(g, k));
        probe.call_back(&listener, "ring").unwrap();
        assert_eq!(ear.heard().pop().as_deref(), Some("ring"));
        let nil = probe.call_back(&ListenerRef::nil(), "nobody").unwrap_err();
        assert_eq!(nil.kind(), ExceptionKind::InvObjref);
        assert_eq!(probe.as_counted().unwrap().increment().unwrap(), probe.count().unwrap());
    });
    ears.shutdown();
}

#[test]
fn a_call_through_nil_names_nil() {
    let error = EverythingRef::nil().ping().unwrap_err();
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::InvObjref, Minor::NIL_REFERENCE));
    assert_eq!(error.completed(), Completion::No);
}

#[test]
fn a_bound_is_checked_before_anything_is_sent() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    let long = remote.echo_code("fives", &mut Code::new()).unwrap_err();
    let many = remote.echo_few(&[1, 2, 3, 4], &mut Few::new()).unwrap_err();
    for error in [long, many] {
        let got = (error.kind(), error.minor(), error.completed());
        assert_eq!(
            got,
            (ExceptionKind::BadParam, Minor::ENCODING_FAILED, Completion::No),
            "{error}"
        );
    }
    remote.ping().unwrap();
}

#[test]
fn a_result_that_cannot_be_encoded_is_reported_to_the_client() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    let error = remote.echo_string("a", &mut "nul\0".to_owned()).unwrap_err();
    assert_eq!((error.kind(), error.completed()), (ExceptionKind::BadParam, Completion::No));
    // The server cannot say this name: an attribute is set by a collocated call.
    server.local.set_name("nul\0").unwrap();
    let error = remote.name().unwrap_err();
    assert_eq!((error.kind(), error.completed()), (ExceptionKind::BadParam, Completion::Yes));
    remote.ping().unwrap();
}

#[test]
fn a_character_that_the_code_set_lacks_is_a_conversion_error() {
    let server = Server::start();
    // In GIOP 1.0 strings are ISO 8859-1.
    let client = orbs::builder().max_giop(Version::V1_0).build().unwrap();
    let error = server.remote(&client).set_name("漢").unwrap_err();
    let got = (error.kind(), error.completed());
    assert_eq!(got, (ExceptionKind::DataConversion, Completion::No), "{error}");
}

#[test]
fn messages_above_the_limit_are_refused_on_either_side_and_the_connection_stays() {
    let limited = || orbs::builder().settings(|s| s.max_message = 10_000);
    let server = Server::of(limited().listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let remote = server.remote(&limited().build().unwrap());
    let request = remote.echo_octets(&[0; 10_000], &mut Vec::new()).unwrap_err();
    let expected = (ExceptionKind::ImpLimit, Minor::MESSAGE_TOO_LARGE);
    assert_eq!((request.kind(), request.minor()), expected);
    assert_eq!(request.completed(), Completion::No);
    assert!(request.to_string().contains("max_message"), "{request}");

    let reply = remote.produce(10_000).unwrap_err();
    assert_eq!((reply.kind(), reply.minor()), expected);
    assert_eq!(reply.completed(), Completion::Yes);
    assert_eq!(remote.produce(9_000).unwrap().len(), 9_000);
}

#[test]
fn a_panic_of_the_servant_is_an_exception_and_nothing_else_suffers() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    let error = remote.panic("a test panics on purpose").unwrap_err();
    let got = (error.kind(), error.minor(), error.completed());
    assert_eq!(got, (ExceptionKind::Unknown, Minor::SERVANT_PANICKED, Completion::Maybe));
    remote.ping().unwrap();
}

#[test]
fn an_operation_of_another_interface_is_bad_and_says_which() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    for stranger in [server.local.object(), remote.object()] {
        let stranger: StrangerRef = stranger.assume();
        let error = stranger.wave().unwrap_err();
        assert_eq!(
            (error.kind(), error.completed()),
            (ExceptionKind::BadOperation, Completion::No)
        );
        let Err(Error::System(error)) = stranger.flail() else { panic!() };
        assert_eq!(error.kind(), ExceptionKind::BadOperation);
        assert_eq!(stranger.name().unwrap(), "", "what both interfaces have can be called");
    }
}

#[test]
fn a_connection_is_used_again() {
    let peer = Peer::answering(peer::done);
    let remote = peer.reference(&orbs::client(), Version::V1_2);
    (0..20).for_each(|_| remote.ping().unwrap());
    assert_eq!(peer.connections(), 1);
}

#[test]
fn objects_that_are_called_in_turn_over_one_connection_are_told_apart() {
    let server = orbs::listening();
    let builder = server.root_poa().create_poa("named").policy(IdAssignment::User);
    let poa = builder.build().unwrap();
    // Keys of one length and of others, so that headers serve again, or do not.
    let ids = ["a", "b", "cc", "dd", "e", "long enough to move what follows", "f"];
    let near = ids.map(|id| {
        let probe = everything::tie(Probe::default());
        let reference = poa.activate_with_id(ObjectId::from(id), probe).unwrap();
        reference.set_name(id).unwrap();
        reference
    });
    for (round, version) in (1..).zip(VERSIONS) {
        let client = orbs::builder().max_giop(version).build().unwrap();
        let far = near.each_ref().map(|reference| travel(reference, &client));
        for (id, object) in ids.iter().zip(&far).cycle().take(3 * ids.len()) {
            assert_eq!(object.name().unwrap(), *id, "GIOP {version}");
            object.ping().unwrap();
            object.remark(id).unwrap();
        }
        // By one operation, from object to object.
        far.iter().chain(&far).for_each(|object| object.ping().unwrap());
        let names: Vec<_> = far.iter().map(|object| object.name().unwrap()).collect();
        assert_eq!(names, ids, "GIOP {version}");
        for (id, object) in ids.iter().zip(&far) {
            let remarks = object.remarks(3 * round).unwrap();
            assert_eq!(remarks, vec![*id; 3 * round as usize], "GIOP {version}");
        }
    }
}

#[test]
fn requests_of_every_version_and_byte_order_are_answered_in_their_version() {
    let server = Server::start();
    let profile = server.local.object().ior().iiop_profiles().next().unwrap().unwrap();
    for (version, order) in VERSIONS.iter().flat_map(|v| ORDERS.map(|o| (*v, o))) {
        let mut wire = Wire::connect(server.address());
        let request = request(version, order, &profile.object_key, "echo_double", |out| {
            out.put_f64(1.5);
            out.put_f64(2.5);
            Ok(())
        });
        for _ in 0..2 {
            wire.send(&request);
            let octets = wire.message().unwrap();
            let message = Message::parse(&octets).unwrap().unwrap();
            assert_eq!(message.header.version, version);
            let (header, mut body) = decode_reply(&message).unwrap();
            assert_eq!(header.status, ReplyStatus::NoException);
            let values = [body.f64(), body.f64(), body.f64()].map(Result::unwrap);
            assert_eq!(values, [2.5, 1.5, 1.5], "{version} {order:?}");
        }
    }
}
