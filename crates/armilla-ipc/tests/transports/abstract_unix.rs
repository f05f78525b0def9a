//! The conformance suite over Unix-domain sockets with abstract names.

#![cfg(feature = "zero-copy")]

use crate::conformance;
use armilla_ipc::unix::{Unix, UnixAcceptor, UnixStream};
use armilla_ipc::{Address, Stream, StreamOptions, Transport};
use conformance::{LONG, TestTransport, conformance, fresh_path};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

/// The Unix-domain transport, met at abstract names.
enum Abstract {}

impl Transport for Abstract {
    type Stream = UnixStream;
    type Acceptor = UnixAcceptor;

    fn connect(
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
    ) -> io::Result<UnixStream> {
        Unix::connect(address, timeout, options)
    }

    fn listen(address: &Address, options: &StreamOptions) -> io::Result<UnixAcceptor> {
        Unix::listen(address, options)
    }

    fn accept(acceptor: &UnixAcceptor) -> io::Result<Option<UnixStream>> {
        Unix::accept(acceptor)
    }
}

impl TestTransport for Abstract {
    fn fresh() -> Address {
        Address::abstract_name(fresh_path().into_os_string().into_vec())
    }

    fn shorten_queue(acceptor: &Self::Acceptor) {
        rustix::net::listen(acceptor, 0).unwrap();
    }
}

conformance!(Abstract: sockets, direct, queues, halves, keeps);

#[test]
fn the_name_vanishes_with_the_acceptor() {
    let options = StreamOptions::default();
    let address = Abstract::fresh();
    for _ in 0..2 {
        let acceptor = Unix::listen(&address, &options).unwrap();
        Unix::connect(acceptor.local(), Some(LONG), &options).unwrap();
    }
    assert_eq!(
        Unix::connect(&address, Some(LONG), &options).unwrap_err().kind(),
        io::ErrorKind::ConnectionRefused
    );
}

#[test]
fn names_that_no_socket_can_have_are_refused_with_a_reason() {
    for (name, reason) in [(vec![], "empty"), (vec![b'x'; 108], "107")] {
        let address = Address::abstract_name(name);
        let error = Unix::connect(&address, None, &StreamOptions::default()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn a_name_may_have_any_bytes_and_ends_where_it_ends() {
    let options = StreamOptions::default();
    let process = std::process::id();
    let names: [Vec<u8>; 3] =
        ["", "\0", "\0\0\u{ff}/x"].map(|end| format!("armilla-{process}\0zero{end}").into_bytes());
    let addresses = names.map(Address::abstract_name);
    let acceptors = addresses.each_ref().map(|address| Unix::listen(address, &options).unwrap());
    for (acceptor, address) in acceptors.iter().zip(&addresses) {
        let read: Address = address.to_string().parse().unwrap();
        assert_eq!(&read, address);
        let client = Unix::connect(&read, Some(LONG), &options).unwrap();
        let server = acceptor.accept().unwrap().unwrap();
        assert_eq!((client.peer(), server.local()), (address, address));
    }
}
