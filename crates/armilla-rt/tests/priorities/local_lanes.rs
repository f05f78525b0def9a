//! Lanes with endpoints for processes of the same host, and policies that choose among protocols.

use crate::common;
use armilla::transport::{IiopProfile, TaggedComponent};
use armilla::{Orb, Queues};
use armilla_rt::{
    ClientPolicies, DirectMapping, NativeRange, PriorityModel, Protocol, ProtocolProperties,
    ProtocolType, RtOrb, RtPolicy, Threadpool, ThreadpoolOptions,
};
use common::*;

/// A server whose lanes 10 and 50 listen at TCP, a Unix-domain socket and shared memory each.
fn lanes(name: &str) -> (Orb, RtOrb, Threadpool) {
    let (orb, rt) = server();
    let path = |kind: &str| {
        let file = format!("armilla-rt-{}-{name}-{kind}-{{}}", std::process::id());
        std::env::temp_dir().join(file).display().to_string()
    };
    let options = ThreadpoolOptions::with_lanes("local").endpoint("iiop://127.0.0.1:0");
    let options = options.endpoint(format!("uiop://{}", path("unix")));
    let options = options.endpoint(format!("shmiop://{}", path("shm")));
    let options = options.lane(priority(10), 2, 0).lane(priority(50), 2, 0);
    let pool = rt.create_threadpool(options).unwrap();
    (orb, rt, pool)
}

fn object(orb: &Orb, rt: &RtOrb, pool: &Threadpool, model: PriorityModel) -> SensorRef {
    let poa = rt.poa(orb.root_poa().create_poa("local")).threadpool(pool);
    let poa = poa.priority_model(model).build().unwrap();
    poa.activate(sensor_of(Station::new(rt))).unwrap()
}

fn client() -> (Orb, RtOrb) {
    let orb = Orb::new().unwrap();
    let rt = RtOrb::new(&orb).with_mapping(DirectMapping(NativeRange::FIFO));
    (orb, rt)
}

fn plain(protocol_type: ProtocolType) -> Protocol {
    Protocol { protocol_type, properties: ProtocolProperties::default() }
}

/// The lane that serves a call at this priority.
fn lane_of(rt: &RtOrb, number: i16, sensor: &SensorRef) -> String {
    let thread = at(rt, number, || sensor.thread().unwrap());
    thread.split('-').next().unwrap().to_owned()
}

/// The transport of a call: the scheme of the caller's address.
fn transport(sensor: &SensorRef) -> String {
    let caller = sensor.caller().unwrap();
    caller.split(':').next().unwrap().to_owned()
}

/// The lengths of the memory that connections of this process have: of each both ends are here.
fn lengths_of_rings() -> Vec<usize> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let of_rings = maps.lines().filter(|line| line.contains("armilla-shm"));
    let length = |line: &str| {
        let (begin, end) = line.split(' ').next().unwrap().split_once('-').unwrap();
        let number = |text| usize::from_str_radix(text, 16).unwrap();
        number(end) - number(begin)
    };
    of_rings.map(length).collect()
}

/// That of a connection is a file whose length is that of both queues, of the small ones that come
/// first, and a page.
const fn length(send: usize, receive: usize) -> usize {
    4096 + 2 * 8192 + send + receive
}

/// No option, neither of the server nor of the client; the queues tell the memory from others'.
#[test]
fn each_lane_has_memory_of_its_own_by_default() {
    let (orb, rt) = server();
    let options = ThreadpoolOptions::with_lanes("default");
    let lanes = options.lane(priority(10), 2, 0).lane(priority(50), 2, 0);
    let pool = rt.create_threadpool(lanes).unwrap();
    let own = object(&orb, &rt, &pool, PriorityModel::ClientPropagated(priority(10)));
    let queues = Queues { send: Some(1 << 15), receive: Some(1 << 19) };
    let client = Orb::builder().settings(|settings| settings.shm_queues = queues).build().unwrap();
    let client_rt = RtOrb::new(&client).with_mapping(DirectMapping(NativeRange::FIFO));
    let distant = remote(&orb, &client, &own);
    for number in [50, 10, 50, 10] {
        at(&client_rt, number, || {
            assert_eq!(distant.caller().unwrap(), "same-host");
            assert_eq!(distant.priority().unwrap(), number);
            if may_be_real_time() {
                assert_eq!(distant.scheduling().unwrap(), format!("SCHED_FIFO {number}"));
            }
        });
        assert_eq!(lane_of(&client_rt, number, &distant), format!("lane{number}"));
    }
    let length = length(1 << 15, 1 << 19);
    let rings = lengths_of_rings().into_iter().filter(|found| *found == length).count();
    assert_eq!(rings, 4, "both ends of two connections");
    orb.shutdown();
}

