//! Huge pages for large tables: random accesses cost fewer misses of the TLB.
//!
//! # Safety contract
//! The kernel is given the bounds of memory that the caller borrows, and changes nothing in it.

#![allow(unsafe_code)]

use rustix::mm::{Advice, madvise};

/// The size of a huge page, almost everywhere. Advice is given for whole ones.
const HUGE: usize = 2 << 20;

/// Asks for huge pages where the memory, which was not touched yet, is large. Kernels without them
/// do nothing.
pub(super) fn advise<T>(memory: &mut [T]) {
    let length = size_of_val(memory);
    let begin = memory.as_mut_ptr().cast::<u8>();
    let skipped = begin.align_offset(HUGE);
    let length = length.saturating_sub(skipped) / HUGE * HUGE;
    if length == 0 {
        return;
    }
    // SAFETY: the pages lie within the memory that is borrowed, and stay what they are.
    unsafe { madvise(begin.wrapping_add(skipped).cast(), length, Advice::LinuxHugepage) }.ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_changes_nothing() {
        for size in [0, 1, 4096, HUGE - 1, HUGE, 3 * HUGE + 5] {
            let mut memory = vec![7u8; size];
            advise(&mut memory);
            assert!(memory.iter().all(|octet| *octet == 7));
        }
    }
}
