//! Processes of one host find each other by themselves: a server has an endpoint for them beside
//! each one over TCP, references name it, and a client that may use it does. In all other cases it
//! connects over TCP, and no call fails.

use armilla::transport::{Way, WhyAddress};
use armilla::{
    Completion, Concurrency, ConnectionPolicy, ExceptionKind, Object, Orb, SameHost, Settings,
    SystemException, Version,
};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tests::process::Process;
use armilla_tests::relay::Relay;
use armilla_tests::servant::Probe;
use rustix::process::Signal;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// A server on a free port with these settings.
fn server(change: impl FnOnce(&mut Settings)) -> Server {
    Server::of(orbs::listening_with(change))
}

/// The way of a client with these settings to this server, which serves it.
fn way(server: &Server, change: impl FnOnce(&mut Settings)) -> Way {
    let client = orbs::builder().settings(change).build().unwrap();
    let remote = server.remote(&client);
    (0..3).for_each(|_| remote.ping().unwrap());
    let way = remote.object().way().expect("it was called");
    client.shutdown();
    way
}

#[test]
fn a_client_of_the_same_host_comes_through_shared_memory() {
    let server = server(|_| {});
    assert_eq!(way(&server, |_| {}), Way::SharedMemory);
    let client = orbs::client();
    let remote = server.remote(&client);
    for size in [0, 1, 1000, 40_000, 65_536, 100_000, 3_000_000] {
        let given = vec![7; size];
        let (_, copy) = remote.echo_octets(&given, &mut Vec::new()).unwrap();
        assert_eq!(copy.len(), size);
        // As the only result they are received where they stay.
        assert_eq!(remote.produce(size as u32).unwrap().len(), size);
    }
    assert_eq!(remote.object().way(), Some(Way::SharedMemory));
    assert_eq!(
        server.local.object().way(),
        None,
        "no connection leads to an object of the process"
    );
}

#[test]
fn either_side_decides_how_far_it_goes() {
    use SameHost::{Off, Shm, Unix};
    let (memory, socket) = (Way::SharedMemory, Way::LocalSocket);
    let (none, off) = (Way::Address(WhyAddress::NotOffered), Way::Address(WhyAddress::Off));
    let expected =
        [(Off, [none, none, none]), (Unix, [off, socket, socket]), (Shm, [off, socket, memory])];
    for (served, ways) in expected {
        let server = server(|settings| settings.same_host = served);
        for (wanted, expected) in [Off, Unix, Shm].into_iter().zip(ways) {
            let way = way(&server, |settings| settings.same_host = wanted);
            assert_eq!(way, expected, "the server has {served:?}, the client {wanted:?}");
        }
    }
}

#[test]
fn connections_without_a_thread_of_their_own_go_through_memory_too() {
    let reactor = Concurrency::LeaderFollowers { min_threads: 1, max_threads: 4 };
    let of_reactor = server(|settings| settings.concurrency = reactor);
    assert_eq!(way(&of_reactor, |_| {}), Way::SharedMemory, "a reactor watches it");
    let shared = |settings: &mut Settings| {
        settings.connection_policy = ConnectionPolicy::Multiplexed;
    };
    assert_eq!(way(&server(|_| {}), shared), Way::SharedMemory, "threads share it");
    let one = Concurrency::Hybrid { dedicated_threads: 1, min_threads: 1, max_threads: 4 };
    let of_one = server(|settings| settings.concurrency = one);
    let clients = [orbs::client(), orbs::client(), orbs::client()];
    let ways = clients.iter().map(|client| {
        let remote = of_one.remote(client);
        remote.ping().unwrap();
        remote.object().way().unwrap()
    });
    let ways: Vec<_> = ways.collect();
    assert_eq!(ways, [Way::SharedMemory; 3]);
}

