//! POA managers: holding, active, discarding, inactive; and transitions that wait for calls in
//! progress.

use armilla::{
    AnyServant, Cookie, ExceptionKind, ManagerState, Minor, ObjectId, Poa, PoaError, PoaManager,
    ServantLocator, ServantManager, ServantManagerError, SystemException,
};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

fn refused(what: Result<(), SystemException>, kind: ExceptionKind, minor: Minor) {
    let error = what.unwrap_err();
    assert_eq!((error.kind(), error.minor()), (kind, minor), "{error}");
    assert_eq!(error.completed(), armilla::Completion::No);
}

/// A POA with a manager of its own, and an object of it near and far.
struct Group {
    server: Server,
    manager: PoaManager,
    poa: Poa,
    probe: Arc<Probe>,
    references: [EverythingRef; 2],
}

impl Group {
    fn new() -> Self {
        Self::with(orbs::listening())
    }

    fn with(orb: armilla::Orb) -> Self {
        let server = Server::of(orb);
        let manager = server.create_poa_manager("group").unwrap();
        let poa = server.root_poa().create_poa("group").persistent().user_ids();
        let poa = poa.manager(&manager).build().unwrap();
        let probe = Arc::new(Probe::default());
        let servant: Arc<dyn Everything> = probe.clone();
        let near = poa.activate_with_id("a", servant).unwrap();
        let far = travel(&near, &orbs::client());
        Self { server, manager, poa, probe, references: [near, far] }
    }
}

#[test]
fn a_new_manager_holds_requests_until_it_is_activated() {
    let group = Group::new();
    assert_eq!(group.manager.state(), ManagerState::Holding);
    assert_eq!(group.server.root_poa().manager().state(), ManagerState::Active);
    // Another group of the same ORB is served.
    group.server.local.ping().unwrap();
    thread::scope(|scope| {
        let calls = group.references.each_ref().map(|r| scope.spawn(|| r.increment()));
        thread::sleep(Duration::from_millis(20));
        assert!(calls.iter().all(|call| !call.is_finished()));
        assert_eq!(group.references[1].object().locate(), Ok(true), "where it is is no secret");
        group.manager.activate().unwrap();
        calls.into_iter().for_each(|call| assert!(call.join().unwrap().is_ok()));
    });
    assert_eq!(group.references[0].count(), Ok(2));
}

