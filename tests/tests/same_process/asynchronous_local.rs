//! Asynchronous calls to objects of the same process: they stay in the process, whatever addresses
//! the references contain, and behave like calls from other processes.

use armilla::interceptor::{
    ClientInterceptor, ClientRequestInfo, Interruption, ProcessingMode, ServerInterceptor,
    ServerRequestInfo,
};
use armilla::{
    Collocation, Completion, Cookie, ExceptionKind, Object, ObjectId, Orb, Poa, Policies, Rebind,
    SameHost, ServantLocator, ServantManager, ServantManagerError, SystemException,
};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// An address without a host.
const NOWHERE: &str = "iiop://127.0.0.1:0?publish=192.0.2.1:9";

/// An ORB whose references contain unreachable addresses only, and whose generated stubs do not
/// call servants directly.
fn unreachable() -> Orb {
    let builder =
        orbs::builder().settings(|settings| settings.collocation = Collocation::ThroughPoa);
    builder.listen(NOWHERE).unwrap().build().unwrap()
}

#[test]
fn they_reach_objects_whose_address_the_process_cannot_reach_itself() {
    let orb = unreachable();
    let (probe, object) = orbs::activate(&orb);
    assert_eq!(object.increment_async().wait(), Ok(1));
    object.object().request("ping").send_deferred().wait().unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    object.increment_async().on_reply(move |count| sender.send(count).unwrap());
    assert_eq!(receiver.recv().unwrap(), Ok(2));
    // The program goes on meanwhile, and others are served too.
    let blocked = object.block_async();
    probe.gate.await_waiting(1);
    assert_eq!(object.increment_async().wait(), Ok(3));
    assert!(!blocked.is_ready());
    probe.gate.open();
    blocked.wait().unwrap();
    orb.shutdown();
    let late = object.increment_async().wait().unwrap_err();
    assert_eq!(late.kind(), ExceptionKind::BadInvOrder);
}

/// Writes down what it sees.
#[derive(Clone)]
struct Witness(ProcessingMode, Arc<Mutex<Vec<String>>>);

impl Witness {
    fn saw(&self, what: &str) {
        self.1.lock().unwrap().push(what.to_owned());
    }
}

impl ClientInterceptor for Witness {
    fn name(&self) -> &str {
        "witness"
    }

    fn processing_mode(&self) -> ProcessingMode {
        self.0
    }

    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.saw(&format!("sends {}", info.operation()));
        Ok(())
    }

    fn receive_reply(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.saw(&format!("gets {}", info.operation()));
        Ok(())
    }
}

impl ServerInterceptor for Witness {
    fn name(&self) -> &str {
        "witness"
    }

    fn processing_mode(&self) -> ProcessingMode {
        self.0
    }

    fn receive_request(&self, info: &mut ServerRequestInfo) -> Result<(), Interruption> {
        self.saw(&format!("receives {}", info.operation()));
        Ok(())
    }
}

#[test]
fn interceptors_see_them_as_calls_within_the_process() {
    for mode in [ProcessingMode::LocalOnly, ProcessingMode::RemoteOnly] {
        let witness = Witness(mode, Arc::default());
        let builder = orbs::builder().client_interceptor(witness.clone());
        let builder = builder.server_interceptor(witness.clone());
        let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let (_, object) = orbs::activate(&orb);
        object.ping_async().wait().unwrap();
        let seen = std::mem::take(&mut *witness.1.lock().unwrap());
        match mode {
            ProcessingMode::LocalOnly => {
                assert_eq!(seen, ["sends ping", "receives ping", "gets ping"])
            }
            _ => assert!(seen.is_empty(), "{seen:?}"),
        }
        // Those that travel are seen by the others.
        travel(&object, &orbs::client()).ping_async().wait().unwrap();
        let seen = witness.1.lock().unwrap().len();
        assert_eq!(seen, usize::from(mode == ProcessingMode::RemoteOnly));
        orb.shutdown();
    }
}

#[test]
fn they_keep_to_managers_and_limits_and_need_no_leave_to_connect() {
    let orb = unreachable();
    let poa = orb.root_poa().create_poa("held").build().unwrap();
    let probe = Arc::new(Probe::default());
    let object = poa.activate(probe.clone() as Arc<dyn Everything>).unwrap();
    poa.manager().hold_requests(true).unwrap();
    let late = object.with_timeout(Duration::from_millis(300)).ping_async();
    eventually("it is held", || poa.manager().held_requests() > 0);
    let late = late.wait().unwrap_err();
    assert_eq!((late.kind(), late.completed()), (ExceptionKind::Timeout, Completion::Maybe));
    assert!(late.to_string().contains("this process"), "{late}");
    let bound = Policies { rebind: Some(Rebind::NoReconnect), ..Policies::default() };
    let held = object.with_policies(bound).increment_async();
    eventually("it is held", || poa.manager().held_requests() > 0);
    assert!(!held.is_ready());
    poa.manager().activate().unwrap();
    assert_eq!(held.wait(), Ok(1));
    poa.destroy(true, true).unwrap();
    let gone = object.ping_async().wait().unwrap_err();
    assert_eq!(gone.kind(), ExceptionKind::ObjectNotExist);
    orb.shutdown();
}

