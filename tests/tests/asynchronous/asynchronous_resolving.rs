//! Resolving, narrowing and naming without blocking a thread, as in a task of a single-threaded
//! executor.

use armilla::{ExceptionKind, Object, Orb, SystemException};
use armilla_giop::ReplyStatus;
use armilla_tests::gate::{PATIENCE, eventually};
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{self, Peer, Request};
use armilla_tests::probe::*;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Instant;

/// Counts how often a task was woken.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

/// Drives a future on this thread as an executor does, and checks that no poll waits.
fn run<R>(future: impl Future<Output = R> + Send) -> R {
    let mut future = pin!(future);
    let woken = Arc::new(Woken::default());
    loop {
        let before = woken.0.load(SeqCst);
        if let Poll::Ready(result) = poll(future.as_mut(), &woken) {
            return result;
        }
        eventually("the task is woken", || woken.0.load(SeqCst) > before);
    }
}

fn poll<R>(future: Pin<&mut (impl Future<Output = R> + ?Sized)>, woken: &Arc<Woken>) -> Poll<R> {
    let begun = Instant::now();
    let waker = Waker::from(woken.clone());
    let polled = future.poll(&mut Context::from_waker(&waker));
    assert!(begun.elapsed() < PATIENCE / 4, "a poll waited");
    polled
}

/// A server that accepts requests and never answers.
fn silent() -> Peer {
    Peer::start(|_, mut wire| while wire.request().is_some() {})
}

#[test]
fn a_silent_server_blocks_no_thread() {
    let peer = silent();
    let orb = orbs::builder().build().unwrap();
    let url = format!("corbaloc::127.0.0.1:{}/{}", peer.port(), "scripted");
    let name = format!("corbaname::127.0.0.1:{}#dome", peer.port());
    let woken = Arc::new(Woken::default());
    let object = orb.string_to_object(&url).unwrap();
    let mut tasks: Vec<Pin<Box<dyn Future<Output = Option<SystemException>> + Send>>> = vec![
        Box::pin(async { orb.resolve_async::<dyn Everything>(&url).await.err() }),
        Box::pin(async { orb.string_to_object_async(&name).await.err() }),
        Box::pin(async { object.narrow_async::<dyn Everything>().await.err() }),
        Box::pin(async { object.is_a_async("IDL:Other:1.0").await.err() }),
        Box::pin(async { object.non_existent_async().await.err() }),
    ];
    for task in &mut tasks {
        assert!(poll(task.as_mut(), &woken).is_pending());
    }
    orb.shutdown();
}

#[test]
fn the_results_are_those_of_the_blocking_methods() {
    let server = Server::start();
    let orb = orbs::client();
    let url = orb.object_to_string(server.local.object()).unwrap();
    let object = run(orb.string_to_object_async(&url)).unwrap();
    assert_eq!(object, orb.string_to_object(&url).unwrap());
    let remote: EverythingRef = run(orb.resolve_async(&url)).unwrap();
    assert_eq!(remote.increment(), Ok(1));
    assert!(run(object.narrow_async::<dyn Counted>()).is_ok());
    let other = run(object.narrow_async::<dyn Listener>()).unwrap_err();
    assert_eq!(other.kind(), ExceptionKind::BadParam);
    assert_eq!(run(object.non_existent_async()), Ok(false));
    let malformed = run(orb.string_to_object_async("corbaloc:")).unwrap_err();
    assert_eq!(malformed, orb.string_to_object("corbaloc:").unwrap_err());
}

/// A naming context with one name, scripted.
fn naming(bound: Object, log: mpsc::Sender<String>) -> Peer {
    let log = Mutex::new(log);
    let ior = bound.ior();
    Peer::answering(move |request: &Request| {
        log.lock().unwrap().send(request.operation.clone()).unwrap();
        let status = ReplyStatus::NoException;
        peer::reply(request.version, request.order, request.id, status, |out| {
            match &*request.operation {
                "resolve" | "bind_new_context" => peer::put_ior(&ior, out),
                _ => Ok(()),
            }
        })
    })
}

#[test]
fn names_are_resolved_bound_and_unbound() {
    let server = Server::start();
    let (sender, log) = mpsc::channel();
    let service = naming(server.local.object().clone(), sender);
    let arguments = [
        "-ORBInitRef".to_owned(),
        format!("NameService=corbaloc::127.0.0.1:{}/NameService", service.port()),
    ];
    let orb: Orb = orbs::builder().arguments(arguments).unwrap().build().unwrap();
    let found = run(orb.resolve_name_async("dome")).unwrap();
    assert_eq!(found, orb.resolve_name("dome").unwrap());
    run(orb.bind_name_async("dome", server.local.object())).unwrap();
    run(orb.unbind_name_async("dome")).unwrap();
    let asked: Vec<String> = log.try_iter().collect();
    assert_eq!(asked, ["resolve", "resolve", "rebind", "unbind"]);
}

#[test]
fn a_reference_is_read_from_a_file_within_a_limit() {
    let endless = orbs::client().string_to_object("file:///dev/zero").unwrap_err();
    assert_eq!(endless.kind(), ExceptionKind::BadParam, "{endless}");
}
