//! The policies of calls: their levels and their effects.

use armilla::{
    Completion, ConnectionPolicy, CustomPolicy, ExceptionKind, Minor, Policies, PolicyCurrent,
    PolicyType, Rebind, Retries, SystemException, Version,
};
use armilla_giop::{ReplyStatus, close_connection};
use armilla_tests::gate::PATIENCE;
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{self, Peer, Wire};
use armilla_tests::probe::*;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const NEWEST: Version = Version::V1_2;
const SHORT: Duration = Duration::from_millis(40);

/// Policies that leave all but one open.
fn only(set: impl FnOnce(&mut Policies)) -> Policies {
    let mut policies = Policies::default();
    set(&mut policies);
    policies
}

fn round_trip(time: Duration) -> Policies {
    only(|policies| policies.round_trip_timeout = Some(time))
}

/// A server that reads and never answers.
fn silent() -> Peer {
    Peer::start(|_, mut wire| while wire.message().is_some() {})
}

/// A call has too little time, and says by which policy. Where the time passed, and so whether the
/// operation was begun, depends on how busy the machine is.
#[track_caller]
fn assert_late(remote: &EverythingRef, policy: &str) {
    let error = remote.ping().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::Timeout, "{error}");
    assert!(error.to_string().contains(policy), "{policy}: {error}");
}

/// The same, where the operation cannot have been begun.
#[track_caller]
fn assert_unbegun(remote: &EverythingRef, policy: &str) {
    assert_late(remote, policy);
    assert_eq!(remote.ping().unwrap_err().completed(), Completion::No);
}

#[test]
fn the_reference_counts_more_than_the_thread_and_that_more_than_the_orb() {
    let peer = silent();
    let client = orbs::builder().call_timeout(Some(SHORT)).build().unwrap();
    let remote = peer.reference(&client, NEWEST);
    assert_late(&remote, "call_timeout");

    let thread = PolicyCurrent::set(round_trip(SHORT * 2));
    assert_late(&remote, "the thread's round_trip_timeout");
    let own = remote.with_policies(round_trip(SHORT));
    assert_late(&own, "the reference's round_trip_timeout");
    let short = own.with_timeout(SHORT);
    assert_late(&short, "the reference's with_timeout");
    drop(thread);
    assert_late(&own, "the reference's round_trip_timeout");
    assert_late(&remote, "call_timeout");
}

#[test]
fn what_a_level_leaves_open_comes_from_the_next() {
    let peer = silent();
    let remote = peer.reference(&orbs::client(), NEWEST);
    let own = remote.with_policies(only(|policies| policies.connect_timeout = Some(PATIENCE)));
    let outer = PolicyCurrent::set(round_trip(SHORT));
    let inner = PolicyCurrent::set(only(|policies| policies.rebind = Some(Rebind::Transparent)));
    assert_late(&own, "the thread's round_trip_timeout");
    // Guards may end in any order.
    drop(outer);
    let again = PolicyCurrent::set(round_trip(SHORT));
    drop(inner);
    assert_late(&own, "the thread's round_trip_timeout");
    drop(again);
}

#[test]
fn an_orb_may_be_given_policies_while_it_runs() {
    let peer = silent();
    let client = orbs::builder().call_timeout(Some(SHORT)).build().unwrap();
    let remote = peer.reference(&client, NEWEST);
    assert_eq!(client.policies(), Policies::default());
    assert_late(&remote, "call_timeout");
    client.set_policies(round_trip(SHORT * 2));
    assert_eq!(client.policies(), round_trip(SHORT * 2));
    assert_late(&remote, "the ORB's round_trip_timeout");
    let both = Policies { rebind: Some(Rebind::NoRebind), ..client.policies() };
    client.set_policies(both);
    let thread = PolicyCurrent::set(round_trip(SHORT));
    assert_late(&remote, "the thread's round_trip_timeout");
    let now = remote.object().client_policies().unwrap();
    assert_eq!((now.round_trip_timeout, now.rebind), (Some(SHORT), Some(Rebind::NoRebind)));
    drop(thread);
    assert_late(&remote.with_policies(round_trip(SHORT)), "the reference's round_trip_timeout");

    // They are that ORB's alone.
    let other = peer.reference(&orbs::client(), NEWEST).object().client_policies().unwrap();
    assert_eq!(
        (other.round_trip_timeout, other.rebind),
        (Some(PATIENCE), Some(Rebind::Transparent))
    );
    client.set_policies(Policies::default());
    assert_late(&remote, "call_timeout");
}

