//! Oneway calls: when they return, and their order.

use armilla::{
    Completion, ExceptionKind, Minor, OnewayBuffer, Policies, PolicyCurrent, SyncScope, Threading,
    Version,
};
use armilla_giop::{Message, ResponseFlags, decode_request};
use armilla_tests::gate::{PATIENCE, eventually};
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{Peer, done};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

const SCOPES: [SyncScope; 4] =
    [SyncScope::None, SyncScope::WithTransport, SyncScope::WithServer, SyncScope::WithTarget];

#[test]
fn every_call_arrives_whenever_it_returns() {
    let server = Server::start();
    let client = orbs::client();
    for (number, scope) in SCOPES.into_iter().enumerate() {
        let remote = server.remote(&client).with_sync_scope(scope);
        (0..100).for_each(|_| remote.remark("one way").unwrap());
        assert_eq!(
            server.local.remarks(100 * (number as u32 + 1)).unwrap().len(),
            100 * (number + 1)
        );
    }
}

#[test]
fn the_server_is_told_what_the_client_waits_for() {
    let (sender, receiver) = mpsc::channel();
    let sender = Mutex::new(sender);
    let peer = Peer::start(move |_, mut wire| {
        while let Some(request) = wire.request() {
            let message = Message::parse(&request.octets).unwrap().unwrap();
            let (header, _) = decode_request(&message).unwrap();
            let flags = match (header.response_expected, header.sync_with_server) {
                (false, _) => ResponseFlags::None,
                (true, true) => ResponseFlags::Server,
                (true, false) => ResponseFlags::Target,
            };
            sender.lock().unwrap().send(flags).unwrap();
            if header.response_expected {
                wire.send(&done(&request));
            }
        }
    });
    let client = orbs::client();
    let expected =
        [ResponseFlags::None, ResponseFlags::None, ResponseFlags::Server, ResponseFlags::Target];
    for (scope, flags) in SCOPES.into_iter().zip(expected) {
        peer.reference(&client, Version::V1_2).with_sync_scope(scope).remark("x").unwrap();
        assert_eq!(receiver.recv_timeout(PATIENCE).unwrap(), flags);
    }
}

#[test]
fn sync_with_target_reports_the_exception_of_the_servant() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    let id = server.root_poa().reference_to_id(server.local.object()).unwrap();
    server.root_poa().deactivate(&id).unwrap();
    let target = remote.with_sync_scope(SyncScope::WithTarget);
    assert_eq!(target.remark("x").unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    remote.with_sync_scope(SyncScope::None).remark("nobody hears").unwrap();
}

#[test]
fn the_scope_is_that_of_the_reference_else_of_the_thread_else_of_the_orb() {
    let server = Server::start();
    let id = server.root_poa().reference_to_id(server.local.object()).unwrap();
    let client = orbs::builder().settings(|settings| settings.sync_scope = SyncScope::WithTarget);
    let client = client.build().unwrap();
    let orb = server.remote(&client);
    server.root_poa().deactivate(&id).unwrap();
    let scope = |scope| Policies { sync_scope: Some(scope), ..Policies::default() };
    let hears = |reference: &EverythingRef| reference.remark("x").is_err();
    let now = |reference: &EverythingRef| reference.object().client_policies().unwrap().sync_scope;
    let own = orb.with_policies(scope(SyncScope::None));
    let short = own.with_sync_scope(SyncScope::WithTarget);
    assert!(hears(&orb) && !hears(&own) && hears(&short));

    let thread = PolicyCurrent::set(scope(SyncScope::WithTransport));
    assert!(!hears(&orb) && !hears(&own) && hears(&short));
    let scopes = [&orb, &own, &short].map(now);
    let expected = [SyncScope::WithTransport, SyncScope::None, SyncScope::WithTarget];
    assert_eq!(scopes, expected.map(Some));
    let inner = PolicyCurrent::set(scope(SyncScope::WithTarget));
    assert!(hears(&orb) && !hears(&own));
    drop((thread, inner));
    assert_eq!(now(&orb), Some(SyncScope::WithTarget));
    client.set_policies(scope(SyncScope::WithTransport));
    assert!(!hears(&orb) && hears(&short));
    assert_eq!(now(&orb), Some(SyncScope::WithTransport));
}

/// A client whose oneway calls wait until something makes them leave.
fn patient(change: impl FnOnce(&mut OnewayBuffer)) -> armilla::Orb {
    let builder = orbs::builder().settings(|settings| {
        settings.sync_scope = SyncScope::None;
        let never = Duration::from_secs(3600);
        settings.oneway_buffer = OnewayBuffer { count: 1 << 20, octets: 1 << 30, delay: never };
        change(&mut settings.oneway_buffer);
    });
    builder.build().unwrap()
}

