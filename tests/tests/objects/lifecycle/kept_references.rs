//! References that outlive activations of their objects.

use super::{Fragile, check, made_on_demand};
use armilla::{Collocation, ExceptionKind, ObjectLookup, Poa, PoaError, Settings, SystemException};
use armilla_tests::gate::PATIENCE;
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};

#[test]
fn a_reference_that_is_typed_anew_reaches_what_was_activated_since_directly() {
    let server = Server::start();
    let named = server.root_poa().create_poa("named").persistent().user_ids().build().unwrap();
    let servant = || Arc::new(Fragile::new(&Arc::default())) as Arc<dyn Listener>;
    let early: ListenerRef = named.create_reference_with_id("a").unwrap();
    let system = server.root_poa().activate(servant()).unwrap();
    let id = server.root_poa().reference_to_id(&system).unwrap();
    server.root_poa().deactivate(&id).unwrap();
    for (poa, id, old) in [(named, "a".into(), early), (server.root_poa(), id, system)] {
        let anew = || old.object().assume::<dyn Listener>();
        for _ in 0..3 {
            assert!(anew().local().is_none());
            let servant = servant();
            poa.activate_with_id(id.clone(), servant.clone()).unwrap();
            let reference = anew();
            let called = reference.local().expect("it is active");
            assert!(std::ptr::addr_eq(&*called, Arc::as_ptr(&servant)), "the servant of now");
            drop(called);
            poa.deactivate(&id).unwrap();
        }
    }
}

/// Whether a call through the reference goes directly to this servant.
fn leads_to(reference: &ListenerRef, servant: &Arc<dyn Listener>) -> bool {
    reference.directly(|called| {
        Ok::<_, SystemException>(std::ptr::addr_eq(called, Arc::as_ptr(servant)))
    }) == Some(Ok(true))
}

fn leads_nowhere(reference: &ListenerRef) -> bool {
    reference.directly(|_| Ok::<_, SystemException>(())).is_none()
}

fn fragile() -> Arc<dyn Listener> {
    Arc::new(Fragile::new(&Arc::default()))
}

#[test]
fn a_reference_that_is_kept_reaches_what_is_active_now_directly() {
    let server = Server::start();
    let root = server.root_poa();
    let named = |name: &str| root.create_poa(name).user_ids();
    let adapters = [
        root.clone(),
        named("persistent").persistent().build().unwrap(),
        named("hashing").lookup(ObjectLookup::Hashing).build().unwrap(),
        root.create_poa("system ids").persistent().build().unwrap(),
    ];
    for poa in adapters {
        let first = fragile();
        let reference = match poa.activate(first.clone()) {
            Err(PoaError::WrongPolicy) => poa.activate_with_id("a", first.clone()).unwrap(),
            activated => activated.unwrap(),
        };
        let id = poa.reference_to_id(&reference).unwrap();
        let early = poa.create_reference_with_id::<dyn Listener>(id.clone()).unwrap();
        assert!(leads_to(&reference, &first) && leads_to(&early, &first));
        poa.deactivate(&id).unwrap();
        let late = poa.create_reference_with_id::<dyn Listener>(id.clone()).unwrap();
        let all = [reference.clone(), reference.with_timeout(PATIENCE), reference, early, late];
        for _ in 0..3 {
            assert!(all.iter().all(leads_nowhere), "{poa:?}");
            assert_eq!(all[0].hear("").unwrap_err().kind(), ExceptionKind::ObjectNotExist);
            let servant = fragile();
            poa.activate_with_id(id.clone(), servant.clone()).unwrap();
            for reference in &all {
                assert!(leads_to(reference, &servant), "{poa:?}");
                assert!(leads_to(&reference.clone(), &servant), "{poa:?}");
                reference.hear("").unwrap();
            }
            poa.deactivate(&id).unwrap();
        }
    }
}

#[test]
fn a_reference_that_is_kept_reaches_what_an_activator_made_since() {
    let server = Server::start();
    let (poa, fates) = made_on_demand(&server);
    let reference = poa.create_reference_with_id::<dyn Listener>("a").unwrap();
    for turn in 1..4 {
        assert!(leads_nowhere(&reference));
        reference.hear("").unwrap();
        let servant = poa.id_to_servant(&"a".into()).unwrap().downcast().unwrap();
        assert!(leads_to(&reference, &servant));
        poa.manager().hold_requests(true).unwrap();
        assert!(leads_nowhere(&reference), "it would wait");
        poa.manager().activate().unwrap();
        assert!(leads_to(&reference, &servant));
        assert_eq!(fates.made.load(SeqCst), turn);
        poa.deactivate(&"a".into()).unwrap();
    }
    poa.destroy(true, true).unwrap();
    check(&fates);
}

#[test]
fn a_reference_that_is_kept_outlives_its_poa_where_that_is_persistent() {
    for persistent in [true, false] {
        let server = Server::start();
        let made: Arc<Mutex<Vec<Arc<dyn Listener>>>> = Arc::default();
        let root = server.root_poa();
        root.set_activator({
            let made = made.clone();
            move |parent: &Poa, name: &str| {
                let child = parent.create_poa(name).user_ids();
                let child = if persistent { child.persistent() } else { child };
                let servant = fragile();
                child.build().unwrap().activate_with_id("a", servant.clone()).unwrap();
                made.lock().unwrap().push(servant);
                true
            }
        });
        let reference = root.find_poa("child", true).unwrap();
        let reference = reference.id_to_reference(&"a".into()).unwrap().assume();
        for turn in 1..4 {
            assert_eq!(made.lock().unwrap().len(), turn);
            let found = leads_to(&reference, made.lock().unwrap().last().unwrap());
            assert_eq!(found, persistent || turn == 1);
            root.find_poa("child", false).unwrap().destroy(true, true).unwrap();
            assert!(leads_nowhere(&reference));
            match reference.hear("") {
                Ok(()) => assert!(persistent),
                Err(error) => {
                    assert!(!persistent && error.kind() == ExceptionKind::ObjectNotExist);
                    root.find_poa("child", true).unwrap();
                }
            }
        }
    }
}

#[test]
fn a_reference_that_is_kept_takes_no_servant_of_another_interface() {
    let server = Server::start();
    let poa = server.root_poa().create_poa("named").user_ids().build().unwrap();
    let reference = poa.activate_with_id("a", fragile()).unwrap();
    poa.deactivate(&"a".into()).unwrap();
    let probe: Arc<dyn Everything> = Arc::new(Probe::default());
    let other = poa.activate_with_id("a", probe).unwrap();
    assert!(leads_nowhere(&reference));
    assert_eq!(reference.hear("").unwrap_err().kind(), ExceptionKind::BadOperation);
    other.ping().unwrap();
}

#[test]
fn a_reference_that_is_kept_goes_through_the_poa_where_all_calls_do() {
    let through = |settings: &mut Settings| settings.collocation = Collocation::ThroughPoa;
    let server = Server::of(orbs::listening_with(through));
    let poa = server.root_poa().create_poa("named").user_ids().build().unwrap();
    let reference = poa.create_reference_with_id::<dyn Listener>("a").unwrap();
    for _ in 0..2 {
        poa.activate_with_id("a", fragile()).unwrap();
        assert!(leads_nowhere(&reference));
        reference.hear("").unwrap();
        poa.deactivate(&"a".into()).unwrap();
    }
}
