//! Objects that end while they are called: a servant is left alone before it goes back, everything
//! that waits is woken, and nothing happens twice.

use armilla::{
    AnyServant, Collocation, Cookie, ExceptionKind, ObjectId, ObjectLookup, Poa, PoaError,
    ServantActivator, ServantLocator, ServantManager, ServantManagerError, Settings,
    SystemException,
};
use armilla_tests::gate::{PATIENCE, eventually};
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

/// What became of the servants of a POA.
#[derive(Default)]
struct Fates {
    made: AtomicUsize,
    given_back: AtomicUsize,
    /// Servants that were called after they had gone back, or went back while they were called.
    disturbed: AtomicUsize,
}

/// A servant that knows whether it may be called.
struct Fragile {
    fates: Arc<Fates>,
    inside: AtomicUsize,
    gone: AtomicBool,
    /// Its object, and what it does in its innermost call.
    own: OnceLock<ListenerRef>,
    innermost: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Fragile {
    fn new(fates: &Arc<Fates>) -> Self {
        fates.made.fetch_add(1, SeqCst);
        let fates = fates.clone();
        let (inside, gone) = Default::default();
        Self { fates, inside, gone, own: OnceLock::new(), innermost: OnceLock::new() }
    }

    fn guarded<R>(&self, call: impl FnOnce() -> R) -> R {
        self.inside.fetch_add(1, SeqCst);
        let result = call();
        if self.gone.load(SeqCst) {
            self.fates.disturbed.fetch_add(1, SeqCst);
        }
        self.inside.fetch_sub(1, SeqCst);
        result
    }
}

impl Listener for Fragile {
    fn hear(&self, _text: &str) -> Result<(), SystemException> {
        self.guarded(thread::yield_now);
        Ok(())
    }

    fn descend(&self, partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
        self.guarded(|| match (depth, self.own.get()) {
            (0, _) | (_, None) => {
                self.innermost.get().inspect(|what| what());
                Ok(0)
            }
            (_, Some(own)) => Ok(1 + own.descend(partner, depth - 1)?),
        })
    }
}

/// Makes them, and takes them back.
struct Maker(Arc<Fates>);

impl ServantActivator for Maker {
    fn incarnate(&self, _id: &ObjectId, _adapter: &Poa) -> Result<AnyServant, ServantManagerError> {
        let servant: Arc<dyn Listener> = Arc::new(Remembered::new(Fragile::new(&self.0)));
        Ok(servant.into())
    }

    fn etherealize(
        &self,
        _id: &ObjectId,
        _adapter: &Poa,
        servant: AnyServant,
        _cleanup_in_progress: bool,
        _remaining_activations: bool,
    ) {
        let servant: Arc<dyn Listener> = servant.downcast().unwrap();
        // The text says that this is no call.
        servant.hear(GOING).unwrap();
        self.0.given_back.fetch_add(1, SeqCst);
    }
}

const GOING: &str = "you are going";

/// A `Fragile` that hears when it goes back.
struct Remembered(Fragile);

impl Remembered {
    fn new(servant: Fragile) -> Self {
        Self(servant)
    }
}

impl Listener for Remembered {
    fn hear(&self, text: &str) -> Result<(), SystemException> {
        if text != GOING {
            return self.0.hear(text);
        }
        let twice = self.0.gone.swap(true, SeqCst);
        if twice || self.0.inside.load(SeqCst) > 0 {
            self.0.fates.disturbed.fetch_add(1, SeqCst);
        }
        Ok(())
    }

