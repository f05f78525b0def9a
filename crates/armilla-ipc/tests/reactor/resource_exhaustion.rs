//! A service in a reactor outlives a shortage of descriptors without keeping the reactor from its
//! other work, which may be what ends the shortage. Alone in its process, which runs out of them.

use crate::alone::alone;
use armilla_ipc::reactor::{Handler, Next, Reactor, Ready, Timer, Token, serve};
use armilla_ipc::tcp::{Tcp, TcpStream};
use armilla_ipc::{Address, Stream, StreamOptions, TcpAcceptor, TcpConnector};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex};
use std::time::Duration;

struct Greeter(TcpStream);

impl Handler for Greeter {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    fn ready(&self, _: &Reactor, _: Token, _: Ready) -> Next {
        Next::Deregister
    }
}

#[test]
fn a_service_goes_on_when_a_handler_has_ended_the_shortage() {
    alone(|| {
        let options = StreamOptions::default();
        let acceptor = TcpAcceptor::bind(&Address::tcp("127.0.0.1", 0), &options).unwrap();
        let client = TcpConnector::new(options).connect(acceptor.local(), None).unwrap();
        let reactor = Reactor::new().unwrap();
        serve::<Tcp>(&reactor, acceptor, |reactor, stream| {
            stream.send_all(b"hello").unwrap();
            reactor.stop();
            Ok(Arc::new(Greeter(stream)))
        })
        .unwrap();

        let maximum = getrlimit(Resource::Nofile).maximum;
        setrlimit(Resource::Nofile, Rlimit { current: Some(64), maximum }).unwrap();
        let hoard = Mutex::new(Vec::new());
        while let Ok(file) = File::open("/dev/null") {
            hoard.lock().unwrap().push(file);
        }
        // The one thread of the reactor both meets the shortage and ends it.
        let release = move |_: &Reactor, _: Timer| {
            hoard.lock().unwrap().clear();
            None
        };
        reactor.arm(Duration::from_millis(50), Arc::new(release));
        reactor.run().unwrap();
        client.set_recv_timeout(Some(Duration::from_secs(20))).unwrap();
        assert_eq!(client.recv(&mut [0; 16]).unwrap(), 5);
    });
}
