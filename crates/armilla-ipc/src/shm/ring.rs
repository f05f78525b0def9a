//! The protocol of one ring: one producer, one consumer, in two processes that do not trust each
//! other. Only indices, flags and the words to sleep on live here; the bytes themselves are in
//! `region`, the sleeping in `wait`.
//!
//! Each side keeps its own index in private memory and publishes a copy of it. What it reads of the
//! other side's index is checked before use, so a peer that writes nonsense earns an error and
//! nothing else. Nothing is ever locked in the shared memory: whatever a side had not published
//! when it died never existed, and what it had published is whole.
//!
//! A ring has two areas for its bytes: a small one, which is always there, and a large one, which
//! costs memory only while it is used. The producer moves from one to the other at any position,
//! and publishes that position with the next bytes. Bytes that lie in the area it left stay there
//! until they are read, and it does not move again before: so the consumer knows the area of each
//! byte from the last move alone.
//!
//! `tests/models/ring_model.rs` runs this very file under every interleaving that the memory
//! model allows.

use super::atomic::{AtomicU32, AtomicU64, fence};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

/// The shared state of one ring. All zeros is the state of a new one.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Ring {
    written: CachePadded<Written>,
    head: CachePadded<AtomicU64>,
    control: CachePadded<Control>,
}

/// What the producer publishes with its bytes.
#[repr(C)]
#[derive(Debug)]
struct Written {
    tail: AtomicU64,
    /// The [`Move`] that it made last.
    moved: AtomicU64,
}

/// One of the two areas of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Area {
    Small,
    Large,
}

impl Area {
    /// The other one.
    pub(super) fn other(self) -> Self {
        match self {
            Self::Small => Self::Large,
            Self::Large => Self::Small,
        }
    }
}

/// Where bytes go from a position on.
#[derive(Clone, Copy, Debug)]
struct Move {
    since: u64,
    area: Area,
}

impl Move {
    /// The position, which never needs the highest bit, and the area in the lowest.
    fn to_word(self) -> u64 {
        self.since << 1 | u64::from(self.area == Area::Large)
    }

    /// Any word means something.
    fn from_word(word: u64) -> Self {
        let area = if word & 1 == 0 { Area::Small } else { Area::Large };
        Self { since: word >> 1, area }
    }
}

/// The capacities of the areas of a ring, in bytes. That of the large one is 0 where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Capacities {
    pub(super) small: u64,
    pub(super) large: u64,
}

impl Capacities {
    /// That of one area.
    #[inline]
    pub(super) fn of(self, area: Area) -> u64 {
        match area {
            Area::Small => self.small,
            Area::Large => self.large,
        }
    }
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
        self.written.0.tail.load(Acquire) != self.head.0.load(Acquire)
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
    /// The consumer's index when it was last seen.
    head: u64,
    /// The last move: where the bytes go.
    moved: Move,
    capacities: Capacities,
}

impl Producer {
    /// The producer of a new ring, which writes to the small area.
    pub(super) fn new(capacities: Capacities) -> Self {
        Self { tail: 0, head: 0, moved: Move { since: 0, area: Area::Small }, capacities }
    }

    /// How many bytes have been written so far; the next goes to this position modulo the capacity.
    #[inline]
    pub(super) fn position(&self) -> u64 {
        self.tail
    }

    /// The area that the bytes go to.
    #[inline]
    pub(super) fn area(&self) -> Area {
        self.moved.area
    }

    /// The capacity of that area.
    #[inline]
    pub(super) fn capacity(&self) -> u64 {
        self.capacities.of(self.moved.area)
    }

    /// How many bytes wait for the consumer, as far as it has been seen.
    pub(super) fn unread(&self) -> u64 {
        self.tail - self.head
    }

    /// The room for further bytes in the area. The consumer's index is read again only if less than
    /// `wanted` was left when it was last seen.
    #[inline]
    pub(super) fn room(&mut self, ring: &Ring, wanted: u64) -> Result<u64, InvalidIndex> {
        let room = self.room_seen();
        if room >= wanted {
            return Ok(room);
        }
        let head = ring.head.0.load(Acquire);
        if head < self.head || head > self.tail {
            return Err(InvalidIndex);
        }
        self.head = head;
        Ok(self.room_seen())
    }

