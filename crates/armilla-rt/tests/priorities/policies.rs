//! Policies of real time as policy objects: at POAs, ORBs, threads and references, and by the names
//! of the standard.

use crate::common;
use armilla::{CustomPolicy, Object, Orb, Policies, PolicyCurrent, PolicyType};
use armilla_rt::rtcorba::{self, PriorityBand, Rtorb, TcpProtocolPropertiesRef, ThreadpoolLane};
use armilla_rt::{
    ClientPolicies, DirectMapping, NativeRange, PriorityModel, Protocol, ProtocolProperties,
    ProtocolType, RtOrb, RtPolicy, ThreadpoolOptions,
};
use common::*;
use std::thread;

/// A server over TCP and a Unix-domain socket, and a sensor of the ORB's own endpoints.
fn local_server(name: &str) -> (Orb, SensorRef) {
    let path = std::env::temp_dir().join(format!("armilla-rt-{}-{name}", std::process::id()));
    let builder = Orb::builder().listen("iiop://127.0.0.1:0").unwrap();
    let orb = builder.listen(&format!("uiop://{}", path.display())).unwrap().build().unwrap();
    let rt = RtOrb::new(&orb);
    let sensor = orb.root_poa().activate(sensor_of(Station::new(&rt))).unwrap();
    (orb, sensor)
}

fn client() -> (Orb, RtOrb) {
    let orb = Orb::new().unwrap();
    let rt = RtOrb::new(&orb);
    (orb, rt)
}

fn only_iiop() -> RtPolicy {
    let properties = ProtocolProperties { keep_alive: true, ..ProtocolProperties::default() };
    RtPolicy::ClientProtocol(vec![Protocol { protocol_type: ProtocolType::Iiop, properties }])
}

fn custom(policy: RtPolicy) -> Policies {
    Policies { custom: vec![policy.into()], ..Policies::default() }
}

/// The sensor behind a reference of any type.
fn sensor(object: Object) -> SensorRef {
    object.narrow().unwrap()
}

#[test]
fn a_client_protocol_policy_of_reference_thread_or_orb_chooses_the_connection() {
    let (server, own) = local_server("protocol");
    let (orb, rt) = client();
    let fresh = || remote(&server, &orb, &own);
    assert!(!fresh().caller().unwrap().starts_with("tcp"), "the local endpoint");
    let object = rt.with_policies(fresh().object(), [only_iiop()]).unwrap();
    assert!(sensor(object).caller().unwrap().starts_with("tcp"), "a reference");
    {
        let _set = PolicyCurrent::set(custom(only_iiop()));
        assert!(fresh().caller().unwrap().starts_with("tcp"), "a thread");
    }
    assert!(!fresh().caller().unwrap().starts_with("tcp"));
    orb.set_policies(custom(only_iiop()));
    assert!(fresh().caller().unwrap().starts_with("tcp"), "an ORB");
    server.shutdown();
}

#[test]
fn references_with_private_connections_share_none() {
    let (server, own) = local_server("private");
    let (orb, rt) = client();
    orb.set_policies(custom(only_iiop()));
    let plain = || remote(&server, &orb, &own).caller().unwrap();
    let private = || {
        let object = remote(&server, &orb, &own);
        let policies = [RtPolicy::PrivateConnection, only_iiop()];
        let object = rt.with_policies(object.object(), policies).unwrap();
        sensor(object).caller().unwrap()
    };
    assert_ne!(private(), private());
    assert_ne!(plain(), private());
    server.shutdown();
}

#[test]
fn references_with_the_same_policies_share_their_connections() {
    let (server, own) = local_server("shared");
    let (orb, rt) = client();
    let bands = vec![(priority(0), priority(20)), (priority(21), priority(90))];
    let banded = || {
        let object = remote(&server, &orb, &own);
        let policies = [RtPolicy::PriorityBandedConnection(bands.clone()), only_iiop()];
        let object = rt.with_policies(object.object(), policies).unwrap();
        sensor(object).caller().unwrap()
    };
    assert_eq!(banded(), banded(), "one band, one connection");
    let urgent = || {
        // The band counts, whether or not the native priority is granted.
        rt.current().set_priority(priority(50)).ok();
        banded()
    };
    let urgent = thread::scope(|scope| scope.spawn(urgent).join().unwrap());
    assert_ne!(banded(), urgent, "another band");
    server.shutdown();
}

