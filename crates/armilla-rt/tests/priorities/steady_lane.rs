//! The steady state of a lane: no heap allocation on either side, no page fault in its thread. The
//! allocator counts for the whole process.

use crate::alone::alone;
use crate::{ALLOCATOR, common};
use armilla::Orb;
use armilla_rt::{DirectMapping, NativeRange, PriorityModel, RtOrb, ThreadpoolOptions};
use common::*;

/// How many allocations 500 calls make, client and server together: the least of several rounds,
/// because a thread that begins beside one allocates too.
fn allocations(call: impl Fn()) -> usize {
    let round = || {
        let before = ALLOCATOR.stats();
        (0..500).for_each(|_| call());
        let after = ALLOCATOR.stats();
        (after.allocations - before.allocations) + (after.reallocations - before.reallocations)
    };
    (0..5).map(|_| round()).min().unwrap_or(usize::MAX)
}

#[test]
fn a_call_in_a_lane_allocates_nothing_and_faults_no_page() {
    alone(|| {
        let (orb, rt) = server();
        let lanes = ThreadpoolOptions::with_lanes("two");
        let lanes = lanes.lane(priority(10), 1, 0).lane(priority(50), 1, 0);
        let pool = rt.create_threadpool(lanes).unwrap();
        let client = Orb::new().unwrap();
        let client_rt = RtOrb::new(&client).with_mapping(DirectMapping(NativeRange::FIFO));
        // Without the privilege the thread has the CORBA priority all the same.
        client_rt.current().set_priority(priority(50)).ok();
        for (name, model) in [
            ("declared", PriorityModel::ServerDeclared(priority(50))),
            ("propagated", PriorityModel::ClientPropagated(priority(10))),
        ] {
            let builder = rt.poa(orb.root_poa().create_poa(name)).threadpool(&pool);
            let poa = builder.priority_model(model).build().unwrap();
            let own = poa.activate(sensor_of(Station::new(&rt))).unwrap();
            let sensor = remote(&orb, &client, &own);
            assert_eq!(sensor.priority().unwrap(), 50, "{name}");
            assert_eq!(allocations(|| sensor.ping().unwrap()), 0, "{name}");
            let before = sensor.faults().unwrap();
            (0..500).for_each(|_| sensor.ping().unwrap());
            assert_eq!(sensor.faults().unwrap(), before, "page faults, {name}");
        }
        orb.shutdown();
    });
}
