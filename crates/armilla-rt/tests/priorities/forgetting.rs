//! What objects and references had of their own is freed with them. The allocator counts for the
//! whole process.

use crate::alone::alone;
use crate::{ALLOCATOR, common};
use armilla::Orb;
use armilla_rt::{PriorityModel, RtOrb, RtPolicy, ThreadpoolOptions};
use common::*;

/// The memory of the process in octets.
fn held() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// Does something so many times, and then as often again, which must take no more memory. What
/// other threads free takes a moment.
fn repeat_without_growing(what: &str, times: usize, turn: impl Fn()) {
    (0..times).for_each(|_| turn());
    let before = held();
    (0..times).for_each(|_| turn());
    // Less than four octets for each object, and less than 164 for each reference.
    until(what, || held() < before + (16 << 10));
}

#[test]
fn priorities_of_objects_and_connections_of_references_are_freed_with_them() {
    alone(|| {
        let (orb, rt) = server();
        let options = ThreadpoolOptions::new("pool", 2, 0, priority(5));
        let pool = rt.create_threadpool(options).unwrap();
        let model = PriorityModel::ServerDeclared(priority(20));
        let poa = rt.poa(orb.root_poa().create_poa("own")).threadpool(&pool);
        let poa = poa.priority_model(model).build().unwrap();
        let servant = || sensor_of(Station::new(&rt));
        repeat_without_growing("objects with priorities of their own are freed", 5_000, || {
            let own = poa.activate_with_priority(servant(), priority(30)).unwrap();
            poa.deactivate(&poa.reference_to_id(own.object()).unwrap()).unwrap();
        });

        let own = poa.activate_with_priority(servant(), priority(30)).unwrap();
        let client = Orb::new().unwrap();
        let client_rt = RtOrb::new(&client);
        let text = orb.object_to_string(&own).unwrap();
        repeat_without_growing("private connections are freed with their references", 100, || {
            let object = client.string_to_object(&text).unwrap();
            let private = client_rt.with_policies(&object, [RtPolicy::PrivateConnection]).unwrap();
            let sensor: SensorRef = private.assume();
            assert_eq!(sensor.priority().unwrap(), 30);
        });
        orb.shutdown();
    });
}
