//! How streams are made, and what is said when they cannot be.

use super::{LONG, Pair, TestTransport, connect_with, recv_exact, signals};
use armilla_ipc::{Acceptor, Address, Stream, StreamOptions, connect, listen};
use rustix::net::sockopt;
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) fn both_ends_know_each_other<T: TestTransport>() {
    let Pair { client, server, acceptor } = Pair::<T>::new();
    assert_eq!(client.peer(), acceptor.local());
    assert_eq!(server.local(), acceptor.local());
    assert_eq!(client.local(), server.peer());
    assert_ne!(client.local(), client.peer());
}

pub(crate) fn an_acceptor_accepts_one_after_the_other<T: TestTransport>() {
    let Pair { acceptor, .. } = Pair::<T>::new();
    let options = StreamOptions::default();
    let clients: Vec<_> = (0..20).map(|_| connect_with::<T>(&acceptor, &options)).collect();
    for (number, client) in clients.iter().enumerate() {
        client.send_all(&[number as u8]).unwrap();
        let server = T::accept(&acceptor).unwrap().unwrap();
        let mut received = [0; 1];
        recv_exact(&server, &mut received);
        assert_eq!(received, [number as u8], "first come, first served");
    }
}

/// Does `work` in the calling thread while signals interrupt it all the time.
fn pestered<R>(work: impl FnOnce() -> R) -> R {
    let (this, done) = (signals::this_thread(), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| signals::pester(this, &done, LONG));
        let result = work();
        done.store(true, Ordering::Relaxed);
        result
    })
}

pub(crate) fn a_signal_interrupts_no_meeting<T: TestTransport>() {
    let options = StreamOptions::default();
    let acceptor = T::listen(&T::fresh(), &options).unwrap();
    let meet = || {
        thread::scope(|scope| {
            let connecting = scope.spawn(|| {
                pestered(|| {
                    thread::sleep(Duration::from_millis(10)); // most likely awaited by now
                    connect_with::<T>(&acceptor, &options)
                })
            });
            let server = pestered(|| T::accept(&acceptor)).unwrap().unwrap();
            let client = connecting.join().unwrap();
            client.send_all(b"met").unwrap();
            server.set_recv_timeout(Some(LONG)).unwrap();
            recv_exact(&server, &mut [0; 3]);
        });
    };
    meet();
    acceptor.set_timeout(Some(LONG)).unwrap();
    meet();
    let limit = Duration::from_millis(30);
    acceptor.set_timeout(Some(limit)).unwrap();
    let start = Instant::now();
    let error = pestered(|| T::accept(&acceptor)).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
    assert!((limit..LONG).contains(&start.elapsed()));
}

pub(crate) fn close_wakes_a_blocked_accept<T: TestTransport>() {
    let acceptor = T::listen(&T::fresh(), &StreamOptions::default()).unwrap();
    thread::scope(|scope| {
        let blocked = scope.spawn(|| T::accept(&acceptor));
        thread::sleep(Duration::from_millis(20)); // most likely blocked by now; correct if not
        acceptor.close();
        assert!(blocked.join().unwrap().unwrap().is_none());
    });
}

pub(crate) fn a_closed_acceptor_refuses_and_returns_none<T: TestTransport>() {
    let acceptor = T::listen(&T::fresh(), &StreamOptions::default()).unwrap();
    let queued = connect_with::<T>(&acceptor, &StreamOptions::default());
    for _ in 0..2 {
        acceptor.close();
        assert!(T::accept(&acceptor).unwrap().is_none());
    }
    queued.set_recv_timeout(Some(LONG)).unwrap();
    match queued.recv(&mut [0; 1]) {
        Ok(count) => assert_eq!(count, 0, "nobody was there to send"),
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
    }
    T::connect(acceptor.local(), Some(LONG), &StreamOptions::default())
        .expect_err("nobody listens any more");
}

pub(crate) fn connecting_where_nobody_listens_names_the_address<T: TestTransport>() {
    let address = {
        let acceptor = T::listen(&T::fresh(), &StreamOptions::default()).unwrap();
        acceptor.local().clone()
    };
    let error = T::connect(&address, Some(LONG), &StreamOptions::default()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::NotFound), "{error}");
    assert!(error.to_string().contains(&address.to_string()), "{error}");
}

pub(crate) fn listening_twice_names_the_address<T: TestTransport>() {
    let first = T::listen(&T::fresh(), &StreamOptions::default()).unwrap();
    let error = T::listen(first.local(), &StreamOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
    assert!(error.to_string().contains(&first.local().to_string()), "{error}");
    // The first is as good as before.
    thread::scope(|scope| {
        scope.spawn(|| connect_with::<T>(&first, &StreamOptions::default()));
        T::accept(&first).unwrap().unwrap();
    });
}

pub(crate) fn an_acceptor_that_does_not_accept_is_waited_for_in_bounded_time<T: TestTransport>() {
    let acceptor = T::listen(&T::fresh(), &StreamOptions::default()).unwrap();
    T::shorten_queue(&acceptor);
    let (timeout, options) = (Duration::from_millis(30), StreamOptions::default());
    let mut waiting = Vec::new();
    let error = loop {
        let start = Instant::now();
        match T::connect(acceptor.local(), Some(timeout), &options) {
            Ok(stream) => waiting.push(stream),
            Err(error) => {
                // Some waits end by the coarse clock, a tick early by this one.
                assert!(start.elapsed() + Duration::from_millis(10) >= timeout);
                assert!(start.elapsed() < LONG);
                break error;
            }
        }
        assert!(waiting.len() < 100, "the queue never fills");
    };
    assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
    assert!(error.to_string().contains(&acceptor.local().to_string()), "{error}");
}

pub(crate) fn an_address_of_another_transport_is_refused<T: TestTransport>() {
    let foreign = match T::fresh() {
        Address::Tcp { .. } => Address::unix("/nowhere"),
        _ => Address::tcp("localhost", 1),
    };
    let options = StreamOptions::default();
    let error = T::connect(&foreign, None, &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert_eq!(T::listen(&foreign, &options).err().unwrap().kind(), ErrorKind::InvalidInput);
}

pub(crate) fn the_roles_work_boxed<T: TestTransport>() {
    let options = StreamOptions::default();
    let acceptor = listen(&T::fresh(), &options).unwrap();
    let (client, server) = thread::scope(|scope| {
        let client = scope.spawn(|| connect(acceptor.local(), Some(LONG), &options).unwrap());
        let server = acceptor.accept().unwrap().unwrap();
        (client.join().unwrap(), server)
    });
    client.send_all(b"boxed").unwrap();
    let mut buffer = [0; 8];
    assert_eq!(server.recv(&mut buffer).unwrap(), 5);
    acceptor.close();
    assert!(acceptor.accept().unwrap().is_none());
}

pub(crate) fn buffer_sizes_reach_the_socket<T: TestTransport<Stream: AsFd>>() {
    let options = StreamOptions {
        send_buffer: Some(20_000),
        recv_buffer: Some(30_000),
        ..StreamOptions::default()
    };
    let pair = Pair::<T>::with(&options);
    // The kernel doubles what it is asked for, to have room for its own bookkeeping.
    for socket in [pair.client.as_fd(), pair.server.as_fd()] {
        assert_eq!(sockopt::socket_send_buffer_size(socket).unwrap(), 40_000);
        assert_eq!(sockopt::socket_recv_buffer_size(socket).unwrap(), 60_000);
    }
}
