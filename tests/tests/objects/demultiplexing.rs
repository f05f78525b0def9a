//! Request demultiplexing: every strategy finds the same objects, and no others.

use armilla::{
    AnyServant, Error, ExceptionKind, IdAssignment, Lifespan, ObjectId, ObjectLookup,
    OperationLookup, Orb, Poa, SystemException,
};
use armilla_giop::ior::IiopProfile;
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::Arc;
use std::thread;

const COUNT: usize = 300;

fn probe() -> Arc<dyn Everything> {
    everything::tie(Probe::default())
}

fn id(n: usize) -> ObjectId {
    ObjectId::from(&*format!("object {n}"))
}

fn lookups() -> [ObjectLookup; 4] {
    let perfect = ObjectLookup::Perfect((0..2 * COUNT).map(id).collect());
    [ObjectLookup::Active, ObjectLookup::Hashing, perfect, ObjectLookup::Linear]
}

fn key(reference: &EverythingRef) -> Vec<u8> {
    reference.object().ior().iiop_profiles().next().unwrap().unwrap().object_key
}

fn with_key(reference: &EverythingRef, client: &Orb, key: &[u8]) -> EverythingRef {
    let mut ior = reference.object().ior();
    let profile = ior.iiop_profiles().next().unwrap().unwrap();
    let forged = IiopProfile { object_key: key.to_vec(), ..profile };
    ior.profiles = vec![forged.to_tagged().unwrap()];
    client.string_to_object(&ior.to_text().unwrap()).unwrap().assume()
}

fn is_gone<T>(result: Result<T, SystemException>) -> bool {
    result.is_err_and(|error| error.kind() == ExceptionKind::ObjectNotExist)
}

/// Activates the `n`th object.
fn activate(poa: &Poa, user: bool, n: usize) -> EverythingRef {
    let reference = match user {
        true => poa.activate_with_id(id(n), probe()),
        false => poa.activate(probe()),
    };
    let reference = reference.unwrap();
    reference.set_name(&n.to_string()).unwrap();
    reference
}

#[test]
fn every_strategy_finds_every_object_and_loses_those_that_go() {
    let server = Server::start();
    let client = orbs::client();
    for (number, lookup) in lookups().into_iter().enumerate() {
        for lifespan in [Lifespan::Transient, Lifespan::Persistent] {
            for assignment in [IdAssignment::System, IdAssignment::User] {
                let user = assignment == IdAssignment::User;
                if !user && matches!(lookup, ObjectLookup::Perfect(_)) {
                    continue;
                }
                let name = format!("{number} {lifespan:?} {assignment:?}");
                let poa = server.root_poa().create_poa(&*name).policy(lifespan).policy(assignment);
                let poa = poa.lookup(lookup.clone()).build().unwrap();
                let near: Vec<_> = (0..COUNT).map(|n| activate(&poa, user, n)).collect();
                let far: Vec<_> = near.iter().map(|r| travel(r, &client)).collect();
                let ids: Vec<_> = near.iter().map(|r| poa.reference_to_id(r).unwrap()).collect();
                (0..COUNT).step_by(2).for_each(|n| poa.deactivate(&ids[n]).unwrap());
                let others: Vec<_> = (COUNT..COUNT + 50).map(|n| activate(&poa, user, n)).collect();
                for n in 0..COUNT {
                    match n % 2 {
                        0 => assert!(is_gone(far[n].ping()) && is_gone(near[n].ping()), "{name}"),
                        _ => assert_eq!(far[n].name().unwrap(), n.to_string(), "{name}"),
                    }
                }
                for (n, other) in others.iter().enumerate() {
                    assert_eq!(other.name().unwrap(), (COUNT + n).to_string(), "{name}");
                }
                poa.destroy(true, true).unwrap();
                assert!(is_gone(far[1].ping()), "{name}");
            }
        }
    }
}

#[test]
fn persistent_keys_with_hashing_are_the_same_in_every_process() {
    let keys = |lookup: ObjectLookup| {
        let server = Server::start();
        let poa = server.root_poa().create_poa("kept").persistent().user_ids();
        let poa = poa.lookup(lookup).build().unwrap();
        key(&activate(&poa, true, 1))
    };
    assert_eq!(keys(ObjectLookup::Hashing), keys(ObjectLookup::Hashing));
    let shift = |lookup| {
        let server = Server::start();
        server.root_poa().activate(probe()).unwrap();
        let poa = server.root_poa().create_poa("kept").persistent().user_ids();
        key(&activate(&poa.lookup(lookup).build().unwrap(), true, 1))
    };
    assert_eq!(shift(ObjectLookup::Linear), keys(ObjectLookup::Hashing));
    assert_ne!(shift(ObjectLookup::Active), keys(ObjectLookup::Active), "the hints differ");
}