#[test]
fn bands_that_differ_from_those_of_the_server_are_named() {
    let (orb, rt) = server();
    let all = [(priority(0), priority(20)), (priority(21), priority(90))];
    let pool = ThreadpoolOptions::new("plain", 1, 0, priority(5));
    let policies = [
        RtPolicy::PriorityModel(PriorityModel::ClientPropagated(priority(10))),
        RtPolicy::Threadpool(rt.create_threadpool(pool).unwrap()),
        RtPolicy::PriorityBandedConnection(all.to_vec()),
    ];
    let builder = rt.poa(orb.root_poa().create_poa("banded"));
    let poa = builder.policies(policies.map(Into::into)).build().unwrap();
    let own = poa.activate(sensor_of(Station::new(&rt))).unwrap();
    let (client, client_rt) = client();
    let distant = remote(&orb, &client, &own);
    let inconsistent = || client_rt.inconsistent_policies(distant.object()).unwrap();
    assert_eq!(inconsistent(), []);
    assert!(client_rt.validate_connection(distant.object()).unwrap());
    let other = RtPolicy::PriorityBandedConnection(vec![(priority(0), priority(90))]);
    let error = client_rt.with_policies(distant.object(), [other.clone()]).unwrap_err();
    assert!(error.to_string().contains("they differ"), "{error}");
    let _set = PolicyCurrent::set(custom(other));
    assert_eq!(inconsistent(), [PolicyType(45)]);
    orb.shutdown();
}

#[test]
fn a_policy_in_the_wrong_place_is_refused_with_the_right_one() {
    let (orb, rt) = server();
    let misplaced = |policy: RtPolicy| {
        let builder = rt.poa(orb.root_poa().create_poa("wrong"));
        builder.policies([policy.into()]).build().unwrap_err().to_string()
    };
    let text = misplaced(RtPolicy::PrivateConnection);
    assert!(text.contains("PrivateConnectionPolicy") && text.contains("set_policies"), "{text}");
    let RtPolicy::ClientProtocol(protocols) = only_iiop() else { panic!() };
    let text = misplaced(RtPolicy::ServerProtocol(protocols));
    assert!(text.contains("server_protocols"), "{text}");
    let model = RtPolicy::PriorityModel(PriorityModel::ServerDeclared(priority(10)));
    let own = orb.root_poa().activate(sensor_of(Station::new(&rt))).unwrap();
    let error = rt.with_policies(own.object(), [model.clone()]).unwrap_err();
    assert!(error.to_string().contains("PriorityModelPolicy"), "{error}");
    let custom = CustomPolicy::from(model);
    assert_eq!(custom.policy_type(), PolicyType(40));
    assert!(matches!(RtPolicy::of(&custom), Some(RtPolicy::PriorityModel(_))));
    orb.shutdown();
}

#[test]
fn server_protocols_of_the_orb_are_those_of_its_thread_pools() {
    let (orb, rt) = server();
    let properties = ProtocolProperties {
        send_buffer_size: Some(64 << 10),
        network_priority: true,
        ..ProtocolProperties::default()
    };
    let iiop = Protocol { protocol_type: ProtocolType::Iiop, properties };
    orb.set_policies(custom(RtPolicy::ServerProtocol(vec![iiop])));
    let pool = ThreadpoolOptions::new("plain", 1, 0, priority(5));
    let pool = rt.create_threadpool(pool).unwrap();
    let poa = rt.poa(orb.root_poa().create_poa("plain")).threadpool(&pool).build().unwrap();
    let own = poa.activate(sensor_of(Station::new(&rt))).unwrap();
    remote(&orb, &Orb::new().unwrap(), &own).ping().unwrap();
    orb.set_policies(custom(RtPolicy::ServerProtocol(vec![iiop, iiop])));
    let twice = ThreadpoolOptions::new("twice", 1, 0, priority(5));
    let error = rt.create_threadpool(twice).unwrap_err();
    assert!(error.to_string().contains("it is there twice"), "{error}");
    orb.shutdown();
}

