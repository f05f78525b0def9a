//! Priorities that clients propagate: the lane of a call, and what its request carries.

use crate::common;
use armilla::{Completion, ExceptionKind, Orb};
use armilla_rt::{
    ClientPolicies, DirectMapping, NativeRange, Priority, PriorityMapping, PriorityModel,
    PriorityTransform, RtOrb, Scheduling, ThreadpoolOptions,
};
use common::*;
use std::sync::Arc;

/// A server whose object runs at the priority of its callers, in the lanes 10 and 50.
fn propagating(lanes: bool) -> (Orb, SensorRef) {
    let (orb, rt) = server();
    let options = match lanes {
        true => {
            let two = ThreadpoolOptions::with_lanes("two");
            two.lane(priority(10), 1, 0).lane(priority(50), 1, 0)
        }
        false => ThreadpoolOptions::new("plain", 2, 0, priority(5)),
    };
    let pool = rt.create_threadpool(options).unwrap();
    let poa = rt
        .poa(orb.root_poa().create_poa("propagated"))
        .threadpool(&pool)
        .priority_model(PriorityModel::ClientPropagated(priority(10)))
        .build()
        .unwrap();
    let sensor = poa.activate(sensor_of(Station::new(&rt))).unwrap();
    (orb, sensor)
}

/// A client with real-time priorities, and without threads that have one.
fn client() -> (Orb, RtOrb) {
    let orb = Orb::new().unwrap();
    let rt = RtOrb::new(&orb).with_mapping(DirectMapping(NativeRange::FIFO));
    (orb, rt)
}

#[test]
fn a_call_goes_to_the_lane_of_its_priority_and_runs_at_it() {
    let (orb, sensor) = propagating(true);
    let (client, rt) = client();
    let sensor = remote(&orb, &client, &sensor);
    for number in [10, 50, 10] {
        let seen = at(&rt, number, || (sensor.priority().unwrap(), sensor.thread().unwrap()));
        assert_eq!(seen, (number, format!("lane{number}-serve")));
    }
    assert_eq!(sensor.priority().unwrap(), 10, "a thread without a priority: the server's");
    let error = at(&rt, 30, || sensor.ping()).unwrap_err();
    assert!(error.to_string().contains("lanes or bands for"), "{error}");
    orb.shutdown();
}

#[test]
fn an_asynchronous_call_carries_its_priority_to_its_lane() {
    let (orb, sensor) = propagating(true);
    let (client, rt) = client();
    let distant = remote(&orb, &client, &sensor);
    for number in [10, 50, 10] {
        let seen = at(&rt, number, || {
            let (priority, thread) = (distant.priority_async(), distant.thread_async());
            (priority.wait().unwrap(), thread.wait().unwrap())
        });
        assert_eq!(seen, (number, format!("lane{number}-serve")));
    }
    let error = at(&rt, 30, || distant.ping_async().wait()).unwrap_err();
    assert!(error.to_string().contains("lanes or bands for"), "{error}");
    orb.shutdown();
}

#[test]
fn an_asynchronous_call_carries_its_priority_without_lanes_and_within_the_process() {
    let (orb, sensor) = propagating(false);
    let (client, rt) = client();
    rt.set_client_policies(ClientPolicies::new().private_connections()).unwrap();
    let distant = remote(&orb, &client, &sensor);
    for number in [10, 50, 33] {
        let seen = at(&rt, number, || {
            let (near, far) = (sensor.priority_async(), distant.priority_async());
            (near.wait().unwrap(), far.wait().unwrap())
        });
        assert_eq!(seen, (number, number));
    }
    orb.shutdown();
}

#[test]
fn calls_of_a_reference_that_is_found_again_by_name_go_to_their_lanes() {
    let (orb, sensor) = propagating(true);
    let (client, rt) = client();
    let name = client.object_to_string(remote(&orb, &client, &sensor)).unwrap();
    let sensor: SensorRef = client.resolve_rebinding([name]).unwrap().assume();
    for number in [10, 50, 10] {
        let (priority, threads) = at(&rt, number, || {
            let threads = [sensor.thread(), sensor.thread_async().wait()];
            (sensor.priority().unwrap(), threads.map(Result::unwrap))
        });
        assert_eq!(priority, number);
        let lane = format!("lane{number}-");
        assert!(threads.iter().all(|thread| thread.starts_with(&lane)), "{threads:?}");
    }
    orb.shutdown();
}

#[test]
fn a_pool_without_lanes_takes_the_priority_of_each_request() {
    let (orb, sensor) = propagating(false);
    let (client, rt) = client();
    let sensor = remote(&orb, &client, &sensor);
    for number in [10, 50, 33] {
        assert_eq!(at(&rt, number, || sensor.priority()).unwrap(), number);
        if may_be_real_time() {
            let scheduling = at(&rt, number, || sensor.scheduling()).unwrap();
            assert_eq!(scheduling, format!("SCHED_FIFO {number}"));
        }
    }
    orb.shutdown();
}

#[test]
fn a_priority_is_kept_over_several_hops() {
    let (last, target) = propagating(true);
    let (middle, asked) = propagating(true);
    let (client, rt) = client();
    let asked = remote(&middle, &client, &asked);
    let target = remote(&last, &client, &target);
    for number in [50, 10] {
        assert_eq!(at(&rt, number, || asked.ask(&target)).unwrap(), number);
    }
    last.shutdown();
    middle.shutdown();
}

