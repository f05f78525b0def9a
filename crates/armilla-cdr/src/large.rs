//! Memory for large messages that goes back to the operating system as soon as it is freed.

use alloc::vec::Vec;

/// From this size on every block is mapped by itself, and unmapped when it is freed. That is the
/// most to which the GNU C library raises its limit; below that it keeps freed blocks of the size
/// that was freed before, for each thread. Other allocators map such blocks too.
const MAPPED: usize = (32 << 20) + (64 << 10);

/// From this size on the memory of a message counts as large. The C library takes smaller blocks
/// from its heaps, whatever was freed before.
pub const LARGE_MEMORY: usize = 128 << 10;

/// Makes room in `memory` for `length` octets in all, which are many. What is beyond them costs
/// addresses but no memory, until it is written to.
pub fn reserve_large(memory: &mut Vec<u8>, length: usize) {
    if memory.capacity() >= length {
        return;
    }
    let mut mapped = Vec::new();
    // With 32 bits there are too few addresses. A process may have a limit on them, too.
    let is_made = usize::BITS > 32 && mapped.try_reserve_exact(length.max(MAPPED)).is_ok();
    match is_made {
        true => {
            mapped.extend_from_slice(memory);
            *memory = mapped;
        }
        false => memory.reserve_exact(length - memory.len()),
    }
}

/// The octets of `memory` that count: what [`reserve_large`] has added was not written to.
pub(crate) const fn counted(memory: &Vec<u8>) -> usize {
    match memory.capacity() >= MAPPED {
        true => memory.len(),
        false => memory.capacity(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn what_was_there_stays_and_only_what_is_used_counts() {
        let mut memory = vec![7; 1000];
        reserve_large(&mut memory, 500);
        assert!(memory.capacity() < 2000, "there was room");
        reserve_large(&mut memory, 2 << 20);
        assert!(memory.capacity() >= 2 << 20);
        assert_eq!(memory, [7; 1000]);
        if usize::BITS > 32 {
            assert_eq!(counted(&memory), 1000);
        }
        reserve_large(&mut memory, 64 << 20);
        assert!(memory.capacity() >= 64 << 20);
    }
}
