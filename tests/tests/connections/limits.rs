//! The limit of connections of a server, and connections beyond it.

use armilla::{Completion, ExceptionKind, Version};
use armilla_cdr::ByteOrder;
use armilla_giop::MessageKind;
use armilla_giop::url::{Corbaloc, CorbalocAddress};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, CONCURRENCIES, Server};
use armilla_tests::peer::{self, Wire};
use armilla_tests::probe::*;
use armilla_tests::process::Process;
use std::process::Command;
use std::thread;
use std::time::Duration;

fn key(server: &Server) -> Vec<u8> {
    server.local.object().ior().iiop_profiles().next().unwrap().unwrap().object_key
}

fn request(server: &Server, operation: &str) -> Vec<u8> {
    peer::request(Version::V1_2, ByteOrder::NATIVE, &key(server), operation, |_| Ok(()))
}

/// A connection that has made one call and stays open.
fn connected(server: &Server) -> Wire {
    let mut wire = Wire::connect(server.address());
    wire.send(&request(server, "ping"));
    assert_eq!(wire.kind(), Some(MessageKind::Reply));
    wire
}

#[test]
fn the_connection_that_was_idle_longest_makes_room_for_a_new_one() {
    for concurrency in CONCURRENCIES {
        let server = Server::of(orbs::listening_with(|settings| {
            settings.concurrency = concurrency;
            settings.max_connections = 3;
            // How often idle times are noted follows from the limits.
            settings.header_deadline = Duration::from_millis(20);
        }));
        let ping = request(&server, "ping");
        let [mut first, mut second, mut third] = [(); 3].map(|()| connected(&server));
        // Seen idle, and then used in another order than that in which they came.
        for wire in [&mut third, &mut first] {
            thread::sleep(Duration::from_millis(50));
            wire.send(&ping);
            assert_eq!(wire.kind(), Some(MessageKind::Reply));
        }
        let _fourth = connected(&server);
        assert_eq!(second.until_end(), [MessageKind::CloseConnection], "{concurrency}");
        for wire in [&mut first, &mut third] {
            wire.send(&ping);
            assert_eq!(wire.kind(), Some(MessageKind::Reply), "{concurrency}");
        }
    }
}

#[test]
fn connections_are_turned_away_while_all_are_busy_and_places_are_given_back() {
    for concurrency in CONCURRENCIES {
        let server = Server::of(orbs::listening_with(|settings| {
            settings.concurrency = concurrency;
            settings.max_connections = 3;
        }));
        let block = request(&server, "block");
        let mut busy: Vec<_> = (0..3).map(|_| Wire::connect(server.address())).collect();
        assert!(busy.iter_mut().all(|wire| wire.send(&block)));
        server.probe.gate.await_waiting(3);
        for _ in 0..10 {
            let mut refused = Wire::connect(server.address());
            assert_eq!(refused.until_end(), [MessageKind::CloseConnection], "{concurrency}");
        }
        let error = server.remote(&orbs::client()).ping().unwrap_err();
        let got = (error.kind(), error.completed());
        assert_eq!(got, (ExceptionKind::Transient, Completion::No), "{concurrency}: {error}");
        server.probe.gate.open();
        busy.iter_mut().for_each(|wire| assert_eq!(wire.kind(), Some(MessageKind::Reply)));
        drop(busy);
        let late = server.remote(&orbs::client());
        eventually("a place is free again", || late.ping().is_ok());
    }
}

#[test]
fn a_message_that_trickles_is_cut_off_as_a_whole() {
    for concurrency in CONCURRENCIES {
        let server = Server::of(orbs::listening_with(|settings| {
            settings.concurrency = concurrency;
            settings.header_deadline = Duration::from_secs(10);
            settings.message_deadline = Duration::from_millis(200);
        }));
        let mut wire = Wire::connect(server.address());
        let request = request(&server, "ping");
        // Each octet comes well within the time for the next one.
        let mut octets = request.iter().take(request.len() - 1);
        thread::scope(|scope| {
            let mut writing = wire.again();
            scope.spawn(move || {
                octets.all(|octet| {
                    thread::sleep(Duration::from_millis(20));
                    writing.send(&[*octet])
                })
            });
            assert_eq!(wire.until_end(), [MessageKind::CloseConnection], "{concurrency}");
        });
    }
}

