//! What memory streams take, and give back.

use super::{ADDRESS, ROLE, bind, is_alone, pair};
use crate::conformance::{LONG, pattern};
use armilla_ipc::shm::same_host::{self, Carrier, SameHostAcceptor, Users};
use armilla_ipc::shm::{ShmConnector, ShmStream, memory_in_use, memory_limit, set_memory_limit};
use armilla_ipc::{Acceptor, Address, Stream, StreamOptions, UnixConnector, is_resource_exhausted};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{env, io, thread};

/// A line of the process's state, such as `RssShmem`, in KiB.
fn state(line: &str) -> u64 {
    let state = std::fs::read_to_string("/proc/self/status").unwrap();
    let found = state.lines().find_map(|text| text.strip_prefix(line)?.strip_prefix(':'));
    found.unwrap().split_whitespace().next().unwrap().parse().unwrap()
}

/// What an idle stream costs, in KiB; both ends are in this process.
const IDLE: u64 = 20;

#[test]
fn an_idle_stream_gives_its_memory_back() {
    if !is_alone("memory::an_idle_stream_gives_its_memory_back") {
        return;
    }
    let in_use = || state("RssShmem");
    let [client, server] = pair();
    let (octets, most) = (pattern(3 << 20), 2 * IDLE);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut all = vec![0; octets.len()];
            for _ in 0..2 {
                server.recv_all(&mut all).unwrap();
                server.send_all(&all).unwrap();
            }
            // It sleeps for long by the time when the client is idle.
            assert_eq!(server.recv(&mut [0; 1]).unwrap(), 1);
        });
        for _ in 0..2 {
            let mut all = vec![0; octets.len()];
            thread::scope(|scope| {
                scope.spawn(|| client.send_all(&octets).unwrap());
                client.recv_all(&mut all).unwrap();
            });
            // So much that both rings have grown, and it may be back already.
            assert!(all == octets);
            let begun = Instant::now();
            while in_use() > most || memory_in_use() > 2 * 1024 * IDLE {
                client.release_memory();
                thread::sleep(Duration::from_millis(1));
                assert!(begun.elapsed() < Duration::from_secs(30), "{} KiB", in_use());
            }
        }
        client.send_all(b"x").unwrap();
    });
    drop((client, server));
    assert_eq!(memory_in_use(), 0);
}

/// Moves bytes from one stream to the other without waiting, which an idle stream would use to give
/// memory back. Returns the most that was in use meanwhile.
fn transfer([from, to]: [&ShmStream; 2], bytes: &[u8]) -> u64 {
    let (mut all, mut sent, mut received, mut most) = (vec![0; bytes.len()], 0, 0, 0);
    while received < bytes.len() {
        sent += from.try_send(&bytes[sent..]).unwrap_or(0);
        most = most.max(memory_in_use());
        received += to.try_recv(&mut all[received..]).unwrap();
    }
    assert!(all == bytes);
    most
}

/// A stream that has moved a bulk once and goes on with small messages, never idle.
#[test]
fn a_busy_stream_gives_memory_back_that_it_needs_no_more() {
    if !is_alone("memory::a_busy_stream_gives_memory_back_that_it_needs_no_more") {
        return;
    }
    let options = StreamOptions {
        send_buffer: Some(1 << 16),
        recv_buffer: Some(1 << 16),
        ..StreamOptions::default()
    };
    let acceptor = bind();
    let client = ShmConnector::new(options).connect(acceptor.local(), Some(LONG)).unwrap();
    let server = acceptor.accept().unwrap().unwrap();
    let both = [[&client, &server], [&server, &client]];
    let echo = |bytes: &[u8]| both.map(|streams| transfer(streams, bytes))[1];
    let small = 2 * 1024 * IDLE;
    for _ in 0..2 {
        assert!((0..2000).all(|_| echo(&pattern(100)) == small), "small messages need no more");
        assert_eq!(echo(&pattern(200_000)), small + (2 << 16), "both rings have grown");
        for _ in 0..4 * (1 << 16) / 100 {
            echo(&pattern(100));
        }
        assert_eq!(memory_in_use(), small, "and shrunk");
        assert!(state("RssShmem") <= 2 * IDLE, "{} KiB", state("RssShmem"));
    }
}

