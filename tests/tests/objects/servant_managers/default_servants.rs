//! Default servants, and active objects, which take precedence.

use super::{near_and_far, reference, refused, text};
use armilla::{
    ExceptionKind, IdUniqueness, Minor, Orb, PoaError, RequestProcessing, ServantRetention,
    SystemException,
};
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::Arc;

/// Says as whom it is called.
struct Crowd(Orb);

impl Listener for Crowd {
    fn hear(&self, _text: &str) -> Result<(), SystemException> {
        Ok(())
    }

    fn descend(&self, _partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
        let current = self.0.poa_current()?;
        let me: ListenerRef = current.reference()?.assume();
        assert_eq!(current.poa().reference_to_id(&me)?, *current.object_id());
        assert_eq!(current.servant().repository_id(), "IDL:armilla.org/Probe/Listener:1.0");
        if depth == 0 {
            let id = text(current.object_id());
            return Ok(id.parse().unwrap());
        }
        // Another object of the same servant, and then itself again.
        let next = depth.to_string();
        let next: ListenerRef = current.poa().create_reference_with_id(&*next)?.clone();
        let inner = next.descend(&EverythingRef::nil(), 0)?;
        assert_eq!(self.0.poa_current()?.object_id(), current.object_id());
        Ok(inner + text(current.object_id()).parse::<i32>().unwrap())
    }
}

#[test]
fn a_default_servant_gets_the_id_of_the_called_object() {
    let server = Server::start();
    let servant: Arc<dyn Listener> = Arc::new(Crowd(server.orb.clone()));
    for retention in [ServantRetention::Retain, ServantRetention::NonRetain] {
        let poa = server.root_poa().create_poa(format!("{retention:?}")).user_ids();
        let poa = poa.policy(retention).default_servant(servant.clone()).build().unwrap();
        assert_eq!(poa.default_servant().unwrap(), servant.clone().into());
        for id in ["100", "200"] {
            let near: ListenerRef = poa.create_reference_with_id(id).unwrap();
            let far = travel(&near, &orbs::client());
            for reference in [near, far] {
                let expected: i32 = id.parse().unwrap();
                assert_eq!(reference.descend(&EverythingRef::nil(), 0), Ok(expected));
                assert_eq!(reference.descend(&EverythingRef::nil(), 7), Ok(expected + 7));
                assert_eq!(reference.object().locate(), Ok(true));
            }
        }
        assert_eq!(poa.id_to_servant(&"any".into()).unwrap(), servant.clone().into());
    }
    assert_eq!(server.poa_current().unwrap_err(), PoaError::NoContext);
}

#[test]
fn an_active_object_goes_before_the_default_servant() {
    let server = Server::start();
    let [default, own] = [(); 2].map(|()| Arc::new(Probe::default()) as Arc<dyn Everything>);
    let poa = server.root_poa().create_poa("both").user_ids();
    let poa = poa.default_servant(default.clone()).build().unwrap();
    let references = near_and_far(&reference(&poa, "a"));
    references.iter().for_each(|reference| assert!(reference.increment().is_ok()));
    poa.activate_with_id("a", own.clone()).unwrap();
    references.iter().for_each(|reference| assert!(reference.increment().is_ok()));
    poa.deactivate(&"a".into()).unwrap();
    references.iter().for_each(|reference| assert!(reference.increment().is_ok()));
    assert_eq!((default.count(), own.count()), (Ok(4), Ok(2)));
}

#[test]
fn without_a_default_servant_the_adapter_is_at_fault() {
    let server = Server::start();
    let poa = server.root_poa().create_poa("none").user_ids();
    let poa = poa.policy(RequestProcessing::DefaultServant).policy(IdUniqueness::Multiple);
    let poa = poa.build().unwrap();
    for reference in near_and_far(&reference(&poa, "a")) {
        refused(
            reference.ping().unwrap_err(),
            ExceptionKind::ObjAdapter,
            Minor::OBJ_ADAPTER_NO_DEFAULT_SERVANT,
        );
    }
    poa.set_default_servant(Arc::new(Probe::default()) as Arc<dyn Everything>).unwrap();
    reference(&poa, "a").ping().unwrap();
}
