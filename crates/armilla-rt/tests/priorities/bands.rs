//! Priority-banded connections: what a client tells the server of a band, and at which priority the
//! server waits for the requests of such a connection.

use crate::common;
use armilla::transport::{IiopProfile, TaggedComponent};
use armilla::{Completion, ExceptionKind, Ior, Orb, SystemException, Version};
use armilla_rt::{
    ClientPolicies, DirectMapping, ExposedPolicies, NativeRange, PriorityModel, RtOrb, Threadpool,
    ThreadpoolOptions,
};
use common::wire::{Wire, key, read_message, word};
use common::*;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

const BIND: &str = "_bind_priority_band";

/// The service context `RTCorbaPriorityRange` for the band 21 to 50.
const RANGE: (u32, &[u8]) = (11, &[1, 0, 21, 0, 50, 0]);

/// A server without lanes whose threads wait at priority 5: an object with the priority of its
/// callers, and one without a priority model, which shows the priority of the thread as it is.
struct Served {
    orb: Orb,
    rt: RtOrb,
    pool: Threadpool,
    banded: SensorRef,
    plain: SensorRef,
}

impl Served {
    fn with_threads(threads: usize) -> Self {
        let (orb, rt) = server();
        let options = ThreadpoolOptions::new("pool", threads, 0, priority(5));
        let pool = rt.create_threadpool(options).unwrap();
        let sensor = |name: &str, model: Option<PriorityModel>| {
            let builder = rt.poa(orb.root_poa().create_poa(name)).threadpool(&pool);
            let builder = match model {
                Some(model) => builder.priority_model(model),
                None => builder,
            };
            builder.build().unwrap().activate(sensor_of(Station::new(&rt))).unwrap()
        };
        let banded = sensor("banded", Some(PriorityModel::ClientPropagated(priority(10))));
        let plain = sensor("plain", None);
        Self { orb, rt, pool, banded, plain }
    }

    fn connect(&self) -> Wire {
        let (host, port) = self.pool.report()[0].addresses[0].clone();
        Wire::connect((&host, port))
    }

    /// The keys of both objects.
    fn keys(&self) -> [Vec<u8>; 2] {
        [&self.banded, &self.plain].map(|sensor| key(&self.orb, sensor))
    }
}

/// The name of the exception in a reply.
fn exception((status, body): (u32, Vec<u8>)) -> String {
    assert_eq!(status, 2, "a system exception");
    let id = String::from_utf8(body[4..3 + word(&body, 0) as usize].to_vec()).unwrap();
    id.trim_start_matches("IDL:omg.org/CORBA/").trim_end_matches(":1.0").to_owned()
}

#[test]
fn a_bound_connection_waits_at_the_highest_priority_of_its_band_and_no_other_does() {
    let served = Served::with_threads(2);
    let [banded, plain] = served.keys();
    let (mut bound, mut other) = (served.connect(), served.connect());
    assert_eq!((bound.short(&plain, "priority"), other.short(&plain, "priority")), (5, 5));
    assert_eq!(bound.call(&banded, BIND, &[RANGE]), (0, Vec::new()), "a reply without results");
    assert_eq!((bound.short(&plain, "priority"), other.short(&plain, "priority")), (50, 5));
    if may_be_real_time() {
        assert_eq!(bound.string(&plain, "scheduling"), "SCHED_FIFO 50");
        assert_eq!(other.string(&plain, "scheduling"), "SCHED_FIFO 5");
    }
    assert_eq!(bound.call(&banded, BIND, &[RANGE]), (0, Vec::new()), "the same band again");
    let own: (u32, &[u8]) = (10, &[1, 0, 30, 0]);
    let (_, body) = bound.call(&banded, "priority", &[own]);
    assert_eq!(i16::from_ne_bytes([body[0], body[1]]), 30, "a servant has that of its request");
    assert_eq!(bound.short(&plain, "priority"), 50);
    served.orb.shutdown();
}

#[test]
fn the_thread_of_a_bound_connection_goes_back_to_its_own_priority() {
    let served = Served::with_threads(1);
    let [banded, plain] = served.keys();
    let mut bound = served.connect();
    assert_eq!(bound.string(&plain, "thread"), "lane5-serve");
    bound.call(&banded, BIND, &[RANGE]);
    assert_eq!(bound.short(&plain, "priority"), 50);
    drop(bound);
    until("the thread serves another connection, at its own priority", || {
        let mut next = served.connect();
        let thread = next.string(&plain, "thread");
        assert_eq!(next.short(&plain, "priority"), 5, "{thread}");
        thread == "lane5-serve"
    });
    served.orb.shutdown();
}

