//! A server that is restarted again and again while clients call it.

use super::{persistent, servant};
use armilla::{ExceptionKind, Orb};
use armilla_tests::gate::eventually;
use armilla_tests::orbs;
use armilla_tests::probe::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

const RESTARTS: usize = 100;
const CLIENTS: usize = 4;

/// The outcomes of calls, counted.
#[derive(Default)]
struct Outcomes {
    served: [AtomicUsize; CLIENTS],
    repeatable: AtomicUsize,
    not_exist: AtomicUsize,
}

impl Outcomes {
    /// Calls the object until `over`.
    fn call(&self, client: usize, reference: &EverythingRef, over: &AtomicBool) {
        let count = |counter: &AtomicUsize| counter.fetch_add(1, Ordering::Relaxed);
        while !over.load(Ordering::Relaxed) {
            match reference.ping() {
                Ok(()) => count(&self.served[client]),
                Err(error) => match error.kind() {
                    ExceptionKind::Transient | ExceptionKind::CommFailure => {
                        thread::yield_now();
                        count(&self.repeatable)
                    }
                    ExceptionKind::ObjectNotExist => count(&self.not_exist),
                    _ => panic!("{error}"),
                },
            };
        }
    }

    fn not_exist(&self) -> usize {
        self.not_exist.load(Ordering::Relaxed)
    }

    fn served(&self) -> [usize; CLIENTS] {
        self.served.each_ref().map(|served| served.load(Ordering::Relaxed))
    }
}

/// Creates the POA and the objects, as a program does after it has made its ORB.
fn populate(orb: &Orb) -> EverythingRef {
    let poa = persistent(&orb.root_poa(), "restarted");
    poa.activate_with_id("object", servant()).unwrap()
}

#[test]
fn a_restarted_server_never_says_that_its_objects_do_not_exist() {
    // Not a port that the system gives to clients: one of them could connect to itself.
    let first = orbs::builder().listen("iiop://127.0.0.1:21000-21999").unwrap().build().unwrap();
    let port = first.published_addresses().unwrap()[0].1;
    let text = first.object_to_string(populate(&first).object()).unwrap();
    first.shutdown();
    let (outcomes, over) = (Outcomes::default(), AtomicBool::new(false));
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (outcomes, over, text) = (&outcomes, &over, &text);
            scope.spawn(move || {
                let orb = orbs::client();
                let reference = orb.string_to_object(text).unwrap().assume();
                outcomes.call(client, &reference, over);
            });
        }
        for _ in 0..RESTARTS {
            let endpoint = format!("iiop://127.0.0.1:{port}");
            let orb = orbs::builder().listen(&endpoint).unwrap().build().unwrap();
            let root = orb.root_poa();
            eventually("a request comes too early", || {
                root.manager().held_requests() > 0 || outcomes.not_exist() > 0
            });
            populate(&orb);
            orb.perform_work().unwrap();
            let before = outcomes.served();
            eventually("every client is served", || {
                outcomes.served().iter().zip(before).all(|(now, before)| *now > before)
            });
            orb.shutdown();
        }
        over.store(true, Ordering::Relaxed);
    });
    let served: usize = outcomes.served().iter().sum();
    let repeatable = outcomes.repeatable.load(Ordering::Relaxed);
    assert_eq!(outcomes.not_exist(), 0, "{served} were served, {repeatable} may be repeated");
}
