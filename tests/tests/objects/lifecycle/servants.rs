//! Etherealization after the last call, and the wake-up of waiting threads.

use super::{Fates, Fragile, Remembered, check, made_on_demand};
use armilla::{
    AnyServant, Collocation, Cookie, ExceptionKind, ObjectId, Poa, PoaError, ServantLocator,
    ServantManager, ServantManagerError, SystemException,
};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

#[test]
fn no_call_is_late_and_no_wait_is_endless_during_concurrent_changes() {
    const IDS: [&str; 3] = ["a", "b", "c"];
    let server = Server::start();
    let (poa, fates) = made_on_demand(&server);
    let references = IDS.map(|id| poa.create_reference_with_id::<dyn Listener>(id).unwrap());
    let far = references.each_ref().map(|near| travel(near, &orbs::client()));
    let over = AtomicBool::new(false);
    let calls: [AtomicUsize; 4] = Default::default();
    let call = |references: &[ListenerRef; 3], calls: &AtomicUsize| {
        while !over.load(SeqCst) {
            let turn = calls.load(SeqCst);
            let held = &references[turn % IDS.len()];
            // Typed anew, a reference begins with the object that is active now.
            let anew = turn.is_multiple_of(2).then(|| held.object().assume::<dyn Listener>());
            match anew.as_ref().unwrap_or(held).hear("") {
                Ok(()) => drop(calls.fetch_add(1, SeqCst)),
                Err(error) => assert_eq!(error.kind(), ExceptionKind::ObjectNotExist, "{error}"),
            }
        }
    };
    thread::scope(|scope| {
        calls[1..].iter().for_each(|calls| drop(scope.spawn(|| call(&references, calls))));
        scope.spawn(|| call(&far, &calls[0]));
        let deactivating = scope.spawn(|| {
            for turn in 0..10_000 {
                match poa.deactivate(&IDS[turn % IDS.len()].into()) {
                    Ok(()) | Err(PoaError::ObjectNotActive) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        });
        let holding = scope.spawn(|| {
            for _ in 0..500 {
                poa.manager().hold_requests(true).unwrap();
                poa.manager().activate().unwrap();
            }
        });
        deactivating.join().unwrap();
        holding.join().unwrap();
        eventually("all have called", || calls.iter().all(|calls| calls.load(SeqCst) > 100));
        poa.destroy(true, true).unwrap();
        check(&fates);
        over.store(true, SeqCst);
    });
}

#[test]
fn direct_calls_of_objects_that_come_and_go_are_served_or_find_nothing() {
    let server = Server::start();
    let fates = Arc::new(Fates::default());
    let poa = server.root_poa();
    let current: Mutex<Option<ListenerRef>> = Mutex::default();
    let over = AtomicBool::new(false);
    let call = || {
        while !over.load(SeqCst) {
            let Some(reference) = current.lock().unwrap().clone() else { continue };
            for _ in 0..50 {
                match reference.hear("") {
                    Ok(()) => {}
                    Err(error) => assert_eq!(error.kind(), ExceptionKind::ObjectNotExist),
                }
            }
        }
    };
    thread::scope(|scope| {
        (0..3).for_each(|_| drop(scope.spawn(call)));
        for _ in 0..5_000 {
            let servant = Arc::new(Fragile::new(&fates));
            let reference = poa.activate(servant as Arc<dyn Listener>).unwrap();
            let id = poa.reference_to_id(&reference).unwrap();
            *current.lock().unwrap() = Some(reference);
            poa.deactivate(&id).unwrap();
        }
        let children: Vec<_> = (0..100)
            .map(|number| {
                let poa = poa.create_poa(format!("{number}")).build().unwrap();
                let servant = Arc::new(Fragile::new(&fates));
                let reference = poa.activate(servant as Arc<dyn Listener>).unwrap();
                *current.lock().unwrap() = Some(reference);
                poa
            })
            .collect();
        children.iter().for_each(|poa| poa.destroy(true, true).unwrap());
        over.store(true, SeqCst);
    });
}

/// Lends a servant to each request, until its POA is gone.
#[derive(Default)]
struct Lender {
    lent: AtomicUsize,
    calls: AtomicUsize,
    gone: AtomicBool,
    disturbed: AtomicUsize,
}

impl Lender {
    fn check(&self) {
        if self.gone.load(SeqCst) {
            self.disturbed.fetch_add(1, SeqCst);
        }
    }
}

/// What it lends, or a default servant.
struct Lent(Arc<Lender>);

impl Listener for Lent {
    fn hear(&self, _text: &str) -> Result<(), SystemException> {
        self.0.check();
        thread::yield_now();
        self.0.calls.fetch_add(1, SeqCst);
        self.0.check();
        Ok(())
    }

    fn descend(&self, _partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
        Ok(depth)
    }
}

/// The locator of a POA.
struct Lending(Arc<Lender>);

impl ServantLocator for Lending {
    fn preinvoke(
        &self,
        _id: &ObjectId,
        _adapter: &Poa,
        _operation: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError> {
        self.0.check();
        self.0.lent.fetch_add(1, SeqCst);
        let servant: Arc<dyn Listener> = Arc::new(Lent(self.0.clone()));
        Ok((servant.into(), Cookie::default()))
    }

    fn postinvoke(
        &self,
        _id: &ObjectId,
        _adapter: &Poa,
        _operation: &str,
        _cookie: Cookie,
        _servant: AnyServant,
    ) -> Result<(), SystemException> {
        self.0.check();
        self.0.lent.fetch_sub(1, SeqCst);
        Ok(())
    }
}

/// Creates the POA of this name below the root when one of its objects is called.
fn remade(server: &Server, locates: bool) -> Arc<Mutex<Arc<Lender>>> {
    let current: Arc<Mutex<Arc<Lender>>> = Arc::default();
    let made = current.clone();
    server.root_poa().set_activator(move |parent: &Poa, name: &str| {
        let lender = Arc::new(Lender::default());
        let poa = parent.create_poa(name).persistent().user_ids();
        let poa = match locates {
            true => poa.servant_manager(ServantManager::locator(Lending(lender.clone()))),
            false => poa.default_servant(Arc::new(Lent(lender.clone())) as Arc<dyn Listener>),
        };
        *made.lock().unwrap() = lender;
        poa.build().is_ok()
    });
    current
}

/// Says that it is over, also when a check fails.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

#[test]
fn a_recreated_poa_serves_no_request_after_its_end_and_returns_every_servant() {
    for locates in [true, false] {
        let server = Server::start();
        let current = remade(&server, locates);
        let root = server.root_poa();
        let poa = root.find_poa("lent", true).unwrap();
        let near = poa.create_reference_with_id::<dyn Listener>("a").unwrap();
        let far = travel(&near, &orbs::client());
        let over = AtomicBool::new(false);
        let call = |reference: &ListenerRef| {
            while !over.load(SeqCst) {
                if let Err(error) = reference.hear("") {
                    assert_eq!(error.kind(), ExceptionKind::ObjectNotExist, "{error}");
                }
            }
        };
        thread::scope(|scope| {
            let _end = End(&over);
            for reference in [&near, &near, &far, &far] {
                scope.spawn(move || call(reference));
            }
            for _ in 0..60 {
                let poa = root.find_poa("lent", true).unwrap();
                let lender = current.lock().unwrap().clone();
                eventually("it is called", || lender.calls.load(SeqCst) > 5);
                poa.destroy(true, true).unwrap();
                lender.gone.store(true, SeqCst);
                assert_eq!(lender.lent.load(SeqCst), 0, "every servant was given back");
                // Whatever were to come too late would come while the next one is called.
                root.find_poa("lent", true).unwrap();
                assert_eq!(lender.disturbed.load(SeqCst), 0);
            }
        });
    }
}

/// An object whose calls call it again, deeper than a thread claims, before `innermost` happens.
fn nesting(poa: &Poa, innermost: impl Fn() + Send + Sync + 'static) -> (ListenerRef, Arc<Fates>) {
    let fates = Arc::new(Fates::default());
    let servant = Arc::new(Remembered::new(Fragile::new(&fates)));
    let reference = poa.activate_with_id("deep", servant.clone() as Arc<dyn Listener>).unwrap();
    servant.0.own.set(reference.clone()).unwrap();
    assert!(servant.0.innermost.set(Box::new(innermost)).is_ok());
    (reference, fates)
}

#[test]
fn a_servant_that_deactivates_itself_in_a_nested_call_is_etherealized_at_its_end() {
    for depth in [0, 1, 7, 8, 9, 30] {
        for (collocation, far) in [
            (Collocation::Direct, false),
            (Collocation::ThroughPoa, false),
            (Collocation::Direct, true),
        ] {
            let server = Server::of(orbs::listening_with(|it| it.collocation = collocation));
            let (poa, fates) = made_on_demand(&server);
            let seen = fates.clone();
            let (orb, own) = (server.orb.clone(), poa.clone());
            let (reference, nested) = nesting(&poa, move || {
                assert_eq!(orb.poa_current().unwrap().object_id(), &ObjectId::from("deep"));
                own.deactivate(&"deep".into()).unwrap();
                assert_eq!(seen.given_back.load(SeqCst), 0);
            });
            let called = if far { travel(&reference, &orbs::client()) } else { reference };
            assert_eq!(called.descend(&EverythingRef::nil(), depth), Ok(depth));
            eventually("the servant goes back", || fates.given_back.load(SeqCst) == 1);
            assert_eq!(nested.disturbed.load(SeqCst), 0);
            poa.destroy(true, true).unwrap();
        }
    }
}

#[test]
fn calls_that_overlap_in_a_thread_may_end_in_any_order() {
    let server = Server::start();
    let (poa, fates) = made_on_demand(&server);
    let references = ["a", "b", "c"].map(|id| {
        let servant = Arc::new(Remembered::new(Fragile::new(&fates)));
        poa.activate_with_id(id, servant as Arc<dyn Listener>).unwrap()
    });
    for _ in 0..100 {
        let [a, b, c] = references.each_ref().map(|reference| reference.local().unwrap());
        drop(b);
        drop(a);
        let again = references[0].local().unwrap();
        drop(c);
        drop(again);
    }
    assert!(server.poa_current().is_err(), "nothing is being served");
    let [a, b, _c] = references.each_ref().map(|reference| reference.local().unwrap());
    for id in ["a", "b", "c"] {
        poa.deactivate(&id.into()).unwrap();
    }
    assert_eq!(fates.given_back.load(SeqCst), 0);
    drop(a);
    assert_eq!(fates.given_back.load(SeqCst), 1);
    drop(b);
    assert_eq!(fates.given_back.load(SeqCst), 2);
}

#[test]
fn a_thread_that_ends_can_still_be_called() {
    /// Calls when its thread ends.
    struct Last(ListenerRef);
    impl Drop for Last {
        fn drop(&mut self) {
            self.0.hear("at the end of a thread").unwrap();
        }
    }
    thread_local! {
        static LAST: std::cell::RefCell<Option<Last>> = const { std::cell::RefCell::new(None) };
    }
    let server = Server::start();
    let (poa, fates) = made_on_demand(&server);
    let servant = Arc::new(Remembered::new(Fragile::new(&fates)));
    let reference = poa.activate_with_id("a", servant as Arc<dyn Listener>).unwrap();
    for called_before in [false, true] {
        let reference = reference.clone();
        let thread = thread::spawn(move || {
            LAST.set(Some(Last(reference.clone())));
            if called_before {
                reference.hear("").unwrap();
            }
        });
        thread.join().unwrap();
    }
    poa.destroy(true, true).unwrap();
    check(&fates);
}
