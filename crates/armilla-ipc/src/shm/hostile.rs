//! A peer that writes whatever it likes into the shared memory, while a stream is at work on it: the
//! stream reports errors or moves arbitrary bytes, and neither panics, nor hangs, nor reaches beyond.

use super::ShmStream;
use super::addr::unnamed;
use super::link::Link;
use super::region::Region;
use crate::Stream;
use rustix::fd::AsFd;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::io::{ErrorKind, IoSlice};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const CAPACITIES: [usize; 2] = [4096, 8192];

fn stream_and_memory() -> (ShmStream, Region, rustix::fd::OwnedFd) {
    let (ours, theirs) =
        socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
    let (region, file) = Region::create(CAPACITIES).unwrap();
    let memory = Region::open(file.as_fd(), CAPACITIES).unwrap();
    let names = [unnamed(), unnamed()];
    let stream = ShmStream::new(ours, Some(Link::new(region, 0)), Duration::ZERO, names);
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
                        match random(&mut seed) % 4 {
                            0 => ring.forge(random(&mut seed), random(&mut seed)),
                            1 => ring.forge(random(&mut seed) % 5000, random(&mut seed) % 5000),
                            2 => ring.forge_rare([(); 4].map(|()| random(&mut seed) as u32 % 8)),
                            _ => ring.forge_rare([(); 4].map(|()| random(&mut seed) as u32)),
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
