//! Signals that do nothing but interrupt; for the suites of streams and of datagrams.

#![allow(dead_code, unsafe_code)] // without datagrams or streams nothing uses it

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};
use std::thread;
use std::time::{Duration, Instant};

/// The calling thread, ready to be interrupted.
pub(crate) fn this_thread() -> libc::pthread_t {
    static HANDLER: Once = Once::new();
    HANDLER.call_once(|| {
        signal_hook::flag::register(libc::SIGUSR2, Arc::default()).unwrap();
    });
    // SAFETY: always succeeds.
    unsafe { libc::pthread_self() }
}

/// Signals `thread` again and again until it has said that it is done, for so `long` at most.
pub(crate) fn pester(thread: libc::pthread_t, done: &AtomicBool, long: Duration) {
    let start = Instant::now();
    while !done.load(Ordering::Relaxed) && start.elapsed() < long {
        // SAFETY: the thread is joined only after this one, which its scope waits for.
        unsafe { libc::pthread_kill(thread, libc::SIGUSR2) };
        thread::sleep(Duration::from_micros(300));
    }
}
