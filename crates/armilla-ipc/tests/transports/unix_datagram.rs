//! The datagram suite over Unix-domain sockets, and what is particular to them.

#![cfg(feature = "unix-datagram")]

use crate::datagrams;
use armilla_ipc::Address;
use armilla_ipc::datagram::{ConnectedDatagram, Datagram};
use armilla_ipc::unix::MAX_DESCRIPTORS;
use armilla_ipc::unix_datagram::{ConnectedUnixDatagram, UnixDatagram, UnixDatagrams};
use armilla_ipc::{Stream, UnixStream};
use datagrams::{TestTransport, datagram_conformance};
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

impl TestTransport for UnixDatagrams {
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
    assert_eq!(from.to_string(), "unix: unnamed");
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

/// A bound socket that does not wait for ever, and its address.
fn bound() -> (UnixDatagram, Address) {
    let address = UnixDatagrams::fresh();
    let socket = UnixDatagram::bind(&address).unwrap();
    socket.set_recv_timeout(Some(Duration::from_secs(20))).unwrap();
    (socket, address)
}

#[test]
fn descriptors_travel_with_datagrams() {
    let ((a, at_a), (b, at_b)) = (bound(), bound());
    let (carried, other) = UnixStream::pair().unwrap();
    a.send_to_with_descriptors(b"", &[carried.as_fd()], &at_b).unwrap();
    let mut descriptors = Vec::new();
    let (received, from) = b.recv_from_with_descriptors(&mut [0; 8], &mut descriptors).unwrap();
    assert_eq!((received.whole, from, descriptors.len()), (0, at_a, 1));

    let (near, far) = ConnectedUnixDatagram::pair().unwrap();
    let passed = descriptors.remove(0);
    near.send_with_descriptors(b"two of them", &[passed.as_fd(), passed.as_fd()]).unwrap();
    drop((carried, passed));
    let received = far.recv_with_descriptors(&mut [0; 3], &mut descriptors).unwrap();
    assert_eq!((received.length, received.whole, descriptors.len()), (3, 11, 2));
    let stream = UnixStream::from_descriptor(descriptors.remove(0)).unwrap();
    stream.send_all(b"twice on its way").unwrap();
    other.recv_all(&mut [0; 16]).unwrap();

    // As many as one call passes, together with the sender's credentials.
    let many = [near.as_fd(); MAX_DESCRIPTORS + 1];
    for identified in [false, true] {
        descriptors.clear();
        near.send_with_descriptors(b"asked for late", &many[1..]).unwrap();
        far.identify_senders(identified).unwrap();
        near.send_with_descriptors(b"or in time", &many[1..]).unwrap();
        far.recv_with_descriptors(&mut [0; 16], &mut descriptors).unwrap();
        far.recv_with_descriptors(&mut [0; 16], &mut descriptors).unwrap();
        assert_eq!(descriptors.len(), 2 * MAX_DESCRIPTORS);
    }
    let error = near.send_with_descriptors(b"x", &many).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    near.send_with_descriptors(b"none", &[]).unwrap();
    descriptors.clear();
    assert_eq!(far.recv_with_descriptors(&mut [0; 8], &mut descriptors).unwrap().whole, 4);
    assert!(descriptors.is_empty());
    far.set_recv_timeout(Some(Duration::from_millis(5))).unwrap();
    let error = far.recv_with_descriptors(&mut [0; 8], &mut descriptors).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
}

#[test]
fn descriptors_that_are_not_received_are_closed() {
    let (near, far) = ConnectedUnixDatagram::pair().unwrap();
    let plainly = |far: &ConnectedUnixDatagram| far.recv(&mut [0; 8]).map(drop);
    let with_sender =
        |far: &ConnectedUnixDatagram| far.recv_with_credentials(&mut [0; 8]).map(drop);
    for (identified, take) in
        [(false, plainly as fn(&_) -> _), (false, with_sender), (true, with_sender)]
    {
        far.identify_senders(identified).unwrap();
        let (carried, other) = UnixStream::pair().unwrap();
        near.send_with_descriptors(b"x", &[carried.as_fd(); 3]).unwrap();
        drop(carried);
        other.set_recv_timeout(Some(Duration::from_secs(20))).unwrap();
        take(&far).unwrap();
        assert_eq!(other.recv(&mut [0; 1]).unwrap(), 0, "the last copy is closed");
    }
}

#[test]
fn the_kernel_vouches_for_the_sender_of_each_datagram() {
    let (receiver, address) = bound();
    let (sender, at_sender) = bound();
    sender.send_to(b"before", &address).unwrap();
    receiver.identify_senders(true).unwrap();
    sender.send_to(b"after it", &address).unwrap();
    let mut buffer = [0; 4];
    let (_, _, nobody) = receiver.recv_from_with_credentials(&mut buffer).unwrap();
    assert_eq!(nobody, None);
    let (received, from, who) = receiver.recv_from_with_credentials(&mut buffer).unwrap();
    assert_eq!((received.length, received.whole, from), (4, 8, at_sender));
    let who = who.unwrap();
    assert_eq!(who.process, std::process::id());
    assert_eq!(who.user, rustix::process::geteuid().as_raw());
    assert_eq!(who.group, rustix::process::getegid().as_raw());

    let (near, far) = ConnectedUnixDatagram::pair().unwrap();
    far.identify_senders(true).unwrap();
    near.send(b"x").unwrap();
    let (received, who) = far.recv_with_credentials(&mut buffer).unwrap();
    assert_eq!((received.whole, who.unwrap().process), (1, std::process::id()));
    far.identify_senders(false).unwrap();
    near.send(b"y").unwrap();
    assert_eq!(far.recv_with_credentials(&mut buffer).unwrap().1, None);
}
