//! The conformance suite over Unix-domain sockets with abstract names.

mod conformance;

use armilla_ipc::unix::{Unix, UnixAcceptor, UnixStream};
use armilla_ipc::{Address, StreamOptions, Transport};
use conformance::{LONG, Place, conformance, fresh_path};
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

impl Place for Abstract {
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
