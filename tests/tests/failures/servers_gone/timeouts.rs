//! Timeouts of connecting and of calls, and peers that do not read.

use super::{BOUND, LIMIT, NEWEST, assert_fails};
use armilla::{Completion, ConnectionPolicy, ExceptionKind, Ior, Minor, Orb, SyncScope};
use armilla_cdr::ByteOrder;
use armilla_giop::ior::UiopProfile;
use armilla_giop::{Message, MessageKind, decode_cancel_request};
use armilla_tests::gate::PATIENCE;
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{self, Peer, VERSIONS, Wire, done};
use armilla_tests::probe::*;
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixListener;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

const LATE: (ExceptionKind, Minor, Completion) =
    (ExceptionKind::Timeout, Minor::REPLY_TIMED_OUT, Completion::Maybe);

/// A server that never answers, and an end for what it heard.
fn silent() -> (Peer, mpsc::Receiver<Vec<u8>>) {
    let (heard, hears) = mpsc::channel();
    let peer = Peer::start(move |_, mut wire| {
        while let Some(message) = wire.message() {
            heard.send(message).ok();
        }
    });
    (peer, hears)
}

#[test]
fn a_host_that_does_not_answer_is_given_up_within_the_connect_timeout() {
    // A queue of one without an accepting thread: when it is full, the system answers no
    // connection.
    let deaf = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    rustix::net::listen(&deaf, 0).unwrap();
    let address = deaf.local_addr().unwrap();
    let mut queue = Vec::new();
    while let Ok(queued) = TcpStream::connect_timeout(&address, LIMIT) {
        queue.push(queued);
        assert!(queue.len() < 100, "the queue never fills");
    }

    let client = orbs::builder().connect_timeout(LIMIT).build().unwrap();
    let remote = peer::resolve(&client, &peer::ior(&[address.port()], NEWEST));
    let begun = Instant::now();
    let error = remote.ping().unwrap_err();
    assert!(begun.elapsed() < BOUND);
    assert_eq!((error.kind(), error.completed()), (ExceptionKind::Transient, Completion::No));
}

/// Limits from a second on are kept by a thread and not by the socket.
#[test]
fn a_limit_of_seconds_is_kept_too_and_the_next_call_has_its_own() {
    const LONG: Duration = Duration::from_millis(1200);
    let (peer, hears) = silent();
    let client = orbs::client();
    let begun = Instant::now();
    let text = assert_fails(peer.reference(&client, NEWEST).with_timeout(LONG).ping(), LATE);
    let elapsed = begun.elapsed();
    assert!(elapsed > LONG / 2 && elapsed < BOUND, "{elapsed:?}");
    assert!(text.contains("1.2 s"), "{text}");
    assert_eq!(peer::kind(&hears.recv_timeout(BOUND).unwrap()), MessageKind::Request);
    assert_eq!(peer::kind(&hears.recv_timeout(BOUND).unwrap()), MessageKind::CancelRequest);

    let answers = Peer::answering(done);
    answers.reference(&client, NEWEST).with_timeout(LONG).ping().unwrap();
}

#[test]
fn a_silent_server_causes_a_timeout_and_gets_a_cancel_request() {
    for version in VERSIONS {
        let (peer, hears) = silent();
        let remote = peer.reference(&orbs::client(), version).with_timeout(LIMIT);
        let begun = Instant::now();
        let text = assert_fails(remote.ping(), LATE);
        let elapsed = begun.elapsed();
        // Deadlines are measured on a coarse clock.
        assert!(elapsed > LIMIT / 2 && elapsed < BOUND, "{elapsed:?}");
        assert!(text.contains("100 ms") && text.contains("with_timeout"), "{text}");
        let request = hears.recv_timeout(BOUND).unwrap();
        let cancel = hears.recv_timeout(BOUND).unwrap();
        assert_eq!(peer::kind(&request), MessageKind::Request);
        assert_eq!(peer::kind(&cancel), MessageKind::CancelRequest);
        let cancel = Message::parse(&cancel).unwrap().unwrap();
        let request = Message::parse(&request).unwrap().unwrap();
        let (request, _) = armilla_giop::decode_request(&request).unwrap();
        assert_eq!(decode_cancel_request(&cancel).unwrap(), request.request_id);
    }
}

