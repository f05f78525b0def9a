//! Object adapters: ids, policies, and the lifecycle of objects and their keys.

use armilla::{ExceptionKind, ObjectId, Orb, Poa, PoaError, SystemException, Version};
use armilla_giop::ior::IiopProfile;
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::Arc;

fn probe() -> Arc<dyn Everything> {
    everything::tie(Probe::default())
}

/// A reference that has another key.
fn with_key(reference: &EverythingRef, client: &Orb, key: &[u8]) -> EverythingRef {
    let mut ior = reference.object().ior();
    let profile = ior.iiop_profiles().next().unwrap().unwrap();
    let forged = IiopProfile { object_key: key.to_vec(), ..profile };
    ior.profiles = vec![forged.to_tagged().unwrap()];
    client.string_to_object(&ior.to_text().unwrap()).unwrap().assume()
}

fn key(reference: &EverythingRef) -> Vec<u8> {
    reference.object().ior().iiop_profiles().next().unwrap().unwrap().object_key
}

#[track_caller]
fn assert_gone(result: Result<(), SystemException>) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::ObjectNotExist, "{error}");
    assert_eq!(error.completed(), armilla::Completion::No);
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(result: Result<T, PoaError>, expected: PoaError) {
    assert_eq!(result.unwrap_err(), expected);
}

#[track_caller]
fn kind<T: std::fmt::Debug>(result: Result<T, PoaError>) -> ExceptionKind {
    SystemException::from(result.unwrap_err()).kind()
}

#[test]
fn each_activation_is_an_object_of_its_own() {
    let server = Server::start();
    let servant: Arc<dyn Everything> = server.probe.clone();
    let poa = server.root_poa();
    assert_refused(poa.activate(servant.clone()), PoaError::ServantAlreadyActive);
    let second = poa.create_poa("many").multiple_ids().build().unwrap().activate(servant).unwrap();
    assert_ne!(second, server.local);
    let client = orbs::client();
    travel(&second, &client).increment().unwrap();
    assert_eq!(server.remote(&client).count().unwrap(), 1, "of the same servant");
}

#[test]
fn a_deactivated_object_does_not_exist_near_or_far() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    remote.ping().unwrap();
    let poa = server.root_poa();
    let id = poa.reference_to_id(server.local.object()).unwrap();
    poa.deactivate(&id).unwrap();
    assert_gone(remote.ping());
    assert_gone(server.local.ping());
    assert_gone(travel(&remote, &server).ping());
    for object in [remote.object(), server.local.object()] {
        assert_eq!((object.non_existent(), object.locate()), (Ok(true), Ok(false)));
    }
    assert_refused(poa.deactivate(&id), PoaError::ObjectNotActive);
}

#[test]
fn deactivation_does_not_interrupt_a_call_in_progress() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    std::thread::scope(|scope| {
        let call = scope.spawn(|| remote.block());
        server.probe.gate.await_waiting(1);
        let id = server.root_poa().reference_to_id(server.local.object()).unwrap();
        server.root_poa().deactivate(&id).unwrap();
        server.probe.gate.open();
        call.join().unwrap().unwrap();
    });
    assert_gone(remote.ping());
}

#[test]
fn the_key_of_an_object_that_is_gone_stays_dead_when_its_place_is_taken() {
    let server = Server::start();
    let client = orbs::client();
    let stale = server.remote(&client);
    let poa = server.root_poa();
    poa.deactivate(&poa.reference_to_id(server.local.object()).unwrap()).unwrap();
    for _ in 0..10 {
        let next = poa.activate(probe()).unwrap();
        travel(&next, &client).ping().unwrap();
        assert_gone(stale.ping());
        poa.deactivate(&poa.reference_to_id(next.object()).unwrap()).unwrap();
    }
}

#[test]
fn thousands_of_objects_are_each_found() {
    let server = Server::start();
    let client = orbs::client();
    let objects: Vec<_> = (0..2_000)
        .map(|n: i32| {
            let reference = server.root_poa().activate(probe()).unwrap();
            reference.set_name(&n.to_string()).unwrap();
            reference
        })
        .collect();
    for (n, reference) in objects.iter().enumerate() {
        assert_eq!(travel(reference, &client).name().unwrap(), n.to_string());
    }
}

