//! Where the stack of a thread lies.

use std::{mem, ptr};

/// The lowest address of the stack of the calling thread, and its size in octets; `None` where the
/// C library cannot tell.
pub(crate) fn stack_of_this_thread() -> Option<(usize, usize)> {
    // musl tells of the main thread only what that has used so far.
    if cfg!(target_env = "musl")
        && rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs() == std::process::id()
    {
        return None;
    }
    // SAFETY: rule 4; the structure is filled before it is read, and destroyed once.
    let mut attributes: libc::pthread_attr_t = unsafe { mem::zeroed() };
    // SAFETY: rule 2; the thread that asks lives.
    if unsafe { libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) } != 0 {
        return None;
    }
    let (mut lowest, mut size) = (ptr::null_mut(), 0);
    // SAFETY: rule 2, and the structure was filled.
    let failed = unsafe { libc::pthread_attr_getstack(&attributes, &mut lowest, &mut size) };
    // SAFETY: rule 2, and nobody uses the structure afterwards.
    unsafe { libc::pthread_attr_destroy(&mut attributes) };
    (failed == 0).then(|| (lowest.addr(), size))
}
