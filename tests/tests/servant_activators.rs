//! Servant activators while much happens at once: POAs that make one call at a time, POAs that end while
//! their activator is asked (CORBA 3.4 Part 1, 15.3.6 and 15.3.9).

use armilla::{
    AnyServant, ExceptionKind, Minor, ObjectId, Poa, PoaError, Refusal, ServantActivator,
    ServantManager, SystemException, Threading,
};
use armilla_tests::gate::{Gate, PATIENCE, eventually};
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// Makes a probe for each object, that of `slow` behind a gate, and counts what was made and given back.
#[derive(Default)]
struct Maker {
    gate: Gate,
    made: AtomicUsize,
    gone: AtomicUsize,
}

impl ServantActivator for Maker {
    fn incarnate(&self, id: &ObjectId, _adapter: &Poa) -> Result<AnyServant, Refusal> {
        if id.as_bytes() == b"slow" {
            self.gate.pass();
        }
        self.made.fetch_add(1, SeqCst);
        Ok(everything::tie(Probe::default()).into())
    }

    fn etherealize(&self, _: &ObjectId, _: &Poa, _: AnyServant, _: bool, _: bool) {
        self.gone.fetch_add(1, SeqCst);
    }
}

fn made_by(maker: &Arc<Maker>) -> ServantManager {
    ServantManager::Activator(maker.clone())
}

/// The outcome, if it comes before anything times out.
fn in_time<T: Send + 'static>(what: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(what()).ok());
    // Half of what calls may take.
    receiver.recv_timeout(PATIENCE / 2).expect("nobody waits for the other")
}

#[test]
fn a_request_where_calls_are_made_one_at_a_time_lets_the_last_servant_go_back() {
    let server = Server::start();
    for number in 0..4 {
        let maker = Arc::new(Maker::default());
        let poa = server.root_poa().create_poa(format!("{number}")).user_ids().single_thread();
        let poa = poa.servant_manager(made_by(&maker)).build().unwrap();
        let busy = Arc::new(Probe::default());
        let first = poa.activate_with_id("busy", busy.clone() as Arc<dyn Everything>).unwrap();
        let near: EverythingRef = poa.create_reference_with_id("one").unwrap();
        near.increment().unwrap();
        let caller = if number % 2 == 0 { near } else { travel(&near, &orbs::client()) };
        // A request, and behind it whoever gives the servant back, wait for the call under way.
        let blocking = thread::spawn(move || first.block());
        busy.gate.await_waiting(1);
        let call = thread::spawn(move || in_time(move || caller.increment()));
        thread::sleep(Duration::from_millis(10));
        let deactivating = thread::spawn({
            let poa = poa.clone();
            move || poa.deactivate(&"one".into())
        });
        eventually("it is deactivated", || poa.id_to_servant(&"one".into()).is_err());
        thread::sleep(Duration::from_millis(10));
        busy.gate.open();
        assert_eq!(call.join().unwrap(), Ok(1), "a servant anew");
        blocking.join().unwrap().unwrap();
        deactivating.join().unwrap().unwrap();
        assert_eq!((maker.made.load(SeqCst), maker.gone.load(SeqCst)), (2, 1));
    }
}

/// Activates an object anew, and calls it, from within a call.
struct Reviver(Poa, EverythingRef, Arc<Gate>);

impl Listener for Reviver {
    fn hear(&self, text: &str) -> Result<(), SystemException> {
        self.2.pass();
        match text {
            "call" => self.1.ping(),
            _ => match self.0.activate_with_id("one", everything::tie(Probe::default())) {
                Err(PoaError::System(exception)) => Err(exception),
                other => panic!("{other:?}"),
            },
        }
    }

    fn descend(&self, _: &EverythingRef, _: i32) -> Result<i32, SystemException> {
        Ok(0)
    }
}

#[test]
fn who_keeps_a_servant_from_going_back_is_told_so() {
    let server = Server::start();
    for what in ["activate", "call"] {
        let maker = Arc::new(Maker::default());
        let poa = server.root_poa().create_poa(what).user_ids().policy(Threading::SingleThread);
        let poa = poa.servant_manager(made_by(&maker)).build().unwrap();
        let one: EverythingRef = poa.create_reference_with_id("one").unwrap();
        one.ping().unwrap();
        let gate = Arc::new(Gate::default());
        let reviver: Arc<dyn Listener> = Arc::new(Reviver(poa.clone(), one.clone(), gate.clone()));
        let reviver = poa.activate_with_id("reviver", reviver).unwrap();
        let call = thread::spawn(move || in_time(move || reviver.hear(what)));
        gate.await_waiting(1);
        let deactivating = thread::spawn({
            let poa = poa.clone();
            move || poa.deactivate(&"one".into())
        });
        eventually("it is deactivated", || poa.id_to_servant(&"one".into()).is_err());
        gate.open();
        let error = call.join().unwrap().unwrap_err();
        assert_eq!((error.kind(), error.minor()), (ExceptionKind::BadInvOrder, Minor::OMG_3));
        deactivating.join().unwrap().unwrap();
        one.ping().unwrap();
    }
}

#[test]
fn a_request_whose_poa_ends_while_the_activator_is_asked_goes_to_the_one_that_is_made_anew() {
    for etherealize in [true, false] {
        let server = Server::start();
        let (first, second) = (Arc::new(Maker::default()), Arc::new(Maker::default()));
        second.gate.open();
        let poa = server.root_poa().create_poa("bank").persistent().user_ids();
        let poa = poa.servant_manager(made_by(&first)).build().unwrap();
        server.root_poa().set_activator({
            let second = second.clone();
            move |parent: &Poa, name: &str| {
                let again = parent.create_poa(name).persistent().user_ids();
                again.servant_manager(made_by(&second)).build().is_ok()
            }
        });
        let near: EverythingRef = poa.create_reference_with_id("slow").unwrap();
        let far = travel(&near, &orbs::client());
        let calls = [near, far].map(|call| thread::spawn(move || call.increment()));
        first.gate.await_waiting(1);
        poa.destroy(etherealize, false).unwrap();
        first.gate.open();
        let mut counts = calls.map(|call| call.join().unwrap().unwrap());
        counts.sort();
        assert_eq!(counts, [1, 2], "of one servant");
        eventually("the first is gone", || poa.destroy(true, true).is_err());
        let first = (first.made.load(SeqCst), first.gone.load(SeqCst));
        assert_eq!(first, (1, usize::from(etherealize)));
        assert_eq!(second.made.load(SeqCst), 1);
    }
}
