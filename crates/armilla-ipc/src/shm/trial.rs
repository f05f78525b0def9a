//! Peers that do what octets say, right or wrong: for fuzzing, and for the replay of what it found.
//! Whatever they do, a stream reports an error or moves bytes; and as long as they keep to the
//! protocol, it moves every byte once and in order, and neither side sleeps on when there is
//! something for it.
//!
//! A trial of a ring makes no system call: the peer (`peer`) plays the system, too (`system`), and
//! acts while the stream sleeps.

mod peer;
pub(super) mod system;

use super::ShmStream;
use super::addr::unnamed;
use super::handshake::{self, Greeting};
use super::region::{HEADER, Region};
use super::ring::Side;
use super::rings::RingPair;
use crate::interest::Interest;
use crate::{SendError, Stream, UnixStream};
use peer::{Peer, pattern};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{MemfdFlags, SealFlags};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::cell::Cell;
use std::io;
use std::net::Shutdown;
use std::time::Duration;

/// Reads a greeting: the first octet says which file comes with it, the rest are its octets.
///
/// # Panics
/// If the greeting is taken as something that it is not.
pub fn greeting(data: &[u8]) {
    let Some((kind, octets)) = data.split_first() else { return };
    let (near, far) = UnixStream::pair().expect("two sockets");
    let file = file(*kind, octets);
    let files: Vec<_> = file.iter().map(AsFd::as_fd).collect();
    let sent = match octets.is_empty() {
        true => Ok(()),
        false => near.send_with_descriptors(octets, &files),
    };
    drop(near);
    let read = handshake::accept_any(far.as_fd());
    match read {
        Ok(Some(Greeting::Memory(Ok(region)))) => {
            assert!(octets.starts_with(b"ARMSHM\0\x02") && octets.len() >= 10);
            assert!(file.is_some() && sent.is_ok());
            // It can be used to its last octet.
            let mut rings = RingPair::new(region, 1);
            rings.touch();
        }
        Ok(Some(Greeting::Socket)) => assert!(octets.starts_with(b"ARMSOC\0\x01")),
        Ok(Some(Greeting::Memory(Err(error)))) => assert!(error.raw_os_error().is_some()),
        Ok(None) => panic!("the peer has gone, and is waited for"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A file of the size that the greeting claims, or another; sealed, or not; or no file.
fn file(kind: u8, octets: &[u8]) -> Option<OwnedFd> {
    if kind & 1 == 0 {
        return None;
    }
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = rustix::fs::memfd_create("trial", flags).ok()?;
    let claimed = [8, 9].map(|at| octets.get(at).map_or(0, |shift| 1_u64 << (shift & 31)));
    let large = claimed.map(|size| if size > 8192 { size } else { 0 });
    let length = 4096 + claimed.iter().map(|size| size.min(&8192)).sum::<u64>();
    let length = length + large.iter().sum::<u64>();
    let length = if kind & 2 == 0 { length } else { length / 2 };
    // Far too much where the greeting lies: then the file stays empty.
    let _ = rustix::fs::ftruncate(&file, length.min(1 << 26));
    let seals = [SealFlags::SHRINK, SealFlags::GROW, SealFlags::SEAL];
    for (bit, seal) in (2..).zip(seals) {
        if kind & 1 << bit == 0 {
            let _ = rustix::fs::fcntl_add_seals(&file, seal);
        }
    }
    Some(file)
}

const CAPACITIES: [usize; 2] = [1 << 14, 1 << 15];

/// The most bytes of one transfer.
const MOST: usize = 50_000;

thread_local! {
    /// What the trials of a thread share: to make it anew takes longer than most trials.
    static LAST: Cell<Option<Trial>> = const { Cell::new(None) };
}

/// Lets a stream and its peer take the steps that the octets say.
///
/// # Panics
/// If the stream does what no peer may bring it to.
pub fn ring(data: &[u8]) {
    let last = LAST.take().map_or_else(Trial::new, Ok);
    let mut trial = last.expect("a system with memory files");
    trial.begin(data);
    while let Some(step) = with_peer(Peer::next) {
        trial.step(step % 16);
        with_peer(Peer::check_sleep);
    }
    trial.end();
    LAST.set(Some(trial));
}

/// Asks the peer of the trial that is under way.
fn with_peer<R>(ask: impl FnOnce(&mut Peer) -> R) -> R {
    system::in_trial(ask).expect("a trial is under way")
}

/// A stream, and its peer while no trial is under way.
struct Trial {
    stream: ShmStream,
    peer: Option<Peer>,
    /// For what is received. Zeros, between two transfers.
    buffer: Vec<u8>,
    _socket: OwnedFd,
}

impl Trial {
    fn new() -> io::Result<Self> {
        let kind = (AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC);
        let (ours, _socket) = socketpair(kind.0, kind.1, kind.2, None)?;
        let (region, file) = Region::create(CAPACITIES)?;
        let peer = Some(Peer::new(Region::open(file.as_fd(), CAPACITIES)?));
        let (rings, names) = (RingPair::new(region, 0), [unnamed(), unnamed()]);
        let stream = ShmStream::new(ours, Some(rings), Some(Duration::ZERO), names);
        Ok(Self { stream, peer, buffer: vec![0; MOST], _socket })
    }

    fn begin(&mut self, data: &[u8]) {
        self.stream.begin_anew();
        system::play(self.peer.take().expect("no trial is under way").anew(data));
    }

    fn end(&mut self) {
        self.stream.close();
        with_peer(Peer::check_sleep);
        self.peer = system::end();
    }

    fn step(&mut self, step: u8) {
        match step {
            0..=5 | 14 => with_peer(|peer| peer.act(step)),
            6 | 7 => {
                self.receives(with_peer(Peer::count), |stream, buffer| stream.try_recv(buffer))
            }
            8 | 9 => self.sends(with_peer(Peer::count), |stream, bytes| {
                stream.try_send(bytes).map_err(unsent)
            }),
            10 => self.waits(with_peer(Peer::count)),
            11 => {
                let wanted = match with_peer(Peer::number) % 4 {
                    0 => Interest::READ,
                    1 => Interest::WRITE,
                    2 => Interest::READ | Interest::WRITE,
                    _ => return drop(self.stream.watch()),
                };
                if self.stream.watch_for(wanted) == Interest::READ
                    && wanted.contains(Interest::READ)
                {
                    with_peer(|peer| peer.check_stream(Side::Consumer));
                }
            }
            12 => self.stream.release_memory(),
            13 => drop(self.stream.readiness()),
            _ => self.ends(),
        }
    }

    fn receives(
        &mut self,
        count: usize,
        receive: impl FnOnce(&ShmStream, &mut [u8]) -> io::Result<usize>,
    ) {
        let buffer = &mut self.buffer[..count];
        let received = receive(&self.stream, buffer);
        let read = *received.as_ref().unwrap_or(&0);
        with_peer(|peer| peer.check_received(received, buffer));
        buffer[..read].fill(0);
    }

    fn sends(
        &mut self,
        count: usize,
        send: impl FnOnce(&ShmStream, &[u8]) -> Result<usize, SendError>,
    ) {
        let before = with_peer(|peer| peer.moved.sent);
        let sent = send(&self.stream, pattern(before, count));
        with_peer(|peer| peer.check_sent(sent, count));
    }

    /// Transfers for which the stream sleeps where it has to.
    fn waits(&mut self, count: usize) {
        match count % 4 {
            0 => self.receives(count, |stream, buffer| stream.recv(buffer)),
            2 => self.receives(count, |stream, buffer| {
                let mut appended = Vec::with_capacity(count);
                let received = stream.recv_append(&mut appended);
                buffer[..appended.len()].copy_from_slice(&appended);
                received
            }),
            _ => self.sends(count, |stream, bytes| stream.send_all(bytes).map(|()| bytes.len())),
        }
    }

    /// Either side ends something, or the peer wakes in vain, or goes to sleep.
    fn ends(&mut self) {
        let how = with_peer(Peer::number);
        let shutdown = match how % 8 {
            2 => Shutdown::Write,
            3 => Shutdown::Read,
            _ => return with_peer(|peer| peer.ends(how)),
        };
        with_peer(|peer| peer.may_fail = true);
        drop(self.stream.shutdown(shutdown));
    }
}

/// The error of a transfer that has sent nothing.
fn unsent(source: io::Error) -> SendError {
    SendError { sent: 0, source }
}

#[cfg(test)]
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;

#[cfg(test)]
mod tests {
    use super::replay;

    #[test]
    fn greetings_of_every_kind() {
        replay::replay("shm_greeting", super::greeting);
    }

    #[test]
    fn peers_of_every_kind() {
        replay::replay("shm_ring", super::ring);
    }
}
