//! Thread pools and ORBs that end while requests wait or run, and pools that cannot be made.

use crate::common;
use armilla::{ExceptionKind, Orb};
use armilla_rt::rtcorba::{Rtorb, ThreadpoolLane};
use armilla_rt::{PriorityModel, RequestBuffering, RtOrb, Threadpool, ThreadpoolOptions};
use common::*;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

const UNBOUNDED: RequestBuffering = RequestBuffering { max_requests: 0, max_octets: 0 };

/// Longer than anything here takes, and shorter than the time after which the ORB gives up to wait.
const SHORTLY: Duration = Duration::from_secs(8);

fn object(orb: &Orb, rt: &RtOrb, pool: &Threadpool, servant: Arc<dyn Sensor>) -> SensorRef {
    let poa = rt.poa(orb.root_poa().create_poa("ends")).threadpool(pool);
    let poa = poa.priority_model(PriorityModel::ServerDeclared(priority(50))).build().unwrap();
    poa.activate(servant).unwrap()
}

/// Lets four calls wait in a pool with one thread, ends the pool with `end`, and opens the gate.
/// Returns how many calls have run.
fn end_with_waiting_calls(buffers: bool, end: impl FnOnce(&Orb, &Threadpool)) -> usize {
    let (orb, rt) = server();
    let options = ThreadpoolOptions::with_lanes("ends").lane(priority(50), 1, 0);
    let options = if buffers { options.buffering(UNBOUNDED) } else { options };
    let pool = rt.create_threadpool(options).unwrap();
    let station = Station::new(&rt);
    let own = object(&orb, &rt, &pool, sensor_of(station.clone()));
    let client = Orb::new().unwrap();
    let distant = remote(&orb, &client, &own);
    let begun = Instant::now();
    let served = thread::scope(|scope| {
        let calls: Vec<_> = (0..4).map(|_| scope.spawn(|| distant.wait())).collect();
        station.await_inside(1);
        scope.spawn(|| {
            // Whether the gate opens before or after the end begins, the end comes.
            thread::yield_now();
            station.open();
        });
        end(&orb, &pool);
        let ends = calls.into_iter().map(|call| call.join().unwrap());
        let ends: Vec<_> = ends.filter_map(Result::err).collect();
        for exception in &ends {
            // The system resets connections that nobody has accepted yet.
            let kinds = [ExceptionKind::Transient, ExceptionKind::CommFailure];
            assert!(kinds.contains(&exception.kind()), "{exception}");
        }
        4 - ends.len()
    });
    assert!(distant.ping().is_err(), "nobody listens");
    assert!(begun.elapsed() < SHORTLY, "{:?}", begun.elapsed());
    assert_eq!(station.inside.load(std::sync::atomic::Ordering::SeqCst), 0);
    orb.shutdown();
    served
}

#[test]
fn what_ends_serves_or_refuses_each_request_that_waits() {
    for buffers in [false, true] {
        assert!(end_with_waiting_calls(buffers, |orb, _| orb.shutdown()) >= 1);
        let twice = |_: &Orb, pool: &Threadpool| {
            pool.destroy();
            pool.destroy();
        };
        assert!(end_with_waiting_calls(buffers, twice) >= 1);
    }
}

#[test]
fn no_poa_gets_a_pool_that_was_destroyed() {
    let (orb, rt) = server();
    let pool = ThreadpoolOptions::new("gone", 1, 0, priority(5));
    let pool = rt.create_threadpool(pool).unwrap();
    pool.destroy();
    let built = rt.poa(orb.root_poa().create_poa("late")).threadpool(&pool).build();
    let text = built.unwrap_err().to_string();
    for part in ["INV_POLICY", "POA \"late\"", "threadpool \"gone\"", "create another"] {
        assert!(text.contains(part), "{text}");
    }
    orb.shutdown();
}

#[test]
fn a_servant_may_destroy_its_own_thread_pool() {
    let (orb, rt) = server();
    let pool = ThreadpoolOptions::with_lanes("own").lane(priority(50), 2, 0);
    let pool = rt.create_threadpool(pool).unwrap();
    let station = Station::new(&rt);
    let destroyed = pool.clone();
    station.on_ping.set(Box::new(move || destroyed.destroy())).ok();
    let own = object(&orb, &rt, &pool, sensor_of(station));
    let client = Orb::new().unwrap();
    let distant = remote(&orb, &client, &own);
    let begun = Instant::now();
    distant.ping().unwrap();
    until("the pool has ended", || {
        distant.thread().is_err_and(|gone| gone.kind() == ExceptionKind::Transient)
    });
    orb.shutdown();
    assert!(begun.elapsed() < SHORTLY, "{:?}", begun.elapsed());
}

#[test]
fn values_out_of_range_are_refused_and_large_bounds_are_not() {
    let (orb, rt) = server();
    let lane =
        |lane_priority| ThreadpoolLane { lane_priority, static_threads: 1, dynamic_threads: 0 };
    let plain = |stack, fixed, dynamic, number| {
        Rtorb::create_threadpool(&rt, stack, fixed, dynamic, number, true, u32::MAX, u32::MAX)
    };
    let with_lanes =
        |stack, lanes: &[_]| rt.create_threadpool_with_lanes(stack, lanes, true, false, 0, 0);
    for (made, expected) in [
        (plain(0, 0, 1, 5), "static_threads 0"),
        (plain(0, 1, u32::MAX, 5), "threads 1 + 4294967295"),
        (plain(0, 1, 0, -1), "priority -1"),
        (plain(0, 1, 0, i16::MAX), "no native priority"),
        (plain(1, 1, 0, 5), "stacksize 1"),
        (with_lanes(0, &[]), "lanes none"),
        (with_lanes(0, &[lane(5), lane(5)]), "two lanes have this priority"),
        (with_lanes(0, &[lane(5), lane(-5)]), "priority -5"),
    ] {
        let text = made.unwrap_err().to_string();
        assert!(text.contains(expected), "{text}");
    }
    let huge = ThreadpoolOptions::new("huge", 1, 0, priority(5)).stack_size(1 << 50);
    let refused = rt.create_threadpool(huge).unwrap_err();
    assert_eq!(refused.kind(), ExceptionKind::NoResources, "{refused}");
    let bounded = rt.threadpool(plain(0, 1, 3, 5).unwrap()).unwrap();
    assert_eq!(bounded.report()[0].threads, (1, 3));
    orb.shutdown();
}