    fn descend(&self, partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
        self.0.descend(partner, depth)
    }
}

fn made_on_demand(server: &Server) -> (Poa, Arc<Fates>) {
    let fates = Arc::new(Fates::default());
    let manager = server.create_poa_manager("group").unwrap();
    manager.activate().unwrap();
    let poa = server.root_poa().create_poa("made").user_ids().manager(&manager);
    let poa = poa.servant_manager(ServantManager::activator(Maker(fates.clone())));
    (poa.build().unwrap(), fates)
}

fn check(fates: &Fates) {
    assert_eq!(fates.disturbed.load(SeqCst), 0);
    assert_eq!(fates.given_back.load(SeqCst), fates.made.load(SeqCst));
}

#[test]
fn nobody_is_called_too_late_and_nobody_waits_for_ever_while_everything_changes() {
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

/// Makes the POA of this name below the root whenever somebody calls an object of it.
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
fn a_poa_that_comes_and_goes_serves_no_request_after_its_end_and_owes_no_servant() {
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
fn a_servant_that_ends_its_own_object_deep_within_itself_goes_back_after_the_outermost_call() {
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
fn a_reference_that_is_typed_anew_reaches_what_was_activated_since_directly() {
    let server = Server::start();
    let named = server.root_poa().create_poa("named").persistent().user_ids().build().unwrap();
    let servant = || Arc::new(Fragile::new(&Arc::default())) as Arc<dyn Listener>;
    let early: ListenerRef = named.create_reference_with_id("a").unwrap();
    let system = server.root_poa().activate(servant()).unwrap();
    let id = server.root_poa().reference_to_id(&system).unwrap();
    server.root_poa().deactivate(&id).unwrap();
    for (poa, id, old) in [(named, "a".into(), early), (server.root_poa(), id, system)] {
        let anew = || old.object().assume::<dyn Listener>();
        for _ in 0..3 {
            assert!(anew().local().is_none());
            let servant = servant();
            poa.activate_with_id(id.clone(), servant.clone()).unwrap();
            let reference = anew();
            let called = reference.local().expect("it is active");
            assert!(std::ptr::addr_eq(&*called, Arc::as_ptr(&servant)), "the servant of now");
            drop(called);
            poa.deactivate(&id).unwrap();
        }
    }
}

/// Whether a call through the reference goes directly to this servant.
fn leads_to(reference: &ListenerRef, servant: &Arc<dyn Listener>) -> bool {
    reference.directly(|called| std::ptr::addr_eq(called, Arc::as_ptr(servant))) == Some(true)
}

fn leads_nowhere(reference: &ListenerRef) -> bool {
    reference.directly(|_| ()).is_none()
}

fn fragile() -> Arc<dyn Listener> {
    Arc::new(Fragile::new(&Arc::default()))
}

#[test]
fn a_reference_that_is_kept_reaches_what_is_active_now_directly() {
    let server = Server::start();
    let root = server.root_poa();
    let named = |name: &str| root.create_poa(name).user_ids();
    let adapters = [
        root.clone(),
        named("persistent").persistent().build().unwrap(),
        named("hashing").lookup(ObjectLookup::Hashing).build().unwrap(),
        root.create_poa("system ids").persistent().build().unwrap(),
    ];
    for poa in adapters {
        let first = fragile();
        let reference = match poa.activate(first.clone()) {
            Err(PoaError::WrongPolicy) => poa.activate_with_id("a", first.clone()).unwrap(),
            activated => activated.unwrap(),
        };
        let id = poa.reference_to_id(&reference).unwrap();
        let early = poa.create_reference_with_id::<dyn Listener>(id.clone()).unwrap();
        assert!(leads_to(&reference, &first) && leads_to(&early, &first));
        poa.deactivate(&id).unwrap();
        let late = poa.create_reference_with_id::<dyn Listener>(id.clone()).unwrap();
        let all = [reference.clone(), reference.with_timeout(PATIENCE), reference, early, late];
        for _ in 0..3 {
            assert!(all.iter().all(leads_nowhere), "{poa:?}");
            assert_eq!(all[0].hear("").unwrap_err().kind(), ExceptionKind::ObjectNotExist);
            let servant = fragile();
            poa.activate_with_id(id.clone(), servant.clone()).unwrap();
            for reference in &all {
                assert!(leads_to(reference, &servant), "{poa:?}");
                assert!(leads_to(&reference.clone(), &servant), "{poa:?}");
                reference.hear("").unwrap();
            }
            poa.deactivate(&id).unwrap();
        }
    }
}

#[test]
fn a_reference_that_is_kept_reaches_what_an_activator_made_since() {
    let server = Server::start();
    let (poa, fates) = made_on_demand(&server);
    let reference = poa.create_reference_with_id::<dyn Listener>("a").unwrap();
    for turn in 1..4 {
        assert!(leads_nowhere(&reference));
        reference.hear("").unwrap();
        let servant = poa.id_to_servant(&"a".into()).unwrap().downcast().unwrap();
        assert!(leads_to(&reference, &servant));
        poa.manager().hold_requests(true).unwrap();
        assert!(leads_nowhere(&reference), "it would wait");
        poa.manager().activate().unwrap();
        assert!(leads_to(&reference, &servant));
        assert_eq!(fates.made.load(SeqCst), turn);
        poa.deactivate(&"a".into()).unwrap();
    }
    poa.destroy(true, true).unwrap();
    check(&fates);
}

#[test]
fn a_reference_that_is_kept_outlives_its_poa_where_that_is_persistent() {
    for persistent in [true, false] {
        let server = Server::start();
        let made: Arc<Mutex<Vec<Arc<dyn Listener>>>> = Arc::default();
        let root = server.root_poa();
        root.set_activator({
            let made = made.clone();
            move |parent: &Poa, name: &str| {
                let child = parent.create_poa(name).user_ids();
                let child = if persistent { child.persistent() } else { child };
                let servant = fragile();
                child.build().unwrap().activate_with_id("a", servant.clone()).unwrap();
                made.lock().unwrap().push(servant);
                true
            }
        });
        let reference = root.find_poa("child", true).unwrap();
        let reference = reference.id_to_reference(&"a".into()).unwrap().assume();
        for turn in 1..4 {
            assert_eq!(made.lock().unwrap().len(), turn);
            let found = leads_to(&reference, made.lock().unwrap().last().unwrap());
            assert_eq!(found, persistent || turn == 1);
            root.find_poa("child", false).unwrap().destroy(true, true).unwrap();
            assert!(leads_nowhere(&reference));
            match reference.hear("") {
                Ok(()) => assert!(persistent),
                Err(error) => {
                    assert!(!persistent && error.kind() == ExceptionKind::ObjectNotExist);
                    root.find_poa("child", true).unwrap();
                }
            }
        }
    }
}

#[test]
fn a_reference_that_is_kept_takes_no_servant_of_another_interface() {
    let server = Server::start();
    let poa = server.root_poa().create_poa("named").user_ids().build().unwrap();
    let reference = poa.activate_with_id("a", fragile()).unwrap();
    poa.deactivate(&"a".into()).unwrap();
    let probe: Arc<dyn Everything> = Arc::new(Probe::default());
    let other = poa.activate_with_id("a", probe).unwrap();
    assert!(leads_nowhere(&reference));
    assert_eq!(reference.hear("").unwrap_err().kind(), ExceptionKind::BadOperation);
    other.ping().unwrap();
}

#[test]
fn a_reference_that_is_kept_goes_through_the_poa_where_all_calls_do() {
    let through = |settings: &mut Settings| settings.collocation = Collocation::ThroughPoa;
    let server = Server::of(orbs::listening_with(through));
    let poa = server.root_poa().create_poa("named").user_ids().build().unwrap();
    let reference = poa.create_reference_with_id::<dyn Listener>("a").unwrap();
    for _ in 0..2 {
        poa.activate_with_id("a", fragile()).unwrap();
        assert!(leads_nowhere(&reference));
        reference.hear("").unwrap();
        poa.deactivate(&"a".into()).unwrap();
    }
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
