//! What TAO expects of a server with priorities, and what its servers expect of a client.

use crate::common;
use armilla::transport::{Component, IiopProfile, TaggedComponent};
use armilla::{Ior, Orb, Version};
use armilla_rt::{
    ClientPolicies, ExposedPolicies, LinearMapping, NativeRange, Priority, PriorityModel, RtOrb,
    TaoEndpoints, Threadpool, ThreadpoolOptions,
};
use common::wire::{Wire, key, profile, read_message};
use common::*;
use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

type Bands = Vec<(Priority, Priority)>;

fn bands(edges: &[(i16, i16)]) -> Bands {
    edges.iter().map(|(low, high)| (priority(*low), priority(*high))).collect()
}

/// A server whose object runs in these lanes at the priority of its callers.
struct Served {
    orb: Orb,
    pool: Threadpool,
    sensor: SensorRef,
}

impl Served {
    fn with(lanes: &[i16], default: i16, bands: &[(i16, i16)]) -> Self {
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let rt = RtOrb::new(&orb).with_mapping(LinearMapping(NativeRange::FIFO));
        let none = ThreadpoolOptions::with_lanes("lanes");
        let lanes = lanes.iter().fold(none, |all, lane| all.lane(priority(*lane), 1, 0));
        let pool = rt.create_threadpool(lanes).unwrap();
        let model = PriorityModel::ClientPropagated(priority(default));
        let poa = rt.poa(orb.root_poa().create_poa("lanes")).threadpool(&pool);
        let poa = poa.priority_model(model).priority_bands(self::bands(bands)).build().unwrap();
        let sensor = poa.activate(sensor_of(Station::new(&rt))).unwrap();
        Self { orb, pool, sensor }
    }

    /// The priorities that the reference lists with its endpoints, in order.
    fn listed(&self) -> Vec<i16> {
        let profile = profile(&self.orb.object_to_string(&self.sensor).unwrap());
        let found =
            profile.components.iter().find_map(|one| TaoEndpoints::from_tagged(one).ok()?);
        let endpoints = found.unwrap().0;
        // TAO takes the host and the port of the first entry from the profile.
        let first = (endpoints[0].host.clone(), endpoints[0].port);
        assert_eq!(first, (profile.host, profile.port));
        endpoints.iter().map(|endpoint| endpoint.priority.unwrap().get()).collect()
    }

    fn connect(&self, lane: i16) -> Wire {
        let report = self.pool.report();
        let lane = report.iter().find(|one| one.priority == priority(lane)).unwrap();
        let (host, port) = &lane.addresses[0];
        Wire::connect((host, *port))
    }
}

fn client() -> (Orb, RtOrb) {
    let orb = Orb::new().unwrap();
    let rt = RtOrb::new(&orb).with_mapping(LinearMapping(NativeRange::FIFO));
    (orb, rt)
}

#[test]
fn the_first_endpoint_in_the_list_is_that_of_the_profile() {
    let all = [0, 5_000, 10_000, 15_000, 20_000, 25_000];
    for default in all {
        let served = Served::with(&all, default, &[]);
        let listed = served.listed();
        assert_eq!(listed[0], default);
        let mut sorted = listed.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, all, "each once");
        served.orb.shutdown();
    }
}

/// The context 10 of a reply to this call of the object, with the octets of the request.
fn repeated(wire: &mut Wire, key: &[u8], operation: &str, sent: &[u8]) -> Option<Vec<u8>> {
    let (_, contexts, _) = wire.call_for_contexts(key, operation, &[(10, sent)]);
    let mut own = contexts.into_iter().filter(|(id, _)| *id == 10);
    let found = own.next().map(|(_, data)| data);
    assert!(own.next().is_none(), "once");
    found
}

