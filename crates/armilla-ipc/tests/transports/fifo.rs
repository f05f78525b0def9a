//! The conformance suite over named pipes, and what is particular to their files.

#![cfg(all(feature = "fifo", feature = "zero-copy"))]

use crate::conformance;
use armilla_ipc::fifo::{Fifo, FifoAcceptor, FifoConnector, open_read, open_write};
use armilla_ipc::{Address, StreamOptions};
use conformance::{LONG, TestTransport, conformance, fresh_path};
use rustix::fs::{CWD, Mode, mkfifoat};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

impl TestTransport for Fifo {
    fn fresh() -> Address {
        Address::fifo(fresh_path())
    }

    fn shorten_queue(_acceptor: &Self::Acceptor) {} // there is none
}

conformance!(Fifo: direct, halves, keeps);

fn bind(path: &Path) -> std::io::Result<FifoAcceptor> {
    FifoAcceptor::bind(&Address::fifo(path), &StreamOptions::default())
}

#[test]
fn one_reader_reads_from_many_writers() {
    let path = fresh_path();
    let reader = open_read(&path).unwrap();
    reader.set_timeout(Some(LONG));
    thread::scope(|scope| {
        // Before the first writer has come this waits, and takes it for no end.
        let received = scope.spawn(|| {
            let mut all = [0; 6];
            reader.recv_all(&mut all).unwrap();
            all
        });
        thread::sleep(Duration::from_millis(10));
        let writers = [(); 3].map(|()| open_write(&path, Some(LONG)).unwrap());
        for writer in &writers {
            writer.send_all(b"ab").unwrap();
        }
        assert_eq!(&received.join().unwrap(), b"ababab");
    });
    assert_eq!(reader.recv(&mut [0; 1]).unwrap(), 0, "no writer is left");
    drop(reader);
    let error = open_write(&path, Some(Duration::from_millis(10))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    fs::remove_file(&path).unwrap();
}

#[test]
fn a_stale_pipe_is_replaced_and_any_other_file_left_alone() {
    let path = fresh_path();
    mkfifoat(CWD, &path, Mode::RWXU).unwrap();
    let refused = FifoConnector::default().connect(&Address::fifo(&path), None).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    let acceptor = bind(&path).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| FifoConnector::default().connect(acceptor.local(), Some(LONG)).unwrap());
        acceptor.accept().unwrap().unwrap();
    });
    drop(acceptor);
    assert!(!path.exists());

    fs::write(&path, "precious").unwrap();
    assert_eq!(bind(&path).unwrap_err().kind(), ErrorKind::AddrInUse);
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    fs::remove_file(&path).unwrap();
    let socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
    assert_eq!(bind(&path).unwrap_err().kind(), ErrorKind::AddrInUse);
    drop(socket);
    fs::remove_file(&path).unwrap();
}

#[test]
fn nonsense_at_the_pipe_is_passed_over_and_no_file_touched() {
    let path = fresh_path();
    let acceptor = bind(&path).unwrap();
    let victim = path.with_extension("1-1.up");
    fs::write(&victim, "precious").unwrap();
    let mut pipe = fs::OpenOptions::new().write(true).open(&path).unwrap();
    for text in ["", "../../etc", "1-", "-1", "1-1/../x", "\0\0", "1-1", "99999999999-9999999999"] {
        pipe.write_all(format!("{text:<32}").as_bytes()).unwrap();
    }
    thread::scope(|scope| {
        scope.spawn(|| FifoConnector::default().connect(acceptor.local(), Some(LONG)).unwrap());
        acceptor.accept().unwrap().unwrap();
    });
    fs::remove_file(victim).unwrap();
}

#[test]
fn a_connection_leaves_no_files() {
    let directory = fresh_path();
    fs::create_dir(&directory).unwrap();
    let acceptor = bind(&directory.join("bank")).unwrap();
    let timeout = Some(Duration::from_millis(10));
    FifoConnector::default().connect(acceptor.local(), timeout).unwrap_err();
    thread::scope(|scope| {
        scope.spawn(|| FifoConnector::default().connect(acceptor.local(), Some(LONG)).unwrap());
        acceptor.accept().unwrap().unwrap();
    });
    drop(acceptor);
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
    fs::remove_dir(&directory).unwrap();
}