#[test]
fn the_reactor_serves_bound_connections_at_their_priority_too() {
    let served = Served::with_threads(1);
    let [banded, plain] = served.keys();
    let mut with_thread = served.connect();
    assert_eq!(with_thread.string(&plain, "thread"), "lane5-serve");
    let (mut bound, mut other) = (served.connect(), served.connect());
    assert_ne!(bound.string(&plain, "thread"), "lane5-serve");
    assert_eq!(bound.call(&banded, BIND, &[RANGE]), (0, Vec::new()));
    for _ in 0..10 {
        assert_eq!((bound.short(&plain, "priority"), other.short(&plain, "priority")), (50, 5));
    }
    served.orb.shutdown();
}

#[test]
fn bands_that_are_malformed_or_contradict_the_server_are_refused() {
    let served = Served::with_threads(2);
    let [banded, plain] = served.keys();
    let root = served.orb.root_poa();
    let poa = |name: &str, model, bands: &[(i16, i16)]| {
        let bands = bands.iter().map(|(low, high)| (priority(*low), priority(*high)));
        let builder = served.rt.poa(root.create_poa(name)).threadpool(&served.pool);
        let poa = builder.priority_model(model).priority_bands(bands.collect::<Vec<_>>()).build();
        let sensor = poa.unwrap().activate(sensor_of(Station::new(&served.rt))).unwrap();
        key(&served.orb, &sensor)
    };
    let declaring = poa("declaring", PriorityModel::ServerDeclared(priority(60)), &[]);
    let propagated = PriorityModel::ClientPropagated(priority(10));
    let with_bands = poa("with_bands", propagated, &[(0, 20), (21, 90)]);
    let mut wire = served.connect();
    let no_poa = key(&served.orb, &root.activate(sensor_of(Station::new(&served.rt))).unwrap());
    for (key, contexts, expected) in [
        (&banded, &[][..], "BAD_PARAM"),
        (&banded, &[(11, &[1, 0, 21][..])], "BAD_PARAM"),
        (&banded, &[(11, &[1, 0, 50, 0, 21, 0])], "BAD_PARAM"),
        (&banded, &[(11, &[1, 0, 0, 0x80, 21, 0])], "BAD_PARAM"),
        (&declaring, &[RANGE], "INV_POLICY"),
        (&with_bands, &[RANGE], "INV_POLICY"),
        (&plain, &[RANGE], "BAD_OPERATION"),
        (&no_poa, &[RANGE], "BAD_OPERATION"),
    ] {
        assert_eq!(exception(wire.call(key, BIND, contexts)), expected, "{contexts:?}");
        assert_eq!(wire.short(&plain, "priority"), 5, "nothing has changed");
    }
    assert_eq!(wire.call(&banded, BIND, &[RANGE]), (0, Vec::new()));
    let other: (u32, &[u8]) = (11, &[1, 0, 51, 0, 90, 0]);
    assert_eq!(exception(wire.call(&banded, BIND, &[other])), "INV_POLICY", "another band");
    assert_eq!(wire.short(&plain, "priority"), 50);
    served.orb.shutdown();
}

#[test]
fn a_lane_takes_the_connections_of_bands_with_its_priority_only() {
    let (orb, rt) = server();
    let options = ThreadpoolOptions::with_lanes("two");
    let lanes = options.lane(priority(10), 1, 0).lane(priority(50), 1, 0);
    let pool = rt.create_threadpool(lanes).unwrap();
    let poa = rt.poa(orb.root_poa().create_poa("lanes")).threadpool(&pool);
    let propagated = PriorityModel::ClientPropagated(priority(10));
    let poa = poa.priority_model(propagated).build().unwrap();
    let sensor = poa.activate(sensor_of(Station::new(&rt))).unwrap();
    let key = key(&orb, &sensor);
    let lanes = pool.report();
    let connect = |lane: usize| {
        let (host, port) = &lanes[lane].addresses[0];
        Wire::connect((host, *port))
    };
    let (mut high, mut low) = (connect(0), connect(1));
    assert_eq!(high.call(&key, BIND, &[RANGE]), (0, Vec::new()));
    assert_eq!(exception(low.call(&key, BIND, &[RANGE])), "INV_POLICY");
    orb.shutdown();
}

