//! Many connections to a server in a separate process: a thousand are cheap, and all of them work;
//! those of silent and dribbling peers hold up no others.
//! `lab/armilla-bench/src/bin/connections.rs` measures ten times as many.

use armilla::Version;
use armilla_cdr::ByteOrder;
use armilla_giop::MessageKind;
use armilla_tests::alone::alone;
use armilla_tests::gate::eventually;
use armilla_tests::orbs;
use armilla_tests::peer::{self, Wire};
use armilla_tests::probe::*;
use armilla_tests::process::Process;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::Write;
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const CONNECTIONS: usize = 1_000;

/// A number out of the status of the server's process.
fn status(server: &Process, field: &str) -> usize {
    let text = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn a_thousand_connections_cost_little_memory_and_no_threads() {
    alone(|| {
        let maximum = getrlimit(Resource::Nofile).maximum;
        setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap();
        if maximum.is_some_and(|maximum| maximum < 1_200) {
            eprintln!(
                "NOT CHECKED: a thousand connections; the limit of descriptors is {maximum:?}"
            );
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
    });
}

/// Where the good client and the hostile peers of a server meet.
const LOCAL: [Option<&str>; 3] = [None, Some("uiop"), Some("shmiop")];

/// How many peers send half a message and then nothing, and how many go on octet by octet.
const SILENT: usize = 100;
const DRIBBLING: usize = 20;

/// A connection to the server's TCP endpoint, or to its local one.
fn raw(server: &Process, local: Option<&Path>) -> Box<dyn Write + Send> {
    match local {
        Some(path) => Box::new(UnixStream::connect(path).unwrap()),
        None => Box::new(TcpStream::connect(server.address()).unwrap()),
    }
}

/// The number of descriptors that the server has open.
fn descriptors(server: &Process) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", server.id())).unwrap().count()
}

#[test]
fn silent_and_dribbling_peers_hold_up_no_good_client_and_cost_no_more_than_themselves() {
    alone(|| {
        let directory =
            std::env::temp_dir().join(format!("armilla-dribble-{}", std::process::id()));
        std::fs::create_dir(&directory).unwrap();
        for (number, concurrency) in
            ["thread-per-connection", "leader-followers:2-20", "hybrid:10:2-20"]
                .into_iter()
                .enumerate()
        {
            for scheme in LOCAL {
                let path = directory.join(format!("{}{number}", scheme.unwrap_or("tcp")));
                let mut command = Command::new(env!("CARGO_BIN_EXE_probe"));
                command.args([
                    "serve",
                    "-ORBConcurrency",
                    concurrency,
                    "-ORBHeaderDeadline",
                    "600000",
                ]);
                if let Some(scheme) = scheme {
                    command.args([
                        "-ORBEndpoint".to_owned(),
                        format!("{scheme}://{}", path.display()),
                    ]);
                }
                let server = Process::start(&mut command);
                besieged(&server, scheme.map(|_| &*path), concurrency);
            }
        }
        std::fs::remove_dir_all(directory).unwrap();
    });
}

/// Sets the flag, also when the test fails.
struct EndsIt<'f>(&'f AtomicBool);

impl Drop for EndsIt<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Lets a good client call a server that hostile peers are connected to.
fn besieged(server: &Process, local: Option<&Path>, concurrency: &str) {
    let client = orbs::client();
    let named: EverythingRef = client.resolve(&server.url).unwrap();
    // It leads to the local endpoint, if there is one.
    let remote = named.myself().unwrap();
    let key = remote.object().ior().iiop_profiles().next().unwrap().unwrap().object_key;
    let large = peer::request(Version::V1_2, ByteOrder::NATIVE, &key, "echo_octets", |out| {
        out.copy_octets(&[0; 1 << 20])
    });
    let (threads, open) = (status(server, "Threads:"), descriptors(server));
    let peers = || (0..SILENT).map(|number| raw(server, local.filter(|_| number % 2 == 0)));
    let mut silent: Vec<_> = peers().collect();
    for (number, peer) in silent.iter_mut().enumerate() {
        // In the header, at its end, in the body, and nothing at all.
        peer.write_all(&large[..[5, 12, 500, 0][number % 4]]).unwrap();
    }
    let ends = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut dribbling: Vec<_> = peers().take(DRIBBLING).collect();
            for octet in &large {
                // A peer that was turned away dribbles no more.
                dribbling.retain_mut(|peer| peer.write_all(&[*octet]).is_ok());
                if ends.load(Ordering::SeqCst) {
                    break;
                }
                thread::sleep(Duration::from_millis(1));
            }
        });
        let _end = EndsIt(&ends);
        for call in 0..200 {
            remote.ping().unwrap();
            if call % 50 == 0 {
                // One that comes only now.
                orbs::client().resolve::<dyn Everything>(&server.url).unwrap().ping().unwrap();
            }
        }
        let more = status(server, "Threads:").saturating_sub(threads);
        // Who greets over shared memory has a thread: such a stream cannot wait in the reactor.
        let greets = local.is_some_and(|path| path.to_string_lossy().contains("shmiop"));
        let own = match greets || concurrency == "thread-per-connection" {
            true => SILENT + DRIBBLING,
            false => 20,
        };
        assert!(more <= own + 10, "{concurrency}: {more} more threads");
        let more = descriptors(server).saturating_sub(open);
        assert!(more <= 2 * (SILENT + DRIBBLING) + 20, "{concurrency}: {more} more descriptors");
    });
    drop(silent);
    eventually("the descriptors are given back", || descriptors(server) <= open + 10);
    remote.ping().unwrap();
}
