//! The datagram suite over Unix-domain sockets, and what is particular to them.

mod datagrams;

use armilla_ipc::Address;
use armilla_ipc::datagram::{ConnectedDatagram, Datagram};
use armilla_ipc::unix_datagram::{ConnectedUnixDatagram, UnixDatagram, UnixDatagrams};
use datagrams::{Place, datagram_conformance};
use std::io::ErrorKind;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

impl Place for UnixDatagrams {
    fn fresh() -> Address {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("armilla-dgram-{}-{number}", std::process::id());
        // By turns a path and an abstract name.
        match number % 2 {
            0 => Address::unix(std::env::temp_dir().join(name)),
            _ => Address::abstract_name(name),
        }
    }
}

datagram_conformance!(UnixDatagrams);

#[test]
fn a_full_queue_makes_the_sender_wait_in_bounded_time() {
    let (near, far) = ConnectedUnixDatagram::pair().unwrap();
    near.set_send_timeout(Some(Duration::from_millis(20))).unwrap();
    let mut sent: u32 = 0;
    let error = loop {
        match near.send(&sent.to_ne_bytes()) {
            Ok(()) => sent += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    for number in 0..sent {
        let mut buffer = [0; 4];
        far.recv(&mut buffer).unwrap();
        assert_eq!(u32::from_ne_bytes(buffer), number, "none is lost, all in order");
    }
}

#[test]
fn a_sender_without_a_name_is_shown_as_such() {
    let address = UnixDatagrams::fresh();
    let receiver = UnixDatagram::bind(&address).unwrap();
    UnixDatagram::unbound().unwrap().send_to(b"x", &address).unwrap();
    let (_, from) = receiver.recv_from(&mut [0; 4]).unwrap();
    assert_eq!(from, Address::unix(""));
}

#[test]
fn the_file_lives_as_long_as_the_socket() {
    let path = std::env::temp_dir().join(format!("armilla-dgram-file-{}", std::process::id()));
    drop(std::os::unix::net::UnixDatagram::bind(&path).unwrap()); // a dead process leaves its file
    let socket = UnixDatagram::bind(&Address::unix(&path)).unwrap();
    let error = UnixDatagram::bind(&Address::unix(&path)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
    let connected = UnixDatagram::unbound().unwrap().connect(&Address::unix(&path)).unwrap();
    connected.send(b"hello").unwrap();
    assert_eq!(socket.recv_from(&mut [0; 8]).unwrap().0.length, 5);
    drop(socket);
    assert!(!path.exists());
}
