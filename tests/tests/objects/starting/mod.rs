//! A server that starts: requests for what is not there yet wait for it.

mod missing;
mod restart;

use armilla::{
    Completion, Concurrency, ConnectionPolicy, ExceptionKind, ManagerState, Minor, Orb, Poa,
    PoaManager, SystemException,
};
use armilla_tests::gate::{PATIENCE, eventually};
use armilla_tests::orbs::{self, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use missing::{KINDS, Missing, forgotten, missing_name, missing_object, missing_poa};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

fn servant() -> Arc<dyn Everything> {
    Arc::new(Probe::default())
}

/// An ORB that has not started, with this limit on waits.
fn starting(limit: Duration) -> Orb {
    orbs::listening_with(|settings| settings.startup_hold = limit)
}

fn persistent(parent: &Poa, name: &str) -> Poa {
    parent.create_poa(name).persistent().user_ids().build().unwrap()
}

fn refused(what: Result<(), SystemException>, kind: ExceptionKind, minor: Minor) {
    let error = what.unwrap_err();
    assert_eq!((error.kind(), error.minor()), (kind, minor), "{error}");
    assert_eq!(error.completed(), Completion::No);
}

#[test]
fn requests_wait_for_what_is_missing_until_it_arrives() {
    for kind in KINDS {
        let Missing { orb, manager, reference, arrive, .. } = kind(starting(PATIENCE));
        let clients = [(); 3].map(|()| orbs::client());
        let far = clients.each_ref().map(|client| travel(&reference, client));
        assert!(manager.is_starting());
        thread::scope(|scope| {
            // From another process, from this one, and a question where the object is.
            let calls = [
                scope.spawn(|| far[0].ping()),
                scope.spawn(|| far[1].ping()),
                scope.spawn(|| reference.ping()),
                scope.spawn(|| far[2].object().locate().map(|found| assert!(found))),
                scope.spawn(|| reference.object().locate().map(|found| assert!(found))),
            ];
            eventually("requests wait", || manager.held_requests() == calls.len());
            arrive();
            calls.into_iter().for_each(|call| call.join().unwrap().unwrap());
        });
        assert_eq!(manager.held_requests(), 0);
        assert!(manager.is_starting(), "something else may still be missing");
        orb.shutdown();
    }
}

#[test]
fn requests_wait_for_a_poa_and_then_for_its_child_and_then_for_its_object() {
    let orb = starting(PATIENCE);
    let far = travel(&forgotten(&orb, &["outer", "inner"]), &orbs::client());
    let root = orb.root_poa();
    thread::scope(|scope| {
        let call = scope.spawn(|| far.ping());
        let held = |poa: &Poa| eventually("it waits", || poa.manager().held_requests() == 1);
        held(&root);
        let outer = persistent(&root, "outer");
        held(&outer);
        assert_eq!(root.manager().held_requests(), 0);
        let inner = persistent(&outer, "inner");
        held(&inner);
        inner.activate_with_id("object", servant()).unwrap();
        call.join().unwrap().unwrap();
    });
    orb.shutdown();
}

/// How a startup ends, for a manager whose ORB this is.
type End = fn(&Orb, &PoaManager);

#[test]
fn what_is_missing_when_the_startup_ends_does_not_exist() {
    let ends: [End; 6] = [
        |orb, _| orb.perform_work().unwrap(),
        |orb, _| assert!(!orb.work_pending().unwrap()),
        |orb, _| assert!(orb.run_for(Duration::ZERO).unwrap()),
        |orb, manager| {
            let running = orb.clone();
            thread::spawn(move || running.run());
            eventually("the ORB runs", || !manager.is_starting());
        },
        |_, manager| manager.activate().unwrap(),
        |_, manager| {
            manager.hold_requests(false).unwrap();
            assert!(!manager.is_starting());
            manager.activate().unwrap();
        },
    ];
    for end in ends {
        for kind in [missing_poa, missing_object, missing_name] {
            let Missing { orb, manager, reference, .. } = kind(starting(PATIENCE));
            let far = travel(&reference, &orbs::client());
            thread::scope(|scope| {
                let calls = [scope.spawn(|| far.ping()), scope.spawn(|| reference.ping())];
                eventually("requests wait", || manager.held_requests() == calls.len());
                assert_eq!(manager.state(), ManagerState::Active);
                end(&orb, &manager);
                assert!(!manager.is_starting());
                for call in calls {
                    let error = call.join().unwrap().unwrap_err();
                    assert_eq!(error.kind(), ExceptionKind::ObjectNotExist, "{error}");
                }
            });
            let error = far.ping().unwrap_err();
            assert_eq!(error.kind(), ExceptionKind::ObjectNotExist, "{error}");
            orb.shutdown();
        }
    }
}

#[test]
fn a_manager_that_discards_or_ends_refuses_what_waited() {
    let Missing { orb, manager, reference, .. } = missing_object(starting(PATIENCE));
    let far = travel(&reference, &orbs::client());
    thread::scope(|scope| {
        let call = scope.spawn(|| far.ping());
        eventually("it waits", || manager.held_requests() == 1);
        manager.discard_requests(false).unwrap();
        let discarded = Minor::TRANSIENT_REQUEST_DISCARDED;
        refused(call.join().unwrap(), ExceptionKind::Transient, discarded);
    });
    manager.deactivate(false, false).unwrap();
    refused(far.ping(), ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_UNAVAILABLE);
    orb.shutdown();
}

#[test]
fn a_request_that_has_waited_in_vain_is_transient() {
    for kind in KINDS {
        let Missing { orb, manager, reference, minor, words, .. } =
            kind(starting(Duration::from_millis(20)));
        let far = travel(&reference, &orbs::client());
        let near = thread::scope(|scope| scope.spawn(|| reference.ping()).join().unwrap());
        for call in [far.ping(), near] {
            let error = call.unwrap_err();
            let text = error.to_string();
            assert!(text.contains("the server is starting") && text.contains(words), "{text}");
            refused(Err(error), ExceptionKind::Transient, minor);
        }
        let error = far.object().locate().unwrap_err();
        assert_eq!((error.kind(), error.minor()), (ExceptionKind::Transient, minor));
        assert!(manager.is_starting());
        orb.shutdown();
    }
}

#[test]
fn without_a_limit_on_waits_nothing_waits() {
    for kind in KINDS {
        let Missing { orb, reference, minor, .. } = kind(starting(Duration::ZERO));
        let error = travel(&reference, &orbs::client()).ping().unwrap_err();
        let expected = match minor {
            Minor::SERVANT_NOT_SET_YET => ExceptionKind::ObjAdapter,
            _ => ExceptionKind::ObjectNotExist,
        };
        assert_eq!(error.kind(), expected, "{error}");
        orb.shutdown();
    }
}

/// The error of a call that ends long before a wait for what is missing would.
fn at_once(reference: &EverythingRef) -> ExceptionKind {
    reference.with_timeout(PATIENCE / 4).ping().unwrap_err().kind()
}

#[test]
fn what_cannot_come_back_does_not_exist_at_once() {
    let (orb, client) = (starting(PATIENCE), orbs::client());
    let root = orb.root_poa();
    let transient = root.create_poa("transient").user_ids().build().unwrap();
    let ended = [
        root.activate(servant()).unwrap(),
        transient.activate_with_id("object", servant()).unwrap(),
    ];
    let far = ended.each_ref().map(|reference| travel(reference, &client));
    for (poa, reference) in [&root, &transient].into_iter().zip(&ended) {
        let id = poa.reference_to_id(reference.object()).unwrap();
        poa.deactivate(&id).unwrap();
    }
    for reference in &far {
        assert_eq!(at_once(reference), ExceptionKind::ObjectNotExist);
        assert_eq!(reference.object().locate(), Ok(false));
    }
    // The objects of a transient POA end with it.
    let never = transient.create_reference_with_id("never").unwrap();
    let never: EverythingRef = travel(&never, &client);
    transient.destroy(false, true).unwrap();
    assert_eq!(at_once(&never), ExceptionKind::ObjectNotExist);
    // Only text is published.
    let (host, port) = &orb.published_addresses().unwrap()[0];
    let name = client.string_to_object(&format!("corbaloc::{host}:{port}/%ff")).unwrap();
    assert_eq!(at_once(&name.assume()), ExceptionKind::ObjectNotExist);
    orb.shutdown();
}

#[test]
fn transient_objects_of_an_earlier_server_do_not_exist_at_once() {
    let first = starting(PATIENCE);
    let poa = first.root_poa().create_poa("poa").user_ids().build().unwrap();
    let client = orbs::client();
    let far: [EverythingRef; 2] = [
        travel(&first.root_poa().activate(servant()).unwrap(), &client),
        travel(&poa.create_reference_with_id("object").unwrap(), &client),
    ];
    let port = first.published_addresses().unwrap()[0].1;
    first.shutdown();
    let endpoint = format!("iiop://127.0.0.1:{port}");
    let second = orbs::builder().listen(&endpoint).unwrap().build().unwrap();
    second.root_poa().create_poa("poa").user_ids().build().unwrap();
    for reference in &far {
        assert_eq!(at_once(reference), ExceptionKind::ObjectNotExist);
    }
    second.shutdown();
}

#[test]
fn active_objects_are_served_before_the_server_has_started() {
    let orb = starting(PATIENCE);
    let (_, local) = orbs::activate(&orb);
    let far = travel(&local, &orbs::client());
    far.ping().unwrap();
    local.ping().unwrap();
    let named = persistent(&orb.root_poa(), "poa").activate_with_id("a", servant()).unwrap();
    travel(&named, &orbs::client()).ping().unwrap();
    let url = orb.publish("name", local.object()).unwrap();
    orbs::client().resolve::<dyn Everything>(&url).unwrap().ping().unwrap();
    assert!(orb.poa_managers().iter().all(PoaManager::is_starting));
    orb.shutdown();
}

#[test]
fn the_main_thread_does_not_wait_for_itself() {
    let Missing { orb, reference, .. } = missing_object(starting(PATIENCE));
    assert_eq!(at_once(&reference), ExceptionKind::ObjectNotExist);
    assert_eq!(reference.object().locate(), Ok(false));
    orb.shutdown();
}

#[test]
fn a_collocated_call_waits_within_its_own_limit() {
    let Missing { orb, reference, .. } = missing_poa(starting(PATIENCE));
    let hasty = reference.with_timeout(Duration::from_millis(20));
    let error = thread::spawn(move || hasty.ping().unwrap_err()).join().unwrap();
    assert_eq!((error.kind(), error.completed()), (ExceptionKind::Timeout, Completion::No));
    orb.shutdown();
}

#[test]
fn a_shutdown_ends_the_requests_that_wait() {
    for kind in [missing_poa, missing_object, missing_name] {
        let Missing { orb, manager, reference, .. } = kind(starting(PATIENCE));
        let far = travel(&reference, &orbs::client());
        thread::scope(|scope| {
            let calls = [scope.spawn(|| far.ping()), scope.spawn(|| reference.ping())];
            eventually("requests wait", || manager.held_requests() == calls.len());
            orb.shutdown();
            for call in calls {
                let shut_down = Minor::SHUT_DOWN_WHILE_STARTING;
                refused(call.join().unwrap(), ExceptionKind::Transient, shut_down);
            }
        });
        assert!(!manager.is_starting());
    }
}

#[test]
fn more_requests_than_may_be_held_are_transient() {
    let orb = orbs::listening_with(|settings| settings.max_held_requests = 2);
    let Missing { orb, manager, reference, arrive, .. } = missing_object(orb);
    let clients = [(); 3].map(|()| orbs::client());
    let far = clients.each_ref().map(|client| travel(&reference, client));
    thread::scope(|scope| {
        let held = [scope.spawn(|| far[0].ping()), scope.spawn(|| far[1].ping())];
        eventually("requests wait", || manager.held_requests() == 2);
        let discarded = Minor::TRANSIENT_REQUEST_DISCARDED;
        refused(far[2].ping(), ExceptionKind::Transient, discarded);
        arrive();
        held.into_iter().for_each(|call| call.join().unwrap().unwrap());
    });
    orb.shutdown();
}

#[test]
fn requests_that_wait_leave_room_for_others() {
    let few_threads = Concurrency::LeaderFollowers { min_threads: 1, max_threads: 8 };
    for concurrency in orbs::CONCURRENCIES.into_iter().chain([few_threads]) {
        let orb = orbs::listening_with(|settings| settings.concurrency = concurrency);
        let Missing { orb, manager, reference, arrive, .. } = missing_object(orb);
        let (_, active) = orbs::activate(&orb);
        let client = orbs::client();
        let shared = |reference: &EverythingRef| {
            travel(reference, &client).with_connection_policy(ConnectionPolicy::Multiplexed)
        };
        let (missing, active) = (shared(&reference), shared(&active));
        thread::scope(|scope| {
            let held = [(); 4].map(|()| scope.spawn(|| missing.ping()));
            eventually("requests wait", || manager.held_requests() == held.len());
            // Over the same connection.
            active.ping().unwrap();
            assert!(held.iter().all(|call| !call.is_finished()));
            arrive();
            held.into_iter().for_each(|call| call.join().unwrap().unwrap());
        });
        orb.shutdown();
    }
}

#[test]
fn managers_begin_as_the_orb_is() {
    let orb = starting(PATIENCE);
    let early = orb.create_poa_manager("early").unwrap();
    assert_eq!((early.state(), early.is_starting()), (ManagerState::Holding, true));
    orb.perform_work().unwrap();
    assert_eq!((early.state(), early.is_starting()), (ManagerState::Holding, false));
    let late = orb.create_poa_manager("late").unwrap();
    let own = persistent(&orb.root_poa(), "own");
    assert!(!late.is_starting() && !own.manager().is_starting());
    let absent = own.create_reference_with_id("absent").unwrap();
    let absent: EverythingRef = travel(&absent, &orbs::client());
    assert_eq!(at_once(&absent), ExceptionKind::ObjectNotExist);
    orb.shutdown();
}

#[test]
fn a_manager_of_its_own_is_activated_alone() {
    let orb = starting(PATIENCE);
    let poa = persistent(&orb.root_poa(), "poa");
    let absent = poa.create_reference_with_id("absent").unwrap();
    let absent: EverythingRef = travel(&absent, &orbs::client());
    poa.manager().activate().unwrap();
    assert!(orb.root_poa().manager().is_starting());
    assert_eq!(at_once(&absent), ExceptionKind::ObjectNotExist);
    orb.shutdown();
}
