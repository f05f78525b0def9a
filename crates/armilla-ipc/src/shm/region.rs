//! The memory that two processes share: a sealed memory file, mapped.
//!
//! # Safety contract
//! This file alone of the transport is `unsafe`. It upholds:
//! - *The mapping stays valid while the [`Region`] lives.* It is unmapped only on drop, and the
//!   file behind it is sealed against shrinking before it is mapped, so no access can fault.
//! - *References into it lead only to atomics* ([`Ring`]), for which any bit pattern is valid and
//!   changes at any time are allowed. They borrow the region.
//! - *The bytes behind them are never referred to, only copied* from or into memory of our own,
//!   within bounds computed from sizes that the peer cannot change. Between two correct sides the
//!   ring keeps the copies of the two apart in time. A peer that breaks the protocol can write
//!   while we copy: the copy then holds arbitrary bytes, which is what a hostile peer may send
//!   anyway.

#![allow(unsafe_code)]

use super::ring::{Area, Capacities, Ring};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{MemfdFlags, SealFlags};
use rustix::io::Errno;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags};
use rustix::process::{Resource, getrlimit};
use rustix::{fs, mm};
use std::io;
use std::ptr::{self, NonNull};

/// The least and the greatest capacity of a ring, in bytes; always a power of two.
pub(super) const CAPACITIES: std::ops::RangeInclusive<usize> = 4096..=1 << 24;

/// Where the bytes of the rings begin: behind the state of both.
pub(super) const HEADER: usize = 4096;

/// The capacity of the small area of a ring. Those of both rings lie behind the header: together
/// they are what a stream costs that has no more to carry than calls and their results.
const SMALL: usize = 8192;

/// The memory of a stream that uses the small areas only.
pub(super) const LEAST: u64 = (HEADER + 2 * SMALL) as u64;

/// What the file must be sealed against before it is trusted.
const SEALS: SealFlags = SealFlags::SHRINK.union(SealFlags::GROW).union(SealFlags::SEAL);

/// The file system of memory files. Huge pages come from another one, and may be missing when they
/// are touched.
const TMPFS: u32 = 0x0102_1994;

const _: () = assert!(2 * size_of::<Ring>() <= HEADER);

/// Two rings in shared memory. Thread-safe so far as the state goes; the bytes of one ring may be
/// copied by one thread of a process at a time, see [`write`](Self::write).
#[derive(Debug)]
pub(super) struct Region {
    base: NonNull<u8>,
    rings: [Layout; 2],
}

/// The places and sizes of the two areas of a ring.
#[derive(Clone, Copy, Debug)]
struct Layout {
    small: Span,
    large: Span,
}

/// Bytes of the mapping: where they begin, and how many they are, none or a power of two.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    length: usize,
}

impl Layout {
    #[inline]
    fn of(&self, area: Area) -> Span {
        match area {
            Area::Small => self.small,
            Area::Large => self.large,
        }
    }
}

// SAFETY: the pointer leads to memory that belongs to no thread; see the contract for its use.
unsafe impl Send for Region {}
// SAFETY: shared access reaches atomics and copies bytes, see the contract.
unsafe impl Sync for Region {}

impl Region {
    /// Makes a new memory file for rings of these capacities, and maps it.
    pub(super) fn create(capacities: [usize; 2]) -> io::Result<(Self, OwnedFd)> {
        let rings = layout(capacities)?;
        let length = length(&rings) as u64;
        // Beyond this limit the system kills a program that does not expect it.
        if getrlimit(Resource::Fsize).current.is_some_and(|most| most < length) {
            let reason = "the limit RLIMIT_FSIZE (ulimit -f) is less than the memory of a stream";
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
        }
        let file = memory_file()?;
        fs::ftruncate(&file, length)?;
        fs::fcntl_add_seals(&file, SEALS)?;
        Ok((Self::map(file.as_fd(), rings)?, file))
    }

