//! Servants that are asked for: activators, locators, default servants; and what
//! a servant learns of the object that it is called as. Everything near and far.

use armilla::interceptor::{Interruption, ServerInterceptor, ServerRequestInfo};
use armilla::{
    AnyServant, Collocation, Cookie, ExceptionKind, IdUniqueness, Minor, Object, ObjectId, Orb,
    Poa, PoaError, RequestProcessing, ServantActivator, ServantLocator, ServantManager,
    ServantManagerError, ServantRetention, SystemException,
};
use armilla_tests::gate::{Gate, PATIENCE, eventually};
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

type Log = Arc<Mutex<Vec<String>>>;

fn note(log: &Log, what: impl Into<String>) {
    log.lock().unwrap().push(what.into());
}

fn take(log: &Log) -> Vec<String> {
    std::mem::take(&mut log.lock().unwrap())
}

fn text(id: &ObjectId) -> String {
    String::from_utf8_lossy(id.as_bytes()).into_owned()
}

/// The reference as it is, and as a client elsewhere has it.
fn near_and_far(reference: &EverythingRef) -> [EverythingRef; 2] {
    [reference.clone(), travel(reference, &orbs::client())]
}

fn refused(what: SystemException, kind: ExceptionKind, minor: Minor) {
    assert_eq!((what.kind(), what.minor()), (kind, minor), "{what}");
}

/// Makes a probe for each object, and notes everything.
#[derive(Default)]
struct Maker {
    log: Log,
    /// Where `incarnate` of the object `slow` waits.
    gate: Arc<Gate>,
    elsewhere: Mutex<Option<Object>>,
}

impl ServantActivator for Maker {
    fn incarnate(&self, id: &ObjectId, adapter: &Poa) -> Result<AnyServant, ServantManagerError> {
        note(&self.log, format!("incarnate {} in {}", text(id), adapter.name()));
        match &*text(id) {
            "slow" => self.gate.pass(),
            "elsewhere" => return Err(self.elsewhere.lock().unwrap().clone().unwrap().into()),
            "forbidden" => {
                let kind = ExceptionKind::NoPermission;
                return Err(SystemException::new(kind, Minor(7), armilla::Completion::No).into());
            }
            "panic" => panic!("as it was told"),
            _ => {}
        }
        let probe: Arc<dyn Everything> = Arc::new(Probe::default());
        Ok(probe.into())
    }

    fn etherealize(
        &self,
        id: &ObjectId,
        _adapter: &Poa,
        servant: AnyServant,
        cleanup_in_progress: bool,
        remaining_activations: bool,
    ) {
        let servant: Arc<dyn Everything> = servant.downcast().unwrap();
        let count = servant.count().unwrap();
        let why = if cleanup_in_progress { "cleanup" } else { "deactivated" };
        let more = if remaining_activations { ", remaining" } else { "" };
        note(&self.log, format!("etherealize {} at {count}: {why}{more}", text(id)));
    }
}

fn activating(server: &Orb) -> (Poa, Arc<Maker>, Log) {
    let maker = Arc::new(Maker::default());
    let log = maker.log.clone();
    let manager = ServantManager::Activator(maker.clone());
    let poa = server.root_poa().create_poa("made").user_ids().servant_manager(manager);
    (poa.build().unwrap(), maker, log)
}

fn reference(poa: &Poa, id: &str) -> EverythingRef {
    poa.create_reference_with_id(id).unwrap()
}

