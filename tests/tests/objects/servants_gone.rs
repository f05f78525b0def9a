//! The moment when the ORB drops a servant, and calls from its destructor: the ORB holds no lock.

use armilla::{ManagerState, Object, ObjectId, Orb, Poa, SystemException};
use armilla_tests::gate::{Gate, PATIENCE, eventually};
use armilla_tests::orbs::{self, travel};
use armilla_tests::probe::*;
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};
use std::thread;

/// Fails where `work` does not come to its end.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(PATIENCE).expect("it hangs, or panicked")
}

type Deed = Box<dyn Fn() + Send + Sync>;

/// A servant that does something when it is called, and when it goes.
struct Mortal {
    /// How many of them live.
    live: Arc<AtomicUsize>,
    called: OnceLock<Deed>,
    goes: OnceLock<Deed>,
    /// The objects that it knows.
    knows: OnceLock<Vec<ListenerRef>>,
}

impl Mortal {
    fn new(live: &Arc<AtomicUsize>) -> Arc<Self> {
        live.fetch_add(1, SeqCst);
        let (called, goes, knows) = Default::default();
        Arc::new(Self { live: live.clone(), called, goes, knows })
    }

    fn when_called(self: Arc<Self>, deed: impl Fn() + Send + Sync + 'static) -> Arc<Self> {
        assert!(self.called.set(Box::new(deed)).is_ok());
        self
    }

    fn when_it_goes(self: Arc<Self>, deed: impl Fn() + Send + Sync + 'static) -> Arc<Self> {
        assert!(self.goes.set(Box::new(deed)).is_ok());
        self
    }
}

impl Drop for Mortal {
    fn drop(&mut self) {
        self.goes.get().inspect(|deed| deed());
        self.live.fetch_sub(1, SeqCst);
    }
}

impl Listener for Mortal {
    fn hear(&self, _text: &str) -> Result<(), SystemException> {
        self.called.get().inspect(|deed| deed());
        Ok(())
    }

    fn descend(&self, _: &EverythingRef, _: i32) -> Result<i32, SystemException> {
        Ok(0)
    }
}

fn activate(poa: &Poa, servant: Arc<Mortal>) -> ListenerRef {
    poa.activate(servant as Arc<dyn Listener>).unwrap()
}

fn id_of(poa: &Poa, reference: &ListenerRef) -> ObjectId {
    poa.reference_to_id(reference).unwrap()
}

/// A POA of its own in a new ORB that listens.
fn poa() -> (Orb, Poa) {
    let orb = orbs::listening();
    let poa = orb.root_poa().create_poa("mortals").build().unwrap();
    poa.manager().activate().unwrap();
    (orb, poa)
}

fn count() -> Arc<AtomicUsize> {
    Arc::default()
}

#[test]
fn an_idle_servant_goes_with_the_call_that_deactivates_its_object() {
    let (_orb, poa) = poa();
    let live = count();
    for _ in 0..100 {
        let reference = activate(&poa, Mortal::new(&live));
        let id = id_of(&poa, &reference);
        reference.hear("").unwrap();
        drop(reference);
        assert_eq!(live.load(SeqCst), 1);
        poa.deactivate(&id).unwrap();
        assert_eq!(live.load(SeqCst), 0);
    }
}

#[test]
fn the_last_reference_to_an_object_that_has_ended_lets_its_servant_go() {
    let (_orb, poa) = poa();
    let live = count();
    let reference = activate(&poa, Mortal::new(&live));
    let objects: Vec<Object> = vec![reference.object().clone(); 3];
    poa.deactivate(&id_of(&poa, &reference)).unwrap();
    drop(reference);
    for object in objects {
        assert_eq!(live.load(SeqCst), 1);
        assert!(object.non_existent().unwrap());
    }
    assert_eq!(live.load(SeqCst), 0);
}

#[test]
fn all_idle_servants_are_gone_when_their_poa_is() {
    for wait in [false, true] {
        let (_orb, poa) = poa();
        let live = count();
        (0..1_000).for_each(|_| drop(activate(&poa, Mortal::new(&live))));
        assert_eq!(live.load(SeqCst), 1_000);
        poa.destroy(false, wait).unwrap();
        assert_eq!(live.load(SeqCst), 0);
    }
}

#[test]
fn servants_go_when_their_orb_is_shut_down() {
    let (orb, poa) = poa();
    let live = count();
    (0..100).for_each(|_| drop(activate(&poa, Mortal::new(&live))));
    orb.shutdown();
    assert_eq!(live.load(SeqCst), 0);
}

