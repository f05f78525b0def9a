//! A gate at which servants wait for the test.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// How long anything is waited for that should come at once. Only a hang takes so long.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Servants wait at it until the test opens it; the test waits until servants stand before it.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: usize,
    open: bool,
}

impl Gate {
    /// Waits until the gate is open.
    ///
    /// # Panics
    /// When no thread opens it.
    pub fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.waiting += 1;
        self.changed.notify_all();
        let closed = |state: &mut State| !state.open;
        let (mut state, timeout) =
            self.changed.wait_timeout_while(state, PATIENCE, closed).unwrap();
        state.waiting -= 1;
        assert!(!timeout.timed_out(), "nobody opened the gate");
    }

    /// Waits until `count` threads wait before the gate.
    ///
    /// # Panics
    /// When they do not come.
    pub fn await_waiting(&self, count: usize) {
        let state = self.state.lock().unwrap();
        let too_few = |state: &mut State| state.waiting < count;
        let (_state, timeout) = self.changed.wait_timeout_while(state, PATIENCE, too_few).unwrap();
        assert!(!timeout.timed_out(), "nobody came to the gate");
    }

    /// How many threads wait before the gate.
    ///
    /// # Panics
    /// Never, unless a thread panicked here.
    pub fn waiting(&self) -> usize {
        self.state.lock().unwrap().waiting
    }

    /// Opens the gate, for good.
    pub fn open(&self) {
        self.state.lock().unwrap().open = true;
        self.changed.notify_all();
    }
}

/// Waits until `condition` holds.
///
/// # Panics
/// When it does not come to hold.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !condition() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}
