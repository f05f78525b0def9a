//! Limits of collocated calls: of the time that they wait before the servant is called (for a
//! holding manager, for the previous call of a single-threaded POA, or for the main thread), and of
//! how deep they nest.

use armilla::interceptor::{ClientInterceptor, ClientRequestInfo, Interruption};
use armilla::{
    AnyServant, Collocation, Completion, Cookie, ExceptionKind, Minor, Object, ObjectId, Orb, Poa,
    Policies, PolicyCurrent, ServantLocator, ServantManager, ServantManagerError, SystemException,
    Threading,
};
use armilla_tests::gate::{PATIENCE, eventually};
use armilla_tests::orbs::{self, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::{Ear, Probe};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

const SHORT: Duration = Duration::from_millis(20);

fn limits() -> Policies {
    Policies { round_trip_timeout: Some(SHORT), ..Policies::default() }
}

#[track_caller]
fn late(what: Result<(), SystemException>, completed: Completion) {
    let error = what.unwrap_err();
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::Timeout, Minor::REPLY_TIMED_OUT));
    assert_eq!(error.completed(), completed, "{error}");
}

/// An object of a POA with this policy.
fn object(orb: &Orb, threading: Threading) -> (Arc<Probe>, EverythingRef) {
    let poa = orb.root_poa().create_poa("limited").policy(threading).build().unwrap();
    let probe = Arc::new(Probe::default());
    let reference = poa.activate(probe.clone() as Arc<dyn Everything>).unwrap();
    (probe, reference)
}

struct Watcher;

impl ClientInterceptor for Watcher {
    fn name(&self) -> &str {
        "watcher"
    }

    fn send_request(&self, _info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        Ok(())
    }
}

#[test]
fn a_held_call_expires_by_every_kind_of_time_limit() {
    let direct = orbs::builder();
    let through = orbs::builder().settings(|s| s.collocation = Collocation::ThroughPoa);
    let watched = orbs::builder().client_interceptor(Watcher);
    for builder in [direct, through, watched] {
        let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let (_, object) = object(&orb, Threading::OrbControl);
        let poa = orb.root_poa().find_poa("limited", false).unwrap();
        poa.manager().hold_requests(true).unwrap();
        late(object.with_timeout(SHORT).ping(), Completion::No);
        late(object.with_policies(limits()).ping(), Completion::No);
        assert_eq!(
            object.with_timeout(SHORT).remark("oneway"),
            Ok(()),
            "nobody waits for what comes of it"
        );
        let hurry = PolicyCurrent::set(limits());
        late(object.ping(), Completion::No);
        drop(hurry);
        assert_eq!(poa.manager().held_requests(), 0);
        thread::scope(|scope| {
            let call = scope.spawn(|| object.ping());
            eventually("it is held", || poa.manager().held_requests() == 1);
            poa.manager().activate().unwrap();
            call.join().unwrap().unwrap();
        });
        object.with_timeout(SHORT).ping().unwrap();
        orb.shutdown();
    }
}

/// Sends every call elsewhere.
struct Sender(Object);

impl ServantLocator for Sender {
    fn preinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError> {
        Err(ServantManagerError::Forward(self.0.clone()))
    }
}

#[test]
fn a_call_that_is_sent_elsewhere_keeps_its_limits() {
    let elsewhere = orbs::Server::start();
    let watched = orbs::builder().client_interceptor(Watcher);
    for builder in [orbs::builder(), watched] {
        let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let (_, held) = object(&orb, Threading::OrbControl);
        let poa = orb.root_poa().find_poa("limited", false).unwrap();
        poa.manager().hold_requests(true).unwrap();
        let far = travel(&elsewhere.local, &orb);
        for (name, target, completed) in
            [("near", held, Completion::No), ("far", far, Completion::Maybe)]
        {
            let sender = ServantManager::locator(Sender(target.object().clone()));
            let sends = orb.root_poa().create_poa(name).user_ids().servant_manager(sender);
            let object: EverythingRef =
                sends.build().unwrap().create_reference_with_id("one").unwrap();
            late(object.with_timeout(SHORT).block(), completed);
            late(object.with_policies(limits()).block(), completed);
        }
        orb.shutdown();
    }
    elsewhere.probe.gate.open();
}

