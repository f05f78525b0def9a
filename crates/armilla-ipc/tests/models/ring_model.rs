//! A model of the shared-memory ring: the protocol of `src/shm/ring.rs`, compiled here with the
//! atomics of loom, under every interleaving and every weak ordering that the memory model allows.
//!
//! A sleeper is modelled as one that goes on only when its word has changed. A wake-up that is lost
//! leaves it there for ever, and loom reports that.
#![cfg(loom)]
#![allow(dead_code, unsafe_code)]

mod atomic {
    pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, fence};
}
#[path = "../../src/shm/ring.rs"]
mod ring;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use ring::{
    Area, Capacities, Consumer, DOORBELL, FUTEX, Producer, READER_CLOSED, Ring, Side, WRITER_CLOSED,
};
use std::sync::atomic::Ordering::Acquire;

const CAPACITY: u64 = 2;
const CAPACITIES: Capacities = Capacities { small: CAPACITY, large: CAPACITY };

struct Shared {
    ring: Ring,
    small: [UnsafeCell<u8>; CAPACITY as usize],
    large: [UnsafeCell<u8>; CAPACITY as usize],
}

impl Shared {
    /// The byte at a position of an area.
    fn byte(&self, area: Area, position: u64) -> &UnsafeCell<u8> {
        let bytes = match area {
            Area::Small => &self.small,
            Area::Large => &self.large,
        };
        &bytes[(position % CAPACITY) as usize]
    }
}

fn shared() -> Arc<Shared> {
    let bytes = || [UnsafeCell::new(0), UnsafeCell::new(0)];
    Arc::new(Shared { ring: Ring::new(), small: bytes(), large: bytes() })
}

fn sleep(ring: &Ring, side: Side, how: u32) {
    while ring.word(side).load(Acquire) == how {
        thread::yield_now();
    }
}

/// Writes a byte, which is not published yet.
fn put(shared: &Shared, producer: &Producer, byte: u8) {
    let cell = shared.byte(producer.area(), producer.position());
    // SAFETY: loom checks that nobody else accesses the cell meanwhile.
    cell.with_mut(|cell| unsafe { *cell = byte });
}

/// Sends `count` bytes 1, 2, 3 … and the end.
fn produce(shared: &Shared, count: u8, room_needed: u64) {
    let (ring, mut producer) = (&shared.ring, Producer::new(CAPACITIES));
    for byte in 1..=count {
        while producer.room(ring, 1).unwrap() == 0 {
            ring.announce_room_needed(room_needed as u32);
            ring.announce_sleep(Side::Producer, FUTEX);
            if producer.room(ring, room_needed).unwrap() < room_needed {
                sleep(ring, Side::Producer, FUTEX);
            }
            ring.clear_sleep(Side::Producer);
        }
        put(shared, &producer, byte);
        producer.publish(ring, 1);
        ring.sleeper(Side::Consumer);
    }
    ring.end(WRITER_CLOSED);
    ring.sleeper(Side::Consumer);
}

/// Receives until the end.
fn consume(shared: &Shared, how: u32) -> Vec<u8> {
    let (ring, mut consumer, mut got) = (&shared.ring, Consumer::new(CAPACITIES), Vec::new());
    loop {
        // The flag before the index: the end stands behind all bytes.
        let ended = ring.ended() & WRITER_CLOSED != 0;
        if consumer.available(ring, 1).unwrap() > 0 {
            let cell = shared.byte(consumer.area(), consumer.position());
            // SAFETY: as in `put`.
            got.push(cell.with(|cell| unsafe { *cell }));
            consumer.release(ring, 1);
            ring.producer_with_room(consumer.room_given());
        } else if ended {
            return got;
        } else {
            ring.announce_sleep(Side::Consumer, how);
            if ring.ended() & WRITER_CLOSED == 0 && consumer.available(ring, 1).unwrap() == 0 {
                sleep(ring, Side::Consumer, how);
            }
            ring.clear_sleep(Side::Consumer);
        }
    }
}

#[test]
fn every_byte_arrives_once_and_no_wake_up_is_lost() {
    for (how, room_needed) in [(FUTEX, 1), (FUTEX, CAPACITY), (DOORBELL, 1)] {
        // Bounded, because a full search takes hours: three involuntary switches find every known
        // way to lose a wake-up.
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(move || {
            let ours = shared();
            let theirs = Arc::clone(&ours);
            let producer = thread::spawn(move || produce(&theirs, 3, room_needed));
            assert_eq!(consume(&ours, how), [1, 2, 3]);
            producer.join().unwrap();
        });
    }
}

#[test]
fn the_end_of_the_consumer_wakes_a_blocked_producer() {
    loom::model(|| {
        let ours = shared();
        let theirs = Arc::clone(&ours);
        let consumer = thread::spawn(move || {
            theirs.ring.end(READER_CLOSED);
            theirs.ring.sleeper(Side::Producer);
        });
        let (ring, mut producer) = (&ours.ring, Producer::new(CAPACITIES));
        producer.publish(ring, CAPACITY);
        while ring.ended() & READER_CLOSED == 0 {
            ring.announce_sleep(Side::Producer, FUTEX);
            if ring.ended() & READER_CLOSED == 0 {
                sleep(ring, Side::Producer, FUTEX);
            }
            ring.clear_sleep(Side::Producer);
        }
        consumer.join().unwrap();
    });
}

