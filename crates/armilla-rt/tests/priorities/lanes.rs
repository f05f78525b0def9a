//! Thread pools with lanes: endpoints, threads and priorities of their own.

use crate::common;
use armilla::transport::{Component, IiopProfile};
use armilla::{ExceptionKind, ObjectId, Orb, PoaError};
use armilla_rt::{
    BelowHighest, DirectMapping, ExposedPolicies, LinearMapping, NativeRange, PriorityModel,
    RequestBuffering, RtErrorKind, RtOrb, RtPoa, Scheduling, TableMapping, TaoEndpoints,
    Threadpool, ThreadpoolOptions,
};
use common::*;
use std::sync::{Arc, Mutex};
use std::thread;

fn profile(orb: &Orb, sensor: &SensorRef) -> IiopProfile {
    let text = orb.object_to_string(sensor).unwrap();
    let ior: armilla::Ior = text.parse().unwrap();
    IiopProfile::decode_data(&ior.profiles[0].data).unwrap()
}

fn two_lanes(rt: &RtOrb) -> Threadpool {
    let options = ThreadpoolOptions::with_lanes("two");
    rt.create_threadpool(options.lane(priority(10), 1, 0).lane(priority(50), 1, 0)).unwrap()
}

/// A POA over `pool` whose objects have this priority unless they are given another.
fn declaring(orb: &Orb, rt: &RtOrb, pool: &Threadpool, number: i16) -> RtPoa {
    let model = PriorityModel::ServerDeclared(priority(number));
    let builder = rt.poa(orb.root_poa().create_poa("declared")).threadpool(pool);
    builder.priority_model(model).build().unwrap()
}

#[test]
fn each_object_is_called_by_a_thread_of_its_lane() {
    let (orb, rt) = server();
    let pool = two_lanes(&rt);
    let poa = declaring(&orb, &rt, &pool, 10);
    let low = poa.activate(sensor_of(Station::new(&rt))).unwrap();
    let high = poa.activate_with_priority(sensor_of(Station::new(&rt)), priority(50)).unwrap();
    let client = Orb::new().unwrap();
    for (own, number) in [(&low, 10), (&high, 50)] {
        let sensor = remote(&orb, &client, own);
        assert_eq!(sensor.priority().unwrap(), number);
        assert_eq!(sensor.thread().unwrap(), format!("lane{number}-serve"));
        if may_be_real_time() {
            assert_eq!(sensor.scheduling().unwrap(), format!("SCHED_FIFO {number}"));
        }
        let lanes = pool.report();
        let lane = lanes.iter().find(|lane| lane.priority == priority(number)).unwrap();
        let profile = profile(&orb, own);
        assert_eq!((profile.host, profile.port), lane.addresses[0].clone());
        let find = |id| profile.components.iter().find(|component| component.id == id).unwrap();
        let policies = ExposedPolicies::from_tagged(find(2)).unwrap().unwrap();
        assert_eq!(policies.model, Some(PriorityModel::ServerDeclared(priority(number))));
        let endpoints = TaoEndpoints::from_tagged(find(0x5441_4f02)).unwrap().unwrap();
        assert_eq!(endpoints.0.len(), 1);
        assert_eq!(endpoints.0[0].priority, Some(priority(number)));
    }
    orb.shutdown();
}

#[test]
fn a_busy_lane_delays_no_other() {
    let (orb, rt) = server();
    let pool = two_lanes(&rt);
    let poa = declaring(&orb, &rt, &pool, 10);
    let station = Station::new(&rt);
    let low = poa.activate(sensor_of(station.clone())).unwrap();
    let high = poa.activate_with_priority(sensor_of(Station::new(&rt)), priority(50)).unwrap();
    let client = Orb::new().unwrap();
    let (low, high) = (remote(&orb, &client, &low), remote(&orb, &client, &high));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| low.wait().unwrap());
        }
        station.await_inside(1);
        high.ping().unwrap();
        assert_eq!(station.inside.load(std::sync::atomic::Ordering::SeqCst), 1, "one thread");
        station.open();
    });
    orb.shutdown();
}

