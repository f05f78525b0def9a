//! An acceptor survives exhausted descriptors, and every constructor reports them. Alone in its
//! process, which runs out of them.

#![cfg(all(feature = "pipe", feature = "pty", feature = "udp", feature = "unix-datagram"))]

use crate::alone::alone;
use armilla_ipc::pipe::pipe;
use armilla_ipc::pty::PtyStream;
use armilla_ipc::reactor::Reactor;
use armilla_ipc::udp::UdpSocket;
use armilla_ipc::unix_datagram::UnixDatagram;
use armilla_ipc::{
    Acceptor, Address, StreamOptions, UnixStream, connect, is_resource_exhausted, listen,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

#[test]
fn an_acceptor_waits_until_there_are_descriptors_again() {
    alone(|| {
        let maximum = getrlimit(Resource::Nofile).maximum;
        setrlimit(Resource::Nofile, Rlimit { current: Some(64), maximum }).unwrap();
        let path = |name| std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        for address in [
            Address::tcp("127.0.0.1", 0),
            Address::unix(path("shortage")),
            Address::abstract_name("armilla-shortage"),
            Address::pipe(path("shortage-pipe")),
            Address::pty(path("shortage-pty")),
            Address::fifo(path("shortage-fifo")),
            Address::shm(path("shortage-shm")),
        ] {
            outlives_a_shortage(&*listen(&address, &StreamOptions::default()).unwrap());
        }

        shared_memory_that_found_no_descriptor_is_not_lost(&Address::shm(path("shortage-memory")));
        for address in [Address::shm, Address::pipe, Address::pty] {
            who_says_nothing_gives_way(&path("shortage-silent"), address);
        }

        let options = StreamOptions::default();
        for (what, address) in [
            ("a connection", Address::tcp("127.0.0.1", 0)),
            ("a Unix-domain connection", Address::unix(path("shortage-unix"))),
            ("a connection by shared memory", Address::shm(path("shortage-rings"))),
        ] {
            let acceptor = listen(&address, &options).unwrap();
            making_fails_and_then_succeeds(what, || {
                connect(acceptor.local(), Some(Duration::from_secs(20)), &options)
            });
        }
        making_fails_and_then_succeeds("a datagram socket", || {
            UdpSocket::bind("127.0.0.1:0".parse().unwrap())
        });
        making_fails_and_then_succeeds("a Unix-domain datagram socket", UnixDatagram::unbound);
        making_fails_and_then_succeeds("a pair of streams", UnixStream::pair);
        making_fails_and_then_succeeds("a pipe", pipe);
        making_fails_and_then_succeeds("a terminal", PtyStream::pair);
        making_fails_and_then_succeeds("a reactor", Reactor::new);
    });
}

/// An accepted stream takes the memory at its first use; a shortage at that moment can be waited
/// out.
fn shared_memory_that_found_no_descriptor_is_not_lost(address: &Address) {
    let acceptor = listen(address, &StreamOptions::default()).unwrap();
    let client = connect(address, None, &StreamOptions::default()).unwrap();
    client.send_all(b"hello").unwrap();
    let server = acceptor.accept().unwrap().unwrap();
    let mut hoard = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        hoard.push(file);
    }
    let error = server.recv(&mut [0; 8]).unwrap_err();
    assert!(error.to_string().contains("Too many open files"), "{error}");
    drop(hoard);
    assert_eq!(server.recv(&mut [0; 8]).unwrap(), 5);
}

/// An acceptor that never waits, as in a reactor, has all descriptors that are left in peers that say
/// nothing.
fn who_says_nothing_gives_way(path: &Path, address: fn(PathBuf) -> Address) {
    let options = StreamOptions::default();
    let acceptor = listen(&address(path.to_owned()), &options).unwrap();
    acceptor.set_timeout(Some(Duration::ZERO)).unwrap();
    let silent: Vec<_> =
        (0..12).map(|_| std::os::unix::net::UnixStream::connect(path).unwrap()).collect();
    assert_eq!(acceptor.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
    let client = connect(acceptor.local(), None, &options).unwrap();
    client.send_all(b"hello").unwrap();
    let mut hoard = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        hoard.push(file);
    }
    let server = acceptor.accept().unwrap().expect("the acceptor is open");
    drop(hoard);
    assert_eq!(server.recv(&mut [0; 8]).unwrap(), 5);
    drop(silent);
}

/// Who makes something is told at once, and succeeds when there are descriptors again.
fn making_fails_and_then_succeeds<T>(what: &str, make: impl Fn() -> std::io::Result<T>) {
    let mut hoard = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        hoard.push(file);
    }
    let error = make().err().unwrap_or_else(|| panic!("{what} took no descriptor"));
    assert!(is_resource_exhausted(&error), "{error}");
    assert!(error.to_string().contains("Too many open files"), "{error}");
    drop(hoard);
    make().unwrap_or_else(|error| panic!("{what}: {error}"));
}

fn outlives_a_shortage(acceptor: &dyn Acceptor) {
    let limit = Some(Duration::from_secs(20));
    thread::scope(|scope| {
        let connecting = scope.spawn(|| {
            let client = connect(acceptor.local(), limit, &StreamOptions::default()).unwrap();
            client.send_all(b"still here").unwrap();
            client
        });
        // A named pipe connects only when it is accepted, the rest has done so after this.
        thread::sleep(Duration::from_millis(30));
        let mut hoard = Vec::new();
        while let Ok(file) = File::open("/dev/null") {
            hoard.push(file);
        }
        let accepting = scope.spawn(|| acceptor.accept());
        thread::sleep(Duration::from_millis(30));
        let address = acceptor.local();
        assert!(!accepting.is_finished(), "no descriptor to accept with at {address}");
        drop(hoard);
        let server = accepting.join().unwrap().unwrap().expect("the acceptor is open");
        server.set_recv_timeout(limit).unwrap();
        server.recv_all(&mut [0; 10]).unwrap();
        drop(connecting.join().unwrap());
    });
}
