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

use super::ring::Ring;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{MemfdFlags, SealFlags};
use rustix::mm::{MapFlags, ProtFlags};
use rustix::{fs, mm};
use std::io;
use std::ptr::{self, NonNull};

/// The least and the greatest capacity of a ring, in bytes; always a power of two.
pub(super) const CAPACITIES: std::ops::RangeInclusive<usize> = 4096..=1 << 24;

/// Where the bytes of the first ring begin: behind the state of both.
const HEADER: usize = 4096;

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
    capacities: [usize; 2],
}

// SAFETY: the pointer leads to memory that belongs to no thread; see the contract for its use.
unsafe impl Send for Region {}
// SAFETY: shared access reaches atomics and copies bytes, see the contract.
unsafe impl Sync for Region {}

impl Region {
    /// Makes a new memory file for rings of these capacities, and maps it.
    pub(super) fn create(capacities: [usize; 2]) -> io::Result<(Self, OwnedFd)> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = fs::memfd_create("armilla-shm", flags)?;
        fs::ftruncate(&file, length(capacities)? as u64)?;
        fs::fcntl_add_seals(&file, SEALS)?;
        let region = Self::map(file.as_fd(), capacities)?;
        Ok((region, file))
    }

    /// Maps the memory file of a peer, once it has proved safe.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] if the file could change its size, has another one than its
    /// maker claims, or is no memory file.
    pub(super) fn open(file: BorrowedFd<'_>, capacities: [usize; 2]) -> io::Result<Self> {
        let invalid = |reason| io::Error::new(io::ErrorKind::InvalidData, reason);
        let length = length(capacities)?;
        let seals = fs::fcntl_get_seals(file)
            .map_err(|_| invalid("the peer passed something that is no memory file"))?;
        if !seals.contains(SEALS) {
            return Err(invalid("the peer could still change the size of its memory file"));
        }
        // After the seals: only now the size stays what it is.
        if fs::fstat(file)?.st_size != length as i64 {
            return Err(invalid("the peer's memory file has another size than it claims"));
        }
        if fs::fstatfs(file)?.f_type as u32 != TMPFS {
            return Err(invalid("the peer's memory file is of an unsuitable kind"));
        }
        Self::map(file, capacities)
    }

    /// Maps a file that is sealed and as long as the capacities demand.
    fn map(file: BorrowedFd<'_>, capacities: [usize; 2]) -> io::Result<Self> {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at a place that the kernel chooses aliases nothing.
        let base = unsafe {
            mm::mmap(ptr::null_mut(), length(capacities)?, protection, MapFlags::SHARED, file, 0)
        }?;
        let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { base, capacities })
    }

    /// The state of one of the two rings.
    #[inline]
    pub(super) fn ring(&self, which: usize) -> &Ring {
        assert!(which < 2);
        // SAFETY: page-aligned, within the header (see the assertion above), initialised to zeros
        // by the kernel, and all atomics.
        unsafe { self.base.cast::<Ring>().add(which).as_ref() }
    }

    /// The capacity of one of the two rings in bytes.
    #[inline]
    pub(super) fn capacity(&self, which: usize) -> usize {
        self.capacities[which]
    }

    /// Copies `bytes` into a ring at `position` modulo its capacity; no more than fit.
    ///
    /// The caller holds the ring's private producer, so that no other thread writes to these bytes.
    #[inline]
    pub(super) fn write(&self, which: usize, position: u64, bytes: &[u8]) {
        let (target, first) = self.address_of(which, position, bytes.len());
        // SAFETY: `address_of` has checked that both halves lie within the ring; ours and theirs do
        // not overlap, because there are no references to the mapping.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), target, first);
            let rest = bytes.len() - first;
            ptr::copy_nonoverlapping(bytes.as_ptr().add(first), self.start(which), rest);
        }
    }

    /// Fills `buffer` from a ring at `position` modulo its capacity, which is no less.
    ///
    /// The caller holds the ring's private consumer.
    #[inline]
    pub(super) fn read(&self, which: usize, position: u64, buffer: &mut [u8]) {
        let (target, first) = self.address_of(which, position, buffer.len());
        // SAFETY: as in `write`.
        unsafe {
            ptr::copy_nonoverlapping(target, buffer.as_mut_ptr(), first);
            let rest = buffer.len() - first;
            ptr::copy_nonoverlapping(self.start(which), buffer.as_mut_ptr().add(first), rest);
        }
    }

    /// Gives the memory behind the bytes of a ring back to the system. They are zeros from then on,
    /// and memory is taken again when they are written. Without effect if the system refuses.
    ///
    /// The caller holds the ring's private producer, and the ring is empty: nobody reads or writes
    /// these bytes meanwhile.
    pub(super) fn give_back(&self, which: usize) {
        // SAFETY: within the mapping, of a file whose pages can be removed; the mapping stays, and
        // no references lead to these bytes.
        let _ = unsafe {
            mm::madvise(self.start(which).cast(), self.capacities[which], mm::Advice::LinuxRemove)
        };
    }

    /// Where `position` lies, and how many of `count` bytes lie there and not at the ring's start.
    #[inline]
    fn address_of(&self, which: usize, position: u64, count: usize) -> (*mut u8, usize) {
        let capacity = self.capacities[which];
        assert!(count <= capacity, "more bytes than the ring has room for");
        let offset = position as usize & (capacity - 1);
        // SAFETY: the offset is less than the capacity, which is a power of two.
        (unsafe { self.start(which).add(offset) }, count.min(capacity - offset))
    }

    /// The first byte of a ring.
    #[inline]
    fn start(&self, which: usize) -> *mut u8 {
        let offset = HEADER + if which == 0 { 0 } else { self.capacities[0] };
        // SAFETY: within the mapping, whose length is the header and both capacities.
        unsafe { self.base.add(offset).as_ptr() }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        let length = HEADER + self.capacities[0] + self.capacities[1];
        // SAFETY: mapped with this length, and no reference outlives the region.
        // An error would mean that the range is not a mapping, which it is.
        let _ = unsafe { mm::munmap(self.base.as_ptr().cast(), length) };
    }
}

