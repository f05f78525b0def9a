//! Calls of servant managers to the POA that called them.

use super::{in_time, meddled, probe, refused, taken};
use armilla::{
    AnyServant, ExceptionKind, Minor, Object, ObjectId, Orb, Poa, PoaError, ServantActivator,
    ServantManager, ServantManagerError, SystemException,
};
use armilla_tests::gate::eventually;
use armilla_tests::orbs;
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Mutex, OnceLock};
use std::thread;

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

/// Counts its concurrent callers, and yields to them before it returns.
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

/// Calls an object of the other POA while the other activator does the same.
struct Crossing {
    inside: Arc<Barrier>,
    other: Arc<OnceLock<EverythingRef>>,
    outcomes: Arc<Mutex<Vec<Result<(), SystemException>>>>,
}

impl ServantActivator for Crossing {
    fn incarnate(&self, _: &ObjectId, _: &Poa) -> Result<AnyServant, ServantManagerError> {
        self.inside.wait();
        let called = self.other.get().unwrap().ping();
        self.outcomes.lock().unwrap().push(called);
        Ok(probe())
    }
}

/// Each activator calls the object that the other one is making. Whoever closes the circle does not
/// wait; the other one then finds what that makes.
#[test]
fn servant_activators_that_call_each_other_do_not_wait_for_ever() {
    for single in [false, true] {
        let orb = orbs::listening();
        let (inside, outcomes) = (Arc::new(Barrier::new(2)), Arc::default());
        let others: [Arc<OnceLock<EverythingRef>>; 2] = Default::default();
        let objects: Vec<EverythingRef> = (0..2)
            .map(|number| {
                let activator = Crossing {
                    inside: Arc::clone(&inside),
                    other: others[number].clone(),
                    outcomes: Arc::clone(&outcomes),
                };
                let poa = orb.root_poa().create_poa(["a", "b"][number]).user_ids();
                let poa = poa.servant_manager(ServantManager::activator(activator));
                let poa = if single { poa.single_thread() } else { poa }.build().unwrap();
                poa.create_reference_with_id("one").unwrap()
            })
            .collect();
        others[0].set(objects[1].clone()).unwrap();
        others[1].set(objects[0].clone()).unwrap();
        let calls: Vec<_> =
            objects.into_iter().map(|object| thread::spawn(move || object.ping())).collect();
        for call in calls {
            in_time(move || call.join().unwrap().unwrap());
        }
        let outcomes = std::mem::take(&mut *outcomes.lock().unwrap());
        let refused: Vec<_> = outcomes.iter().filter_map(|called| called.as_ref().err()).collect();
        assert_eq!((outcomes.len(), refused.len()), (2, 1), "{refused:?}");
        assert_eq!(refused[0].minor(), Minor::TRANSIENT_REQUEST_DISCARDED, "{}", refused[0]);
        orb.shutdown();
    }
}

/// Calls of servants under single-thread policies that cross.
#[test]
fn servants_that_may_not_run_at_once_and_call_each_other_do_not_wait_for_ever() {
    let orb = orbs::listening();
    let (inside, outcomes) = (Arc::new(Barrier::new(2)), Arc::default());
    let others: [Arc<OnceLock<EverythingRef>>; 2] = Default::default();
    let objects: Vec<ListenerRef> = (0..2)
        .map(|number| {
            let poa = orb.root_poa().create_poa(["a", "b"][number]).single_thread();
            let poa = poa.build().unwrap();
            let near = poa.activate(Arc::new(Probe::default()) as Arc<dyn Everything>).unwrap();
            others[1 - number].set(near).unwrap();
            let crossing = Crossing {
                inside: Arc::clone(&inside),
                other: others[number].clone(),
                outcomes: Arc::clone(&outcomes),
            };
            poa.activate(listener::tie(crossing)).unwrap()
        })
        .collect();
    let calls: Vec<_> =
        objects.into_iter().map(|object| thread::spawn(move || object.hear(""))).collect();
    for call in calls {
        in_time(move || call.join().unwrap().unwrap());
    }
    let outcomes = std::mem::take(&mut *outcomes.lock().unwrap());
    let refused: Vec<_> = outcomes.iter().filter_map(|called| called.as_ref().err()).collect();
    assert_eq!((outcomes.len(), refused.len()), (2, 1), "{refused:?}");
    assert_eq!(refused[0].minor(), Minor::TRANSIENT_REQUEST_DISCARDED, "{}", refused[0]);
    orb.shutdown();
}

impl Listener for Crossing {
    fn hear(&self, _: &str) -> Result<(), SystemException> {
        self.inside.wait();
        let called = self.other.get().unwrap().ping();
        self.outcomes.lock().unwrap().push(called);
        Ok(())
    }

    fn descend(&self, _: &EverythingRef, _: i32) -> Result<i32, SystemException> {
        Ok(0)
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
