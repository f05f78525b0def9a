//! Requests and references that say something wrong of priorities.

use crate::common;
use armilla::Orb;
use armilla::transport::{IiopProfile, TaggedComponent};
use armilla_rt::{
    DirectMapping, NativeRange, PriorityModel, RtOrb, TAG_LANE_LOCAL_ENDPOINT, TAG_POLICIES,
    TAO_TAG_ENDPOINTS, ThreadpoolOptions,
};
use common::wire::{Wire, key, word};
use common::*;

/// A server without lanes at priority 5, and an object that runs at the priority of its callers.
fn propagating() -> (Orb, RtOrb, SensorRef, (String, u16)) {
    let (orb, rt) = server();
    let pool = rt.create_threadpool(ThreadpoolOptions::new("plain", 1, 0, priority(5))).unwrap();
    let poa = rt.poa(orb.root_poa().create_poa("plain")).threadpool(&pool);
    let poa = poa.priority_model(PriorityModel::ClientPropagated(priority(10))).build().unwrap();
    let sensor = poa.activate(sensor_of(Station::new(&rt))).unwrap();
    let address = pool.report()[0].addresses[0].clone();
    (orb, rt, sensor, address)
}

/// The name of the exception in a reply.
fn exception((status, body): (u32, Vec<u8>)) -> String {
    assert_eq!(status, 2, "a system exception");
    let id = String::from_utf8(body[4..3 + word(&body, 0) as usize].to_vec()).unwrap();
    id.trim_start_matches("IDL:omg.org/CORBA/").trim_end_matches(":1.0").to_owned()
}

#[test]
fn a_wrong_priority_of_a_request_is_refused_and_leaves_its_thread_as_it_was() {
    let (orb, _, sensor, (host, port)) = propagating();
    let key = key(&orb, &sensor);
    let mut wire = Wire::connect((&host, port));
    for (context, expected) in [
        (&[][..], "BAD_PARAM"),
        (&[1], "BAD_PARAM"),
        (&[1, 0, 5], "BAD_PARAM"),
        (&[1, 0, 0xff, 0xff], "BAD_PARAM"),
        (&[0, 0, 0x80, 0], "BAD_PARAM"),
        // 3,000 and 0 have no native priority of their own.
        (&[0, 0, 0x0b, 0xb8], "DATA_CONVERSION"),
        (&[1, 0, 0, 0], "DATA_CONVERSION"),
    ] {
        assert_eq!(exception(wire.call(&key, "ping", &[(10, context)])), expected, "{context:?}");
        assert_eq!(wire.short(&key, "priority"), 10, "the server's, without a priority");
        if may_be_real_time() {
            assert_eq!(wire.string(&key, "scheduling"), "SCHED_FIFO 10");
        }
    }
    // What is behind the priority, or said twice, is of no concern.
    let two: [(u32, &[u8]); 2] = [(10, &[1, 0, 30, 0, 7, 7, 7]), (10, &[1, 0, 40, 0])];
    let (_, body) = wire.call(&key, "priority", &two);
    assert_eq!(i16::from_ne_bytes([body[0], body[1]]), 30);
    orb.shutdown();
}

#[test]
fn a_lane_serves_requests_that_carry_another_priority_at_its_own() {
    let (orb, rt) = server();
    let lanes = ThreadpoolOptions::with_lanes("two").lane(priority(10), 1, 0);
    let pool = rt.create_threadpool(lanes.lane(priority(50), 1, 0)).unwrap();
    let poa = rt.poa(orb.root_poa().create_poa("lanes")).threadpool(&pool);
    let poa = poa.priority_model(PriorityModel::ClientPropagated(priority(10))).build().unwrap();
    let key = key(&orb, &poa.activate(sensor_of(Station::new(&rt))).unwrap());
    for lane in pool.report() {
        let (host, port) = &lane.addresses[0];
        let mut wire = Wire::connect((host, *port));
        // A band that only the client knows may have selected this lane.
        for number in [10_u8, 30, 50] {
            let context: [(u32, &[u8]); 1] = [(10, &[1, 0, number, 0])];
            let (status, body) = wire.call(&key, "priority", &context);
            let seen = i16::from_ne_bytes([body[0], body[1]]);
            assert_eq!((status, priority(seen)), (0, lane.priority), "{number} in {lane:?}");
        }
        assert_eq!(wire.call(&key, "ping", &[]).0, 0, "without a priority");
    }
    orb.shutdown();
}

#[test]
fn a_reference_with_malformed_components_is_called_as_one_without_them() {
    let (orb, _, sensor, _) = propagating();
    let client = Orb::new().unwrap();
    let rt = RtOrb::new(&client).with_mapping(DirectMapping(NativeRange::FIFO));
    let mut ior: armilla::Ior = orb.object_to_string(&sensor).unwrap().parse().unwrap();
    let profile = IiopProfile::decode_data(&ior.profiles[0].data).unwrap();
    let tags = [TAG_POLICIES, TAO_TAG_ENDPOINTS, TAG_LANE_LOCAL_ENDPOINT, 0x4152_4d01, 0x4152_4d03];
    for data in [&[][..], &[1], &[1, 0, 0, 0], &[1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], &[9; 64]] {
        let mut malformed = profile.clone();
        malformed.components.retain(|component| !tags.contains(&component.id));
        let wrong = tags.iter().map(|id| TaggedComponent { id: *id, data: data.to_vec() });
        malformed.components.extend(wrong);
        ior.profiles[0] = malformed.to_tagged().unwrap();
        let distant: SensorRef = client.resolve(&ior.to_text().unwrap()).unwrap();
        assert_eq!(at(&rt, 50, || distant.priority()).unwrap(), 10, "the server's: {data:?}");
        at(&rt, 50, || rt.inconsistent_policies(distant.object())).unwrap();
    }
    orb.shutdown();
}