#[test]
fn the_limit_of_the_orb_holds_where_the_reference_has_none() {
    let (peer, _hears) = silent();
    let client = orbs::builder().call_timeout(Some(LIMIT)).build().unwrap();
    let remote = peer.reference(&client, NEWEST);
    assert_fails(remote.ping(), LATE);
    assert_fails(remote.object().locate(), LATE);
    assert_fails(remote.object().non_existent(), LATE);
}

#[test]
fn a_reply_that_drips_times_out_as_a_whole() {
    let peer = Peer::start(|_, mut wire| {
        let Some(request) = wire.request() else { return };
        for octet in done(&request).iter().cycle() {
            if !wire.send(&[*octet]) {
                return;
            }
            std::thread::sleep(LIMIT / 10);
        }
    });
    let remote = peer.reference(&orbs::client(), NEWEST).with_timeout(LIMIT);
    let begun = Instant::now();
    assert_fails(remote.ping(), LATE);
    assert!(begun.elapsed() < BOUND);
}

#[test]
fn what_an_earlier_attempt_has_used_of_the_time_is_gone() {
    const CALL: Duration = Duration::from_millis(900);
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let second = Peer::start(move |_, mut wire| {
        while let Some(message) = wire.message() {
            let message = Message::parse(&message).unwrap().unwrap();
            // The first call leaves an idle connection; the second waits in vain.
            if asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 {
                let (request, _) = armilla_giop::decode_request(&message).unwrap();
                let (order, id) = (message.header.order, request.request_id);
                let status = armilla_giop::ReplyStatus::NoException;
                wire.send(&peer::reply(NEWEST, order, id, status, |_| Ok(())));
            }
        }
    });
    let there = second.ior(NEWEST);
    let home = Peer::answering(move |request| {
        std::thread::sleep(CALL * 3 / 4);
        peer::forward(request, &there)
    });
    let client = orbs::client();
    home.reference(&client, NEWEST).ping().unwrap();
    let begun = Instant::now();
    assert_fails(home.reference(&client, NEWEST).with_timeout(CALL).ping(), LATE);
    let elapsed = begun.elapsed();
    assert!(elapsed < CALL * 3 / 2, "the second attempt had {CALL:?} anew: {elapsed:?}");
}

#[test]
fn a_server_that_does_not_read_cannot_hold_the_call_for_ever() {
    let (open, opens) = mpsc::channel::<()>();
    let opens = std::sync::Mutex::new(opens);
    let peer = Peer::start(move |_, wire| {
        // Holds the connection without reading, until the test ends.
        opens.lock().unwrap().recv().ok();
        drop(wire);
    });
    let remote = peer.reference(&orbs::client(), NEWEST).with_timeout(LIMIT);
    let begun = Instant::now();
    let error = remote.echo_octets(&vec![0; 15 << 20], &mut Vec::new()).unwrap_err();
    assert!(begun.elapsed() < BOUND, "{:?}", begun.elapsed());
    // The server never got all of the request.
    assert_eq!(
        (error.kind(), error.completed()),
        (ExceptionKind::Timeout, Completion::No),
        "{error}"
    );
    drop(open);
}