#[test]
fn the_policies_of_a_thread_are_its_own() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    let past = only(|policies| policies.reply_end = Some(Instant::now()));
    let _guard = PolicyCurrent::set(past);
    std::thread::scope(|scope| scope.spawn(|| remote.ping().unwrap()).join().unwrap());
    assert_unbegun(&remote, "the thread's reply_end");
}

#[test]
fn a_thread_passes_its_policies_to_its_helpers() {
    const TYPES: [PolicyType; 2] = [PolicyType(0x4558_0001), PolicyType(0x4558_0002)];
    assert_eq!(PolicyCurrent::policies(), Policies::default());
    let [first, second] = TYPES.map(|policy_type| CustomPolicy::new(policy_type, "outer"));
    let hidden = CustomPolicy::new(TYPES[0], "inner");
    let outer = PolicyCurrent::set(Policies {
        rebind: Some(Rebind::NoRebind),
        reply_end: Some(Instant::now()),
        custom: vec![first.clone(), second.clone()],
        ..Policies::default()
    });
    let whole = PolicyCurrent::policies();
    let inner = PolicyCurrent::set(only(|policies| {
        policies.rebind = Some(Rebind::Transparent);
        policies.custom = vec![hidden.clone()];
    }));
    let both = PolicyCurrent::policies();
    assert_eq!((both.rebind, both.reply_end), (Some(Rebind::Transparent), whole.reply_end));
    assert_eq!(both.custom, [hidden, second]);
    drop(inner);
    assert_eq!(PolicyCurrent::policies(), whole);
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    std::thread::scope(|scope| {
        let helper = scope.spawn(|| {
            remote.ping().unwrap();
            let _same = PolicyCurrent::set(whole);
            assert_unbegun(&remote, "the thread's reply_end");
        });
        helper.join().unwrap();
    });
    drop(outer);
    assert_eq!(PolicyCurrent::policies(), Policies::default());
}

#[test]
fn an_end_that_has_passed_fails_the_call_before_it_connects() {
    let peer = silent();
    let remote = peer.reference(&orbs::client(), NEWEST);
    let past = Some(Instant::now());
    let own = remote.with_policies(only(|policies| policies.request_end = past));
    assert_unbegun(&own, "the reference's request_end");
    let own = remote.with_policies(only(|policies| policies.reply_end = past));
    assert_unbegun(&own, "the reference's reply_end");
    assert_eq!(peer.connections(), 0);
    let soon = Some(Instant::now() + SHORT);
    let own = remote.with_policies(only(|policies| policies.reply_end = soon));
    assert_late(&own, "the reference's reply_end");
}

/// A port at which connections are neither taken nor refused, and what keeps it so.
fn deaf() -> (u16, impl Sized) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    rustix::net::listen(&listener, 0).unwrap();
    let address = listener.local_addr().unwrap();
    let mut queue = Vec::new();
    while let Ok(queued) = TcpStream::connect_timeout(&address, SHORT) {
        queue.push(queued);
        assert!(queue.len() < 100, "the queue never fills");
    }
    (address.port(), (listener, queue))
}

#[test]
fn a_connection_that_is_not_made_meets_the_shortest_limit_by_its_name() {
    let (port, _keep) = deaf();
    let client = orbs::client();
    let remote = peer::resolve(&client, &peer::ior(&[port], NEWEST));
    let begun = Instant::now();
    let request = remote.with_policies(only(|policies| policies.request_timeout = Some(SHORT)));
    assert_unbegun(&request, "the reference's request_timeout");
    assert_unbegun(&remote.with_policies(round_trip(SHORT)), "the reference's round_trip_timeout");

    let connect = remote.with_policies(only(|policies| policies.connect_timeout = Some(SHORT)));
    let error = connect.ping().unwrap_err();
    assert_eq!((error.kind(), error.completed()), (ExceptionKind::Transient, Completion::No));
    assert!(error.to_string().contains("connect_timeout"), "{error}");
    assert!(begun.elapsed() < PATIENCE);
}

