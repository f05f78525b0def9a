//! Asynchronous calls obey the same policies as synchronous ones, and pass the same interceptors.

use armilla::interceptor::{ClientInterceptor, ClientRequestInfo, Interruption};
use armilla::observe::{Metrics, Side};
use armilla::{
    ExceptionKind, Minor, Object, Orb, Policies, PolicyCurrent, Rebind, ReplyFuture, Retries,
    SystemException, Version,
};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{self, Peer, done, forward};
use armilla_tests::probe::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn ping(remote: &EverythingRef) -> ReplyFuture<()> {
    remote.invoke_async("ping", |_| Ok(()), |_| Ok(()))
}

fn block(remote: &EverythingRef) -> ReplyFuture<()> {
    remote.invoke_async("block", |_| Ok(()), |_| Ok(()))
}

fn only(choose: impl FnOnce(&mut Policies)) -> Policies {
    let mut policies = Policies::default();
    choose(&mut policies);
    policies
}

/// Writes down what it sees, and adds a service context.
#[derive(Clone, Default)]
struct Witness {
    diary: Arc<Mutex<Vec<String>>>,
    elsewhere: Arc<Mutex<Option<Object>>>,
}

const CONTEXT: u32 = 0x4152_4d77;

impl Witness {
    fn note(&self, what: &str) {
        self.diary.lock().unwrap().push(what.to_owned());
    }

    #[track_caller]
    fn expect(&self, wanted: &[&str]) {
        assert_eq!(std::mem::take(&mut *self.diary.lock().unwrap()), wanted);
    }
}

impl ClientInterceptor for Witness {
    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.note("send");
        request.add_request_service_context(CONTEXT, b"seen", false)?;
        request.keep("kept".to_owned());
        match self.elsewhere.lock().unwrap().take() {
            Some(object) => Err(Interruption::Forward(object)),
            None => Ok(()),
        }
    }

    fn receive_reply(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        assert_eq!(request.kept::<String>().map(String::as_str), Some("kept"));
        self.note("reply");
        Ok(())
    }

    fn receive_exception(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let id = request.outcome().and_then(|outcome| outcome.exception_id()).unwrap_or_default();
        let name = id.rsplit('/').next().unwrap().split(':').next().unwrap();
        self.note(&format!("exception {name}"));
        Ok(())
    }

    fn receive_other(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.note(&format!("other {:?}", request.reply_status().ok()));
        Ok(())
    }
}

fn watched() -> (Orb, Witness) {
    let witness = Witness::default();
    (orbs::builder().client_interceptor(witness.clone()).build().unwrap(), witness)
}

#[test]
fn interceptors_see_them_begin_and_end() {
    let server = Server::start();
    let (client, witness) = watched();
    let remote = server.remote(&client);
    ping(&remote).wait().unwrap();
    witness.expect(&["send", "reply"]);
    let chosen = |which: i32| {
        let arguments = move |out: &mut armilla::Encoder<'_>| {
            out.put_i32(which);
            out.put_string("note")
        };
        remote.invoke_raises_async::<i32, everything::ChooseRaises>("choose", arguments, |input| {
            input.i32()
        })
    };
    chosen(1).wait().unwrap_err();
    witness.expect(&["send", "exception Refused"]);
    chosen(3).wait().unwrap_err();
    witness.expect(&["send", "exception NO_PERMISSION"]);
    // Many at a time, each with what was kept for it.
    let replies: Vec<_> = (0..50).map(|_| ping(&remote)).collect();
    replies.into_iter().for_each(|reply| reply.wait().unwrap());
    assert_eq!(witness.diary.lock().unwrap().iter().filter(|line| *line == "reply").count(), 50);
}

#[test]
fn interceptors_see_forwards_and_send_calls_elsewhere_themselves() {
    let server = Server::start();
    let (client, witness) = watched();
    let url = server.orb.publish("Probe", &server.local).unwrap();
    let published: EverythingRef = client.string_to_object(&url).unwrap().assume();
    ping(&published).wait().unwrap();
    witness.expect(&["send", "other Some(LocationForward)", "send", "reply"]);
    let other = Server::start();
    let elsewhere = other.remote(&client).object().clone();
    *witness.elsewhere.lock().unwrap() = Some(elsewhere);
    let increment: ReplyFuture<i32> =
        server.remote(&client).invoke_async("increment", |_| Ok(()), |input| input.i32());
    assert_eq!(increment.wait(), Ok(1));
    // Who interrupts has not begun, and does not hear of the end.
    witness.expect(&["send", "send", "reply"]);
    assert_eq!((server.local.count().unwrap(), other.local.count().unwrap()), (0, 1));
}

