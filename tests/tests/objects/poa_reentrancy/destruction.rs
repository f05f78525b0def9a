//! The destruction of POAs and objects for which threads wait.

use super::{Diary, Meddler, in_time, meddled, probe, refused, taken};
use armilla::interceptor::{IorInfo, IorInterceptor};
use armilla::{
    ExceptionKind, ManagerState, Minor, Orb, Poa, PoaError, ServantManager, SystemException,
};
use armilla_tests::gate::{Gate, PATIENCE, eventually};
use armilla_tests::orbs;
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Mutex};
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

/// A POA with a child, one object of which is being called until the gate opens; and the call.
fn busy_child() -> (Orb, Poa, Arc<Gate>, thread::JoinHandle<()>) {
    let (orb, gate) = (orbs::listening(), Arc::new(Gate::default()));
    let parent = orb.root_poa().create_poa("parent").build().unwrap();
    let child = parent.create_poa("child").build().unwrap();
    let slow: Arc<dyn Listener> = Arc::new(Slow(gate.clone()));
    let ear = child.activate(slow).unwrap();
    let call = thread::spawn(move || ear.hear("").unwrap());
    gate.await_waiting(1);
    (orb, parent, gate, call)
}

/// Returns what `ending` returns and whether it had let the gate be opened before.
fn opened_before<T: Send + 'static>(
    gate: &Arc<Gate>,
    ending: impl FnOnce() -> T + Send + 'static,
) -> (T, bool) {
    let opened = Arc::new(AtomicUsize::new(0));
    let seen = opened.clone();
    let waiter = thread::spawn(move || (ending(), seen.load(SeqCst) == 1));
    // Time for one that does not wait to return too early.
    (0..50).take_while(|_| !waiter.is_finished()).for_each(|_| thread::sleep(MOMENT));
    opened.store(1, SeqCst);
    gate.open();
    waiter.join().unwrap()
}

const MOMENT: std::time::Duration = std::time::Duration::from_millis(2);

#[test]
fn a_poa_is_being_destroyed_as_long_as_its_children_are() {
    let (orb, parent, gate, call) = busy_child();
    let first = thread::spawn({
        let parent = parent.clone();
        move || parent.destroy(true, true)
    });
    eventually("it is being destroyed", || parent.find_poa("child", false).is_err());
    let below = || parent.create_poa("new").build();
    refused(below(), ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_POA_BEING_DESTROYED);
    parent.destroy(true, false).unwrap();
    let (again, waited) = opened_before(&gate, {
        let parent = parent.clone();
        move || parent.destroy(true, true)
    });
    assert!(waited, "{again:?}: a call of the child was in progress");
    first.join().unwrap().unwrap();
    call.join().unwrap();
    eventually("all is over", || parent.destroy(true, true).is_err());
    refused(below(), ExceptionKind::ObjectNotExist, Minor::OBJECT_NOT_EXIST_NO_ADAPTER);
    orb.shutdown();
}

#[test]
fn who_destroys_a_parent_waits_for_a_child_that_was_destroyed_before() {
    let (orb, parent, gate, call) = busy_child();
    let child = parent.find_poa("child", false).unwrap();
    child.destroy(true, false).unwrap();
    parent.create_poa("child").build().unwrap();
    let (ended, waited) = opened_before(&gate, move || parent.destroy(true, true));
    assert!(waited, "{ended:?}: a call of the first child was in progress");
    call.join().unwrap();
    orb.shutdown();
}

#[test]
fn a_shutdown_waits_for_poas_that_were_destroyed_before() {
    for root in [false, true] {
        let gate = Arc::new(Gate::default());
        let orb = orbs::builder().settings(|s| s.drain_timeout = PATIENCE);
        let orb = orb.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let slow = Meddler {
            deed: Box::new({
                let (gate, begun) = (gate.clone(), AtomicUsize::new(0));
                move |_| {
                    // Incarnates at once, and etherealizes when the gate is open.
                    (begun.fetch_add(1, SeqCst) > 0).then(|| gate.pass());
                    Ok(())
                }
            }),
            diary: Diary::default(),
        };
        let diary = slow.diary.clone();
        let poa = orb.root_poa().create_poa("slow").user_ids();
        let poa = poa.servant_manager(ServantManager::activator(slow)).build().unwrap();
        let object: EverythingRef = poa.create_reference_with_id("one").unwrap();
        object.ping().unwrap();
        let destroyed = if root { orb.root_poa() } else { poa };
        let destroyer = thread::spawn(move || destroyed.destroy(true, false));
        gate.await_waiting(1);
        orb.root_poa().create_poa("other").build().unwrap();
        let (ending, written) = (orb.clone(), diary.clone());
        let (ethereal, waited) = opened_before(&gate, move || {
            ending.try_shutdown(true).unwrap();
            written.lock().unwrap().len()
        });
        assert!(waited && ethereal == 2, "the shutdown did not wait: {:?}", taken(&diary));
        destroyer.join().unwrap().unwrap();
    }
}

/// Counts the POAs that are reported as destroyed.
struct Reported(Arc<AtomicUsize>);

impl IorInterceptor for Reported {
    fn establish_components(&self, _: &mut IorInfo<'_>) -> Result<(), SystemException> {
        Ok(())
    }

    fn adapter_destroyed(&self, _: &[String]) {
        self.0.fetch_add(1, SeqCst);
    }
}

#[test]
fn of_two_threads_that_destroy_a_poa_one_reports_it() {
    const ROUNDS: usize = 2_000;
    let reported = Arc::new(AtomicUsize::new(0));
    let orb = orbs::builder().ior_interceptor(Reported(reported.clone())).build().unwrap();
    for _ in 0..ROUNDS {
        let poa = orb.root_poa().create_poa("twice").build().unwrap();
        let both = Barrier::new(2);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    both.wait();
                    // The one that comes too late is told so.
                    poa.destroy(true, true).ok();
                });
            }
        });
    }
    assert_eq!(reported.load(SeqCst), ROUNDS);
    orb.shutdown();
}

#[test]
fn poas_that_have_ended_are_forgotten() {
    let orb = orbs::client();
    let parent = orb.root_poa().create_poa("parent").build().unwrap();
    let manager = orb.create_poa_manager("all").unwrap();
    for wait in [false, true] {
        let poa = parent.create_poa("child").manager(&manager).build().unwrap();
        poa.destroy(true, wait).unwrap();
    }
    drop(manager);
    // An ORB keeps a manager as long as one of its POAs is there.
    assert!(orb.find_poa_manager("all").is_none());
    orb.shutdown();
}
