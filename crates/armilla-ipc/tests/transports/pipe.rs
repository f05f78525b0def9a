//! The conformance suite over pipes that are handed over, and one-way pipes.

#![cfg(all(feature = "pipe", feature = "zero-copy"))]

use crate::conformance;
use armilla_ipc::pipe::{Pipe, PipeAcceptor, PipeConnector, PipeStream, pipe};
use armilla_ipc::{Acceptor, Address, Readiness, Stream, StreamOptions, UnixConnector, UnixStream};
use conformance::{LONG, TestTransport, conformance, fresh_path};
use std::io::{ErrorKind, IoSlice, IoSliceMut};
use std::os::fd::AsFd;
use std::time::Duration;

impl TestTransport for Pipe {
    fn fresh() -> Address {
        Address::pipe(fresh_path())
    }

    fn shorten_queue(acceptor: &Self::Acceptor) {
        rustix::net::listen(acceptor.socket(), 0).unwrap();
    }
}

conformance!(Pipe: direct, queues, halves, keeps);

#[test]
fn the_ends_of_a_pipe_notice_each_other() {
    let (read_end, write_end) = pipe().unwrap();
    read_end.set_timeout(Some(Duration::from_millis(5)));
    assert_eq!(read_end.recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::TimedOut);
    assert_eq!(read_end.readiness().unwrap(), Readiness::Idle);
    write_end.send_all(b"bye").unwrap();
    drop(write_end);
    assert_eq!(read_end.readiness().unwrap(), Readiness::Data);
    assert_eq!(read_end.recv(&mut [0; 8]).unwrap(), 3);
    assert_eq!(read_end.recv(&mut [0; 8]).unwrap(), 0);
    assert_eq!(read_end.readiness().unwrap(), Readiness::Closed);

    let (read_end, write_end) = pipe().unwrap();
    write_end.set_timeout(Some(Duration::from_millis(5)));
    let error = write_end.send_all(&[0; 1 << 20]).unwrap_err();
    assert_eq!(error.source.kind(), ErrorKind::TimedOut);
    assert!(error.sent > 0);
    drop(read_end);
    assert_eq!(write_end.send(b"x").unwrap_err().kind(), ErrorKind::BrokenPipe);
}

#[test]
fn the_size_of_a_pipe_is_an_option() {
    let options = StreamOptions { send_buffer: Some(8192), ..StreamOptions::default() };
    let acceptor = PipeAcceptor::bind(&Pipe::fresh(), &options).unwrap();
    let client = PipeConnector::new(options).connect(acceptor.local(), Some(LONG)).unwrap();
    let server = acceptor.accept().unwrap().unwrap();
    for stream in [&client, &server] {
        let size = rustix::pipe::fcntl_getpipe_size(stream.descriptors().1).unwrap();
        assert_eq!(size, 8192);
    }
    assert_eq!(server.peer_credentials().unwrap().process, std::process::id());
}

#[test]
fn a_peer_that_hands_over_something_else_is_passed_over() {
    let acceptor = PipeAcceptor::bind(&Pipe::fresh(), &StreamOptions::default()).unwrap();
    let Address::Pipe(path) = acceptor.local().clone() else { panic!("not a pipe") };
    let address = Address::unix(path);
    let say = |bytes: &[u8], count: usize| {
        let stream = UnixConnector::default().connect(&address, Some(LONG)).unwrap();
        let all = vec![stream.as_fd(); count];
        stream.send_with_descriptors(bytes, &all).unwrap();
    };
    drop(UnixConnector::default().connect(&address, Some(LONG)).unwrap());
    say(b"?", 2);
    say(b"p", 1);
    say(b"p", 3);
    let silent = UnixConnector::default().connect(&address, Some(LONG)).unwrap();
    let client = PipeConnector::default().connect(acceptor.local(), Some(LONG)).unwrap();
    client.send_all(b"at last").unwrap();
    let server = acceptor.accept().unwrap().unwrap();
    assert_eq!(server.recv(&mut [0; 16]).unwrap(), 7);
    drop(silent);
}

#[test]
fn a_silent_peer_does_not_block_others() {
    let acceptor = PipeAcceptor::bind(&Pipe::fresh(), &StreamOptions::default()).unwrap();
    let Address::Pipe(path) = acceptor.local().clone() else { panic!("not a pipe") };
    let silent = || UnixConnector::default().connect(&Address::unix(&path), Some(LONG)).unwrap();
    acceptor.set_timeout(Some(Duration::ZERO)).unwrap();
    let late = silent();
    assert_eq!(acceptor.accept().unwrap_err().kind(), ErrorKind::WouldBlock);

    // It may speak later.
    let ((input, _far), (_near, output)) = (pipe().unwrap(), pipe().unwrap());
    late.send_with_descriptors(b"p", &[input.as_fd(), output.as_fd()]).unwrap();
    assert!(acceptor.accept().unwrap().is_some());

    // However many there are, the longest silent has to go.
    let crowd: Vec<_> = (0..70).map(|_| silent()).collect();
    let client = PipeConnector::default().connect(acceptor.local(), Some(LONG)).unwrap();
    client.send_all(b"here").unwrap();
    assert_eq!(acceptor.accept().unwrap().unwrap().recv(&mut [0; 8]).unwrap(), 4);
    assert_eq!(acceptor.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
    let closed = |stream: &&UnixStream| stream.readiness().unwrap() == Readiness::Closed;
    assert_eq!(crowd.iter().filter(closed).count(), 7);
    acceptor.close();
    assert!(acceptor.accept().unwrap().is_none());
    assert!(crowd.iter().all(|stream| closed(&stream)));
}

#[test]
fn a_pair_needs_no_address() {
    let (near, far) = PipeStream::pair().unwrap();
    near.send_all(b"there").unwrap();
    far.send_all(b"back").unwrap();
    assert_eq!(far.recv(&mut [0; 8]).unwrap(), 5);
    assert_eq!(near.recv(&mut [0; 8]).unwrap(), 4);
    assert_eq!(near.peer_credentials(), None);
}

#[test]
fn an_end_does_what_half_of_a_stream_does() {
    let (input, output) = pipe().unwrap();
    input.set_timeout(Some(Duration::from_millis(20)));
    assert_eq!(input.try_recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::WouldBlock);
    let parts = ["ab", "", "cde"].map(|part| IoSlice::new(part.as_bytes()));
    assert_eq!(output.send_vectored(&parts).unwrap(), 5);
    let (mut first, mut second) = ([0; 1], [0; 3]);
    let room = &mut [IoSliceMut::new(&mut first), IoSliceMut::new(&mut second)];
    input.recv_all_vectored(room).unwrap();
    assert_eq!((&first, &second), (b"a", b"bcd"));
    let room = &mut [IoSliceMut::new(&mut first), IoSliceMut::new(&mut second)];
    let error = input.recv_all_vectored(room).unwrap_err();
    assert_eq!((error.received, error.source.kind()), (1, ErrorKind::TimedOut));

    let chunk = [1; 4096];
    let mut sent = 0;
    let full = loop {
        match output.try_send(&chunk) {
            Ok(count) => sent += count,
            Err(error) => break error,
        }
    };
    assert_eq!(full.kind(), ErrorKind::WouldBlock);
    let start_connect = output.try_send_vectored(&[IoSlice::new(&chunk)]).unwrap_err();
    assert_eq!(start_connect.kind(), ErrorKind::WouldBlock);
    input.recv_all(&mut vec![0; sent]).unwrap();
    drop(output);
    assert_eq!(input.try_recv(&mut [0; 8]).unwrap(), 0);
}