#[test]
fn the_orb_limits_calls_that_are_held() {
    let orb = orbs::listening_with(|settings| settings.call_timeout = Some(SHORT));
    let (_, object) = object(&orb, Threading::OrbControl);
    let poa = orb.root_poa().find_poa("limited", false).unwrap();
    poa.manager().hold_requests(true).unwrap();
    late(object.ping(), Completion::No);
    orb.shutdown();
}

#[test]
fn a_call_that_waits_for_another_one_ends_in_its_time() {
    let orb = orbs::listening();
    let (probe, object) = object(&orb, Threading::SingleThread);
    thread::scope(|scope| {
        let other = scope.spawn(|| object.block());
        probe.gate.await_waiting(1);
        late(object.with_timeout(SHORT).ping(), Completion::No);
        probe.gate.open();
        other.join().unwrap().unwrap();
    });
    object.ping().unwrap();
    orb.shutdown();
}

#[test]
fn a_servant_may_take_longer_than_its_call_had_to_wait() {
    let orb = orbs::listening();
    let (probe, object) = object(&orb, Threading::SingleThread);
    thread::scope(|scope| {
        let call = scope.spawn(|| object.with_timeout(SHORT).block());
        probe.gate.await_waiting(1);
        thread::sleep(2 * SHORT);
        probe.gate.open();
        call.join().unwrap().unwrap();
    });
    orb.shutdown();
}

#[test]
fn a_call_that_waits_for_the_main_thread_ends_in_its_time() {
    let orb = orbs::listening();
    let (_, object) = object(&orb, Threading::MainThread);
    thread::scope(|scope| {
        let call = scope.spawn(|| object.with_timeout(SHORT).ping());
        late(call.join().unwrap(), Completion::No);
    });
    // Whoever asked has gone, and what was asked is not done.
    orb.perform_work().unwrap();
    object.ping().unwrap();
    orb.shutdown();
}

#[test]
fn the_main_thread_does_not_wait_for_a_manager_that_holds_requests() {
    let orb = orbs::listening();
    let (_, near) = object(&orb, Threading::MainThread);
    let far = travel(&near, &orbs::client());
    let poa = orb.root_poa().find_poa("limited", false).unwrap();
    poa.manager().hold_requests(true).unwrap();
    thread::scope(|scope| {
        let calls = [&near, &far].map(|object| scope.spawn(|| object.increment()));
        eventually("both are held", || poa.manager().held_requests() == 2);
        assert_eq!(orb.work_pending(), Ok(false));
        orb.perform_work().unwrap();
        poa.manager().activate().unwrap();
        eventually("both are served", || {
            orb.perform_work().unwrap();
            calls.iter().all(|call| call.is_finished())
        });
        calls.into_iter().for_each(|call| assert!(call.join().unwrap().is_ok()));
    });
    // Work that was queued before the manager closed returns to its caller.
    thread::scope(|scope| {
        let call = scope.spawn(|| far.increment());
        eventually("work comes", || orb.work_pending().unwrap());
        poa.manager().hold_requests(false).unwrap();
        orb.perform_work().unwrap();
        eventually("it is held", || poa.manager().held_requests() == 1);
        poa.manager().activate().unwrap();
        eventually("it is served", || {
            orb.perform_work().unwrap();
            call.is_finished()
        });
        assert_eq!(call.join().unwrap(), Ok(3));
    });
    orb.shutdown();
}

/// Returns the same servant for every object.
struct Always(AnyServant);

impl ServantLocator for Always {
    fn preinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError> {
        Ok((self.0.clone(), Cookie::default()))
    }
}

