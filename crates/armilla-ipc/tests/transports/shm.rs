//! The conformance suite over shared memory, and what is particular to a peer that one shares
//! memory with: it dies at any moment, or it is not the peer that one hoped for.

#![cfg(feature = "zero-copy")]

use crate::conformance;
use armilla_ipc::reactor::{Handler, Interest, Next, Reactor, Ready, Token, serve};
use armilla_ipc::shm::same_host::{self, Carrier, SameHostAcceptor, Users};
use armilla_ipc::shm::{
    Shm, ShmAcceptor, ShmConnector, ShmStream, memory_in_use, memory_limit, set_memory_limit,
};
use armilla_ipc::{Acceptor, Address, Readiness, Stream, StreamOptions};
use conformance::{LONG, TestTransport, conformance, fresh_path, pattern};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{env, io, thread};

impl TestTransport for Shm {
    fn fresh() -> Address {
        Address::shm(fresh_path())
    }

    fn shorten_queue(acceptor: &ShmAcceptor) {
        rustix::net::listen(acceptor.socket(), 0).unwrap();
    }
}

conformance!(Shm: queues, halves, keeps);
conformance!(Shm => ends { a_peer_that_leaves_bytes_unread_resets_the_stream });

fn bind() -> ShmAcceptor {
    ShmAcceptor::bind(&Shm::fresh(), &StreamOptions::default()).unwrap()
}

fn pair() -> [ShmStream; 2] {
    let acceptor = bind();
    let client = ShmConnector::default().connect(acceptor.local(), Some(LONG)).unwrap();
    [client, acceptor.accept().unwrap().unwrap()]
}

#[test]
fn a_sleeper_of_any_depth_wakes() {
    // Not yet asleep, on the futex, at the socket.
    for pause in [0, 5, 60] {
        let [client, server] = pair();
        server.set_recv_timeout(Some(LONG)).unwrap();
        thread::scope(|scope| {
            let reader = scope.spawn(|| server.recv(&mut [0; 8]));
            thread::sleep(Duration::from_millis(pause));
            client.send_all(b"wake up").unwrap();
            assert_eq!(reader.join().unwrap().unwrap(), 7);
        });
    }
}

#[test]
fn shutdown_wakes_waiting_threads_in_every_wait_state() {
    for pause in [5, 60] {
        let [client, _server] = pair();
        thread::scope(|scope| {
            let reader = scope.spawn(|| client.recv(&mut [0; 8]));
            thread::sleep(Duration::from_millis(pause));
            client.shutdown(std::net::Shutdown::Read).unwrap();
            assert_eq!(reader.join().unwrap().unwrap(), 0);
            client.send_all(b"the other way stays open").unwrap();
        });
    }
}

#[test]
fn a_spinning_stream_moves_the_same_bytes_and_keeps_its_timeout() {
    let spinning = |time| StreamOptions { busy_poll: Some(time), ..StreamOptions::default() };
    let options = spinning(Duration::from_micros(50));
    let acceptor = ShmAcceptor::bind(&Shm::fresh(), &options).unwrap();
    let connector = ShmConnector::new(spinning(Duration::from_secs(3600)));
    let client = connector.connect(acceptor.local(), Some(LONG)).unwrap();
    let server = acceptor.accept().unwrap().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut ball = [0; 3];
            for _ in 0..100 {
                conformance::recv_exact(&server, &mut ball);
                server.send_all(&ball).unwrap();
            }
        });
        for _ in 0..100 {
            client.send_all(b"abc").unwrap();
            conformance::recv_exact(&client, &mut [0; 3]);
        }
    });
    client.set_recv_timeout(Some(Duration::from_millis(5))).unwrap();
    assert_eq!(client.recv(&mut [0; 1]).unwrap_err().kind(), ErrorKind::TimedOut);
}

#[test]
fn the_kernel_vouches_for_the_peer() {
    for stream in pair() {
        assert_eq!(stream.peer_credentials().unwrap().process, std::process::id());
    }
}

#[test]
fn a_peer_without_a_greeting_delays_only_its_own_connection() {
    let acceptor = bind();
    let Address::Shm(path) = acceptor.local() else { panic!("not shared memory") };
    let silent = UnixStream::connect(path).unwrap();
    let polite = ShmConnector::default().connect(acceptor.local(), Some(LONG)).unwrap();
    let accepted = acceptor.accept().unwrap().unwrap();
    polite.send_all(b"x").unwrap();
    assert_eq!(accepted.recv(&mut [0; 8]).unwrap(), 1);
    acceptor.set_timeout(Some(Duration::from_millis(5))).unwrap();
    assert_eq!(acceptor.accept().unwrap_err().kind(), ErrorKind::TimedOut);
    // It greets at last, though not as it should.
    (&silent).write_all(b"HELLO").unwrap();
    assert!(acceptor.accept().unwrap().unwrap().recv(&mut [0; 8]).is_err());
}

