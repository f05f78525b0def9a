//! The conformance suite over shared memory, and what is particular to it: how a side sleeps and
//! wakes, what a reactor does, what memory a stream takes, and peers that die or are hostile.

#![cfg(feature = "zero-copy")]

mod hostile;
mod memory;
mod reactor;

use crate::conformance;
use armilla_ipc::shm::{Shm, ShmAcceptor, ShmConnector, ShmStream};
use armilla_ipc::{Address, Stream, StreamOptions};
use conformance::{LONG, TestTransport, conformance, fresh_path};
use std::io::ErrorKind;
use std::process::Command;
use std::time::Duration;
use std::{env, thread};

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

/// For programs that a test starts: where to connect, and what to do there.
const ADDRESS: &str = "ARMILLA_SHM_TEST_ADDRESS";
const ROLE: &str = "ARMILLA_SHM_TEST_ROLE";

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
