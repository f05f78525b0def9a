//! Peers that do what octets say, right or wrong: for fuzzing, and for the replay of what it found.
//! Whatever they do, a stream reports an error or moves bytes; and as long as they keep to the
//! protocol, it moves every byte once and in order.

use super::ShmStream;
use super::addr::unnamed;
use super::handshake::{self, Greeting};
use super::region::Region;
use super::ring::{Consumer, Producer, READER_CLOSED, WRITER_CLOSED};
use super::rings::RingPair;
use crate::interest::Interest;
use crate::{Stream, UnixStream};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{MemfdFlags, SealFlags};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::thread::set_current_timer_slack;
use std::cell::Cell;
use std::io::{self, ErrorKind};
use std::mem;
use std::net::Shutdown;
use std::num::NonZeroU64;
use std::sync::LazyLock;
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

thread_local! {
    /// The memory of the trials of a thread, as the stream and as the peer have it mapped: to make it
    /// anew takes longer than most trials.
    static MAPPED: Cell<Option<[Region; 2]>> = const { Cell::new(None) };
}

/// The memory of the last trial, or new one.
fn mapped() -> io::Result<[Region; 2]> {
    if let Some(mapped) = MAPPED.take() {
        return Ok(mapped);
    }
    // Waits of a nanosecond take no longer, and most of a trial is none.
    set_current_timer_slack(NonZeroU64::new(1))?;
    let (region, file) = Region::create(CAPACITIES)?;
    Ok([region, Region::open(file.as_fd(), CAPACITIES)?])
}

/// The most steps of a script, so that one script ends soon.
const MOST_STEPS: usize = 400;

/// Lets a stream and its peer take the steps that the octets say.
///
/// # Panics
/// If the stream does what no peer may bring it to.
pub fn ring(data: &[u8]) {
    let Ok(mut trial) = Trial::new() else { return };
    let mut script = Script(data);
    for _ in 0..MOST_STEPS {
        let Some(step) = script.octet() else { break };
        trial.step(step, &mut script);
    }
    trial.end();
}

/// What is left of a script; behind its end are zeros.
struct Script<'a>(&'a [u8]);

impl Script<'_> {
    fn octet(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// A number of any size: the first octet says how many follow.
    fn number(&mut self) -> u64 {
        let count = self.octet().unwrap_or(0);
        let value =
            (0..count % 9).fold(0, |value, _| value << 8 | u64::from(self.octet().unwrap_or(0)));
        // Close to the greatest there is, too.
        if count & 0x80 == 0 { value } else { !value }
    }

    fn count(&mut self) -> usize {
        self.number() as usize % MOST
    }
}

/// A stream, and a peer of which we know what it should have seen.
struct Trial {
    stream: ShmStream,
    memory: Region,
    _socket: OwnedFd,
    /// For what is received.
    buffer: Vec<u8>,
    producer: Producer,
    consumer: Consumer,
    /// How many bytes the peer has written, the stream read, the stream written, the peer read.
    moved: [u64; 4],
    is_honest: bool,
}

impl Trial {
    fn new() -> io::Result<Self> {
        let kind = (AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC);
        let (ours, theirs) = socketpair(kind.0, kind.1, kind.2, None)?;
        let [region, memory] = mapped()?;
        for ring in [0, 1].map(|which| memory.ring(which)) {
            ring.forge(0, 0);
            ring.forge_move(0);
            ring.forge_control([0; 4]);
        }
        let rings = RingPair::new(region, 0);
        let stream =
            ShmStream::new(ours, Some(rings), Some(Duration::ZERO), [unnamed(), unnamed()]);
        stream.set_recv_timeout(Some(Duration::from_nanos(1)))?;
        stream.set_send_timeout(Some(Duration::from_nanos(1)))?;
        let producer = Producer::new(memory.capacities(1));
        let consumer = Consumer::new(memory.capacities(0));
        let (moved, is_honest, buffer) = ([0; 4], true, Vec::new());
        Ok(Self { stream, memory, _socket: theirs, buffer, producer, consumer, moved, is_honest })
    }

    /// Closes the stream. The next trial gets the memory.
    fn end(self) {
        let Some(region) = self.stream.into_region() else { return };
        MAPPED.set(Some([region, self.memory]));
    }

    fn step(&mut self, step: u8, script: &mut Script<'_>) {
        match step % 16 {
            0..=2 => self.peer_writes(script.count()),
            3..=5 => self.peer_reads(script.count()),
            6 | 7 => self.receives(script.count(), |stream, buffer| stream.try_recv(buffer)),
            8 | 9 => {
                let bytes = pattern(self.moved[2], script.count());
                let sent = self.stream.try_send(bytes);
                self.sent(sent, bytes.len());
            }
            10 => self.waits(script),
            11 => {
                let wanted = match script.number() % 3 {
                    0 => Interest::READ,
                    1 => Interest::WRITE,
                    _ => Interest::READ | Interest::WRITE,
                };
                self.stream.watch_for(wanted);
            }
            12 => self.stream.release_memory(),
            13 => drop(self.stream.readiness()),
            14 => self.forge(script),
            _ => self.ends(script.number()),
        }
    }

