//! Bidirectional GIOP: calls to a client's objects go over the connection that the client has made.

use armilla::{
    AcceptBidirectional, Any, ConnectionPolicy, ExceptionKind, Minor, Orb, ReplyFuture, Settings,
    SystemException, Version,
};
use armilla_giop::{
    BIDIRECTIONAL_CONTEXT, ListenPoint, ListenPoints, Message, MessageHeader, MessageKind,
    OutgoingRequest, ResponseFlags, TargetAddress, begin_request, decode_request, put_body,
};
use armilla_tests::gate::{PATIENCE, eventually};
use armilla_tests::orbs::{self, CONCURRENCIES, Server, travel};
use armilla_tests::peer::{self, Peer, Wire, done};
use armilla_tests::probe::*;
use armilla_tests::servant::Ear;
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;
use std::time::Duration;

/// A server that calls clients back over their own connections.
fn accepting(how: AcceptBidirectional) -> Server {
    Server::of(orbs::listening_with(|settings| settings.accept_bidirectional = how))
}

/// A client that nobody can connect to: its references carry an address at which nobody listens.
fn unreachable_with(change: impl FnOnce(&mut Settings)) -> Orb {
    let endpoint = format!("iiop://127.0.0.1:0?publish=127.0.0.1:{}", peer::dead_port());
    let builder = orbs::builder().listen(&endpoint).unwrap().settings(|settings| {
        settings.offer_bidirectional = true;
    });
    builder.settings(change).build().unwrap()
}

fn unreachable() -> Orb {
    unreachable_with(|_| {})
}

/// An object of the client, in a POA that takes calls over connections that the client has made.
fn ear(client: &Orb) -> (Arc<Ear>, ListenerRef) {
    let poa = client.root_poa().create_poa("both ways").bidirectional().build().unwrap();
    let ear = Arc::new(Ear::default());
    let reference = poa.activate(ear.clone() as Arc<dyn Listener>).unwrap();
    ear.myself.set(reference.clone()).unwrap();
    (ear, reference)
}

fn hear(remote: &ListenerRef, text: &str) -> ReplyFuture<()> {
    remote.invoke_async("hear", |out| out.put_string(text), |_| Ok(()))
}

fn block(remote: &EverythingRef) -> ReplyFuture<()> {
    remote.invoke_async("block", |_| Ok(()), |_| Ok(()))
}

#[test]
fn a_client_that_nobody_can_connect_to_is_called_back() {
    for concurrency in CONCURRENCIES {
        let server = Server::of(orbs::listening_with(|settings| {
            settings.accept_bidirectional = AcceptBidirectional::Checked;
            settings.concurrency = concurrency;
        }));
        let client = unreachable_with(|settings| settings.concurrency = concurrency);
        let (ear, me) = ear(&client);
        let remote = server.remote(&client);
        for text in ["first", "second", "third"] {
            remote.call_back(&me, text).unwrap();
        }
        assert_eq!(ear.heard(), ["first", "second", "third"], "{concurrency}");
    }
}

#[test]
fn it_is_called_back_by_none_who_does_not_accept_and_not_where_it_does_not_offer() {
    for (offers, accepts) in
        [(true, AcceptBidirectional::Never), (false, AcceptBidirectional::Checked)]
    {
        let server = accepting(accepts);
        let client = unreachable_with(|settings| settings.offer_bidirectional = offers);
        let (ear, me) = ear(&client);
        let error = server.remote(&client).call_back(&me, "in vain").unwrap_err();
        assert_eq!(error.minor(), Minor::CONNECT_FAILED, "{error}");
        assert!(ear.heard().is_empty());
    }
}

#[test]
fn objects_are_called_that_way_only_if_their_poa_says_so() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let (ear, me) = Ear::activate(&client);
    let error = server.remote(&client).call_back(&me, "in vain").unwrap_err();
    assert_eq!(
        (error.kind(), error.minor()),
        (ExceptionKind::NoPermission, Minor::CONNECTION_NOT_BIDIRECTIONAL)
    );
    assert!(ear.heard().is_empty());
    let held = travel(&me, &server.orb);
    assert_eq!(held.object().locate(), Ok(false));
}

