//! Connections between processes of one host that find each other by themselves: an endpoint beside
//! one over the network, with an abstract Unix-domain address that nobody can guess and for which no
//! file stands.
//!
//! A peer connects, and says whether it wants shared memory or the socket itself; the acceptor
//! answers with one octet what it gets, or refuses. So either side may prefer the socket, and a peer
//! knows at once that it has to go another way. Both sides check the user at the other end, for
//! which the kernel vouches.
//!
//! ```
//! use armilla_ipc::shm::same_host::{self, Carrier, SameHostAcceptor, Users};
//! use armilla_ipc::{Acceptor, Stream, StreamOptions};
//! use std::time::Duration;
//!
//! let acceptor = SameHostAcceptor::bind(Users::Own, || true, StreamOptions::default())?;
//! let name = acceptor.name();
//! let client = std::thread::spawn(move || {
//!     let limit = Duration::from_secs(10);
//!     let wanted = (Carrier::Memory, &StreamOptions::default());
//!     same_host::connect(&name, wanted, &Users::Own, limit)
//! });
//! let server = acceptor.accept()?.expect("the acceptor is open");
//! let (client, carrier) = client.join().expect("no panic")?;
//! assert_eq!(carrier, Carrier::Memory);
//! client.send_all(b"hello")?;
//! let mut buffer = [0; 16];
//! assert_eq!(server.recv(&mut buffer)?, 5);
//! # Ok::<(), std::io::Error>(())
//! ```

mod acceptor;
mod connector;
mod place;

pub use acceptor::SameHostAcceptor;
pub use connector::connect;
pub use place::Place;

use crate::Address;
use rustix::process::geteuid;

/// What carries the octets of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carrier {
    /// Shared memory.
    Memory,
    /// The Unix-domain socket.
    Socket,
}

/// The random part of an abstract name.
pub type Name = [u8; 16];

/// Which users the other end may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Users {
    /// The effective user of this process.
    Own,
    /// That one, the superuser of this user namespace, and these: for a client, which has to fear
    /// only that somebody else answers in place of a server.
    OwnAnd(Vec<u32>),
    /// These alone.
    Only(Vec<u32>),
}

impl Users {
    /// Whether this user is one of them.
    fn include(&self, user: u32) -> bool {
        let own = || user == geteuid().as_raw();
        match self {
            Self::Own => own(),
            Self::OwnAnd(others) => own() || user == 0 || others.contains(&user),
            Self::Only(users) => users.contains(&user),
        }
    }
}

/// What the acceptor answers.
const MEMORY: u8 = b'M';
const SOCKET: u8 = b'S';
const REFUSED: u8 = b'N';

/// The abstract address with this random part.
pub fn address(name: &Name) -> Address {
    let digits = name.iter().map(|octet| format!("{octet:02x}"));
    Address::abstract_name(format!("armilla-{}", digits.collect::<String>()))
}
