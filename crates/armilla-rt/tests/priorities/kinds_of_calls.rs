//! Oneways, replies that come later, and calls back, in the lanes of their priorities.

use crate::common;
use armilla::Orb;
use armilla_rt::{DirectMapping, NativeRange, PriorityModel, RtOrb, RtPoa, ThreadpoolOptions};
use common::*;
use std::thread;

fn client() -> (Orb, RtOrb) {
    let orb = Orb::new().unwrap();
    let rt = RtOrb::new(&orb).with_mapping(DirectMapping(NativeRange::FIFO));
    (orb, rt)
}

/// A POA whose objects run in lanes, at the priority of their callers.
fn propagating(orb: &Orb, rt: &RtOrb, lanes: ThreadpoolOptions) -> RtPoa {
    let pool = rt.create_threadpool(lanes).unwrap();
    let poa = rt.poa(orb.root_poa().create_poa("lanes")).threadpool(&pool);
    poa.priority_model(PriorityModel::ClientPropagated(priority(10))).build().unwrap()
}

fn two_lanes() -> ThreadpoolOptions {
    ThreadpoolOptions::with_lanes("two").lane(priority(10), 1, 0).lane(priority(50), 1, 0)
}

#[test]
fn a_oneway_runs_in_the_lane_of_its_priority() {
    let (orb, rt) = server();
    let poa = propagating(&orb, &rt, two_lanes());
    let own = poa.activate(sensor_of(Station::new(&rt))).unwrap();
    let (client, client_rt) = client();
    let distant = remote(&orb, &client, &own);
    at(&client_rt, 50, || distant.note()).unwrap();
    until("it has arrived", || distant.noted().unwrap() == [50]);
    at(&client_rt, 10, || distant.note()).unwrap();
    until("it has arrived too", || distant.noted().unwrap() == [50, 10]);
    // Within the process the calling thread serves it.
    at(&rt, 50, || own.note()).unwrap();
    until("and the last one", || own.noted().unwrap() == [50, 10, 50]);
    assert!(at(&client_rt, 30, || distant.note()).is_err(), "there is no such lane");
    orb.shutdown();
}

#[test]
fn a_request_whose_reply_comes_later_leaves_its_lane() {
    let (orb, rt) = server();
    let poa = propagating(&orb, &rt, two_lanes());
    let station = Station::new(&rt);
    let own = poa.activate(deferring(station.clone())).unwrap();
    let (client, client_rt) = client();
    let distant: SensorRef = client.resolve(&orb.object_to_string(&own).unwrap()).unwrap();
    let put_off = |count| {
        until("replies are put off", || station.deferred.lock().unwrap().len() == count);
    };
    thread::scope(|scope| {
        let calls: Vec<_> = [50, 10, 50]
            .map(|number| {
                let (distant, rt) = (&distant, &client_rt);
                scope.spawn(move || at(rt, number, || distant.wait()))
            })
            .into();
        // The lane of 50 has one thread, and two requests at once.
        put_off(3);
        assert_eq!(call(&client_rt, 50, &distant), (50, "lane50".to_owned()), "it is free again");
        let deferred = std::mem::take(&mut *station.deferred.lock().unwrap());
        // A thread without a priority replies; each client gets its own reply.
        deferred.into_iter().for_each(|reply| reply.complete(Ok(())));
        calls.into_iter().for_each(|call| call.join().unwrap().unwrap());
    });
    orb.shutdown();
}

/// The priority and the lane of a call.
fn call(rt: &RtOrb, number: i16, sensor: &SensorRef) -> (i16, String) {
    let (priority, thread) =
        at(rt, number, || (sensor.priority().unwrap(), sensor.thread().unwrap()));
    (priority, thread.split('-').next().unwrap().to_owned())
}

#[test]
fn a_servant_is_called_back_at_its_priority_if_its_lane_has_a_thread_left_or_borrows_one() {
    let with_two = ThreadpoolOptions::with_lanes("two threads").lane(priority(50), 1, 1);
    let lending = ThreadpoolOptions::with_lanes("lending").lane(priority(10), 1, 0);
    for lanes in [with_two, lending.lane(priority(50), 1, 0).borrowing()] {
        let (orb, rt) = server();
        let pool = rt.create_threadpool(lanes).unwrap();
        let poa = rt.poa(orb.root_poa().create_poa("asking")).threadpool(&pool);
        let poa =
            poa.priority_model(PriorityModel::ClientPropagated(priority(50))).build().unwrap();
        let asking = poa.activate(sensor_of(Station::new(&rt))).unwrap();
        let (middle, middle_rt) = server();
        let plain = ThreadpoolOptions::new("plain", 1, 1, priority(5));
        let relays = propagating(&middle, &middle_rt, plain);
        let (client, client_rt) = client();
        // The client calls the first server, that calls the second, and that calls the first back.
        let of_middle = remote(&orb, &middle, &asking);
        let station = Station::new(&middle_rt);
        let (seen, answer) = std::sync::mpsc::channel();
        station
            .on_ping
            .set(Box::new(move || drop(seen.send(of_middle.priority()))))
            .unwrap_or_else(|_| unreachable!());
        let calls_back = relays.activate(sensor_of(station)).unwrap();
        let back = remote(&middle, &orb, &calls_back);
        let asks = Station::new(&rt);
        asks.on_ping.set(Box::new(move || back.ping().unwrap())).unwrap_or_else(|_| unreachable!());
        let first = poa.activate(sensor_of(asks)).unwrap();
        let distant = remote(&orb, &client, &first);
        at(&client_rt, 50, || distant.ping()).unwrap();
        assert_eq!(answer.recv().unwrap().unwrap(), 50, "kept over three processes");
        [orb, middle].iter().for_each(Orb::shutdown);
    }
}