#[test]
fn the_server_calls_whenever_it_likes_and_in_every_style() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let (ear, me) = ear(&client);
    server.remote(&client).ping().unwrap();
    let held = travel(&me, &server.orb);
    assert_eq!(held.object().locate(), Ok(true));
    assert_eq!(held.object().non_existent(), Ok(false));
    held.hear("twoway").unwrap();
    held.with_connection_policy(ConnectionPolicy::Multiplexed).hear("shared").unwrap();
    hear(&held, "asynchronous").wait().unwrap();
    let replies: Vec<ReplyFuture<()>> =
        (0..100).map(|number| hear(&held, &number.to_string())).collect();
    replies.into_iter().for_each(|reply| reply.wait().unwrap());
    assert_eq!(ear.heard().len(), 103);
    assert_eq!(ear.heard()[..3], ["twoway", "shared", "asynchronous"]);
}

#[test]
fn calls_nest_in_both_directions_on_one_connection() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let (_, me) = ear(&client);
    assert_eq!(server.remote(&client).descend(&me, 40), Ok(40));
}

#[test]
fn many_calls_nest_in_both_directions_at_once() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let (_, me) = ear(&client);
    let remote = server.remote(&client);
    remote.ping().unwrap();
    let held = travel(&me, &server.orb);
    let together = Barrier::new(8);
    thread::scope(|scope| {
        for thread in 0..8 {
            let (remote, held, me, server) = (&remote, &held, &me, &server);
            let together = &together;
            scope.spawn(move || {
                together.wait();
                for depth in 0..8 {
                    let nested = match thread % 2 {
                        0 => remote.descend(me, depth),
                        _ => held.descend(&server.local, depth),
                    };
                    assert_eq!(nested, Ok(depth));
                }
            });
        }
    });
}

/// Neither end may wait for the other to read before it reads itself.
#[test]
fn both_ends_send_more_than_the_connection_holds_at_once() {
    const SIZE: usize = 3 << 20;
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable_with(|settings| settings.fragment_size = Some(1 << 16));
    let poa = client.root_poa().create_poa("both ways").bidirectional().build().unwrap();
    let mine =
        poa.activate(Arc::new(armilla_tests::servant::Probe::default()) as Arc<dyn Everything>);
    let mine: EverythingRef = mine.unwrap();
    let remote = server.remote(&client);
    remote.ping().unwrap();
    let held = travel(&mine, &server.orb);
    thread::scope(|scope| {
        for number in 0..8 {
            let called = if number % 2 == 0 { &remote } else { &held };
            scope.spawn(move || {
                let given = vec![number; SIZE];
                for _ in 0..3 {
                    let mut kept = Vec::new();
                    let (was, copy) = called.echo_octets(&given, &mut kept).unwrap();
                    assert!(was.is_empty() && copy == given && kept == given);
                }
            });
        }
    });
}

/// Calls its partner back, in the style that it is told, and says what came of it.
struct Chatterer {
    partner: ListenerRef,
    outcomes: Mutex<mpsc::Sender<Result<(), SystemException>>>,
}

impl Listener for Chatterer {
    fn hear(&self, style: &str) -> Result<(), SystemException> {
        let outcome = match style {
            "waiting" => self.partner.hear(style),
            _ => hear(&self.partner, style).wait(),
        };
        self.outcomes.lock().unwrap().send(outcome).ok();
        Ok(())
    }

    fn descend(&self, _: &EverythingRef, _: i32) -> Result<i32, SystemException> {
        Ok(0)
    }
}

#[test]
fn a_oneway_call_may_call_back() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let (_, me) = ear(&client);
    let (sender, receiver) = mpsc::channel();
    // A thread in a oneway call is given up after a second, and another reads then.
    let partner = travel(&me, &server.orb).with_timeout(Duration::from_millis(900));
    let chatterer = Arc::new(Chatterer { partner, outcomes: Mutex::new(sender) });
    let local: ListenerRef = server.root_poa().activate(chatterer as Arc<dyn Listener>).unwrap();
    let remote = travel(&local, &client);
    for style in ["waiting", "asynchronous"] {
        let mut request = remote.object().request("hear");
        request.add_in("text", Any::new(style).unwrap());
        let call = || {
            request.send_oneway().unwrap();
            receiver.recv_timeout(PATIENCE).unwrap()
        };
        // The machine may be so busy that it takes as long once.
        let outcomes: Vec<_> = (0..5).map(|_| call()).take_while(Result::is_err).collect();
        assert!(outcomes.len() < 5, "{style}: {outcomes:?}");
    }
}

