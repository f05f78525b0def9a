//! The protocol of one ring: one producer, one consumer, in two processes that do not trust each
//! other. Only indices, flags and the words to sleep on live here; the bytes themselves are in
//! `region`, the sleeping in `wait`.
//!
//! Each side keeps its own index in private memory and publishes a copy of it. What it reads of the
//! other side's index is checked before use, so a peer that writes nonsense earns an error and
//! nothing else. Nothing is ever locked in the shared memory: whatever a side had not published
//! when it died never existed, and what it had published is whole.
//!
//! `tests/models/ring_model.rs` runs this very file under every interleaving that the memory
//! model allows.

use super::atomic::{AtomicU32, AtomicU64, fence};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

/// The shared state of one ring. All zeros is the state of a new one.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Ring {
    tail: CachePadded<AtomicU64>,
    head: CachePadded<AtomicU64>,
    control: CachePadded<Control>,
}

/// State that is rarely written, so that both sides may read it from one cache line.
#[repr(C)]
#[derive(Debug)]
struct Control {
    ended: AtomicU32,
    consumer: AtomicU32,
    producer: AtomicU32,
    /// How much room a sleeping producer waits for.
    room_needed: AtomicU32,
}

/// Keeps a value alone on its cache lines, a pair of them because processors fetch pairs.
#[repr(C, align(128))]
#[derive(Debug)]
struct CachePadded<T>(T);

/// The producer will write no more: the stream ends behind the bytes in the ring.
pub(super) const WRITER_CLOSED: u32 = 1;
/// The consumer will read no more: a writer gets a broken pipe.
pub(super) const READER_CLOSED: u32 = 2;
/// The producer closed and left bytes unread: the stream is reset.
pub(super) const RESET: u32 = 4;

/// A sleep word: the side is awake.
pub(super) const AWAKE: u32 = 0;
/// A sleep word: the side sleeps in the kernel on the word itself.
pub(super) const FUTEX: u32 = 1;
/// A sleep word: the side waits for a byte on the socket beside the memory.
pub(super) const DOORBELL: u32 = 2;

/// The side that a sleep word belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Consumer,
    Producer,
}

/// The peer published an index that no correct peer can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InvalidIndex;

impl Ring {
    /// The flags that are set.
    #[inline]
    pub(super) fn ended(&self) -> u32 {
        self.control.0.ended.load(Acquire)
    }

    /// Sets `flags`, after everything that this side has published.
    pub(super) fn end(&self, flags: u32) {
        self.control.0.ended.fetch_or(flags, SeqCst);
    }

    /// Whether bytes lie in the ring, as far as the published indices tell, which a hostile peer has
    /// both written.
    pub(super) fn seems_to_hold_bytes(&self) -> bool {
        self.tail.0.load(Acquire) != self.head.0.load(Acquire)
    }

    /// The word that `side` sleeps on.
    #[inline]
    pub(super) fn word(&self, side: Side) -> &AtomicU32 {
        match side {
            Side::Consumer => &self.control.0.consumer,
            Side::Producer => &self.control.0.producer,
        }
    }

    /// Announces how `side` is about to sleep. It must look once more before it does: either that
    /// look finds what the other side published, or the other side finds the announcement.
    pub(super) fn announce_sleep(&self, side: Side, how: u32) {
        self.word(side).store(how, Release);
        fence(SeqCst);
    }

    /// Announces how much room the producer is about to sleep for. Comes before the announcement
    /// that it sleeps.
    pub(super) fn announce_room_needed(&self, room: u32) {
        self.control.0.room_needed.store(room, Relaxed);
    }

    /// Takes the announcement back.
    pub(super) fn clear_sleep(&self, side: Side) {
        self.word(side).store(AWAKE, Relaxed);
    }

    /// To be called after publishing: how `side` sleeps and must be woken, [`AWAKE`] if it does
    /// not. Only one of several callers gets it.
    #[inline]
    pub(super) fn sleeper(&self, side: Side) -> u32 {
        fence(SeqCst);
        match self.word(side).load(Relaxed) {
            AWAKE => AWAKE,
            _ => self.word(side).swap(AWAKE, AcqRel),
        }
    }

    /// As [`sleeper`](Self::sleeper) for a producer, that may sleep on while there is less room
    /// than it waits for. To be called after every release: the last one finds room enough.
    #[inline]
    pub(super) fn producer_with_room(&self, room: u64) -> u32 {
        fence(SeqCst);
        match self.word(Side::Producer).load(Acquire) {
            AWAKE => AWAKE,
            _ if room < u64::from(self.control.0.room_needed.load(Relaxed)) => AWAKE,
            _ => self.word(Side::Producer).swap(AWAKE, AcqRel),
        }
    }
}

/// The private half of the side that writes.
#[derive(Debug)]
pub(super) struct Producer {
    tail: u64,
    head: u64,
    capacity: u64,
}

impl Producer {
    /// The producer of a new ring of `capacity` bytes.
    pub(super) fn new(capacity: u64) -> Self {
        Self { tail: 0, head: 0, capacity }
    }

    /// How many bytes have been written so far; the next goes to this position modulo the capacity.
    #[inline]
    pub(super) fn position(&self) -> u64 {
        self.tail
    }

