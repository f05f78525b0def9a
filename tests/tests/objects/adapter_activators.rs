//! Adapter activators: on-demand creation of POAs, waiting requests, and calls while POAs are
//! destroyed and recreated (CORBA 3.4 Part 1, 15.3.4).

use armilla::{Completion, ExceptionKind, Minor, Orb, Poa, PoaError, SystemException};
use armilla_tests::gate::{Gate, PATIENCE};
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

type Log = Arc<Mutex<Vec<String>>>;

fn take(log: &Log) -> Vec<String> {
    std::mem::take(&mut log.lock().unwrap())
}

/// The reference as it is, and as a client elsewhere has it.
fn near_and_far(reference: &EverythingRef) -> [EverythingRef; 2] {
    [reference.clone(), travel(reference, &orbs::client())]
}

/// Makes a persistent POA of any name but `never`, with one object in it.
fn making(log: &Log, gate: &Arc<Gate>) -> impl Fn(&Poa, &str) -> bool + Send + Sync + use<> {
    let (log, gate) = (log.clone(), gate.clone());
    move |parent, name| {
        log.lock().unwrap().push(format!("{} below {}", name, parent.name()));
        match name {
            "never" => return false,
            "panic" => panic!("as it was told"),
            _ => {}
        }
        let poa = parent.create_poa(name).persistent().user_ids().build().unwrap();
        match name {
            "slow" => gate.pass(),
            "panic late" => panic!("as it was told"),
            _ => {}
        }
        poa.activate_with_id("a", Arc::new(Probe::default()) as Arc<dyn Everything>).unwrap();
        poa.set_activator(making(&log, &gate));
        true
    }
}

/// A reference to the object `a` of a POA that is not there any more.
fn forgotten(orb: &Orb, path: &[&str]) -> EverythingRef {
    let build = |parent: Poa, name: &&str| {
        parent.create_poa(*name).persistent().user_ids().build().unwrap()
    };
    let poa = path.iter().fold(orb.root_poa(), build);
    let reference = poa.create_reference_with_id("a").unwrap();
    orb.root_poa().find_poa(path[0], false).unwrap().destroy(true, true).unwrap();
    reference
}

