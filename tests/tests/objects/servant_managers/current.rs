//! `Current`: the object that a servant is called for.

use armilla::{
    AnyServant, Cookie, ExceptionKind, ObjectId, Orb, Poa, PoaError, ServantLocator,
    ServantManager, ServantManagerError, SystemException,
};
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::{Arc, Mutex};

/// Asks for the reference to itself.
struct Selfish(Mutex<Option<Poa>>, std::sync::OnceLock<std::sync::Weak<Self>>);

impl Listener for Selfish {
    fn hear(&self, text: &str) -> Result<(), SystemException> {
        let poa = self.0.lock().unwrap().clone().unwrap();
        let this: Arc<dyn Listener> = self.1.get().unwrap().upgrade().unwrap();
        let own = poa.servant_to_reference(&this)?;
        assert_eq!(poa.reference_to_id(&own)?, text.into());
        let stranger: Arc<dyn Everything> = Arc::new(Probe::default());
        assert_eq!(poa.servant_to_reference(&stranger), Err(PoaError::WrongPolicy));
        Ok(())
    }

    fn descend(&self, _partner: &EverythingRef, _depth: i32) -> Result<i32, SystemException> {
        Ok(0)
    }
}

/// Lends the same servant for everything.
struct Always(AnyServant);

impl ServantLocator for Always {
    fn preinvoke(
        &self,
        _id: &ObjectId,
        _adapter: &Poa,
        _operation: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError> {
        Ok((self.0.clone(), Cookie::default()))
    }
}

#[test]
fn a_called_servant_gets_its_reference_under_all_policies() {
    let server = Server::start();
    let servant = Arc::new(Selfish(Mutex::default(), Default::default()));
    servant.1.set(Arc::downgrade(&servant)).unwrap();
    let listener: Arc<dyn Listener> = servant.clone();
    let lender = Always(listener.clone().into());
    let made = |name: &str| server.root_poa().create_poa(name).user_ids().multiple_ids();
    let poas = [
        made("active").build().unwrap(),
        made("default").default_servant(listener.clone()).build().unwrap(),
        made("lent").servant_manager(ServantManager::locator(lender)).build().unwrap(),
    ];
    poas[0].activate_with_id("7", listener.clone()).unwrap();
    for poa in poas {
        *servant.0.lock().unwrap() = Some(poa.clone());
        let near: ListenerRef = poa.create_reference_with_id("7").unwrap();
        for reference in [near.clone(), travel(&near, &orbs::client())] {
            reference.hear("7").unwrap();
        }
        assert_eq!(poa.servant_to_reference(&listener), Err(PoaError::WrongPolicy));
    }
}

#[test]
fn current_knows_active_objects_until_their_last_call_ends() {
    let server = Server::start();
    struct Leaver(Orb);
    impl Listener for Leaver {
        fn hear(&self, _text: &str) -> Result<(), SystemException> {
            let current = self.0.poa_current()?;
            current.poa().deactivate(current.object_id())?;
            let again = self.0.poa_current()?;
            assert_eq!(again.object_id(), current.object_id());
            Ok(())
        }
        fn descend(&self, _partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
            Ok(depth)
        }
    }
    for far in [false, true] {
        let near = server.root_poa().activate(listener::tie(Leaver(server.orb.clone()))).unwrap();
        let reference = if far { travel(&near, &orbs::client()) } else { near };
        reference.hear("you may go").unwrap();
        let error = reference.hear("again").unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::ObjectNotExist);
    }
}
