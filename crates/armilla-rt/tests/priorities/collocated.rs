//! Calls of objects of the same process: their priority is that which a remote call would have.

use crate::common;
use armilla::{ExceptionKind, Orb};
use armilla_rt::{
    Priority, PriorityModel, PriorityTransform, RtOrb, Scheduling, Threadpool, ThreadpoolOptions,
};
use common::*;
use std::sync::Arc;
use std::thread;

/// Leaves requests as they are, and makes the calls of servants one more urgent, up to 30.
struct More;

impl PriorityTransform for More {
    fn inbound(&self, priority: Priority, _: &[u8]) -> Option<Priority> {
        Some(priority)
    }

    fn outbound(&self, priority: Priority, _: &[u8]) -> Option<Priority> {
        Priority::new(priority.get() + 1).filter(|_| priority.get() <= 30)
    }
}

fn pool(rt: &RtOrb) -> Threadpool {
    rt.create_threadpool(ThreadpoolOptions::new("plain", 2, 0, priority(5))).unwrap()
}

/// An object that runs at the priority of its callers, perhaps with a transform.
fn propagating(orb: &Orb, rt: &RtOrb, pool: &Threadpool, transform: bool) -> SensorRef {
    let name = if transform { "transformed" } else { "plain" };
    let builder = rt.poa(orb.root_poa().create_poa(name)).threadpool(pool);
    let builder = builder.priority_model(PriorityModel::ClientPropagated(priority(10)));
    let builder = match transform {
        true => builder.priority_transform(Arc::new(More)),
        false => builder,
    };
    builder.build().unwrap().activate(sensor_of(Station::new(rt))).unwrap()
}

#[test]
fn a_transform_changes_the_calls_of_a_servant_within_the_process_too() {
    let (orb, rt) = server();
    let pool = pool(&rt);
    let target = propagating(&orb, &rt, &pool, false);
    let asked = propagating(&orb, &rt, &pool, true);
    assert_eq!(at(&rt, 20, || asked.ask(&target)).unwrap(), 21);
    let refused = at(&rt, 31, || asked.ask(&target)).unwrap_err();
    assert_eq!(refused.kind(), ExceptionKind::NoPermission, "{refused}");
    orb.shutdown();
}

#[test]
fn a_thread_with_a_native_priority_only_calls_at_that() {
    let (orb, rt) = server();
    let near = propagating(&orb, &rt, &pool(&rt), false);
    let client = Orb::new().unwrap();
    let client_rt = RtOrb::new(&client);
    let client_rt =
        client_rt.with_mapping(armilla_rt::DirectMapping(armilla_rt::NativeRange::FIFO));
    let far = remote(&orb, &client, &near);
    if may_be_real_time() {
        let called = thread::spawn(move || {
            Scheduling::Fifo { priority: 33 }.apply().unwrap();
            let called = (near.priority().unwrap(), far.priority().unwrap());
            (called, Scheduling::current().unwrap(), client_rt.current().priority())
        });
        let native = Scheduling::Fifo { priority: 33 };
        assert_eq!(called.join().unwrap(), ((33, 33), native, None));
    }
    orb.shutdown();
}

#[test]
fn a_lane_counts_the_calls_of_the_process_and_gives_their_threads_back() {
    let (orb, rt) = server();
    let lanes = ThreadpoolOptions::with_lanes("two").lane(priority(10), 1, 0);
    let pool = rt.create_threadpool(lanes.lane(priority(50), 1, 0)).unwrap();
    let poa = rt.poa(orb.root_poa().create_poa("lanes")).threadpool(&pool);
    let poa = poa.priority_model(PriorityModel::ServerDeclared(priority(10))).build().unwrap();
    let station = Station::new(&rt);
    let low = poa.activate(sensor_of(station.clone())).unwrap();
    let high = poa.activate_with_priority(sensor_of(Station::new(&rt)), priority(50)).unwrap();
    thread::scope(|scope| {
        let calls: Vec<_> = (0..3).map(|_| scope.spawn(|| low.wait())).collect();
        station.await_inside(1);
        assert_eq!(high.priority().unwrap(), 50, "another lane");
        assert_eq!(high.ask(&high).unwrap(), 50, "the thread has its place already");
        station.open();
        calls.into_iter().for_each(|call| call.join().unwrap().unwrap());
    });
    assert_eq!((station.most(), rt.current().priority()), (1, None));
    orb.shutdown();
}