#[test]
fn a_callback_that_takes_too_long_ends_in_time_and_the_connection_serves_on() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let poa = client.root_poa().create_poa("both ways").bidirectional().build().unwrap();
    let probe = Arc::new(armilla_tests::servant::Probe::default());
    let mine: EverythingRef = poa.activate(probe.clone() as Arc<dyn Everything>).unwrap();
    let remote = server.remote(&client);
    remote.ping().unwrap();
    let held = travel(&mine, &server.orb);
    let error = held.with_timeout(Duration::from_millis(30)).block().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::Timeout, "{error}");
    held.ping().unwrap();
    remote.ping().unwrap();
    drop(block(&held));
    probe.gate.open();
    held.ping().unwrap();
}

#[test]
fn when_the_connection_ends_calls_under_way_hear_of_it_and_a_new_one_serves_on() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let poa = client.root_poa().create_poa("both ways").bidirectional().build().unwrap();
    let probe = Arc::new(armilla_tests::servant::Probe::default());
    let mine: EverythingRef = poa.activate(probe.clone() as Arc<dyn Everything>).unwrap();
    let dead = client.published_addresses().unwrap()[0].clone();
    server.remote(&client).ping().unwrap();
    let held = travel(&mine, &server.orb);
    let waiting = block(&held);
    probe.gate.await_waiting(1);
    probe.gate.open();
    waiting.wait().unwrap();
    client.shutdown();
    let error = held.ping().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::Transient, "{error}");
    // The same address, as when the client is started again.
    let again = orbs::builder()
        .publish_address(&format!("{}:{}", dead.0, dead.1))
        .unwrap()
        .settings(|settings| settings.offer_bidirectional = true)
        .build()
        .unwrap();
    let (ear, me) = ear(&again);
    server.remote(&again).call_back(&me, "back").unwrap();
    assert_eq!(ear.heard(), ["back"]);
    let error = held.ping().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::ObjectNotExist, "the object is gone: {error}");
}

#[test]
fn a_server_that_shuts_down_lets_calls_end_that_call_back() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let (ear, me) = ear(&client);
    let remote = server.remote(&client);
    thread::scope(|scope| {
        let call = scope.spawn(|| remote.block_and_call_back(&me, "late"));
        server.probe.gate.await_waiting(1);
        let shutdown = scope.spawn(|| server.orb.shutdown());
        server.probe.gate.open();
        call.join().unwrap().unwrap();
        shutdown.join().unwrap();
    });
    assert_eq!(ear.heard(), ["late"]);
    let error = remote.ping().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::Transient, "{error}");
}

#[test]
fn a_connection_that_is_offered_is_not_closed_for_being_idle() {
    let brief = |settings: &mut Settings| {
        settings.accept_bidirectional = AcceptBidirectional::Checked;
        settings.server_idle = Duration::from_millis(40);
        settings.client_idle = Duration::from_millis(40);
    };
    let server = Server::of(orbs::listening_with(brief));
    let client = unreachable_with(brief);
    let (ear, me) = ear(&client);
    server.remote(&client).ping().unwrap();
    // Another connection is; when it has gone so would have this one.
    let other = orbs::client();
    let witness = Wire::connect(server.address());
    drop(other);
    assert_eq!(
        {
            let mut witness = witness;
            witness.until_end()
        },
        [MessageKind::CloseConnection]
    );
    travel(&me, &server.orb).hear("still there").unwrap();
    assert_eq!(ear.heard(), ["still there"]);
}

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
fn what_a_hostile_client_says_of_listen_points_harms_nobody_else() {
    let server = accepting(AcceptBidirectional::Checked);
    let many: Vec<(&str, u16)> = (1..10_000).map(|port| ("127.0.0.1", port)).collect();
    let mut wire = offer(&server, &many);
    // A reply that nobody waits for, before there was any call in that direction.
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
fn a_client_that_does_not_read_keeps_nobody_waiting_longer_than_the_call_may_take() {
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
