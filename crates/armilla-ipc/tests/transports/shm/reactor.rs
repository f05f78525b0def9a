//! Reactors that wait for shared memory.

use super::bind;
use crate::conformance::{self, LONG, pattern};
use armilla_ipc::reactor::{Handler, Interest, Next, Reactor, Ready, Token, serve};
use armilla_ipc::shm::{Shm, ShmConnector, ShmStream};
use armilla_ipc::{Readiness, Stream, StreamOptions};
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// Sends back what it receives, driven by a reactor.
struct Echo(ShmStream);

impl Handler for Echo {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    fn ready(&self, _: &Reactor, _: Token, _: Ready) -> Next {
        let mut buffer = [0; 4096];
        loop {
            match self.0.watch() {
                Ok(Readiness::Idle) => return Next::READ,
                Ok(Readiness::Data) => {
                    let count = self.0.recv(&mut buffer).unwrap();
                    self.0.send_all(&buffer[..count]).unwrap();
                }
                _ => return Next::Deregister,
            }
        }
    }
}

#[test]
fn a_reactor_waits_for_shared_memory_like_for_a_socket() {
    for reactor in [Reactor::new().unwrap(), Reactor::shared().unwrap()] {
        let acceptor = bind();
        let address = acceptor.local().clone();
        serve::<Shm>(&reactor, acceptor, |_, stream| Ok(Arc::new(Echo(stream)))).unwrap();
        thread::scope(|scope| {
            let serving = scope.spawn(|| reactor.run());
            let clients =
                [(); 3].map(|()| ShmConnector::default().connect(&address, Some(LONG)).unwrap());
            for round in 0..300 {
                for client in &clients {
                    client.set_recv_timeout(Some(LONG)).unwrap();
                    let sent = pattern(1 + round * 7);
                    client.send_all(&sent).unwrap();
                    let mut received = vec![0; sent.len()];
                    conformance::recv_exact(client, &mut received);
                    assert!(sent == received);
                }
            }
            drop(clients);
            reactor.stop();
            serving.join().unwrap().unwrap();
        });
    }
}

/// Sends back what it receives, without waiting: what the peer does not take is queued.
struct Patient {
    stream: ShmStream,
    queue: Mutex<Vec<u8>>,
    most_queued: Arc<AtomicUsize>,
}

impl Patient {
    fn step(&self) -> io::Result<Interest> {
        let mut queue = self.queue.lock().unwrap();
        let mut buffer = [0; 3000];
        loop {
            let would_block = |error: &io::Error| error.kind() == ErrorKind::WouldBlock;
            match self.stream.try_send(&queue) {
                Ok(sent) => drop(queue.drain(..sent)),
                Err(error) if would_block(&error) => {}
                Err(error) => return Err(error),
            }
            match self.stream.try_recv(&mut buffer) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => queue.extend_from_slice(&buffer[..count]),
                Err(error) if would_block(&error) => {
                    let write = if queue.is_empty() { Interest::NONE } else { Interest::WRITE };
                    return Ok(self.stream.watch_for(Interest::READ | write));
                }
                Err(error) => return Err(error),
            }
            self.most_queued.fetch_max(queue.len(), Ordering::Relaxed);
        }
    }
}

impl Handler for Patient {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.stream.doorbell().unwrap()
    }

    fn interest(&self) -> Interest {
        self.stream.watch_for(Interest::READ)
    }

    fn ready(&self, _: &Reactor, _: Token, _: Ready) -> Next {
        self.step().map_or(Next::Deregister, Next::Wait)
    }
}

/// Clients that read late, at once or in turns: no octet and no ring of the doorbell is lost.
#[test]
fn a_reactor_waits_for_room_in_shared_memory() {
    let options = StreamOptions {
        send_buffer: Some(1 << 14),
        recv_buffer: Some(1 << 14),
        ..StreamOptions::default()
    };
    for reactor in [Reactor::new().unwrap(), Reactor::shared().unwrap()] {
        let acceptor = bind();
        let address = acceptor.local().clone();
        let most_queued = Arc::new(AtomicUsize::new(0));
        let seen = most_queued.clone();
        let make = move |_: &Reactor, stream| {
            let (queue, most_queued) = (Mutex::default(), seen.clone());
            Ok(Arc::new(Patient { stream, queue, most_queued }) as Arc<dyn Handler>)
        };
        serve::<Shm>(&reactor, acceptor, make).unwrap();
        thread::scope(|scope| {
            let serving = scope.spawn(|| reactor.run());
            thread::scope(|scope| {
                for late in [0, 100_000, 500_000] {
                    let (address, options) = (&address, options.clone());
                    scope.spawn(move || {
                        let connector = ShmConnector::new(options);
                        let stream = connector.connect(address, Some(LONG)).unwrap();
                        stream.set_recv_timeout(Some(LONG)).unwrap();
                        let bytes = pattern(1_000_000);
                        let (mut back, mut received) = (vec![0; bytes.len()], 0);
                        for (index, piece) in bytes.chunks(1000).enumerate() {
                            stream.send_all(piece).unwrap();
                            let sent = (index + 1) * 1000;
                            if received + late < sent {
                                stream.recv_all(&mut back[received..sent - late]).unwrap();
                                received = sent - late;
                            }
                        }
                        stream.recv_all(&mut back[received..]).unwrap();
                        assert!(back == bytes);
                    });
                }
            });
            reactor.stop();
            serving.join().unwrap().unwrap();
        });
        assert!(most_queued.load(Ordering::Relaxed) > 100_000, "the doorbell rang for room");
    }
}
