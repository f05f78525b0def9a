//! Policies of activation, object ids and lifespan.

use super::probe;
use armilla::{
    AnyServant, ExceptionKind, ImplicitActivation, Minor, ObjectId, PoaError, SystemException,
};
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use std::sync::Arc;
use std::thread;

#[test]
fn the_root_poa_activates_implicitly_and_once() {
    let server = Server::start();
    let poa = server.root_poa();
    let servant = probe();
    let reference = poa.servant_to_reference(&servant).unwrap();
    assert_eq!(poa.servant_to_reference(&servant).unwrap(), reference);
    let id = poa.servant_to_id(&servant).unwrap();
    assert_eq!(poa.reference_to_id(&reference).unwrap(), id);
    assert_eq!(poa.id_to_reference(&id).unwrap(), *reference.object());
    assert_eq!(poa.id_to_servant(&id).unwrap(), AnyServant::from(servant.clone()));
    let found = poa.reference_to_servant(&reference).unwrap();
    assert!(Arc::ptr_eq(&found.downcast::<dyn Everything>().unwrap(), &servant));
    assert!(found.downcast::<dyn Listener>().is_none());
    assert_eq!(poa.activate(servant).unwrap_err(), PoaError::ServantAlreadyActive);
    travel(&reference, &orbs::client()).ping().unwrap();
}

#[test]
fn where_a_servant_may_have_many_objects_each_reference_is_another_one() {
    let server = Server::start();
    let poa = server.root_poa().create_poa("many").multiple_ids();
    let poa = poa.policy(ImplicitActivation::On).build().unwrap();
    let servant = probe();
    let [one, other] = [(); 2].map(|()| poa.servant_to_reference(&servant).unwrap());
    assert_ne!(one, other);
    one.increment().unwrap();
    assert_eq!(other.count().unwrap(), 1);
}

#[test]
fn a_reference_may_come_before_its_object() {
    let server = Server::start();
    let client = orbs::client();
    let named = server.root_poa().create_poa("named").persistent().user_ids().build().unwrap();
    let by_id = named.create_reference_with_id::<dyn Everything>("alpha").unwrap();
    let system = server.root_poa().create_reference::<dyn Everything>().unwrap();
    let gone = |reference: &EverythingRef| {
        assert_eq!(reference.ping().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
        assert_eq!(reference.object().non_existent(), Ok(true));
        assert_eq!(reference.object().locate(), Ok(false));
    };
    let id = server.root_poa().reference_to_id(&system).unwrap();
    for (poa, id, reference) in [(named, "alpha".into(), by_id), (server.root_poa(), id, system)] {
        let remote = travel(&reference, &client);
        gone(&reference);
        gone(&remote);
        let active = poa.activate_with_id(id.clone(), probe()).unwrap();
        for reference in [&reference, &remote, &active] {
            reference.increment().unwrap();
            assert_eq!(reference.object().non_existent(), Ok(false));
        }
        assert_eq!(active.count().unwrap(), 3);
        assert_eq!(active, remote, "whatever hints they carry");
        poa.deactivate(&id).unwrap();
        gone(&remote);
        poa.activate_with_id(id, probe()).unwrap();
        assert_eq!([&remote, &reference, &active].map(|r| r.increment().unwrap()), [1, 2, 3]);
    }
}

#[test]
fn an_object_may_be_active_again_under_the_id_that_the_system_gave_it() {
    let server = Server::start();
    let poa = server.root_poa();
    let first = poa.activate(probe()).unwrap();
    let remote = travel(&first, &orbs::client());
    let id = poa.reference_to_id(&first).unwrap();
    poa.deactivate(&id).unwrap();
    // Its place is taken.
    let other = poa.activate(probe()).unwrap();
    assert_eq!(remote.ping().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    poa.activate_with_id(id.clone(), probe()).unwrap();
    assert_eq!((remote.increment(), first.increment(), other.count()), (Ok(1), Ok(2), Ok(0)));
    poa.deactivate(&id).unwrap();
    assert_eq!(remote.ping().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
}

#[test]
fn objects_that_stand_elsewhere_than_their_keys_say_are_found_while_they_come_and_go() {
    const COUNT: usize = 40;
    let server = Server::start();
    let client = orbs::client();
    let poa = server.root_poa().create_poa("moving").build().unwrap();
    let objects: Vec<_> = (0..COUNT).map(|_| poa.activate(probe()).unwrap()).collect();
    let far: Vec<_> = objects.iter().map(|near| travel(near, &client)).collect();
    let ids: Vec<_> = objects.iter().map(|near| poa.reference_to_id(near).unwrap()).collect();
    let over = std::sync::atomic::AtomicBool::new(false);
    let move_all = |half: usize| {
        for turn in 0..20 {
            for id in ids.iter().skip(half).step_by(2) {
                poa.deactivate(id).unwrap();
                poa.activate_with_id(id.clone(), probe()).unwrap();
            }
            // Whoever activates an object finds it, whatever others do with theirs.
            for reference in far.iter().skip(half).step_by(2) {
                assert_eq!(reference.increment(), Ok(1), "turn {turn}");
            }
        }
    };
    thread::scope(|scope| {
        let movers = [0, 1].map(|half| scope.spawn(move || move_all(half)));
        scope.spawn(|| {
            while !over.load(std::sync::atomic::Ordering::SeqCst) {
                if let Err(error) = far[COUNT / 2].ping() {
                    assert_eq!(error.kind(), ExceptionKind::ObjectNotExist, "{error}");
                }
            }
        });
        let moved = movers.map(|mover| mover.join());
        over.store(true, std::sync::atomic::Ordering::SeqCst);
        moved.into_iter().for_each(|moved| moved.unwrap());
    });
    poa.destroy(true, true).unwrap();
    for reference in &far {
        assert_eq!(reference.ping().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    }
}

#[test]
fn ids_that_the_poa_cannot_have_made_are_refused() {
    let server = Server::start();
    let other = Server::start();
    let foreign = other.root_poa().reference_to_id(&other.local).unwrap();
    let beside = server.root_poa().create_poa("beside").build().unwrap();
    let probed = beside.activate(probe()).unwrap();
    let beside = beside.reference_to_id(&probed).unwrap();
    for id in [ObjectId::from("mine"), foreign, beside] {
        let refused = server.root_poa().activate_with_id(id.clone(), probe()).map(drop);
        let created = server.root_poa().create_reference_with_id::<dyn Everything>(id).map(drop);
        for error in [refused, created] {
            let error = SystemException::from(error.unwrap_err());
            assert_eq!(
                (error.kind(), error.minor()),
                (ExceptionKind::BadParam, Minor::BAD_PARAM_INVALID_OBJECT_ID)
            );
        }
    }
}

#[test]
fn transient_objects_end_with_their_poa_although_its_name_lives_on() {
    let server = Server::start();
    let client = orbs::client();
    let make = |persistent: bool| {
        let poa = server.root_poa().create_poa("again").user_ids();
        let poa = if persistent { poa.persistent() } else { poa }.build().unwrap();
        let reference = poa.activate_with_id("a", probe()).unwrap();
        (poa, travel(&reference, &client))
    };
    for persistent in [false, true] {
        let (poa, old) = make(persistent);
        old.ping().unwrap();
        poa.destroy(true, true).unwrap();
        assert_eq!(old.ping().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
        let (poa, new) = make(persistent);
        new.ping().unwrap();
        assert_eq!(old.ping().is_ok(), persistent);
        poa.destroy(true, true).unwrap();
    }
}