/// An object whose operation `descend` calls a partner, which calls back, and the partner. With
/// `located`, its servant comes from a servant locator.
fn pair(orb: &Orb, located: bool) -> (EverythingRef, ListenerRef) {
    let probe = Arc::new(Probe::default());
    let object = match located {
        false => orb.root_poa().activate(probe.clone() as Arc<dyn Everything>).unwrap(),
        true => {
            let servant = AnyServant::from(probe.clone() as Arc<dyn Everything>);
            let locator = ServantManager::locator(Always(servant));
            let poa = orb.root_poa().create_poa("located").user_ids().servant_manager(locator);
            poa.build().unwrap().create_reference_with_id("one").unwrap()
        }
    };
    probe.myself.set(object.clone()).unwrap();
    (object, Ear::activate(orb).1)
}

/// However deep a client lets calls within a server nest, the server stays.
#[test]
fn calls_that_nest_too_deep_end_with_an_exception() {
    let direct = orbs::builder();
    let through = orbs::builder().settings(|s| s.collocation = Collocation::ThroughPoa);
    let watched = orbs::builder().client_interceptor(Watcher);
    for (builder, located) in [(direct, false), (through, false), (watched, true)] {
        let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let (object, partner) = pair(&orb, located);
        let client = orbs::client();
        let far = (travel(&object, &client), travel(&partner, &client));
        let endless = |(object, partner): (EverythingRef, ListenerRef)| {
            let error = object.descend(&partner, i32::MAX).unwrap_err();
            let expected = (ExceptionKind::NoResources, Minor::CALLS_NESTED_TOO_DEEP);
            assert_eq!((error.kind(), error.minor()), expected, "{error}");
            assert_eq!(error.completed(), Completion::Maybe, "servants were entered");
            assert_eq!(object.descend(&partner, 6), Ok(6));
        };
        endless(far);
        let small = thread::Builder::new().stack_size(512 << 10);
        small.spawn(move || endless((object, partner))).unwrap().join().unwrap();
        orb.shutdown();
    }
}

/// Limits for the delivery of a request alone.
fn delivery() -> [Policies; 2] {
    let request_end = Some(Instant::now() + SHORT);
    [
        Policies { request_timeout: Some(SHORT), ..Policies::default() },
        Policies { request_end, ..Policies::default() },
    ]
}

#[test]
fn a_request_that_is_held_is_not_delivered_and_expires_by_the_limits_for_that() {
    let through = orbs::builder().settings(|s| s.collocation = Collocation::ThroughPoa);
    for builder in [orbs::builder(), through] {
        let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let (_, object) = object(&orb, Threading::OrbControl);
        let poa = orb.root_poa().find_poa("limited", false).unwrap();
        poa.manager().hold_requests(true).unwrap();
        for policies in delivery() {
            let error = object.with_policies(policies).ping().unwrap_err();
            let got = (error.kind(), error.completed());
            assert_eq!(got, (ExceptionKind::Timeout, Completion::No), "{error}");
        }
        assert_eq!(poa.manager().held_requests(), 0);
        orb.shutdown();
    }
}

#[test]
fn a_request_that_was_delivered_in_time_may_be_served_for_longer() {
    let through = orbs::builder().settings(|s| s.collocation = Collocation::ThroughPoa);
    for (threading, builder) in
        [(Threading::OrbControl, through), (Threading::MainThread, orbs::builder())]
    {
        let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let (probe, object) = object(&orb, threading);
        let request_timeout = Some(PATIENCE / 10);
        let policies = Policies { request_timeout, ..Policies::default() };
        thread::scope(|scope| {
            let call = scope.spawn(|| {
                let begun = Instant::now();
                let served = object.with_policies(policies).block();
                (served, begun.elapsed())
            });
            if threading == Threading::MainThread {
                let opened = scope.spawn(|| {
                    probe.gate.await_waiting(1);
                    thread::sleep(PATIENCE / 8);
                    probe.gate.open();
                });
                while !call.is_finished() {
                    orb.perform_work().unwrap();
                    thread::sleep(Duration::from_millis(1));
                }
                opened.join().unwrap();
            } else {
                probe.gate.await_waiting(1);
                thread::sleep(PATIENCE / 8);
                probe.gate.open();
            }
            let (served, took) = call.join().unwrap();
            assert_eq!(served, Ok(()), "after {took:?}");
        });
        orb.shutdown();
    }
}