#[test]
fn calls_wait_for_each_other_until_they_are_flushed() {
    let server = Server::start();
    let client = patient(|_| {});
    let remote = server.remote(&client);
    (0..50).for_each(|_| remote.remark("waits").unwrap());
    assert_eq!(server.local.remarks(0).unwrap().len(), 0);
    remote.object().flush();
    assert_eq!(server.local.remarks(50).unwrap().len(), 50);
    remote.remark("last").unwrap();
    client.shutdown();
    assert_eq!(server.local.remarks(51).unwrap().len(), 51, "at the latest they leave at the end");
}

#[test]
fn a_twoway_call_takes_them_along_and_comes_behind_them() {
    let server = Server::start();
    let remote = server.remote(&patient(|_| {}));
    for round in 1..20 {
        (0..10).for_each(|_| remote.remark("before").unwrap());
        assert_eq!(remote.remarks(0).unwrap().len(), 10 * round);
    }
}

#[test]
fn they_leave_when_they_are_many_or_large_or_old() {
    let server = Server::start();
    let many = server.remote(&patient(|buffer| buffer.count = 10));
    (0..10).for_each(|_| many.remark("many").unwrap());
    assert_eq!(server.local.remarks(10).unwrap().len(), 10);
    let large = server.remote(&patient(|buffer| buffer.octets = 10_000));
    large.remark(&"large".repeat(2_000)).unwrap();
    assert_eq!(server.local.remarks(11).unwrap().len(), 11);
    let old = server.remote(&patient(|buffer| buffer.delay = Duration::from_millis(20)));
    // Only the first request is certain not to have been sent together with an earlier one.
    let begun = Instant::now();
    old.remark("old").unwrap();
    assert_eq!(server.local.remarks(12).unwrap().len(), 12);
    assert!(begun.elapsed() >= Duration::from_millis(20));
    for round in 13..15 {
        old.remark("old").unwrap();
        assert_eq!(server.local.remarks(round).unwrap().len(), round as usize);
    }
}

#[test]
fn what_is_large_takes_along_what_waits() {
    let server = Server::start();
    let remote = server.remote(&patient(|_| {}));
    let large = "large".repeat(10_000);
    ["first", "second", &large].into_iter().for_each(|text| remote.remark(text).unwrap());
    assert_eq!(server.local.remarks(3).unwrap(), ["first", "second", &large]);
}

#[test]
fn small_and_large_calls_of_many_threads_keep_the_order_of_each() {
    let server = Server::start();
    let remote = &server.remote(&orbs::client()).with_sync_scope(SyncScope::None);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let text = move |number: usize| {
                let width = 40_000 * (number % 2);
                format!("{thread} {number:0width$}")
            };
            scope.spawn(move || (0..100).for_each(|number| remote.remark(&text(number)).unwrap()));
        }
    });
    let arrived = || server.local.remarks(0).unwrap();
    eventually("all have arrived", || arrived().len() == 400);
    let mut next = [0; 4];
    for text in arrived() {
        let words = text.split_once(' ').unwrap();
        let (thread, number): (usize, usize) = (words.0.parse().unwrap(), words.1.parse().unwrap());
        assert_eq!(number, std::mem::replace(&mut next[thread], number + 1));
    }
}

#[test]
fn many_threads_flood_a_server_and_nothing_is_lost() {
    let server = Server::start();
    let remote = &server.remote(&orbs::client()).with_sync_scope(SyncScope::None);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..5_000).for_each(|_| remote.remark("x").unwrap()));
        }
    });
    let count = || server.local.remarks(0).unwrap().len();
    eventually("all have arrived", || count() == 20_000);
}

/// A peer that reads nothing on a connection before it is told to, and then tells how large each
/// request is.
fn peer_that_reads_late() -> (Peer, mpsc::Sender<()>, mpsc::Receiver<usize>) {
    let (open, opened) = mpsc::channel::<()>();
    let opened = Mutex::new(opened);
    let (took, taken) = mpsc::channel();
    let took = Mutex::new(took);
    let peer = Peer::start(move |_, mut wire| {
        opened.lock().unwrap().recv().ok();
        while let Some(request) = wire.request() {
            took.lock().unwrap().send(request.octets.len()).ok();
        }
    });
    (peer, open, taken)
}

/// More than any socket takes.
const LARGE: usize = 12 << 20;

#[test]
fn a_server_that_does_not_read_blocks_callers_that_must_wait() {
    let (peer, open, taken) = peer_that_reads_late();
    let client = orbs::client();
    let remote = peer.reference(&client, Version::V1_2).with_sync_scope(SyncScope::WithTransport);
    let shared = remote.with_connection_policy(armilla::ConnectionPolicy::Multiplexed);
    let large = "x".repeat(LARGE);
    shared.remark("connects").unwrap();
    thread::scope(|scope| {
        let blocked = scope.spawn(|| shared.remark(&large));
        let request_timeout = Some(Duration::from_millis(50));
        let hurried = shared.with_policies(Policies { request_timeout, ..Policies::default() });
        let waits_behind_it = "x".repeat(64 << 10);
        let error = loop {
            match hurried.remark(&waits_behind_it) {
                // The large one is not on its way yet. These must not fill the sockets before.
                Ok(()) => thread::sleep(Duration::from_millis(50)),
                Err(error) => break error,
            }
        };
        assert_eq!((error.kind(), error.completed()), (ExceptionKind::Timeout, Completion::No));
        assert!(error.to_string().contains("request_timeout"), "{error}");
        open.send(()).unwrap();
        blocked.join().unwrap().unwrap();
    });
    while taken.recv_timeout(PATIENCE).unwrap() < LARGE {}
}