/// A producer that moves to the other area whenever it may and has no room, or `always`; and before
/// that overwrites what lies in an area that the consumer has left, as the system does with memory
/// that is given back.
fn produce_with_moves(shared: &Shared, count: u8, always: bool) {
    let (ring, mut producer) = (&shared.ring, Producer::new(CAPACITIES));
    for byte in 1..=count {
        while producer.room(ring, CAPACITY).unwrap() == 0 || always {
            let other = match producer.area() {
                Area::Small => Area::Large,
                Area::Large => Area::Small,
            };
            if producer.has_left_other_area() {
                for position in 0..CAPACITY {
                    let cell = shared.byte(other, position);
                    // SAFETY: as in `put`.
                    cell.with_mut(|cell| unsafe { *cell = 0 });
                }
                producer.move_to(ring, other);
                break;
            }
            if producer.room(ring, 1).unwrap() > 0 {
                break;
            }
            ring.announce_room_needed(1);
            ring.announce_sleep(Side::Producer, FUTEX);
            if producer.room(ring, 1).unwrap() == 0 {
                sleep(ring, Side::Producer, FUTEX);
            }
            ring.clear_sleep(Side::Producer);
        }
        put(shared, &producer, byte);
        producer.publish(ring, 1);
        ring.sleeper(Side::Consumer);
    }
    ring.end(WRITER_CLOSED);
    ring.sleeper(Side::Consumer);
}

#[test]
fn a_ring_that_grows_and_shrinks_loses_no_byte_and_no_wake_up() {
    for (count, always) in [(3, true), (4, false)] {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(move || {
            let ours = shared();
            let theirs = Arc::clone(&ours);
            let producer = thread::spawn(move || produce_with_moves(&theirs, count, always));
            let expected: Vec<u8> = (1..=count).collect();
            assert_eq!(consume(&ours, FUTEX), expected);
            producer.join().unwrap();
        });
    }
}

/// Whoever looks after the death of a producer finds every byte that it had published, and none
/// besides, wherever it died: also between writing and publishing, and after a move.
#[test]
fn a_producer_dies_between_any_two_steps() {
    for steps in 0..=5 {
        loom::model(move || {
            let ours = shared();
            let theirs = Arc::clone(&ours);
            let producer = thread::spawn(move || {
                let (ring, mut producer) = (&theirs.ring, Producer::new(CAPACITIES));
                let mut todo: [Box<dyn FnMut(&mut Producer)>; 5] = [
                    Box::new(|producer| put(&theirs, producer, 1)),
                    Box::new(|producer| producer.publish(ring, 1)),
                    Box::new(|producer| producer.move_to(ring, Area::Large)),
                    Box::new(|producer| put(&theirs, producer, 2)),
                    Box::new(|producer| producer.publish(ring, 1)),
                ];
                todo.iter_mut().take(steps).for_each(|step| step(&mut producer));
            });
            let (ring, mut consumer, mut got) = (&ours.ring, Consumer::new(CAPACITIES), Vec::new());
            let mut receive = || {
                while consumer.available(ring, 1).unwrap() > 0 {
                    let cell = ours.byte(consumer.area(), consumer.position());
                    // SAFETY: as in `put`.
                    got.push(cell.with(|cell| unsafe { *cell }));
                    consumer.release(ring, 1);
                }
            };
            receive();
            // What the kernel tells of a process that has ended.
            producer.join().unwrap();
            receive();
            assert_eq!(got, [1, 2][..usize::from(steps > 1) + usize::from(steps > 4)]);
        });
    }
}

/// A consumer that died holds a producer up for no longer than it takes to hear of it, and what it
/// had released is room.
#[test]
fn a_consumer_dies_between_any_two_steps() {
    for steps in 0..=2 {
        loom::model(move || {
            let ours = shared();
            let (ring, mut producer) = (&ours.ring, Producer::new(CAPACITIES));
            put(&ours, &producer, 1);
            producer.publish(ring, CAPACITY);
            let theirs = Arc::clone(&ours);
            let consumer = thread::spawn(move || {
                let (ring, mut consumer) = (&theirs.ring, Consumer::new(CAPACITIES));
                if steps > 0 && consumer.available(ring, 1).unwrap() > 0 {
                    consumer.release(ring, 1);
                }
                if steps > 1 {
                    ring.producer_with_room(consumer.room_given());
                }
            });
            ring.announce_room_needed(1);
            ring.announce_sleep(Side::Producer, FUTEX);
            let seen = producer.room(ring, 1).unwrap();
            assert!(seen <= u64::from(steps > 0));
            consumer.join().unwrap();
            assert_eq!(producer.room(ring, 1).unwrap(), u64::from(steps > 0));
            // Either the look finds the room, or the consumer had found the announcement.
            assert!(steps < 2 || seen == 1 || ring.word(Side::Producer).load(Acquire) != FUTEX);
        });
    }
}
