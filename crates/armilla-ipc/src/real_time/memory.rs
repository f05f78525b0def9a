//! Memory without page faults: locked, and touched beforehand.

use crate::error::context;
use crate::sys;
use rustix::io::Errno;
use rustix::mm::{MlockAllFlags, mlockall};
use std::hint::black_box;
use std::io;

/// The page faults of a thread since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageFaults {
    /// Those that the kernel served without input.
    pub minor: u64,
    /// Those that waited for input.
    pub major: u64,
}

/// What [`lock_memory`] has achieved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockedMemory {
    /// Whether the allocator keeps freed memory, so that an allocation meets locked pages.
    pub heap_is_kept: bool,
}

/// Locks all memory of the process, what it maps later too (`mlockall`), and lets the allocator of
/// the C library keep what is freed. Pages are then never written out, and mapped once.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`] or [`io::ErrorKind::OutOfMemory`] without the privilege
/// `CAP_IPC_LOCK` and with a limit `RLIMIT_MEMLOCK` below the size of the process.
pub fn lock_memory() -> io::Result<LockedMemory> {
    mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE).map_err(|errno| {
        let why = match errno {
            Errno::PERM | Errno::NOMEM => " (needs CAP_IPC_LOCK or a larger RLIMIT_MEMLOCK)",
            _ => "",
        };
        context(format_args!("cannot lock the memory of the process{why}"), errno)
    })?;
    Ok(LockedMemory { heap_is_kept: sys::keep_freed_memory() })
}

/// One page almost everywhere; a larger one is touched more often than needed.
const PAGE: usize = 4096;

/// Touches `size` octets of the calling thread's stack, so that later calls meet mapped pages.
/// `size` has to leave room on the stack for the calls above it.
#[inline(never)]
pub fn reserve_stack(size: usize) {
    let mut frame = [0u8; PAGE];
    black_box(&mut frame);
    if size > PAGE {
        reserve_stack(size - PAGE);
    }
    // Behind the call, so that it is no tail call that reuses the frame.
    black_box(&mut frame);
}

/// Allocates `size` octets, touches them and frees them, so that the allocator has as much mapped
/// memory in stock. It keeps the memory after [`lock_memory`] only.
pub fn reserve_heap(size: usize) {
    let mut memory: Vec<u8> = Vec::with_capacity(size);
    for _ in 0..size.div_ceil(PAGE) {
        memory.extend_from_slice(&[1; PAGE][..PAGE.min(size - memory.len())]);
    }
    black_box(&mut memory);
}

/// The page faults of the calling thread since it started.
///
/// # Errors
/// None is known.
pub fn page_faults() -> io::Result<PageFaults> {
    let (minor, major) = sys::page_faults()
        .map_err(|errno| context("cannot read the usage of the thread", errno))?;
    Ok(PageFaults { minor, major })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses about `pages` pages of the stack.
    #[inline(never)]
    fn use_stack(pages: usize) -> u8 {
        let mut frame = [pages as u8; PAGE];
        black_box(&mut frame);
        let below = if pages > 1 { use_stack(pages - 1) } else { 0 };
        black_box(&mut frame)[pages % PAGE].wrapping_add(below)
    }

    #[test]
    fn a_reserved_stack_has_no_page_faults() {
        let faults = |reserve: bool| {
            let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(move || {
                if reserve {
                    reserve_stack(512 * 1024);
                }
                let before = page_faults().unwrap().minor;
                black_box(use_stack(64));
                page_faults().unwrap().minor - before
            });
            thread.unwrap().join().unwrap()
        };
        let (with, without) = (faults(true), faults(false));
        // A process whose memory is locked, such as one of this test's siblings, has none at all.
        assert!(with < 8 && with <= without, "{with} with, {without} without");
    }

    #[test]
    fn heap_of_any_size_can_be_reserved() {
        for size in [0, 1, PAGE, PAGE + 1, 1 << 20] {
            reserve_heap(size);
        }
    }
}
