//! Connecting in a reactor, over every transport: no thread waits meanwhile, everybody is told of
//! the end. And accepting with a time limit.

#![cfg(all(feature = "fifo", feature = "pipe", feature = "pty", feature = "zero-copy"))]

use crate::conformance;
use armilla_ipc::fifo::Fifo;
use armilla_ipc::pipe::{Pipe, PipeAcceptor};
use armilla_ipc::pty::{Pty, PtyAcceptor};
use armilla_ipc::reactor::{Handler, Next, Reactor, Ready, Timer, Token, connect, serve};
use armilla_ipc::shm::{Shm, ShmAcceptor};
use armilla_ipc::tcp::Tcp;
use armilla_ipc::unix::Unix;
use armilla_ipc::{Acceptor, Address, Stream, StreamOptions, Transport};
use conformance::{LONG, TestTransport, fresh_path};
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

macro_rules! places {
    ($($transport:ty: $fresh:expr, $listening:expr;)*) => {$(
        impl TestTransport for $transport {
            fn fresh() -> Address {
                $fresh
            }

            fn shorten_queue(acceptor: &Self::Acceptor) {
                let listening: fn(&Self::Acceptor) -> BorrowedFd<'_> = $listening;
                // Of a named pipe there is none: connecting waits for the acceptor.
                let _ = rustix::net::listen(listening(acceptor), 0);
            }
        }
    )*};
}
places! {
    Tcp: Address::tcp("127.0.0.1", 0), AsFd::as_fd;
    Unix: Address::unix(fresh_path()), AsFd::as_fd;
    Fifo: Address::fifo(fresh_path()), AsFd::as_fd;
    Pipe: Address::pipe(fresh_path()), PipeAcceptor::socket;
    Pty: Address::pty(fresh_path()), PtyAcceptor::socket;
    Shm: Address::shm(fresh_path()), ShmAcceptor::socket;
}

/// Runs a generic test over every transport.
macro_rules! everywhere {
    ($test:ident) => {
        #[test]
        fn $test() {
            each::$test::<Tcp>();
            each::$test::<Unix>();
            each::$test::<Fifo>();
            each::$test::<Pipe>();
            each::$test::<Pty>();
            each::$test::<Shm>();
        }
    };
}
everywhere!(a_stream_is_made_in_the_reactor);
everywhere!(nobody_waits_for_an_acceptor_that_does_not_accept);
everywhere!(a_refusal_names_the_address);
everywhere!(a_connection_is_given_up);
everywhere!(accepting_ends_within_its_time);
everywhere!(a_reactor_accepts);

/// Turns until `done` is set.
fn turn_until(reactor: &Reactor, done: &AtomicBool) {
    let start = Instant::now();
    while !done.load(Ordering::SeqCst) {
        assert!(start.elapsed() < LONG, "it never comes to an end");
        reactor.handle_events(Some(Duration::from_millis(100))).unwrap();
    }
}

/// Something to watch that never happens, and holds a stream until the reactor is dropped.
struct Keeper<S>(S, std::os::unix::net::UnixStream, std::os::unix::net::UnixStream);

impl<S: Stream> Handler for Keeper<S> {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.1.as_fd()
    }

    fn ready(&self, _: &Reactor, _: Token, _: Ready) -> Next {
        unreachable!("nobody writes to {:?} and {:?}", self.0, self.2)
    }
}

fn keep<S: Stream + 'static>(stream: S) -> io::Result<Arc<dyn Handler>> {
    let (near, far) = std::os::unix::net::UnixStream::pair()?;
    Ok(Arc::new(Keeper(stream, near, far)))
}