    /// Maps the memory file of a peer, once it has proved safe.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] if the file could change its size, has another one than its
    /// maker claims, or is no memory file.
    pub(super) fn open(file: BorrowedFd<'_>, capacities: [usize; 2]) -> io::Result<Self> {
        let invalid = |reason| io::Error::new(io::ErrorKind::InvalidData, reason);
        let rings = layout(capacities)?;
        let seals = fs::fcntl_get_seals(file)
            .map_err(|_| invalid("the peer passed something that is no memory file"))?;
        if !seals.contains(SEALS) {
            return Err(invalid("the peer could still change the size of its memory file"));
        }
        // After the seals: only now the size stays what it is.
        if fs::fstat(file)?.st_size != length(&rings) as i64 {
            return Err(invalid("the peer's memory file has another size than it claims"));
        }
        if fs::fstatfs(file)?.f_type as u32 != TMPFS {
            return Err(invalid("the peer's memory file is of an unsuitable kind"));
        }
        Self::map(file, rings)
    }

    /// Maps a file that is sealed and as long as the rings demand.
    fn map(file: BorrowedFd<'_>, rings: [Layout; 2]) -> io::Result<Self> {
        let (length, none) = (length(&rings), ProtFlags::empty());
        // SAFETY: a new mapping at a place that the kernel chooses aliases nothing.
        let base = unsafe { mm::mmap(ptr::null_mut(), length, none, MapFlags::SHARED, file, 0) }?;
        let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        let region = Self { base, rings };
        region.take_no_memory_ahead();
        // SAFETY: the mapping, to which no reference leads yet.
        unsafe {
            mm::mprotect(base.as_ptr().cast(), length, MprotectFlags::READ | MprotectFlags::WRITE)
        }?;
        Ok(region)
    }

    /// Keeps the system from taking memory for what is not used: a process that locks all that it
    /// maps (`mlockall`) would get every page at once, and a system with huge pages for shared
    /// memory a huge one at the first touch. The large areas, which come and go, are not locked.
    ///
    /// While the mapping has no access rights, for then locking it has taken nothing yet.
    fn take_no_memory_ahead(&self) {
        let large = self.rings.map(|ring| ring.large);
        let (start, length) = (self.base.as_ptr(), length(&self.rings));
        // SAFETY: within the mapping, of which no content changes. The large areas are together.
        // Errors mean that there is nothing to prevent.
        unsafe {
            let _ = mm::madvise(start.cast(), length, mm::Advice::LinuxNoHugepage);
            let _ = mm::munlock(self.start(large[0]).cast(), large[0].length + large[1].length);
        }
    }

    /// The state of one of the two rings.
    #[inline]
    pub(super) fn ring(&self, which: usize) -> &Ring {
        assert!(which < 2);
        // SAFETY: page-aligned, within the header (see the assertion above), initialised to zeros
        // by the kernel, and all atomics.
        unsafe { self.base.cast::<Ring>().add(which).as_ref() }
    }

    /// The capacities of one of the two rings in bytes.
    pub(super) fn capacities(&self, which: usize) -> Capacities {
        let Layout { small, large } = self.rings[which];
        Capacities { small: small.length as u64, large: large.length as u64 }
    }