    /// The room when the consumer was last seen. Bytes from before the last move take none.
    #[inline]
    fn room_seen(&self) -> u64 {
        self.capacity() - (self.tail - self.head.max(self.moved.since))
    }

    /// Whether the area holds half of what it can. The consumer's index is read again only if it
    /// seems so.
    #[inline]
    pub(super) fn is_half_full(&mut self, ring: &Ring) -> Result<bool, InvalidIndex> {
        let half = self.capacity() / 2;
        Ok(self.room(ring, half + 1)? <= half)
    }

    /// Hands over `count` bytes, written at the position; no more than there was room for.
    #[inline]
    pub(super) fn publish(&mut self, ring: &Ring, count: u64) {
        debug_assert!(count <= self.room_seen());
        self.tail += count;
        ring.written.0.tail.store(self.tail, Release);
    }

    /// Whether the consumer, when it was last seen, had read all that lies in the other area. Only
    /// then may the bytes go there, or its memory be given back.
    pub(super) fn has_left_other_area(&self) -> bool {
        self.head >= self.moved.since
    }

    /// Lets the bytes go to another area from here on; not before the consumer
    /// [has left](Self::has_left_other_area) it.
    pub(super) fn move_to(&mut self, ring: &Ring, area: Area) {
        debug_assert!(self.has_left_other_area() && self.capacities.of(area) > 0);
        self.moved = Move { since: self.tail, area };
        // The next index that is published carries it along.
        ring.written.0.moved.store(self.moved.to_word(), Relaxed);
    }
}

/// The private half of the side that reads.
#[derive(Debug)]
pub(super) struct Consumer {
    head: u64,
    /// The producer's index when it was last seen.
    tail: u64,
    /// Where the bytes at the head lie, and the position behind those of them that were seen.
    area: Area,
    end: u64,
    capacities: Capacities,
}

impl Consumer {
    /// The consumer of a new ring.
    pub(super) fn new(capacities: Capacities) -> Self {
        Self { head: 0, tail: 0, area: Area::Small, end: 0, capacities }
    }

    /// How many bytes have been read so far.
    #[inline]
    pub(super) fn position(&self) -> u64 {
        self.head
    }

    /// The area of the bytes that are [available](Self::available).
    #[inline]
    pub(super) fn area(&self) -> Area {
        self.area
    }

    /// How many bytes can be read from one area; further ones may lie in the other. The producer's
    /// index is read again only if fewer than `wanted` were there when it was last seen.
    #[inline]
    pub(super) fn available(&mut self, ring: &Ring, wanted: u64) -> Result<u64, InvalidIndex> {
        let available = self.end - self.head;
        if available >= wanted {
            return Ok(available);
        }
        let tail = ring.written.0.tail.load(Acquire);
        // After the index: it is that move at least which came before the last bytes.
        let moved = Move::from_word(ring.written.0.moved.load(Relaxed));
        let (area, end) = match self.head < moved.since {
            true => (moved.area.other(), tail.min(moved.since)),
            false => (moved.area, tail),
        };
        if tail < self.tail || end - self.head > self.capacities.of(area) {
            return Err(InvalidIndex);
        }
        (self.tail, self.area, self.end) = (tail, area, end);
        Ok(end - self.head)
    }

    /// How much room the producer has if it writes to the same area, or less if it has written
    /// meanwhile.
    #[inline]
    pub(super) fn room_given(&self) -> u64 {
        self.capacities.of(self.area) - (self.end - self.head)
    }

    /// Gives back the room of `count` bytes that were read; no more than were available.
    #[inline]
    pub(super) fn release(&mut self, ring: &Ring, count: u64) {
        debug_assert!(count <= self.end - self.head);
        self.head += count;
        ring.head.0.store(self.head, Release);
    }
}