/// Connects both ends of a same-host endpoint, and checks that they work. Returns what carries them.
fn meet(acceptor: &SameHostAcceptor) -> Carrier {
    thread::scope(|scope| {
        let client = scope.spawn(|| {
            let wanted = (Carrier::Memory, &StreamOptions::default());
            same_host::connect(&acceptor.name(), wanted, &Users::Own, LONG).unwrap()
        });
        let server = acceptor.accept().unwrap().unwrap();
        let (client, carrier) = client.join().unwrap();
        assert_eq!(Carrier::of(&*server), Some(carrier));
        client.send_all(b"hello").unwrap();
        assert_eq!(server.recv(&mut [0; 8]).unwrap(), 5);
        carrier
    })
}

fn endpoint() -> SameHostAcceptor {
    SameHostAcceptor::bind(Users::Own, || true, StreamOptions::default()).unwrap()
}

/// The system ends a process that makes a file beyond the limit, unless it expects that.
#[test]
fn a_process_that_may_make_no_such_file_uses_sockets() {
    if !is_alone("memory::a_process_that_may_make_no_such_file_uses_sockets") {
        return;
    }
    let acceptor = endpoint();
    assert_eq!(meet(&acceptor), Carrier::Memory);
    let maximum = getrlimit(Resource::Fsize).maximum;
    setrlimit(Resource::Fsize, Rlimit { current: Some(1 << 20), maximum }).unwrap();
    assert_eq!(meet(&acceptor), Carrier::Socket);
    let listening = bind();
    let refused = ShmConnector::default().connect(listening.local(), Some(LONG)).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::FileTooLarge, "{refused}");
}

/// A server then closes connections that are idle, for both kinds of endpoints.
#[test]
fn acceptors_tell_that_the_process_has_no_more_descriptors() {
    if !is_alone("memory::acceptors_tell_that_the_process_has_no_more_descriptors") {
        return;
    }
    let acceptors: [Box<dyn Acceptor>; 2] = [Box::new(endpoint()), Box::new(bind())];
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: Some(100), maximum }).unwrap();
    for acceptor in acceptors {
        let address = match acceptor.local() {
            Address::Shm(path) => Address::unix(path),
            other => other.clone(),
        };
        let _peer = UnixConnector::default().connect(&address, Some(LONG)).unwrap();
        let (told, hears) = mpsc::channel();
        acceptor.on_resource_exhausted(Box::new(move |error| {
            told.send(is_resource_exhausted(error)).unwrap();
        }));
        acceptor.set_timeout(Some(Duration::from_millis(100))).unwrap();
        let taken: Vec<_> = std::iter::from_fn(|| std::fs::File::open("/dev/null").ok()).collect();
        assert!(acceptor.accept().is_err());
        drop(taken);
        assert_eq!(hears.try_recv(), Ok(true), "{address}");
    }
}

/// Real-time programs lock all that they map; of a stream that is what calls need.
#[test]
#[cfg(feature = "real-time")]
fn locking_all_memory_takes_none_that_is_not_used() {
    if !is_alone("memory::locking_all_memory_takes_none_that_is_not_used") {
        return;
    }
    if let Err(error) = armilla_ipc::real_time::lock_memory() {
        return eprintln!("not tested: {error}");
    }
    let in_use = || state("RssShmem");
    let streams = pair();
    let [client, server] = &streams;
    assert!(in_use() <= 2 * IDLE, "{} KiB", in_use());
    transfer([client, server], &pattern(3 << 20));
    assert!(in_use() > 1024, "it has grown");
    client.release_memory();
    assert!(in_use() <= 2 * IDLE, "{} KiB", in_use());
}

#[test]
fn a_system_with_huge_pages_takes_none_for_a_stream() {
    let [client, server] = pair();
    // It maps what the client has passed when it is first used.
    transfer([&client, &server], b"a call");
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let flags = maps.split("memfd:armilla-shm").skip(1).map(|part| {
        part.lines().find_map(|line| line.strip_prefix("VmFlags:")).expect("the kernel tells them")
    });
    let flags: Vec<_> = flags.collect();
    let has_huge_pages = std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists();
    let wanted = |flags: &&str| flags.contains(" nh") || !has_huge_pages;
    assert!(flags.len() >= 2 && flags.iter().all(wanted), "{flags:?}");
}

