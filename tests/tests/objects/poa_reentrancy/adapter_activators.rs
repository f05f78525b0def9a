//! Calls of adapter activators to the POA that called them.

use super::{in_time, refused};
use armilla::{ExceptionKind, Minor, Orb, Poa, PoaError};
use armilla_tests::gate::eventually;
use armilla_tests::orbs;
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::{Arc, Barrier};
use std::thread;

/// A reference to an object of the POA `child`, which is not there.
fn of_child(orb: &Orb) -> EverythingRef {
    let child = orb.root_poa().create_poa("child").persistent().user_ids().build().unwrap();
    let object = child.create_reference_with_id("one").unwrap();
    child.destroy(false, false).unwrap();
    object
}

fn make_child(parent: &Poa, name: &str) -> Poa {
    let child = parent.create_poa(name).persistent().user_ids().build().unwrap();
    let servant: Arc<dyn Everything> = Arc::new(Probe::default());
    child.activate_with_id("one", servant).unwrap();
    child
}

#[test]
fn an_adapter_activator_may_look_for_what_it_makes() {
    let orb = orbs::listening();
    let object = of_child(&orb);
    orb.root_poa().set_activator(|parent: &Poa, name: &str| {
        let before = parent.find_poa(name, true);
        assert_eq!(before.unwrap_err(), PoaError::AdapterNonExistent, "it is being made");
        let child = make_child(parent, name);
        assert_eq!(parent.find_poa(name, true).unwrap(), child);
        true
    });
    let far = orbs::travel(&object, &orbs::client());
    in_time(move || far.ping().unwrap());
    object.ping().unwrap();
    orb.shutdown();
}

#[test]
fn an_adapter_activator_cannot_call_what_waits_for_it() {
    let orb = orbs::listening();
    let object = of_child(&orb);
    orb.root_poa().set_activator({
        let object = object.clone();
        move |parent: &Poa, name: &str| {
            make_child(parent, name);
            refused(object.ping(), ExceptionKind::Transient, Minor::TRANSIENT_REQUEST_DISCARDED);
            true
        }
    });
    let far = orbs::travel(&object, &orbs::client());
    in_time(move || far.ping().unwrap());
    object.ping().unwrap();
    orb.shutdown();
}

#[test]
fn a_poa_that_is_not_created_does_not_exist() {
    let orb = orbs::listening();
    orb.root_poa().manager().activate().unwrap();
    let object = of_child(&orb);
    let far = orbs::travel(&object, &orbs::client());
    let not_there = || {
        refused(object.ping(), ExceptionKind::ObjectNotExist, Minor::OBJECT_NOT_EXIST_NO_ADAPTER);
        refused(far.ping(), ExceptionKind::ObjectNotExist, Minor::OBJECT_NOT_EXIST_NO_ADAPTER);
    };
    not_there();
    orb.root_poa().set_activator(|_: &Poa, _: &str| false);
    not_there();
    // It says that it has made it.
    orb.root_poa().set_activator(|_: &Poa, _: &str| true);
    not_there();
    orb.root_poa().set_activator(|_: &Poa, _: &str| -> bool { panic!("as the test wants it") });
    refused(object.ping(), ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_UNAVAILABLE);
    refused(far.ping(), ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_UNAVAILABLE);
    orb.shutdown();
}

#[test]
fn an_adapter_activator_may_end_the_parent() {
    let orb = orbs::listening();
    orb.root_poa().manager().activate().unwrap();
    let outer = orb.root_poa().create_poa("outer").persistent().user_ids().build().unwrap();
    let inner = outer.create_poa("inner").persistent().user_ids().build().unwrap();
    let object = inner.create_reference_with_id::<dyn Everything>("one").unwrap();
    inner.destroy(false, false).unwrap();
    outer.set_activator(|parent: &Poa, name: &str| {
        parent.destroy(true, true).unwrap();
        let refusal = parent.create_poa(name).build().unwrap_err();
        refused(
            Err::<(), _>(refusal),
            ExceptionKind::ObjectNotExist,
            Minor::OBJECT_NOT_EXIST_NO_ADAPTER,
        );
        false
    });
    let far = orbs::travel(&object, &orbs::client());
    let call = in_time(move || far.ping());
    refused(call, ExceptionKind::ObjectNotExist, Minor::OBJECT_NOT_EXIST_NO_ADAPTER);
    assert!(orb.root_poa().find_poa("outer", false).is_err());
    orb.shutdown();
}

#[test]
fn requests_for_a_new_poa_keep_to_its_own_manager() {
    let orb = orbs::listening();
    let object = of_child(&orb);
    let manager = orb.create_poa_manager("holding").unwrap();
    orb.root_poa().set_activator({
        let manager = manager.clone();
        move |parent: &Poa, name: &str| {
            let child = parent.create_poa(name).persistent().user_ids().manager(&manager);
            let servant: Arc<dyn Everything> = Arc::new(Probe::default());
            child.build().unwrap().activate_with_id("one", servant).unwrap();
            true
        }
    });
    let far = orbs::travel(&object, &orbs::client());
    let calls: Vec<_> = [object, far].map(|it| thread::spawn(move || it.ping())).into();
    eventually("both are held", || manager.held_requests() == 2);
    manager.activate().unwrap();
    calls.into_iter().for_each(|call| call.join().unwrap().unwrap());
    orb.shutdown();
}

/// The activator of each POA looks for the other one, and both are in it.
#[test]
fn adapter_activators_that_look_for_each_other_do_not_wait_for_ever() {
    let orb = orbs::listening();
    orb.root_poa().manager().activate().unwrap();
    let both_inside = Arc::new(Barrier::new(2));
    orb.root_poa().set_activator(move |parent: &Poa, name: &str| {
        both_inside.wait();
        let other = parent.find_poa(if name == "a" { "b" } else { "a" }, true);
        parent.create_poa(name).build().unwrap();
        // Whoever closes the circle does not wait; the other one then finds what that makes.
        match other {
            Ok(_) => true,
            Err(PoaError::System(error)) => {
                assert_eq!(error.minor(), Minor::TRANSIENT_REQUEST_DISCARDED, "{error}");
                true
            }
            Err(error) => panic!("{error}"),
        }
    });
    let finds = ["a", "b"].map(|name| {
        let root = orb.root_poa();
        thread::spawn(move || root.find_poa(name, true).map(drop))
    });
    for find in finds {
        in_time(move || find.join().unwrap().unwrap());
    }
    orb.shutdown();
}
