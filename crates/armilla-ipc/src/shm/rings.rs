//! The two rings of a stream, and this process's private state of each: moving bytes, and ending a
//! direction. The protocol of a ring is in `ring`, its memory in `region`.

use super::budget::Share;
use super::growth::Growth;
use super::region::Region;
use super::ring::{
    Area, Consumer, InvalidIndex, Producer, READER_CLOSED, RESET, Ring, Side, WRITER_CLOSED,
};
use super::wait::{wake, wake_for_room};
use rustix::fd::BorrowedFd;
use std::io::{self, IoSlice};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// How many bytes are moved before the other side is woken, so that both sides work at the same
/// time.
const CHUNK: usize = 32 << 10;

/// One end of an established stream.
#[derive(Debug)]
pub(super) struct RingPair {
    region: Region,
    /// Which of the two rings carries our bytes.
    ours: usize,
    writer: Mutex<Writer>,
    consumer: Mutex<Consumer>,
    /// The position of the consumer when the peer was told last that the stream is idle.
    told: AtomicU64,
    /// The position of the consumer when a wait began last, see [`note_wait`](Self::note_wait).
    waited_at: AtomicU64,
    /// Whether the peer's consumer was awake when bytes were written last.
    found_awake: AtomicBool,
    _share: Share,
}

/// What the thread that writes has to itself.
#[derive(Debug)]
pub(super) struct Writer {
    producer: Producer,
    growth: Growth,
}

impl RingPair {
    /// The end whose bytes go through ring `ours`.
    pub(super) fn new(region: Region, ours: usize) -> Self {
        let producer = Producer::new(region.capacities(ours));
        let consumer = Mutex::new(Consumer::new(region.capacities(1 - ours)));
        let writer = Mutex::new(Writer { producer, growth: Growth::new() });
        let (told, waited_at) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
        let (found_awake, _share) = (AtomicBool::new(false), Share::of_stream());
        Self { region, ours, writer, consumer, told, waited_at, found_awake, _share }
    }

    /// The ring that our bytes go through.
    #[inline]
    pub(super) fn outgoing(&self) -> &Ring {
        self.region.ring(self.ours)
    }

    /// The ring that the peer's bytes come through.
    #[inline]
    pub(super) fn incoming(&self) -> &Ring {
        self.region.ring(1 - self.ours)
    }

    /// Whether the peer was awake when bytes were written last, to be cleared by who takes it as a
    /// sign.
    #[inline]
    pub(super) fn found_awake(&self) -> &AtomicBool {
        &self.found_awake
    }

    /// The right to write, which one thread has at a time.
    #[inline]
    pub(super) fn writer(&self) -> MutexGuard<'_, Writer> {
        // Nothing that can panic leaves the indices inconsistent.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The right to read, which one thread has at a time.
    #[inline]
    pub(super) fn reader(&self) -> MutexGuard<'_, Consumer> {
        self.consumer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes as many bytes of `parts` as there is room for, from byte `skip` on. Wakes the peer
    /// when the ring is half full, or when all bytes are written.
    pub(super) fn write(
        &self,
        writer: &mut Writer,
        parts: &[IoSlice<'_>],
        mut skip: usize,
        socket: BorrowedFd<'_>,
    ) -> io::Result<usize> {
        let (total, start) = (parts.iter().map(|part| part.len()).sum::<usize>(), skip);
        let wanted = total.saturating_sub(skip).min(CHUNK);
        let room = self.room(writer, wanted as u64).map_err(invalid_index)? as usize;
        let producer = &mut writer.producer;
        let count = wanted.min(room);
        let mut written = 0;
        for part in parts {
            let (skipped, rest) = part.split_at(skip.min(part.len()));
            skip -= skipped.len();
            let piece = &rest[..rest.len().min(count - written)];
            let position = producer.position() + written as u64;
            self.region.write((self.ours, producer.area()), position, piece);
            written += piece.len();
            if written == count {
                break;
            }
        }
        if count > 0 {
            producer.publish(self.outgoing(), count as u64);
            if count == total - start
                || producer.is_half_full(self.outgoing()).map_err(invalid_index)?
            {
                let slept = wake(self.outgoing(), Side::Consumer, socket);
                self.found_awake.store(!slept, Ordering::Relaxed);
            }
        }
        Ok(count)
    }

    /// The room for further bytes, after the ring has grown if it is less than `wanted`.
    #[inline]
    fn room(
        &self,
        Writer { producer, growth }: &mut Writer,
        wanted: u64,
    ) -> Result<u64, InvalidIndex> {
        let ring = self.outgoing();
        if growth.is_due(producer) {
            growth.look(producer, (&self.region, self.ours), wanted)?;
        }
        let room = producer.room(ring, wanted)?;
        if room >= wanted {
            return Ok(room);
        }
        growth.grow(producer, ring, self.region.capacities(self.ours).large);
        producer.room(ring, wanted)
    }

    /// Reads available bytes into `buffer` and releases their room; 0 if there are none.
    pub(super) fn read(
        &self,
        consumer: &mut Consumer,
        buffer: &mut [u8],
        socket: BorrowedFd<'_>,
    ) -> io::Result<usize> {
        let mut rest = &mut *buffer;
        self.take(consumer, rest.len(), socket, |area, position, count| {
            let (piece, behind) = std::mem::take(&mut rest).split_at_mut(count);
            self.region.read(area, position, piece);
            rest = behind;
        })
    }

    /// As [`read`](Self::read), into the spare capacity of `buffer`.
    pub(super) fn read_append(
        &self,
        consumer: &mut Consumer,
        buffer: &mut Vec<u8>,
        socket: BorrowedFd<'_>,
    ) -> io::Result<usize> {
        let room = buffer.capacity() - buffer.len();
        self.take(consumer, room, socket, |area, position, count| {
            self.region.read_append(area, position, buffer, count);
        })
    }

    /// Lets `copy` take available bytes from an area and a position on, `most` of them at most, and
    /// releases their room.
    #[inline]
    fn take(
        &self,
        consumer: &mut Consumer,
        most: usize,
        socket: BorrowedFd<'_>,
        mut copy: impl FnMut((usize, Area), u64, usize),
    ) -> io::Result<usize> {
        let ring = self.incoming();
        let available = consumer.available(ring, most as u64).map_err(invalid_index)? as usize;
        let count = available.min(most);
        let mut taken = 0;
        while taken < count {
            let piece = CHUNK.min(count - taken);
            copy((1 - self.ours, consumer.area()), consumer.position(), piece);
            taken += piece;
            consumer.release(ring, piece as u64);
            wake_for_room(ring, consumer.room_given(), socket);
        }
        Ok(count)
    }

    /// Gives the memory of our own ring back if it has grown and is empty: the stream is idle. The
    /// memory of the other ring is the peer's to give back, which may be writing there: a thread of
    /// it that sleeps for long is woken once to do that, unless a thread here receives.
    pub(super) fn give_back(&self, socket: BorrowedFd<'_>) {
        if let Ok(mut writer) = self.writer.try_lock() {
            let Writer { producer, growth } = &mut *writer;
            growth.shrink(producer, (&self.region, self.ours));
        }
        let grown = |consumer: MutexGuard<'_, Consumer>| match consumer.area() {
            Area::Large => consumer.position(),
            Area::Small => 0,
        };
        let received = self.consumer.try_lock().map_or(0, grown);
        if received > self.told.load(Ordering::Relaxed) {
            self.told.store(received, Ordering::Relaxed);
            wake(self.outgoing(), Side::Consumer, socket);
        }
    }