#[test]
fn the_program_may_choose_the_ids() {
    let server = Server::start();
    let poa = server.root_poa().create_poa("named").user_ids().build().unwrap();
    let client = orbs::client();
    for id in [ObjectId::from("alpha"), ObjectId::new([0, 255, 0]), ObjectId::new([])] {
        let reference = poa.activate_with_id(id.clone(), probe()).unwrap();
        assert_eq!(poa.reference_to_id(reference.object()).unwrap(), id);
        let remote = travel(&reference, &client);
        remote.ping().unwrap();
        assert_refused(poa.activate_with_id(id.clone(), probe()), PoaError::ObjectAlreadyActive);
        poa.deactivate(&id).unwrap();
        assert_gone(remote.ping());
        poa.activate_with_id(id, probe()).unwrap();
        remote.ping().unwrap();
    }
    assert_refused(poa.activate(probe()), PoaError::WrongPolicy);
}

#[test]
fn an_object_belongs_to_one_adapter() {
    let server = Server::start();
    let other = server.root_poa().create_poa("other").build().unwrap();
    assert_refused(other.reference_to_id(server.local.object()), PoaError::WrongAdapter);
    let id = server.root_poa().reference_to_id(server.local.object()).unwrap();
    assert!(other.deactivate(&id).is_err());
    server.local.ping().unwrap();
    let remote = server.remote(&orbs::client());
    assert_refused(server.root_poa().reference_to_id(remote.object()), PoaError::WrongAdapter);
    // Whether it is active or not.
    server.root_poa().deactivate(&id).unwrap();
    assert_eq!(server.root_poa().reference_to_id(&server.local), Ok(id));
    assert_refused(other.reference_to_id(&server.local), PoaError::WrongAdapter);
    let none = EverythingRef::nil();
    assert_refused(server.root_poa().reference_to_id(&none), PoaError::WrongAdapter);
}

#[test]
fn adapters_form_a_tree_of_names() {
    let orb = orbs::client();
    let root = orb.root_poa();
    assert_eq!(root.name(), "RootPOA");
    let bank = root.create_poa("bank").build().unwrap();
    bank.create_poa("retail").build().unwrap();
    assert_eq!(
        root.find_poa("bank", false).unwrap().find_poa("retail", false).unwrap().name(),
        "retail"
    );
    assert_refused(root.find_poa("retail", true), PoaError::AdapterNonExistent);
    assert_refused(root.create_poa("bank").build(), PoaError::AdapterAlreadyExists);
    for name in ["", "a\0b", &"x".repeat(5_000)] {
        assert_eq!(kind(root.create_poa(name).build()), ExceptionKind::BadParam);
    }
}

#[test]
fn a_destroyed_adapter_takes_its_objects_and_those_below_with_it() {
    let server = Server::start();
    let client = orbs::client();
    let bank = server.root_poa().create_poa("bank").build().unwrap();
    let retail = bank.create_poa("retail").persistent().user_ids().build().unwrap();
    let gone = [bank.activate(probe()).unwrap(), retail.activate_with_id("a", probe()).unwrap()];
    let remote = gone.each_ref().map(|reference| travel(reference, &client));
    bank.destroy(true, true).unwrap();
    gone.iter().chain(&remote).for_each(|reference| assert_gone(reference.ping()));
    server.local.ping().unwrap();
    assert_refused(server.root_poa().find_poa("bank", false), PoaError::AdapterNonExistent);

    let again = server.root_poa().create_poa("bank").build().unwrap();
    let retail = again.create_poa("retail").persistent().user_ids().build().unwrap();
    retail.activate_with_id("a", probe()).unwrap();
    remote[1].ping().unwrap();
    assert_gone(remote[0].ping());
}