    /// The room for further bytes. The consumer's index is read again only if less than `wanted`
    /// was left when it was last seen.
    #[inline]
    pub(super) fn room(&mut self, ring: &Ring, wanted: u64) -> Result<u64, InvalidIndex> {
        let room = self.capacity - (self.tail - self.head);
        if room >= wanted {
            return Ok(room);
        }
        let head = ring.head.0.load(Acquire);
        if head < self.head || head > self.tail {
            return Err(InvalidIndex);
        }
        self.head = head;
        Ok(self.capacity - (self.tail - head))
    }

    /// Whether the ring holds half of what it can. The consumer's index is read again only if it
    /// seems so.
    #[inline]
    pub(super) fn is_half_full(&mut self, ring: &Ring) -> Result<bool, InvalidIndex> {
        let half = self.capacity / 2;
        Ok(self.room(ring, half + 1)? <= half)
    }

    /// Hands over `count` bytes, written at the position; no more than there was room for.
    #[inline]
    pub(super) fn publish(&mut self, ring: &Ring, count: u64) {
        debug_assert!(count <= self.capacity - (self.tail - self.head));
        self.tail += count;
        ring.tail.0.store(self.tail, Release);
    }
}

/// The private half of the side that reads.
#[derive(Debug)]
pub(super) struct Consumer {
    head: u64,
    tail: u64,
    capacity: u64,
}

impl Consumer {
    /// The consumer of a new ring of `capacity` bytes.
    pub(super) fn new(capacity: u64) -> Self {
        Self { head: 0, tail: 0, capacity }
    }

    /// How many bytes have been read so far.
    #[inline]
    pub(super) fn position(&self) -> u64 {
        self.head
    }

    /// How many bytes can be read. The producer's index is read again only if fewer than `wanted`
    /// were there when it was last seen.
    #[inline]
    pub(super) fn available(&mut self, ring: &Ring, wanted: u64) -> Result<u64, InvalidIndex> {
        let available = self.tail - self.head;
        if available >= wanted {
            return Ok(available);
        }
        let tail = ring.tail.0.load(Acquire);
        if tail < self.tail || tail - self.head > self.capacity {
            return Err(InvalidIndex);
        }
        self.tail = tail;
        Ok(tail - self.head)
    }

    /// How much room the producer has, or less if it has written meanwhile.
    #[inline]
    pub(super) fn room_given(&self) -> u64 {
        self.capacity - (self.tail - self.head)
    }

    /// Gives back the room of `count` bytes that were read; no more than were available.
    #[inline]
    pub(super) fn release(&mut self, ring: &Ring, count: u64) {
        debug_assert!(count <= self.tail - self.head);
        self.head += count;
        ring.head.0.store(self.head, Release);
    }
}

#[cfg(test)]
impl Ring {
    /// A new ring in memory of our own.
    pub(super) fn new() -> Self {
        let control = Control {
            ended: AtomicU32::new(0),
            consumer: AtomicU32::new(0),
            producer: AtomicU32::new(0),
            room_needed: AtomicU32::new(0),
        };
        Self {
            tail: CachePadded(AtomicU64::new(0)),
            head: CachePadded(AtomicU64::new(0)),
            control: CachePadded(control),
        }
    }

    /// What a hostile peer does.
    pub(super) fn forge(&self, tail: u64, head: u64) {
        self.tail.0.store(tail, SeqCst);
        self.head.0.store(head, SeqCst);
    }

    /// What it does besides.
    pub(super) fn forge_control(&self, words: [u32; 4]) {
        let control = &self.control.0;
        let places = [&control.ended, &control.consumer, &control.producer, &control.room_needed];
        for (target, word) in places.into_iter().zip(words) {
            target.store(word, SeqCst);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn room_and_bytes_add_up_to_the_capacity() {
        let (ring, mut producer, mut consumer) = (Ring::new(), Producer::new(8), Consumer::new(8));
        for round in 0..20 {
            let count = 1 + round % 8;
            assert_eq!(producer.room(&ring, 8), Ok(8));
            producer.publish(&ring, count);
            assert_eq!(producer.room(&ring, 8), Ok(8 - count));
            assert_eq!(producer.is_half_full(&ring), Ok(count >= 4));
            assert_eq!(consumer.available(&ring, 8), Ok(count));
            consumer.release(&ring, count);
            assert_eq!(producer.is_half_full(&ring), Ok(false), "what was read makes room");
            assert_eq!(consumer.available(&ring, 1), Ok(0));
        }
        assert_eq!(producer.position(), consumer.position());
    }

    #[test]
    fn indices_that_no_correct_peer_has_are_refused() {
        let ring = Ring::new();
        let (mut producer, mut consumer) = (Producer::new(8), Consumer::new(8));
        producer.publish(&ring, 4);
        assert_eq!(consumer.available(&ring, 1), Ok(4));
        for head in [5, u64::MAX, 1 << 63] {
            ring.forge(4, head);
            assert_eq!(producer.room(&ring, 8), Err(InvalidIndex), "head {head}");
        }
        for tail in [3, 9, u64::MAX, 0] {
            ring.forge(tail, 0);
            assert_eq!(consumer.available(&ring, 8), Err(InvalidIndex), "tail {tail}");
        }
    }
}
