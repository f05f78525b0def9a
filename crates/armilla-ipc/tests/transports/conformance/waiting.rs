//! How long a stream waits, and looking without waiting.

use super::{LONG, Pair, TestTransport, pattern, recv_exact, signals};
use armilla_ipc::{Readiness, Stream};
use rustix::net::sockopt::{Timeout, set_socket_timeout, socket_timeout};
use std::io::{ErrorKind, IoSlice, IoSliceMut};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) fn a_recv_timeout_is_a_timeout_and_bounded<T: TestTransport>() {
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

pub(crate) fn a_timeout_can_be_changed_and_removed<T: TestTransport>() {
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

pub(crate) fn a_timeout_that_stays_the_same_costs_no_system_call<T>()
where
    T: TestTransport<Stream: AsFd>,
{
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

pub(crate) fn the_shortest_timeout_does_not_wait_forever<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    for timeout in [Duration::ZERO, Duration::from_nanos(1)] {
        client.set_recv_timeout(Some(timeout)).unwrap();
        assert_eq!(client.recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::TimedOut);
    }
    client.set_recv_timeout(Some(Duration::MAX)).unwrap();
    server.send_all(b"x").unwrap();
    assert_eq!(client.recv(&mut [0; 8]).unwrap(), 1);
}

pub(crate) fn an_attempt_to_receive_does_not_wait<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    assert_eq!(client.try_recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::WouldBlock);
    server.send_all(b"ab").unwrap();
    await_readiness(&client, Readiness::Data);
    assert_eq!(client.try_recv(&mut [0; 8]).unwrap(), 2);
    assert_eq!(client.try_recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::WouldBlock);
}

pub(crate) fn an_attempt_to_send_into_a_full_stream_does_not_wait<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    let octets = pattern(1 << 16);
    let parts = [IoSlice::new(&octets[..100]), IoSlice::new(&octets[100..])];
    let mut sent = Vec::new();
    let full = loop {
        let whole = sent.len() % octets.len() == 0;
        match if whole { client.try_send_vectored(&parts) } else { client.try_send(&octets) } {
            // A part of them may be sent, and then from the first one on again.
            Ok(count) => sent.extend_from_slice(&octets[..count]),
            Err(error) => break error,
        }
    };
    assert_eq!(full.kind(), ErrorKind::WouldBlock);
    let mut arrived = vec![0; sent.len()];
    recv_exact(&server, &mut arrived);
    assert!(arrived == sent, "{} octets", sent.len());
    assert!(client.try_send(b"there is room again").unwrap() > 0);
    assert_eq!(client.try_send(b"").unwrap(), 0);
}

pub(crate) fn readiness_tells_quiet_from_data<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    assert_eq!(client.readiness().unwrap(), Readiness::Idle);

    server.send_all(b"ab").unwrap();
    await_readiness(&client, Readiness::Data);
    assert_eq!(client.readiness().unwrap(), Readiness::Data, "looking takes nothing");
    let mut received = [0; 2];
    recv_exact(&client, &mut received);
    assert_eq!(&received, b"ab");
    assert_eq!(client.readiness().unwrap(), Readiness::Idle);
    drop(server);
    await_readiness(&client, Readiness::Closed);
}

pub(crate) fn readiness_tells_data_from_closed<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    server.send_all(b"c").unwrap();
    drop(server);
    assert_eq!(client.readiness().unwrap(), Readiness::Data, "bytes come before the end");
    recv_exact(&client, &mut [0; 1]);
    assert_eq!(client.readiness().unwrap(), Readiness::Closed);
}

/// Some transports bring bytes over in their own time.
fn await_readiness(stream: &impl Stream, expected: Readiness) {
    let start = Instant::now();
    while stream.readiness().unwrap() != expected {
        assert!(start.elapsed() < LONG, "the stream never becomes {expected:?}");
        thread::yield_now();
    }
}

pub(crate) fn a_limit_holds_for_a_whole_call<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    let limit = Duration::from_millis(40);
    let done = AtomicBool::new(false);
    server.send_all(b"at least this").unwrap();
    thread::scope(|scope| {
        // A peer that drips never lets a single wait run out.
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                server.send_all(b".").unwrap();
                thread::sleep(Duration::from_millis(5));
            }
        });
        let start = Instant::now();
        let error = client.with_timeout(limit).recv_all(&mut [0; 1_000_000]).unwrap_err();
        done.store(true, Ordering::Relaxed);
        assert_eq!(error.source.kind(), ErrorKind::TimedOut, "{error}");
        assert!(error.received > 0);
        assert!((limit..LONG).contains(&start.elapsed()));
    });
    let bytes = vec![0; 64 << 20];
    let error = client.with_timeout(limit).send_all(&bytes).unwrap_err();
    assert_eq!(error.source.kind(), ErrorKind::TimedOut, "{error}");
    assert!(error.sent < bytes.len());
    let parts: Vec<_> = bytes.chunks(100_000).map(IoSlice::new).collect();
    let error = client.with_timeout(limit).send_all_vectored(&parts).unwrap_err();
    assert_eq!(error.source.kind(), ErrorKind::TimedOut, "{error}");
    assert!(error.sent < bytes.len());
}

pub(crate) fn a_limit_of_no_time_is_one<T: TestTransport>() {
    let Pair { client, server: _server, .. } = Pair::<T>::new();
    let hurry = client.with_timeout(Duration::ZERO);
    let error = hurry.recv_all(&mut [0; 8]).unwrap_err();
    assert_eq!((error.received, error.source.kind()), (0, ErrorKind::TimedOut), "{error}");
    let mut buffer = [0; 8];
    let parts = &mut [IoSliceMut::new(&mut buffer)];
    assert_eq!(hurry.recv_vectored(parts).unwrap_err().kind(), ErrorKind::TimedOut);
    let error = hurry.send_all(&vec![0; 64 << 20]).unwrap_err();
    assert_eq!(error.source.kind(), ErrorKind::TimedOut, "{error}");
}

pub(crate) fn a_peer_that_drips_does_not_prolong_a_reception<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    let timeout = Duration::from_millis(40);
    client.set_recv_timeout(Some(timeout)).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                server.send_all(b".").unwrap();
                thread::sleep(Duration::from_millis(5));
            }
        });
        let start = Instant::now();
        let (mut near, mut far) = (vec![0; 10], vec![0; 1_000_000]);
        let first = client.recv_all(&mut far).unwrap_err();
        let parts = &mut [IoSliceMut::new(&mut near), IoSliceMut::new(&mut far)];
        let second = client.recv_all_vectored(parts).unwrap_err();
        done.store(true, Ordering::Relaxed);
        for error in [first, second] {
            assert_eq!(error.source.kind(), ErrorKind::TimedOut, "{error}");
        }
        assert!((2 * timeout..LONG).contains(&start.elapsed()));
    });
}

pub(crate) fn a_signal_interrupts_nothing<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    let bytes = pattern(2 << 20);
    let mut received = vec![0; bytes.len()];
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let sender = scope.spawn(|| {
            let this = signals::this_thread();
            let done = &done;
            scope.spawn(move || signals::pester(this, done, LONG));
            client.send_all(&bytes).unwrap();
            // Blocked in a reception, which has a timeout and so is never restarted by the kernel.
            assert_eq!(client.recv(&mut [0; 1]).unwrap(), 1);
            done.store(true, Ordering::Relaxed);
        });
        thread::sleep(Duration::from_millis(5));
        recv_exact(&server, &mut received);
        thread::sleep(Duration::from_millis(10));
        server.send_all(b"!").unwrap();
        sender.join().unwrap();
    });
    assert!(received == bytes);
}