#[test]
fn a_lane_never_has_more_calls_than_threads_and_borrows_below_itself() {
    let (orb, rt) = server();
    let options = ThreadpoolOptions::with_lanes("borrowing").borrowing();
    let lanes = options.lane(priority(10), 2, 0).lane(priority(50), 1, 0);
    let pool = rt.create_threadpool(lanes).unwrap();
    let poa = declaring(&orb, &rt, &pool, 50);
    let station = Station::new(&rt);
    let high = poa.activate(sensor_of(station.clone())).unwrap();
    let client = Orb::new().unwrap();
    let high = remote(&orb, &client, &high);
    thread::scope(|scope| {
        for _ in 0..5 {
            scope.spawn(|| high.wait().unwrap());
        }
        // With its own thread, and with both of the lane below.
        station.await_inside(3);
        station.open();
    });
    assert!(station.most() <= 3, "no more than the threads of both lanes");
    orb.shutdown();
}

#[test]
fn requests_beyond_the_buffer_are_refused_with_transient() {
    let (orb, rt) = server();
    let bounds = RequestBuffering { max_requests: 2, max_octets: 0 };
    let options = ThreadpoolOptions::new("buffering", 1, 0, priority(10)).buffering(bounds);
    let pool = rt.create_threadpool(options).unwrap();
    let poa = rt.poa(orb.root_poa().create_poa("buffering")).threadpool(&pool).build().unwrap();
    let station = Station::new(&rt);
    let sensor = poa.activate(sensor_of(station.clone())).unwrap();
    let client = Orb::new().unwrap();
    let sensor = remote(&orb, &client, &sensor);
    thread::scope(|scope| {
        let calls: Vec<_> = (0..6).map(|_| scope.spawn(|| sensor.wait())).collect();
        until("three calls are refused", || {
            calls.iter().filter(|call| call.is_finished()).count() >= 3
        });
        station.open();
        let ends: Vec<_> = calls.into_iter().map(|call| call.join().unwrap()).collect();
        let refused: Vec<_> = ends.iter().filter_map(|end| end.as_ref().err()).collect();
        assert_eq!(refused.len(), 3, "{ends:?}");
        for exception in refused {
            assert_eq!(exception.kind(), armilla::ExceptionKind::Transient);
            assert!(exception.to_string().contains("max_buffered_requests"), "{exception}");
        }
    });
    orb.shutdown();
}

#[test]
fn a_pool_without_lanes_runs_each_object_at_its_own_priority() {
    let (orb, rt) = server();
    let pool = rt.create_threadpool(ThreadpoolOptions::new("plain", 2, 0, priority(5))).unwrap();
    let poa = declaring(&orb, &rt, &pool, 20);
    let usual = poa.activate(sensor_of(Station::new(&rt))).unwrap();
    let other = poa.activate_with_priority(sensor_of(Station::new(&rt)), priority(30)).unwrap();
    let client = Orb::new().unwrap();
    for _ in 0..2 {
        for (own, number) in [(&usual, 20), (&other, 30)] {
            let sensor = remote(&orb, &client, own);
            assert_eq!(sensor.priority().unwrap(), number);
            if may_be_real_time() {
                assert_eq!(sensor.scheduling().unwrap(), format!("SCHED_FIFO {number}"));
            }
        }
    }
    assert_eq!(usual.priority().unwrap(), 20, "collocated");
    assert_eq!(rt.current().priority(), None, "the caller's own");
    orb.shutdown();
}

#[test]
fn low_lanes_are_kept_below_the_throttling_of_the_kernel() {
    let (orb, rt) = server();
    let with = |name: &str, below: BelowHighest| {
        let options = ThreadpoolOptions::with_lanes(name).below_highest(below);
        let lanes = options.lane(priority(10), 1, 0).lane(priority(50), 1, 0);
        rt.create_threadpool(lanes).unwrap().report()
    };
    let budget = with("budget", BelowHighest::default());
    assert_eq!(budget.iter().map(|lane| lane.has_budget).collect::<Vec<_>>(), [false, true]);
    let ordinary = with("ordinary", BelowHighest::Ordinary);
    let natives = ordinary.iter().map(|lane| lane.native.to_string()).collect::<Vec<_>>();
    assert_eq!(natives, ["SCHED_FIFO 50", "SCHED_OTHER"]);
    let free = with("free", BelowHighest::Unlimited);
    assert!(free.iter().all(|lane| !lane.has_budget && lane.native == lane.mapped));
    orb.shutdown();
}