    /// Copies `bytes` into an area of a ring at `position` modulo its capacity; no more than fit.
    ///
    /// The caller holds the ring's private producer, so that no other thread writes to these bytes.
    #[inline]
    pub(super) fn write(&self, (which, area): (usize, Area), position: u64, bytes: &[u8]) {
        let span = self.rings[which].of(area);
        let (target, first) = self.address_of(span, position, bytes.len());
        // SAFETY: `address_of` has checked that both halves lie within the area; ours and theirs do
        // not overlap, because there are no references to the mapping.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), target, first);
            let rest = bytes.len() - first;
            ptr::copy_nonoverlapping(bytes.as_ptr().add(first), self.start(span), rest);
        }
    }

    /// Fills `buffer` from an area of a ring at `position` modulo its capacity, which is no less.
    ///
    /// The caller holds the ring's private consumer.
    #[inline]
    pub(super) fn read(&self, (which, area): (usize, Area), position: u64, buffer: &mut [u8]) {
        let span = self.rings[which].of(area);
        let (target, first) = self.address_of(span, position, buffer.len());
        // SAFETY: as in `write`.
        unsafe {
            ptr::copy_nonoverlapping(target, buffer.as_mut_ptr(), first);
            let rest = buffer.len() - first;
            ptr::copy_nonoverlapping(self.start(span), buffer.as_mut_ptr().add(first), rest);
        }
    }

    /// As [`read`](Self::read), of `count` bytes to the end of `buffer`, whose capacity suffices.
    pub(super) fn read_append(
        &self,
        (which, area): (usize, Area),
        position: u64,
        buffer: &mut Vec<u8>,
        count: usize,
    ) {
        let span = self.rings[which].of(area);
        let (source, first) = self.address_of(span, position, count);
        let spare = buffer.spare_capacity_mut();
        assert!(count <= spare.len(), "more bytes than the buffer has room for");
        let target = spare.as_mut_ptr().cast::<u8>();
        // SAFETY: as in `read`; `target` has room for all bytes, which are written before they count.
        unsafe {
            ptr::copy_nonoverlapping(source, target, first);
            ptr::copy_nonoverlapping(self.start(span), target.add(first), count - first);
            buffer.set_len(buffer.len() + count);
        }
    }

    /// Gives the memory behind the large area of a ring back to the system. It is zeros from then
    /// on, and memory is taken again when it is written. Without effect if the system refuses.
    ///
    /// The caller holds the ring's private producer, and no unread byte lies there: nobody reads or
    /// writes there meanwhile.
    pub(super) fn give_back(&self, which: usize) {
        let span = self.rings[which].large;
        // SAFETY: within the mapping, of a file whose pages can be removed; the mapping stays, and
        // no references lead to these bytes.
        let _ =
            unsafe { mm::madvise(self.start(span).cast(), span.length, mm::Advice::LinuxRemove) };
    }

    /// Where `position` lies, and how many of `count` bytes lie there and not at the area's start.
    #[inline]
    fn address_of(&self, span: Span, position: u64, count: usize) -> (*mut u8, usize) {
        assert!(count <= span.length, "more bytes than the ring has room for");
        // Of an area without bytes this is its start.
        let offset = position as usize & span.length.saturating_sub(1);
        // SAFETY: the offset is less than the length, which is a power of two, or both are zero.
        (unsafe { self.start(span).add(offset) }, count.min(span.length - offset))
    }

    /// The first byte of an area.
    #[inline]
    fn start(&self, span: Span) -> *mut u8 {
        // SAFETY: within the mapping, or its end; `layout` places the areas.
        unsafe { self.base.add(span.start).as_ptr() }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: mapped with this length, and no reference outlives the region.
        // An error would mean that the range is not a mapping, which it is.
        let _ = unsafe { mm::munmap(self.base.as_ptr().cast(), length(&self.rings)) };
    }
}

/// A new memory file, which nobody may execute where the system knows of that (since Linux 6.3).
fn memory_file() -> io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    match fs::memfd_create("armilla-shm", flags | MemfdFlags::NOEXEC_SEAL) {
        Err(Errno::INVAL) => Ok(fs::memfd_create("armilla-shm", flags)?),
        made => Ok(made?),
    }
}

