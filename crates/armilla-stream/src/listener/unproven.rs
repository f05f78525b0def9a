//! Connections that have not shown a token yet. Whoever reaches the listener makes them, so they
//! hold no place that somebody with a token needs.

use crate::carrier::Carrier;
use std::collections::BTreeMap;
use std::net::Shutdown;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The connections of a listener whose greeting is awaited.
#[derive(Default)]
pub(super) struct Unproven(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// By number, and so the oldest first.
    waiting: BTreeMap<u64, (Instant, Arc<Carrier>)>,
    numbers: u64,
}

/// One of them, until it is dropped.
pub(super) struct Awaited {
    state: Arc<Mutex<State>>,
    number: u64,
}

impl Unproven {
    /// Notes a connection that is to greet now.
    pub(super) fn add(&self, carrier: &Arc<Carrier>) -> Awaited {
        let mut state = lock(&self.0);
        state.numbers += 1;
        let number = state.numbers;
        state.waiting.insert(number, (Instant::now(), Arc::clone(carrier)));
        Awaited { state: Arc::clone(&self.0), number }
    }

    /// Closes the connection that has not greeted for longest, if that is longer than `patience`.
    /// Its thread ends at once. False if there is none.
    pub(super) fn close_oldest(&self, patience: Duration) -> bool {
        let mut state = lock(&self.0);
        let Some(oldest) = state.waiting.first_entry() else { return false };
        if oldest.get().0.elapsed() < patience {
            return false;
        }
        let (_, carrier) = oldest.remove();
        drop(state);
        // An error means that the peer has gone.
        carrier.stream().shutdown(Shutdown::Both).ok();
        true
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        lock(&self.state).waiting.remove(&self.number);
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
