//! Heap allocations while messages in fragments are put together: none once the memory has grown.
//! The allocator counts for the whole process.

use crate::ALLOCATOR;
use armilla_cdr::{ByteOrder, Encoder};
use armilla_giop::{
    Fragments, Framer, MessageBuffer, MessageHeader, OwnedMessage, ReplyStatus, Version,
    begin_reply, put_body,
};
use armilla_tests::alone::alone;

/// A reply of 126 KiB in fragments: of 20,000 octets, or as omniORB cuts it, all of it in the first
/// and the last one empty.
fn fragmented(version: Version, size: usize) -> Vec<u8> {
    let payload = vec![7_u8; 126 * 1024];
    let mut out = Encoder::new(ByteOrder::NATIVE);
    begin_reply(&mut out, version, 7, ReplyStatus::NoException, &[]).unwrap();
    put_body(&mut out, version, |out| out.put_sequence(&payload)).unwrap();
    MessageHeader::finish(&mut out).unwrap();
    let fragments = Fragments::of(&out, size).expect("it is larger");
    fragments.iter().flatten().collect::<Vec<_>>().concat()
}

/// The sizes of fragments: many of one message, or one and a short rest.
const SIZES: [usize; 2] = [20_000, 126 * 1024];

/// Copies as much of `octets` as fits into `space`, and returns how much that is.
fn fill(space: &mut [u8], octets: &mut &[u8]) -> usize {
    let count = space.len().min(octets.len());
    space[..count].copy_from_slice(&octets[..count]);
    *octets = &octets[count..];
    count
}

/// How many allocations a hundred repetitions make after a few. The thread that waits for the tests
/// allocates too, once: of several counts the least is that of the repetitions.
fn allocations(mut receive: impl FnMut()) -> usize {
    let mut count = || {
        let before = ALLOCATOR.stats();
        (0..100).for_each(|_| receive());
        let after = ALLOCATOR.stats();
        (after.allocations - before.allocations) + (after.reallocations - before.reallocations)
    };
    count();
    (0..3).map(|_| count()).min().unwrap_or(usize::MAX)
}

#[test]
fn fragments_are_put_together_in_memory_that_is_kept() {
    alone(|| {
        let shapes =
            [Version::V1_1, Version::V1_2].map(|version| SIZES.map(|size| (version, size)));
        for (version, size) in shapes.into_iter().flatten() {
            let message = fragmented(version, size);
            let mut framer = Framer::new(1 << 20);
            let in_place = allocations(|| {
                let (mut octets, mut whole) = (&message[..], 0);
                while !octets.is_empty() {
                    let count = fill(framer.space(), &mut octets);
                    framer.received(count);
                    while framer.next().unwrap().is_some() {
                        whole += 1;
                    }
                }
                assert_eq!(whole, 1);
            });
            assert_eq!(in_place, 0, "read in place, as by a client, in GIOP {version} of {size}");
            let (mut framer, mut buffer) = (Framer::new(1 << 20), MessageBuffer::new());
            let taken = allocations(|| {
                let (mut octets, mut whole) = (&message[..], 0);
                while !octets.is_empty() {
                    let count = fill(framer.space_from(&mut buffer), &mut octets);
                    framer.received(count);
                    while framer.take(&mut buffer).unwrap().is_some() {
                        whole += 1;
                    }
                }
                assert_eq!(whole, 1);
            });
            assert_eq!(taken, 0, "taken out, as by a server, in GIOP {version} of {size}");
            let (mut framer, mut owned) = (Framer::new(1 << 20), OwnedMessage::new());
            let kept = allocations(|| {
                let (mut octets, mut whole) = (&message[..], 0);
                while !octets.is_empty() {
                    let count = fill(framer.space(), &mut octets);
                    framer.received(count);
                    while framer.next().unwrap().is_some() {
                        framer.take_current(&mut owned);
                        whole += usize::from(owned.message().is_some());
                        owned.clear();
                    }
                }
                assert_eq!(whole, 1);
            });
            assert_eq!(kept, 0, "kept, as over a shared connection, in GIOP {version} of {size}");
        }
    });
}