    /// A peer that keeps to the protocol writes, and moves as it likes.
    fn peer_writes(&mut self, count: usize) {
        let ring = self.memory.ring(1);
        let Ok(room) = self.producer.room(ring, u64::MAX) else { return };
        if count.is_multiple_of(3) && self.producer.has_left_other_area() {
            self.producer.move_to(ring, self.producer.area().other());
        }
        let room = self.producer.room(ring, 0).unwrap_or(room).min(self.producer.capacity());
        let bytes = pattern(self.moved[0], count.min(room as usize));
        self.memory.write((1, self.producer.area()), self.producer.position(), bytes);
        self.producer.publish(ring, bytes.len() as u64);
        self.moved[0] += bytes.len() as u64;
    }

    fn peer_reads(&mut self, count: usize) {
        let ring = self.memory.ring(0);
        let found = self.consumer.available(ring, u64::MAX);
        let Ok(available) = found else {
            return assert!(!self.is_honest, "the stream broke the protocol");
        };
        let mut buffer = mem::take(&mut self.buffer);
        buffer.resize(count.min(available as usize), 0);
        let at = (0, self.consumer.area());
        self.memory.read(at, self.consumer.position(), &mut buffer);
        self.consumer.release(ring, buffer.len() as u64);
        if self.is_honest {
            assert!(buffer == pattern(self.moved[3], buffer.len()), "the stream sent other bytes");
        }
        self.moved[3] += buffer.len() as u64;
        self.buffer = buffer;
    }

    fn receives(
        &mut self,
        count: usize,
        receive: impl FnOnce(&ShmStream, &mut [u8]) -> io::Result<usize>,
    ) {
        let mut buffer = mem::take(&mut self.buffer);
        buffer.resize(count, 0);
        let received = receive(&self.stream, &mut buffer);
        self.received(received, &buffer);
        self.buffer = buffer;
    }

    fn received(&mut self, received: io::Result<usize>, buffer: &[u8]) {
        match received {
            Ok(count) => {
                assert!(count <= buffer.len());
                if self.is_honest {
                    let expected = pattern(self.moved[1], count);
                    assert!(&buffer[..count] == expected, "other bytes were received");
                }
                self.moved[1] += count as u64;
                assert!(!self.is_honest || self.moved[1] <= self.moved[0]);
            }
            Err(error) => self.failed(&error),
        }
    }

    fn sent(&mut self, sent: io::Result<usize>, most: usize) {
        match sent {
            Ok(count) => {
                assert!(count <= most);
                self.moved[2] += count as u64;
            }
            Err(error) => self.failed(&error),
        }
    }

    fn failed(&self, error: &io::Error) {
        let is_patient = matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        assert!(is_patient || !self.is_honest, "an honest peer earns {error}");
    }

    /// Transfers that wait for the peer, who does nothing.
    fn waits(&mut self, script: &mut Script<'_>) {
        let count = script.count();
        if count.is_multiple_of(2) {
            self.receives(count, |stream, buffer| stream.recv(buffer));
        } else {
            let bytes = pattern(self.moved[2], count);
            match self.stream.send_all(bytes) {
                Ok(()) => self.moved[2] += bytes.len() as u64,
                Err(error) => {
                    self.sent(Ok(error.sent), bytes.len());
                    self.failed(&error.source);
                }
            }
        }
    }

    fn forge(&mut self, script: &mut Script<'_>) {
        self.is_honest = false;
        let (what, ring) =
            (script.octet().unwrap_or(0), self.memory.ring(script.number() as usize & 1));
        match what % 3 {
            0 => ring.forge(script.number(), script.number()),
            1 => ring.forge_move(script.number()),
            _ => ring.forge_control([(); 4].map(|()| script.number() as u32)),
        }
    }

    fn ends(&mut self, how: u64) {
        self.is_honest = false;
        match how % 4 {
            0 => self.memory.ring(1).end(WRITER_CLOSED),
            1 => self.memory.ring(0).end(READER_CLOSED),
            2 => drop(self.stream.shutdown(Shutdown::Write)),
            _ => drop(self.stream.shutdown(Shutdown::Read)),
        }
    }
}

/// The most bytes of one transfer.
const MOST: usize = 50_000;

/// The bytes of an endless sequence from a position on; no size of a ring is a multiple of its
/// period.
fn pattern(position: u64, count: usize) -> &'static [u8] {
    const PERIOD: usize = 251;
    static BYTES: LazyLock<Vec<u8>> =
        LazyLock::new(|| (0..PERIOD + MOST).map(|at| (at % PERIOD) as u8).collect());
    &BYTES[(position % PERIOD as u64) as usize..][..count]
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