#[test]
fn an_activator_makes_a_servant_with_the_first_call_and_gets_it_back() {
    let server = Server::start();
    let (poa, _, log) = activating(&server);
    for (id, which) in [("a", 0), ("b", 1)] {
        let calls = near_and_far(&reference(&poa, id));
        calls[which].increment().unwrap();
        calls[1 - which].increment().unwrap();
        assert_eq!(take(&log), [format!("incarnate {id} in made")]);
        poa.deactivate(&id.into()).unwrap();
        // The client may have its reply before the call has quite left the servant.
        eventually("the servant goes back", || !log.lock().unwrap().is_empty());
        assert_eq!(take(&log), [format!("etherealize {id} at 2: deactivated")]);
        calls[which].increment().unwrap();
        assert_eq!(calls[1 - which].count(), Ok(1), "a servant anew");
        take(&log);
    }
    poa.destroy(true, true).unwrap();
    let mut ended = take(&log);
    ended.sort();
    assert_eq!(ended, ["etherealize a at 1: cleanup", "etherealize b at 1: cleanup"]);
}

#[test]
fn a_poa_may_be_destroyed_without_giving_servants_back() {
    let server = Server::start();
    let (poa, _, log) = activating(&server);
    reference(&poa, "a").ping().unwrap();
    take(&log);
    poa.destroy(false, true).unwrap();
    assert!(take(&log).is_empty());
}

#[test]
fn shutting_the_orb_down_gives_servants_back() {
    let server = Server::start();
    let (poa, _, log) = activating(&server);
    reference(&poa, "a").ping().unwrap();
    server.shutdown();
    assert_eq!(take(&log)[1..], ["etherealize a at 0: cleanup"]);
}

#[test]
fn a_deactivated_manager_gives_servants_back_where_asked() {
    let server = Server::start();
    for etherealize in [false, true] {
        let manager = server.create_poa_manager(format!("{etherealize}")).unwrap();
        manager.activate().unwrap();
        let maker = Maker::default();
        let log = maker.log.clone();
        let poa = server.root_poa().create_poa(format!("{etherealize}")).user_ids();
        let poa = poa.manager(&manager).servant_manager(ServantManager::activator(maker));
        reference(&poa.build().unwrap(), "a").ping().unwrap();
        take(&log);
        manager.deactivate(etherealize, true).unwrap();
        assert_eq!(take(&log).len(), usize::from(etherealize));
    }
}

#[test]
fn a_servant_goes_back_when_its_last_call_has_left_it_and_not_before() {
    let server = Server::start();
    let maker = Maker::default();
    let log = maker.log.clone();
    let poa = server.root_poa().create_poa("busy").user_ids();
    let poa = poa.servant_manager(ServantManager::activator(maker)).build().unwrap();
    let probe = Arc::new(Probe::default());
    let servant: Arc<dyn Everything> = probe.clone();
    let near = poa.activate_with_id("a", servant).unwrap();
    let far = travel(&near, &orbs::client());
    thread::scope(|scope| {
        let calls = [scope.spawn(|| near.block()), scope.spawn(|| far.block())];
        probe.gate.await_waiting(2);
        poa.deactivate(&"a".into()).unwrap();
        assert_eq!(poa.deactivate(&"a".into()), Err(PoaError::ObjectNotActive));
        // The next call is for the next servant, which waits for the end of this one.
        let next = scope.spawn(|| travel(&near, &orbs::client()).increment());
        thread::sleep(std::time::Duration::from_millis(20));
        assert!(take(&log).is_empty() && !next.is_finished());
        probe.gate.open();
        calls.into_iter().for_each(|call| call.join().unwrap().unwrap());
        assert_eq!(next.join().unwrap(), Ok(1));
    });
    assert_eq!(take(&log), ["etherealize a at 0: deactivated", "incarnate a in busy"]);
}

