//! The log lines for connections that the server closes because of an error, and for those that a
//! client leaves. The log belongs to the process.

use armilla::transport::Way;
use armilla::{AcceptBidirectional, ConnectionPolicy, Version};
use armilla_giop::{MessageKind, message_error};
use armilla_tests::alone::alone;
use armilla_tests::lines::{self, await_line};
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{Wire, header};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::Arc;
use std::time::Duration;

#[test]
fn a_connection_that_is_closed_for_an_error_is_logged_with_reason_and_peer() {
    alone(|| {
        lines::keep();
        let limits = orbs::builder().settings(|settings| {
            settings.max_message = 1_000;
            settings.max_connections = 2;
            settings.header_deadline = Duration::from_millis(20);
        });
        let server = Server::of(limits.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
        let remote = server.remote(&orbs::client());
        remote.ping().unwrap();
        let request = |size| header(Version::V1_2, MessageKind::Request, size);
        let reply = header(Version::V1_2, MessageKind::Reply, 0);
        let oversized = [&request(1_001)[..], &[0, 0, 0, 1, 3]].concat();
        let attacks: [(&[u8], &[&str]); 6] = [
            (b"GET / HTTP/1.1\r\n\r\n", &["WARN", "127.0.0.1:", "GIOP", "GET "]),
            (&oversized, &["WARN", "127.0.0.1:", "1001 octets", "limit of 1000 (max_message)"]),
            (&request(0), &["WARN", "127.0.0.1:", "malformed", "Request"]),
            (&reply, &["WARN", "127.0.0.1:", "Reply"]),
            (&request(1_000), &["WARN", "127.0.0.1:", "header_deadline", "20ms"]),
            (&message_error(Version::V1_2), &["WARN", "127.0.0.1:", "could not read"]),
        ];
        for (octets, words) in attacks {
            let mut wire = Wire::connect(server.address());
            wire.send(octets);
            wire.until_end();
            await_line(words);
        }

        let mut cut_short = Wire::connect(server.address());
        cut_short.send(&request(100));
        cut_short.end_sending();
        cut_short.until_end();
        await_line(&["WARN", "127.0.0.1:", "within a message"]);

        let other = server.remote(&orbs::client());
        std::thread::scope(|scope| {
            let busy = [&remote, &other].map(|remote| scope.spawn(|| remote.block()));
            server.probe.gate.await_waiting(2);
            Wire::connect(server.address()).until_end();
            await_line(&["WARN", "127.0.0.1:", "max_connections", "limit=2"]);
            server.probe.gate.open();
            busy.into_iter().for_each(|call| call.join().unwrap().unwrap());
        });

        for concurrency in ["leader-followers:1-2", "hybrid:1:1-1"] {
            let concurrency = concurrency.parse().unwrap();
            let server = Server::of(orbs::listening_with(|s| s.concurrency = concurrency));
            let mut wire = Wire::connect(server.address());
            let requests = (1..=3).map(|id| server.request(id, "block"));
            wire.send(&requests.collect::<Vec<_>>().concat());
            server.probe.gate.await_waiting(2);
            await_line(&["WARN", "blocked", "concurrency", "threads=2"]);
            server.probe.gate.open();
            (0..3).for_each(|_| assert_eq!(wire.kind(), Some(MessageKind::Reply)));
        }

        let few = Server::of(orbs::listening_with(|settings| settings.requests_per_connection = 2));
        let mut wire = Wire::connect(few.address());
        let requests = (1..=3).map(|id| few.request(id, "block"));
        wire.send(&requests.collect::<Vec<_>>().concat());
        await_line(&["WARN", "127.0.0.1:", "requests_per_connection", "limit=2"]);
        few.probe.gate.open();
        (0..3).for_each(|_| assert_eq!(wire.kind(), Some(MessageKind::Reply)));

        remote.panic("a test panics on purpose").unwrap_err();
        await_line(&["ERROR", "panicked", "\"panic\""]);
    });
}

#[test]
fn a_client_names_the_address_of_a_server_which_it_reaches_within_the_host() {
    alone(|| {
        lines::keep();
        let server = Server::start();
        let client = orbs::builder().settings(|settings| {
            settings.connection_policy = ConnectionPolicy::Multiplexed;
        });
        let client = client.build().unwrap();
        let remote = server.remote(&client);
        remote.ping().unwrap();
        assert_eq!(remote.object().way(), Some(Way::SharedMemory));
        let late = remote.with_timeout(Duration::from_millis(50)).block().unwrap_err();
        let (host, port) = server.address();
        let name = format!("tcp://{host}:{port} (within this host)");
        assert!(late.to_string().contains(&name), "{late}");
        await_line(&["WARN", "nothing arrives", &name]);
        server.probe.gate.open();
    });
}

/// So is the server called that calls back over the connection which the client has made to it.
#[test]
fn a_connection_that_was_offered_to_a_server_of_this_host_is_called_by_its_address() {
    alone(|| {
        lines::keep();
        let server = Server::of(orbs::listening_with(|settings| {
            settings.accept_bidirectional = AcceptBidirectional::Checked;
        }));
        let client = orbs::listening_with(|settings| {
            settings.offer_bidirectional = true;
            settings.requests_per_connection = 1;
        });
        let poa = client.root_poa().create_poa("both ways").bidirectional().build().unwrap();
        let probe = Arc::new(Probe::default());
        let own = poa.activate(probe.clone() as Arc<dyn Everything>).unwrap();
        client.perform_work().unwrap();
        let remote = server.remote(&client);
        remote.ping().unwrap();
        assert_eq!(remote.object().way(), Some(Way::SharedMemory));
        let back = orbs::travel(&own, &server.orb);
        std::thread::scope(|scope| {
            let first = scope.spawn(|| back.block());
            probe.gate.await_waiting(1);
            assert!(back.block().is_err(), "one request at a time");
            let (host, port) = server.address();
            let name = format!("tcp://{host}:{port} (within this host)");
            await_line(&["WARN", "a request was refused", &name]);
            probe.gate.open();
            first.join().unwrap().unwrap();
        });
    });
}
