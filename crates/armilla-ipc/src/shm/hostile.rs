//! Tests with a hostile peer: one that writes arbitrary bytes into the shared memory while a stream
//! works on it, and one that dies between any two steps of the protocol. The stream reports errors
//! or moves the bytes that were published; it neither panics, nor hangs, nor reads out of bounds.

use super::ShmStream;
use super::addr::unnamed;
use super::region::Region;
use super::ring::{Area, Consumer, FUTEX, Producer, Side};
use super::rings::RingPair;
use super::spin::Spin;
use super::wait::WakeReason::SliceOver;
use super::wait::{WaitLimit, Waiter};
use crate::{Readiness, Stream};
use rustix::fd::AsFd;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::io::{ErrorKind, IoSlice};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const CAPACITIES: [usize; 2] = [4096, 16384];

/// Where the peer writes.
const THEIRS: (usize, Area) = (1, Area::Small);

fn stream_and_memory() -> (ShmStream, Region, rustix::fd::OwnedFd) {
    let (ours, theirs) =
        socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
    let (region, file) = Region::create(CAPACITIES).unwrap();
    let memory = Region::open(file.as_fd(), CAPACITIES).unwrap();
    let names = [unnamed(), unnamed()];
    let stream = ShmStream::new(ours, Some(RingPair::new(region, 0)), Some(Duration::ZERO), names);
    for set in [ShmStream::set_recv_timeout, ShmStream::set_send_timeout] {
        set(&stream, Some(Duration::from_micros(200))).unwrap();
    }
    (stream, memory, theirs)
}

/// Numbers of every size, from a seed.
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let value = *seed >> 20 ^ *seed << 31;
    value >> (*seed >> 58)
}

#[test]
fn arbitrary_shared_state_is_survived() {
    for seed in 0..200 {
        let (stream, memory, _socket) = stream_and_memory();
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut seed = seed;
                while !stop.load(Ordering::Relaxed) {
                    for which in 0..2 {
                        let ring = memory.ring(which);
                        match random(&mut seed) % 6 {
                            0 => ring.forge(random(&mut seed), random(&mut seed)),
                            1 => ring.forge(random(&mut seed) % 5000, random(&mut seed) % 5000),
                            2 => ring.forge_move(random(&mut seed)),
                            3 => ring.forge_move(random(&mut seed) % 10_000),
                            4 => ring.forge_control([(); 4].map(|()| random(&mut seed) as u32 % 8)),
                            _ => ring.forge_control([(); 4].map(|()| random(&mut seed) as u32)),
                        }
                    }
                }
            });
            let start = Instant::now();
            let mut buffer = [0; 5000];
            for _ in 0..20 {
                // Any outcome will do, as long as there is one.
                let _ = stream.recv(&mut buffer);
                let _ = stream.send_all_vectored(&[IoSlice::new(&buffer), IoSlice::new(&buffer)]);
                let _ = stream.readiness();
                let _ = stream.watch();
            }
            assert!(start.elapsed() < Duration::from_secs(20), "it hangs with seed {seed}");
            stop.store(true, Ordering::Relaxed);
        });
    }
}

#[test]
fn an_impossible_index_is_invalid_data() {
    let (stream, memory, _socket) = stream_and_memory();
    memory.ring(1).forge(CAPACITIES[1] as u64 + 1, 0);
    assert_eq!(stream.recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::InvalidData);
    memory.ring(0).forge(0, 1);
    let error = stream.send_all(&[0; 5000]).unwrap_err();
    assert_eq!(error.source.kind(), ErrorKind::InvalidData);
}

/// Who asks first whether there is anything is not led to wait for it.
#[test]
fn a_forged_index_of_our_own_promises_no_bytes() {
    let (stream, memory, _socket) = stream_and_memory();
    stream.set_recv_timeout(None).unwrap();
    memory.ring(1).forge(0, 7);
    assert_eq!(stream.readiness().unwrap(), Readiness::Idle);
    assert_eq!(stream.watch().unwrap(), Readiness::Idle);
    assert_eq!(stream.try_recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::WouldBlock);
    memory.ring(1).forge(CAPACITIES[1] as u64 + 1, 7);
    assert_eq!(stream.readiness().unwrap(), Readiness::Data);
    assert_eq!(stream.try_recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::InvalidData);
}