/// Why no stream came about.
fn refusal<T: TestTransport>(address: &Address, timeout: Duration) -> (io::Error, usize) {
    let reactor = Reactor::new().unwrap();
    let (done, ticks) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let counter = Arc::clone(&ticks);
    let tick = move |_: &Reactor, _: Timer| {
        counter.fetch_add(1, Ordering::SeqCst);
        Some(Duration::from_millis(1))
    };
    reactor.arm(Duration::ZERO, Arc::new(tick));
    let (told, answer) = (Arc::clone(&done), Arc::new(Mutex::new(None)));
    let place = Arc::clone(&answer);
    let made = connect::<T>(&reactor, address, Some(timeout), &StreamOptions::default(), {
        move |_, stream| {
            *place.lock().unwrap() = Some(stream.map(drop).unwrap_err());
            told.store(true, Ordering::SeqCst);
            Err(io::ErrorKind::Other.into())
        }
    });
    if let Err(error) = made {
        return (error, 0);
    }
    turn_until(&reactor, &done);
    let error = answer.lock().unwrap().take().unwrap();
    (error, ticks.load(Ordering::SeqCst))
}

mod each {
    use super::*;

    pub(crate) fn a_stream_is_made_in_the_reactor<T: TestTransport>() {
        for reactor in [Reactor::new().unwrap(), Reactor::shared().unwrap()] {
            let acceptor = T::listen(&T::fresh(), &StreamOptions::default()).unwrap();
            let done = Arc::new(AtomicBool::new(false));
            let told = Arc::clone(&done);
            let options = StreamOptions::default();
            connect::<T>(&reactor, acceptor.local(), Some(LONG), &options, move |_, stream| {
                let stream = stream.unwrap();
                stream.send_all(b"hello").unwrap();
                told.store(true, Ordering::SeqCst);
                keep(stream)
            })
            .unwrap();
            assert!(!done.load(Ordering::SeqCst), "it is the reactor that tells");
            thread::scope(|scope| {
                let server = scope.spawn(|| T::accept(&acceptor).unwrap().unwrap());
                turn_until(&reactor, &done);
                let server = server.join().unwrap();
                server.set_recv_timeout(Some(LONG)).unwrap();
                server.recv_all(&mut [0; 5]).unwrap();
            });
        }
    }

    pub(crate) fn nobody_waits_for_an_acceptor_that_does_not_accept<T: TestTransport>() {
        let acceptor = T::listen(&T::fresh(), &StreamOptions::default()).unwrap();
        T::shorten_queue(&acceptor);
        let (limit, options) = (Duration::from_millis(30), StreamOptions::default());
        let mut waiting = Vec::new();
        while let Ok(stream) = T::connect(acceptor.local(), Some(limit), &options) {
            waiting.push(stream);
            assert!(waiting.len() < 100, "the queue never fills");
        }
        let start = Instant::now();
        let (error, ticks) = refusal::<T>(acceptor.local(), limit);
        assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
        assert!(error.to_string().contains(&acceptor.local().to_string()), "{error}");
        assert!(start.elapsed() >= limit);
        assert!(ticks > 1, "the reactor had time for other things");
    }

    pub(crate) fn a_refusal_names_the_address<T: TestTransport>() {
        let address = {
            let acceptor = T::listen(&T::fresh(), &StreamOptions::default()).unwrap();
            acceptor.local().clone()
        };
        let (error, _) = refusal::<T>(&address, LONG);
        let kind = error.kind();
        assert!(matches!(kind, ErrorKind::ConnectionRefused | ErrorKind::NotFound), "{error}");
        assert!(error.to_string().contains(&address.to_string()), "{error}");
    }

    pub(crate) fn a_connection_is_given_up<T: TestTransport>() {
        let reactor = Reactor::new().unwrap();
        let acceptor = T::listen(&T::fresh(), &StreamOptions::default()).unwrap();
        let options = StreamOptions::default();
        let connecting = connect::<T>(&reactor, acceptor.local(), None, &options, |_, _| {
            panic!("nobody is to be told")
        })
        .unwrap();
        assert!(connecting.cancel(&reactor));
        assert!(!connecting.cancel(&reactor));
        while reactor.handle_events(Some(Duration::from_millis(5))).unwrap() > 0 {}
    }