#[test]
fn a_reply_repeats_the_priority_of_its_request() {
    let (orb, rt) = server();
    let pool = rt.create_threadpool(ThreadpoolOptions::new("plain", 2, 0, priority(5))).unwrap();
    let activate = |name: &str, model| {
        let poa = rt.poa(orb.root_poa().create_poa(name)).threadpool(&pool).priority_model(model);
        let sensor = poa.build().unwrap().activate(sensor_of(Station::new(&rt))).unwrap();
        key(&orb, &sensor)
    };
    let propagated = activate("propagated", PriorityModel::ClientPropagated(priority(10)));
    let declared = activate("declared", PriorityModel::ServerDeclared(priority(10)));
    let (host, port) = pool.report()[0].addresses[0].clone();
    let mut wire = Wire::connect((&host, port));
    // Both byte orders, and whatever the octet has that aligns; results and exceptions.
    for sent in [&[1, 0, 30, 0][..], &[0, 0, 0, 30], &[1, 7, 30, 0]] {
        for operation in ["ping", "priority", "unheard_of", "_non_existent"] {
            let got = repeated(&mut wire, &propagated, operation, sent);
            assert_eq!(got.as_deref(), Some(sent), "{operation}");
        }
    }
    // Nothing that was not there, or that no client propagates, or that nobody can read.
    assert!(wire.call_for_contexts(&propagated, "ping", &[]).1.is_empty());
    assert_eq!(repeated(&mut wire, &declared, "ping", &[1, 0, 30, 0]), None);
    assert_eq!(repeated(&mut wire, &propagated, "ping", &[1, 0]), None);
    orb.shutdown();
}

#[test]
fn an_asynchronous_reply_and_one_of_a_lane_repeat_the_priority_too() {
    let served = Served::with(&[0, 5_000], 0, &[]);
    let key_of_lanes = key(&served.orb, &served.sensor);
    let sent = [1, 0, 0x88, 0x13];
    assert_eq!(
        repeated(&mut served.connect(5_000), &key_of_lanes, "ping", &sent).as_deref(),
        Some(&sent[..])
    );
    served.orb.shutdown();
    let (orb, rt) = server();
    let poa = rt.poa(orb.root_poa().create_poa("late"));
    let poa = poa.priority_model(PriorityModel::ClientPropagated(priority(10))).build().unwrap();
    let station = Station::new(&rt);
    let sensor: SensorRef = poa.activate(deferring(station.clone())).unwrap().object().assume();
    let (address, key) = (profile(&orb.object_to_string(&sensor).unwrap()), key(&orb, &sensor));
    let late = std::thread::spawn(move || {
        let mut wire = Wire::connect((&address.host, address.port));
        repeated(&mut wire, &key, "wait", &[1, 0, 30, 0])
    });
    until("the servant has put its reply off", || !station.deferred.lock().unwrap().is_empty());
    station.deferred.lock().unwrap().drain(..).for_each(|reply| reply.complete(Ok(())));
    assert_eq!(late.join().unwrap().as_deref(), Some(&[1, 0, 30, 0][..]));
    orb.shutdown();
}

const LANES: [i16; 5] = [5_000, 10_000, 15_000, 20_000, 25_000];
const APART: [(i16, i16); 5] =
    [(0, 5_000), (5_001, 10_000), (10_001, 15_000), (15_001, 20_000), (20_001, 25_000)];
/// As the bands of TAO's Linear_Priority: each begins where another one ends.
const SHARING: [(i16, i16); 5] =
    [(0, 5_000), (5_000, 10_000), (10_000, 15_000), (15_000, 20_000), (20_000, 25_000)];

