//! An acceptor outlives a shortage of descriptors. Alone in its process, which runs out of them.

use armilla_ipc::{Acceptor, Address, StreamOptions, connect, listen};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs::File;
use std::thread;
use std::time::Duration;

#[test]
fn an_acceptor_waits_until_there_are_descriptors_again() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: Some(64), maximum }).unwrap();
    let path = |name| std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
    for address in [
        Address::tcp("127.0.0.1", 0),
        Address::unix(path("shortage")),
        Address::abstract_name("armilla-shortage"),
        Address::pipe(path("shortage-pipe")),
        Address::pty(path("shortage-pty")),
        Address::fifo(path("shortage-fifo")),
        Address::shm(path("shortage-shm")),
    ] {
        outlives_a_shortage(&*listen(&address, &StreamOptions::default()).unwrap());
    }
}

fn outlives_a_shortage(acceptor: &dyn Acceptor) {
    let limit = Some(Duration::from_secs(20));
    thread::scope(|scope| {
        let connecting = scope.spawn(|| {
            let client = connect(acceptor.local(), limit, &StreamOptions::default()).unwrap();
            client.send_all(b"still here").unwrap();
            client
        });
        // A named pipe connects only when it is accepted, the rest has done so after this.
        thread::sleep(Duration::from_millis(30));
        let mut hoard = Vec::new();
        while let Ok(file) = File::open("/dev/null") {
            hoard.push(file);
        }
        let accepting = scope.spawn(|| acceptor.accept());
        thread::sleep(Duration::from_millis(30));
        let address = acceptor.local();
        assert!(!accepting.is_finished(), "no descriptor to accept with at {address}");
        drop(hoard);
        let server = accepting.join().unwrap().unwrap().expect("the acceptor is open");
        server.set_recv_timeout(limit).unwrap();
        server.recv_all(&mut [0; 10]).unwrap();
        drop(connecting.join().unwrap());
    });
}