#[test]
fn the_activator_is_told_whether_the_servant_has_other_objects() {
    let server = Server::start();
    let maker = Maker::default();
    let log = maker.log.clone();
    let poa = server.root_poa().create_poa("shared").user_ids().multiple_ids();
    let poa = poa.servant_manager(ServantManager::activator(maker)).build().unwrap();
    let servant: Arc<dyn Everything> = Arc::new(Probe::default());
    for id in ["a", "b"] {
        poa.activate_with_id(id, servant.clone()).unwrap();
    }
    poa.deactivate(&"a".into()).unwrap();
    poa.deactivate(&"b".into()).unwrap();
    let ended = ["etherealize a at 0: deactivated, remaining", "etherealize b at 0: deactivated"];
    assert_eq!(take(&log), ended);
    for id in ["a", "b", "c"] {
        poa.activate_with_id(id, servant.clone()).unwrap();
    }
    poa.destroy(true, true).unwrap();
    let remaining = take(&log).iter().map(|line| line.ends_with("remaining")).collect::<Vec<_>>();
    assert_eq!(remaining, [true, true, false], "it is done with for the last one only");
}

#[test]
fn of_many_objects_that_end_at_once_one_is_the_last_of_their_servant() {
    let server = Server::start();
    let maker = Maker::default();
    let log = maker.log.clone();
    let poa = server.root_poa().create_poa("shared").user_ids().multiple_ids();
    let poa = poa.servant_manager(ServantManager::activator(maker)).build().unwrap();
    let servant: Arc<dyn Everything> = Arc::new(Probe::default());
    let ids: Vec<_> = (0..64).map(|number| ObjectId::from(&*format!("{number}"))).collect();
    for id in &ids {
        poa.activate_with_id(id.clone(), servant.clone()).unwrap();
    }
    thread::scope(|scope| {
        for some in ids.chunks(16) {
            scope.spawn(|| some.iter().for_each(|id| poa.deactivate(id).unwrap()));
        }
    });
    let remaining: Vec<_> = take(&log).iter().map(|line| line.ends_with("remaining")).collect();
    assert_eq!(remaining.len(), ids.len());
    assert_eq!(remaining.iter().position(|remains| !remains), Some(ids.len() - 1));
}

#[test]
fn a_servant_that_is_still_called_as_another_object_remains() {
    let server = Server::start();
    for is_shared in [true, false] {
        let maker = Maker::default();
        let log = maker.log.clone();
        let poa = server.root_poa().create_poa(if is_shared { "shared" } else { "unique" });
        let poa = if is_shared { poa.multiple_ids() } else { poa }.user_ids();
        let poa = poa.servant_manager(ServantManager::activator(maker)).build().unwrap();
        let probe = Arc::new(Probe::default());
        let servant: Arc<dyn Everything> = probe.clone();
        let called = poa.activate_with_id("called", servant.clone()).unwrap();
        thread::scope(|scope| {
            let call = scope.spawn(move || called.block());
            probe.gate.await_waiting(1);
            poa.deactivate(&"called".into()).unwrap();
            // The servant has no active object now.
            poa.activate_with_id("idle", servant).unwrap();
            poa.deactivate(&"idle".into()).unwrap();
            assert_eq!(take(&log), ["etherealize idle at 0: deactivated, remaining"]);
            probe.gate.open();
            call.join().unwrap().unwrap();
        });
        eventually("the servant goes back", || !log.lock().unwrap().is_empty());
        assert_eq!(take(&log), ["etherealize called at 0: deactivated"]);
    }
}

#[test]
fn one_servant_is_made_for_an_object_that_many_call_at_once() {
    let server = Server::start();
    let (poa, maker, log) = activating(&server);
    let [near, far] = near_and_far(&reference(&poa, "slow"));
    let other = orbs::client();
    let fast = reference(&poa, "fast");
    fast.ping().unwrap();
    thread::scope(|scope| {
        let others = travel(&near, &other);
        let calls = [&near, &far, &others].map(|reference| {
            let reference = reference.clone();
            scope.spawn(move || reference.increment())
        });
        maker.gate.await_waiting(1);
        // What is active does not wait.
        fast.ping().unwrap();
        maker.gate.open();
        calls.into_iter().for_each(|call| assert!(call.join().unwrap().is_ok()));
    });
    assert_eq!(near.count(), Ok(3));
    assert_eq!(take(&log).iter().filter(|line| line.contains("slow")).count(), 1);
}

