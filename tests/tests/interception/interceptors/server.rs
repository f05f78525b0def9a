//! Server interceptors: their order, what they see, and requests that they interrupt.

use super::{Deed, Witnesses, raise, server_side};
use armilla::{ExceptionKind, Minor, Orb, Poa, Threading};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::{Arc, OnceLock};
use std::thread;

#[test]
fn a_server_calls_them_forth_and_back() {
    let (server, witnesses) = server_side();
    let remote = server.remote(&orbs::client());
    remote.ping().unwrap();
    witnesses.expect(
        "a.contexts, b.contexts, c.contexts, a.receive_request, b.receive_request, \
         c.receive_request, c.send_reply Successful, b.send_reply Successful, \
         a.send_reply Successful",
    );
    remote.choose(2, &mut String::new()).unwrap_err();
    witnesses.expect(
        "a.contexts, b.contexts, c.contexts, a.receive_request, b.receive_request, \
         c.receive_request, c.send_exception UserException, b.send_exception UserException, \
         a.send_exception UserException",
    );
    // An object that is not there is never found.
    let gone = server.remote(&orbs::client());
    let poa = server.orb.root_poa();
    poa.deactivate(&poa.reference_to_id(server.local.object()).unwrap()).unwrap();
    assert_eq!(gone.ping().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    witnesses.expect(
        "a.contexts, b.contexts, c.contexts, c.send_exception SystemException, \
         b.send_exception SystemException, a.send_exception SystemException",
    );
}

#[test]
fn a_server_interceptor_refuses_before_and_after_the_object_was_found() {
    let (server, witnesses) = server_side();
    let remote = server.remote(&orbs::client());
    witnesses.tell(1, "contexts", raise(ExceptionKind::NoPermission));
    assert_eq!(remote.increment().unwrap_err().kind(), ExceptionKind::NoPermission);
    witnesses.expect("a.contexts, b.contexts, a.send_exception SystemException");
    witnesses.tell(1, "receive_request", raise(ExceptionKind::NoPermission));
    assert_eq!(remote.increment().unwrap_err().kind(), ExceptionKind::NoPermission);
    witnesses.expect(
        "a.contexts, b.contexts, c.contexts, a.receive_request, b.receive_request, \
         c.send_exception SystemException, b.send_exception SystemException, \
         a.send_exception SystemException",
    );
    assert_eq!(remote.count().unwrap(), 0, "the servant was not called");
    witnesses.diary();
    witnesses.tell(2, "send_reply", raise(ExceptionKind::Internal));
    witnesses.tell(0, "send_exception", raise(ExceptionKind::NoResources));
    assert_eq!(remote.increment().unwrap_err().kind(), ExceptionKind::NoResources);
    witnesses.expect(
        "a.contexts, b.contexts, c.contexts, a.receive_request, b.receive_request, \
         c.receive_request, c.send_reply Successful, b.send_exception SystemException, \
         a.send_exception SystemException",
    );
}

#[test]
fn an_interceptor_that_panics_has_raised_unknown() {
    let (server, at_server) = server_side();
    let at_client = Witnesses::new();
    let remote = server.remote(&at_client.at_client().build().unwrap());
    let ends = [(&at_server, "a.send_exception"), (&at_client, "a.receive_exception")];
    let server_points = ["contexts", "receive_request", "send_reply"].map(|point| (ends[0], point));
    let client_points = ["send_request", "receive_reply"].map(|point| (ends[1], point));
    for ((witnesses, last), point) in server_points.into_iter().chain(client_points) {
        witnesses.diary();
        witnesses.tell(1, point, Deed::Panic);
        let error = remote.ping().unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Unknown);
        assert!(error.to_string().contains("the interceptor \"b\" panicked"), "{error}");
        let heard = witnesses.diary().pop();
        assert_eq!(heard, Some(format!("{last} SystemException")));
        remote.ping().unwrap();
    }
}