#[test]
fn beyond_the_limit_rings_stay_small_and_new_connections_use_sockets() {
    if !is_alone("memory::beyond_the_limit_rings_stay_small_and_new_connections_use_sockets") {
        return;
    }
    let streams = pair();
    let [client, server] = &streams;
    let (bulk, small, large) = (pattern(3 << 20), 2 * 1024 * IDLE, 1 << 20);
    set_memory_limit(small + large);
    assert_eq!(memory_limit(), small + large);
    assert_eq!(transfer([client, server], &bulk), small + large, "the first ring grows");
    assert_eq!(transfer([server, client], &bulk), small + large, "the second does not");
    let again = pair();
    let most = transfer([&again[0], &again[1]], &bulk);
    assert_eq!(most, 2 * small + large, "whoever insists gets a stream, which stays small");

    let acceptor = endpoint();
    assert_eq!(meet(&acceptor), Carrier::Socket);
    drop((streams, again));
    assert_eq!(meet(&acceptor), Carrier::Memory, "there is room again");
}

/// Connects so many times, and moves on each stream what calls do: more in all than the small areas
/// hold. In an ordinary run of the tests it is nothing.
#[test]
fn crowd() {
    let (Ok(address), Ok(role)) = (env::var(ADDRESS), env::var(ROLE)) else { return };
    let Ok(count) = role.parse::<u64>() else { return };
    let (connector, message) = (ShmConnector::default(), pattern(700));
    let before = state("VmPTE");
    let streams: Vec<ShmStream> = (0..count)
        .map(|_| {
            let stream = connector.connect(&address.parse().unwrap(), Some(LONG)).unwrap();
            for _ in 0..30 {
                stream.send_all(&message).unwrap();
                stream.recv_all(&mut [0; 700]).unwrap();
            }
            stream
        })
        .collect();
    writeln!(io::stdout(), "\ncrowd: {}", state("VmPTE") - before).unwrap();
    io::stdin().read_to_end(&mut Vec::new()).unwrap();
    drop(streams);
}

/// What a stream costs two processes, the memory itself and what each needs to map it.
fn many_streams_are_cheap(count: u64) {
    let before = (state("RssShmem"), state("VmPTE"));
    let acceptor = bind();
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["shm::memory::crowd", "--exact", "--nocapture", "--test-threads=1"])
        .env(ADDRESS, acceptor.local().to_string())
        .env(ROLE, count.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let streams: Vec<ShmStream> = (0..count)
        .map(|_| {
            let stream = acceptor.accept().unwrap().unwrap();
            let mut message = [0; 700];
            for _ in 0..30 {
                stream.recv_all(&mut message).unwrap();
                stream.send_all(&message).unwrap();
            }
            stream
        })
        .collect();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.find_map(|line| Some(line.unwrap().strip_prefix("crowd: ")?.to_owned()));
    let tables = state("VmPTE") - before.1 + line.unwrap().parse::<u64>().unwrap();
    let each = (state("RssShmem") - before.0 + tables) as f64 / count as f64;
    println!("{each:.1} KiB for each of {count} streams, {tables} KiB of them page tables");
    assert!(each <= 32.0, "{each} KiB for each stream");
    assert_eq!(memory_in_use(), 1024 * IDLE * count);
    drop((child.stdin.take(), streams));
    assert!(child.wait().unwrap().success());
    assert_eq!(memory_in_use(), 0);
}

#[test]
fn three_hundred_streams_are_cheap() {
    if is_alone("memory::three_hundred_streams_are_cheap") {
        many_streams_are_cheap(300);
    }
}

#[test]
#[ignore = "needs 10,100 descriptors in each of two processes"]
fn ten_thousand_streams_are_cheap() {
    if is_alone("memory::ten_thousand_streams_are_cheap") {
        many_streams_are_cheap(10_000);
    }
}