#[test]
fn more_requests_than_may_be_held_are_transient() {
    let orb = orbs::builder().settings(|settings| settings.max_held_requests = 2);
    let group = Group::with(orb.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let clients: Vec<_> = (0..2).map(|_| orbs::client()).collect();
    thread::scope(|scope| {
        let held: Vec<_> = clients
            .iter()
            .map(|client| travel(&group.references[0], client))
            .map(|reference| scope.spawn(move || reference.ping()))
            .collect();
        // Requests beyond the two held ones are refused. Clients cannot see when that begins.
        let probing = group.references[0].with_timeout(Duration::from_secs(1));
        eventually("two are held", || held_at_least(&group, 2));
        refused(probing.ping(), ExceptionKind::Transient, Minor::TRANSIENT_REQUEST_DISCARDED);
        refused(
            group.references[1].ping(),
            ExceptionKind::Transient,
            Minor::TRANSIENT_REQUEST_DISCARDED,
        );
        assert!(held.iter().all(|call| !call.is_finished()));
        group.manager.activate().unwrap();
        held.into_iter().for_each(|call| call.join().unwrap().unwrap());
    });
}

fn held_at_least(group: &Group, count: usize) -> bool {
    group.manager.held_requests() >= count
}

#[test]
fn discarded_requests_are_transient_also_those_that_were_held() {
    let group = Group::new();
    let [near, far] = &group.references;
    thread::scope(|scope| {
        let held = scope.spawn(|| far.ping());
        eventually("one is held", || held_at_least(&group, 1));
        group.manager.discard_requests(true).unwrap();
        refused(held.join().unwrap(), ExceptionKind::Transient, Minor::TRANSIENT_REQUEST_DISCARDED);
    });
    for reference in [near, far] {
        refused(reference.ping(), ExceptionKind::Transient, Minor::TRANSIENT_REQUEST_DISCARDED);
    }
    group.manager.activate().unwrap();
    [near, far].into_iter().for_each(|reference| reference.ping().unwrap());
}

#[test]
fn an_inactive_manager_stays_so() {
    let group = Group::new();
    let [near, far] = &group.references;
    group.manager.activate().unwrap();
    far.ping().unwrap();
    group.manager.deactivate(true, true).unwrap();
    for reference in [near, far] {
        refused(reference.ping(), ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_UNAVAILABLE);
    }
    let manager = &group.manager;
    for change in [
        manager.activate(),
        manager.hold_requests(false),
        manager.discard_requests(false),
        manager.deactivate(false, false),
    ] {
        assert_eq!(change, Err(PoaError::AdapterInactive));
    }
    assert_eq!(manager.state(), ManagerState::Inactive);
    group.server.local.ping().unwrap();
}

#[test]
fn waiting_for_completion_covers_remote_and_collocated_calls() {
    for which in 0..2 {
        type Turn = fn(&PoaManager) -> Result<(), PoaError>;
        let turns: [(Turn, bool); 3] = [
            (|manager| manager.hold_requests(true), true),
            (|manager| manager.discard_requests(true), true),
            (|manager| manager.deactivate(false, true), false),
        ];
        for (turn, reversible) in turns {
            let group = Group::new();
            group.manager.activate().unwrap();
            thread::scope(|scope| {
                let call = scope.spawn(|| group.references[which].block());
                group.probe.gate.await_waiting(1);
                let turning = scope.spawn(|| turn(&group.manager));
                let gone = |state| state != ManagerState::Active;
                eventually("the state changes", || gone(group.manager.state()));
                thread::sleep(Duration::from_millis(20));
                assert!(!turning.is_finished(), "a call is under way");
                if reversible {
                    // Nobody waits for what is not so any more.
                    group.manager.activate().unwrap();
                    turning.join().unwrap().unwrap();
                    group.probe.gate.open();
                } else {
                    group.probe.gate.open();
                    turning.join().unwrap().unwrap();
                }
                call.join().unwrap().unwrap();
            });
        }
    }
}

#[test]
fn destroying_waits_for_the_last_call_and_lets_it_end() {
    for which in 0..2 {
        let group = Group::new();
        group.manager.activate().unwrap();
        let fresh = travel(&group.references[0], &orbs::client());
        thread::scope(|scope| {
            let call = scope.spawn(|| group.references[which].block());
            group.probe.gate.await_waiting(1);
            let ending = scope.spawn(|| group.poa.destroy(true, true));
            eventually("new calls find nothing", || {
                fresh.ping().is_err_and(|error| error.kind() == ExceptionKind::ObjectNotExist)
            });
            assert!(!ending.is_finished());
            // The name is free, and the id as well, while the old object still answers.
            let again = group.server.root_poa().create_poa("group").persistent().user_ids();
            let servant: Arc<dyn Everything> = Arc::new(Probe::default());
            again.build().unwrap().activate_with_id("a", servant).unwrap();
            fresh.ping().unwrap();
            group.probe.gate.open();
            call.join().unwrap().unwrap();
            ending.join().unwrap().unwrap();
        });
    }
}

#[test]
fn a_servant_cannot_wait_for_itself() {
    struct Hasty(Poa);
    impl Listener for Hasty {
        fn hear(&self, _text: &str) -> Result<(), SystemException> {
            for waiting in [
                self.0.manager().hold_requests(true),
                self.0.manager().discard_requests(true),
                self.0.manager().deactivate(true, true),
                self.0.destroy(true, true),
            ] {
                let waiting = waiting.map_err(SystemException::from);
                refused(waiting, ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_WOULD_DEADLOCK);
            }
            Ok(())
        }
        fn descend(&self, _partner: &EverythingRef, _depth: i32) -> Result<i32, SystemException> {
            self.0.destroy(true, false)?;
            Ok(0)
        }
    }
    let server = Server::start();
    for far in [false, true] {
        let poa = server.root_poa().create_poa("hasty").build().unwrap();
        let near = poa.activate(listener::tie(Hasty(poa.clone()))).unwrap();
        let reference = if far { travel(&near, &orbs::client()) } else { near };
        reference.hear("").unwrap();
        assert_eq!(reference.descend(&EverythingRef::nil(), 0), Ok(0), "ends in order");
        let error = reference.hear("").unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::ObjectNotExist);
    }
}

