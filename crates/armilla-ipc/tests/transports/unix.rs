//! The conformance suite over Unix-domain sockets, and what is particular to their files.

#![cfg(feature = "zero-copy")]

use crate::conformance;
use armilla_ipc::unix::Unix;
use armilla_ipc::{Address, StreamOptions, UnixAcceptor, UnixConnector};
use conformance::{LONG, TestTransport, conformance, fresh_path};
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

impl TestTransport for Unix {
    fn fresh() -> Address {
        Address::unix(fresh_path())
    }

    fn shorten_queue(acceptor: &Self::Acceptor) {
        rustix::net::listen(acceptor, 0).unwrap();
    }
}

conformance!(Unix: sockets, direct, queues, halves, keeps);

fn bind(path: &PathBuf) -> std::io::Result<UnixAcceptor> {
    UnixAcceptor::bind(&Address::unix(path), &StreamOptions::default())
}

#[test]
fn a_dropped_acceptor_leaves_no_file() {
    let path = fresh_path();
    let acceptor = bind(&path).unwrap();
    assert!(path.exists());
    drop(acceptor);
    assert!(!path.exists());
}

#[test]
fn a_closed_acceptor_makes_room_for_the_next_and_spares_its_file() {
    let path = fresh_path();
    let old = bind(&path).unwrap();
    old.close();
    let new = bind(&path).unwrap();
    drop(old);
    UnixConnector::default().connect(new.local(), Some(LONG)).unwrap();
}

#[test]
fn the_socket_file_of_a_dead_process_is_replaced() {
    let path = fresh_path();
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap()); // leaves its file behind
    let refused = UnixConnector::default().connect(&Address::unix(&path), None).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    let acceptor = bind(&path).unwrap();
    UnixConnector::default().connect(acceptor.local(), Some(LONG)).unwrap();
}

#[test]
fn a_file_that_is_no_socket_is_left_alone() {
    let path = fresh_path();
    fs::write(&path, "precious").unwrap();
    let error = bind(&path).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    fs::remove_file(&path).unwrap();
}

#[test]
fn a_file_put_in_the_place_of_ours_is_left_alone() {
    let path = fresh_path();
    let acceptor = bind(&path).unwrap();
    fs::remove_file(&path).unwrap();
    fs::write(&path, "somebody else's").unwrap();
    drop(acceptor);
    assert!(path.exists());
    fs::remove_file(&path).unwrap();
}

#[test]
fn paths_that_no_socket_can_have_are_refused_with_a_reason() {
    for (path, reason) in [("", "empty"), (&*"x".repeat(109), "108"), ("a\0b", "zero byte")] {
        let address = Address::unix(path);
        for error in [
            UnixConnector::default().connect(&address, None).unwrap_err(),
            bind(&path.into()).unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            assert!(error.to_string().contains(reason), "{error}");
        }
    }
}