#[test]
fn a_server_interceptor_sends_the_client_elsewhere() {
    let (server, witnesses) = server_side();
    let other = Server::start();
    let place = Arc::new(OnceLock::new());
    place.set(other.remote(&server.orb).object().clone()).unwrap();
    for (point, diary) in [
        ("contexts", "a.contexts, b.contexts, a.send_other LocationForward"),
        (
            "receive_request",
            "a.contexts, b.contexts, c.contexts, a.receive_request, b.receive_request, \
             c.send_other LocationForward, b.send_other LocationForward, \
             a.send_other LocationForward",
        ),
    ] {
        let before = other.local.count().unwrap();
        witnesses.tell(1, point, Deed::Forward(place.clone()));
        server.remote(&orbs::client()).increment().unwrap();
        witnesses.expect(diary);
        assert_eq!(other.local.count().unwrap(), before + 1);
    }
    witnesses.tell(1, "send_exception", Deed::Forward(place));
    server.remote(&orbs::client()).choose(2, &mut String::new()).unwrap_err();
    witnesses.expect(
        "a.contexts, b.contexts, c.contexts, a.receive_request, b.receive_request, \
         c.receive_request, c.send_exception UserException, b.send_exception UserException, \
         a.send_other LocationForward",
    );
    assert_eq!(server.local.count().unwrap(), 0);
}

/// A reference to an object of the POA `child`, which an adapter activator makes with this policy.
fn of_child(orb: &Orb, threading: Threading) -> EverythingRef {
    let make = move |parent: &Poa, name: &str| {
        let child = parent.create_poa(name).persistent().user_ids().policy(threading);
        child.build().unwrap()
    };
    let child = make(&orb.root_poa(), "child");
    let object = child.create_reference_with_id("one").unwrap();
    child.destroy(false, false).unwrap();
    orb.root_poa().set_activator(move |parent: &Poa, name: &str| {
        let servant: Arc<dyn Everything> = Arc::new(Probe::default());
        make(parent, name).activate_with_id("one", servant).is_ok()
    });
    object
}

/// What an interceptor refuses makes no POA.
#[test]
fn adapter_activators_run_after_the_first_interception_points() {
    let (server, witnesses) = server_side();
    let object = of_child(&server.orb, Threading::OrbControl);
    for remote in [travel(&object, &orbs::client()), object] {
        witnesses.tell(1, "contexts", raise(ExceptionKind::NoPermission));
        assert_eq!(remote.ping().unwrap_err().kind(), ExceptionKind::NoPermission);
        witnesses.expect("a.contexts, b.contexts, a.send_exception SystemException");
        let found = server.orb.root_poa().find_poa("child", false);
        assert!(found.is_err(), "a request that was refused has made it");
        remote.ping().unwrap();
        witnesses.diary();
        server.orb.root_poa().find_poa("child", false).unwrap().destroy(false, true).unwrap();
    }
}

#[test]
fn a_request_that_the_main_thread_serves_passes_the_interceptors_once() {
    let (server, witnesses) = server_side();
    let near = of_child(&server.orb, Threading::MainThread);
    let far = travel(&near, &orbs::client());
    for _ in 0..2 {
        thread::scope(|scope| {
            let call = scope.spawn(|| far.increment());
            eventually("it is served", || {
                server.perform_work().unwrap();
                call.is_finished()
            });
            call.join().unwrap().unwrap();
        });
        witnesses.expect(
            "a.contexts, b.contexts, c.contexts, a.receive_request, b.receive_request, \
             c.receive_request, c.send_reply Successful, b.send_reply Successful, \
             a.send_reply Successful",
        );
    }
    // One for which the main thread has no time, or the ORB ends first.
    thread::scope(|scope| {
        let call = scope.spawn(|| near.increment());
        eventually("work comes", || server.work_pending().unwrap());
        server.shutdown();
        let error = call.join().unwrap().unwrap_err();
        assert_eq!(error.minor(), Minor::BAD_INV_ORDER_ORB_SHUT_DOWN, "{error}");
    });
    witnesses.expect(
        "a.contexts, b.contexts, c.contexts, c.send_exception SystemException, \
         b.send_exception SystemException, a.send_exception SystemException",
    );
}