#[test]
fn the_service_contexts_of_interceptors_travel() {
    let peer = Peer::answering(|request| {
        let message = armilla_giop::Message::parse(&request.octets).unwrap().unwrap();
        let (header, _) = armilla_giop::decode_request(&message).unwrap();
        assert_eq!(header.contexts.find(CONTEXT), Some(&b"seen"[..]));
        done(request)
    });
    let (client, _) = watched();
    let remote = peer.reference(&client, Version::V1_2);
    (0..3).for_each(|_| ping(&remote).wait().unwrap());
}

#[test]
fn a_cancelled_call_ends_for_interceptors_too() {
    let server = Server::start();
    let metrics = Metrics::new();
    let client = orbs::builder().initializer(metrics.clone()).build().unwrap();
    let remote = server.remote(&client);
    let blocked = block(&remote);
    server.probe.gate.await_waiting(1);
    assert_eq!(metrics.snapshot().in_flight.0, 1);
    drop(blocked);
    assert_eq!(metrics.snapshot().in_flight.0, 0);
    server.probe.gate.open();
    ping(&remote).wait().unwrap();
    let counts = metrics.snapshot().operations;
    let of = |operation: &str| counts.get(&(Side::Client, operation.to_owned())).cloned().unwrap();
    assert_eq!((of("block").system_exceptions, of("ping").replies), (1, 1));
}

/// An object at an address without a listener.
fn nowhere(client: &Orb) -> EverythingRef {
    peer::resolve(client, &peer::ior(&[peer::dead_port()], Version::V1_2))
}

fn retries(count: u32, delay: Duration) -> Policies {
    only(|policies| policies.retries = Some(Retries { count, delay, ..Retries::NONE }))
}

#[test]
fn they_are_tried_again_after_pauses_for_which_no_thread_waits() {
    let refusals = Arc::new(AtomicUsize::new(0));
    let counted = refusals.clone();
    let peer = Peer::start(move |_, mut wire| {
        // Says twice that it has not begun the call.
        while let Some(request) = wire.request() {
            if counted.fetch_add(1, Ordering::SeqCst) < 2 {
                wire.send(&peer::reply(
                    request.version,
                    request.order,
                    request.id,
                    armilla_giop::ReplyStatus::SystemException,
                    |out| {
                        out.put_string("IDL:omg.org/CORBA/TRANSIENT:1.0")?;
                        out.put_u32(0);
                        out.put_u32(1);
                        Ok(())
                    },
                ));
            } else {
                wire.send(&done(&request));
            }
        }
    });
    let (client, witness) = watched();
    let remote = peer.reference(&client, Version::V1_2);
    let patient = remote.with_policies(retries(5, Duration::from_millis(20)));
    let begun = Instant::now();
    ping(&patient).wait().unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(60), "two pauses: 20 and 40 ms");
    assert_eq!(refusals.load(Ordering::SeqCst), 3);
    witness.expect(&[
        "send",
        "other Some(TransportRetry)",
        "send",
        "other Some(TransportRetry)",
        "send",
        "reply",
    ]);
}

#[test]
fn retries_come_to_an_end_and_say_so() {
    let client = orbs::client();
    let remote = nowhere(&client).with_policies(retries(3, Duration::from_millis(1)));
    let error = ping(&remote).wait().unwrap_err();
    assert_eq!(error.minor(), Minor::CONNECT_FAILED);
    assert!(error.to_string().contains("retried 3 times"), "{error}");
    // Those of the thread hold where the call was begun.
    let hurry = PolicyCurrent::set(retries(2, Duration::from_millis(1)));
    let reply = ping(&nowhere(&client));
    drop(hurry);
    let error = reply.wait().unwrap_err();
    assert!(error.to_string().contains("retried 2 times"), "{error}");
}

#[test]
fn with_no_reconnect_they_make_no_connection_once_the_reference_is_bound() {
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = connections.clone();
    let peer = Peer::start(move |_, mut wire| {
        counted.fetch_add(1, Ordering::SeqCst);
        if let Some(request) = wire.request() {
            wire.send(&done(&request));
        }
    });
    let client = orbs::client();
    let bound = peer
        .reference(&client, Version::V1_2)
        .with_policies(only(|policies| policies.rebind = Some(Rebind::NoReconnect)));
    ping(&bound).wait().unwrap();
    eventually("the connection is known to be closed", || {
        ping(&bound).wait().is_err_and(|error| error.kind() == ExceptionKind::Rebind)
    });
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[test]
fn no_rebind_holds_for_forwards() {
    let server = Server::start();
    let ior = server.local.object().ior();
    let turns = AtomicUsize::new(0);
    let peer = Peer::answering(move |request| match turns.fetch_add(1, Ordering::SeqCst) {
        0 => done(request),
        _ => forward(request, &ior),
    });
    let client = orbs::client();
    let bound = peer
        .reference(&client, Version::V1_2)
        .with_policies(only(|policies| policies.rebind = Some(Rebind::NoRebind)));
    ping(&bound).wait().unwrap();
    assert_eq!(ping(&bound).wait().unwrap_err().kind(), ExceptionKind::Rebind);
}