#[test]
fn a_hint_that_is_wrong_is_no_more_than_that() {
    let server = Server::start();
    let client = orbs::client();
    let poa = server.root_poa().create_poa("hinted").user_ids().build().unwrap();
    let [one, other] = [1, 2].map(|n| activate(&poa, true, n));
    let (mut mixed, hint) = (key(&one), 16..24);
    mixed[hint.clone()].copy_from_slice(&key(&other)[hint.clone()]);
    let swapped = with_key(&one, &client, &mixed);
    assert_eq!(swapped.name().unwrap(), "1", "the hint leads to another object");
    assert_eq!(swapped, one);
    mixed[hint].copy_from_slice(&[0xff; 8]);
    assert_eq!(with_key(&one, &client, &mixed).name().unwrap(), "1", "the hint leads nowhere");
    // What the hint led to is gone, and its place is another's.
    poa.deactivate(&id(1)).unwrap();
    activate(&poa, true, 3);
    assert!(is_gone(travel(&one, &client).ping()));
    poa.activate_with_id(id(1), probe()).unwrap();
    assert_eq!(travel(&one, &client).increment(), Ok(1));
}

#[test]
fn no_key_that_was_changed_leads_to_another_object() {
    let server = Server::start();
    let client = orbs::client();
    for (number, lookup) in lookups().into_iter().enumerate() {
        for operations in [OperationLookup::Perfect, OperationLookup::Active] {
            let name = format!("{number} {operations:?}");
            let poa = server.root_poa().create_poa(&*name).operation_lookup(operations).user_ids();
            let poa = poa.lookup(lookup.clone()).build().unwrap();
            // No id is one bit away from that of the first, but places are.
            let objects = [0, 15, 13].map(|n| activate(&poa, true, n));
            let good = key(&objects[0]);
            for bit in 0..8 * good.len() {
                let mut forged = good.clone();
                forged[bit / 8] ^= 1 << (bit % 8);
                match with_key(&objects[0], &client, &forged).name() {
                    Ok(found) => assert_eq!(found, "0", "{name}: bit {bit}"),
                    Err(error) => {
                        assert_eq!(error.kind(), ExceptionKind::ObjectNotExist, "{name}: {error}");
                    }
                }
            }
            for end in 0..good.len() {
                assert!(is_gone(with_key(&objects[0], &client, &good[..end]).name()), "{name}");
            }
            for (object, n) in objects.iter().zip(["0", "15", "13"]) {
                assert_eq!(travel(object, &client).name().unwrap(), n);
            }
        }
    }
}

#[test]
fn a_perfect_hash_takes_the_ids_that_it_was_made_for() {
    let server = Server::start();
    let poa = server.root_poa().create_poa("perfect").user_ids();
    let poa = poa.lookup(ObjectLookup::Perfect(vec![id(1), id(2)])).build().unwrap();
    activate(&poa, true, 1).ping().unwrap();
    let error = SystemException::from(poa.activate_with_id(id(3), probe()).unwrap_err());
    assert_eq!(error.kind(), ExceptionKind::BadParam, "{error}");
}

#[test]
fn objects_come_and_go_while_others_are_called() {
    let server = Server::start();
    for lookup in lookups() {
        let poa = server.root_poa().create_poa("busy").user_ids().lookup(lookup).build().unwrap();
        let steady: Vec<_> = (0..4).map(|n| activate(&poa, true, n)).collect();
        thread::scope(|scope| {
            let mut calls = Vec::new();
            for reference in &steady {
                let far = travel(reference, &orbs::client());
                calls.push(scope.spawn(move || (0..200).for_each(|_| far.ping().unwrap())));
            }
            for worker in 0..2 {
                let poa = &poa;
                scope.spawn(move || {
                    for round in 0..200 {
                        let n = 10 + 100 * worker + round % 50;
                        let reference = activate(poa, true, n);
                        assert_eq!(reference.name().unwrap(), n.to_string());
                        poa.deactivate(&id(n)).unwrap();
                        assert!(is_gone(reference.ping()));
                    }
                });
            }
        });
        poa.destroy(true, true).unwrap();
    }
}

