//! The active side.

use super::{Carrier, MEMORY, Name, REFUSED, SOCKET, Users, address};
use crate::deadline::Deadline;
use crate::shm::ShmStream;
use crate::shm::budget;
use crate::shm::handshake;
use crate::shm::rings::RingPair;
use crate::shm::system::poll_socket;
use crate::unix::UnixConnector;
use crate::{Address, Credentials, Stream, StreamOptions, UnixStream};
use rustix::event::PollFlags;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;
use rustix::net::{self, RecvFlags};
use std::io;
use std::time::Duration;

/// Connects to the [acceptor](super::SameHostAcceptor) with this name, of one of `users`, within
/// `limit`. Returns what carries the connection: the socket, too, where shared memory was wanted and
/// the acceptor, the [limit](crate::shm::set_memory_limit) or the system of
/// either process has none for it. For `options` see [`ShmConnector::new`](crate::ShmConnector::new);
/// the sizes of the queues hold for shared memory, or for the socket if that was wanted.
///
/// # Errors
/// [`io::ErrorKind::ConnectionRefused`] if nobody listens there in this network namespace,
/// [`io::ErrorKind::PermissionDenied`] if one of the sides does not want the user of the other,
/// [`io::ErrorKind::TimedOut`] if there is no answer in time. What else goes wrong between two
/// processes is an error of the connection.
pub fn connect(
    name: &Name,
    (wanted, options): (Carrier, &StreamOptions),
    users: &Users,
    limit: Duration,
) -> io::Result<(Box<dyn Stream>, Carrier)> {
    let (deadline, address) = (Deadline::after(Some(limit)), address(name));
    let of_socket = match wanted {
        Carrier::Socket => options.clone(),
        Carrier::Memory => StreamOptions::default(),
    };
    let connected = UnixConnector::new(of_socket).connect(&address, Some(limit));
    let socket = connected.map_err(of_system)?;
    let server = Credentials::of_peer(socket.as_fd()).map_err(of_system)?;
    if !users.include(server.user) {
        return Err(refused());
    }
    let memory = match wanted {
        Carrier::Memory if budget::has_room() => handshake::memory(options).ok(),
        Carrier::Memory | Carrier::Socket => None,
    };
    let offered = match &memory {
        Some(memory) => memory.offer(socket.as_fd()),
        None => handshake::offer_socket(socket.as_fd()),
    };
    offered.map_err(of_system)?;
    let answer = await_answer(socket.as_fd(), deadline).map_err(of_system)?;
    match (answer, memory.map(|memory| memory.region)) {
        (MEMORY, Some(region)) => {
            let (rings, names) = (RingPair::new(region, 0), [Address::unix(""), address]);
            let stream = ShmStream::new(socket.into(), Some(rings), options.busy_poll, names);
            Ok((Box::new(stream), Carrier::Memory))
        }
        (SOCKET, _) => Ok((Box::<UnixStream>::new(socket), Carrier::Socket)),
        (REFUSED, _) => Err(refused()),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Waits for the one octet that says how the connection goes on.
fn await_answer(socket: BorrowedFd<'_>, deadline: Deadline) -> io::Result<u8> {
    loop {
        let left = deadline.remaining()?;
        if poll_socket(socket, PollFlags::IN, left)?.is_empty() {
            continue;
        }
        let mut octet = [0];
        match net::recv(socket, &mut octet, RecvFlags::DONTWAIT) {
            Ok((_, 0)) => return Err(io::ErrorKind::ConnectionReset.into()),
            Ok(_) => return Ok(octet[0]),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// What the system forbids this process says nothing of users.
fn of_system(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::PermissionDenied => io::Error::other(error),
        _ => error,
    }
}

#[cold]
fn refused() -> io::Error {
    io::ErrorKind::PermissionDenied.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_sides_themselves_speak_of_users() {
        let by_the_system = io::Error::from(Errno::PERM);
        assert_eq!(by_the_system.kind(), refused().kind());
        assert_eq!(of_system(by_the_system).kind(), io::ErrorKind::Other);
        assert_eq!(of_system(Errno::CONNREFUSED.into()).kind(), io::ErrorKind::ConnectionRefused);
    }
}