#[test]
fn an_ordinary_client_gets_the_priority_of_the_server() {
    let (orb, sensor) = propagating(true);
    let client = Orb::new().unwrap();
    let sensor = remote(&orb, &client, &sensor);
    assert_eq!(sensor.priority().unwrap(), 10);
    assert_eq!(sensor.thread().unwrap(), "lane10-serve");
    orb.shutdown();
}

#[test]
fn bands_and_private_connections_have_connections_of_their_own() {
    let (orb, sensor) = propagating(false);
    let (client, rt) = client();
    let bands = ClientPolicies::new()
        .band(priority(0), priority(20))
        .band(priority(21), priority(90))
        .private_connections()
        .protocol(|settings| settings.socket_queue = Some(64 << 10));
    rt.set_client_policies(bands).unwrap();
    let sensor = remote(&orb, &client, &sensor);
    assert!(at(&rt, 10, || rt.validate_connection(sensor.object())).unwrap());
    for number in [10, 50] {
        assert_eq!(at(&rt, number, || sensor.priority()).unwrap(), number);
    }
    assert!(at(&rt, 95, || sensor.ping()).is_err());
    let overlapping =
        ClientPolicies::new().band(priority(0), priority(20)).band(priority(19), priority(30));
    let error = rt.set_client_policies(overlapping).unwrap_err().to_string();
    assert!(error.contains("overlaps another band"), "{error}");
    orb.shutdown();
}

/// Doubles priorities, and refuses the highest.
struct Doubling;

impl PriorityTransform for Doubling {
    fn inbound(&self, priority: Priority, _: &[u8]) -> Option<Priority> {
        Priority::new(priority.get() * 2).filter(|_| priority.get() < 40)
    }

    fn outbound(&self, priority: Priority, object_id: &[u8]) -> Option<Priority> {
        assert!(!object_id.is_empty(), "the object that calls");
        Priority::new(priority.get() + 1).filter(|_| priority.get() < 60)
    }
}

/// A server whose object runs at double the priority of its callers.
fn doubling() -> (Orb, SensorRef) {
    let (orb, rt) = server();
    let pool = rt.create_threadpool(ThreadpoolOptions::new("plain", 1, 0, priority(5))).unwrap();
    let poa = rt
        .poa(orb.root_poa().create_poa("doubled"))
        .threadpool(&pool)
        .priority_model(PriorityModel::ClientPropagated(priority(10)))
        .priority_transform(Arc::new(Doubling))
        .build()
        .unwrap();
    let sensor = poa.activate(sensor_of(Station::new(&rt))).unwrap();
    (orb, sensor)
}

#[test]
fn a_transform_changes_the_priority_of_requests_or_refuses_them() {
    let (orb, sensor) = doubling();
    let (client, rt) = client();
    let sensor = remote(&orb, &client, &sensor);
    assert_eq!(at(&rt, 20, || sensor.priority()).unwrap(), 40);
    let error = at(&rt, 45, || sensor.priority()).unwrap_err();
    assert!(error.to_string().contains("transform"), "{error}");
    orb.shutdown();
}

#[test]
fn a_transform_changes_the_priority_of_calls_that_a_servant_makes_or_refuses_them() {
    let (last, target) = propagating(false);
    let (middle, asked) = doubling();
    let (client, rt) = client();
    let target = remote(&last, &client, &target);
    let asked = remote(&middle, &client, &asked);
    assert_eq!(at(&rt, 20, || asked.ask(&target)).unwrap(), 41, "twice inbound, then one more");
    let error = at(&rt, 35, || asked.ask(&target)).unwrap_err();
    assert!(error.to_string().contains("transform"), "{error}");
    assert_eq!(at(&rt, 30, || target.priority()).unwrap(), 30, "only calls of the servant");
    last.shutdown();
    middle.shutdown();
}

/// Panics at one priority.
struct Panicking;

impl PriorityTransform for Panicking {
    fn inbound(&self, priority: Priority, _: &[u8]) -> Option<Priority> {
        assert!(priority.get() != 13, "as told");
        Some(priority)
    }

    fn outbound(&self, priority: Priority, _: &[u8]) -> Option<Priority> {
        Some(priority)
    }
}

impl PriorityMapping for Panicking {
    fn to_native(&self, priority: Priority) -> Option<Scheduling> {
        assert!(priority.get() != 14, "as told");
        DirectMapping(NativeRange::FIFO).to_native(priority)
    }

    fn to_corba(&self, native: Scheduling) -> Option<Priority> {
        DirectMapping(NativeRange::FIFO).to_corba(native)
    }
}

#[test]
fn a_mapping_or_transform_that_panics_takes_neither_thread_nor_permit() {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let rt = RtOrb::new(&orb).with_mapping(Panicking);
    // One permit: it would be missed at once.
    let pool = rt.create_threadpool(ThreadpoolOptions::new("plain", 1, 0, priority(5))).unwrap();
    let poa = rt
        .poa(orb.root_poa().create_poa("panicking"))
        .threadpool(&pool)
        .priority_model(PriorityModel::ClientPropagated(priority(10)))
        .priority_transform(Arc::new(Panicking))
        .build()
        .unwrap();
    let sensor = poa.activate(sensor_of(Station::new(&rt))).unwrap();
    let (client, rt) = client();
    let sensor = remote(&orb, &client, &sensor).with_timeout(PATIENCE);
    for number in [13, 14, 13, 14] {
        let error = at(&rt, number, || sensor.priority()).unwrap_err();
        let got = (error.kind(), error.completed());
        assert_eq!(got, (ExceptionKind::Unknown, Completion::No), "{error}");
        assert_eq!(at(&rt, 20, || sensor.priority()).unwrap(), 20);
    }
    orb.shutdown();
}
