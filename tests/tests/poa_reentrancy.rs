//! What servant managers and adapter activators may do to the POA that asks them, and what becomes of
//! those who wait meanwhile (CORBA 3.4 Part 1, 15.3.3 to 15.3.9).

use armilla::interceptor::{ClientInterceptor, ServerInterceptor};
use armilla::{
    AnyServant, ExceptionKind, ManagerState, Minor, Object, ObjectId, Orb, Poa, PoaError,
    ServantActivator, ServantLocator, ServantManager, ServantManagerError, SystemException,
};
use armilla_tests::gate::{Gate, PATIENCE, eventually};
use armilla_tests::orbs;
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

/// Fails where `work` does not come to its end.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(PATIENCE).expect("it hangs, or panicked")
}

fn probe() -> AnyServant {
    let probe: Arc<dyn Everything> = Arc::new(Probe::default());
    probe.into()
}

fn refused<T: std::fmt::Debug, E: Into<SystemException>>(
    result: Result<T, E>,
    kind: ExceptionKind,
    minor: Minor,
) {
    let error: SystemException = result.unwrap_err().into();
    assert_eq!((error.kind(), error.minor()), (kind, minor), "{error}");
}

/// What a servant manager was asked, and what came of what it did.
type Diary = Arc<Mutex<Vec<String>>>;

/// What a servant manager does when it is asked.
type Deed = Box<dyn Fn(&Poa) -> Result<(), PoaError> + Send + Sync>;

/// Does something to its POA whenever it is asked.
struct Meddler {
    deed: Deed,
    diary: Diary,
}

impl Meddler {
    fn meddle(&self, asked: &str, poa: &Poa) {
        let outcome = match (self.deed)(poa) {
            Ok(()) => "done".into(),
            Err(PoaError::System(exception)) => format!("{:?}", exception.kind()),
            Err(error) => format!("{error:?}"),
        };
        self.diary.lock().unwrap().push(format!("{asked} {outcome}"));
    }
}

impl ServantActivator for Meddler {
    fn incarnate(&self, _: &ObjectId, poa: &Poa) -> Result<AnyServant, ServantManagerError> {
        self.meddle("incarnate", poa);
        Ok(probe())
    }

    fn etherealize(&self, _: &ObjectId, poa: &Poa, _: AnyServant, cleanup: bool, _: bool) {
        self.meddle(&format!("etherealize {cleanup}"), poa);
    }
}

impl ServantLocator for Meddler {
    fn preinvoke(
        &self,
        _: &ObjectId,
        poa: &Poa,
        _: &str,
    ) -> Result<(AnyServant, armilla::Cookie), ServantManagerError> {
        self.meddle("preinvoke", poa);
        Ok((probe(), armilla::Cookie::default()))
    }

    fn postinvoke(
        &self,
        _: &ObjectId,
        poa: &Poa,
        _: &str,
        _: armilla::Cookie,
        _: AnyServant,
    ) -> Result<(), SystemException> {
        self.meddle("postinvoke", poa);
        Ok(())
    }
}

/// A POA with a meddler of one of both kinds, an object of it, and what happens.
fn meddled(
    manager: fn(Meddler) -> ServantManager,
    deed: impl Fn(&Poa) -> Result<(), PoaError> + Send + Sync + 'static,
) -> (Orb, Poa, EverythingRef, Diary) {
    let (orb, diary) = (orbs::listening(), Diary::default());
    let meddler = Meddler { deed: Box::new(deed), diary: diary.clone() };
    let poa = orb.root_poa().create_poa("meddled").user_ids().servant_manager(manager(meddler));
    let poa = poa.build().unwrap();
    let object = poa.create_reference_with_id("one").unwrap();
    (orb, poa, object, diary)
}

fn taken(diary: &Diary) -> Vec<String> {
    std::mem::take(&mut *diary.lock().unwrap())
}

