//! A collocated call that a servant manager forwards to another process is one call: its time limit
//! and its number of forwards apply to the whole.

use armilla::interceptor::{ClientInterceptor, ClientRequestInfo, Interruption};
use armilla::{
    AnyServant, Cookie, ExceptionKind, Minor, Object, ObjectId, Orb, OrbBuilder, Poa,
    RequestProcessing, ServantLocator, ServantManager, ServantManagerError, ServantRetention,
};
use armilla_tests::orbs::{self, travel};
use armilla_tests::probe::*;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};
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