#[test]
fn peers_without_a_greeting_are_held_in_limited_number() {
    let acceptor = bind();
    let Address::Shm(path) = acceptor.local() else { panic!("not shared memory") };
    acceptor.set_timeout(Some(Duration::ZERO)).unwrap();
    let mut silent: Vec<UnixStream> = Vec::new();
    for _ in 0..260 {
        silent.push(UnixStream::connect(path).unwrap());
        assert_eq!(acceptor.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
    }
    assert_eq!(silent[3].read(&mut [0]).unwrap(), 0, "one of the first was disconnected");
    silent[4].set_read_timeout(Some(Duration::from_millis(5))).unwrap();
    assert!(silent[4].read(&mut [0]).is_err(), "the others still may greet");
}

#[test]
fn a_peer_that_greets_wrongly_is_refused_with_the_reason() {
    let acceptor = bind();
    let Address::Shm(path) = acceptor.local() else { panic!("not shared memory") };
    for (greeting, reason) in [
        (&b"GET / HTTP/1.1"[..], "does not speak"),
        (b"ARM", "too short"),
        (b"ARMSHM\0\x02\x0c\x0c", "no memory"),
        (b"ARMSHM\0\x01\x0c\x0c", "this version"),
    ] {
        let mut hostile = UnixStream::connect(path).unwrap();
        hostile.write_all(greeting).unwrap();
        let server = acceptor.accept().unwrap().unwrap();
        let error = server.recv(&mut [0; 8]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.to_string().contains(reason), "{error}");
    }
}

/// Sends back what it receives, driven by a reactor.
struct Echo(ShmStream);

impl Handler for Echo {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    fn ready(&self, _: &Reactor, _: Token, _: Ready) -> Next {
        let mut buffer = [0; 4096];
        loop {
            match self.0.watch() {
                Ok(Readiness::Idle) => return Next::READ,
                Ok(Readiness::Data) => {
                    let count = self.0.recv(&mut buffer).unwrap();
                    self.0.send_all(&buffer[..count]).unwrap();
                }
                _ => return Next::Deregister,
            }
        }
    }
}

#[test]
fn a_reactor_waits_for_shared_memory_like_for_a_socket() {
    for reactor in [Reactor::new().unwrap(), Reactor::shared().unwrap()] {
        let acceptor = bind();
        let address = acceptor.local().clone();
        serve::<Shm>(&reactor, acceptor, |_, stream| Ok(Arc::new(Echo(stream)))).unwrap();
        thread::scope(|scope| {
            let serving = scope.spawn(|| reactor.run());
            let clients =
                [(); 3].map(|()| ShmConnector::default().connect(&address, Some(LONG)).unwrap());
            for round in 0..300 {
                for client in &clients {
                    client.set_recv_timeout(Some(LONG)).unwrap();
                    let sent = pattern(1 + round * 7);
                    client.send_all(&sent).unwrap();
                    let mut received = vec![0; sent.len()];
                    conformance::recv_exact(client, &mut received);
                    assert!(sent == received);
                }
            }
            drop(clients);
            reactor.stop();
            serving.join().unwrap().unwrap();
        });
    }
}

/// Sends back what it receives, without waiting: what the peer does not take is queued.
struct Patient {
    stream: ShmStream,
    queue: Mutex<Vec<u8>>,
    most_queued: Arc<AtomicUsize>,
}

impl Patient {
    fn step(&self) -> io::Result<Interest> {
        let mut queue = self.queue.lock().unwrap();
        let mut buffer = [0; 3000];
        loop {
            let would_block = |error: &io::Error| error.kind() == ErrorKind::WouldBlock;
            match self.stream.try_send(&queue) {
                Ok(sent) => drop(queue.drain(..sent)),
                Err(error) if would_block(&error) => {}
                Err(error) => return Err(error),
            }
            match self.stream.try_recv(&mut buffer) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => queue.extend_from_slice(&buffer[..count]),
                Err(error) if would_block(&error) => {
                    let write = if queue.is_empty() { Interest::NONE } else { Interest::WRITE };
                    return Ok(self.stream.watch_for(Interest::READ | write));
                }
                Err(error) => return Err(error),
            }
            self.most_queued.fetch_max(queue.len(), Ordering::Relaxed);
        }
    }
}