/// The areas of rings of these capacities, which may come from a peer: behind the header the small
/// ones, together, and behind them the large ones. A ring that is no larger than a small area has
/// none.
fn layout(capacities: [usize; 2]) -> io::Result<[Layout; 2]> {
    if !capacities.iter().all(|size| size.is_power_of_two() && CAPACITIES.contains(size)) {
        let reason = "the ring has an impossible capacity";
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    let mut next = HEADER;
    let mut place = |length| {
        let span = Span { start: next, length };
        next += length;
        span
    };
    let small = capacities.map(|capacity| place(capacity.min(SMALL)));
    let large = capacities.map(|capacity| place(if capacity > SMALL { capacity } else { 0 }));
    Ok([0, 1].map(|which| Layout { small: small[which], large: large[which] }))
}

/// The length of a file with these rings.
fn length([_, last]: &[Layout; 2]) -> usize {
    last.large.start + last.large.length
}

#[cfg(test)]
mod tests {
    use super::Area::{Large, Small};
    use super::*;

    fn kind(file: impl AsFd, capacities: [usize; 2]) -> io::ErrorKind {
        Region::open(file.as_fd(), capacities).unwrap_err().kind()
    }

    #[test]
    fn bytes_wrap_around_the_end() {
        let (ours, file) = Region::create([4096, 16384]).unwrap();
        let theirs = Region::open(file.as_fd(), [4096, 16384]).unwrap();
        for (at, position) in [
            ((0, Small), 4093),
            ((1, Small), 8190),
            ((1, Large), 16382),
            ((0, Small), u64::MAX - 2),
            ((1, Large), 0),
        ] {
            ours.write(at, position, b"across");
            let mut buffer = [0; 6];
            theirs.read(at, position, &mut buffer);
            assert_eq!(&buffer, b"across");
            let mut text = Vec::with_capacity(9);
            text.extend_from_slice(b"is ");
            theirs.read_append(at, position, &mut text, 6);
            assert_eq!(text, b"is across");
        }
    }

    #[test]
    fn no_two_areas_overlap() {
        for capacities in [[4096, 4096], [8192, 16384], [1 << 16, 4096], [1 << 16, 1 << 15]] {
            let (region, _file) = Region::create(capacities).unwrap();
            let areas = [(0, Small), (0, Large), (1, Small), (1, Large)];
            let length = |(which, area): (usize, Area)| region.capacities(which).of(area) as usize;
            for (mark, at) in (1..).zip(areas) {
                region.write(at, 0, &vec![mark; length(at)]);
            }
            for (mark, at) in (1..).zip(areas) {
                let mut buffer = vec![0; length(at)];
                region.read(at, 0, &mut buffer);
                assert!(buffer.iter().all(|byte| *byte == mark), "{capacities:?} {at:?}");
            }
        }
    }

    #[test]
    fn memory_that_was_given_back_is_there_again_when_it_is_used() {
        let (ours, file) = Region::create([1 << 16, 4096]).unwrap();
        let blocks = || fs::fstat(&file).unwrap().st_blocks * 512;
        let at = (0, Large);
        ours.write(at, 0, &[7; 1 << 16]);
        assert_eq!(blocks(), 1 << 16);
        ours.give_back(0);
        assert_eq!(blocks(), 0);
        let theirs = Region::open(file.as_fd(), [1 << 16, 4096]).unwrap();
        ours.write(at, 5, b"again");
        let mut buffer = [0; 6];
        theirs.read(at, 4, &mut buffer);
        assert_eq!(&buffer, b"\0again");
    }

    #[test]
    fn a_file_that_could_shrink_or_lies_about_its_size_is_refused() {
        let capacities = [4096, 4096];
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = fs::memfd_create("test", flags).unwrap();
        fs::ftruncate(&file, 3 * 4096).unwrap();
        assert_eq!(kind(&file, capacities), io::ErrorKind::InvalidData);
        for seals in [SealFlags::GROW | SealFlags::SEAL, SealFlags::SHRINK | SealFlags::SEAL] {
            let partly = fs::memfd_create("test", flags).unwrap();
            fs::ftruncate(&partly, 3 * 4096).unwrap();
            fs::fcntl_add_seals(&partly, seals).unwrap();
            assert_eq!(kind(&partly, capacities), io::ErrorKind::InvalidData, "{seals:?}");
        }
        fs::fcntl_add_seals(&file, SEALS).unwrap();
        Region::open(file.as_fd(), capacities).unwrap();
        for claim in [[8192, 4096], [4096, 4097], [0, 0], [usize::MAX / 2 + 1, 4096]] {
            assert_eq!(kind(&file, claim), io::ErrorKind::InvalidData, "{claim:?}");
        }
        let no_memory = std::fs::File::open("/dev/null").unwrap();
        assert_eq!(kind(&no_memory, capacities), io::ErrorKind::InvalidData);
    }

    /// A maker that keeps the descriptor cannot take the memory from under the other side.
    #[test]
    fn a_file_of_ours_cannot_be_cut_or_grown() {
        let (region, file) = Region::create([4096, 1 << 16]).unwrap();
        assert!(fs::ftruncate(&file, 0).is_err() && fs::ftruncate(&file, 1 << 30).is_err());
        assert!(fs::fcntl_add_seals(&file, SealFlags::WRITE).is_err(), "no further seals");
        region.write((1, Large), 0, &[1; 1 << 16]);
    }
}
