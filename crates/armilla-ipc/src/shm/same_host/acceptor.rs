//! The passive side: who connects, what they want, and what they get.

use super::{Carrier, MEMORY, Name, REFUSED, SOCKET, Users, address};
use crate::shm::ShmStream;
use crate::shm::budget;
use crate::shm::greeted::GreetedPeers;
use crate::shm::handshake::{self, Greeting};
use crate::shm::rings::RingPair;
use crate::socket::Socket;
use crate::unix::{UnixAcceptor, UnixStream};
use crate::{Address, Credentials, Stream, StreamOptions, random};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::{self, SendFlags};
use std::{fmt, io};

/// Takes in peers of this host, over shared memory or over Unix-domain sockets.
pub struct SameHostAcceptor {
    greeted: GreetedPeers,
    name: Name,
    local: Address,
    users: Users,
    has_memory: Box<dyn Fn() -> bool + Send + Sync>,
    options: StreamOptions,
}

impl SameHostAcceptor {
    /// Listens at a new address, for peers with one of `users`. One that wants shared memory gets a
    /// socket where `has_memory` is false, which is asked for each, beyond the
    /// [limit](crate::shm::set_memory_limit) of this process, and where the system lets this process
    /// have none. Of the `options` the sizes of
    /// the queues hold for sockets, and [`busy_poll`](StreamOptions::busy_poll) for shared memory.
    ///
    /// # Errors
    /// Exhausted descriptors or memory, and a system without abstract addresses or random numbers.
    pub fn bind(
        users: Users,
        has_memory: impl Fn() -> bool + Send + Sync + 'static,
        options: StreamOptions,
    ) -> io::Result<Self> {
        let mut name = Name::default();
        for part in name.chunks_exact_mut(8) {
            part.copy_from_slice(&random::number()?.get().to_ne_bytes());
        }
        let local = address(&name);
        let greeted = GreetedPeers::new(UnixAcceptor::bind(&local, &StreamOptions::default())?)?;
        Ok(Self { greeted, name, local, users, has_memory: Box::new(has_memory), options })
    }

    /// What peers need to [connect](super::connect).
    pub fn name(&self) -> Name {
        self.name
    }

    /// Waits for the next peer, as [`Acceptor::accept`](crate::Acceptor::accept). One that is refused
    /// or says something wrong is disconnected, and one that says nothing keeps nobody waiting.
    ///
    /// # Errors
    /// As [`Acceptor::accept`](crate::Acceptor::accept).
    pub fn accept(&self) -> io::Result<Option<Box<dyn Stream>>> {
        while let Some(socket) = self.greeted.accept()? {
            // The peer learns of an error by the end of its socket, and goes another way.
            match self.take_in(socket) {
                Ok(Some(stream)) => return Ok(Some(stream)),
                Ok(None) => {}
                Err(error) => self.greeted.tell_if_exhausted(&error),
            }
        }
        Ok(None)
    }

    /// The stream of a peer that has greeted; `None` for one that is refused.
    fn take_in(&self, socket: OwnedFd) -> io::Result<Option<Box<dyn Stream>>> {
        let peer = Credentials::of_peer(socket.as_fd())?;
        if !self.users.include(peer.user) {
            answer(socket.as_fd(), REFUSED)?;
            return Ok(None);
        }
        let Some(greeting) = handshake::accept_any(socket.as_fd())? else { return Ok(None) };
        let names = || [self.local.clone(), Address::SameHost];
        if let Greeting::Memory(Ok(region)) = greeting
            && budget::has_room()
            && (self.has_memory)()
        {
            answer(socket.as_fd(), MEMORY)?;
            let rings = RingPair::new(region, 1);
            let stream = ShmStream::new(socket, Some(rings), self.options.busy_poll, names());
            return Ok(Some(Box::new(stream)));
        }
        self.options.apply(socket.as_fd())?;
        answer(socket.as_fd(), SOCKET)?;
        let [local, peer] = names();
        Ok(Some(Box::new(UnixStream::from_socket(Socket::new(socket, local, peer)))))
    }

    /// The address at which the acceptor listens.
    pub fn local(&self) -> &Address {
        &self.local
    }

    /// Stops listening, as [`Acceptor::close`](crate::Acceptor::close).
    pub fn close(&self) {
        self.greeted.close();
    }
}

/// What carries a stream that an acceptor has taken in.
impl Carrier {
    /// What carries this stream, if it is one between processes of a host.
    pub fn of(stream: &dyn Stream) -> Option<Self> {
        match stream.local() {
            Address::Tcp { .. } => None,
            _ if stream.descriptor().is_some() => Some(Self::Socket),
            _ => Some(Self::Memory),
        }
    }
}

/// Tells a peer what it gets. It has room for an octet.
fn answer(socket: BorrowedFd<'_>, what: u8) -> io::Result<()> {
    net::send(socket, &[what], SendFlags::NOSIGNAL | SendFlags::DONTWAIT)?;
    Ok(())
}

impl fmt::Debug for SameHostAcceptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SameHostAcceptor")
            .field("local", &self.local)
            .field("users", &self.users)
            .finish_non_exhaustive()
    }
}

impl crate::Acceptor for SameHostAcceptor {
    fn accept(&self) -> io::Result<Option<Box<dyn Stream>>> {
        Self::accept(self)
    }

    fn set_timeout(&self, timeout: Option<std::time::Duration>) -> io::Result<()> {
        self.greeted.set_timeout(timeout)
    }

    fn on_resource_exhausted(&self, tell: Box<dyn Fn(&io::Error) + Send + Sync>) {
        self.greeted.on_resource_exhausted(tell);
    }

    fn local(&self) -> &Address {
        &self.local
    }

    fn close(&self) {
        Self::close(self);
    }
}