#[test]
fn an_activator_may_forward_refuse_and_fail() {
    let server = Server::start();
    let (poa, maker, _) = activating(&server);
    *maker.elsewhere.lock().unwrap() = Some(server.local.object().clone());
    for (n, reference) in near_and_far(&reference(&poa, "elsewhere")).iter().enumerate() {
        assert_eq!(reference.increment(), Ok(n as i32 + 1));
    }
    assert_eq!(server.local.count(), Ok(2));
    for reference in near_and_far(&reference(&poa, "forbidden")) {
        refused(reference.ping().unwrap_err(), ExceptionKind::NoPermission, Minor(7));
    }
    for reference in near_and_far(&reference(&poa, "panic")) {
        refused(reference.ping().unwrap_err(), ExceptionKind::Unknown, Minor::SERVANT_PANICKED);
    }
}

#[test]
fn an_activator_must_not_give_a_servant_that_has_an_object() {
    let server = Server::start();
    let servant: Arc<dyn Everything> = Arc::new(Probe::default());
    let same = move |_: &ObjectId, _: &Poa| Ok(AnyServant::from(servant.clone()));
    let poa = server.root_poa().create_poa("same").user_ids();
    let poa = poa.servant_manager(ServantManager::activator(same)).build().unwrap();
    reference(&poa, "a").ping().unwrap();
    for reference in near_and_far(&reference(&poa, "b")) {
        refused(
            reference.ping().unwrap_err(),
            ExceptionKind::ObjAdapter,
            Minor::OBJ_ADAPTER_INCARNATE_POLICY_VIOLATION,
        );
    }
}

#[test]
fn a_servant_manager_is_set_once_and_of_the_right_kind() {
    let server = Server::start();
    let (poa, ..) = activating(&server);
    let error = poa.set_servant_manager(ServantManager::activator(Maker::default()));
    refused(
        error.unwrap_err().into(),
        ExceptionKind::BadInvOrder,
        Minor::BAD_INV_ORDER_SERVANT_MANAGER_EXISTS,
    );
    let poa = server.root_poa().create_poa("unset").user_ids();
    let poa = poa.policy(RequestProcessing::ServantManager).build().unwrap();
    for reference in near_and_far(&reference(&poa, "a")) {
        refused(
            reference.ping().unwrap_err(),
            ExceptionKind::ObjAdapter,
            Minor::OBJ_ADAPTER_NO_SERVANT_MANAGER,
        );
    }
    let error = poa.set_servant_manager(ServantManager::locator(Lender::default())).unwrap_err();
    refused(error.into(), ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_NO_SERVANT_MANAGER);
    assert!(poa.servant_manager().unwrap().is_none());
    poa.set_servant_manager(ServantManager::activator(Maker::default())).unwrap();
    reference(&poa, "a").ping().unwrap();
}

/// Notes in the log of a lender how requests begin and end for interceptors.
#[derive(Clone, Default)]
struct Onlooker(Arc<OnceLock<Log>>);

impl Onlooker {
    fn note(&self, what: &str) {
        note(self.0.get().unwrap(), what);
    }
}

impl ServerInterceptor for Onlooker {
    fn receive_request(&self, _: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.note("receive_request");
        Ok(())
    }

    fn send_reply(&self, _: &mut ServerRequestInfo) -> Result<(), SystemException> {
        self.note("send_reply");
        Ok(())
    }

    fn send_exception(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.note(&format!(
            "send_exception {}",
            request.outcome().unwrap().exception_id().unwrap()
        ));
        Ok(())
    }
}

