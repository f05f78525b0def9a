//! How a stream ends: in order, by half, by force, from another thread.

use super::{LONG, Pair, TestTransport, recv_exact};
use armilla_ipc::{Readiness, Stream};
use std::io::ErrorKind;
use std::net::Shutdown;
use std::thread;
use std::time::Duration;

pub(crate) fn a_closing_peer_ends_the_stream<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    server.send_all(b"bye").unwrap();
    drop(server);
    recv_exact(&client, &mut [0; 3]);
    for _ in 0..2 {
        assert_eq!(client.recv(&mut [0; 8]).unwrap(), 0);
    }
}

pub(crate) fn a_half_closed_stream_still_sends_the_other_way<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    client.send_all(b"question").unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    recv_exact(&server, &mut [0; 8]);
    assert_eq!(server.recv(&mut [0; 8]).unwrap(), 0);
    server.send_all(b"answer").unwrap();
    recv_exact(&client, &mut [0; 6]);
    let error = client.send_all(b"more").unwrap_err();
    assert_eq!((error.sent, error.source.kind()), (0, ErrorKind::BrokenPipe));
}

pub(crate) fn a_peer_that_leaves_bytes_unread_resets_the_stream<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    client.send_all(b"unread").unwrap();
    while server.readiness().unwrap() != Readiness::Data {
        thread::yield_now();
    }
    drop(server);
    let error = client.recv(&mut [0; 8]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
}

pub(crate) fn sending_to_a_closed_peer_fails_without_a_signal<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    drop(server);
    // TCP learns that nobody is there from the answer to its first bytes.
    let error = loop {
        match client.send_all(b"anybody?") {
            Ok(()) => thread::yield_now(),
            Err(error) => break error,
        }
    };
    let kind = error.source.kind();
    assert!(matches!(kind, ErrorKind::BrokenPipe | ErrorKind::ConnectionReset), "{error}");
}

pub(crate) fn shutdown_wakes_a_blocked_reader<T: TestTransport>() {
    let Pair { client, server: _server, .. } = Pair::<T>::new();
    client.set_recv_timeout(None).unwrap();
    thread::scope(|scope| {
        let reader = scope.spawn(|| client.recv(&mut [0; 8]));
        thread::sleep(Duration::from_millis(20)); // most likely blocked by now; correct if not
        client.shutdown(Shutdown::Both).unwrap();
        assert_eq!(reader.join().unwrap().unwrap(), 0);
    });
}

pub(crate) fn shutdown_wakes_a_blocked_writer<T: TestTransport>() {
    let Pair { client, server: _server, .. } = Pair::<T>::new();
    client.set_send_timeout(None).unwrap();
    let bytes = vec![0; 64 << 20];
    thread::scope(|scope| {
        let writer = scope.spawn(|| client.send_all(&bytes));
        thread::sleep(Duration::from_millis(20)); // most likely blocked by now; correct if not
        client.shutdown(Shutdown::Both).unwrap();
        let error = writer.join().unwrap().unwrap_err();
        assert!(error.sent < bytes.len());
        assert_eq!(error.source.kind(), ErrorKind::BrokenPipe);
    });
}

pub(crate) fn shutdown_after_the_peer_has_gone_is_no_error<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    client.set_recv_timeout(Some(LONG)).unwrap();
    client.send_all(b"unread").unwrap();
    drop(server);
    // The end or the reset, whichever the transport reports; afterwards nothing is connected.
    let _ = client.recv(&mut [0; 8]);
    for _ in 0..2 {
        client.shutdown(Shutdown::Both).unwrap();
    }
}

pub(crate) fn shutdown_is_noticed_by_the_peer<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    client.shutdown(Shutdown::Both).unwrap();
    assert_eq!(client.recv(&mut [0; 8]).unwrap(), 0);
    let error = client.send_all(b"more").unwrap_err();
    assert_eq!((error.sent, error.source.kind()), (0, ErrorKind::BrokenPipe));
    assert_eq!(server.recv(&mut [0; 8]).unwrap(), 0);
}