#[test]
fn a_server_of_which_the_user_is_not_among_the_peers_is_called_over_tcp() {
    let user = std::fs::metadata("/proc/self").unwrap().uid();
    let server = server(|settings| settings.local_access.peers = vec![user + 1]);
    let found = way(&server, |_| {});
    assert_eq!(found, Way::Address(WhyAddress::OtherUser));
    // The two sides are one user's, whom the server does not name.
    assert!(found.to_string().contains("does not want the user of the other"), "{found}");
    let ours = self::server(|settings| settings.local_access.peers = vec![user + 1, user]);
    assert_eq!(way(&ours, |_| {}), Way::SharedMemory);
}

#[test]
fn a_reference_whose_address_was_changed_leads_where_it_says() {
    let server = server(|_| {});
    let relay = Relay::start(server.address());
    let client = orbs::client();
    let remote = Relay::reference(&[&relay], server.local.object(), &client);
    assert!(!remote.non_existent().unwrap());
    assert_eq!(remote.way(), Some(Way::Address(WhyAddress::NotOffered)));
    assert_eq!(relay.connections(), 1);
}

/// An object that outlives its server.
fn kept(orb: &Orb) -> Object {
    let poa = orb.root_poa().create_poa("kept").persistent().user_ids().build().unwrap();
    let servant: Arc<dyn Everything> = Arc::new(Probe::default());
    poa.activate_with_id("object", servant).unwrap().object().clone()
}

#[test]
fn a_server_that_was_started_anew_is_found_over_tcp() {
    let server = orbs::listening();
    let client = orbs::client();
    let old = orbs::travel_object(&kept(&server), &client);
    assert!(!old.non_existent().unwrap());
    assert_eq!(old.way(), Some(Way::SharedMemory));
    let port = server.published_addresses().unwrap()[0].1;
    server.shutdown();
    let again = orbs::builder().listen(&format!("iiop://127.0.0.1:{port}")).unwrap();
    let server = again.build().unwrap();
    let new = orbs::travel_object(&kept(&server), &client);
    for _ in 0..3 {
        assert!(!old.non_existent().unwrap());
        assert_eq!(old.way(), Some(Way::Address(WhyAddress::Gone)));
    }
    assert!(!new.non_existent().unwrap());
    assert_eq!(new.way(), Some(Way::SharedMemory), "its own reference says more");
    assert!(old.is_equivalent(&new));
    server.shutdown();
}

/// Long enough for a server that answers.
const LIMIT: Duration = Duration::from_secs(2);

#[test]
fn a_server_that_fell_silent_in_memory_and_was_started_anew_is_called_again() {
    let place = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let endpoint = format!("iiop://{place}");
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_probe"));
        Process::start(command.args(["serve", "-ORBEndpoint", &endpoint]))
    };
    let client = orbs::builder().settings(|settings| settings.call_timeout = Some(LIMIT));
    let client = client.build().unwrap();
    let silent = start();
    let named: EverythingRef = client.resolve(&format!("corbaloc::{place}/Probe")).unwrap();
    let near = named.myself().unwrap();
    near.ping().unwrap();
    assert_eq!(near.object().way(), Some(Way::SharedMemory));
    silent.stop();
    for _ in 0..2 {
        let error = near.ping().unwrap_err();
        assert!(is_silence(&error), "{error}");
    }
    drop(silent);
    let server = start();
    eventually("the client comes back", || named.ping().is_ok());
    let near = named.myself().unwrap();
    near.ping().unwrap();
    assert_eq!(near.object().way(), Some(Way::SharedMemory));
    drop(server);
}

/// Whether a call has ended because nothing came in time.
fn is_silence(error: &SystemException) -> bool {
    matches!(error.kind(), ExceptionKind::Timeout | ExceptionKind::Transient)
}

#[test]
fn metrics_tell_the_ways_of_connections() {
    let metrics = armilla::observe::Metrics::new();
    assert_eq!(way(&server(|_| {}), |_| {}), Way::SharedMemory);
    let text = metrics.to_prometheus();
    let counted = "armilla_connections_made_total{way=\"shared-memory\",why=\"\"}";
    assert!(text.contains(counted), "{text}");
}