#[test]
fn a_lane_may_have_deadlines_of_the_kernel_and_another_round_robin() {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let [runtime, deadline, period] = [1, 50, 100].map(std::time::Duration::from_millis);
    let scheduling = Scheduling::Deadline { runtime, deadline, period };
    let mapping = TableMapping::new().with(priority(900), scheduling);
    let rt = RtOrb::new(&orb).with_mapping(mapping.or(DirectMapping(NativeRange::ROUND_ROBIN)));
    let options = ThreadpoolOptions::with_lanes("classes");
    let lanes = options.lane(priority(10), 1, 0).lane(priority(900), 1, 1);
    let pool = rt.create_threadpool(lanes).unwrap();
    let poa = declaring(&orb, &rt, &pool, 10);
    let low = poa.activate(sensor_of(Station::new(&rt))).unwrap();
    let high = poa.activate_with_priority(sensor_of(Station::new(&rt)), priority(900)).unwrap();
    let client = Orb::new().unwrap();
    let [low, high] = [&low, &high].map(|own| remote(&orb, &client, own));
    assert_eq!((low.priority().unwrap(), high.priority().unwrap()), (10, 900));
    let budgets = pool.report().iter().map(|lane| lane.has_budget).collect::<Vec<_>>();
    assert_eq!(budgets, [false, true], "the kernel's own, and that of the lane below");
    if may_be_real_time() {
        assert_eq!(low.scheduling().unwrap(), "SCHED_RR 10");
        let refused = pool.report()[0].refused.clone();
        let seen = high.scheduling().unwrap();
        // The CPUs may have no room for it; then the report says so.
        assert!(seen == "SCHED_DEADLINE 1ms/50ms/100ms" || refused.is_some(), "{seen} {refused:?}");
    }
    orb.shutdown();
}

#[test]
fn more_deadlines_than_the_cpus_have_time_for_are_refused_before_a_pool_starts() {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let all = std::time::Duration::from_millis(100);
    let whole = Scheduling::Deadline { runtime: all, deadline: all, period: all };
    let rt = RtOrb::new(&orb).with_mapping(TableMapping::new().with(priority(9), whole));
    // One thread may have a whole CPU, but not more threads than there are CPUs.
    let cpus = std::thread::available_parallelism().unwrap().get();
    let lanes = ThreadpoolOptions::with_lanes("whole").lane(priority(9), cpus + 1, 0);
    let text = rt.clone().strict().create_threadpool(lanes.clone()).unwrap_err().to_string();
    assert!(text.contains("NO_PERMISSION") && text.contains("SCHED_DEADLINE"), "{text}");
    let report = rt.create_threadpool(lanes).unwrap().report();
    assert!(report[0].refused.is_some(), "it says so from the beginning");
    orb.shutdown();
}

#[test]
fn the_report_of_a_new_pool_says_which_native_priorities_the_system_refuses() {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    // Linux has 1 to 99.
    let beyond = Scheduling::Fifo { priority: 200 };
    let ordinary = Scheduling::Other { nice: 0 };
    let mapping = TableMapping::new().with(priority(9), beyond).with(priority(1), ordinary);
    let rt = RtOrb::new(&orb).with_mapping(mapping);
    let lanes = ThreadpoolOptions::with_lanes("refused");
    let lanes = lanes.lane(priority(9), 1, 0).lane(priority(1), 1, 0);
    let pool = rt.create_threadpool(lanes.clone()).unwrap();
    let (text, report) = (pool.to_string(), pool.report());
    assert!(text.lines().any(|line| line.contains("priority 9") && line.contains("refused:")));
    let refused: Vec<_> = report.iter().map(|lane| lane.refused.is_some()).collect();
    assert_eq!(refused, [true, false], "{text}");
    assert!(rt.strict().create_threadpool(lanes).is_err());
    orb.shutdown();
}