#[test]
fn interceptors_hear_of_the_end_when_the_locator_has_had_the_last_word() {
    let onlooker = Onlooker::default();
    let builder = orbs::builder().server_interceptor(onlooker.clone());
    let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let (poa, _, log) = lending(&orb);
    onlooker.0.set(log.clone()).unwrap();
    for (n, reference) in near_and_far(&reference(&poa, "a")).iter().enumerate() {
        reference.increment().unwrap();
        let postinvoke = format!("postinvoke a increment {n} at {}", n + 1);
        let expected =
            ["preinvoke a increment in lent", "receive_request", &postinvoke, "send_reply"];
        assert_eq!(take(&log), expected);
    }
    for reference in near_and_far(&reference(&poa, "lost")) {
        refused(reference.ping().unwrap_err(), ExceptionKind::PersistStore, Minor(1));
        let exception = ExceptionKind::PersistStore.repository_id();
        assert_eq!(take(&log)[3..], [format!("send_exception {exception}")]);
    }
    orb.shutdown();
}

/// Lends one probe to every request, and notes everything.
#[derive(Default)]
struct Lender {
    log: Log,
    probe: Arc<Probe>,
    elsewhere: Mutex<Option<Object>>,
    count: AtomicUsize,
}

impl ServantLocator for Lender {
    fn preinvoke(
        &self,
        id: &ObjectId,
        adapter: &Poa,
        operation: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError> {
        note(&self.log, format!("preinvoke {} {operation} in {}", text(id), adapter.name()));
        if text(id) == "elsewhere" {
            return Err(self.elsewhere.lock().unwrap().clone().unwrap().into());
        }
        let probe: Arc<dyn Everything> = self.probe.clone();
        Ok((probe.into(), Cookie::new(self.count.fetch_add(1, SeqCst))))
    }

    fn postinvoke(
        &self,
        id: &ObjectId,
        _adapter: &Poa,
        operation: &str,
        cookie: Cookie,
        servant: AnyServant,
    ) -> Result<(), SystemException> {
        let number = cookie.take::<usize>().unwrap();
        let servant: Arc<dyn Everything> = servant.downcast().unwrap();
        let count = servant.count().unwrap();
        note(&self.log, format!("postinvoke {} {operation} {number} at {count}", text(id)));
        match &*text(id) {
            "lost" => Err(SystemException::new(
                ExceptionKind::PersistStore,
                Minor(1),
                armilla::Completion::Yes,
            )),
            "broken" => panic!("as it was told"),
            _ => Ok(()),
        }
    }
}

fn lending(orb: &Orb) -> (Poa, Arc<Lender>, Log) {
    let lender = Arc::new(Lender::default());
    let log = lender.log.clone();
    let poa = orb.root_poa().create_poa("lent").persistent().user_ids();
    let poa = poa.servant_manager(ServantManager::Locator(lender.clone())).build().unwrap();
    (poa, lender, log)
}

#[test]
fn a_locator_is_asked_for_each_request_and_is_done_before_the_client_hears() {
    let server = Server::start();
    let (poa, _, log) = lending(&server);
    for (n, reference) in near_and_far(&reference(&poa, "a")).iter().enumerate() {
        assert_eq!(reference.increment(), Ok(n as i32 + 1));
        let around = [
            "preinvoke a increment in lent".to_owned(),
            format!("postinvoke a increment {n} at {}", n + 1),
        ];
        assert_eq!(take(&log), around);
    }
    assert_eq!(
        poa.activate_with_id("a", Arc::new(Probe::default()) as Arc<dyn Everything>),
        Err(PoaError::WrongPolicy)
    );
    // What every object has comes to a servant as well, and where it is nobody is asked.
    let [_, far] = near_and_far(&reference(&poa, "b"));
    assert_eq!(far.object().is_a("IDL:armilla.org/Probe/Stranger:1.0"), Ok(false));
    assert_eq!(take(&log)[0], "preinvoke b _is_a in lent");
    assert_eq!(far.object().locate(), Ok(true));
    assert!(take(&log).is_empty());
}

#[test]
fn a_locator_hears_of_every_end_of_a_call_and_has_the_last_word() {
    let server = Server::start();
    let (poa, lender, log) = lending(&server);
    for reference in near_and_far(&reference(&poa, "a")) {
        assert_eq!(reference.panic("on purpose").unwrap_err().kind(), ExceptionKind::Unknown);
        assert!(reference.choose(1, &mut "no".into()).is_err());
        reference.remark("nobody waits for this").unwrap();
        eventually("the oneway is over", || log.lock().unwrap().len() == 6);
        let ends: Vec<_> = take(&log).into_iter().skip(1).step_by(2).collect();
        assert!(ends.iter().all(|line| line.starts_with("postinvoke a ")), "{ends:?}");
    }
    for reference in near_and_far(&reference(&poa, "lost")) {
        refused(reference.increment().unwrap_err(), ExceptionKind::PersistStore, Minor(1));
    }
    for reference in near_and_far(&reference(&poa, "broken")) {
        let error = reference.increment().unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Unknown);
        assert_eq!(error.completed(), armilla::Completion::Maybe, "the servant was called");
    }
    *lender.elsewhere.lock().unwrap() = Some(server.local.object().clone());
    take(&log);
    for reference in near_and_far(&reference(&poa, "elsewhere")) {
        reference.increment().unwrap();
    }
    assert_eq!(server.local.count(), Ok(2));
    assert!(take(&log).iter().all(|line| line.starts_with("preinvoke")));
}