    /// Takes note that a wait in a reactor begins. If nothing has come since the last one began, the
    /// stream is idle, and memory is [given back](Self::give_back).
    pub(super) fn note_wait(&self, socket: BorrowedFd<'_>) {
        let Ok(position) = self.consumer.try_lock().map(|consumer| consumer.position()) else {
            return;
        };
        if self.waited_at.swap(position, Ordering::Relaxed) == position {
            self.give_back(socket);
        }
    }

    /// Whether a read will find bytes, or an error. While another thread reads, the answer is but
    /// what the shared memory says.
    pub(super) fn holds_bytes(&self) -> bool {
        let ring = self.incoming();
        match self.consumer.try_lock() {
            Ok(mut consumer) => consumer.available(ring, 1) != Ok(0),
            Err(TryLockError::Poisoned(consumer)) => {
                consumer.into_inner().available(ring, 1) != Ok(0)
            }
            Err(TryLockError::WouldBlock) => ring.seems_to_hold_bytes(),
        }
    }

    /// Signals the peer that this side will write no more.
    pub(super) fn end_writing(&self, socket: BorrowedFd<'_>) {
        self.outgoing().end(WRITER_CLOSED);
        self.wake_both(self.outgoing(), socket);
    }

    /// Signals the peer that this side will read no more.
    pub(super) fn end_reading(&self, socket: BorrowedFd<'_>) {
        self.incoming().end(READER_CLOSED);
        self.wake_both(self.incoming(), socket);
    }

    /// Ends both directions for good; bytes left unread turn the end into a reset.
    pub(super) fn close(&self, socket: BorrowedFd<'_>) {
        if self.reader().available(self.incoming(), u64::MAX) != Ok(0) {
            self.outgoing().end(RESET);
        }
        self.end_reading(socket);
        self.end_writing(socket);
    }

    /// Wakes the peer and our own thread, whichever of them sleeps at the ring.
    fn wake_both(&self, ring: &Ring, socket: BorrowedFd<'_>) {
        wake(ring, Side::Consumer, socket);
        wake(ring, Side::Producer, socket);
    }
}

impl Writer {
    /// The capacity of the area that the bytes go to.
    pub(super) fn capacity(&self) -> u64 {
        self.producer.capacity()
    }

    /// See [`Producer::room`]; the ring does not grow for it.
    pub(super) fn room(&mut self, ring: &Ring, wanted: u64) -> Result<u64, InvalidIndex> {
        self.producer.room(ring, wanted)
    }
}

#[cfg(any(test, feature = "trial"))]
impl RingPair {
    /// The memory, for another stream.
    pub(super) fn into_region(self) -> Region {
        self.region
    }

    /// Writes and reads every byte of the memory.
    pub(super) fn touch(&mut self) {
        let areas = [Area::Small, Area::Large];
        for at in [0, 1].into_iter().flat_map(|which| areas.map(|area| (which, area))) {
            let length = self.region.capacities(at.0).of(at.1) as usize;
            let mut bytes = vec![7; length];
            self.region.write(at, 0, &bytes);
            self.region.read(at, 1, &mut bytes);
        }
    }
}

/// The error for a peer that violates the protocol.
#[cold]
pub(super) fn invalid_index(_: InvalidIndex) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the peer has corrupted the shared memory")
}