#[test]
fn a_destroyed_adapter_activates_nothing_more() {
    let server = Server::start();
    let transient = server.root_poa().create_poa("transient").build().unwrap();
    let named = transient.create_poa("named").user_ids().build().unwrap();
    transient.destroy(false, false).unwrap();
    for refused in [transient.activate(probe()), named.activate_with_id("a", probe())] {
        assert_eq!(kind(refused), ExceptionKind::ObjectNotExist);
    }
    assert_eq!(kind(transient.create_poa("child").build()), ExceptionKind::ObjectNotExist);
    for activate_it in [false, true] {
        assert_eq!(kind(transient.find_poa("named", activate_it)), ExceptionKind::ObjectNotExist);
    }
    assert_eq!(kind(transient.destroy(true, true)), ExceptionKind::ObjectNotExist);
    assert_eq!(kind(named.destroy(true, false)), ExceptionKind::ObjectNotExist);
    assert!(transient.children().is_empty());
}

#[test]
fn a_root_that_was_destroyed_is_made_anew_when_it_is_asked_for() {
    let server = Server::start();
    let client = orbs::client();
    let first = server.root_poa();
    let kept = |root: &Poa| root.create_poa("kept").persistent().user_ids().build().unwrap();
    let [near, far] = {
        let near = kept(&first).activate_with_id("a", probe()).unwrap();
        [near.clone(), travel(&near, &client)]
    };
    let old = server.remote(&client);
    first.manager().deactivate(true, true).unwrap();
    first.destroy(true, true).unwrap();
    [&near, &far, &old].into_iter().for_each(|reference| assert_gone(reference.ping()));
    assert_eq!(kind(first.activate(probe())), ExceptionKind::ObjectNotExist);

    let again = server.root_poa();
    assert_ne!(again, first);
    assert_eq!(server.root_poa(), again, "once");
    assert_eq!(server.find_poa_manager("RootPOAManager").as_ref(), Some(again.manager()));
    assert_eq!((again.name(), again.children().len()), ("RootPOA", 0));
    let (_, local) = orbs::activate(&server);
    travel(&local, &client).ping().unwrap();
    [&near, &far, &old].into_iter().for_each(|reference| assert_gone(reference.ping()));
    kept(&again).activate_with_id("a", probe()).unwrap();
    near.ping().unwrap();
    far.ping().unwrap();
    assert_gone(old.ping());

    server.shutdown();
    assert_eq!(server.root_poa(), again);
    assert_eq!(kind(again.activate(probe())), ExceptionKind::BadInvOrder);
}

#[test]
fn concurrent_callers_get_the_same_recreated_root() {
    let orb = orbs::listening();
    for _ in 0..50 {
        orb.root_poa().destroy(true, true).unwrap();
        let all: Vec<Poa> = std::thread::scope(|scope| {
            let asked: Vec<_> = (0..4).map(|_| scope.spawn(|| orb.root_poa())).collect();
            asked.into_iter().map(|asked| asked.join().unwrap()).collect()
        });
        assert!(all.iter().all(|root| *root == all[0]));
        all[0].activate(probe()).unwrap().ping().unwrap();
    }
    orb.shutdown();
}

/// A server at `port`, or at a free one, with a persistent and a transient object of the same id.
fn restartable(port: u16) -> (Orb, [EverythingRef; 2]) {
    let endpoint = format!("iiop://127.0.0.1:{port}");
    let orb = orbs::builder().listen(&endpoint).unwrap().build().unwrap();
    let activate = |poa: Poa| poa.activate_with_id("alpha", probe()).unwrap();
    let persistent = orb.root_poa().create_poa("kept").persistent().user_ids().build().unwrap();
    let transient = orb.root_poa().create_poa("lost").user_ids().build().unwrap();
    let references = [activate(persistent), activate(transient)];
    (orb, references)
}

#[test]
fn persistent_references_survive_a_restart_and_transient_ones_do_not() {
    let client = orbs::client();
    let (orb, references) = restartable(0);
    let port = orb.published_addresses().unwrap()[0].1;
    let (system, _) = orbs_pair(&orb);
    let [persistent, transient] = references.each_ref().map(|r| travel(r, &client));
    let system = travel(&system, &client);
    for reference in [&persistent, &transient, &system] {
        reference.ping().unwrap();
    }
    orb.shutdown();
    let (orb, references) = restartable(port);
    orbs_pair(&orb);
    persistent.ping().unwrap();
    assert_gone(transient.ping());
    assert_gone(system.ping());
    assert_eq!(persistent, references[0]);
    assert_ne!(transient, references[1]);
    orb.shutdown();
}

