//! A collocated call that a servant manager forwards to another process is one call: its time limit
//! and its number of forwards apply to the whole.

use armilla::interceptor::{ClientInterceptor, ClientRequestInfo, Interruption};
use armilla::{
    AnyServant, CallChoice, CallSelector, ClientExtension, Completion, Cookie, ExceptionKind, Ior,
    Minor, Object, ObjectId, Orb, OrbBuilder, Poa, Policies, RequestProcessing, Retries,
    ServantLocator, ServantManager, ServantManagerError, ServantRetention, SystemException,
    Version,
};
use armilla_tests::orbs::{self, travel};
use armilla_tests::peer;
use armilla_tests::probe::*;
use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

/// Forwards every call to another object, after a delay.
#[derive(Default)]
struct Forwarder {
    to: OnceLock<Object>,
    delay: Duration,
    forwards: AtomicU32,
}

struct Locator(Arc<Forwarder>);

impl ServantLocator for Locator {
    fn preinvoke(
        &self,
        _id: &ObjectId,
        _adapter: &Poa,
        _operation: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError> {
        let Forwarder { to, delay, forwards } = &*self.0;
        forwards.fetch_add(1, SeqCst);
        thread::sleep(*delay);
        Err(to.get().unwrap().clone().into())
    }
}

/// An object of `orb` whose calls go elsewhere.
fn forwarding(orb: &Orb, delay: Duration) -> (Arc<Forwarder>, EverythingRef) {
    let forwarder = Arc::new(Forwarder { delay, ..Forwarder::default() });
    let builder = orb.root_poa().create_poa("forwarding").user_ids();
    let poa = builder
        .policy(ServantRetention::NonRetain)
        .policy(RequestProcessing::ServantManager)
        .servant_manager(ServantManager::locator(Locator(forwarder.clone())))
        .build()
        .unwrap();
    let object = poa.create_reference_with_id("it");
    (forwarder, object.unwrap())
}

/// Two servers whose objects forward to each other; `delay` is how long each takes to say so.
fn ring(builder: OrbBuilder, delay: Duration) -> (Orb, [Arc<Forwarder>; 2], EverythingRef) {
    let here = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let there = orbs::listening();
    let (first, near) = forwarding(&here, delay);
    let (second, far) = forwarding(&there, delay);
    first.to.set(travel(&far, &here).object().clone()).unwrap();
    second.to.set(travel(&near, &there).object().clone()).unwrap();
    (here, [first, second], near)
}

struct Watcher;

impl ClientInterceptor for Watcher {
    fn name(&self) -> &str {
        "watcher"
    }

    fn send_request(&self, _info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        Ok(())
    }
}

/// Without interceptors, and with one: the same rules hold for both.
fn builders() -> [OrbBuilder; 2] {
    [orbs::builder(), orbs::builder().client_interceptor(Watcher)]
}

#[test]
fn forwards_within_the_process_and_out_of_it_are_counted_together() {
    const LIMIT: u32 = 3;
    for builder in builders() {
        let builder = builder.settings(|settings| settings.max_forwards = LIMIT);
        let (_orb, forwarders, object) = ring(builder, Duration::ZERO);
        let error = object.ping().unwrap_err();
        let expected = (ExceptionKind::Transient, Minor::TOO_MANY_FORWARDS);
        assert_eq!((error.kind(), error.minor()), expected, "{error}");
        let forwards: u32 = forwarders.iter().map(|one| one.forwards.load(SeqCst)).sum();
        assert_eq!(forwards, LIMIT + 1);
    }
}

#[test]
fn a_call_that_is_forwarded_out_of_the_process_keeps_its_time() {
    const STEP: Duration = Duration::from_millis(200);
    for builder in builders() {
        let builder = builder.settings(|settings| settings.max_forwards = 5);
        let (_orb, forwarders, object) = ring(builder, STEP);
        // Each forward takes longer than half of the time, so that the third one is too late.
        let error = object.with_timeout(STEP * 3 / 2).ping().unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Timeout, "{error}");
        let forwards: u32 = forwarders.iter().map(|one| one.forwards.load(SeqCst)).sum();
        assert!(forwards <= 2, "{forwards} servers were asked");
    }
}

/// Has each call refused so often, and then forwarded.
struct Hesitant {
    to: OnceLock<Object>,
    refusals: u32,
    asked: AtomicU32,
}

struct Hesitating(Arc<Hesitant>);