impl Handler for Patient {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.stream.doorbell().unwrap()
    }

    fn interest(&self) -> Interest {
        self.stream.watch_for(Interest::READ)
    }

    fn ready(&self, _: &Reactor, _: Token, _: Ready) -> Next {
        self.step().map_or(Next::Deregister, Next::Wait)
    }
}

/// Clients that read late, at once or in turns: no octet and no ring of the doorbell is lost.
#[test]
fn a_reactor_waits_for_room_in_shared_memory() {
    let options = StreamOptions {
        send_buffer: Some(1 << 14),
        recv_buffer: Some(1 << 14),
        ..StreamOptions::default()
    };
    for reactor in [Reactor::new().unwrap(), Reactor::shared().unwrap()] {
        let acceptor = bind();
        let address = acceptor.local().clone();
        let most_queued = Arc::new(AtomicUsize::new(0));
        let seen = most_queued.clone();
        let make = move |_: &Reactor, stream| {
            let (queue, most_queued) = (Mutex::default(), seen.clone());
            Ok(Arc::new(Patient { stream, queue, most_queued }) as Arc<dyn Handler>)
        };
        serve::<Shm>(&reactor, acceptor, make).unwrap();
        thread::scope(|scope| {
            let serving = scope.spawn(|| reactor.run());
            thread::scope(|scope| {
                for late in [0, 100_000, 500_000] {
                    let (address, options) = (&address, options.clone());
                    scope.spawn(move || {
                        let connector = ShmConnector::new(options);
                        let stream = connector.connect(address, Some(LONG)).unwrap();
                        stream.set_recv_timeout(Some(LONG)).unwrap();
                        let bytes = pattern(1_000_000);
                        let (mut back, mut received) = (vec![0; bytes.len()], 0);
                        for (index, piece) in bytes.chunks(1000).enumerate() {
                            stream.send_all(piece).unwrap();
                            let sent = (index + 1) * 1000;
                            if received + late < sent {
                                stream.recv_all(&mut back[received..sent - late]).unwrap();
                                received = sent - late;
                            }
                        }
                        stream.recv_all(&mut back[received..]).unwrap();
                        assert!(back == bytes);
                    });
                }
            });
            reactor.stop();
            serving.join().unwrap().unwrap();
        });
        assert!(most_queued.load(Ordering::Relaxed) > 100_000, "the doorbell rang for room");
    }
}

const ADDRESS: &str = "ARMILLA_SHM_TEST_ADDRESS";
const ROLE: &str = "ARMILLA_SHM_TEST_ROLE";

/// What the peer does that is going to be killed; in an ordinary run of the tests it is nothing.
#[test]
fn victim() {
    let (Ok(address), Ok(role)) = (env::var(ADDRESS), env::var(ROLE)) else { return };
    let stream = ShmConnector::default().connect(&address.parse().unwrap(), Some(LONG)).unwrap();
    writeln!(io::stdout(), "\nvictim: ready").unwrap(); // not captured, unlike println
    let mut buffer = vec![0; 1 << 16];
    match role.as_str() {
        "sends" => loop {
            stream.send_all(&pattern(50_000)).unwrap();
        },
        "receives" => loop {
            stream.recv(&mut buffer).unwrap();
        },
        _ => loop {
            let count = stream.recv(&mut buffer).unwrap();
            stream.send_all(&buffer[..count]).unwrap();
        },
    }
}

fn start_victim(acceptor: &ShmAcceptor, role: &str) -> Child {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["shm::victim", "--exact", "--nocapture", "--test-threads=1"])
        .env(ADDRESS, acceptor.local().to_string())
        .env(ROLE, role)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "victim: ready"));
    child
}

/// Delays that differ from run to run by less than the work of one system call.
fn busy(steps: u32) {
    for step in 0..steps {
        std::hint::black_box(step);
    }
}

