//! Servant activators: incarnation with the first call, and etherealization.

use super::{Maker, activating, near_and_far, reference, refused, take};
use armilla::{AnyServant, ExceptionKind, Minor, ObjectId, Poa, PoaError, ServantManager};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::Arc;
use std::thread;

#[test]
fn an_activator_makes_a_servant_with_the_first_call_and_gets_it_back() {
    let server = Server::start();
    let (poa, _, log) = activating(&server);
    for (id, which) in [("a", 0), ("b", 1)] {
        let calls = near_and_far(&reference(&poa, id));
        calls[which].increment().unwrap();
        calls[1 - which].increment().unwrap();
        assert_eq!(take(&log), [format!("incarnate {id} in made")]);
        poa.deactivate(&id.into()).unwrap();
        // The client may have its reply before the call has quite left the servant.
        eventually("the servant goes back", || !log.lock().unwrap().is_empty());
        assert_eq!(take(&log), [format!("etherealize {id} at 2: deactivated")]);
        calls[which].increment().unwrap();
        assert_eq!(calls[1 - which].count(), Ok(1), "a servant anew");
        take(&log);
    }
    poa.destroy(true, true).unwrap();
    let mut ended = take(&log);
    ended.sort();
    assert_eq!(ended, ["etherealize a at 1: cleanup", "etherealize b at 1: cleanup"]);
}

#[test]
fn a_poa_may_be_destroyed_without_giving_servants_back() {
    let server = Server::start();
    let (poa, _, log) = activating(&server);
    reference(&poa, "a").ping().unwrap();
    take(&log);
    poa.destroy(false, true).unwrap();
    assert!(take(&log).is_empty());
}

#[test]
fn shutting_the_orb_down_gives_servants_back() {
    let server = Server::start();
    let (poa, _, log) = activating(&server);
    reference(&poa, "a").ping().unwrap();
    server.shutdown();
    assert_eq!(take(&log)[1..], ["etherealize a at 0: cleanup"]);
}

#[test]
fn deactivation_of_a_manager_etherealizes_servants_on_request() {
    let server = Server::start();
    for etherealize in [false, true] {
        let manager = server.create_poa_manager(format!("{etherealize}")).unwrap();
        manager.activate().unwrap();
        let maker = Maker::default();
        let log = maker.log.clone();
        let poa = server.root_poa().create_poa(format!("{etherealize}")).user_ids();
        let poa = poa.manager(&manager).servant_manager(ServantManager::activator(maker));
        reference(&poa.build().unwrap(), "a").ping().unwrap();
        take(&log);
        manager.deactivate(etherealize, true).unwrap();
        assert_eq!(take(&log).len(), usize::from(etherealize));
    }
}

#[test]
fn a_servant_is_etherealized_after_its_last_call() {
    let server = Server::start();
    let maker = Maker::default();
    let log = maker.log.clone();
    let poa = server.root_poa().create_poa("busy").user_ids();
    let poa = poa.servant_manager(ServantManager::activator(maker)).build().unwrap();
    let probe = Arc::new(Probe::default());
    let servant: Arc<dyn Everything> = probe.clone();
    let near = poa.activate_with_id("a", servant).unwrap();
    let far = travel(&near, &orbs::client());
    thread::scope(|scope| {
        let calls = [scope.spawn(|| near.block()), scope.spawn(|| far.block())];
        probe.gate.await_waiting(2);
        poa.deactivate(&"a".into()).unwrap();
        assert_eq!(poa.deactivate(&"a".into()), Err(PoaError::ObjectNotActive));
        // The next call is for the next servant, which waits for the end of this one.
        let next = scope.spawn(|| travel(&near, &orbs::client()).increment());
        thread::sleep(std::time::Duration::from_millis(20));
        assert!(take(&log).is_empty() && !next.is_finished());
        probe.gate.open();
        calls.into_iter().for_each(|call| call.join().unwrap().unwrap());
        assert_eq!(next.join().unwrap(), Ok(1));
    });
    assert_eq!(take(&log), ["etherealize a at 0: deactivated", "incarnate a in busy"]);
}

#[test]
fn etherealize_reports_remaining_activations() {
    let server = Server::start();
    let maker = Maker::default();
    let log = maker.log.clone();
    let poa = server.root_poa().create_poa("shared").user_ids().multiple_ids();
    let poa = poa.servant_manager(ServantManager::activator(maker)).build().unwrap();
    let servant: Arc<dyn Everything> = Arc::new(Probe::default());
    for id in ["a", "b"] {
        poa.activate_with_id(id, servant.clone()).unwrap();
    }
    poa.deactivate(&"a".into()).unwrap();
    poa.deactivate(&"b".into()).unwrap();
    let ended = ["etherealize a at 0: deactivated, remaining", "etherealize b at 0: deactivated"];
    assert_eq!(take(&log), ended);
    for id in ["a", "b", "c"] {
        poa.activate_with_id(id, servant.clone()).unwrap();
    }
    poa.destroy(true, true).unwrap();
    let remaining = take(&log).iter().map(|line| line.ends_with("remaining")).collect::<Vec<_>>();
    assert_eq!(remaining, [true, true, false], "it is done with for the last one only");
}