#[test]
fn a_client_that_does_not_read_its_replies_cannot_hold_the_server() {
    let limits = orbs::builder().settings(|s| s.server_idle = LIMIT);
    let server = Server::of(limits.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let profile = server.local.object().ior().iiop_profiles().next().unwrap().unwrap();
    let request = peer::request(NEWEST, ByteOrder::NATIVE, &profile.object_key, "produce", |out| {
        out.put_u32(15 << 20);
        Ok(())
    });
    let mut wire = Wire::connect(server.address());
    wire.send(&request);
    // The first octets of the reply have come; the rest fills the buffers in between.
    wire.peek();
    let begun = Instant::now();
    server.shutdown();
    assert!(begun.elapsed() < server.settings().drain_timeout, "the server waited in vain");
}

/// A server on a Unix-domain socket that accepts connections and reads nothing, and how many calls
/// of [`fill`] the system takes for it.
struct Stuck {
    listener: UnixListener,
    fitting: usize,
}

impl Stuck {
    fn start() -> Self {
        let path =
            std::env::temp_dir().join(format!("{}-{}", orbs::unique("stuck"), std::process::id()));
        std::fs::remove_file(&path).ok();
        let mut stuck = Self { listener: UnixListener::bind(path).unwrap(), fitting: 0 };
        let remote = stuck.reference(&Self::client(PATIENCE)).with_timeout(LIMIT);
        stuck.fitting = (0..).find(|_| fill(&remote).is_err()).unwrap();
        stuck
    }

    /// Connections are only in its queue: nobody accepts them.
    fn reference(&self, client: &Orb) -> EverythingRef {
        let address = self.listener.local_addr().unwrap();
        let profile = UiopProfile {
            version: NEWEST,
            rendezvous_point: address.as_pathname().unwrap().to_str().unwrap().into(),
            object_key: peer::KEY.to_vec(),
            components: Vec::new(),
        };
        let type_id = "IDL:armilla.org/Probe/Everything:1.0".into();
        let ior = Ior { type_id, profiles: vec![profile.to_tagged().unwrap()] };
        peer::resolve(client, &ior)
    }

    fn client(idle: Duration) -> Orb {
        let builder = orbs::builder().settings(|settings| {
            settings.client_idle = idle;
            settings.call_timeout = None;
            settings.sync_scope = SyncScope::WithTransport;
            settings.connection_policy = ConnectionPolicy::Exclusive;
        });
        builder.build().unwrap()
    }
}

/// The argument of calls that fill a connection.
const FILLING: &str = include_str!("timeouts.rs");

fn fill(remote: &EverythingRef) -> Result<(), armilla::SystemException> {
    remote.remark(FILLING)
}

/// The connection to it is idle, and full: CloseConnection has to wait.
#[test]
fn a_server_that_does_not_read_keeps_no_call_to_others_from_expiring() {
    const LONG: Duration = Duration::from_millis(1200);
    let stuck = Stuck::start();
    let (peer, _hears) = silent();
    let client = Stuck::client(Duration::from_millis(20));
    let remote = stuck.reference(&client);
    (0..stuck.fitting).for_each(|_| fill(&remote).unwrap());
    let other = peer.reference(&client, NEWEST).with_timeout(LONG);
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || (0..2).for_each(|_| sender.send(other.ping()).unwrap()));
    for _ in 0..2 {
        assert_fails(receiver.recv_timeout(PATIENCE).expect("it expires"), LATE);
    }
    drop(stuck);
}

#[test]
fn a_server_that_does_not_read_does_not_hold_the_end_of_the_client() {
    let stuck = Stuck::start();
    let client = Stuck::client(PATIENCE);
    let remote = stuck.reference(&client);
    (0..stuck.fitting).for_each(|_| fill(&remote).unwrap());
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        client.shutdown();
        sender.send(()).unwrap();
    });
    receiver.recv_timeout(PATIENCE).expect("it ends");
    drop(stuck);
}

/// The call itself fits; the CancelRequest behind it does not.
#[test]
fn cancelling_a_call_takes_no_more_time_than_the_call_had() {
    const LONG: Duration = Duration::from_secs(3);
    let stuck = Stuck::start();
    let client = Stuck::client(PATIENCE);
    let remote = stuck.reference(&client);
    (1..stuck.fitting).for_each(|_| fill(&remote).unwrap());
    let begun = Instant::now();
    let called = remote.with_timeout(LONG).echo_string(FILLING, &mut String::new());
    assert_fails(called, LATE);
    assert!(begun.elapsed() < LONG * 3 / 2, "{:?}", begun.elapsed());
    drop(stuck);
}