#[test]
fn a_servant_may_wait_for_what_belongs_to_another_orb() {
    struct Patient(Poa);
    impl Listener for Patient {
        fn hear(&self, _text: &str) -> Result<(), SystemException> {
            self.0.manager().hold_requests(true)?;
            self.0.destroy(true, true)?;
            Ok(())
        }
        fn descend(&self, _partner: &EverythingRef, _depth: i32) -> Result<i32, SystemException> {
            Ok(0)
        }
    }
    let (server, other) = (Server::start(), Server::start());
    for far in [false, true] {
        let poa = other.root_poa().create_poa("other").build().unwrap();
        poa.activate(everything::tie(Probe::default())).unwrap();
        poa.manager().activate().unwrap();
        let near = server.root_poa().activate(listener::tie(Patient(poa.clone()))).unwrap();
        let reference = if far { travel(&near, &orbs::client()) } else { near };
        reference.hear("").unwrap();
        assert!(poa.destroy(true, true).is_err());
    }
}

#[test]
fn several_may_wait_for_the_same_calls() {
    for which in 0..2 {
        let group = Group::new();
        group.manager.activate().unwrap();
        thread::scope(|scope| {
            let call = scope.spawn(|| group.references[which].block());
            group.probe.gate.await_waiting(1);
            let waiting = [(); 4].map(|()| scope.spawn(|| group.manager.hold_requests(true)));
            let ending = scope.spawn(|| group.poa.destroy(true, true));
            eventually("it holds", || group.manager.state() == ManagerState::Holding);
            group.probe.gate.open();
            waiting.into_iter().for_each(|waiting| waiting.join().unwrap().unwrap());
            ending.join().unwrap().unwrap();
            call.join().unwrap().unwrap();
        });
    }
}

