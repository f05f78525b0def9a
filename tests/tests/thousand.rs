//! A thousand connections to a server in a separate process: they are cheap, and all of them work.
//! `crates/armilla-bench/src/bin/connections.rs` measures ten times as many.

use armilla::Version;
use armilla_cdr::ByteOrder;
use armilla_giop::MessageKind;
use armilla_tests::orbs;
use armilla_tests::peer::{self, Wire};
use armilla_tests::probe::*;
use armilla_tests::process::Process;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::process::Command;

const CONNECTIONS: usize = 1_000;

/// A number out of the status of the server's process.
fn status(server: &Process, field: &str) -> usize {
    let text = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn a_thousand_connections_cost_little_memory_and_no_threads() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap();
    if maximum.is_some_and(|maximum| maximum < 1_200) {
        eprintln!("NOT CHECKED: a thousand connections; the limit of descriptors is {maximum:?}");
        return;
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_probe"));
    let server = Process::start(command.args(["serve", "-ORBConcurrency", "hybrid:10:2-20"]));
    let remote: EverythingRef = orbs::client().resolve(&server.url).unwrap();
    let profile = remote.myself().unwrap().object().ior().iiop_profiles().next();
    let key = profile.unwrap().unwrap().object_key;
    let ping = peer::request(Version::V1_2, ByteOrder::NATIVE, &key, "ping", |_| Ok(()));
    let connect = |_| {
        let mut wire = Wire::connect(server.address());
        wire.send(&ping);
        assert_eq!(wire.kind(), Some(MessageKind::Reply));
        wire
    };
    // The threads that there are for the first ones, and for the reactor.
    let mut wires: Vec<Wire> = (0..100).map(connect).collect();
    let (threads, resident) = (status(&server, "Threads:"), status(&server, "VmRSS:"));
    wires.extend((100..CONNECTIONS).map(connect));
    let grown = status(&server, "VmRSS:").saturating_sub(resident);
    assert!(grown <= 16 * (CONNECTIONS - 100), "{grown} KiB");
    let more = status(&server, "Threads:").saturating_sub(threads);
    assert!(more < 20, "{more} more threads");
    for wire in &mut wires {
        assert!(wire.send(&ping));
    }
    for wire in &mut wires {
        assert_eq!(wire.kind(), Some(MessageKind::Reply));
    }
    // Half a message each: no more is kept of it than has arrived.
    let before = status(&server, "VmRSS:");
    for wire in &mut wires {
        assert!(wire.send(&ping[..20]));
    }
    remote.ping().unwrap();
    let grown = status(&server, "VmRSS:").saturating_sub(before);
    assert!(grown <= 16 * CONNECTIONS, "{grown} KiB for halves of messages");
    for wire in &mut wires {
        assert!(wire.send(&ping[20..]));
        assert_eq!(wire.kind(), Some(MessageKind::Reply));
    }
}
