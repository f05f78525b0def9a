//! A relay between a client and a server, whose connections can fall silent as behind a firewall
//! that has forgotten them: they stay open, and nothing passes.

use armilla::{Ior, Object, Orb};
use armilla_giop::ior::IiopProfile;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What becomes of the octets that the relay gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Fate {
    /// They pass.
    Passed,
    /// They are taken, and vanish.
    Swallowed,
    /// They are not taken: the sender's queue fills.
    Left,
}

/// The two directions of one connection.
#[derive(Debug)]
struct Pipe {
    to_server: AtomicU8,
    to_client: AtomicU8,
    /// How many of them have not ended.
    open: AtomicUsize,
}

impl Pipe {
    fn set(&self, to_server: Fate, to_client: Fate) {
        self.to_server.store(to_server as u8, Ordering::SeqCst);
        self.to_client.store(to_client as u8, Ordering::SeqCst);
    }
}

#[derive(Debug)]
struct State {
    pipes: Mutex<Vec<Arc<Pipe>>>,
    /// What becomes of the octets of new connections.
    new: Mutex<(Fate, Fate)>,
    ends: AtomicBool,
}

/// A relay on a free port of the loopback. It ends when it is dropped; its connections go on.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    state: Arc<State>,
}

impl Relay {
    /// A relay to `(host, port)`.
    ///
    /// # Panics
    /// When there is no port.
    pub fn start((host, port): (&str, u16)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let new = Mutex::new((Fate::Passed, Fate::Passed));
        let state = Arc::new(State { pipes: Mutex::default(), new, ends: AtomicBool::new(false) });
        let (known, target) = (state.clone(), (host.to_owned(), port));
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if known.ends.load(Ordering::SeqCst) {
                    return;
                }
                known.relay(client, &target);
            }
        });
        Self { address, state }
    }

    /// Its TCP port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Decides what becomes of the octets of the connections that there are, in either direction.
    ///
    /// # Panics
    /// Never, unless a thread panicked here.
    pub fn set(&self, to_server: Fate, to_client: Fate) {
        self.state.pipes.lock().unwrap().iter().for_each(|pipe| pipe.set(to_server, to_client));
    }

    /// Silences the connections that there are, in both directions.
    pub fn silence(&self) {
        self.set(Fate::Swallowed, Fate::Swallowed);
    }

    /// Silences new connections, too: the host takes them, and the server hangs.
    ///
    /// # Panics
    /// Never, unless a thread panicked here.
    pub fn hang(&self) {
        *self.state.new.lock().unwrap() = (Fate::Swallowed, Fate::Swallowed);
        self.silence();
    }

    /// How many connections there have been.
    ///
    /// # Panics
    /// Never, unless a thread panicked here.
    pub fn connections(&self) -> usize {
        self.state.pipes.lock().unwrap().len()
    }

    /// How many connections the client has not closed.
    ///
    /// # Panics
    /// Never, unless a thread panicked here.
    pub fn open(&self) -> usize {
        let pipes = self.state.pipes.lock().unwrap();
        pipes.iter().filter(|pipe| pipe.open.load(Ordering::SeqCst) == 2).count()
    }

    /// The reference to `object` that leads through these relays, in this order, as `client` has it.
    ///
    /// # Panics
    /// When it has no address of its own.
    pub fn reference(relays: &[&Self], object: &Object, client: &Orb) -> Object {
        let ior = object.ior();
        let own = ior.iiop_profiles().next().unwrap().unwrap();
        let profiles = relays.iter().map(|relay| {
            let (host, port) = ("127.0.0.1".to_owned(), relay.port());
            IiopProfile { host, port, ..own.clone() }.to_tagged().unwrap()
        });
        let ior = Ior { type_id: ior.type_id.clone(), profiles: profiles.collect() };
        client.string_to_object(&ior.to_text().unwrap()).unwrap()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.state.ends.store(true, Ordering::SeqCst);
        TcpStream::connect(self.address).ok();
    }
}

impl State {
    fn relay(&self, client: TcpStream, target: &(String, u16)) {
        let Ok(server) = TcpStream::connect((&*target.0, target.1)) else { return };
        let (to_server, to_client) = *self.new.lock().unwrap();
        let [to_server, to_client] = [to_server, to_client].map(|fate| AtomicU8::new(fate as u8));
        let pipe = Arc::new(Pipe { to_server, to_client, open: AtomicUsize::new(2) });
        self.pipes.lock().unwrap().push(pipe.clone());
        for stream in [&client, &server] {
            stream.set_nodelay(true).ok();
        }
        let (from_client, from_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        let there = pipe.clone();
        thread::spawn(move || pump(from_client, server, &there.to_server, &there.open));
        thread::spawn(move || pump(from_server, client, &pipe.to_client, &pipe.open));
    }
}

/// Relays one direction until it ends.
fn pump(mut from: TcpStream, mut to: TcpStream, fate: &AtomicU8, open: &AtomicUsize) {
    let mut octets = vec![0; 64 << 10];
    loop {
        while fate.load(Ordering::SeqCst) == Fate::Left as u8 {
            thread::sleep(Duration::from_millis(1));
        }
        let Ok(count @ 1..) = from.read(&mut octets) else { break };
        let passes = fate.load(Ordering::SeqCst) == Fate::Passed as u8;
        if passes && to.write_all(&octets[..count]).is_err() {
            break;
        }
    }
    open.fetch_sub(1, Ordering::SeqCst);
    // The other end hears of it only where octets pass, too.
    if fate.load(Ordering::SeqCst) == Fate::Passed as u8 {
        to.shutdown(Shutdown::Both).ok();
        from.shutdown(Shutdown::Both).ok();
    }
}
