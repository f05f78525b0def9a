//! The thread pool of a reactor, and the handlers that acceptors and connectors make.

use crate::probe;
use armilla_ipc::reactor::{
    Handler, Next, Pool, PoolOptions, Reactor, Ready, Token, connect, serve,
};
use armilla_ipc::unix::Unix;
use armilla_ipc::{Address, Stream, StreamOptions, UnixAcceptor, UnixConnector, UnixStream};
use probe::{LONG, probe, read_byte, settle};
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

struct Echo(UnixStream);

impl Handler for Echo {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    fn ready(&self, _: &Reactor, _: Token, ready: Ready) -> Next {
        assert!(ready.readable());
        let mut buffer = [0; 64];
        match self.0.recv(&mut buffer) {
            Ok(count) if count > 0 && self.0.send_all(&buffer[..count]).is_ok() => Next::READ,
            _ => Next::Deregister,
        }
    }
}

fn listen() -> UnixAcceptor {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("armilla-reactor-{}-{number}", std::process::id());
    let address = Address::unix(std::env::temp_dir().join(name));
    UnixAcceptor::bind(&address, &StreamOptions::default()).unwrap()
}

fn pool(min_threads: usize, max_threads: usize) -> (Arc<Reactor>, Pool) {
    let reactor = Arc::new(Reactor::shared().unwrap());
    let idle_timeout = Duration::from_millis(20);
    let options = PoolOptions { min_threads, max_threads, idle_timeout, ..PoolOptions::default() };
    (Arc::clone(&reactor), Pool::start(reactor, options).unwrap())
}

#[test]
fn a_pool_serves_many_peers_with_few_threads() {
    let (reactor, pool) = pool(2, 2);
    let acceptor = listen();
    let address = acceptor.local().clone();
    serve::<Unix>(&reactor, acceptor, |_, stream| Ok(Arc::new(Echo(stream)))).unwrap();
    let clients: Vec<_> =
        (0..200).map(|_| UnixConnector::default().connect(&address, Some(LONG)).unwrap()).collect();
    for round in 0..5_u8 {
        for client in &clients {
            client.send_all(&[round]).unwrap();
        }
        for client in &clients {
            let mut echo = [0; 8];
            client.set_recv_timeout(Some(LONG)).unwrap();
            assert_eq!((client.recv(&mut echo).unwrap(), echo[0]), (1, round));
        }
    }
    assert_eq!(pool.threads(), 2);
    reactor.stop();
    pool.join();
}

#[test]
fn a_pool_grows_while_handlers_block_and_shrinks_afterwards() {
    let (reactor, pool) = pool(1, 4);
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let inside = Arc::new(AtomicUsize::new(0));
    let mut peers = Vec::new();
    for _ in 0..3 {
        let (gate, inside) = (Arc::clone(&gate), Arc::clone(&inside));
        let (handler, mut peer) = probe(move |_, _, socket| {
            inside.fetch_add(1, Ordering::SeqCst);
            let open = gate.0.lock().unwrap();
            drop(gate.1.wait_while(open, |open| !*open).unwrap());
            read_byte(socket)
        });
        reactor.register(handler).unwrap();
        peer.write_all(b"x").unwrap();
        peers.push(peer);
    }
    let start = Instant::now();
    while inside.load(Ordering::SeqCst) < 3 {
        assert!(start.elapsed() < LONG, "a handler waits behind another");
        thread::yield_now();
    }
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    while pool.threads() > 1 {
        assert!(start.elapsed() < LONG, "a surplus thread stays");
        thread::sleep(Duration::from_millis(5));
    }
    reactor.stop();
    pool.join();
}

#[test]
fn a_panicking_handler_costs_a_pool_no_thread() {
    let (reactor, pool) = pool(2, 2);
    for _ in 0..3 {
        let (angry, mut provoker) = probe(|_, _, _| panic!("provoked by the test"));
        reactor.register(angry.clone()).unwrap();
        provoker.write_all(b"x").unwrap();
        // The end of the stream shows that the handler has been dropped, and its thread has gone.
        drop(angry);
        assert_eq!(provoker.read(&mut [0; 1]).map_or(0, |count| count), 0);
    }
    let (handler, mut peer) = probe(|_, _, socket| read_byte(socket));
    reactor.register(handler.clone()).unwrap();
    peer.write_all(b"x").unwrap();
    let start = Instant::now();
    while handler.calls.load(Ordering::SeqCst) == 0 {
        assert!(start.elapsed() < LONG, "nobody is left to call it");
        thread::yield_now();
    }
    while pool.threads() != 2 {
        assert!(start.elapsed() < LONG, "a thread was lost or is one too many");
        thread::yield_now();
    }
    reactor.stop();
    pool.join();
}

#[test]
fn no_handler_runs_after_deregistration_under_load() {
    let (reactor, pool) = pool(3, 3);
    for _ in 0..300 {
        let (handler, mut peer) = probe(|_, _, socket| read_byte(socket));
        let token = reactor.register(handler.clone()).unwrap();
        peer.write_all(b"0123456789").unwrap();
        assert!(reactor.deregister(token));
        // If a thread is inside at this moment, it closes the handler when it comes out.
        let start = Instant::now();
        while handler.closed.load(Ordering::SeqCst) == 0 {
            assert!(start.elapsed() < LONG);
            thread::yield_now();
        }
    }
    reactor.stop();
    pool.join();
}

#[test]
fn a_connector_makes_a_handler_too() {
    let acceptor = listen();
    let reactor = Reactor::new().unwrap();
    let options = StreamOptions::default();
    let make = |_: &Reactor, stream| Ok(Arc::new(Echo(stream)) as Arc<dyn Handler>);
    let make = move |reactor: &Reactor, stream: std::io::Result<_>| make(reactor, stream?);
    connect::<Unix>(&reactor, acceptor.local(), Some(LONG), &options, make).unwrap();
    while reactor.handle_events(Some(Duration::from_millis(10))).unwrap() > 0 {}
    let server = acceptor.accept().unwrap().unwrap();
    server.send_all(b"echo me").unwrap();
    settle(&reactor);
    assert_eq!(server.recv(&mut [0; 16]).unwrap(), 7);
}

#[test]
fn a_deregistered_service_refuses_new_peers_and_keeps_the_old() {
    let reactor = Reactor::new().unwrap();
    let acceptor = listen();
    let address = acceptor.local().clone();
    let make = |_: &Reactor, stream| Ok(Arc::new(Echo(stream)) as Arc<dyn Handler>);
    let token = serve::<Unix>(&reactor, acceptor, make).unwrap();
    let client = UnixConnector::default().connect(&address, Some(LONG)).unwrap();
    settle(&reactor);
    assert!(reactor.deregister(token));
    assert!(UnixConnector::default().connect(&address, Some(LONG)).is_err());
    client.send_all(b"still here").unwrap();
    settle(&reactor);
    assert_eq!(client.recv(&mut [0; 16]).unwrap(), 10);
}