#[test]
fn requests_outside_the_band_of_their_connection_are_refused() {
    let served = Served::with_threads(2);
    let [banded, plain] = served.keys();
    let builder = served.rt.poa(served.orb.root_poa().create_poa("declaring"));
    let declaring = builder.threadpool(&served.pool);
    let declaring = declaring.priority_model(PriorityModel::ServerDeclared(priority(60)));
    let declared = declaring.build().unwrap().activate(sensor_of(Station::new(&served.rt)));
    let declared = key(&served.orb, &declared.unwrap());
    let mut bound = served.connect();
    assert_eq!(bound.call(&banded, BIND, &[RANGE]), (0, Vec::new()));
    for (order, low, high) in [(1, [30, 0], [51, 0]), (0, [0, 30], [0, 20])] {
        let [inside, outside] = [low, high].map(|[first, second]| [order, 0, first, second]);
        assert_eq!(bound.call(&banded, "ping", &[(10, &inside)]).0, 0);
        assert_eq!(exception(bound.call(&banded, "ping", &[(10, &outside)])), "INV_POLICY");
    }
    assert_eq!(exception(bound.call(&banded, "ping", &[])), "INV_POLICY", "10, the server's");
    assert_eq!(exception(bound.call(&declared, "ping", &[])), "INV_POLICY", "60, declared");
    assert_eq!(bound.short(&plain, "priority"), 50, "without a model it has no priority");
    let mut other = served.connect();
    assert_eq!(other.call(&banded, "ping", &[(10, &[1, 0, 51, 0])]).0, 0, "without a band");
    assert_eq!(other.call(&declared, "ping", &[]).0, 0);
    served.orb.shutdown();
}

#[test]
fn a_bound_connection_waits_at_the_highest_priority_declared_for_what_it_calls() {
    let served = Served::with_threads(2);
    let builder = served.rt.poa(served.orb.root_poa().create_poa("declaring"));
    let declaring = builder.threadpool(&served.pool);
    let declaring = declaring.priority_model(PriorityModel::ServerDeclared(priority(25)));
    let declaring = declaring.build().unwrap();
    let keys = [25, 40, 30, 45].map(|number| {
        let servant = sensor_of(Station::new(&served.rt));
        key(&served.orb, &declaring.activate_with_priority(servant, priority(number)).unwrap())
    });
    let [_, plain] = served.keys();
    let mut bound = served.connect();
    let mut waits_at = |called: usize, operation: &str, contexts: &[(u32, &[u8])]| {
        assert_eq!(bound.call(&keys[called], operation, contexts).0, 0);
        bound.short(&plain, "priority")
    };
    assert_eq!(waits_at(0, BIND, &[RANGE]), 25);
    assert_eq!(waits_at(1, BIND, &[RANGE]), 40, "another object is bound");
    assert_eq!(waits_at(2, BIND, &[RANGE]), 40);
    assert_eq!(waits_at(0, "ping", &[]), 40);
    assert_eq!(waits_at(3, "ping", &[]), 45, "it was not bound");
    assert_eq!(waits_at(2, "ping", &[]), 45);
    served.orb.shutdown();
}

/// A client with bands, and a thread of priority 50 for its calls.
fn banded_client() -> (Orb, RtOrb) {
    let orb = Orb::new().unwrap();
    let rt = RtOrb::new(&orb).with_mapping(DirectMapping(NativeRange::FIFO));
    let bands = ClientPolicies::new().band(priority(0), priority(20));
    rt.set_client_policies(bands.band(priority(21), priority(50))).unwrap();
    (orb, rt)
}

fn at_50<T: Send>(rt: &RtOrb, call: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let run = || {
            // Without the privilege the thread has the CORBA priority all the same.
            rt.current().set_priority(priority(50)).ok();
            call()
        };
        scope.spawn(run).join().unwrap()
    })
}

#[test]
fn a_client_binds_each_connection_before_its_first_call() {
    let served = Served::with_threads(4);
    for validated in [false, true] {
        let (client, rt) = banded_client();
        let banded = remote(&served.orb, &client, &served.banded);
        let plain = remote(&served.orb, &client, &served.plain);
        at_50(&rt, || match validated {
            true => assert!(rt.validate_connection(banded.object()).unwrap()),
            false => assert_eq!(banded.priority().unwrap(), 50),
        });
        // It goes over the same connection, whose thread shows its own priority.
        assert_eq!(at_50(&rt, || plain.priority()).unwrap(), 50, "validated: {validated}");
        client.shutdown();
    }
    let (client, rt) = banded_client();
    let banded = remote(&served.orb, &client, &served.banded);
    let plain = remote(&served.orb, &client, &served.plain);
    let called = at_50(&rt, || (banded.priority_async().wait(), plain.priority_async().wait()));
    assert_eq!((called.0.unwrap(), called.1.unwrap()), (50, 50), "asynchronous");
    client.shutdown();
    served.orb.shutdown();
}