#[test]
fn contradictions_are_errors_that_name_object_policy_value_and_remedy() {
    let (orb, rt) = server();
    let pool = two_lanes(&rt);
    let at = |number| PriorityModel::ServerDeclared(priority(number));
    let build = |name: &str, number| {
        let builder = rt.poa(orb.root_poa().create_poa(name)).threadpool(&pool);
        builder.priority_model(at(number)).build().unwrap_err().to_string()
    };
    let text = build("between", 20);
    for part in ["POA \"between\"", "server_priority 20", "lanes 50, 10", "add a lane"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(build("beyond", 200).contains("no native priority"));
    let lanes = |options: ThreadpoolOptions| rt.create_threadpool(options).unwrap_err().to_string();
    let none = ThreadpoolOptions::with_lanes("none");
    assert!(lanes(none.clone()).contains("add a lane"));
    let twice = none.clone().lane(priority(9), 1, 0).lane(priority(9), 1, 0);
    assert!(lanes(twice).contains("two lanes have this priority"));
    assert!(lanes(none.clone().lane(priority(9), 0, 1)).contains("static_threads"));
    let linear = RtOrb::new(&orb).with_mapping(LinearMapping(NativeRange::FIFO));
    let shared = none.lane(priority(9), 1, 0).lane(priority(10), 1, 0);
    let error = linear.create_threadpool(shared).unwrap_err().to_string();
    assert!(error.contains("9 and 10") || error.contains("10 and 9"), "{error}");
    let _ = RtErrorKind::Mapping;
    orb.shutdown();
}

#[test]
fn a_destroyed_pool_serves_no_more() {
    let (orb, rt) = server();
    let pool = two_lanes(&rt);
    let poa = declaring(&orb, &rt, &pool, 10);
    let sensor = poa.activate(sensor_of(Station::new(&rt))).unwrap();
    let client = Orb::new().unwrap();
    let sensor = remote(&orb, &client, &sensor);
    sensor.ping().unwrap();
    pool.destroy();
    assert!(sensor.ping().is_err());
    orb.shutdown();
}

#[test]
fn each_lane_may_have_a_protocol_of_its_own() {
    let (orb, rt) = server();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let of_lanes = seen.clone();
    let options = ThreadpoolOptions::with_lanes("two").protocol(move |lane, settings| {
        // Every process may choose 0 to 6.
        settings.socket_priority = Some(if lane == priority(50) { 6 } else { 1 });
        settings.dscp = Some(46);
        of_lanes.lock().unwrap().push(lane);
    });
    let lanes = options.lane(priority(10), 1, 0).lane(priority(50), 1, 0);
    let pool = rt.create_threadpool(lanes).unwrap();
    assert_eq!(*seen.lock().unwrap(), [priority(50), priority(10)]);
    let poa = declaring(&orb, &rt, &pool, 50);
    let sensor = poa.activate(sensor_of(Station::new(&rt))).unwrap();
    let client = Orb::new().unwrap();
    remote(&orb, &client, &sensor).ping().unwrap();
    let wrong = ThreadpoolOptions::with_lanes("wrong").lane(priority(10), 1, 0);
    let wrong = wrong.protocol(|_, settings| settings.congestion_control = Some("none".into()));
    assert!(rt.create_threadpool(wrong).is_err(), "what the system refuses");
    orb.shutdown();
}

#[test]
fn the_priority_of_an_object_stays_what_its_references_say() {
    let (orb, rt) = server();
    let pool = two_lanes(&rt);
    let poa = orb.root_poa().create_poa("ids").user_ids();
    let model = PriorityModel::ServerDeclared(priority(10));
    let poa = rt.poa(poa).threadpool(&pool).priority_model(model).build().unwrap();
    let activate = |id: &str, number| {
        let servant = sensor_of(Station::new(&rt));
        poa.activate_with_id_and_priority(id, servant, priority(number))
    };
    let own = activate("gyro", 50).unwrap();
    let error = activate("gyro", 10).unwrap_err();
    assert!(error.to_string().contains("it has the priority 50"), "{error}");
    let client = Orb::new().unwrap();
    assert_eq!(remote(&orb, &client, &own).priority().unwrap(), 50);
    assert!(matches!(activate("gyro", 50).unwrap_err(), PoaError::ObjectAlreadyActive));

    let type_id = "IDL:Station/Sensor:1.0";
    poa.create_reference_with_id_and_priority(type_id, "radar", priority(50)).unwrap();
    let PoaError::System(exception) = activate("radar", 10).unwrap_err() else { panic!() };
    assert_eq!(exception.kind(), ExceptionKind::BadInvOrder, "{exception}");
    assert_eq!(remote(&orb, &client, &activate("radar", 50).unwrap()).priority().unwrap(), 50);

    // What failed to be activated has no priority of its own.
    poa.poa().activate_with_id("plain", sensor_of(Station::new(&rt))).unwrap();
    assert!(activate("plain", 50).is_err());
    let plain = poa.poa().id_to_reference(&ObjectId::from("plain")).unwrap();
    let plain: SensorRef = plain.narrow().unwrap();
    assert_eq!(remote(&orb, &client, &plain).priority().unwrap(), 10);
    orb.shutdown();
}
