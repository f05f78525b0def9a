//! The stack of the calling thread: how much of it is left.

use crate::sys;
use std::hint::black_box;
use std::ptr;

/// Where the stack of a thread lies. It grows towards lower addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackBounds {
    /// The lowest address that the thread may use.
    pub lowest: usize,
    /// The size of the whole stack, in octets.
    pub size: usize,
}

impl StackBounds {
    /// Those of the calling thread; `None` where the C library cannot tell. It may read a file of
    /// `/proc`, so a caller keeps the answer, which holds as long as the thread.
    ///
    /// ```
    /// use armilla_ipc::stack::{StackBounds, position};
    ///
    /// let bounds = StackBounds::of_this_thread().unwrap();
    /// assert!((bounds.lowest..bounds.lowest + bounds.size).contains(&position()));
    /// ```
    pub fn of_this_thread() -> Option<Self> {
        sys::stack_of_this_thread().map(|(lowest, size)| Self { lowest, size })
    }
}

/// The address to which the stack of the calling thread reaches, nearly.
#[inline(always)]
pub fn position() -> usize {
    let local = 0_u8;
    ptr::from_ref(black_box(&local)).addr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn the_bounds_of_a_thread_are_those_that_it_was_started_with() {
        let thread = thread::Builder::new().stack_size(300 << 10);
        let look = || (StackBounds::of_this_thread().expect("it is known"), position());
        let (bounds, here) = thread.spawn(look).expect("it starts").join().expect("it ends");
        assert!((300 << 10..400 << 10).contains(&bounds.size), "{bounds:?}");
        let left = here - bounds.lowest;
        assert!((250 << 10..bounds.size).contains(&left), "{left} of {bounds:?} are left");
    }
}
