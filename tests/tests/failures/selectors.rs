//! Selectors of extensions that are asked for another object when a call has failed: that takes
//! time of the call.

use armilla::{
    CallChoice, CallSelector, ClientExtension, Completion, ExceptionKind, Ior, Object, Orb,
    SystemException, Version,
};
use armilla_tests::gate::PATIENCE;
use armilla_tests::orbs;
use armilla_tests::peer::{self, Peer, done};
use armilla_tests::probe::*;
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

const LIMIT: Duration = Duration::from_millis(300);

/// Sends calls to an object that is gone, and when it is asked again to one that is there.
struct Selector {
    objects: [Object; 2],
    asked: AtomicUsize,
    /// What it does before it answers.
    search: Box<dyn Fn() + Send + Sync>,
}

impl CallSelector for Selector {
    fn select(&self) -> Result<CallChoice<'_>, SystemException> {
        let object = &self.objects[self.asked.load(Ordering::SeqCst).min(1)];
        Ok(CallChoice { object: Cow::Borrowed(object), context: None })
    }

    fn select_again(&self, _: &Object, _: &SystemException) -> bool {
        (self.search)();
        self.asked.fetch_add(1, Ordering::SeqCst);
        true
    }
}

/// Attaches its selector to references to one port.
struct Extension(u16, Arc<Selector>);

impl ClientExtension for Extension {
    fn attach(&self, _: &Orb, ior: &Ior) -> Result<Option<Arc<dyn CallSelector>>, SystemException> {
        let port = ior.iiop_profiles().next().and_then(Result::ok).map(|profile| profile.port);
        Ok((port == Some(self.0)).then(|| self.1.clone() as Arc<dyn CallSelector>))
    }
}

struct Scene {
    /// Where calls go when the selector was asked again, and how many have come there.
    server: Peer,
    served: Arc<AtomicUsize>,
    selector: Arc<Selector>,
    remote: EverythingRef,
    _client: Orb,
}

fn scene(search: impl Fn() + Send + Sync + 'static) -> Scene {
    let served = Arc::<AtomicUsize>::default();
    let count = served.clone();
    let server = Peer::answering(move |request| {
        count.fetch_add(1, Ordering::SeqCst);
        done(request)
    });
    let client = orbs::client();
    let gone = peer::resolve(&client, &peer::ior(&[peer::dead_port()], Version::V1_2));
    let there = server.reference(&client, Version::V1_2);
    let objects = [gone, there].map(|remote| remote.object().clone());
    let (asked, search) = (AtomicUsize::new(0), Box::new(search));
    let selector = Arc::new(Selector { objects, asked, search });
    let attached = peer::dead_port();
    client.set_client_extension(Arc::new(Extension(attached, selector.clone())));
    let remote = peer::resolve(&client, &peer::ior(&[attached], Version::V1_2));
    Scene { server, served, selector, remote, _client: client }
}

#[track_caller]
fn assert_unsent(result: Result<(), SystemException>) {
    let error = result.unwrap_err();
    let outcome = (error.kind(), error.completed());
    assert_eq!(outcome, (ExceptionKind::Timeout, Completion::No), "{error}");
}

#[test]
fn a_call_in_time_is_made_where_the_selector_then_leads() {
    for asynchronous in [false, true] {
        let scene = scene(|| ());
        match asynchronous {
            false => scene.remote.ping().unwrap(),
            true => scene.remote.ping_async().wait().unwrap(),
        }
        assert_eq!(scene.served.load(Ordering::SeqCst), 1);
    }
}

/// In the thread that calls, the selector takes its time.
#[test]
fn the_time_that_a_selector_takes_is_the_callers() {
    let scene = scene(|| thread::sleep(LIMIT + LIMIT / 2));
    assert_unsent(scene.remote.with_timeout(LIMIT).ping());
    assert_eq!(scene.selector.asked.load(Ordering::SeqCst), 1);
    assert_eq!((scene.served.load(Ordering::SeqCst), scene.server.connections()), (0, 0));
    // Another call has time of its own.
    scene.remote.ping().unwrap();
}

#[test]
fn a_call_without_a_thread_ends_in_time_although_its_selector_does_not_answer() {
    let (answer, answers) = mpsc::channel::<()>();
    let answers = Mutex::new(answers);
    let scene = scene(move || _ = answers.lock().unwrap().recv_timeout(PATIENCE));
    assert_unsent(scene.remote.with_timeout(LIMIT).ping_async().wait_for(PATIENCE).unwrap());
    assert_eq!(scene.selector.asked.load(Ordering::SeqCst), 0, "it still searches");
    drop(answer);
    // The same thread asks for this one if it comes soon, after it has left the first one alone.
    scene.remote.ping_async().wait().unwrap();
    assert_eq!(scene.served.load(Ordering::SeqCst), 1);
}