    pub(crate) fn accepting_ends_within_its_time<T: TestTransport>() {
        let acceptor = T::listen(&T::fresh(), &StreamOptions::default()).unwrap();
        let limit = Duration::from_millis(20);
        acceptor.set_timeout(Some(limit)).unwrap();
        let start = Instant::now();
        let error = T::accept(&acceptor).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
        assert!(error.to_string().contains("20ms"), "{error}");
        assert!((limit..LONG).contains(&start.elapsed()));
        acceptor.set_timeout(Some(Duration::ZERO)).unwrap();
        assert_eq!(T::accept(&acceptor).err().unwrap().kind(), ErrorKind::WouldBlock);
        for limit in [Some(LONG), None] {
            acceptor.set_timeout(limit).unwrap();
            thread::scope(|scope| {
                let accepting = scope.spawn(|| T::accept(&acceptor).unwrap().unwrap());
                let client = conformance::connect_with::<T>(&acceptor, &StreamOptions::default());
                let server = accepting.join().unwrap();
                // The limit of accepting is not that of the stream.
                client.send_all(b"hello").unwrap();
                server.recv_all(&mut [0; 5]).unwrap();
            });
        }
        acceptor.set_timeout(Some(LONG)).unwrap();
        thread::scope(|scope| {
            let accepting = scope.spawn(|| T::accept(&acceptor));
            thread::sleep(Duration::from_millis(10)); // most likely waiting by now; correct if not
            acceptor.close();
            assert!(accepting.join().unwrap().unwrap().is_none());
        });
    }

    pub(crate) fn a_reactor_accepts<T: TestTransport<Acceptor: AsFd> + 'static>() {
        let reactor = Reactor::new().unwrap();
        let acceptor = T::listen(&T::fresh(), &StreamOptions::default()).unwrap();
        let address = acceptor.local().clone();
        serve::<T>(&reactor, acceptor, |_, stream| {
            stream.send_all(b"hello").unwrap();
            keep(stream)
        })
        .unwrap();
        thread::scope(|scope| {
            let running = scope.spawn(|| reactor.run());
            for _ in 0..3 {
                let options = StreamOptions::default();
                let client = T::connect(&address, Some(LONG), &options).unwrap();
                client.set_recv_timeout(Some(LONG)).unwrap();
                client.recv_all(&mut [0; 5]).unwrap();
            }
            reactor.stop();
            running.join().unwrap().unwrap();
        });
    }
}

#[test]
fn a_name_is_looked_up_while_the_reactor_runs() {
    let acceptor = Tcp::listen(&Address::tcp("localhost", 0), &StreamOptions::default()).unwrap();
    let Address::Tcp { port, .. } = *acceptor.local() else { panic!("not TCP") };
    let (reactor, done) = (Reactor::new().unwrap(), Arc::new(AtomicBool::new(false)));
    let (told, options) = (Arc::clone(&done), StreamOptions::default());
    connect::<Tcp>(&reactor, &Address::tcp("localhost", port), Some(LONG), &options, {
        move |_, stream| {
            told.store(true, Ordering::SeqCst);
            keep(stream.unwrap())
        }
    })
    .unwrap();
    turn_until(&reactor, &done);
    acceptor.accept().unwrap().unwrap();
    let (error, _) = refusal::<Tcp>(&Address::tcp("no-such-host.invalid", 1), LONG);
    assert!(error.to_string().contains("resolve"), "{error}");
}

#[test]
fn an_address_of_another_transport_is_refused_at_once() {
    let reactor = Reactor::new().unwrap();
    let options = StreamOptions::default();
    let unused = |_: &Reactor, _| -> io::Result<Arc<dyn Handler>> { panic!("nobody is told") };
    let error = connect::<Tcp>(&reactor, &Address::unix("/x"), None, &options, unused);
    assert_eq!(error.unwrap_err().kind(), ErrorKind::InvalidInput);
}
