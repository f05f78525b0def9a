//! The policies of a POA: which go together, and what each makes of a POA.

use armilla::{
    AnyServant, Completion, Cookie, ExceptionKind, IdAssignment, IdUniqueness, ImplicitActivation,
    Lifespan, Minor, ObjectId, Orb, Poa, PoaError, Policy, RequestProcessing, ServantManager,
    ServantRetention, SystemException, Threading,
};
use armilla_tests::gate::Gate;
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

fn probe() -> Arc<dyn Everything> {
    everything::tie(Probe::default())
}

/// Every combination of values, each with the seven policies in the same order.
fn combinations() -> Vec<[Policy; 7]> {
    let mut all = Vec::new();
    for threading in [Threading::OrbControl, Threading::SingleThread, Threading::MainThread] {
        for lifespan in [Lifespan::Transient, Lifespan::Persistent] {
            for uniqueness in [IdUniqueness::Unique, IdUniqueness::Multiple] {
                for assignment in [IdAssignment::System, IdAssignment::User] {
                    for implicit in [ImplicitActivation::Off, ImplicitActivation::On] {
                        for retention in [ServantRetention::Retain, ServantRetention::NonRetain] {
                            for processing in [
                                RequestProcessing::ActiveObjectMapOnly,
                                RequestProcessing::DefaultServant,
                                RequestProcessing::ServantManager,
                            ] {
                                all.push([
                                    threading.into(),
                                    lifespan.into(),
                                    uniqueness.into(),
                                    assignment.into(),
                                    implicit.into(),
                                    retention.into(),
                                    processing.into(),
                                ]);
                            }
                        }
                    }
                }
            }
        }
    }
    all
}

fn has(policies: &[Policy], policy: impl Into<Policy>) -> bool {
    policies.contains(&policy.into())
}

/// The rules of CORBA 3.4 Part 1, 15.3.8, one by one: each names the policies that contradict.
fn contradictions(policies: &[Policy; 7]) -> Vec<[Policy; 2]> {
    let mut found = Vec::new();
    let mut exclude = |one: Policy, other: Policy| {
        if policies.contains(&one) && policies.contains(&other) {
            found.push([one, other]);
        }
    };
    let non_retain = ServantRetention::NonRetain;
    exclude(non_retain.into(), RequestProcessing::ActiveObjectMapOnly.into());
    exclude(IdUniqueness::Unique.into(), RequestProcessing::DefaultServant.into());
    exclude(ImplicitActivation::On.into(), IdAssignment::User.into());
    exclude(ImplicitActivation::On.into(), non_retain.into());
    found
}

/// What a POA of these policies allows, and what a call of an object gives that is not active.
fn check(poa: &Poa, policies: &[Policy; 7]) {
    let retains = has(policies, ServantRetention::Retain);
    let system = has(policies, IdAssignment::System);
    let unique = has(policies, IdUniqueness::Unique);
    let implicit = has(policies, ImplicitActivation::On);
    let default = has(policies, RequestProcessing::DefaultServant);
    let manager = has(policies, RequestProcessing::ServantManager);
    let allowed = |allowed: bool| if allowed { None } else { Some(PoaError::WrongPolicy) };

    let servant = probe();
    assert_eq!(poa.activate(servant.clone()).err(), allowed(retains && system), "activate");
    let again = poa.activate(servant.clone()).err();
    match retains && system && unique {
        true => assert_eq!(again, Some(PoaError::ServantAlreadyActive)),
        false => assert_eq!(again, allowed(retains && system)),
    }
    if !system {
        assert_eq!(poa.activate_with_id("a", servant.clone()).err(), allowed(retains));
        let again = poa.activate_with_id("a", probe()).err();
        assert_eq!(
            again,
            Some(PoaError::ObjectAlreadyActive).filter(|_| retains).or(allowed(retains))
        );
    }
    let reference = poa.servant_to_reference(&servant).err();
    match retains && unique {
        true => assert_eq!(reference, None),
        false if implicit => assert_eq!(reference, None),
        false => assert_eq!(reference, Some(PoaError::WrongPolicy)),
    }
    let id = poa.servant_to_id(&probe()).err();
    match retains && implicit {
        true => assert_eq!(id, None),
        false if default || retains && unique => assert_eq!(id, Some(PoaError::ServantNotActive)),
        false => assert_eq!(id, Some(PoaError::WrongPolicy)),
    }
    assert_eq!(poa.create_reference::<dyn Everything>().err(), allowed(system));
    assert_eq!(poa.default_servant().err(), allowed(default).or(Some(PoaError::NoServant)));
    assert_eq!(poa.servant_manager().err(), allowed(manager));
    let locator = |_: &ObjectId, _: &Poa| Ok(AnyServant::from(probe()));
    match poa.set_servant_manager(ServantManager::activator(locator)).err() {
        Some(PoaError::System(error)) => {
            assert!(manager && !retains, "{error}");
            assert_eq!(
                (error.kind(), error.minor()),
                (ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_NO_SERVANT_MANAGER)
            );
        }
        error => assert_eq!(error, allowed(manager)),
    }
}