#[test]
fn every_version_of_giop_that_has_components_goes_through_memory() {
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        let known = server(|_| {});
        assert_eq!(way(&known, |settings| settings.max_giop = version), Way::SharedMemory);
        let old = server(|settings| settings.max_giop = version);
        let expected = match version {
            Version::V1_0 => Way::Address(WhyAddress::NotOffered),
            _ => Way::SharedMemory,
        };
        assert_eq!(way(&old, |_| {}), expected, "IIOP {version}");
        let client = orbs::builder().settings(|settings| settings.max_giop = version);
        let remote = known.remote(&client.build().unwrap());
        let given = vec![7; 3_000_000];
        assert_eq!(remote.echo_octets(&given, &mut Vec::new()).unwrap().1, given);
    }
}

#[test]
fn a_flood_to_a_server_that_stands_still_ends_in_time_and_goes_on_with_it() {
    const BRIEF: Duration = Duration::from_millis(300);
    for policy in [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed] {
        let server = Process::start(Command::new(env!("CARGO_BIN_EXE_probe")).arg("serve"));
        let client = orbs::builder().settings(|settings| settings.connection_policy = policy);
        let client = client.build().unwrap();
        let named: EverythingRef = client.resolve(&server.url).unwrap();
        let near = named.myself().unwrap();
        near.ping().unwrap();
        assert_eq!(near.object().way(), Some(Way::SharedMemory));
        server.stop();
        let brief = near.with_timeout(BRIEF);
        let text = "x".repeat(10_000);
        let refused = (0..10_000).find_map(|_| brief.remark(&text).err());
        let refused = refused.expect("the queue has an end");
        assert!(is_silence(&refused), "{policy:?}: {refused}");
        assert_eq!(refused.completed(), Completion::No, "{policy:?}: {refused}");
        server.signal(Signal::CONT);
        eventually("the server is called again", || near.ping().is_ok());
        assert!(near.remarks(1).unwrap().iter().all(|remark| *remark == text));
    }
}

#[test]
fn calls_that_nobody_waits_for_any_more_leave_the_others_alone() {
    let server = server(|_| {});
    let client = orbs::client();
    let remote = server.remote(&client);
    let mut calls: Vec<_> = (0..64).map(|_| remote.block_async()).collect();
    server.probe.gate.await_waiting(64);
    let mut position = 0;
    calls.retain(|_| {
        position += 1;
        position % 2 == 0
    });
    assert_eq!(remote.object().way(), Some(Way::SharedMemory));
    remote.ping_async().wait().unwrap();
    server.probe.gate.open();
    calls.into_iter().for_each(|call| call.wait().unwrap());
    remote.ping().unwrap();
}

#[test]
fn an_orb_that_shuts_down_during_calls_ends_them_or_lets_them_end() {
    for policy in [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed] {
        let server = server(|_| {});
        let client = orbs::builder().settings(|settings| settings.connection_policy = policy);
        let client = client.build().unwrap();
        let remote = server.remote(&client);
        std::thread::scope(|scope| {
            let calls = [(); 4].map(|()| scope.spawn(|| remote.block()));
            server.probe.gate.await_waiting(4);
            client.shutdown();
            server.probe.gate.open();
            for call in calls {
                let ended = call.join().unwrap();
                assert!(ended.is_ok(), "{policy:?}: {ended:?}");
            }
        });
    }
}

#[test]
fn the_death_of_a_server_ends_the_calls_under_way() {
    for policy in [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed] {
        let server = Process::start(Command::new(env!("CARGO_BIN_EXE_probe")).arg("serve"));
        let client = orbs::builder().settings(|settings| settings.connection_policy = policy);
        let client = client.build().unwrap();
        let named: EverythingRef = client.resolve(&server.url).unwrap();
        let near = named.myself().unwrap();
        near.ping().unwrap();
        let later = near.block_async();
        std::thread::scope(|scope| {
            let calls = [(); 2].map(|()| scope.spawn(|| near.block()));
            std::thread::sleep(Duration::from_millis(50));
            server.signal(Signal::KILL);
            for call in calls {
                let error = call.join().unwrap().unwrap_err();
                assert_eq!(error.kind(), ExceptionKind::CommFailure, "{policy:?}: {error}");
            }
        });
        let error = later.wait().unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::CommFailure, "{policy:?}: {error}");
    }
}