/// The length of a file with rings of these capacities, which may come from a peer.
fn length(capacities: [usize; 2]) -> io::Result<usize> {
    if capacities.iter().all(|size| size.is_power_of_two() && CAPACITIES.contains(size)) {
        return Ok(HEADER + capacities[0] + capacities[1]);
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "the ring has an impossible capacity"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(file: impl AsFd, capacities: [usize; 2]) -> io::ErrorKind {
        Region::open(file.as_fd(), capacities).unwrap_err().kind()
    }

    #[test]
    fn bytes_wrap_around_the_end() {
        let (ours, file) = Region::create([4096, 8192]).unwrap();
        let theirs = Region::open(file.as_fd(), [4096, 8192]).unwrap();
        for (which, position) in [(0, 4093), (1, 8190), (0, u64::MAX - 2), (1, 0)] {
            ours.write(which, position, b"across");
            let mut buffer = [0; 6];
            theirs.read(which, position, &mut buffer);
            assert_eq!(&buffer, b"across");
        }
    }

    #[test]
    fn memory_that_was_given_back_is_there_again_when_it_is_used() {
        let (ours, file) = Region::create([1 << 16, 4096]).unwrap();
        let blocks = || fs::fstat(&file).unwrap().st_blocks * 512;
        ours.write(0, 0, &[7; 1 << 16]);
        assert_eq!(blocks(), 1 << 16);
        ours.give_back(0);
        assert_eq!(blocks(), 0);
        let theirs = Region::open(file.as_fd(), [1 << 16, 4096]).unwrap();
        ours.write(0, 5, b"again");
        let mut buffer = [0; 6];
        theirs.read(0, 4, &mut buffer);
        assert_eq!(&buffer, b"\0again");
    }

    #[test]
    fn a_file_that_could_shrink_or_lies_about_its_size_is_refused() {
        let capacities = [4096, 4096];
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = fs::memfd_create("test", flags).unwrap();
        fs::ftruncate(&file, 3 * 4096).unwrap();
        assert_eq!(kind(&file, capacities), io::ErrorKind::InvalidData);
        fs::fcntl_add_seals(&file, SEALS).unwrap();
        Region::open(file.as_fd(), capacities).unwrap();
        for claim in [[8192, 4096], [4096, 4097], [0, 0], [usize::MAX / 2 + 1, 4096]] {
            assert_eq!(kind(&file, claim), io::ErrorKind::InvalidData, "{claim:?}");
        }
        let no_memory = std::fs::File::open("/dev/null").unwrap();
        assert_eq!(kind(&no_memory, capacities), io::ErrorKind::InvalidData);
    }
}
