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
use ring::{Consumer, DOORBELL, FUTEX, Producer, READER_CLOSED, Ring, Side, WRITER_CLOSED};
use std::sync::atomic::Ordering::Acquire;

const CAPACITY: u64 = 2;

struct Shared {
    ring: Ring,
    bytes: [UnsafeCell<u8>; CAPACITY as usize],
}

fn shared() -> Arc<Shared> {
    Arc::new(Shared { ring: Ring::new(), bytes: [UnsafeCell::new(0), UnsafeCell::new(0)] })
}

fn sleep(ring: &Ring, side: Side, how: u32) {
    while ring.word(side).load(Acquire) == how {
        thread::yield_now();
    }
}

/// Sends `count` bytes 1, 2, 3 … and the end.
fn produce(shared: &Shared, count: u8, room_needed: u64) {
    let (ring, mut producer) = (&shared.ring, Producer::new(CAPACITY));
    for byte in 1..=count {
        while producer.room(ring, 1).unwrap() == 0 {
            ring.announce_room_needed(room_needed as u32);
            ring.announce_sleep(Side::Producer, FUTEX);
            if producer.room(ring, room_needed).unwrap() < room_needed {
                sleep(ring, Side::Producer, FUTEX);
            }
            ring.clear_sleep(Side::Producer);
        }
        let place = (producer.position() % CAPACITY) as usize;
        // SAFETY: loom checks that nobody else accesses the cell meanwhile.
        shared.bytes[place].with_mut(|cell| unsafe { *cell = byte });
        producer.publish(ring, 1);
        ring.sleeper(Side::Consumer);
    }
    ring.end(WRITER_CLOSED);
    ring.sleeper(Side::Consumer);
}

/// Receives until the end.
fn consume(shared: &Shared, how: u32) -> Vec<u8> {
    let (ring, mut consumer, mut got) = (&shared.ring, Consumer::new(CAPACITY), Vec::new());
    loop {
        // The flag before the index: the end stands behind all bytes.
        let ended = ring.ended() & WRITER_CLOSED != 0;
        if consumer.available(ring, 1).unwrap() > 0 {
            let place = (consumer.position() % CAPACITY) as usize;
            // SAFETY: as above.
            got.push(shared.bytes[place].with(|cell| unsafe { *cell }));
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
        let (ring, mut producer) = (&ours.ring, Producer::new(CAPACITY));
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