#[test]
fn requests_beyond_the_limit_of_a_connection_are_refused() {
    for concurrency in CONCURRENCIES {
        let server = Server::of(orbs::listening_with(|settings| {
            settings.concurrency = concurrency;
            settings.requests_in_progress = 3;
        }));
        let mut wire = Wire::connect(server.address());
        let block = request(&server, "block");
        for waiting in 1..=3 {
            wire.send(&block);
            server.probe.gate.await_waiting(waiting);
        }
        wire.send(&request(&server, "ping"));
        let refusal = wire.message().unwrap();
        let text = b"IDL:omg.org/CORBA/TRANSIENT:1.0";
        assert!(refusal.windows(text.len()).any(|part| part == text), "{concurrency}");
        server.probe.gate.open();
        (0..3).for_each(|_| assert_eq!(wire.kind(), Some(MessageKind::Reply)));
        wire.send(&request(&server, "ping"));
        assert_eq!(wire.kind(), Some(MessageKind::Reply));
    }
}

#[test]
fn a_server_without_descriptors_closes_idle_connections() {
    for concurrency in CONCURRENCIES {
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -n 40; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_probe"), "serve"]);
        let server = Process::start(shell.args(["-ORBConcurrency", &concurrency.to_string()]));
        let client = orbs::client();
        let remote: EverythingRef = client.resolve(&server.url).unwrap();
        let profile = remote.myself().unwrap().object().ior().iiop_profiles().next();
        let key = profile.unwrap().unwrap().object_key;
        let ping = peer::request(Version::V1_2, ByteOrder::NATIVE, &key, "ping", |_| Ok(()));
        // More than there are descriptors for, and all are served.
        let clients = (0..60).map(|number| {
            let mut wire = Wire::connect(server.address());
            wire.send(&ping);
            assert_eq!(wire.kind(), Some(MessageKind::Reply), "{concurrency}: {number}");
            wire
        });
        let clients: Vec<_> = clients.collect();
        remote.ping().unwrap();
        drop(clients);
    }
}

#[test]
fn a_client_without_descriptors_closes_idle_connections() {
    let endpoints = (0..30).flat_map(|_| ["-ORBEndpoint", "iiop://127.0.0.1:0"]);
    let builder = orbs::builder().arguments(endpoints.map(str::to_owned)).unwrap();
    let server = Server::of(builder.build().unwrap());
    let profile = server.local.object().ior().iiop_profiles().next().unwrap().unwrap();
    // More places than there are descriptors for, none of which leads elsewhere.
    let places = server.published_addresses().unwrap().iter().map(|(host, port)| {
        let address = CorbalocAddress::Iiop { version: None, host: host.clone(), port: *port };
        Corbaloc { addresses: vec![address], key: profile.object_key.clone() }.to_string()
    });
    let places: Vec<String> = places.collect();
    for connection_policy in ["exclusive", "multiplexed"] {
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -n 24; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_probe"), "tour"]);
        let tour =
            shell.args(["-ORBConnectionPolicy", connection_policy]).args(&places).output().unwrap();
        assert!(
            tour.status.success(),
            "{connection_policy}: {}",
            String::from_utf8_lossy(&tour.stderr)
        );
    }
}

#[test]
fn a_host_opens_no_more_connections_than_its_share() {
    let server = Server::of(orbs::listening_with(|s| s.connections_per_peer = Some(2)));
    let connect = || {
        let mut wire = Wire::connect(server.address());
        wire.send(&server.request(1, "ping"));
        wire
    };
    let mut wires = [connect(), connect()];
    assert!(wires.iter_mut().all(|wire| wire.kind() == Some(MessageKind::Reply)));
    assert_eq!(connect().until_end(), [MessageKind::CloseConnection]);
    let [first, _second] = wires;
    drop(first);
    eventually("another takes its place", || connect().kind() == Some(MessageKind::Reply));
}
