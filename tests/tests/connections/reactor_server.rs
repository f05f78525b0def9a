//! Concurrent requests over one and over many connections, with blocked threads, and with clients
//! that cancel requests or do not read.

use armilla::codegen::{Dispatched, Interface, IsA, ServerCall, Upcast};
use armilla::{Concurrency, Version};
use armilla_cdr::ByteOrder;
use armilla_giop::{MessageKind, cancel_request};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, CONCURRENCIES, Server};
use armilla_tests::peer::{self, Wire, answered};
use armilla_tests::probe::*;
use armilla_tests::servant::Ear;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A reactor with one thread that is not blocked.
const ONE: Concurrency = Concurrency::LeaderFollowers { min_threads: 1, max_threads: 64 };

fn server(concurrency: Concurrency) -> Server {
    Server::of(orbs::listening_with(|settings| settings.concurrency = concurrency))
}

#[test]
fn a_request_that_blocks_does_not_keep_those_behind_it_waiting() {
    for concurrency in CONCURRENCIES.into_iter().chain([ONE]) {
        let server = server(concurrency);
        let mut wire = Wire::connect(server.address());
        // In one write, so that the second has arrived with the first.
        wire.send(&[server.request(1, "block"), server.request(2, "ping")].concat());
        assert_eq!(answered(&wire.message().unwrap()), 2, "{concurrency}");
        // And one by one.
        for id in 3..10 {
            wire.send(&server.request(id, "block"));
            wire.send(&server.request(id + 100, "ping"));
            assert_eq!(answered(&wire.message().unwrap()), id + 100, "{concurrency}");
        }
        server.probe.gate.await_waiting(8);
        server.probe.gate.open();
        let mut late: Vec<_> = (0..8).map(|_| answered(&wire.message().unwrap())).collect();
        late.sort_unstable();
        assert_eq!(late, [1, 3, 4, 5, 6, 7, 8, 9], "{concurrency}");
    }
}

#[test]
fn no_more_requests_of_one_connection_are_served_at_once_than_the_setting_allows() {
    for concurrency in CONCURRENCIES {
        let server = Server::of(orbs::listening_with(|settings| {
            settings.concurrency = concurrency;
            settings.requests_per_connection = 2;
        }));
        let mut wire = Wire::connect(server.address());
        let requests = (1..=4).map(|id| server.request(id, "block"));
        wire.send(&requests.collect::<Vec<_>>().concat());
        server.probe.gate.await_waiting(2);
        // Other connections have their own share.
        server.remote(&orbs::client()).ping().unwrap();
        thread::sleep(Duration::from_millis(50));
        assert_eq!(server.probe.gate.waiting(), 2, "{concurrency}");
        server.probe.gate.open();
        (0..4).for_each(|_| assert_eq!(wire.kind(), Some(MessageKind::Reply)));
    }
}

#[test]
fn a_request_that_is_given_up_while_it_is_served_gets_no_reply() {
    for concurrency in CONCURRENCIES {
        let server = server(concurrency);
        let mut wire = Wire::connect(server.address());
        wire.send(&server.request(1, "block"));
        server.probe.gate.await_waiting(1);
        wire.send(&cancel_request(Version::V1_2, 1));
        // That this is answered proves that the message before it was taken.
        wire.send(&server.request(2, "ping"));
        assert_eq!(answered(&wire.message().unwrap()), 2);
        server.probe.gate.open();
        eventually("the servant is left", || server.probe.gate.waiting() == 0);
        wire.send(&server.request(3, "ping"));
        assert_eq!(answered(&wire.message().unwrap()), 3, "{concurrency}");
    }
}

#[test]
fn a_request_that_is_given_up_before_its_turn_is_not_begun() {
    for concurrency in CONCURRENCIES {
        let server = server(concurrency);
        let mut wire = Wire::connect(server.address());
        let cancel = |id| cancel_request(Version::V1_2, id).to_vec();
        let messages = [
            server.request(1, "increment"),
            server.request(2, "increment"),
            server.request(3, "increment"),
            cancel(2),
            cancel(1_000),
            // The number is free again.
            server.request(2, "increment"),
        ];
        wire.send(&messages.concat());
        let replies: Vec<_> = (0..3).map(|_| answered(&wire.message().unwrap())).collect();
        assert_eq!(replies, [1, 3, 2], "{concurrency}");
        assert_eq!(server.local.count().unwrap(), 3, "{concurrency}");
    }
}