#[test]
fn servants_that_know_their_neighbour_go_one_after_the_other() {
    let (_orb, poa) = poa();
    let live = count();
    let mut next = Vec::new();
    for _ in 0..100 {
        let servant = Mortal::new(&live);
        servant.knows.set(next).unwrap();
        next = vec![activate(&poa, servant)];
    }
    poa.destroy(false, true).unwrap();
    assert_eq!(live.load(SeqCst), 100);
    drop(next);
    assert_eq!(live.load(SeqCst), 0);
}

#[test]
fn the_destructor_of_a_servant_may_call_its_poa() {
    let deeds: [Last; 5] = [
        |poa, live, _| drop(poa.activate(Mortal::new(live) as Arc<dyn Listener>)),
        |poa, _, neighbour| drop(poa.deactivate(neighbour)),
        |poa, _, _| drop(poa.destroy(false, false)),
        |poa, live, neighbour| {
            poa.deactivate(neighbour).ok();
            poa.activate_with_id(neighbour.clone(), Mortal::new(live) as Arc<dyn Listener>).ok();
        },
        |poa, _, neighbour| drop(poa.id_to_reference(neighbour)),
    ];
    for deed in deeds {
        for way in 0..5 {
            in_time(move || end_one(way, deed));
        }
    }
}

/// Calls of a servant's destructor to its POA, with a counter of living servants and the id of
/// another object.
type Last = fn(&Poa, &Arc<AtomicUsize>, &ObjectId);

/// Ends the object of a servant that does this last.
fn end_one(way: usize, last: Last) {
    let (orb, poa) = poa();
    let live = count();
    let neighbour = id_of(&poa, &activate(&poa, Mortal::new(&live)));
    let (own, alive) = (poa.clone(), live.clone());
    let servant = Mortal::new(&live).when_it_goes(move || last(&own, &alive, &neighbour));
    let reference = activate(&poa, ends_itself(&orb, &poa, servant, || {}));
    let id = id_of(&poa, &reference);
    match way {
        0 => {
            drop(reference);
            poa.deactivate(&id).unwrap();
        }
        1 => {
            poa.deactivate(&id).unwrap();
            drop(reference);
        }
        2 => {
            drop(reference);
            poa.destroy(false, true).unwrap();
        }
        3 => {
            reference.hear("").unwrap();
            drop(reference);
        }
        _ => {
            let far = travel(&reference, &orbs::client());
            drop(reference);
            far.hear("").unwrap();
        }
    }
    poa.destroy(false, true).ok();
    orb.shutdown();
    eventually("all are gone", || live.load(SeqCst) == 0);
}

/// A servant that deactivates its object when it is called, and something else is done.
fn ends_itself(
    orb: &Orb,
    poa: &Poa,
    servant: Arc<Mortal>,
    before: impl Fn() + Send + Sync + 'static,
) -> Arc<Mortal> {
    let (orb, poa) = (orb.clone(), poa.clone());
    servant.when_called(move || {
        before();
        let id = orb.poa_current().unwrap().object_id().clone();
        poa.deactivate(&id).unwrap();
    })
}

#[test]
fn a_waiting_deactivation_allows_the_servant_to_call_the_poa() {
    in_time(|| {
        let (orb, poa) = poa();
        let live = count();
        let gate = Arc::new(Gate::default());
        let before = gate.clone();
        let (own, alive) = (poa.clone(), live.clone());
        let goes = move || drop(own.activate(Mortal::new(&alive) as Arc<dyn Listener>));
        let servant = Mortal::new(&live).when_it_goes(goes);
        let reference = activate(&poa, ends_itself(&orb, &poa, servant, move || before.pass()));
        let far = travel(&reference, &orbs::client());
        drop(reference);
        let call = thread::spawn(move || far.hear(""));
        gate.await_waiting(1);
        let (manager, discards) = (poa.manager().clone(), poa.manager().clone());
        let waits = thread::spawn(move || manager.discard_requests(true));
        // From then on it waits, or is about to.
        eventually("requests are discarded", || discards.state() == ManagerState::Discarding);
        gate.open();
        waits.join().unwrap().unwrap();
        call.join().unwrap().unwrap();
        eventually("it goes", || live.load(SeqCst) == 1);
        orb.shutdown();
    });
}

#[test]
fn objects_that_come_and_go_stand_in_the_same_places() {
    let (_orb, poa) = poa();
    let live = count();
    let place = |id: &ObjectId| id.as_bytes()[8..12].to_vec();
    let mut places = HashSet::new();
    for _ in 0..10_000 {
        let reference = activate(&poa, Mortal::new(&live));
        let id = id_of(&poa, &reference);
        places.insert(place(&id));
        drop(reference);
        poa.deactivate(&id).unwrap();
    }
    assert_eq!((live.load(SeqCst), places.len()), (0, 1));
}
