//! A peer that dies at any moment, stands still, or is not the peer that one hoped for.

use super::{ADDRESS, ROLE, bind};
use crate::conformance::{LONG, pattern};
use armilla_ipc::shm::{ShmAcceptor, ShmConnector, ShmStream};
use armilla_ipc::{Acceptor, Address, Readiness, Stream};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, io, thread};

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
        .args(["shm::hostile::victim", "--exact", "--nocapture", "--test-threads=1"])
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