impl ServantLocator for Hesitating {
    fn preinvoke(
        &self,
        _id: &ObjectId,
        _adapter: &Poa,
        _operation: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError> {
        let Hesitant { to, refusals, asked } = &*self.0;
        if asked.fetch_add(1, SeqCst) % (refusals + 1) < *refusals {
            let (kind, minor) = (ExceptionKind::Transient, Minor::default());
            return Err(SystemException::new(kind, minor, Completion::No).into());
        }
        Err(to.get().unwrap().clone().into())
    }
}

/// An object of `orb` whose calls are refused so often, and then go to `to`.
fn hesitating(orb: &Orb, refusals: u32, to: Object) -> (Arc<Hesitant>, EverythingRef) {
    let hesitant = Arc::new(Hesitant { to: to.into(), refusals, asked: AtomicU32::new(0) });
    let builder = orb.root_poa().create_poa("hesitating").user_ids();
    let poa = builder
        .policy(ServantRetention::NonRetain)
        .policy(RequestProcessing::ServantManager)
        .servant_manager(ServantManager::locator(Hesitating(hesitant.clone())))
        .build()
        .unwrap();
    (hesitant, poa.create_reference_with_id("it").unwrap())
}

/// A way to call: the thread waits, or it does not.
type Way = fn(&EverythingRef) -> Result<i32, SystemException>;

const WAYS: [Way; 2] = [|object| object.increment(), |object| object.increment_async().wait()];

#[test]
fn calls_within_the_process_are_retried_as_the_policy_says() {
    for builder in builders() {
        let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let (_probe, object) = orbs::activate(&orb);
        let (hesitant, hesitating) = hesitating(&orb, 2, object.object().clone());
        let retries = |count| Policies {
            retries: Some(Retries { count, delay: Duration::from_millis(1), ..Retries::NONE }),
            ..Policies::default()
        };
        for call in WAYS {
            hesitant.asked.store(0, SeqCst);
            call(&hesitating.with_policies(retries(2))).unwrap();
            assert_eq!(hesitant.asked.swap(0, SeqCst), 3);
            let error = call(&hesitating.with_policies(retries(1))).unwrap_err();
            assert_eq!(error.kind(), ExceptionKind::Transient);
            assert!(error.to_string().contains("retried once"), "{error}");
            assert_eq!(hesitant.asked.swap(0, SeqCst), 2);
            // Without the policy, the exception ends the call.
            assert_eq!(call(&hesitating).unwrap_err().kind(), ExceptionKind::Transient);
            assert_eq!(hesitant.asked.load(SeqCst), 1);
        }
    }
}

/// Attaches to references to one port, and leads their calls to `object`.
struct Signpost {
    port: u16,
    object: Object,
}

struct Arm(Object);

impl CallSelector for Arm {
    fn select(&self) -> Result<CallChoice<'_>, SystemException> {
        Ok(CallChoice { object: Cow::Borrowed(&self.0), context: None })
    }
}

impl ClientExtension for Signpost {
    fn attach(&self, _: &Orb, ior: &Ior) -> Result<Option<Arc<dyn CallSelector>>, SystemException> {
        let port = ior.iiop_profiles().next().and_then(Result::ok).map(|profile| profile.port);
        let arm = || Arc::new(Arm(self.object.clone())) as Arc<dyn CallSelector>;
        Ok((port == Some(self.port)).then(arm))
    }
}

#[test]
fn the_selector_of_where_an_object_of_the_process_forwards_leads_every_kind_of_call() {
    for builder in builders() {
        let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let there = orbs::listening();
        let (probe, object) = orbs::activate(&there);
        let port = peer::dead_port();
        let nowhere: EverythingRef = peer::resolve(&orb, &peer::ior(&[port], Version::V1_2));
        let object = travel(&object, &orb).object().clone();
        orb.set_client_extension(Arc::new(Signpost { port, object }));
        let (_, forwarding) = hesitating(&orb, 0, nowhere.object().clone());
        for (call, count) in WAYS.into_iter().zip(1..) {
            assert_eq!(call(&forwarding), Ok(count));
        }
        drop(probe);
    }
}

/// Notes the objects that were called, at the start and at the end of each attempt.
struct Targets(Arc<Mutex<Vec<Object>>>);

impl Targets {
    fn note(&self, info: &ClientRequestInfo<'_>) {
        self.0.lock().unwrap().push(info.target().clone());
    }
}

impl ClientInterceptor for Targets {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.note(info);
        Ok(())
    }

    fn receive_reply(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.note(info);
        Ok(())
    }

    fn receive_other(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.note(info);
        Ok(())
    }
}

#[test]
fn interceptors_see_the_object_that_was_called_also_after_a_forward() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let builder = orbs::builder().client_interceptor(Targets(seen.clone()));
    let orb = builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let there = orbs::listening();
    let (_probe, object) = orbs::activate(&there);
    let elsewhere = travel(&object, &orb).object().clone();
    let (_, forwarding) = hesitating(&orb, 0, elsewhere);
    for call in WAYS {
        call(&forwarding).unwrap();
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        assert_eq!(seen, vec![forwarding.object().clone(); 4]);
    }
}
