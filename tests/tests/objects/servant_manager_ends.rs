//! Servant managers and adapter activators of POAs that serve one call at a time, or are destroyed
//! while the manager runs, perhaps by the manager itself (CORBA 3.4 Part 1, 15.3.5 to 15.3.9).

use armilla::{
    AnyServant, Cookie, ExceptionKind, Minor, ObjectId, Poa, PoaError, ServantActivator,
    ServantLocator, ServantManager, ServantManagerError, SystemException, Threading,
};
use armilla_tests::gate::{Gate, PATIENCE, eventually};
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// Creates a probe for each object, that of `slow` behind a gate, and counts incarnations and
/// returns.
#[derive(Default)]
struct Maker {
    gate: Gate,
    made: AtomicUsize,
    gone: AtomicUsize,
}

impl ServantActivator for Maker {
    fn incarnate(&self, id: &ObjectId, _adapter: &Poa) -> Result<AnyServant, ServantManagerError> {
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
        // A request, and then the etherealization, wait for the call in progress.
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
fn a_call_that_prevents_etherealization_is_an_error() {
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
        assert_eq!(
            (error.kind(), error.minor()),
            (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_WOULD_DEADLOCK)
        );
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

/// Makes a servant while its POA ends: says that it does, and takes a moment.
struct Runner(AtomicUsize, AtomicUsize, usize);

impl ServantActivator for Runner {
    fn incarnate(&self, _id: &ObjectId, _adapter: &Poa) -> Result<AnyServant, ServantManagerError> {
        let servant = everything::tie(Probe::default()).into();
        self.0.fetch_add(1, SeqCst);
        (0..self.2).for_each(|_| std::hint::spin_loop());
        Ok(servant)
    }

    fn etherealize(&self, _: &ObjectId, _: &Poa, _: AnyServant, _: bool, _: bool) {
        self.1.fetch_add(1, SeqCst);
    }
}

#[test]
fn a_servant_is_etherealized_once_when_its_poa_ends_during_incarnate() {
    let server = Server::start();
    for round in 0..2000 {
        let runner = Arc::new(Runner(0.into(), 0.into(), round * 7 % 1000));
        let manager = ServantManager::Activator(runner.clone());
        let poa = server.root_poa().create_poa("ending").user_ids();
        let poa = poa.servant_manager(manager).build().unwrap();
        let object: EverythingRef = poa.create_reference_with_id("one").unwrap();
        thread::scope(|scope| {
            let call = scope.spawn(|| object.ping());
            while runner.0.load(SeqCst) == 0 {
                thread::yield_now();
            }
            poa.destroy(true, true).unwrap();
            call.join().unwrap().ok();
        });
        assert_eq!((runner.0.load(SeqCst), runner.1.load(SeqCst)), (1, 1), "round {round}");
    }
}

/// Ends its POA whenever it is asked, and counts that and what it got back.
#[derive(Default)]
struct Ender(AtomicUsize, AtomicUsize);

impl Ender {
    fn end(&self, adapter: &Poa) -> AnyServant {
        adapter.destroy(true, false).unwrap();
        self.0.fetch_add(1, SeqCst);
        everything::tie(Probe::default()).into()
    }
}

impl ServantActivator for Ender {
    fn incarnate(&self, _id: &ObjectId, adapter: &Poa) -> Result<AnyServant, ServantManagerError> {
        Ok(self.end(adapter))
    }

    fn etherealize(&self, _: &ObjectId, _: &Poa, _: AnyServant, _: bool, _: bool) {
        self.1.fetch_add(1, SeqCst);
    }
}

impl ServantLocator for Ender {
    fn preinvoke(
        &self,
        _id: &ObjectId,
        adapter: &Poa,
        _operation: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError> {
        Ok((self.end(adapter), Cookie::new(())))
    }

    fn postinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
        _: Cookie,
        _: AnyServant,
    ) -> Result<(), SystemException> {
        self.1.fetch_add(1, SeqCst);
        Ok(())
    }
}

/// A reference, near and far, to an object of a POA that is made anew with this manager.
fn made_anew(server: &Server, manager: &ServantManager) -> [EverythingRef; 2] {
    let manager = manager.clone();
    server.root_poa().set_activator(move |parent: &Poa, name: &str| {
        let poa = parent.create_poa(name).persistent().user_ids();
        poa.servant_manager(manager.clone()).build().is_ok()
    });
    let poa = server.root_poa().find_poa("ended", true).unwrap();
    let near: EverythingRef = poa.create_reference_with_id("one").unwrap();
    let far = travel(&near, &orbs::client());
    [near, far]
}

#[test]
fn a_request_has_begun_when_a_locator_was_asked_whatever_becomes_of_the_poa() {
    let server = Server::start();
    let ender = Arc::new(Ender::default());
    let calls = made_anew(&server, &ServantManager::Locator(ender.clone()));
    for (index, call) in calls.into_iter().enumerate() {
        assert_eq!(in_time(move || call.increment()), Ok(1));
        assert_eq!((ender.0.load(SeqCst), ender.1.load(SeqCst)), (index + 1, index + 1));
    }
}

#[test]
fn an_activator_that_always_ends_its_poa_ends_the_request_too() {
    let server = Server::start();
    let ender = Arc::new(Ender::default());
    let calls = made_anew(&server, &ServantManager::Activator(ender.clone()));
    for call in calls {
        let error = in_time(move || call.increment()).unwrap_err();
        assert_eq!(
            (error.kind(), error.minor()),
            (ExceptionKind::Transient, Minor::TRANSIENT_POA_DESTROYED)
        );
        assert_eq!(ender.0.load(SeqCst), ender.1.load(SeqCst), "all have gone back");
    }
}

#[test]
fn an_adapter_activator_that_always_ends_its_poa_ends_the_request_too() {
    let server = Server::start();
    let root = server.root_poa();
    root.set_activator(|parent: &Poa, name: &str| {
        let poa = parent.create_poa(name).persistent().user_ids().build().unwrap();
        poa.set_activator(|poa: &Poa, _: &str| {
            poa.destroy(true, false).unwrap();
            false
        });
        true
    });
    let outer = root.create_poa("outer").persistent().user_ids().build().unwrap();
    let inner = outer.create_poa("inner").persistent().user_ids().build().unwrap();
    let near: EverythingRef = inner.create_reference_with_id("one").unwrap();
    let far = travel(&near, &orbs::client());
    outer.destroy(true, true).unwrap();
    for call in [near, far] {
        let error = in_time(move || call.increment()).unwrap_err();
        assert_eq!(
            (error.kind(), error.minor()),
            (ExceptionKind::Transient, Minor::TRANSIENT_POA_DESTROYED)
        );
    }
}

#[test]
fn an_incarnated_servant_is_returned_if_the_object_was_activated_meanwhile() {
    let server = Server::start();
    for number in 0..4 {
        let maker = Arc::new(Maker::default());
        let poa = server.root_poa().create_poa(format!("{number}")).user_ids();
        let poa = if number < 2 { poa } else { poa.single_thread() };
        let poa = poa.servant_manager(made_by(&maker)).build().unwrap();
        let near: EverythingRef = poa.create_reference_with_id("slow").unwrap();
        let caller = if number % 2 == 0 { near } else { travel(&near, &orbs::client()) };
        let call = thread::spawn(move || in_time(move || caller.increment()));
        maker.gate.await_waiting(1);
        let own = Arc::new(Probe::default());
        own.increment().unwrap();
        poa.activate_with_id("slow", own as Arc<dyn Everything>).unwrap();
        maker.gate.open();
        assert_eq!(call.join().unwrap(), Ok(2), "the object is active");
        assert_eq!((maker.made.load(SeqCst), maker.gone.load(SeqCst)), (1, 1));
        poa.destroy(true, true).unwrap();
        assert_eq!(maker.gone.load(SeqCst), 2, "what was activated goes back as well");
    }
}