#[test]
fn a_large_result_of_a_lent_servant_arrives_whole() {
    let server = Server::start();
    let (poa, ..) = lending(&server);
    let octets: Vec<u8> = (0..200_000).map(|n| n as u8).collect();
    for reference in near_and_far(&reference(&poa, "a")) {
        let (result, copy) = reference.echo_octets(&octets, &mut vec![1, 2]).unwrap();
        assert_eq!((result, copy.len()), (vec![1, 2], 200_000));
        assert!(copy == octets);
    }
}

/// Says as whom it is called.
struct Crowd(Orb);

impl Listener for Crowd {
    fn hear(&self, _text: &str) -> Result<(), SystemException> {
        Ok(())
    }

    fn descend(&self, _partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
        let current = self.0.poa_current()?;
        let me: ListenerRef = current.reference()?.assume();
        assert_eq!(current.poa().reference_to_id(&me)?, *current.object_id());
        assert_eq!(current.servant().repository_id(), "IDL:armilla.org/Probe/Listener:1.0");
        if depth == 0 {
            let id = text(current.object_id());
            return Ok(id.parse().unwrap());
        }
        // Another object of the same servant, and then itself again.
        let next = depth.to_string();
        let next: ListenerRef = current.poa().create_reference_with_id(&*next)?.clone();
        let inner = next.descend(&EverythingRef::nil(), 0)?;
        assert_eq!(self.0.poa_current()?.object_id(), current.object_id());
        Ok(inner + text(current.object_id()).parse::<i32>().unwrap())
    }
}

#[test]
fn a_default_servant_learns_which_object_it_is() {
    let server = Server::start();
    let servant: Arc<dyn Listener> = Arc::new(Crowd(server.orb.clone()));
    for retention in [ServantRetention::Retain, ServantRetention::NonRetain] {
        let poa = server.root_poa().create_poa(format!("{retention:?}")).user_ids();
        let poa = poa.policy(retention).default_servant(servant.clone()).build().unwrap();
        assert_eq!(poa.default_servant().unwrap(), servant.clone().into());
        for id in ["100", "200"] {
            let near: ListenerRef = poa.create_reference_with_id(id).unwrap();
            let far = travel(&near, &orbs::client());
            for reference in [near, far] {
                let expected: i32 = id.parse().unwrap();
                assert_eq!(reference.descend(&EverythingRef::nil(), 0), Ok(expected));
                assert_eq!(reference.descend(&EverythingRef::nil(), 7), Ok(expected + 7));
                assert_eq!(reference.object().locate(), Ok(true));
            }
        }
        assert_eq!(poa.id_to_servant(&"any".into()).unwrap(), servant.clone().into());
    }
    assert_eq!(server.poa_current().unwrap_err(), PoaError::NoContext);
}