#[test]
fn a_servant_manager_cannot_wait_for_requests_that_wait_for_it() {
    let waits = |deed: usize, poa: &Poa| match deed {
        0 => poa.destroy(true, true),
        1 => poa.manager().hold_requests(true),
        2 => poa.manager().discard_requests(true),
        _ => poa.manager().deactivate(true, true),
    };
    for number in 0..4 {
        let deed = move |poa: &Poa| waits(number, poa);
        let (_orb, poa, object, diary) = meddled(ServantManager::activator, deed);
        in_time(move || {
            object.ping().unwrap();
            orbs::travel(&object, &orbs::client()).ping().unwrap();
            poa.deactivate(&"one".into()).unwrap();
        });
        eventually("the servant goes back", || diary.lock().unwrap().len() > 1);
        let expected = ["incarnate BadInvOrder", "etherealize false BadInvOrder"];
        assert_eq!(taken(&diary), expected);
        let (_orb, _poa, object, diary) = meddled(ServantManager::locator, deed);
        in_time(move || object.ping().unwrap());
        assert_eq!(taken(&diary), ["preinvoke BadInvOrder", "postinvoke BadInvOrder"]);
    }
}

/// Counts who asks it at once, and is done after others had their turn.
#[derive(Default)]
struct Alone {
    inside: AtomicUsize,
    asked: AtomicUsize,
}

impl Alone {
    fn ask(&self) {
        assert_eq!(self.inside.fetch_add(1, SeqCst), 0, "it is asked by two at once");
        (0..10).for_each(|_| thread::yield_now());
        self.asked.fetch_add(1, SeqCst);
        self.inside.fetch_sub(1, SeqCst);
    }
}

/// Asks another for everything.
struct Through(Arc<Alone>);

impl ServantActivator for Through {
    fn incarnate(&self, _: &ObjectId, _: &Poa) -> Result<AnyServant, ServantManagerError> {
        self.0.ask();
        Ok(probe())
    }

    fn etherealize(&self, _: &ObjectId, _: &Poa, _: AnyServant, _: bool, _: bool) {
        self.0.ask();
    }
}

#[test]
fn an_activator_is_asked_for_one_thing_at_a_time() {
    let (orb, alone) = (orbs::listening(), Arc::new(Alone::default()));
    let poa = orb.root_poa().create_poa("many").user_ids();
    let poa = poa.servant_manager(ServantManager::activator(Through(alone.clone())));
    let poa = poa.build().unwrap();
    thread::scope(|scope| {
        for caller in 0..4 {
            let poa = &poa;
            scope.spawn(move || {
                for turn in 0..50 {
                    let id = ObjectId::from(&*format!("{caller} {turn}"));
                    let near = poa.create_reference_with_id::<dyn Everything>(id.clone()).unwrap();
                    near.ping().unwrap();
                    poa.deactivate(&id).unwrap();
                }
            });
        }
    });
    poa.destroy(true, true).unwrap();
    assert_eq!(alone.asked.load(SeqCst), 400);
    orb.shutdown();
}

