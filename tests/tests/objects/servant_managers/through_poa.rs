//! Collocated calls that pass through the POA.

use armilla::{Collocation, ExceptionKind};
use armilla_tests::gate::PATIENCE;
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::Arc;

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
