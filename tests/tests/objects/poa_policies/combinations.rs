//! Valid and invalid combinations of policies.

use super::probe;
use armilla::{
    AnyServant, ExceptionKind, IdAssignment, IdUniqueness, ImplicitActivation, Lifespan, Minor,
    ObjectId, Poa, PoaError, Policy, RequestProcessing, ServantManager, ServantRetention,
    Threading,
};
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;

/// Every combination of values, each with the seven policies in the same order.
fn combinations() -> Vec<[Policy; 7]> {
    let mut all = Vec::new();
    for threading in [Threading::OrbControl, Threading::SingleThread, Threading::MainThread] {
        for lifespan in [Lifespan::Transient, Lifespan::Persistent] {
            for uniqueness in [IdUniqueness::Unique, IdUniqueness::Multiple] {
                for assignment in [IdAssignment::System, IdAssignment::User] {
                    for implicit in [ImplicitActivation::Off, ImplicitActivation::On] {
                        for retention in [ServantRetention::Retain, ServantRetention::NonRetain] {
                            for processing in [
                                RequestProcessing::ActiveObjectMapOnly,
                                RequestProcessing::DefaultServant,
                                RequestProcessing::ServantManager,
                            ] {
                                all.push([
                                    threading.into(),
                                    lifespan.into(),
                                    uniqueness.into(),
                                    assignment.into(),
                                    implicit.into(),
                                    retention.into(),
                                    processing.into(),
                                ]);
                            }
                        }
                    }
                }
            }
        }
    }
    all
}

fn has(policies: &[Policy], policy: impl Into<Policy>) -> bool {
    policies.contains(&policy.into())
}

/// The rules of CORBA 3.4 Part 1, 15.3.8, one by one: each names the policies that contradict.
fn contradictions(policies: &[Policy; 7]) -> Vec<[Policy; 2]> {
    let mut found = Vec::new();
    let mut exclude = |one: Policy, other: Policy| {
        if policies.contains(&one) && policies.contains(&other) {
            found.push([one, other]);
        }
    };
    let non_retain = ServantRetention::NonRetain;
    exclude(non_retain.into(), RequestProcessing::ActiveObjectMapOnly.into());
    exclude(IdUniqueness::Unique.into(), RequestProcessing::DefaultServant.into());
    exclude(ImplicitActivation::On.into(), IdAssignment::User.into());
    exclude(ImplicitActivation::On.into(), non_retain.into());
    found
}

/// What a POA of these policies allows, and what a call of an object gives that is not active.
fn check(poa: &Poa, policies: &[Policy; 7]) {
    let retains = has(policies, ServantRetention::Retain);
    let system = has(policies, IdAssignment::System);
    let unique = has(policies, IdUniqueness::Unique);
    let implicit = has(policies, ImplicitActivation::On);
    let default = has(policies, RequestProcessing::DefaultServant);
    let manager = has(policies, RequestProcessing::ServantManager);
    let allowed = |allowed: bool| if allowed { None } else { Some(PoaError::WrongPolicy) };

    let servant = probe();
    assert_eq!(poa.activate(servant.clone()).err(), allowed(retains && system), "activate");
    let again = poa.activate(servant.clone()).err();
    match retains && system && unique {
        true => assert_eq!(again, Some(PoaError::ServantAlreadyActive)),
        false => assert_eq!(again, allowed(retains && system)),
    }
    if !system {
        assert_eq!(poa.activate_with_id("a", servant.clone()).err(), allowed(retains));
        let again = poa.activate_with_id("a", probe()).err();
        assert_eq!(
            again,
            Some(PoaError::ObjectAlreadyActive).filter(|_| retains).or(allowed(retains))
        );
    }
    let reference = poa.servant_to_reference(&servant).err();
    match retains && unique {
        true => assert_eq!(reference, None),
        false if implicit => assert_eq!(reference, None),
        false => assert_eq!(reference, Some(PoaError::WrongPolicy)),
    }
    let id = poa.servant_to_id(&probe()).err();
    match retains && implicit {
        true => assert_eq!(id, None),
        false if default || retains && unique => assert_eq!(id, Some(PoaError::ServantNotActive)),
        false => assert_eq!(id, Some(PoaError::WrongPolicy)),
    }
    assert_eq!(poa.create_reference::<dyn Everything>().err(), allowed(system));
    assert_eq!(poa.default_servant().err(), allowed(default).or(Some(PoaError::NoServant)));
    assert_eq!(poa.servant_manager().err(), allowed(manager));
    let locator = |_: &ObjectId, _: &Poa| Ok(AnyServant::from(probe()));
    match poa.set_servant_manager(ServantManager::activator(locator)).err() {
        Some(PoaError::System(error)) => {
            assert!(manager && !retains, "{error}");
            assert_eq!(
                (error.kind(), error.minor()),
                (ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_NO_SERVANT_MANAGER)
            );
        }
        error => assert_eq!(error, allowed(manager)),
    }
}

#[test]
fn every_combination_is_made_or_refused_by_the_rules() {
    let server = Server::start();
    let mut legal = 0;
    for (number, policies) in combinations().iter().enumerate() {
        let name = format!("poa {number}");
        let made = server.root_poa().create_poa(name).policies(policies.clone()).build();
        let contradictions = contradictions(policies);
        if contradictions.is_empty() {
            legal += 1;
            check(&made.unwrap_or_else(|error| panic!("{policies:?}: {error}")), policies);
            continue;
        }
        let Err(PoaError::InvalidPolicy { index }) = made else { panic!("{policies:?}: {made:?}") };
        let culprit = &policies[usize::from(index)];
        assert!(contradictions.iter().any(|pair| pair.contains(culprit)), "{policies:?}: {index}");
    }
    // Of 288: implicit activation 3 * 2 * (unique 2 + multiple 3) = 30, none 3 * 2 * 2 * (unique 3
    // + multiple 5).
    assert_eq!(legal, 30 + 96);
}

#[test]
fn a_contradiction_is_found_wherever_it_stands() {
    let orb = orbs::client();
    let refused = |policies: &[Policy]| {
        let made = orb.root_poa().create_poa("refused").policies(policies.iter().cloned()).build();
        match made.unwrap_err() {
            PoaError::InvalidPolicy { index } => index,
            error => panic!("{error}"),
        }
    };
    let non_retain = Policy::from(ServantRetention::NonRetain);
    assert_eq!(
        refused(std::slice::from_ref(&non_retain)),
        0,
        "with what a POA has that is not told otherwise"
    );
    assert_eq!(refused(&[Lifespan::Persistent.into(), non_retain.clone()]), 1);
    assert_eq!(refused(&[ImplicitActivation::On.into(), IdAssignment::User.into()]), 1);
    assert_eq!(refused(&[IdAssignment::User.into(), ImplicitActivation::On.into()]), 1);
    let twice = [Lifespan::Persistent.into(), non_retain, Lifespan::Transient.into()];
    assert_eq!(refused(&twice), 2, "two values of one policy");
    let same = [Policy::from(Lifespan::Persistent), Lifespan::Persistent.into()];
    orb.root_poa().create_poa("same").policies(same).build().unwrap();
}
