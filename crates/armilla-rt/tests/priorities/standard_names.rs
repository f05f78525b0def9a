//! The interfaces of the module RTCORBA in the standard's names.

use crate::common;
use armilla_rt::rtcorba::{Current, Rtorb, ThreadpoolLane};
use common::*;
use std::thread;

#[test]
fn thread_pools_are_created_and_destroyed_by_number() {
    let (orb, rt) = server();
    let lane =
        |lane_priority| ThreadpoolLane { lane_priority, static_threads: 1, dynamic_threads: 1 };
    let lanes = [lane(10), lane(50)];
    let first = rt.create_threadpool_with_lanes(1 << 20, &lanes, true, true, 5, 0).unwrap();
    let second = Rtorb::create_threadpool(&rt, 0, 1, 0, 20, false, 0, 0).unwrap();
    assert_ne!(first, second);
    assert_eq!(rt.threadpool(first).unwrap().report().len(), 2);
    assert!(!rt.threadpool(second).unwrap().has_lanes());
    rt.destroy_threadpool(first).unwrap();
    let error = rt.destroy_threadpool(first).unwrap_err();
    assert!(error.to_string().contains("InvalidThreadpool"), "{error}");
    assert!(rt.create_threadpool_with_lanes(0, &[lane(-1)], false, false, 0, 0).is_err());
    orb.shutdown();
}

#[test]
fn a_thread_has_the_priority_that_it_was_given_and_none_before() {
    let (orb, rt) = server();
    thread::spawn(move || {
        let current = rt.current();
        assert!(current.the_priority().is_err());
        // Without the privilege the thread has the CORBA priority all the same.
        current.set_the_priority(40).ok();
        assert_eq!(current.the_priority().unwrap(), 40);
        assert!(current.set_the_priority(-3).is_err());
        assert_eq!(current.the_priority().unwrap(), 40);
    })
    .join()
    .unwrap();
    orb.shutdown();
}

#[test]
fn a_mutex_is_taken_once_and_tried_for_a_time() {
    let (orb, rt) = server();
    let held = rt.create_mutex().unwrap();
    let mutex = held.get().unwrap();
    mutex.lock().unwrap();
    assert!(mutex.lock().is_err(), "the thread would wait for itself");
    thread::scope(|scope| {
        scope.spawn(|| {
            assert!(!mutex.try_lock(0).unwrap());
            assert!(!mutex.try_lock(10_000).unwrap(), "after a millisecond");
            assert!(mutex.unlock().is_err(), "another thread holds it");
        });
    });
    mutex.unlock().unwrap();
    assert!(mutex.try_lock(0).unwrap());
    mutex.unlock().unwrap();
    rt.destroy_mutex(&held).unwrap();
    orb.shutdown();
}