#[test]
fn policy_objects_of_the_standard_become_policies_of_a_poa() {
    let (orb, rt) = server();
    let lane =
        |lane_priority| ThreadpoolLane { lane_priority, static_threads: 1, dynamic_threads: 0 };
    let lanes = [lane(10), lane(50)];
    let id = rt.create_threadpool_with_lanes(0, &lanes, false, false, 0, 0).unwrap();
    let threadpool = rt.create_threadpool_policy(id).unwrap();
    let model = rtcorba::PriorityModel::ServerDeclared;
    let model = rt.create_priority_model_policy(model, 50).unwrap();
    let bands = [PriorityBand { low: 0, high: 40 }, PriorityBand { low: 41, high: 90 }];
    let bands = rt.create_priority_banded_connection_policy(&bands).unwrap();
    let numbers = [
        rtcorba::Policy::policy_type(model.get().unwrap()).unwrap(),
        rtcorba::Policy::policy_type(threadpool.get().unwrap()).unwrap(),
        rtcorba::Policy::policy_type(bands.get().unwrap()).unwrap(),
    ];
    assert_eq!(numbers, [40, 41, 45]);
    let policies =
        [rt.policy(&model).unwrap(), rt.policy(&threadpool).unwrap(), rt.policy(&bands).unwrap()];
    let builder = rt.poa(orb.root_poa().create_poa("standard"));
    let poa = builder.policies(policies.map(Into::into)).build().unwrap();
    let own = poa.activate(sensor_of(Station::new(&rt))).unwrap();
    let distant = remote(&orb, &Orb::new().unwrap(), &own);
    assert_eq!(distant.thread().unwrap(), "lane50-serve");
    rt.destroy_threadpool(id).unwrap();
    assert!(rt.policy(&threadpool).unwrap_err().to_string().contains("no such thread pool"));
    assert!(rt.create_priority_model_policy(rtcorba::PriorityModel::ServerDeclared, -1).is_err());
    assert!(rt.policy(&rtcorba::PrivateConnectionPolicyRef::nil()).is_err());
    orb.shutdown();
}

#[test]
fn protocol_policies_of_the_standard_have_the_properties_of_tcp() {
    let (orb, rt) = client();
    let tcp = rt.create_tcp_protocol_properties(10_000, 20_000, true, false, false, true).unwrap();
    tcp.get().unwrap().set_send_buffer_size(30_000).unwrap();
    assert!(tcp.get().unwrap().set_dont_route(true).is_err(), "not supported, so it is said");
    assert!(rt.create_tcp_protocol_properties(-1, 0, true, false, true, false).is_err());
    let protocol = |protocol_type| rtcorba::Protocol {
        protocol_type,
        transport_protocol_properties: armilla::Native::new::<TcpProtocolPropertiesRef>(
            tcp.clone(),
        ),
        ..rtcorba::Protocol::default()
    };
    let policy = rt.create_client_protocol_policy(&[protocol(0)]).unwrap();
    let RtPolicy::ClientProtocol(protocols) = rt.policy(&policy).unwrap() else { panic!() };
    let expected = ProtocolProperties {
        send_buffer_size: Some(30_000),
        receive_buffer_size: Some(20_000),
        keep_alive: true,
        no_delay: false,
        network_priority: true,
    };
    assert_eq!(protocols, [Protocol { protocol_type: ProtocolType::Iiop, properties: expected }]);
    let server = rt.create_server_protocol_policy(&[protocol(0)]).unwrap();
    assert!(matches!(rt.policy(&server), Ok(RtPolicy::ServerProtocol(_))));
    let private = rt.create_private_connection_policy().unwrap();
    assert!(matches!(rt.policy(&private), Ok(RtPolicy::PrivateConnection)));
    for wrong in [&[][..], &[protocol(77)], &[protocol(0), protocol(0)]] {
        assert!(rt.create_client_protocol_policy(wrong).is_err());
    }
    orb.shutdown();
}

#[test]
fn a_named_mutex_is_the_same_wherever_it_is_opened() {
    let (orb, rt) = client();
    let (first, created) = rt.create_named_mutex("track").unwrap();
    let (second, again) = rt.create_named_mutex("track").unwrap();
    assert_eq!((created, again, first == second), (true, false, true));
    first.get().unwrap().lock().unwrap();
    let opened = rt.clone().open_named_mutex("track").unwrap();
    thread::scope(|scope| {
        scope.spawn(|| assert!(!opened.get().unwrap().try_lock(0).unwrap()));
    });
    opened.get().unwrap().unlock().unwrap();
    rt.destroy_mutex(&first).unwrap();
    let error = rt.open_named_mutex("track").unwrap_err();
    assert!(error.to_string().contains("MutexNotFound"), "{error}");
    orb.shutdown();
}