#[test]
fn every_combination_is_made_or_refused_by_the_rules() {
    let server = Server::start();
    let mut legal = 0;
    for (number, policies) in combinations().iter().enumerate() {
        let name = format!("poa {number}");
        let made = server.root_poa().create_poa(name).policies(policies.clone()).build();
        let contradictions = contradictions(policies);
        if contradictions.is_empty() {
            legal += 1;
            check(&made.unwrap_or_else(|error| panic!("{policies:?}: {error}")), policies);
            continue;
        }
        let Err(PoaError::InvalidPolicy { index }) = made else { panic!("{policies:?}: {made:?}") };
        let culprit = &policies[usize::from(index)];
        assert!(contradictions.iter().any(|pair| pair.contains(culprit)), "{policies:?}: {index}");
    }
    // Of 288: implicit activation 3·2·(unique 2 + multiple 3) = 30, none 3·2·2·(unique 3 + multiple 5).
    assert_eq!(legal, 30 + 96);
}

#[test]
fn a_contradiction_is_found_wherever_it_stands() {
    let orb = orbs::client();
    let refused = |policies: &[Policy]| {
        let made = orb.root_poa().create_poa("refused").policies(policies.iter().cloned()).build();
        match made.unwrap_err() {
            PoaError::InvalidPolicy { index } => index,
            error => panic!("{error}"),
        }
    };
    let non_retain = Policy::from(ServantRetention::NonRetain);
    assert_eq!(
        refused(std::slice::from_ref(&non_retain)),
        0,
        "with what a POA has that is not told otherwise"
    );
    assert_eq!(refused(&[Lifespan::Persistent.into(), non_retain.clone()]), 1);
    assert_eq!(refused(&[ImplicitActivation::On.into(), IdAssignment::User.into()]), 1);
    assert_eq!(refused(&[IdAssignment::User.into(), ImplicitActivation::On.into()]), 1);
    let twice = [Lifespan::Persistent.into(), non_retain, Lifespan::Transient.into()];
    assert_eq!(refused(&twice), 2, "two values of one policy");
    let same = [Policy::from(Lifespan::Persistent), Lifespan::Persistent.into()];
    orb.root_poa().create_poa("same").policies(same).build().unwrap();
}

#[test]
fn the_root_poa_activates_implicitly_and_once() {
    let server = Server::start();
    let poa = server.root_poa();
    let servant = probe();
    let reference = poa.servant_to_reference(&servant).unwrap();
    assert_eq!(poa.servant_to_reference(&servant).unwrap(), reference);
    let id = poa.servant_to_id(&servant).unwrap();
    assert_eq!(poa.reference_to_id(&reference).unwrap(), id);
    assert_eq!(poa.id_to_reference(&id).unwrap(), *reference.object());
    assert_eq!(poa.id_to_servant(&id).unwrap(), AnyServant::from(servant.clone()));
    let found = poa.reference_to_servant(&reference).unwrap();
    assert!(Arc::ptr_eq(&found.downcast::<dyn Everything>().unwrap(), &servant));
    assert!(found.downcast::<dyn Listener>().is_none());
    assert_eq!(poa.activate(servant).unwrap_err(), PoaError::ServantAlreadyActive);
    travel(&reference, &orbs::client()).ping().unwrap();
}