#[test]
fn a_silent_address_leaves_time_for_the_others() {
    let peer = Peer::answering(peer::done);
    let (port, _keep) = deaf();
    let ior = peer::ior(&[port, peer.port()], NEWEST);
    let limit = Duration::from_secs(2);
    std::thread::scope(|scope| {
        for connection_policy in [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed] {
            let remote =
                peer::resolve(&orbs::client(), &ior).with_connection_policy(connection_policy);
            let call = move || {
                let hurried = remote.with_policies(round_trip(limit));
                hurried.ping().unwrap();
                hurried.ping()
            };
            scope.spawn(move || call().unwrap());
        }
        let remote = peer::resolve(&orbs::client(), &ior).with_timeout(limit);
        scope.spawn(move || remote.object().request("ping").send_deferred().wait().unwrap());
        let (other, _keep) = deaf();
        let nobody = peer::resolve(&orbs::client(), &peer::ior(&[port, other], NEWEST));
        assert_unbegun(&nobody.with_policies(round_trip(SHORT)), "round_trip_timeout");
    });
}

#[test]
fn a_request_that_does_not_leave_meets_its_limit_and_a_reply_that_does_not_come_the_other() {
    let peer = Peer::start(|_, wire| {
        // Reads nothing, for as long as the client may take.
        std::thread::sleep(PATIENCE);
        drop(wire);
    });
    let remote = peer.reference(&orbs::client(), NEWEST);
    let request = Some(SHORT);
    let own = remote.with_policies(only(|policies| policies.request_timeout = request));
    let error = own.echo_octets(&vec![0; 15 << 20], &mut Vec::new()).unwrap_err();
    assert_eq!((error.kind(), error.completed()), (ExceptionKind::Timeout, Completion::No));
    assert!(error.to_string().contains("the reference's request_timeout"), "{error}");

    let both = Policies { request_timeout: Some(PATIENCE), ..round_trip(SHORT) };
    assert_late(&remote.with_policies(both), "round_trip_timeout");
}

/// A server that closes the first `count` connections in order instead of answering.
fn closing(count: usize) -> Peer {
    Peer::start(move |number, mut wire| {
        while let Some(request) = wire.request() {
            if number < count {
                wire.send(&close_connection(request.version));
                return;
            }
            wire.send(&peer::done(&request));
        }
    })
}

fn retrying(count: u32) -> Policies {
    let delay = Duration::from_millis(5);
    only(|policies| policies.retries = Some(Retries { count, delay, ..Retries::NONE }))
}

#[test]
fn a_call_that_was_not_begun_is_tried_again_as_often_as_it_may() {
    let peer = closing(3);
    let remote = peer.reference(&orbs::client(), NEWEST);
    let error = remote.with_policies(retrying(1)).ping().unwrap_err();
    assert_eq!((error.minor(), error.completed()), (Minor::CONNECTION_CLOSING, Completion::No));
    assert!(error.to_string().contains("retried once"), "{error}");
    remote.with_policies(retrying(5)).ping().unwrap();
    assert_eq!(peer.connections(), 4);
}

#[test]
fn a_transient_exception_is_retried() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let peer = Peer::answering(move |request| {
        if count.fetch_add(1, Ordering::SeqCst) == 2 {
            return peer::done(request);
        }
        let status = ReplyStatus::SystemException;
        peer::reply(request.version, request.order, request.id, status, |out| {
            out.put_string("IDL:omg.org/CORBA/TRANSIENT:1.0")?;
            out.put_u32(1);
            out.put_u32(Completion::No as u32);
            Ok(())
        })
    });
    let remote = peer.reference(&orbs::client(), NEWEST);
    let guard = PolicyCurrent::set(retrying(2));
    remote.ping().unwrap();
    drop(guard);
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