/// A server without an ORB, and a reference to it with the model CLIENT_PROPAGATED.
fn foreign_server() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let model = Some(PriorityModel::ClientPropagated(priority(0)));
    let policies = ExposedPolicies { model, bands: Vec::new() };
    let components: Vec<TaggedComponent> = vec![policies.to_component().unwrap()];
    let (host, port) = ("127.0.0.1".to_owned(), listener.local_addr().unwrap().port());
    let object_key = b"key".to_vec();
    let profile = IiopProfile { version: Version::V1_2, host, port, object_key, components };
    let profiles = vec![profile.to_tagged().unwrap()];
    let ior = Ior { type_id: "IDL:Station/Sensor:1.0".into(), profiles };
    (listener, ior.to_text().unwrap())
}

/// Replies to a request: with this exception, or without results.
fn reply(stream: &mut TcpStream, request: &[u8], exception: Option<&str>) {
    let mut body = Vec::new();
    body.extend(request[12..16].iter());
    body.extend(if exception.is_some() { 2u32 } else { 0 }.to_ne_bytes());
    body.extend(0u32.to_ne_bytes());
    if let Some(name) = exception {
        let id = format!("IDL:omg.org/CORBA/{name}:1.0\0");
        body.extend((id.len() as u32).to_ne_bytes());
        body.extend(id.as_bytes());
        body.resize(body.len().next_multiple_of(4), 0);
        // No minor code, and COMPLETED_NO.
        body.extend([0u32.to_ne_bytes(), 1u32.to_ne_bytes()].concat());
    }
    let flags = u8::from(cfg!(target_endian = "little"));
    let mut message = [b"GIOP", &[1, 2, flags, 1][..]].concat();
    message.extend((body.len() as u32).to_ne_bytes());
    message.extend(body);
    stream.write_all(&message).unwrap();
}

/// Whether a request contains these octets.
fn contains(request: &[u8], octets: &[u8]) -> bool {
    request.windows(octets.len()).any(|window| window == octets)
}

/// Calls a server that answers the bind request with this exception. Returns what the call ended
/// with, and whether its request has arrived.
fn call_after(exception: &'static str) -> (Result<(), SystemException>, bool) {
    let (listener, text) = foreign_server();
    let (client, rt) = banded_client();
    let sensor: SensorRef = client.string_to_object(&text).unwrap().assume();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let bind = read_message(&mut stream);
        assert!(contains(&bind, b"\x14\0\0\0_bind_priority_band\0"), "the operation, 20 octets");
        let [l0, l1] = 21i16.to_ne_bytes();
        let [h0, h1] = 50i16.to_ne_bytes();
        let order = u8::from(cfg!(target_endian = "little"));
        let context = [&11u32.to_ne_bytes()[..], &6u32.to_ne_bytes(), &[order, 0, l0, l1, h0, h1]];
        assert!(contains(&bind, &context.concat()), "the context: {bind:?}");
        reply(&mut stream, &bind, Some(exception));
        let mut first = [0];
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        if !matches!(stream.peek(&mut first), Ok(1)) {
            return false;
        }
        let call = read_message(&mut stream);
        // A connection that is not used is closed in order.
        let is_request = call[7] == 0;
        if is_request {
            assert!(contains(&call, b"\x05\0\0\0ping\0") && !contains(&call, b"_bind"));
            assert!(contains(&call, &[&10u32.to_ne_bytes()[..], &4u32.to_ne_bytes()].concat()));
            reply(&mut stream, &call, None);
        }
        is_request
    });
    let called = at_50(&rt, || sensor.ping());
    client.shutdown();
    (called, server.join().unwrap())
}

#[test]
fn a_client_goes_on_if_the_server_does_not_know_bands() {
    for exception in ["BAD_OPERATION", "OBJECT_NOT_EXIST", "NO_IMPLEMENT"] {
        let (called, has_arrived) = call_after(exception);
        called.unwrap();
        assert!(has_arrived, "{exception}");
    }
}

#[test]
fn a_call_fails_without_being_sent_if_the_server_refuses_its_band() {
    let (called, has_arrived) = call_after("INV_POLICY");
    let exception = called.unwrap_err();
    assert_eq!(
        (exception.kind(), exception.completed()),
        (ExceptionKind::InvPolicy, Completion::No)
    );
    assert!(!has_arrived);
}