#[test]
fn what_a_peer_had_published_when_it_was_killed_is_whole() {
    let acceptor = bind();
    let unit = pattern(50_000);
    for round in 0..25_u32 {
        let mut victim = start_victim(&acceptor, "sends");
        let stream = acceptor.accept().unwrap().unwrap();
        stream.set_recv_timeout(Some(LONG)).unwrap();
        let (mut received, mut buffer) = (0, vec![0; 30_000]);
        let killer = thread::spawn(move || {
            busy(round.wrapping_mul(2_654_435_761) >> 12);
            victim.kill().unwrap();
            victim.wait().unwrap();
        });
        let error = loop {
            match stream.recv(&mut buffer) {
                Ok(0) => panic!("a killed peer has not ended the stream in order"),
                Ok(count) => {
                    for (index, byte) in buffer[..count].iter().enumerate() {
                        assert_eq!(*byte, unit[(received + index) % unit.len()]);
                    }
                    received += count;
                }
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
        assert_eq!(stream.readiness().unwrap(), Readiness::Closed);
        killer.join().unwrap();
    }
}

#[test]
fn a_blocked_writer_wakes_when_its_peer_is_killed() {
    let acceptor = bind();
    for round in 0..15_u32 {
        let mut victim = start_victim(&acceptor, "receives");
        let stream = acceptor.accept().unwrap().unwrap();
        let killer = thread::spawn(move || {
            busy(round.wrapping_mul(2_654_435_761) >> 10);
            victim.kill().unwrap();
            victim.wait().unwrap();
        });
        let bytes = pattern(1 << 20);
        let error = loop {
            if let Err(error) = stream.send_all(&bytes) {
                break error;
            }
        };
        assert_eq!(error.source.kind(), ErrorKind::BrokenPipe, "{error}");
        killer.join().unwrap();
    }
}

#[test]
fn a_call_fails_soon_when_the_server_process_is_killed() {
    let acceptor = bind();
    for round in 0..25_u32 {
        let mut victim = start_victim(&acceptor, "echoes");
        let stream = acceptor.accept().unwrap().unwrap();
        let killer = thread::spawn(move || {
            busy(round.wrapping_mul(2_654_435_761) >> 12);
            victim.kill().unwrap();
            victim.wait().unwrap();
            Instant::now()
        });
        let error = loop {
            match stream.send_all(b"ping").map_err(io::Error::from) {
                Ok(()) => match stream.recv(&mut [0; 4]) {
                    Ok(count) => assert_ne!(count, 0),
                    Err(error) => break error,
                },
                Err(error) => break error,
            }
        };
        let (told, died) = (Instant::now(), killer.join().unwrap());
        let kind = error.kind();
        assert!(matches!(kind, ErrorKind::ConnectionReset | ErrorKind::BrokenPipe), "{error}");
        assert!(told.saturating_duration_since(died) < LONG, "told late");
    }
}

/// A child that does not outlive a test that fails: one that stands still never ends by itself.
struct Victim(Child);

impl Drop for Victim {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

impl Victim {
    fn signal(&self, signal: rustix::process::Signal) {
        let process = rustix::process::Pid::from_raw(self.0.id().cast_signed()).unwrap();
        rustix::process::kill_process(process, signal).unwrap();
    }

    /// Stops it, and waits until each of its threads stands still.
    fn stop(&self) {
        self.signal(rustix::process::Signal::STOP);
        let threads = format!("/proc/{}/task", self.0.id());
        let stands = |thread: std::fs::DirEntry| {
            let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap();
            stat.rsplit(") ").next().unwrap().starts_with('T')
        };
        while !std::fs::read_dir(&threads).unwrap().all(|thread| stands(thread.unwrap())) {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// A peer that stands still holds nobody up for longer than the time that was set, and loses
/// nothing when it goes on.
#[test]
fn a_stopped_peer_is_waited_for_in_bounded_time() {
    let acceptor = bind();
    let short = Some(Duration::from_millis(30));
    for round in 0..5 {
        let mut victim = Victim(start_victim(&acceptor, "echoes"));
        let stream = acceptor.accept().unwrap().unwrap();
        let bytes = pattern(2 << 20);
        // Stopped while it sleeps, spins, or moves bytes.
        let (mut sent, mut received) = (0, 0);
        for _ in 0..round * 7 {
            stream.send_all(&bytes[sent..sent + 1000]).unwrap();
            sent += 1000;
        }
        victim.stop();
        stream.set_send_timeout(short).unwrap();
        while sent < bytes.len() {
            match stream.send_all(&bytes[sent..]) {
                Ok(()) => sent = bytes.len(),
                Err(error) => {
                    assert_eq!(error.source.kind(), ErrorKind::TimedOut, "{error}");
                    sent += error.sent;
                    break;
                }
            }
        }
        assert!(sent < bytes.len(), "the ring is full");
        // It waited for more room than there may be.
        let error = loop {
            match stream.try_send(&bytes[sent..]) {
                Ok(count) => sent += count,
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}");
        stream.set_recv_timeout(short).unwrap();
        let mut back = vec![0; bytes.len()];
        let error = loop {
            match stream.recv(&mut back[received..]) {
                Ok(count) => received += count,
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
        assert_eq!(stream.readiness().unwrap(), Readiness::Idle, "it lives");

        victim.signal(rustix::process::Signal::CONT);
        for set in [ShmStream::set_send_timeout, ShmStream::set_recv_timeout] {
            set(&stream, Some(LONG)).unwrap();
        }
        thread::scope(|scope| {
            scope.spawn(|| stream.send_all(&bytes[sent..]).unwrap());
            stream.recv_all(&mut back[received..]).unwrap();
        });
        assert!(back == bytes);

        // Stopped for good: its death is noticed as that of any other.
        victim.stop();
        victim.0.kill().unwrap();
        victim.0.wait().unwrap();
        let kind = stream.recv(&mut back).unwrap_err().kind();
        assert_eq!(kind, ErrorKind::ConnectionReset);
    }
}

#[test]
fn programs_that_are_started_inherit_no_descriptor_of_a_stream() {
    if !is_alone("programs_that_are_started_inherit_no_descriptor_of_a_stream") {
        return;
    }
    let inherited = || {
        let listed = Command::new("ls").args(["-l", "/proc/self/fd"]).output().unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        let of_streams = |line: &&str| line.contains("socket:") || line.contains("memfd:");
        listed.lines().filter(of_streams).count()
    };
    let before = inherited();
    let acceptor = bind();
    let client = ShmConnector::default().connect(acceptor.local(), Some(LONG)).unwrap();
    assert_eq!(inherited(), before, "the memory is under way");
    let server = acceptor.accept().unwrap().unwrap();
    client.send_all(b"x").unwrap();
    server.recv_all(&mut [0]).unwrap();
    assert_eq!(inherited(), before);
    // Nor does a stream keep the file of its memory open.
    let own = std::fs::read_dir("/proc/self/fd").unwrap();
    let names = own.filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok());
    assert_eq!(names.filter(|name| name.to_string_lossy().contains("memfd:")).count(), 0);
}

/// A line of the process's state, such as `RssShmem`, in KiB.
fn state(line: &str) -> u64 {
    let state = std::fs::read_to_string("/proc/self/status").unwrap();
    let found = state.lines().find_map(|text| text.strip_prefix(line)?.strip_prefix(':'));
    found.unwrap().split_whitespace().next().unwrap().parse().unwrap()
}

/// Whether this is a process of its own, in which alone the test named so runs on: the memory of
/// other tests would count. Otherwise runs it in one.
fn is_alone(test: &str) -> bool {
    if env::var_os("ARMILLA_SHM_ALONE").is_some() {
        return true;
    }
    let mut command = Command::new(env::current_exe().unwrap());
    command.args([&format!("shm::{test}"), "--exact", "--nocapture", "--include-ignored"]);
    assert!(command.env("ARMILLA_SHM_ALONE", "1").status().unwrap().success());
    false
}

/// What an idle stream costs, in KiB; both ends are in this process.
const IDLE: u64 = 20;

#[test]
fn an_idle_stream_gives_its_memory_back() {
    if !is_alone("an_idle_stream_gives_its_memory_back") {
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
    if !is_alone("a_busy_stream_gives_memory_back_that_it_needs_no_more") {
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

#[test]
fn beyond_the_limit_rings_stay_small_and_new_connections_use_sockets() {
    if !is_alone("beyond_the_limit_rings_stay_small_and_new_connections_use_sockets") {
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

    let acceptor = SameHostAcceptor::bind(Users::Own, || true, StreamOptions::default()).unwrap();
    let connect = || {
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
    };
    assert_eq!(connect(), Carrier::Socket);
    drop((streams, again));
    assert_eq!(connect(), Carrier::Memory, "there is room again");
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
        .args(["shm::crowd", "--exact", "--nocapture", "--test-threads=1"])
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
    if is_alone("three_hundred_streams_are_cheap") {
        many_streams_are_cheap(300);
    }
}

#[test]
#[ignore = "needs 10,100 descriptors in each of two processes"]
fn ten_thousand_streams_are_cheap() {
    if is_alone("ten_thousand_streams_are_cheap") {
        many_streams_are_cheap(10_000);
    }
}