#[test]
fn the_band_of_a_call_selects_its_lane() {
    for (of_server, of_client) in
        [(&APART[..], &[][..]), (&[], &APART), (&APART, &APART), (&SHARING, &[]), (&[], &SHARING)]
    {
        let default = if of_server.is_empty() { 5_000 } else { 2_500 };
        let served = Served::with(&LANES, default, of_server);
        assert_eq!(served.listed()[0], 5_000, "that of the default priority");
        let (client, rt) = client();
        let policies = bands(of_client).into_iter();
        let policies = policies.fold(ClientPolicies::new(), |all, (low, high)| all.band(low, high));
        rt.set_client_policies(policies).unwrap();
        let sensor = remote(&served.orb, &client, &served.sensor);
        for lane in LANES {
            for own in [lane - 2_500, lane - 1, lane] {
                let (number, threads) = at(&rt, own, || {
                    let threads = [sensor.thread(), sensor.thread_async().wait()];
                    (sensor.priority().unwrap(), threads.map(Result::unwrap))
                });
                // Where two lanes are in a band, a call at neither's priority goes to the first one.
                let is_alone = own == lane || of_server == APART || of_client == APART;
                let fits = if is_alone { lane..=lane } else { lane - 5_000..=lane };
                assert!(fits.contains(&number), "{own} at {number}");
                let prefix = format!("lane{number}-");
                assert!(threads.iter().all(|one| one.starts_with(&prefix)), "{own}: {threads:?}");
                let consistent = || rt.inconsistent_policies(sensor.object()).unwrap().is_empty();
                assert!(at(&rt, own, consistent), "{own}");
            }
        }
        let error = at(&rt, 25_001, || sensor.ping()).unwrap_err().to_string();
        assert!(error.contains("INV_POLICY") && error.contains("to 25000, 1"), "{error}");
        served.orb.shutdown();
    }
}

/// As TAO's client sends them: to the lane that it has chosen by its band, without a word of it.
#[test]
fn a_lane_serves_requests_of_its_band_from_clients_that_do_not_tell_theirs() {
    for of_server in [&APART[..], &SHARING, &[]] {
        let served = Served::with(&LANES, 5_000, of_server);
        let key = key(&served.orb, &served.sensor);
        for lane in LANES {
            let mut wire = served.connect(lane);
            let [low, high] = (lane - 2_500).to_le_bytes();
            let (status, body) = wire.call(&key, "priority", &[(10, &[1, 0, low, high])]);
            assert_eq!(status, 0, "{lane}");
            assert_eq!(i16::from_ne_bytes([body[0], body[1]]), lane, "the lane's own priority");
        }
        served.orb.shutdown();
    }
}

#[test]
fn a_call_in_the_process_takes_a_thread_of_the_lane_that_its_band_selects() {
    let served = Served::with(&LANES, 5_000, &APART);
    let rt = RtOrb::new(&served.orb);
    assert_eq!(at(&rt, 12_500, || served.sensor.priority()).unwrap(), 12_500, "the caller's own");
    served.orb.shutdown();
}

#[test]
fn only_bands_that_cover_priorities_twice_are_refused() {
    let check = |edges: &[(i16, i16)]| {
        let (orb, rt) = client();
        let all = bands(edges).into_iter();
        let set = rt.set_client_policies(
            all.fold(ClientPolicies::new(), |all, (low, high)| all.band(low, high)),
        );
        orb.shutdown();
        set.map_err(|error| error.to_string())
    };
    check(&SHARING).unwrap();
    check(&[(10, 20), (0, 10), (20, 20)]).unwrap();
    for twice in [&[(0, 10), (9, 20)][..], &[(0, 30), (10, 20)], &[(5, 5), (5, 5)], &[(0, 9); 2]] {
        let error = check(twice).unwrap_err();
        assert!(error.contains("overlaps another band"), "{error}");
    }
}

/// A server of TAO: an endpoint for each lane, in the order in which they were made, and policies
/// as it writes them. Each endpoint counts its requests.
fn foreign(lanes: &[i16], bands: &[(i16, i16)]) -> (String, Vec<Arc<AtomicUsize>>) {
    let mut component = vec![1, 0, 0, 0];
    component.extend((lanes.len() as u32).to_le_bytes());
    let (mut counts, mut ports) = (Vec::new(), Vec::new());
    for lane in lanes {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, count) = (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
        component.resize(component.len().next_multiple_of(4), 0);
        component.extend([&10u32.to_le_bytes()[..], b"127.0.0.1\0"].concat());
        component.extend(port.to_le_bytes());
        component.extend(lane.to_le_bytes());
        counts.push(count.clone());
        ports.push(port);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let count = count.clone();
                std::thread::spawn(move || serve(&mut stream, &count));
            }
        });
    }
    let model = Some(PriorityModel::ClientPropagated(priority(0)));
    let policies = ExposedPolicies { model, bands: self::bands(bands) };
    let components = vec![
        policies.to_component().unwrap(),
        TaggedComponent { id: 0x5441_4f02, data: component },
    ];
    let (host, object_key) = ("127.0.0.1".to_owned(), b"key".to_vec());
    let profile =
        IiopProfile { version: Version::V1_2, host, port: ports[0], object_key, components };
    let profiles = vec![profile.to_tagged().unwrap()];
    let ior = Ior { type_id: "IDL:Station/Sensor:1.0".into(), profiles };
    (ior.to_text().unwrap(), counts)
}