#[test]
fn a_call_that_may_have_begun_is_never_retried() {
    let peer = Peer::start(|_, mut wire: Wire| drop(wire.request()));
    let remote = peer.reference(&orbs::client(), NEWEST).with_policies(retrying(9));
    let error = remote.ping().unwrap_err();
    assert_eq!(error.completed(), Completion::Maybe);
    assert_eq!(peer.connections(), 1);
}

#[test]
fn retries_end_with_the_time_of_the_call() {
    let client = orbs::client();
    let remote = peer::resolve(&client, &peer::ior(&[peer::dead_port()], NEWEST));
    let policies = Policies { round_trip_timeout: Some(SHORT), ..retrying(u32::MAX) };
    let begun = Instant::now();
    let error = remote.with_policies(policies).ping().unwrap_err();
    // The time may pass in a pause or in an attempt.
    assert!([ExceptionKind::Transient, ExceptionKind::Timeout].contains(&error.kind()), "{error}");
    assert_eq!(error.completed(), Completion::No);
    assert!(error.to_string().contains("the reference's round_trip_timeout"), "{error}");
    assert!(begun.elapsed() < PATIENCE);
}

#[test]
fn the_orb_has_policies_for_every_call() {
    let peer = closing(2);
    let line = ["-ORBRetries", "2", "-ORBRebind", "transparent", "-ORBRequestTimeout", "30000"];
    let client = orbs::builder().arguments(line.map(str::to_owned)).unwrap();
    let client = client.settings(|settings| settings.retries.delay = Duration::ZERO);
    peer.reference(&client.build().unwrap(), NEWEST).ping().unwrap();
}

fn rebinding(rebind: Rebind) -> Policies {
    only(|policies| policies.rebind = Some(rebind))
}

#[track_caller]
fn assert_unbound(result: Result<(), SystemException>) {
    let error = result.unwrap_err();
    let what = (error.kind(), error.minor(), error.completed());
    assert_eq!(what, (ExceptionKind::Rebind, Minor::REBIND_NOT_ALLOWED, Completion::No), "{error}");
}

#[test]
fn a_bound_reference_is_not_forwarded_where_that_is_not_allowed() {
    let server = Server::start();
    let ior = server.local.object().ior();
    let asked = AtomicUsize::new(0);
    let peer = Peer::answering(move |request| match asked.fetch_add(1, Ordering::SeqCst) {
        1 => peer::forward(request, &ior),
        _ => peer::done(request),
    });
    let remote = peer.reference(&orbs::client(), NEWEST).with_policies(rebinding(Rebind::NoRebind));
    remote.ping().unwrap();
    assert_unbound(remote.ping());
    remote.ping().unwrap();

    let forwarding = Server::start();
    let url = forwarding.publish("probe", server.local.object()).unwrap();
    let object = orbs::client().string_to_object(&url).unwrap();
    let remote: EverythingRef = object.with_policies(rebinding(Rebind::NoRebind)).assume();
    remote.ping().unwrap(); // The first call binds.
    remote.ping().unwrap();
}

#[test]
fn a_bound_reference_is_not_connected_again_where_that_is_not_allowed() {
    let peer = Peer::start(|_, mut wire| {
        // Each connection has one call; then it is gone.
        let request = wire.request().unwrap();
        wire.send(&peer::done(&request));
    });
    let remote =
        peer.reference(&orbs::client(), NEWEST).with_policies(rebinding(Rebind::NoReconnect));
    remote.ping().unwrap();
    // Whether the client sees the end before or after it has sent is a matter of chance.
    let error = remote.ping().unwrap_err();
    let unseen = error.kind() == ExceptionKind::CommFailure;
    if unseen {
        assert_eq!(error.completed(), Completion::Maybe, "{error}");
    } else {
        assert_unbound(Err(error));
    }
    assert_unbound(remote.ping());
    assert_eq!(peer.connections(), 1);
}
