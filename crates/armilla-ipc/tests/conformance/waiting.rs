//! How long a stream waits, and looking without waiting.

use super::{LONG, Pair, Place, recv_exact};
use armilla_ipc::{Readiness, Stream};
use rustix::net::sockopt::{Timeout, set_socket_timeout, socket_timeout};
use std::io::ErrorKind;
use std::thread;
use std::time::{Duration, Instant};

pub(crate) fn a_recv_timeout_is_a_timeout_and_bounded<T: Place>() {
    let Pair { client, server: _server, .. } = Pair::<T>::new();
    let timeout = Duration::from_millis(30);
    client.set_recv_timeout(Some(timeout)).unwrap();
    let start = Instant::now();
    let error = client.recv(&mut [0; 8]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert!(error.to_string().contains("30ms"), "the error names the limit: {error}");
    assert!(start.elapsed() >= timeout);
    assert!(start.elapsed() < LONG);
}

pub(crate) fn a_timeout_can_be_changed_and_removed<T: Place>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    for _ in 0..2 {
        client.set_recv_timeout(Some(Duration::from_millis(5))).unwrap();
        assert_eq!(client.recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::TimedOut);
    }
    client.set_recv_timeout(None).unwrap();
    thread::scope(|scope| {
        let reader = scope.spawn(|| client.recv(&mut [0; 8]));
        // Longer than the timeout that no longer holds, with room for the kernel's tick.
        thread::sleep(Duration::from_millis(50));
        server.send_all(b"late").unwrap();
        assert_eq!(reader.join().unwrap().unwrap(), 4);
    });
}

pub(crate) fn a_timeout_that_stays_the_same_costs_no_system_call<T: Place>() {
    let Pair { client, .. } = Pair::<T>::new();
    let (ours, theirs) = (Some(Duration::from_secs(1)), Some(Duration::from_secs(2)));
    client.set_recv_timeout(ours).unwrap();
    client.set_send_timeout(ours).unwrap();
    // Set behind the stream's back, a value stays until a system call replaces it.
    for which in [Timeout::Recv, Timeout::Send] {
        set_socket_timeout(&client, which, theirs).unwrap();
    }
    client.set_recv_timeout(ours).unwrap();
    client.set_send_timeout(ours).unwrap();
    for which in [Timeout::Recv, Timeout::Send] {
        assert_eq!(socket_timeout(&client, which).unwrap(), theirs);
    }
    client.set_recv_timeout(None).unwrap();
    client.set_send_timeout(None).unwrap();
    for which in [Timeout::Recv, Timeout::Send] {
        assert_eq!(socket_timeout(&client, which).unwrap(), None);
    }
}

pub(crate) fn the_shortest_timeout_does_not_wait_forever<T: Place>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    for timeout in [Duration::ZERO, Duration::from_nanos(1)] {
        client.set_recv_timeout(Some(timeout)).unwrap();
        assert_eq!(client.recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::TimedOut);
    }
    client.set_recv_timeout(Some(Duration::MAX)).unwrap();
    server.send_all(b"x").unwrap();
    assert_eq!(client.recv(&mut [0; 8]).unwrap(), 1);
}

pub(crate) fn readiness_tells_quiet_from_data_from_closed<T: Place>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    assert_eq!(client.readiness().unwrap(), Readiness::Quiet);

    server.send_all(b"ab").unwrap();
    assert_eq!(client.readiness().unwrap(), Readiness::Data);
    assert_eq!(client.readiness().unwrap(), Readiness::Data, "looking takes nothing");
    let mut received = [0; 2];
    recv_exact(&client, &mut received);
    assert_eq!(&received, b"ab");
    assert_eq!(client.readiness().unwrap(), Readiness::Quiet);

    server.send_all(b"c").unwrap();
    drop(server);
    assert_eq!(client.readiness().unwrap(), Readiness::Data, "bytes come before the end");
    recv_exact(&client, &mut [0; 1]);
    assert_eq!(client.readiness().unwrap(), Readiness::Closed);
}
