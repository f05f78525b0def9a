//! An acceptor outlives a shortage of descriptors. Alone in its process, which runs out of them.

use armilla_ipc::{Address, Stream, StreamOptions, TcpAcceptor, TcpConnector};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs::File;
use std::thread;
use std::time::Duration;

#[test]
fn an_acceptor_waits_until_there_are_descriptors_again() {
    let options = StreamOptions::default();
    let acceptor = TcpAcceptor::bind(&Address::tcp("127.0.0.1", 0), &options).unwrap();
    let client = TcpConnector::new(options).connect(acceptor.local(), None).unwrap();

    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: Some(64), maximum }).unwrap();
    let mut hoard = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        hoard.push(file);
    }
    let server = thread::scope(|scope| {
        let accepting = scope.spawn(|| acceptor.accept());
        thread::sleep(Duration::from_millis(30));
        assert!(!accepting.is_finished(), "there is no descriptor to accept with");
        drop(hoard);
        accepting.join().unwrap().unwrap().expect("the acceptor is open")
    });
    assert_eq!(server.peer(), client.local());
}