#[test]
fn the_band_of_a_declared_priority_is_that_of_the_server() {
    let (orb, rt) = server();
    let pool = ThreadpoolOptions::new("plain", 1, 0, priority(5));
    let pool = rt.create_threadpool(pool).unwrap();
    let builder = rt.poa(orb.root_poa().create_poa("declared")).threadpool(&pool);
    let model = PriorityModel::ServerDeclared(priority(80));
    let poa = builder.priority_model(model).build().unwrap();
    let own = poa.activate(sensor_of(Station::new(&rt))).unwrap();
    let (client, rt) = client();
    let bands = RtPolicy::PriorityBandedConnection(vec![(priority(70), priority(90))]);
    orb.set_policies(custom(bands.clone()));
    let distant = remote(&orb, &client, &own);
    let banded = sensor(rt.with_policies(distant.object(), [bands]).unwrap());
    let priority_there = || {
        rt.current().set_priority(priority(5)).ok();
        banded.priority()
    };
    let seen = thread::scope(|scope| scope.spawn(priority_there).join().unwrap());
    assert_eq!(seen.unwrap(), 80, "the priority of the caller has no band");
    orb.shutdown();
}

#[test]
fn bands_that_contradict_priorities_or_lanes_are_refused_by_name() {
    let (orb, rt) = server();
    let lanes = ThreadpoolOptions::with_lanes("two").lane(priority(10), 1, 0);
    let pool = rt.create_threadpool(lanes.lane(priority(50), 1, 0)).unwrap();
    let refused = |model: PriorityModel, bands: &[(i16, i16)]| {
        let bands: Vec<_> = bands.iter().map(|(a, b)| (priority(*a), priority(*b))).collect();
        let builder = rt.poa(orb.root_poa().create_poa("banded")).threadpool(&pool);
        let built = builder.priority_model(model).priority_bands(bands).build();
        built.unwrap_err().to_string()
    };
    let declared = PriorityModel::ServerDeclared(priority(10));
    let propagated = PriorityModel::ClientPropagated(priority(10));
    for (model, bands, parts) in [
        (declared, &[(20, 60)][..], ["server_priority 10", "20 to 60"]),
        (propagated, &[(0, 20)], ["server_priority 50", "lane of thread pool \"two\""]),
        (propagated, &[(0, 20), (21, 40), (41, 60)], ["priority band 21 to 40", "lanes 50, 10"]),
    ] {
        let text = refused(model, bands);
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
    orb.shutdown();
}

#[test]
fn server_protocols_that_no_lane_can_have_are_refused() {
    let (orb, rt) = server();
    let local = |properties| Protocol { protocol_type: ProtocolType::UnixDomain, properties };
    let plain = ProtocolProperties::default();
    orb.set_policies(custom(RtPolicy::ServerProtocol(vec![local(plain)])));
    let pool = || rt.create_threadpool(ThreadpoolOptions::new("plain", 1, 0, priority(5)));
    let text = pool().unwrap_err().to_string();
    assert!(text.contains("UnixDomain") && text.contains("add IIOP"), "{text}");
    let iiop = Protocol { protocol_type: ProtocolType::Iiop, properties: plain };
    let lasting = ProtocolProperties { keep_alive: true, ..plain };
    orb.set_policies(custom(RtPolicy::ServerProtocol(vec![iiop, local(lasting)])));
    let text = pool().unwrap_err().to_string();
    assert!(text.contains("no keep-alive"), "{text}");
    orb.shutdown();
}

#[test]
fn an_orb_has_one_real_time_part_however_often_it_is_asked_for() {
    let (server, own) = local_server("one-part");
    let (orb, first) = client();
    let first = first.with_mapping(DirectMapping(NativeRange::FIFO));
    let second = RtOrb::new(&orb);
    assert_eq!(format!("{second:?}"), format!("{first:?}"), "the mapping");
    let (mutex, created) = first.create_named_mutex("shared").unwrap();
    assert_eq!((second.open_named_mutex("shared").unwrap() == mutex, created), (true, true));
    let RtPolicy::ClientProtocol(protocols) = only_iiop() else { unreachable!() };
    second.set_client_policies(ClientPolicies::new().protocols(protocols)).unwrap();
    let caller = remote(&server, &orb, &own).caller().unwrap();
    assert!(caller.starts_with("tcp"), "{caller}: what the second sets is in effect");
    server.shutdown();
}