/// Asks for the reference to itself.
struct Selfish(Mutex<Option<Poa>>, std::sync::OnceLock<std::sync::Weak<Self>>);

impl Listener for Selfish {
    fn hear(&self, text: &str) -> Result<(), SystemException> {
        let poa = self.0.lock().unwrap().clone().unwrap();
        let this: Arc<dyn Listener> = self.1.get().unwrap().upgrade().unwrap();
        let own = poa.servant_to_reference(&this)?;
        assert_eq!(poa.reference_to_id(&own)?, text.into());
        let stranger: Arc<dyn Everything> = Arc::new(Probe::default());
        assert_eq!(poa.servant_to_reference(&stranger), Err(PoaError::WrongPolicy));
        Ok(())
    }

    fn descend(&self, _partner: &EverythingRef, _depth: i32) -> Result<i32, SystemException> {
        Ok(0)
    }
}

/// Lends the same servant for everything.
struct Always(AnyServant);

impl ServantLocator for Always {
    fn preinvoke(
        &self,
        _id: &ObjectId,
        _adapter: &Poa,
        _operation: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError> {
        Ok((self.0.clone(), Cookie::default()))
    }
}

#[test]
fn a_servant_that_is_called_learns_its_reference_whatever_the_policies_are() {
    let server = Server::start();
    let servant = Arc::new(Selfish(Mutex::default(), Default::default()));
    servant.1.set(Arc::downgrade(&servant)).unwrap();
    let listener: Arc<dyn Listener> = servant.clone();
    let lender = Always(listener.clone().into());
    let made = |name: &str| server.root_poa().create_poa(name).user_ids().multiple_ids();
    let poas = [
        made("active").build().unwrap(),
        made("default").default_servant(listener.clone()).build().unwrap(),
        made("lent").servant_manager(ServantManager::locator(lender)).build().unwrap(),
    ];
    poas[0].activate_with_id("7", listener.clone()).unwrap();
    for poa in poas {
        *servant.0.lock().unwrap() = Some(poa.clone());
        let near: ListenerRef = poa.create_reference_with_id("7").unwrap();
        for reference in [near.clone(), travel(&near, &orbs::client())] {
            reference.hear("7").unwrap();
        }
        assert_eq!(poa.servant_to_reference(&listener), Err(PoaError::WrongPolicy));
    }
}

#[test]
fn an_active_object_goes_before_the_default_servant() {
    let server = Server::start();
    let [default, own] = [(); 2].map(|()| Arc::new(Probe::default()) as Arc<dyn Everything>);
    let poa = server.root_poa().create_poa("both").user_ids();
    let poa = poa.default_servant(default.clone()).build().unwrap();
    let references = near_and_far(&reference(&poa, "a"));
    references.iter().for_each(|reference| assert!(reference.increment().is_ok()));
    poa.activate_with_id("a", own.clone()).unwrap();
    references.iter().for_each(|reference| assert!(reference.increment().is_ok()));
    poa.deactivate(&"a".into()).unwrap();
    references.iter().for_each(|reference| assert!(reference.increment().is_ok()));
    assert_eq!((default.count(), own.count()), (Ok(4), Ok(2)));
}

#[test]
fn without_a_default_servant_the_adapter_is_at_fault() {
    let server = Server::start();
    let poa = server.root_poa().create_poa("none").user_ids();
    let poa = poa.policy(RequestProcessing::DefaultServant).policy(IdUniqueness::Multiple);
    let poa = poa.build().unwrap();
    for reference in near_and_far(&reference(&poa, "a")) {
        refused(
            reference.ping().unwrap_err(),
            ExceptionKind::ObjAdapter,
            Minor::OBJ_ADAPTER_NO_DEFAULT_SERVANT,
        );
    }
    poa.set_default_servant(Arc::new(Probe::default()) as Arc<dyn Everything>).unwrap();
    reference(&poa, "a").ping().unwrap();
}

#[test]
fn current_knows_active_objects_until_their_last_call_ends() {
    let server = Server::start();
    struct Leaver(Orb);
    impl Listener for Leaver {
        fn hear(&self, _text: &str) -> Result<(), SystemException> {
            let current = self.0.poa_current()?;
            current.poa().deactivate(current.object_id())?;
            let again = self.0.poa_current()?;
            assert_eq!(again.object_id(), current.object_id());
            Ok(())
        }
        fn descend(&self, _partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
            Ok(depth)
        }
    }
    for far in [false, true] {
        let near = server.root_poa().activate(listener::tie(Leaver(server.orb.clone()))).unwrap();
        let reference = if far { travel(&near, &orbs::client()) } else { near };
        reference.hear("you may go").unwrap();
        let error = reference.hear("again").unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::ObjectNotExist);
    }
}