/// A store by the peer, each time between our announcement and our sleep, costs us a system call or
/// two, and it could make as many as it likes.
#[test]
fn a_peer_that_wakes_in_vain_does_not_keep_a_processor_busy() {
    let (stream, memory, _socket) = stream_and_memory();
    let spin = Spin::new(Some(Duration::ZERO));
    for side in [Side::Consumer, Side::Producer] {
        let mut limit = WaitLimit::new(Some(Duration::from_millis(300)), &spin, "nothing came");
        let (mut looks, ring) = (0, memory.ring(0));
        let found_awake = &AtomicBool::new(false);
        let waiter = Waiter { ring, side, socket: stream.as_fd(), found_awake };
        let ready = || {
            looks += 1;
            ring.forge_control([0, FUTEX + 2, FUTEX + 2, u32::MAX]);
            false
        };
        let woken = waiter.wait(&mut limit, ready, || ());
        // The caller of a producer's wait looks after every slice itself.
        let slice_over = side == Side::Producer && woken.as_ref().ok() == Some(&SliceOver);
        assert!(slice_over || woken.unwrap_err().kind() == ErrorKind::TimedOut, "{side:?}");
        assert!(looks < 250, "{side:?} has looked {looks} times");
    }
}

/// Everything that a peer does to send twice and receive once, step by step.
fn steps(memory: &Region) -> [Box<dyn FnMut() + '_>; 9] {
    let producer = std::rc::Rc::new(std::cell::RefCell::new(Producer::new(memory.capacities(1))));
    let (first, second) = (producer.clone(), producer.clone());
    let mut consumer = Consumer::new(memory.capacities(0));
    let (out, back) = (memory.ring(1), memory.ring(0));
    [
        Box::new(|| memory.write(THEIRS, 0, b"first")),
        Box::new(move || first.borrow_mut().publish(out, 5)),
        Box::new(|| forget_word(out.sleeper(Side::Consumer))), // taken note of, and then not woken
        Box::new(|| back.announce_sleep(Side::Consumer, FUTEX)),
        Box::new(|| back.clear_sleep(Side::Consumer)),
        Box::new(move || {
            if consumer.available(back, 1) == Ok(4096) {
                consumer.release(back, 4096);
            }
        }),
        Box::new(|| forget_word(back.producer_with_room(4096))),
        Box::new(|| memory.write(THEIRS, 5, b"second")),
        Box::new(move || second.borrow_mut().publish(out, 6)),
    ]
}

/// What the peer would have had to wake.
fn forget_word(_how: u32) {}

#[test]
fn a_peer_may_die_between_any_two_steps() {
    for last in 0..=9 {
        for asleep in [false, true] {
            let (stream, memory, socket) = stream_and_memory();
            stream.set_recv_timeout(None).unwrap();
            stream.set_send_timeout(None).unwrap();
            let published =
                &b"firstsecond"[..[0, 5, 11][usize::from(last > 1) + usize::from(last > 8)]];
            thread::scope(|scope| {
                let reader = scope.spawn(|| {
                    let (mut all, mut buffer) = (Vec::new(), [0; 64]);
                    loop {
                        match stream.recv(&mut buffer) {
                            Ok(count) => all.extend_from_slice(&buffer[..count]),
                            Err(error) => return (all, error.kind()),
                        }
                    }
                });
                // More than the ring holds, whether the peer takes a part of it or not.
                let writer = scope.spawn(|| stream.send_all(&[7; 3 * 4096]).unwrap_err());
                if asleep {
                    thread::sleep(Duration::from_millis(2));
                }
                for mut step in steps(&memory).into_iter().take(last) {
                    step();
                }
                drop(socket);
                let (received, kind) = reader.join().unwrap();
                assert_eq!((&received[..], kind), (published, ErrorKind::ConnectionReset));
                assert_eq!(writer.join().unwrap().source.kind(), ErrorKind::BrokenPipe);
            });
        }
    }
}