#[test]
fn ids_that_the_system_gave_outlive_the_process_and_are_not_given_again() {
    let server = |port| {
        let listening = orbs::builder().listen(&format!("iiop://127.0.0.1:{port}")).unwrap();
        let orb = listening.build().unwrap();
        let poa = orb.root_poa().create_poa("kept").persistent().build().unwrap();
        (orb, poa)
    };
    let activate = |poa: &Poa| {
        let reference = poa.activate(probe()).unwrap();
        (poa.reference_to_id(&reference).unwrap(), reference)
    };
    let client = orbs::client();
    let (orb, poa) = server(0);
    let port = orb.published_addresses().unwrap()[0].1;
    let mut given: Vec<_> = (0..3).map(|_| activate(&poa)).collect();
    let empty: EverythingRef = poa.create_reference().unwrap();
    given.push((poa.reference_to_id(&empty).unwrap(), empty));
    given.iter_mut().for_each(|(_, reference)| *reference = travel(reference, &client));
    orb.shutdown();
    let (orb, poa) = server(port);
    let anew: Vec<_> = (0..20).map(|_| activate(&poa)).collect();
    poa.manager().activate().unwrap();
    for (id, kept) in &given {
        assert!(anew.iter().all(|(other, _)| other != id));
        assert_gone(kept.ping());
        poa.activate_with_id(id.clone(), probe()).unwrap();
        assert_eq!((kept.increment(), travel(kept, &orb).increment()), (Ok(1), Ok(2)));
    }
    assert!(anew.iter().all(|(_, other)| travel(other, &client).count() == Ok(0)));
    orb.shutdown();
}

fn orbs_pair(orb: &Orb) -> (EverythingRef, Arc<Probe>) {
    let (servant, reference) = orbs::activate(orb);
    (reference, servant)
}

#[test]
fn a_persistent_object_of_another_server_is_not_taken_for_ours() {
    let client = orbs::client();
    let (one, [first, _]) = restartable(0);
    let (two, [second, _]) = restartable(0);
    assert!(travel(&second, &one).local().is_none());
    travel(&second, &one).increment().unwrap();
    assert_eq!((first.count().unwrap(), second.count().unwrap()), (0, 1));
    assert_eq!(travel(&second, &client).count().unwrap(), 1);
    one.shutdown();
    two.shutdown();
}

#[test]
fn keys_that_the_server_never_made_lead_nowhere() {
    let server = Server::start();
    let poa = server.root_poa().create_poa("named").user_ids().build().unwrap();
    let named = poa.activate_with_id("alpha", probe()).unwrap();
    let client = orbs::client();
    for reference in [&server.local, &named] {
        let good = key(reference);
        with_key(reference, &client, &good).ping().unwrap();
        for at in 0..good.len() {
            // Bits that do not lead to the place of the other object.
            for bit in [0x02, 0x80] {
                let mut forged = good.clone();
                forged[at] ^= bit;
                let forged = with_key(reference, &client, &forged);
                match at {
                    // A hint that leads nowhere: the object is found by its id.
                    16..24 if reference == &named => forged.ping().unwrap(),
                    _ => assert_gone(forged.ping()),
                }
            }
            assert_gone(with_key(reference, &client, &good[..at]).ping());
        }
        assert_gone(with_key(reference, &client, &[&good[..], b"x"].concat()).ping());
        assert_gone(with_key(reference, &client, &vec![0xff; 5_000]).ping());
    }
}

#[test]
fn an_orb_without_a_port_listens_with_its_first_object() {
    let orb = orbs::builder().publish_host("127.0.0.1").build().unwrap();
    let (_, reference) = orbs::activate(&orb);
    let client = orbs::builder().max_giop(Version::V1_1).build().unwrap();
    travel(&reference, &client).ping().unwrap();
    orb.shutdown();
}