#[test]
fn a_poa_may_have_its_objects_called_through_it() {
    let server = Server::start();
    let root = server.root_poa();
    let poa = root.create_poa("copies").user_ids().through_poa().build().unwrap();
    let before: EverythingRef = poa.create_reference_with_id("a").unwrap();
    let servant = || Arc::new(Probe::default()) as Arc<dyn Everything>;
    let active: EverythingRef = poa.activate_with_id("a", servant()).unwrap();
    let after: EverythingRef = poa.id_to_reference(&"a".into()).unwrap().narrow().unwrap();
    for reference in [&before, &active, &after, &before.with_timeout(PATIENCE)] {
        // What does not call the servant itself does not panic as it does.
        let error = reference.panic("on purpose").unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Unknown);
        reference.increment().unwrap();
        assert!(reference.local().is_none());
    }
    assert_eq!(active.count(), Ok(4));
    // It is a matter of the POA, also for a reference that outlives one.
    poa.destroy(true, true).unwrap();
    let made = root.create_poa("copies").user_ids().persistent().build().unwrap();
    let direct: EverythingRef = made.activate_with_id("a", servant()).unwrap();
    assert!(direct.local().is_some());
    made.destroy(true, true).unwrap();
    let again = root.create_poa("copies").user_ids().persistent().through_poa().build().unwrap();
    again.activate_with_id("a", servant()).unwrap();
    assert_eq!(direct.panic("on purpose").unwrap_err().kind(), ExceptionKind::Unknown);
    assert_eq!(direct.increment(), Ok(1));
}

#[test]
fn through_the_poa_arguments_are_copied_and_directly_they_are_lent() {
    for collocation in [Collocation::Direct, Collocation::ThroughPoa, Collocation::Remote] {
        let orb = orbs::builder().settings(|s| s.collocation = collocation);
        let server = Server::of(orb.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
        let direct = collocation == Collocation::Direct;
        assert_eq!(server.local.local().is_some(), direct);
        server.local.increment().unwrap();
        assert_eq!(server.local.count(), Ok(1), "{collocation:?}");
        let mut kept = "kept".to_owned();
        assert_eq!(
            server.local.echo_string("given", &mut kept),
            Ok(("kept".into(), "given".into()))
        );
        let mut note = "a reason".to_owned();
        match server.local.choose(1, &mut note) {
            Err(armilla::Error::User(error)) => assert!(format!("{error:?}").contains("a reason")),
            other => panic!("{other:?}"),
        }
        // Directly it is the caller's own method that panics.
        assert!(direct || server.local.panic("on purpose").is_err());
        assert_eq!(server.local.myself().unwrap(), server.local);
    }
}