#[test]
fn a_poa_has_no_more_poas_made_below_it_once_it_ends() {
    let group = Group::new();
    group.manager.activate().unwrap();
    let made = || group.poa.create_poa("child").build().map(drop).map_err(SystemException::from);
    thread::scope(|scope| {
        let call = scope.spawn(|| group.references[1].block());
        group.probe.gate.await_waiting(1);
        group.poa.destroy(true, false).unwrap();
        refused(made(), ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_POA_BEING_DESTROYED);
        group.probe.gate.open();
        call.join().unwrap().unwrap();
    });
    group.poa.destroy(true, true).ok();
    assert_eq!(made().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
}

#[test]
fn managers_are_known_by_their_ids() {
    let server = Server::start();
    let root = server.root_poa().manager().clone();
    assert_eq!(server.find_poa_manager("RootPOAManager"), Some(root.clone()));
    let group = server.create_poa_manager("group").unwrap();
    assert_eq!(server.poa_managers(), [root, group.clone()]);
    assert_eq!(server.create_poa_manager("group"), Err(PoaError::ManagerAlreadyExists));
    assert_eq!(server.find_poa_manager("nobody"), None);
    // It waits for its first POA, and is no more without its last.
    drop(group);
    let group = server.find_poa_manager("group").unwrap();
    let poa = server.root_poa().create_poa("group").manager(&group).build().unwrap();
    drop(group);
    assert_eq!(server.create_poa_manager("group"), Err(PoaError::ManagerAlreadyExists));
    poa.destroy(false, true).unwrap();
    drop(poa);
    assert_eq!(server.find_poa_manager("group"), None);
    server.create_poa_manager("group").unwrap();
}

#[test]
fn a_poa_that_names_no_manager_has_one_of_its_own() {
    let server = Server::start();
    let root = server.root_poa();
    server.create_poa_manager("POAManager1").unwrap();
    let [one, other] = ["one", "other"].map(|name| root.create_poa(name).build().unwrap());
    let below = one.create_poa("below").build().unwrap();
    let managers = [&root, &one, &other, &below].map(|poa| poa.manager().clone());
    for (index, manager) in managers.iter().enumerate() {
        assert_eq!(manager.state(), ManagerState::Active);
        assert!(!managers[..index].contains(manager), "{managers:?}");
        assert_eq!(server.find_poa_manager(manager.id()).as_ref(), Some(manager));
    }
    let listener = below.activate(everything::tie(Probe::default())).unwrap();
    one.manager().discard_requests(true).unwrap();
    other.manager().deactivate(true, true).unwrap();
    listener.ping().unwrap();
    server.local.ping().unwrap();
}

#[test]
fn managers_of_poas_that_come_and_go_are_forgotten() {
    let server = Server::start();
    for number in 0..1000 {
        let poa = server.root_poa().create_poa(format!("{number}")).build().unwrap();
        poa.destroy(false, true).unwrap();
    }
    assert_eq!(server.poa_managers(), [server.root_poa().manager().clone()]);
}

#[test]
fn managers_hold_requests_from_the_start_where_that_is_asked_for() {
    let arguments = ["-ORBHoldRequests", "1"].map(str::to_owned);
    let orb = orbs::builder().arguments(arguments).unwrap();
    let server = Server::of(orb.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let own = server.root_poa().create_poa("own").build().unwrap();
    let object = own.activate(everything::tie(Probe::default())).unwrap();
    let client = orbs::client();
    let held = [server.local.clone(), travel(&server.local, &client), travel(&object, &client)];
    thread::scope(|scope| {
        let calls = held.each_ref().map(|object| scope.spawn(|| object.ping()));
        let holds = |poa: &Poa, count| poa.manager().held_requests() == count;
        eventually("all are held", || holds(&server.root_poa(), 2) && holds(&own, 1));
        server.root_poa().manager().activate().unwrap();
        let [near, far, below] = calls;
        near.join().unwrap().unwrap();
        far.join().unwrap().unwrap();
        assert!(!below.is_finished() && holds(&own, 1));
        own.manager().activate().unwrap();
        below.join().unwrap().unwrap();
    });
}

#[test]
fn requests_that_had_not_begun_when_their_poa_ended_go_to_the_one_that_is_made_anew() {
    for is_made in [false, true] {
        let group = Group::new();
        let anew = Arc::new(Probe::default());
        if is_made {
            let servant: Arc<dyn Everything> = anew.clone();
            group.server.root_poa().set_activator(move |parent: &Poa, name: &str| {
                let poa = parent.create_poa(name).persistent().user_ids().build();
                poa.and_then(|poa| poa.activate_with_id("a", servant.clone())).is_ok()
            });
        }
        thread::scope(|scope| {
            let calls = group.references.each_ref().map(|r| scope.spawn(|| r.increment()));
            eventually("both are held", || held_at_least(&group, 2));
            group.poa.destroy(true, false).unwrap();
            for call in calls {
                let outcome = call.join().unwrap();
                match is_made {
                    true => assert!(outcome.is_ok(), "{outcome:?}"),
                    false => refused(
                        outcome.map(drop),
                        ExceptionKind::ObjectNotExist,
                        Minor::OBJECT_NOT_EXIST_NO_ADAPTER,
                    ),
                }
            }
        });
        assert_eq!(group.probe.count(), Ok(0));
        assert_eq!(anew.count(), Ok(if is_made { 2 } else { 0 }));
    }
}

/// Lends the one servant that it has.
struct Lender(Arc<Probe>);

impl ServantLocator for Lender {
    fn preinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError> {
        let servant: Arc<dyn Everything> = self.0.clone();
        Ok((servant.into(), Cookie::default()))
    }
}

#[test]
fn no_request_is_lost_while_a_gate_opens_and_closes() {
    let (orb, probe) = (orbs::client(), Arc::new(Probe::default()));
    let manager = orb.create_poa_manager("flapping").unwrap();
    let servant: Arc<dyn Everything> = probe.clone();
    let poa = |name| orb.root_poa().create_poa(name).user_ids().manager(&manager);
    let lent = poa("lent").servant_manager(ServantManager::locator(Lender(probe)));
    let default = poa("default").default_servant(servant);
    let references: [EverythingRef; 2] = [lent, default].map(|poa| {
        let poa = poa.build().unwrap();
        poa.create_reference_with_id("a").unwrap()
    });
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let flapping = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                manager.hold_requests(false).unwrap();
                manager.activate().unwrap();
            }
        });
        let calls = references
            .each_ref()
            .map(|reference| scope.spawn(move || (0..3000).try_for_each(|_| reference.ping())));
        let outcomes = calls.map(|call| call.join().unwrap());
        done.store(true, Ordering::Relaxed);
        flapping.join().unwrap();
        assert_eq!(outcomes, [Ok(()), Ok(())]);
    });
}