/// Answers requests without results. TAO does not know `_bind_priority_band`.
fn serve(stream: &mut std::net::TcpStream, count: &AtomicUsize) {
    while stream.peek(&mut [0]).is_ok_and(|octets| octets > 0) {
        let request = read_message(stream);
        let is_bind = request.windows(5).any(|octets| octets == b"_bind");
        if request[7] != 0 {
            continue;
        }
        let mut body = Vec::from(&request[12..16]);
        body.extend([if is_bind { 2u32 } else { 0 }.to_ne_bytes(), 0u32.to_ne_bytes()].concat());
        if is_bind {
            let id = b"IDL:omg.org/CORBA/BAD_OPERATION:1.0\0";
            body.extend((id.len() as u32).to_ne_bytes());
            body.extend(id);
            body.resize(body.len().next_multiple_of(4), 0);
            body.extend([0u32.to_ne_bytes(), 1u32.to_ne_bytes()].concat());
        } else {
            count.fetch_add(1, Ordering::SeqCst);
        }
        let flags = u8::from(cfg!(target_endian = "little"));
        let mut reply = [b"GIOP", &[1, 2, flags, 1][..]].concat();
        reply.extend((body.len() as u32).to_ne_bytes());
        stream.write_all(&[reply, body].concat()).unwrap();
    }
}

#[test]
fn a_client_finds_the_lane_of_its_band_at_a_server_of_tao() {
    if cfg!(target_endian = "big") {
        return;
    }
    let with_zero = [&[0][..], &LANES].concat();
    // In bands that share edges, TAO's clients take the first lane that is listed, too.
    let (each, lower) = ([5; 5], [10, 5, 5, 5, 0]);
    for (of_server, of_client, expected) in
        [(&APART[..], &[][..], each), (&[], &APART, each), (&SHARING, &[], lower)]
    {
        let (text, counts) = foreign(&LANES, of_server);
        let (client, rt) = client();
        let policies = bands(of_client).into_iter();
        let policies = policies.fold(ClientPolicies::new(), |all, (low, high)| all.band(low, high));
        rt.set_client_policies(policies).unwrap();
        let sensor: SensorRef = client.string_to_object(&text).unwrap().assume();
        for lane in LANES {
            (0..5).for_each(|_| at(&rt, lane - 2_500, || sensor.ping()).unwrap());
        }
        let counts: Vec<_> = counts.iter().map(|count| count.load(Ordering::SeqCst)).collect();
        assert_eq!(counts, expected, "{of_server:?} {of_client:?}");
        client.shutdown();
    }
    // Two lanes in one band: the call's own, otherwise the one that is listed first.
    let (text, counts) = foreign(&with_zero, &APART);
    let (client, rt) = client();
    let sensor: SensorRef = client.string_to_object(&text).unwrap().assume();
    for own in [0, 2_500, 5_000, 5_000] {
        at(&rt, own, || sensor.ping()).unwrap();
    }
    let counts: Vec<_> = counts.iter().map(|count| count.load(Ordering::SeqCst)).collect();
    assert_eq!(counts[..2], [2, 2]);
    client.shutdown();
}

/// As a server of TAO lists the endpoint of a pool without lanes.
#[test]
fn an_endpoint_without_a_lane_serves_every_priority() {
    let (text, counts) = foreign(&[-1], &APART);
    let (client, rt) = client();
    let sensor: SensorRef = client.string_to_object(&text).unwrap().assume();
    for own in [0, 7_777, 25_000] {
        at(&rt, own, || sensor.ping()).unwrap();
    }
    assert_eq!(counts[0].load(Ordering::SeqCst), 3);
    client.shutdown();
}