#[test]
fn an_activator_may_call_other_objects_but_not_the_one_that_it_makes() {
    let calls: Arc<Mutex<Vec<EverythingRef>>> = Arc::default();
    let (orb, poa, object, diary) = meddled(ServantManager::activator, {
        let calls = calls.clone();
        move |_| {
            let Some(next) = calls.lock().unwrap().pop() else { return Ok(()) };
            next.ping().map_err(PoaError::from)
        }
    });
    let two: EverythingRef = poa.create_reference_with_id("two").unwrap();
    *calls.lock().unwrap() = vec![object.clone(), two];
    in_time(move || object.ping().unwrap());
    // The second has called the first, which was being made.
    assert_eq!(taken(&diary), ["incarnate BadInvOrder", "incarnate done"]);
    let going = poa.create_reference_with_id("one").unwrap();
    *calls.lock().unwrap() = vec![going];
    in_time(move || poa.deactivate(&"one".into()).unwrap());
    assert_eq!(taken(&diary), ["etherealize false BadInvOrder"]);
    orb.shutdown();
}

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
fn who_is_called_as_an_object_cannot_wait_for_its_end() {
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
fn a_servant_manager_that_forwards_in_a_circle_or_nowhere_ends_the_call() {
    for nowhere in [false, true] {
        let (_, poa, own) = in_circle(nowhere);
        for reference in [own.clone(), orbs::travel(&own, &orbs::client())] {
            let error = in_time(move || reference.ping()).unwrap_err();
            match nowhere {
                true => assert_eq!(error.kind(), ExceptionKind::InvObjref, "{error}"),
                false => assert_eq!(error.minor(), Minor::TOO_MANY_FORWARDS, "{error}"),
            }
        }
        drop(poa);
    }
}

/// A reference to an object for which the activator names the object itself, or none.
fn in_circle(nowhere: bool) -> (Orb, Poa, EverythingRef) {
    let orb = orbs::listening();
    let own: Arc<Mutex<Object>> = Arc::default();
    let poa = orb.root_poa().create_poa("cycle").user_ids();
    let poa = poa.servant_manager(ServantManager::activator({
        let own = own.clone();
        move |_: &ObjectId, _: &Poa| Err(ServantManagerError::Forward(own.lock().unwrap().clone()))
    }));
    let poa = poa.build().unwrap();
    let reference: EverythingRef = poa.create_reference_with_id("one").unwrap();
    if !nowhere {
        *own.lock().unwrap() = reference.object().clone();
    }
    (orb, poa, reference)
}

#[test]
fn a_servant_manager_may_end_its_poa_without_waiting() {
    let end = |poa: &Poa| poa.destroy(true, false);
    let (_orb, poa, object, diary) = meddled(ServantManager::activator, end);
    let call = in_time(move || object.ping());
    refused(call, ExceptionKind::ObjectNotExist, Minor::OBJECT_NOT_EXIST_NO_ADAPTER);
    let told = taken(&diary);
    assert_eq!(told[0], "incarnate done");
    assert_eq!(told[1..], ["etherealize true done"], "what it gave goes back");
    let made = poa.create_object_with_id("IDL:a:1.0", "one");
    refused(made, ExceptionKind::ObjectNotExist, Minor::OBJECT_NOT_EXIST_NO_ADAPTER);
    let (_orb, _, object, diary) = meddled(ServantManager::locator, end);
    let again = object.clone();
    in_time(move || object.ping()).unwrap();
    assert_eq!(taken(&diary), ["preinvoke done", "postinvoke done"], "the request had begun");
    refused(again.ping(), ExceptionKind::ObjectNotExist, Minor::OBJECT_NOT_EXIST_NO_ADAPTER);
}

#[test]
fn who_destroys_a_poa_waits_for_servants_that_are_being_made() {
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

/// A reference to an object of the POA `child`, which is not there.
fn of_child(orb: &Orb) -> EverythingRef {
    let child = orb.root_poa().create_poa("child").persistent().user_ids().build().unwrap();
    let object = child.create_reference_with_id("one").unwrap();
    child.destroy(false, false).unwrap();
    object
}

fn make_child(parent: &Poa, name: &str) -> Poa {
    let child = parent.create_poa(name).persistent().user_ids().build().unwrap();
    let servant: Arc<dyn Everything> = Arc::new(Probe::default());
    child.activate_with_id("one", servant).unwrap();
    child
}

#[test]
fn an_adapter_activator_may_look_for_what_it_makes() {
    let orb = orbs::listening();
    let object = of_child(&orb);
    orb.root_poa().set_activator(|parent: &Poa, name: &str| {
        let before = parent.find_poa(name, true);
        assert_eq!(before.unwrap_err(), PoaError::AdapterNonExistent, "it is being made");
        let child = make_child(parent, name);
        assert_eq!(parent.find_poa(name, true).unwrap(), child);
        true
    });
    let far = orbs::travel(&object, &orbs::client());
    in_time(move || far.ping().unwrap());
    object.ping().unwrap();
    orb.shutdown();
}

#[test]
fn an_adapter_activator_cannot_call_what_waits_for_it() {
    let orb = orbs::listening();
    let object = of_child(&orb);
    orb.root_poa().set_activator({
        let object = object.clone();
        move |parent: &Poa, name: &str| {
            make_child(parent, name);
            refused(object.ping(), ExceptionKind::Transient, Minor::TRANSIENT_REQUEST_DISCARDED);
            true
        }
    });
    let far = orbs::travel(&object, &orbs::client());
    in_time(move || far.ping().unwrap());
    object.ping().unwrap();
    orb.shutdown();
}

#[test]
fn a_poa_that_nobody_makes_is_not_there() {
    let orb = orbs::listening();
    let object = of_child(&orb);
    let far = orbs::travel(&object, &orbs::client());
    let not_there = || {
        refused(object.ping(), ExceptionKind::ObjectNotExist, Minor::OBJECT_NOT_EXIST_NO_ADAPTER);
        refused(far.ping(), ExceptionKind::ObjectNotExist, Minor::OBJECT_NOT_EXIST_NO_ADAPTER);
    };
    not_there();
    orb.root_poa().set_activator(|_: &Poa, _: &str| false);
    not_there();
    // It says that it has made it.
    orb.root_poa().set_activator(|_: &Poa, _: &str| true);
    not_there();
    orb.root_poa().set_activator(|_: &Poa, _: &str| -> bool { panic!("as the test wants it") });
    refused(object.ping(), ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_UNAVAILABLE);
    refused(far.ping(), ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_UNAVAILABLE);
    orb.shutdown();
}

#[test]
fn an_adapter_activator_may_end_the_parent() {
    let orb = orbs::listening();
    let outer = orb.root_poa().create_poa("outer").persistent().user_ids().build().unwrap();
    let inner = outer.create_poa("inner").persistent().user_ids().build().unwrap();
    let object = inner.create_reference_with_id::<dyn Everything>("one").unwrap();
    inner.destroy(false, false).unwrap();
    outer.set_activator(|parent: &Poa, name: &str| {
        parent.destroy(true, true).unwrap();
        let refusal = parent.create_poa(name).build().unwrap_err();
        refused(
            Err::<(), _>(refusal),
            ExceptionKind::ObjectNotExist,
            Minor::OBJECT_NOT_EXIST_NO_ADAPTER,
        );
        false
    });
    let far = orbs::travel(&object, &orbs::client());
    let call = in_time(move || far.ping());
    refused(call, ExceptionKind::ObjectNotExist, Minor::OBJECT_NOT_EXIST_NO_ADAPTER);
    assert!(orb.root_poa().find_poa("outer", false).is_err());
    orb.shutdown();
}

#[test]
fn requests_for_a_new_poa_keep_to_its_own_manager() {
    let orb = orbs::listening();
    let object = of_child(&orb);
    let manager = orb.create_poa_manager("holding").unwrap();
    orb.root_poa().set_activator({
        let manager = manager.clone();
        move |parent: &Poa, name: &str| {
            let child = parent.create_poa(name).persistent().user_ids().manager(&manager);
            let servant: Arc<dyn Everything> = Arc::new(Probe::default());
            child.build().unwrap().activate_with_id("one", servant).unwrap();
            true
        }
    });
    let far = orbs::travel(&object, &orbs::client());
    let calls: Vec<_> = [object, far].map(|it| thread::spawn(move || it.ping())).into();
    eventually("both are held", || manager.held_requests() == 2);
    manager.activate().unwrap();
    calls.into_iter().for_each(|call| call.join().unwrap().unwrap());
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

/// Calls itself, by whatever reference it was given.
struct Echo(Arc<Mutex<Option<ListenerRef>>>);

impl Listener for Echo {
    fn hear(&self, text: &str) -> Result<(), SystemException> {
        let myself = self.0.lock().unwrap().clone().unwrap();
        if text.is_empty() { Ok(()) } else { myself.hear(&text[1..]) }
    }

    fn descend(&self, _: &EverythingRef, _: i32) -> Result<i32, SystemException> {
        Ok(0)
    }
}

/// Sees all calls, those within the process too.
struct Onlooker;

impl ClientInterceptor for Onlooker {}
impl ServerInterceptor for Onlooker {}

fn reaches_itself(orb: &Orb) {
    let client = orbs::client();
    let myself = Arc::default();
    let poa = orb.root_poa().create_poa("single").single_thread().persistent().user_ids();
    let poa = poa.build().unwrap();
    let near = poa.activate_with_id("me", listener::tie(Echo(Arc::clone(&myself)))).unwrap();
    let url = orb.publish("me", &near).unwrap();
    for name in [orb.object_to_string(&near).unwrap(), url.clone()] {
        let found: ListenerRef = orb.resolve(&name).unwrap();
        assert_eq!(found.object().locate(), Ok(true), "{name}");
        *myself.lock().unwrap() = Some(found);
        for caller in [near.clone(), orbs::travel(&near, &client)] {
            in_time(move || caller.hear("again")).unwrap();
        }
    }
    // A name that stands for itself ends, too.
    let found = orb.string_to_object(&url).unwrap();
    orb.publish("me", &found).unwrap();
    assert_eq!(found.locate(), Ok(false));
    assert_eq!(found.non_existent().unwrap_err().kind(), ExceptionKind::Transient);
    orb.shutdown();
}

#[test]
fn a_servant_that_is_called_by_one_thread_reaches_itself_by_any_name_that_it_has() {
    reaches_itself(&orbs::listening());
    let watched = orbs::builder().client_interceptor(Onlooker).server_interceptor(Onlooker);
    reaches_itself(&watched.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
}
