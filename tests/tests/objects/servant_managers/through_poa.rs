//! Collocated calls that pass through the POA.

use armilla::{
    Caller, Collocation, Completion, ExceptionKind, Minor, Orb, Policies, SystemException,
};
use armilla_tests::gate::PATIENCE;
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::Arc;
use std::time::Duration;

#[test]
fn a_poa_may_have_its_objects_called_through_it() {
    let server = Server::start();
    let root = server.root_poa();
    let poa = root.create_poa("copies").user_ids().through_poa().build().unwrap();
    let before: EverythingRef = poa.create_reference_with_id("a").unwrap();
    let servant = || Arc::new(Probe::default()) as Arc<dyn Everything>;
    let active: EverythingRef = poa.activate_with_id("a", servant()).unwrap();
    let after: EverythingRef = poa.id_to_reference(&"a".into()).unwrap().narrow().unwrap();
    for reference in [&before, &active, &after, &before.with_timeout(PATIENCE)] {
        // What does not call the servant itself does not panic as it does.
        let error = reference.panic("on purpose").unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Unknown);
        reference.increment().unwrap();
        assert!(reference.local().is_none());
    }
    assert_eq!(active.count(), Ok(4));
    // It is a matter of the POA, also for a reference that outlives one.
    poa.destroy(true, true).unwrap();
    let made = root.create_poa("copies").user_ids().persistent().build().unwrap();
    let direct: EverythingRef = made.activate_with_id("a", servant()).unwrap();
    assert!(direct.local().is_some());
    made.destroy(true, true).unwrap();
    let again = root.create_poa("copies").user_ids().persistent().through_poa().build().unwrap();
    again.activate_with_id("a", servant()).unwrap();
    assert_eq!(direct.panic("on purpose").unwrap_err().kind(), ExceptionKind::Unknown);
    assert_eq!(direct.increment(), Ok(1));
}

#[test]
fn through_the_poa_arguments_are_copied_and_directly_they_are_lent() {
    for collocation in [Collocation::Direct, Collocation::ThroughPoa, Collocation::Remote] {
        let orb = orbs::builder().settings(|s| s.collocation = collocation);
        let server = Server::of(orb.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
        let direct = collocation == Collocation::Direct;
        assert_eq!(server.local.local().is_some(), direct);
        server.local.increment().unwrap();
        assert_eq!(server.local.count(), Ok(1), "{collocation:?}");
        let mut kept = "kept".to_owned();
        assert_eq!(
            server.local.echo_string("given", &mut kept),
            Ok(("kept".into(), "given".into()))
        );
        let mut note = "a reason".to_owned();
        match server.local.choose(1, &mut note) {
            Err(armilla::Error::User(error)) => assert!(format!("{error:?}").contains("a reason")),
            other => panic!("{other:?}"),
        }
        // Directly it is the caller's own method that panics.
        assert!(direct || server.local.panic("on purpose").is_err());
        assert_eq!(server.local.myself().unwrap(), server.local);
    }
}

/// Its operations have arguments and results of a fixed size only.
struct Moody(Orb);

impl Common for Moody {
    fn ping(&self) -> Result<(), SystemException> {
        panic!("on purpose")
    }
}

impl Counted for Moody {
    fn count(&self) -> Result<i32, SystemException> {
        assert_eq!(Caller::current().map(|caller| caller.address), Some(None));
        let current = self.0.poa_current().unwrap();
        Ok(if current.object_id().as_bytes() == b"moody" { 7 } else { 0 })
    }

    fn increment(&self) -> Result<i32, SystemException> {
        let code = Minor::SERVANT_PANICKED;
        Err(SystemException::new(ExceptionKind::Transient, code, Completion::No))
    }
}

#[test]
fn what_is_lent_through_the_poa_ends_as_a_request_does() {
    let orb = orbs::listening();
    let root = orb.root_poa();
    let poa = root.create_poa("moody").user_ids().through_poa().build().unwrap();
    let servant = Arc::new(Moody(orb.clone())) as Arc<dyn Counted>;
    let object: CountedRef = poa.activate_with_id("moody", servant).unwrap();
    // Policies of the reference make it a request.
    let requested = object.with_policies(Policies::default());
    let ends = |object: &CountedRef| {
        assert_eq!(object.count(), Ok(7));
        [object.ping().unwrap_err(), object.increment().unwrap_err()]
            .map(|raised| (raised.kind(), raised.minor(), raised.completed()))
    };
    let expected = ends(&requested);
    let unknown = (ExceptionKind::Unknown, Minor::SERVANT_PANICKED, Completion::Maybe);
    assert_eq!(expected[0], unknown);
    assert_eq!(ends(&object), expected);
    assert_eq!(ends(&object.with_timeout(Duration::ZERO)), expected);
    assert!(orb.poa_current().is_err(), "no call is left behind");
    poa.manager().discard_requests(true).unwrap();
    assert_eq!(object.count().unwrap_err().kind(), ExceptionKind::Transient);
    poa.manager().activate().unwrap();
    poa.deactivate(&"moody".into()).unwrap();
    assert_eq!(object.count().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    orb.shutdown();
    assert_eq!(object.count().unwrap_err().kind(), ExceptionKind::BadInvOrder);
}
