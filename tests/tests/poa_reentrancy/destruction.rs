//! The destruction of POAs and objects for which threads wait.

use super::{Meddler, in_time, meddled, probe, refused, taken};
use armilla::{
    ExceptionKind, ManagerState, Minor, Orb, Poa, PoaError, ServantManager, SystemException,
};
use armilla_tests::gate::{Gate, eventually};
use armilla_tests::orbs;
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

/// Ends its own object and begins another under the same id.
struct Reborn(Orb, Mutex<Vec<ExceptionKind>>);

impl Listener for Reborn {
    fn hear(&self, _: &str) -> Result<(), SystemException> {
        let current = self.0.poa_current()?;
        current.poa().deactivate(current.object_id())?;
        let again = current.poa().activate_servant_with_id(current.object_id().clone(), probe());
        let refusal: SystemException = again.unwrap_err().into();
        assert_eq!(refusal.minor(), Minor::BAD_INV_ORDER_WOULD_DEADLOCK, "{refusal}");
        self.1.lock().unwrap().push(refusal.kind());
        Ok(())
    }

    fn descend(&self, _: &EverythingRef, _: i32) -> Result<i32, SystemException> {
        Ok(0)
    }
}

#[test]
fn a_servant_cannot_wait_for_the_end_of_its_own_object() {
    for far in [false, true] {
        let (orb, poa, _, diary) = meddled(ServantManager::activator, |poa| {
            poa.activate_servant_with_id("ear", probe()).map(drop)
        });
        let servant = Arc::new(Reborn(orb.clone(), Mutex::default()));
        let near = poa.activate_with_id("ear", servant.clone() as Arc<dyn Listener>).unwrap();
        let called = if far { orbs::travel(&near, &orbs::client()) } else { near };
        in_time(move || called.hear("").unwrap());
        assert_eq!(*servant.1.lock().unwrap(), [ExceptionKind::BadInvOrder]);
        eventually("the servant goes back", || !diary.lock().unwrap().is_empty());
        assert_eq!(taken(&diary), ["etherealize false BadInvOrder"]);
        poa.activate_servant_with_id("ear", probe()).unwrap();
        orb.shutdown();
    }
}

#[test]
fn a_manager_that_waits_has_all_servants_given_back() {
    for turn in 0..40 {
        let (orb, poa, object, diary) = meddled(ServantManager::activator, |_| Ok(()));
        let manager = orb.create_poa_manager(format!("{turn}")).unwrap();
        manager.activate().unwrap();
        let gate = Arc::new(Gate::default());
        let given = Arc::new(AtomicUsize::new(0));
        let back = {
            let given = given.clone();
            move |_: &Poa| {
                (0..turn).for_each(|_| thread::yield_now());
                given.fetch_add(1, SeqCst);
                Ok(())
            }
        };
        let meddler = Meddler { deed: Box::new(back), diary };
        let own = poa.create_poa("own").user_ids().manager(&manager);
        let own = own.servant_manager(ServantManager::activator(meddler)).build().unwrap();
        let slow: Arc<dyn Listener> = Arc::new(Slow(gate.clone()));
        let ear = own.activate_with_id("ear", slow).unwrap();
        let call = thread::spawn(move || ear.hear("").unwrap());
        gate.await_waiting(1);
        let waiter = thread::spawn(move || {
            manager.deactivate(true, true).unwrap();
            given.load(SeqCst)
        });
        eventually("it is inactive", || own.manager().state() == ManagerState::Inactive);
        gate.open();
        assert_eq!(waiter.join().unwrap(), 1, "the servant was given back before");
        call.join().unwrap();
        drop(object);
        orb.shutdown();
    }
}

#[test]
fn destroy_waits_for_servants_that_are_being_incarnated() {
    let gate = Arc::new(Gate::default());
    let (orb, poa, object, diary) = meddled(ServantManager::activator, {
        let gate = gate.clone();
        move |_| {
            gate.pass();
            Ok(())
        }
    });
    let call = thread::spawn(move || object.ping());
    gate.await_waiting(1);
    let destroyer = thread::spawn(move || poa.destroy(true, true));
    let root = orb.root_poa();
    eventually("it is destroyed", || root.find_poa("meddled", false).is_err());
    gate.open();
    destroyer.join().unwrap().unwrap();
    assert_eq!(taken(&diary), ["incarnate done", "etherealize true done"]);
    refused(
        call.join().unwrap(),
        ExceptionKind::ObjectNotExist,
        Minor::OBJECT_NOT_EXIST_NO_ADAPTER,
    );
}

/// Serves when the gate is open.
struct Slow(Arc<Gate>);

impl Listener for Slow {
    fn hear(&self, _: &str) -> Result<(), SystemException> {
        self.0.pass();
        Ok(())
    }

    fn descend(&self, _: &EverythingRef, _: i32) -> Result<i32, SystemException> {
        Ok(0)
    }
}

#[test]
fn several_may_destroy_a_poa_until_it_is_gone() {
    let gate = Arc::new(Gate::default());
    let (orb, poa, object, diary) = meddled(ServantManager::activator, |_| Ok(()));
    let below = poa.create_poa("below").build().unwrap();
    let waiting: Arc<dyn Listener> = Arc::new(Slow(gate.clone()));
    let ear = below.activate(waiting).unwrap();
    object.ping().unwrap();
    let call = thread::spawn(move || ear.hear("").unwrap());
    gate.await_waiting(1);
    poa.destroy(true, false).unwrap();
    poa.destroy(false, false).unwrap();
    let waiters = [true, false].map(|etherealize| {
        let poa = poa.clone();
        thread::spawn(move || poa.destroy(etherealize, true))
    });
    gate.open();
    call.join().unwrap();
    waiters.into_iter().for_each(|waiter| drop(waiter.join().unwrap()));
    eventually("all is over", || poa.destroy(true, true).is_err());
    assert_eq!(taken(&diary), ["incarnate done", "etherealize true done"], "as the first one said");
    refused(
        poa.destroy(true, true),
        ExceptionKind::ObjectNotExist,
        Minor::OBJECT_NOT_EXIST_NO_ADAPTER,
    );
    orb.shutdown();
}

#[test]
fn the_id_of_an_object_that_ended_is_in_its_reference_still() {
    let orb = orbs::listening();
    let [poa, other] =
        ["one", "other"].map(|name| orb.root_poa().create_poa(name).build().unwrap());
    let servant: Arc<dyn Everything> = Arc::new(Probe::default());
    let object = poa.activate(servant).unwrap();
    let id = poa.reference_to_id(&object).unwrap();
    poa.deactivate(&id).unwrap();
    let text = orb.object_to_string(&object).unwrap();
    for object in [object.object().clone(), orb.string_to_object(&text).unwrap()] {
        assert_eq!(poa.reference_to_id(&object).unwrap(), id);
        assert_eq!(other.reference_to_id(&object).unwrap_err(), PoaError::WrongAdapter);
        assert_eq!(poa.reference_to_servant(&object).unwrap_err(), PoaError::ObjectNotActive);
    }
    orb.shutdown();
}