#[test]
fn a_propagated_priority_goes_to_the_endpoint_of_its_lane_on_the_same_host() {
    let (orb, rt, pool) = lanes("propagated");
    let own = object(&orb, &rt, &pool, PriorityModel::ClientPropagated(priority(10)));
    let (client, client_rt) = client();
    let distant = remote(&orb, &client, &own);
    for number in [50, 10, 50] {
        let seen = at(&client_rt, number, || transport(&distant));
        assert_ne!(seen, "tcp", "a process of the same host");
        assert_eq!(lane_of(&client_rt, number, &distant), format!("lane{number}"));
    }
    let ordinary = remote(&orb, &Orb::new().unwrap(), &own);
    assert_eq!(ordinary.priority().unwrap(), 10);
    orb.shutdown();
}

#[test]
fn a_declared_priority_is_reached_over_the_endpoints_of_its_lane() {
    let (orb, rt, pool) = lanes("declared");
    let own = object(&orb, &rt, &pool, PriorityModel::ServerDeclared(priority(50)));
    let ordinary = remote(&orb, &Orb::new().unwrap(), &own);
    assert_ne!(transport(&ordinary), "tcp");
    assert!(ordinary.thread().unwrap().starts_with("lane50"));
    orb.shutdown();
}

#[test]
fn the_first_protocol_of_the_client_that_the_server_has_is_used() {
    use ProtocolType::{Iiop, SharedMemory, UnixDomain};
    let (orb, rt, pool) = lanes("chosen");
    for model in
        [PriorityModel::ClientPropagated(priority(50)), PriorityModel::ServerDeclared(priority(50))]
    {
        let builder = rt.poa(orb.root_poa().create_poa(format!("{model:?}")));
        let poa = builder.threadpool(&pool).priority_model(model).build().unwrap();
        let own = poa.activate(sensor_of(Station::new(&rt))).unwrap();
        for (protocols, expected) in [
            (&[UnixDomain, SharedMemory, Iiop][..], "unix"),
            (&[SharedMemory, UnixDomain, Iiop], "shm"),
            (&[UnixDomain, Iiop], "unix"),
            (&[SharedMemory, Iiop, UnixDomain], "shm"),
            (&[Iiop, SharedMemory], "tcp"),
            (&[Iiop], "tcp"),
        ] {
            let (client, client_rt) = client();
            let protocols: Vec<_> = protocols.iter().copied().map(plain).collect();
            client_rt.set_client_policies(ClientPolicies::new().protocols(protocols)).unwrap();
            let distant = remote(&orb, &client, &own);
            assert_eq!(transport(&distant), expected, "{model:?}");
            assert_eq!(lane_of(&client_rt, 50, &distant), "lane50");
            client.shutdown();
        }
    }
    orb.shutdown();
}

#[test]
fn the_queues_of_shared_memory_are_those_of_the_client() {
    let (orb, rt, pool) = lanes("queues");
    let own = object(&orb, &rt, &pool, PriorityModel::ServerDeclared(priority(50)));
    let expected = length(64 << 10, 256 << 10);
    assert!(!lengths_of_rings().contains(&expected));
    let (client, client_rt) = client();
    let properties = ProtocolProperties {
        send_buffer_size: Some(64 << 10),
        receive_buffer_size: Some(256 << 10),
        ..ProtocolProperties::default()
    };
    let shm = Protocol { protocol_type: ProtocolType::SharedMemory, properties };
    let policy = RtPolicy::ClientProtocol(vec![shm, plain(ProtocolType::Iiop)]);
    let distant = remote(&orb, &client, &own);
    let distant = client_rt.with_policies(distant.object(), [policy]).unwrap();
    assert_eq!(transport(&distant.assume()), "shm");
    assert!(lengths_of_rings().contains(&expected), "{:?}", lengths_of_rings());
    let served = ThreadpoolOptions::with_lanes("served")
        .server_protocols(&[Protocol { protocol_type: ProtocolType::Iiop, properties }, shm]);
    let text = served.unwrap_err().to_string();
    assert!(
        text.contains("SharedMemory") && text.contains("the client makes the memory"),
        "{text}"
    );
    orb.shutdown();
}

#[test]
fn components_of_other_kinds_do_not_hide_the_lanes() {
    let (orb, rt, pool) = lanes("components");
    let own = object(&orb, &rt, &pool, PriorityModel::ClientPropagated(priority(10)));
    let mut ior: armilla::Ior = orb.object_to_string(&own).unwrap().parse().unwrap();
    let mut profile = IiopProfile::decode_data(&ior.profiles[0].data).unwrap();
    // The names of operations, as another POA would list them, and a pool of connections that
    // nobody has opened.
    for id in [0x4152_4d02, 0x4152_4d03] {
        let data = [&[1, 0, 0, 0, 1, 0, 0, 0][..], &[1, 0, 0, 0, 0, 0, 0, 0]].concat();
        profile.components.push(TaggedComponent { id, data });
    }
    ior.profiles[0] = profile.to_tagged().unwrap();
    let (client, client_rt) = client();
    let distant: SensorRef = client.resolve(&ior.to_text().unwrap()).unwrap();
    for number in [50, 10] {
        assert_eq!(lane_of(&client_rt, number, &distant), format!("lane{number}"));
    }
    orb.shutdown();
}