#[test]
fn an_adapter_activator_makes_the_way_to_an_object() {
    let server = Server::start();
    let (log, gate) = (Log::default(), Arc::default());
    let deep = forgotten(&server, &["bank", "retail", "north"]);
    let [near, far] = near_and_far(&deep);
    assert_eq!(far.ping().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    server.root_poa().set_activator(making(&log, &gate));
    far.increment().unwrap();
    assert_eq!(take(&log), ["bank below RootPOA", "retail below bank", "north below retail"]);
    assert_eq!(near.increment(), Ok(2));
    assert!(take(&log).is_empty());

    let never = forgotten(&server, &["never"]);
    for reference in near_and_far(&never) {
        assert_eq!(reference.ping().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    }
    for reference in near_and_far(&forgotten(&server, &["panic"])) {
        let error = reference.ping().unwrap_err();
        assert_eq!(
            (error.kind(), error.minor()),
            (ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_UNAVAILABLE)
        );
    }
    let root = server.root_poa();
    assert_eq!(root.find_poa("new", false).unwrap_err(), PoaError::AdapterNonExistent);
    assert_eq!(root.find_poa("never", true).unwrap_err(), PoaError::AdapterNonExistent);
    assert_eq!(root.find_poa("new", true).unwrap().parent().unwrap(), root);
    let names: Vec<_> = root.children().iter().map(|poa| poa.name().to_owned()).collect();
    assert_eq!(names, ["bank", "new"]);
    root.clear_activator();
    assert!(root.activator().is_none());
}

#[test]
fn an_activator_that_fails_is_asked_once_for_a_request() {
    let server = Server::start();
    let log = Log::default();
    server.root_poa().set_activator(making(&log, &Arc::default()));
    let failures = [
        ("never", ExceptionKind::ObjectNotExist, Minor::OBJECT_NOT_EXIST_NO_ADAPTER),
        ("panic", ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_UNAVAILABLE),
        ("panic late", ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_UNAVAILABLE),
    ];
    for (name, kind, minor) in failures {
        for index in 0..2 {
            let reference = forgotten(&server, &[name]);
            let error = near_and_far(&reference)[index].ping().unwrap_err();
            assert_eq!((error.kind(), error.minor()), (kind, minor), "{name}: {error}");
            assert_eq!(take(&log), [format!("{name} below RootPOA")]);
            if let Ok(made) = server.root_poa().find_poa(name, false) {
                made.destroy(true, true).unwrap();
            }
        }
    }
}

#[test]
fn an_activator_may_say_why_it_cannot_make_a_poa_now() {
    let server = Server::start();
    let open = Arc::new(AtomicBool::new(false));
    let may = open.clone();
    server.root_poa().set_activator(move |parent: &Poa, name: &str| {
        if !may.load(SeqCst) {
            let closed = SystemException::new(ExceptionKind::NoResources, Minor(7), Completion::No);
            return Err(PoaError::from(closed.with_reason("the database is closed")));
        }
        let servant: Arc<dyn Everything> = Arc::new(Probe::default());
        parent.create_poa(name).persistent().user_ids().default_servant(servant).build()?;
        Ok(true)
    });
    for index in 0..2 {
        open.store(false, SeqCst);
        let called = &near_and_far(&forgotten(&server, &["late"]))[index];
        let failures = [called.ping().err(), called.object().non_existent().err()];
        for error in failures.map(Option::unwrap) {
            // Not that the object does not exist, which clients take for the last word.
            assert_eq!(
                (error.kind(), error.minor()),
                (ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_UNAVAILABLE)
            );
            assert!(error.to_string().contains("the database is closed"), "{error}");
        }
        open.store(true, SeqCst);
        called.ping().unwrap();
        server.root_poa().find_poa("late", false).unwrap().destroy(true, true).unwrap();
    }
}

#[test]
fn locate_reports_why_it_failed() {
    let server = Server::start();
    let bank = server.root_poa().create_poa("bank").persistent().build().unwrap();
    let retail = bank.create_poa("retail").persistent().user_ids().build().unwrap();
    let near: EverythingRef = retail.create_reference_with_id("a").unwrap();
    let far = travel(&near, &orbs::client());
    let oldest = orbs::builder().max_giop(armilla::Version::V1_1).build().unwrap();
    let oldest = travel(&near, &oldest);
    retail.destroy(true, true).unwrap();
    bank.set_activator(making(&Log::default(), &Arc::default()));
    bank.manager().discard_requests(true).unwrap();
    for reference in [&near, &far] {
        let error = reference.object().locate().unwrap_err();
        assert_eq!(
            (error.kind(), error.minor()),
            (ExceptionKind::Transient, Minor::TRANSIENT_REQUEST_DISCARDED)
        );
    }
    assert_eq!(oldest.object().locate(), Ok(true), "not that it does not exist");
    assert_eq!(oldest.ping().unwrap_err().kind(), ExceptionKind::Transient);
    bank.manager().activate().unwrap();
    for reference in [&near, &far, &oldest] {
        assert_eq!(reference.object().locate(), Ok(true));
        reference.ping().unwrap();
    }
}

#[test]
fn requests_wait_for_a_poa_that_is_being_made() {
    let server = Server::start();
    let (log, gate) = (Log::default(), Arc::<Gate>::default());
    let slow = forgotten(&server, &["slow"]);
    server.root_poa().set_activator(making(&log, &gate));
    let clients: Vec<_> = (0..3).map(|_| orbs::client()).collect();
    thread::scope(|scope| {
        let calls: Vec<_> = clients
            .iter()
            .map(|client| travel(&slow, client))
            .chain([slow.clone()])
            .map(|reference| scope.spawn(move || reference.increment()))
            .collect();
        gate.await_waiting(1);
        let found = scope.spawn(|| server.root_poa().find_poa("slow", true));
        thread::sleep(std::time::Duration::from_millis(20));
        assert!(calls.iter().all(|call| !call.is_finished()), "the object is not there yet");
        gate.open();
        calls.into_iter().for_each(|call| assert!(call.join().unwrap().is_ok()));
        found.join().unwrap().unwrap();
    });
    assert_eq!((take(&log).len(), slow.count()), (1, Ok(4)));
}

#[test]
fn requests_wait_for_those_above_a_poa_that_are_being_made() {
    let server = Server::start();
    let gate = Arc::<Gate>::default();
    let deep = forgotten(&server, &["slow", "below"]);
    let log = Log::default();
    server.root_poa().set_activator(making(&log, &gate));
    let clients = [(); 2].map(|()| orbs::client());
    thread::scope(|scope| {
        let first = scope.spawn(|| travel(&deep, &clients[0]).increment());
        gate.await_waiting(1);
        // The parent POA exists, but has no adapter activator yet.
        let second = scope.spawn(|| travel(&deep, &clients[1]).increment());
        let far = travel(&deep, &clients[1]);
        let short = far.with_timeout(std::time::Duration::from_millis(50));
        let early = short.increment().unwrap_err();
        assert_eq!(early.kind(), ExceptionKind::Timeout, "{early}");
        gate.open();
        first.join().unwrap().unwrap();
        second.join().unwrap().unwrap();
    });
    assert_eq!(take(&log), ["slow below RootPOA", "below below slow"]);
}

/// Makes persistent POAs below each other, and in the third of them the object `ear`.
fn persistent_chain(deepest: mpsc::Sender<Poa>) -> impl Fn(&Poa, &str) -> bool + Send + Sync {
    move |parent, name| {
        // Others may destroy the one above meanwhile.
        let Ok(poa) = parent.create_poa(name).persistent().user_ids().build() else { return false };
        match name {
            "c" => poa.activate_with_id("ear", Arc::new(Announcer::new(&poa, &deepest)) as Arc<_>),
            _ => {
                poa.set_activator(persistent_chain(deepest.clone()));
                poa.create_reference_with_id::<dyn Listener>("none")
            }
        }
        .is_ok()
    }
}

/// Hands its POA over when it is called for the first time.
struct Announcer(Mutex<Option<(Poa, mpsc::Sender<Poa>)>>);

impl Announcer {
    fn new(poa: &Poa, to: &mpsc::Sender<Poa>) -> Self {
        Self(Mutex::new(Some((poa.clone(), to.clone()))))
    }
}

impl Listener for Announcer {
    fn hear(&self, _text: &str) -> Result<(), SystemException> {
        if let Some((poa, to)) = self.0.lock().unwrap().take() {
            to.send(poa).ok();
        }
        Ok(())
    }

    fn descend(&self, _partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
        Ok(depth)
    }
}

#[test]
fn every_call_is_served_while_the_adapters_of_its_object_are_destroyed_and_made_anew() {
    const ROUNDS: usize = 60;
    let server = Server::start();
    let (sender, made) = mpsc::channel();
    server.root_poa().set_activator(persistent_chain(sender));
    let top = |name| server.root_poa().find_poa(name, true).unwrap();
    let deepest = top("a").find_poa("b", true).unwrap().find_poa("c", true).unwrap();
    let near: ListenerRef = deepest.create_reference_with_id("ear").unwrap();
    let clients = [(); 2].map(|()| orbs::client());
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let far = clients.each_ref().map(|client| travel(&near, client));
        for reference in far.into_iter().chain([near.clone()]) {
            let over = &over;
            scope.spawn(move || {
                while !over.load(SeqCst) {
                    reference.hear("").unwrap();
                }
            });
        }
        for round in 0..ROUNDS {
            // Some object below it was called, so all activators have returned.
            let poa = made.recv_timeout(PATIENCE).unwrap();
            let ends = match round % 3 {
                0 => poa,
                1 => poa.parent().unwrap(),
                _ => poa.parent().unwrap().parent().unwrap(),
            };
            ends.destroy(round % 2 == 0, round % 5 == 0).unwrap();
        }
        over.store(true, SeqCst);
    });
}