/// An interface with the operations `oneway void note(in long number)` and `void sync()`.
trait Diary: Send + Sync + 'static {
    fn note(&self, number: i32);
}

impl Interface for dyn Diary {
    const REPOSITORY_ID: &'static str = "IDL:armilla.org/Diary:1.0";
    const BASES: &'static [&'static str] = &[];

    fn dispatch(&self, call: &mut ServerCall<'_>) -> Dispatched {
        if call.operation().as_str() == "note" {
            self.note(call.arguments().i32()?);
            return call.no_reply(Ok(()));
        }
        call.reply(Ok::<_, armilla::SystemException>(()), |(), _| Ok(()))
    }

    fn upcast(servant: Arc<Self>, target: &mut Upcast<'_>) {
        target.offer::<dyn Diary>(|| servant);
    }
}

impl IsA<dyn Diary> for dyn Diary {}

#[derive(Default)]
struct Slow(Mutex<Vec<i32>>);

impl Diary for Slow {
    fn note(&self, number: i32) {
        // So long that a request with a reply would be taken to block.
        if number % 10 == 0 {
            thread::sleep(Duration::from_millis(30));
        }
        self.0.lock().unwrap().push(number);
    }
}

#[test]
fn requests_without_replies_are_served_in_their_order_even_if_some_take_long() {
    for concurrency in CONCURRENCIES {
        let server = server(concurrency);
        let slow = Arc::new(Slow::default());
        let local = server.root_poa().activate(slow.clone() as Arc<dyn Diary>).unwrap();
        let diary = orbs::travel(&local, &orbs::client());
        // The connection has had several requests under way, of which one took long.
        let mut wire = Wire::connect(server.address());
        wire.send(&[server.request(1, "block"), server.request(2, "ping")].concat());
        assert_eq!(answered(&wire.message().unwrap()), 2);
        server.probe.gate.open();
        assert_eq!(answered(&wire.message().unwrap()), 1);
        let key = diary.object().ior().iiop_profiles().next().unwrap().unwrap().object_key;
        let note = |number: i32| {
            let order = ByteOrder::NATIVE;
            let mut note = peer::request(Version::V1_2, order, &key, "note", |out| {
                out.put_i32(number);
                Ok(())
            });
            // The flags: no reply is expected.
            note[16] = 0;
            peer::numbered(number as u32, &note)
        };
        wire.send(&(0..40).flat_map(note).collect::<Vec<_>>());
        let sync = peer::request(Version::V1_2, ByteOrder::NATIVE, &key, "sync", |_| Ok(()));
        wire.send(&peer::numbered(100, &sync));
        assert_eq!(answered(&wire.message().unwrap()), 100);
        assert_eq!(*slow.0.lock().unwrap(), (0..40).collect::<Vec<_>>(), "{concurrency}");
    }
}

#[test]
fn servants_that_call_each_other_through_the_network_find_threads() {
    let server = server(ONE);
    let client = orbs::listening_with(|settings| settings.concurrency = ONE);
    let (_ear, listener) = Ear::activate(&client);
    let remote = server.remote(&client);
    // Each level keeps a thread on either side.
    assert_eq!(remote.descend(&listener, 30).unwrap(), 30);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(remote.descend(&listener, 8).unwrap(), 8));
        }
    });
    client.shutdown();
}

#[test]
fn requests_wait_when_every_thread_is_blocked_and_are_served_then() {
    let few = Concurrency::LeaderFollowers { min_threads: 1, max_threads: 3 };
    let server = server(few);
    let mut busy: Vec<_> = (0..3).map(|_| Wire::connect(server.address())).collect();
    assert!(busy.iter_mut().all(|wire| wire.send(&server.request(1, "block"))));
    server.probe.gate.await_waiting(3);
    let mut last = Wire::connect(server.address());
    last.send(&server.request(1, "ping"));
    thread::sleep(Duration::from_millis(50));
    assert_eq!(server.probe.gate.waiting(), 3);
    server.probe.gate.open();
    assert_eq!(last.kind(), Some(MessageKind::Reply));
    busy.iter_mut().for_each(|wire| assert_eq!(wire.kind(), Some(MessageKind::Reply)));
}