const OPERATION_LOOKUPS: [OperationLookup; 4] = [
    OperationLookup::Perfect,
    OperationLookup::Active,
    OperationLookup::Hashing,
    OperationLookup::Linear,
];

#[test]
fn every_strategy_finds_every_operation() {
    let server = Server::start();
    let client = orbs::client();
    for lookup in OPERATION_LOOKUPS {
        for lifespan in [Lifespan::Transient, Lifespan::Persistent] {
            let name = format!("{lookup:?} {lifespan:?}");
            let poa = server.root_poa().create_poa(&*name).policy(lifespan);
            let poa = poa.operation_lookup(lookup).build().unwrap();
            let near: EverythingRef = poa.activate(probe()).unwrap();
            let far = travel(&near, &client);
            for round in 0..3 {
                far.set_name(&format!("{name} {round}")).unwrap();
                assert_eq!(far.name().unwrap(), format!("{name} {round}"));
                far.ping().unwrap();
            }
            assert!(
                far.object()
                    .is_a(<dyn Everything as armilla::codegen::Interface>::REPOSITORY_ID)
                    .unwrap()
            );
            assert!(!far.object().is_a("IDL:Stranger:1.0").unwrap());
            assert!(!far.object().non_existent().unwrap());
            let unknown = far.object().request("nothing").invoke();
            let unknown = unknown.unwrap_err();
            assert!(
                matches!(&unknown, Error::System(e) if e.kind() == ExceptionKind::BadOperation),
                "{name}: {unknown:?}",
            );
            assert_eq!(
                poa.reference_to_id(&near).unwrap(),
                poa.reference_to_id(travel(&far, &server)).unwrap()
            );
            poa.destroy(true, true).unwrap();
            assert!(is_gone(far.ping()), "{name}");
        }
    }
}

#[test]
fn only_references_whose_operations_are_numbered_say_so() {
    let server = Server::start();
    let size = |lookup| {
        let poa = server.root_poa().create_poa(format!("{lookup:?}")).operation_lookup(lookup);
        let poa = poa.build().unwrap();
        let reference: EverythingRef = poa.activate(probe()).unwrap();
        reference.object().ior().to_text().unwrap().len()
    };
    let [perfect, active, hashing, linear] = OPERATION_LOOKUPS.map(size);
    assert!(active > perfect && hashing == perfect && linear == perfect);
}

#[test]
fn a_servant_chooses_for_itself() {
    let server = Server::start();
    let client = orbs::client();
    let servant = AnyServant::from(probe()).with_operation_lookup(OperationLookup::Active);
    assert!(servant.downcast::<dyn Everything>().is_some());
    let poa = server.root_poa().create_poa("default").user_ids().default_servant(servant);
    let poa = poa.build().unwrap();
    let reference = poa.create_reference_with_id::<dyn Everything>("any").unwrap();
    let far = travel(&reference, &client);
    far.set_name("found without a number").unwrap();
    assert_eq!(far.name().unwrap(), "found without a number");
}

#[test]
fn the_number_of_another_operation_leads_to_none_but_the_one_that_is_named() {
    let server = Server::start();
    let client = orbs::client();
    let poa = server.root_poa().create_poa("numbered").operation_lookup(OperationLookup::Active);
    let near: EverythingRef = poa.build().unwrap().activate(probe()).unwrap();
    near.set_name("mine").unwrap();
    let room = key(&near).len() - 4;
    assert_eq!(key(&near)[room..], [0xff; 4]);
    for number in [0_u32, 1, 7, 100_000] {
        let mut forged = key(&near);
        forged[room..].copy_from_slice(&number.to_be_bytes());
        // Without the component, so that the number stays as it is.
        let mut ior = near.object().ior();
        let profile = ior.iiop_profiles().next().unwrap().unwrap();
        let profile = IiopProfile { object_key: forged, components: Vec::new(), ..profile };
        ior.profiles = vec![profile.to_tagged().unwrap()];
        let far = client.string_to_object(&ior.to_text().unwrap()).unwrap();
        assert_eq!(far.assume::<dyn Everything>().name().unwrap(), "mine", "{number}");
    }
}