#[cfg(any(test, feature = "trial"))]
impl Ring {
    /// A new ring in memory of our own.
    #[cfg(test)]
    pub(super) fn new() -> Self {
        let control = Control {
            ended: AtomicU32::new(0),
            consumer: AtomicU32::new(0),
            producer: AtomicU32::new(0),
            room_needed: AtomicU32::new(0),
        };
        Self {
            written: CachePadded(Written { tail: AtomicU64::new(0), moved: AtomicU64::new(0) }),
            head: CachePadded(AtomicU64::new(0)),
            control: CachePadded(control),
        }
    }

    /// What a hostile peer does.
    pub(super) fn forge(&self, tail: u64, head: u64) {
        self.written.0.tail.store(tail, SeqCst);
        self.head.0.store(head, SeqCst);
    }

    /// As [`forge`](Self::forge), of a move.
    pub(super) fn forge_move(&self, word: u64) {
        self.written.0.moved.store(word, SeqCst);
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

    const CAPACITIES: Capacities = Capacities { small: 8, large: 32 };

    fn new() -> (Ring, Producer, Consumer) {
        (Ring::new(), Producer::new(CAPACITIES), Consumer::new(CAPACITIES))
    }

    #[test]
    fn room_and_bytes_add_up_to_the_capacity() {
        let (ring, mut producer, mut consumer) = new();
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
    fn a_full_area_is_left_and_read_to_its_end() {
        let (ring, mut producer, mut consumer) = new();
        producer.publish(&ring, 8);
        assert_eq!(producer.room(&ring, 1), Ok(0));
        producer.move_to(&ring, Area::Large);
        assert_eq!((producer.room(&ring, 32), producer.area()), (Ok(32), Area::Large));
        producer.publish(&ring, 20);
        assert!(!producer.has_left_other_area(), "it holds unread bytes");

        assert_eq!((consumer.available(&ring, 99), consumer.area()), (Ok(8), Area::Small));
        consumer.release(&ring, 8);
        assert_eq!((consumer.available(&ring, 1), consumer.area()), (Ok(20), Area::Large));
        consumer.release(&ring, 5);
        assert_eq!(producer.room(&ring, 32), Ok(17));
        assert!(producer.has_left_other_area());

        producer.move_to(&ring, Area::Small);
        assert_eq!(producer.room(&ring, 8), Ok(8));
        producer.publish(&ring, 1);
        assert_eq!((consumer.available(&ring, 99), consumer.area()), (Ok(15), Area::Large));
        consumer.release(&ring, 15);
        assert_eq!((consumer.available(&ring, 1), consumer.area()), (Ok(1), Area::Small));
    }

    #[test]
    fn indices_that_no_correct_peer_has_are_refused() {
        let (ring, mut producer, mut consumer) = new();
        producer.publish(&ring, 4);
        assert_eq!(consumer.available(&ring, 1), Ok(4));
        for head in [5, u64::MAX, 1 << 63] {
            ring.forge(4, head);
            assert_eq!(producer.room(&ring, 9), Err(InvalidIndex), "head {head}");
        }
        for tail in [3, 9, u64::MAX, 0] {
            ring.forge(tail, 0);
            assert_eq!(consumer.available(&ring, 8), Err(InvalidIndex), "tail {tail}");
        }
        for moved in [1, 33 << 1, 34 << 1 | 1, u64::MAX] {
            ring.forge(33, 0);
            ring.forge_move(moved);
            assert_eq!(consumer.available(&ring, 8), Err(InvalidIndex), "moved {moved}");
        }
    }

    /// Whatever the words are: a hostile peer chooses them.
    #[test]
    fn no_more_is_available_than_an_area_holds() {
        let words = [0, 1, 2, 3, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65, 66, 1 << 63, u64::MAX];
        for (tail, moved) in words.iter().flat_map(|tail| words.map(|moved| (*tail, moved))) {
            let (ring, _, mut consumer) = new();
            for _ in 0..3 {
                ring.forge(tail, 0);
                ring.forge_move(moved);
                let Ok(available) = consumer.available(&ring, u64::MAX) else { break };
                assert!(available <= CAPACITIES.of(consumer.area()), "{tail} {moved}");
                consumer.release(&ring, available);
            }
        }
    }
}