/// Asks for a reply that fits no buffer.
fn produce(server: &Server, id: u32) -> Vec<u8> {
    server.request_with(id, "produce", |out| {
        out.put_u32(15 << 20);
        Ok(())
    })
}

#[test]
fn a_slow_reader_delays_no_other_client_and_gets_all_replies() {
    let server = server(Concurrency::LeaderFollowers { min_threads: 1, max_threads: 1 });
    let mut slow = Wire::connect(server.address());
    slow.send(&produce(&server, 1));
    slow.peek();
    let remote = server.remote(&orbs::client());
    (0..20).for_each(|_| remote.ping().unwrap());
    // What it sends meanwhile waits until it has read.
    slow.send(&server.request(2, "increment"));
    remote.ping().unwrap();
    assert_eq!(remote.count().unwrap(), 0);
    let reply = slow.message().unwrap();
    assert_eq!((answered(&reply), reply.len() > 15 << 20), (1, true));
    assert_eq!(answered(&slow.message().unwrap()), 2);
    assert_eq!(remote.count().unwrap(), 1);
}

#[test]
fn a_client_that_takes_no_replies_is_given_up_at_the_limit() {
    let server = Server::of(orbs::listening_with(|settings| {
        settings.concurrency = ONE;
        settings.queued_replies = 1 << 20;
        settings.message_memory = Some(4 << 20);
    }));
    let mut deaf = Wire::connect(server.address());
    deaf.send(&produce(&server, 1));
    deaf.peek();
    server.remote(&orbs::client()).ping().unwrap();
    assert_eq!(deaf.until_end(), [], "the reply never comes whole");
}

#[test]
fn a_client_that_reads_gets_replies_beyond_the_limit() {
    let server = Server::of(orbs::listening_with(|settings| {
        settings.concurrency = Concurrency::LeaderFollowers { min_threads: 1, max_threads: 8 };
        settings.queued_replies = 1 << 20;
    }));
    let mut reader = Wire::connect(server.address());
    // Read at once, they begin before the first of them is answered.
    let requests: Vec<u8> = (0..4).flat_map(|id| produce(&server, id)).collect();
    reader.send(&requests);
    reader.peek();
    let mut ids: Vec<u32> = (0..4).map(|_| answered(&reader.message().unwrap())).collect();
    ids.sort_unstable();
    assert_eq!(ids, [0, 1, 2, 3]);
}

#[test]
fn a_client_that_takes_no_replies_for_long_is_given_up() {
    let server = Server::of(orbs::listening_with(|settings| {
        settings.concurrency = ONE;
        settings.server_idle = Duration::from_millis(100);
    }));
    let mut deaf = Wire::connect(server.address());
    deaf.send(&produce(&server, 1));
    deaf.peek();
    // A few octets at a time find out when the other end is gone.
    eventually("it is given up", || !deaf.send(&cancel_request(Version::V1_2, 9)));
    assert_eq!(deaf.until_end(), [], "the reply never comes whole");
}

#[test]
fn a_request_that_comes_after_the_farewell_is_not_begun() {
    for concurrency in CONCURRENCIES {
        let server = Server::of(orbs::listening_with(|settings| {
            settings.concurrency = concurrency;
            settings.server_idle = Duration::from_millis(30);
        }));
        // Many, of which each sends when the server may be about to close.
        let wires: Vec<_> = (0..40)
            .map(|number| {
                let mut wire = Wire::connect(server.address());
                let request = server.request(number, "increment");
                thread::spawn(move || {
                    thread::sleep(Duration::from_millis(15 + u64::from(number)));
                    wire.send(&request);
                    wire.until_end()
                })
            })
            .collect();
        let ends: Vec<_> = wires.into_iter().map(|wire| wire.join().unwrap()).collect();
        let replies = ends.iter().filter(|kinds| kinds.contains(&MessageKind::Reply)).count();
        let farewell = |kinds: &&Vec<_>| kinds.last() == Some(&MessageKind::CloseConnection);
        assert_eq!(ends.iter().filter(farewell).count(), ends.len(), "{concurrency}: {ends:?}");
        // Whoever was told that the connection closes may call again elsewhere: it was not begun.
        assert_eq!(server.local.count().unwrap(), replies as i32, "{concurrency}");
    }
}