/// Sends every request to another object, and counts them.
struct Sender(Object, Arc<AtomicUsize>);

impl ServantLocator for Sender {
    fn preinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
    ) -> Result<(armilla::AnyServant, Cookie), ServantManagerError> {
        self.1.fetch_add(1, Ordering::SeqCst);
        Err(ServantManagerError::Forward(self.0.clone()))
    }
}

#[test]
fn they_go_where_servant_managers_send_them_near_and_far() {
    let elsewhere = orbs::Server::start();
    let witness = Witness(ProcessingMode::LocalAndRemote, Arc::default());
    let watched = orbs::builder().client_interceptor(witness).listen(NOWHERE).unwrap();
    for orb in [unreachable(), watched.build().unwrap()] {
        they_go_where_servant_managers_send_them(&orb, &elsewhere.local);
        orb.shutdown();
    }
}

fn they_go_where_servant_managers_send_them(orb: &Orb, elsewhere: &EverythingRef) {
    let (_, near) = orbs::activate(orb);
    let far = travel(elsewhere, orb);
    for (name, target) in [("near", near), ("far", far)] {
        let before = target.count().unwrap();
        let asked = Arc::new(AtomicUsize::new(0));
        let sender = Sender(target.object().clone(), asked.clone());
        let sender = ServantManager::locator(sender);
        let poa = orb.root_poa().create_poa(name).user_ids().servant_manager(sender);
        let poa = poa.build().unwrap();
        let object: EverythingRef = poa.create_reference_with_id("one").unwrap();
        for number in [1, 2] {
            assert_eq!(object.increment_async().wait(), Ok(before + number), "{name}");
        }
        assert_eq!(object.increment(), Ok(before + 3), "{name}");
        assert_eq!(asked.load(Ordering::SeqCst), 3, "{name}: a forward holds for one call");
    }
}

#[test]
fn calls_can_be_forced_through_a_connection() {
    let settings = orbs::builder().settings(|settings| {
        settings.collocation = Collocation::Remote;
        settings.same_host = SameHost::Off;
        settings.connect_timeout = Duration::from_millis(50);
    });
    let orb = settings.listen("iiop://127.0.0.1:0?publish=127.0.0.1:9").unwrap().build().unwrap();
    let (_, object) = orbs::activate(&orb);
    let error = object.ping_async().wait().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::Transient, "nobody listens there: {error}");
    orb.shutdown();
}

#[test]
fn many_threads_may_make_many_of_them_at_once() {
    let orb = unreachable();
    let (_, object) = orbs::activate(&orb);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let calls: Vec<_> = (0..200).map(|_| object.increment_async()).collect();
                calls.into_iter().for_each(|call| assert!(call.wait().is_ok()));
            });
        }
    });
    assert_eq!(object.count(), Ok(800));
    orb.shutdown();
}

#[test]
fn those_that_the_end_of_the_orb_finds_on_their_way_were_executed_or_were_not() {
    for _ in 0..10 {
        let orb = unreachable();
        let (probe, object) = orbs::activate(&orb);
        let done = thread::scope(|scope| {
            let callers = [(); 4].map(|()| {
                scope.spawn(|| {
                    let outcomes = std::iter::repeat_with(|| object.increment_async().wait());
                    let mut done = 0;
                    for outcome in outcomes {
                        match outcome {
                            Ok(_) => done += 1,
                            Err(error) => {
                                assert_eq!(error.completed(), Completion::No, "{error}");
                                return done;
                            }
                        }
                    }
                    done
                })
            });
            eventually("calls are made", || probe.count().unwrap() > 20);
            orb.shutdown();
            callers.map(|caller| caller.join().unwrap())
        });
        assert_eq!(probe.count(), Ok(done.iter().sum()));
    }
}

#[test]
fn shutdown_waits_for_requests_in_progress_whatever_follows_them() {
    let orb = unreachable();
    let (probe, object) = orbs::activate(&orb);
    let blocked = object.block_async();
    probe.gate.await_waiting(1);
    let ending = thread::spawn({
        let orb = orb.clone();
        move || orb.shutdown()
    });
    // Until one of them is not taken any more.
    let soon = Duration::from_millis(100);
    let mut last = std::iter::repeat_with(|| object.increment_async().wait_for(soon));
    let last = last.find(|taken| !matches!(taken, Ok(Ok(_)))).unwrap();
    assert!(!blocked.is_ready());
    probe.gate.open();
    assert_eq!(blocked.wait(), Ok(()));
    let refused = last.unwrap_or_else(|last| last.wait()).unwrap_err();
    assert_eq!(refused.completed(), Completion::No, "{refused}");
    ending.join().unwrap();
}

#[test]
fn they_do_not_wait_for_a_servant_that_a_reference_could_call_directly() {
    let orb = orbs::client();
    let (probe, object) = orbs::activate(&orb);
    assert!(object.local().is_some(), "synchronous calls are direct");
    let blocked = object.block_async();
    probe.gate.await_waiting(1);
    assert!(!blocked.is_ready());
    assert_eq!(object.increment_async().wait(), Ok(1));
    probe.gate.open();
    blocked.wait().unwrap();
}