#[test]
fn where_a_servant_may_have_many_objects_each_reference_is_another_one() {
    let server = Server::start();
    let poa = server.root_poa().create_poa("many").multiple_ids();
    let poa = poa.policy(ImplicitActivation::On).build().unwrap();
    let servant = probe();
    let [one, other] = [(); 2].map(|()| poa.servant_to_reference(&servant).unwrap());
    assert_ne!(one, other);
    one.increment().unwrap();
    assert_eq!(other.count().unwrap(), 1);
}

#[test]
fn a_reference_may_come_before_its_object() {
    let server = Server::start();
    let client = orbs::client();
    let named = server.root_poa().create_poa("named").persistent().user_ids().build().unwrap();
    let by_id = named.create_reference_with_id::<dyn Everything>("alpha").unwrap();
    let system = server.root_poa().create_reference::<dyn Everything>().unwrap();
    let gone = |reference: &EverythingRef| {
        assert_eq!(reference.ping().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
        assert_eq!(reference.object().non_existent(), Ok(true));
        assert_eq!(reference.object().locate(), Ok(false));
    };
    let id = server.root_poa().reference_to_id(&system).unwrap();
    for (poa, id, reference) in [(named, "alpha".into(), by_id), (server.root_poa(), id, system)] {
        let remote = travel(&reference, &client);
        gone(&reference);
        gone(&remote);
        let active = poa.activate_with_id(id.clone(), probe()).unwrap();
        for reference in [&reference, &remote, &active] {
            reference.increment().unwrap();
            assert_eq!(reference.object().non_existent(), Ok(false));
        }
        assert_eq!(active.count().unwrap(), 3);
        assert_eq!(active, remote, "whatever hints they carry");
        poa.deactivate(&id).unwrap();
        gone(&remote);
        poa.activate_with_id(id, probe()).unwrap();
        assert_eq!([&remote, &reference, &active].map(|r| r.increment().unwrap()), [1, 2, 3]);
    }
}

#[test]
fn an_object_may_be_active_again_under_the_id_that_the_system_gave_it() {
    let server = Server::start();
    let poa = server.root_poa();
    let first = poa.activate(probe()).unwrap();
    let remote = travel(&first, &orbs::client());
    let id = poa.reference_to_id(&first).unwrap();
    poa.deactivate(&id).unwrap();
    // Its place is taken.
    let other = poa.activate(probe()).unwrap();
    assert_eq!(remote.ping().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    poa.activate_with_id(id.clone(), probe()).unwrap();
    assert_eq!((remote.increment(), first.increment(), other.count()), (Ok(1), Ok(2), Ok(0)));
    poa.deactivate(&id).unwrap();
    assert_eq!(remote.ping().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
}

#[test]
fn objects_that_stand_elsewhere_than_their_keys_say_are_found_while_they_come_and_go() {
    const COUNT: usize = 40;
    let server = Server::start();
    let client = orbs::client();
    let poa = server.root_poa().create_poa("moving").build().unwrap();
    let objects: Vec<_> = (0..COUNT).map(|_| poa.activate(probe()).unwrap()).collect();
    let far: Vec<_> = objects.iter().map(|near| travel(near, &client)).collect();
    let ids: Vec<_> = objects.iter().map(|near| poa.reference_to_id(near).unwrap()).collect();
    let over = std::sync::atomic::AtomicBool::new(false);
    let move_all = |half: usize| {
        for turn in 0..20 {
            for id in ids.iter().skip(half).step_by(2) {
                poa.deactivate(id).unwrap();
                poa.activate_with_id(id.clone(), probe()).unwrap();
            }
            // Whoever activates an object finds it, whatever others do with theirs.
            for reference in far.iter().skip(half).step_by(2) {
                assert_eq!(reference.increment(), Ok(1), "turn {turn}");
            }
        }
    };
    thread::scope(|scope| {
        let movers = [0, 1].map(|half| scope.spawn(move || move_all(half)));
        scope.spawn(|| {
            while !over.load(std::sync::atomic::Ordering::SeqCst) {
                if let Err(error) = far[COUNT / 2].ping() {
                    assert_eq!(error.kind(), ExceptionKind::ObjectNotExist, "{error}");
                }
            }
        });
        let moved = movers.map(|mover| mover.join());
        over.store(true, std::sync::atomic::Ordering::SeqCst);
        moved.into_iter().for_each(|moved| moved.unwrap());
    });
    poa.destroy(true, true).unwrap();
    for reference in &far {
        assert_eq!(reference.ping().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    }
}

#[test]
fn ids_that_the_poa_cannot_have_made_are_refused() {
    let server = Server::start();
    let other = Server::start();
    let foreign = other.root_poa().reference_to_id(&other.local).unwrap();
    let beside = server.root_poa().create_poa("beside").build().unwrap();
    let probed = beside.activate(probe()).unwrap();
    let beside = beside.reference_to_id(&probed).unwrap();
    for id in [ObjectId::from("mine"), foreign, beside] {
        let refused = server.root_poa().activate_with_id(id.clone(), probe()).map(drop);
        let created = server.root_poa().create_reference_with_id::<dyn Everything>(id).map(drop);
        for error in [refused, created] {
            let error = SystemException::from(error.unwrap_err());
            assert_eq!(
                (error.kind(), error.minor()),
                (ExceptionKind::BadParam, Minor::BAD_PARAM_INVALID_OBJECT_ID)
            );
        }
    }
}

#[test]
fn transient_objects_end_with_their_poa_although_its_name_lives_on() {
    let server = Server::start();
    let client = orbs::client();
    let make = |persistent: bool| {
        let poa = server.root_poa().create_poa("again").user_ids();
        let poa = if persistent { poa.persistent() } else { poa }.build().unwrap();
        let reference = poa.activate_with_id("a", probe()).unwrap();
        (poa, travel(&reference, &client))
    };
    for persistent in [false, true] {
        let (poa, old) = make(persistent);
        old.ping().unwrap();
        poa.destroy(true, true).unwrap();
        assert_eq!(old.ping().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
        let (poa, new) = make(persistent);
        new.ping().unwrap();
        assert_eq!(old.ping().is_ok(), persistent);
        poa.destroy(true, true).unwrap();
    }
}

/// A listener that is not ready for two calls at once.
struct Alone(std::sync::atomic::AtomicBool, std::sync::OnceLock<ListenerRef>);

impl Listener for Alone {
    fn hear(&self, _text: &str) -> Result<(), SystemException> {
        use std::sync::atomic::Ordering::SeqCst;
        assert!(!self.0.swap(true, SeqCst), "two calls at once");
        thread::sleep(std::time::Duration::from_millis(1));
        self.0.store(false, SeqCst);
        Ok(())
    }

    fn descend(&self, _partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
        // Calls its own object, which must not wait for itself.
        match depth {
            0 => Ok(0),
            _ => Ok(1 + self.1.get().unwrap().descend(&EverythingRef::nil(), depth - 1)?),
        }
    }
}

fn alone(orb: &Orb, threading: Threading) -> ListenerRef {
    let poa =
        orb.root_poa().create_poa(format!("{threading:?}")).policy(threading).build().unwrap();
    let servant = Arc::new(Alone(Default::default(), Default::default()));
    let reference = poa.activate(servant.clone() as Arc<dyn Listener>).unwrap();
    servant.1.set(reference.clone()).unwrap();
    reference
}

/// Many calls from many threads, near and far.
fn besiege(near: &ListenerRef, clients: &[Orb]) {
    let far: Vec<_> = clients.iter().map(|client| travel(near, client)).collect();
    thread::scope(|scope| {
        for reference in far.iter().chain([near, near]) {
            scope.spawn(move || {
                (0..20).for_each(|_| reference.hear("").unwrap());
                assert_eq!(reference.descend(&EverythingRef::nil(), 5), Ok(5));
            });
        }
    });
}

#[test]
fn a_single_threaded_poa_makes_one_call_at_a_time() {
    let server = Server::start();
    let clients: Vec<_> = (0..4).map(|_| orbs::client()).collect();
    besiege(&alone(&server, Threading::SingleThread), &clients);
}

/// A listener that is ready for two calls at once.
#[derive(Default)]
struct Pair {
    now: AtomicUsize,
    gate: Gate,
    myself: std::sync::OnceLock<ListenerRef>,
}

impl Listener for Pair {
    fn hear(&self, text: &str) -> Result<(), SystemException> {
        assert!(self.now.fetch_add(1, SeqCst) < 2, "three calls at once");
        match text {
            "wait" => self.gate.pass(),
            _ => thread::yield_now(),
        }
        self.now.fetch_sub(1, SeqCst);
        Ok(())
    }

    fn descend(&self, partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
        match depth {
            0 => self.hear("").map(|()| 0),
            _ => Ok(1 + self.myself.get().unwrap().descend(partner, depth - 1)?),
        }
    }
}

#[test]
fn a_poa_may_make_some_calls_at_a_time() {
    let server = Server::start();
    let clients: Vec<_> = (0..4).map(|_| orbs::client()).collect();
    let poa = server.root_poa().create_poa("some").max_concurrent_requests(2).build().unwrap();
    let servant = Arc::new(Pair::default());
    let near = poa.activate(servant.clone() as Arc<dyn Listener>).unwrap();
    servant.myself.set(near.clone()).unwrap();
    let far: Vec<_> = clients.iter().map(|client| travel(&near, client)).collect();
    thread::scope(|scope| {
        for reference in far.iter().chain([&near, &near]) {
            scope.spawn(move || {
                reference.hear("wait").unwrap();
                (0..20).for_each(|_| reference.hear("").unwrap());
                // Within the process a servant may call on, though no other could.
                assert_eq!(reference.descend(&EverythingRef::nil(), 3), Ok(3));
            });
        }
        servant.gate.await_waiting(2);
        servant.gate.open();
    });
    poa.destroy(true, true).unwrap();
    let error =
        server.root_poa().create_poa("none").max_concurrent_requests(0).build().unwrap_err();
    assert!(error.to_string().contains("at least one"), "{error}");
}

#[test]
fn a_call_that_waits_where_some_are_made_at_a_time_ends_in_its_time() {
    let server = Server::start();
    let poa = server.root_poa().create_poa("one").max_concurrent_requests(1).build().unwrap();
    let probe = Arc::new(Probe::default());
    let near: EverythingRef = poa.activate(probe.clone() as Arc<dyn Everything>).unwrap();
    thread::scope(|scope| {
        let busy = scope.spawn(|| near.block());
        probe.gate.await_waiting(1);
        let error = near.with_timeout(Duration::from_millis(20)).ping().unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Timeout);
        assert!(error.to_string().contains("\"one\""), "{error}");
        probe.gate.open();
        busy.join().unwrap().unwrap();
    });
    near.ping().unwrap();
}

#[test]
fn the_main_thread_serves_what_is_its_own() {
    let server = Server::start();
    let clients: Vec<_> = (0..4).map(|_| orbs::client()).collect();
    let near = alone(&server, Threading::MainThread);
    let orb = server.orb.clone();
    let running = thread::spawn(move || {
        let main = thread::current().id();
        orb.run().unwrap();
        main
    });
    besiege(&near, &clients);
    let named = server.root_poa().create_poa("who").policy(Threading::MainThread).build().unwrap();
    struct Who;
    impl Listener for Who {
        fn hear(&self, _text: &str) -> Result<(), SystemException> {
            Ok(())
        }
        fn descend(&self, _partner: &EverythingRef, _depth: i32) -> Result<i32, SystemException> {
            let id = format!("{:?}", thread::current().id());
            Ok(id.bytes().filter(u8::is_ascii_digit).fold(0, |n, d| 10 * n + i32::from(d - b'0')))
        }
    }
    let who = named.activate(listener::tie(Who)).unwrap();
    let near = who.descend(&EverythingRef::nil(), 0).unwrap();
    let far = travel(&who, &clients[0]).descend(&EverythingRef::nil(), 0).unwrap();
    server.shutdown();
    let main = format!("{:?}", running.join().unwrap());
    assert_eq!([format!("ThreadId({near})"), format!("ThreadId({far})")], [main.clone(), main]);
}

#[test]
fn a_program_with_a_loop_of_its_own_performs_the_work() {
    let server = Server::start();
    let near = alone(&server, Threading::MainThread);
    let far = travel(&near, &orbs::client());
    thread::scope(|scope| {
        let call = scope.spawn(|| far.hear("from afar"));
        armilla_tests::gate::eventually("work comes", || server.work_pending().unwrap());
        server.perform_work().unwrap();
        call.join().unwrap().unwrap();
        assert_eq!(server.work_pending(), Ok(false));
    });
    near.hear("by the main thread itself").unwrap();
    // The loop of a program ends with its ORB.
    server.shutdown();
    let over = SystemException::new(
        ExceptionKind::BadInvOrder,
        Minor::BAD_INV_ORDER_ORB_SHUT_DOWN,
        Completion::No,
    );
    assert_eq!(server.work_pending(), Err(over.clone()));
    assert_eq!(server.perform_work(), Err(over));
}

#[test]
fn a_program_may_serve_for_some_time_and_go_on_with_something_else() {
    let server = Server::start();
    let clients: Vec<_> = (0..2).map(|_| orbs::client()).collect();
    let near = alone(&server, Threading::MainThread);
    let far = travel(&near, &clients[0]);
    thread::scope(|scope| {
        let call = scope.spawn(|| far.hear("while the program does something else"));
        armilla_tests::gate::eventually("work comes", || server.work_pending().unwrap());
        assert_eq!(server.run_for(Duration::ZERO), Ok(true), "what has come is done");
        call.join().unwrap().unwrap();
    });
    assert_eq!(server.run_for(Duration::ZERO), Ok(true));
    let orb = server.orb.clone();
    let program = thread::spawn(move || {
        while orb.run_for(Duration::from_millis(1)).unwrap() {}
        // For ever is not for ever either.
        orb.run_for(Duration::MAX)
    });
    besiege(&near, &clients);
    server.shutdown();
    assert_eq!(program.join().unwrap(), Ok(false));
}

#[test]
fn whoever_serves_for_some_time_hears_at_once_that_the_orb_ends() {
    let server = Server::start();
    let near = alone(&server, Threading::MainThread);
    let orb = server.orb.clone();
    let serving = thread::spawn(move || orb.run_for(Duration::MAX));
    travel(&near, &orbs::client()).hear("served meanwhile").unwrap();
    server.shutdown();
    assert_eq!(serving.join().unwrap(), Ok(false));
}

#[test]
fn what_waits_for_the_main_thread_fails_when_the_orb_ends() {
    let limits = orbs::builder().settings(|s| s.drain_timeout = Duration::from_millis(10));
    let server = Server::of(limits.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let near = alone(&server, Threading::MainThread);
    thread::scope(|scope| {
        let call = scope.spawn(|| near.hear(""));
        armilla_tests::gate::eventually("work comes", || server.work_pending().unwrap());
        server.shutdown();
        assert_eq!(call.join().unwrap().unwrap_err().kind(), ExceptionKind::BadInvOrder);
    });
}

#[test]
fn a_servant_that_waits_for_itself_by_way_of_a_socket_is_told_so_in_time_and_serves_on() {
    let short = std::time::Duration::from_millis(50);
    for threading in [Threading::SingleThread, Threading::MainThread] {
        let server = Server::start();
        let near = alone(&server, threading);
        let far = travel(&near, &orbs::client());
        let through = Detour(far.with_timeout(short), Default::default());
        let poa = server.root_poa().find_poa(&format!("{threading:?}"), false).unwrap();
        let detour = poa.activate(listener::tie(through)).unwrap();
        let running = match threading {
            Threading::MainThread => Some(thread::spawn({
                let orb = server.orb.clone();
                move || orb.run().unwrap()
            })),
            _ => None,
        };
        // The nested call cannot begin before the outer one has ended.
        let outer = travel(&detour, &orbs::client());
        outer.hear("").unwrap();
        assert_eq!(outer.descend(&EverythingRef::nil(), 0), Ok(1), "the nested call was late");
        far.hear("afterwards").unwrap();
        near.hear("afterwards").unwrap();
        server.shutdown();
        running.into_iter().for_each(|running| running.join().unwrap());
    }
}

/// Calls another object of its POA from within, over a socket, and counts how often that is too late.
struct Detour(ListenerRef, std::sync::atomic::AtomicI32);

impl Listener for Detour {
    fn hear(&self, text: &str) -> Result<(), SystemException> {
        let error = self.0.hear(text).unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Timeout, "{error}");
        self.1.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Ok(())
    }

    fn descend(&self, _partner: &EverythingRef, _depth: i32) -> Result<i32, SystemException> {
        Ok(self.1.load(std::sync::atomic::Ordering::SeqCst))
    }
}

#[test]
fn a_cookie_gives_what_was_put_into_it() {
    assert_eq!(Cookie::new(7_u8).take::<u8>(), Some(7));
    assert_eq!(Cookie::new(7_u8).take::<u16>(), None);
    assert_eq!(Cookie::default().take::<u8>(), None);
}
