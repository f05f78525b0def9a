//! The settings of the C library's allocator.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the allocator was told to keep memory that is freed.
static KEEPS: AtomicBool = AtomicBool::new(false);

/// Lets the allocator of the C library keep memory that is freed, and take large blocks from the
/// heap too. Returns `false` where the C library has no such settings.
#[cfg(feature = "real-time")]
pub(crate) fn keep_freed_memory() -> bool {
    KEEPS.store(true, Ordering::Relaxed);
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: `mallopt` takes two numbers, and locks what it changes.
        unsafe {
            libc::mallopt(libc::M_TRIM_THRESHOLD, -1) == 1
                && libc::mallopt(libc::M_MMAP_MAX, 0) == 1
        }
    }
    #[cfg(not(target_env = "gnu"))]
    false
}

/// Returns free memory of the C library's allocator to the operating system, unless it was told to
/// keep it.
pub(crate) fn release_free_memory() {
    if KEEPS.load(Ordering::Relaxed) {
        return;
    }
    #[cfg(target_env = "gnu")]
    // SAFETY: `malloc_trim` takes a number, and locks what it changes.
    unsafe {
        libc::malloc_trim(0);
    }
}
