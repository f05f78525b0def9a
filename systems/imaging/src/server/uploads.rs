//! Files on their way to a server, by ticket.

use crate::idl::{Image, Refusal, Refused};
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many uploads may be under way, those included whose callers never ask for the result.
const MOST: usize = 1024;

/// How long the result of one is waited for.
const PATIENCE: Duration = Duration::from_secs(600);

type Kept = Result<Arc<Image>, Refused>;

#[derive(Debug, Default)]
pub(super) struct Uploads(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// How many there were.
    count: u64,
    /// Makes tickets that nobody else can guess: who has one gets what its image tells of a patient.
    secret: RandomState,
    /// The oldest ones first.
    order: std::collections::VecDeque<u64>,
    waiting: HashMap<u64, Receiver<Kept>>,
}

/// Where the result of an upload goes.
pub(super) struct Slot(SyncSender<Kept>);

fn failed(reason: String) -> Refused {
    Refused { kind: Refusal::Failed, reason }
}

impl Uploads {
    /// A ticket for one more. If there are too many, the oldest whose result nobody asked for is
    /// forgotten, unless it is still under way.
    pub(super) fn begin(&self) -> Result<(u64, Slot), Refused> {
        let mut state = self.state();
        if state.waiting.len() >= MOST && !state.forget_oldest() {
            return Err(failed(format!("{MOST} files are on their way; try again later")));
        }
        let (fill, wait) = sync_channel(1);
        state.count += 1;
        let ticket = state.secret.hash_one(state.count);
        state.order.push_back(ticket);
        state.waiting.insert(ticket, wait);
        Ok((ticket, Slot(fill)))
    }

    /// Waits until a file is on the disk, or is not.
    pub(super) fn wait(&self, ticket: u64) -> Kept {
        let waiting = {
            let mut state = self.state();
            state.order.retain(|other| *other != ticket);
            state.waiting.remove(&ticket)
        };
        let waiting = waiting.ok_or_else(|| {
            failed("no upload has this ticket; its result may be told already".to_owned())
        })?;
        match waiting.recv_timeout(PATIENCE) {
            Ok(kept) => kept,
            Err(RecvTimeoutError::Timeout) => {
                Err(failed("the file did not come in time".to_owned()))
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(failed("the upload was broken off".to_owned()))
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn forget_oldest(&mut self) -> bool {
        use std::sync::mpsc::TryRecvError;
        let over =
            |waiting: &Receiver<Kept>| !matches!(waiting.try_recv(), Err(TryRecvError::Empty));
        let Some(oldest) = self.order.front().copied() else { return false };
        if !self.waiting.get(&oldest).is_some_and(over) {
            return false;
        }
        self.order.pop_front();
        self.waiting.remove(&oldest).is_some()
    }
}

impl Slot {
    pub(super) fn fill(self, kept: Kept) {
        // The caller may have given up.
        self.0.send(kept).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_does_not_tell_of_the_next_one() {
        let uploads = Uploads::default();
        let tickets: Vec<_> = (0..100).map(|_| uploads.begin().unwrap().0).collect();
        assert!(tickets.windows(2).all(|pair| pair[0].abs_diff(pair[1]) > 1 << 20));
        assert_ne!(Uploads::default().begin().unwrap().0, tickets[0]);
    }
}