#[test]
fn of_many_objects_that_end_at_once_one_is_the_last_of_their_servant() {
    let server = Server::start();
    let maker = Maker::default();
    let log = maker.log.clone();
    let poa = server.root_poa().create_poa("shared").user_ids().multiple_ids();
    let poa = poa.servant_manager(ServantManager::activator(maker)).build().unwrap();
    let servant: Arc<dyn Everything> = Arc::new(Probe::default());
    let ids: Vec<_> = (0..64).map(|number| ObjectId::from(&*format!("{number}"))).collect();
    for id in &ids {
        poa.activate_with_id(id.clone(), servant.clone()).unwrap();
    }
    thread::scope(|scope| {
        for some in ids.chunks(16) {
            scope.spawn(|| some.iter().for_each(|id| poa.deactivate(id).unwrap()));
        }
    });
    let remaining: Vec<_> = take(&log).iter().map(|line| line.ends_with("remaining")).collect();
    assert_eq!(remaining.len(), ids.len());
    assert_eq!(remaining.iter().position(|remains| !remains), Some(ids.len() - 1));
}

#[test]
fn a_servant_that_is_still_called_as_another_object_remains() {
    let server = Server::start();
    for is_shared in [true, false] {
        let maker = Maker::default();
        let log = maker.log.clone();
        let poa = server.root_poa().create_poa(if is_shared { "shared" } else { "unique" });
        let poa = if is_shared { poa.multiple_ids() } else { poa }.user_ids();
        let poa = poa.servant_manager(ServantManager::activator(maker)).build().unwrap();
        let probe = Arc::new(Probe::default());
        let servant: Arc<dyn Everything> = probe.clone();
        let called = poa.activate_with_id("called", servant.clone()).unwrap();
        thread::scope(|scope| {
            let call = scope.spawn(move || called.block());
            probe.gate.await_waiting(1);
            poa.deactivate(&"called".into()).unwrap();
            // The servant has no active object now.
            poa.activate_with_id("idle", servant).unwrap();
            poa.deactivate(&"idle".into()).unwrap();
            assert_eq!(take(&log), ["etherealize idle at 0: deactivated, remaining"]);
            probe.gate.open();
            call.join().unwrap().unwrap();
        });
        eventually("the servant goes back", || !log.lock().unwrap().is_empty());
        assert_eq!(take(&log), ["etherealize called at 0: deactivated"]);
    }
}

#[test]
fn one_servant_is_made_for_an_object_that_many_call_at_once() {
    let server = Server::start();
    let (poa, maker, log) = activating(&server);
    let [near, far] = near_and_far(&reference(&poa, "slow"));
    let other = orbs::client();
    let fast = reference(&poa, "fast");
    fast.ping().unwrap();
    thread::scope(|scope| {
        let others = travel(&near, &other);
        let calls = [&near, &far, &others].map(|reference| {
            let reference = reference.clone();
            scope.spawn(move || reference.increment())
        });
        maker.gate.await_waiting(1);
        // What is active does not wait.
        fast.ping().unwrap();
        maker.gate.open();
        calls.into_iter().for_each(|call| assert!(call.join().unwrap().is_ok()));
    });
    assert_eq!(near.count(), Ok(3));
    assert_eq!(take(&log).iter().filter(|line| line.contains("slow")).count(), 1);
}

#[test]
fn an_activator_may_forward_refuse_and_fail() {
    let server = Server::start();
    let (poa, maker, _) = activating(&server);
    *maker.elsewhere.lock().unwrap() = Some(server.local.object().clone());
    for (n, reference) in near_and_far(&reference(&poa, "elsewhere")).iter().enumerate() {
        assert_eq!(reference.increment(), Ok(n as i32 + 1));
    }
    assert_eq!(server.local.count(), Ok(2));
    for reference in near_and_far(&reference(&poa, "forbidden")) {
        refused(reference.ping().unwrap_err(), ExceptionKind::NoPermission, Minor(7));
    }
    for reference in near_and_far(&reference(&poa, "panic")) {
        refused(reference.ping().unwrap_err(), ExceptionKind::Unknown, Minor::SERVANT_PANICKED);
    }
}

#[test]
fn an_activator_must_not_give_a_servant_that_has_an_object() {
    let server = Server::start();
    let servant: Arc<dyn Everything> = Arc::new(Probe::default());
    let same = move |_: &ObjectId, _: &Poa| Ok(AnyServant::from(servant.clone()));
    let poa = server.root_poa().create_poa("same").user_ids();
    let poa = poa.servant_manager(ServantManager::activator(same)).build().unwrap();
    reference(&poa, "a").ping().unwrap();
    for reference in near_and_far(&reference(&poa, "b")) {
        refused(
            reference.ping().unwrap_err(),
            ExceptionKind::ObjAdapter,
            Minor::OBJ_ADAPTER_INCARNATE_POLICY_VIOLATION,
        );
    }
}
