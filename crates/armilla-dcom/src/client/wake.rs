//! How the client's thread is woken up.

use alloc::sync::Arc;
use core::time::Duration;
use std::sync::{Condvar, Mutex, PoisonError};

/// Wakes the thread up.
#[derive(Debug, Default)]
pub(super) struct Wake(pub(super) Arc<Bell>);

#[derive(Debug, Default)]
pub(super) struct Bell {
    state: Mutex<Rung>,
    condition: Condvar,
}

#[derive(Debug, Default)]
pub(super) struct Rung {
    pub(super) rung: bool,
    pub(super) stop: bool,
}

impl Wake {
    /// There are references to be given back.
    pub(super) fn ring(&self) {
        self.0.change(|state| state.rung = true);
    }
}

impl Bell {
    pub(super) fn change(&self, change: impl FnOnce(&mut Rung)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.condition.notify_one();
    }

    /// Waits until somebody rings, or for that long; returns whether the thread goes on.
    pub(super) fn wait(&self, limit: Duration) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let quiet = |state: &mut Rung| !state.rung && !state.stop;
        let waited = self.condition.wait_timeout_while(state, limit, quiet);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.rung = false;
        !state.stop
    }
}