#[test]
fn a_caller_that_could_not_send_leaves_the_connection_to_what_is_under_way() {
    let (peer, open, taken) = peer_that_reads_late();
    let client = orbs::client();
    let remote = peer.reference(&client, Version::V1_2).with_sync_scope(SyncScope::WithTransport);
    let shared = remote.with_connection_policy(armilla::ConnectionPolicy::Multiplexed);
    shared.remark("connects").unwrap();
    let timed = shared.with_timeout(Duration::from_millis(50));
    let error = timed.remark(&"x".repeat(LARGE)).unwrap_err();
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::Timeout, Minor::SEND_TIMED_OUT));
    assert_eq!(error.completed(), Completion::Maybe, "a part of it has left, and the rest will");
    shared.remark("goes over another connection").unwrap();
    // One of the two connections, then the other.
    (0..2).for_each(|_| open.send(()).unwrap());
    let mut sizes: Vec<_> = (0..3).map(|_| taken.recv_timeout(PATIENCE).unwrap()).collect();
    sizes.sort_unstable();
    assert!(sizes[1] < 1000 && sizes[2] > LARGE, "{sizes:?}");
}

#[test]
fn calls_that_wait_for_each_other_do_not_pile_up_either() {
    let (open, opened) = mpsc::channel::<()>();
    let opened = Mutex::new(opened);
    let peer = Peer::start(move |_, mut wire| {
        opened.lock().unwrap().recv().ok();
        while wire.request().is_some() {}
    });
    let client = orbs::client();
    let remote = peer.reference(&client, Version::V1_2).with_sync_scope(SyncScope::None);
    remote.remark("connects").unwrap();
    let timed = remote.with_timeout(Duration::from_millis(50));
    let large = "x".repeat(1 << 20);
    // More than any socket takes; then more of those that wait for each other.
    for text in [&large, &large[..1000]] {
        let error = (0..1_000_000).find_map(|_| timed.remark(text).err()).unwrap();
        assert_eq!((error.kind(), error.minor()), (ExceptionKind::Timeout, Minor::SEND_TIMED_OUT));
    }
    open.send(()).unwrap();
    eventually("there is room again", || timed.remark("goes").is_ok());
}

#[test]
fn the_server_replies_before_the_servant_when_the_client_waits_for_the_server_only() {
    let server = Server::start();
    let remote = server.remote(&orbs::client()).with_timeout(PATIENCE / 4);
    let sync = remote.with_sync_scope(SyncScope::WithServer);
    sync.object().request("block").send_oneway().unwrap();
    server.probe.gate.await_waiting(1);
    // The servant still runs, and its outcome goes nowhere: the connection stays usable.
    assert_eq!(remote.increment(), Ok(1));
    server.probe.gate.open();
    assert_eq!(remote.increment(), Ok(2));
    let missing = travel_missing(&server).with_sync_scope(SyncScope::WithServer);
    let error = missing.remark("nobody hears it").unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::ObjectNotExist, "the object is looked for first");
}

#[test]
fn the_server_replies_before_the_main_thread_has_done_what_is_asked() {
    let server = Server::start();
    let poa = server.root_poa().create_poa("main").policy(Threading::MainThread).build().unwrap();
    let probe = Arc::new(Probe::default());
    let near = poa.activate(probe.clone() as Arc<dyn Everything>).unwrap();
    let remote = orbs::travel(&near, &orbs::client()).with_timeout(PATIENCE / 4);
    let sync = remote.with_sync_scope(SyncScope::WithServer);
    thread::scope(|scope| {
        let call = scope.spawn(|| sync.object().request("block").send_oneway());
        let opener = scope.spawn(|| {
            let replied = call.join().unwrap();
            probe.gate.open();
            replied
        });
        eventually("it is served", || {
            server.perform_work().unwrap();
            opener.is_finished()
        });
        opener.join().unwrap().expect("the server replies while the servant runs");
    });
    // One that is not there is told as such.
    poa.deactivate(&poa.reference_to_id(near.object()).unwrap()).unwrap();
    thread::scope(|scope| {
        let call = scope.spawn(|| sync.remark("nobody hears it"));
        eventually("it is served", || {
            server.perform_work().unwrap();
            call.is_finished()
        });
        let error = call.join().unwrap().unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::ObjectNotExist);
    });
}

/// A remote reference to an object that is not active any more.
fn travel_missing(server: &Server) -> EverythingRef {
    let (_, other) = orbs::activate(server);
    let missing = orbs::travel(&other, &orbs::client());
    let poa = server.orb.root_poa();
    poa.deactivate(&poa.reference_to_id(other.object()).unwrap()).unwrap();
    missing
}
