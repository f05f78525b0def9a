//! Observers of changes.

use crate::model::Change;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};

/// How many changes may wait for an observer.
const WAITING: usize = 4096;

/// The changes of a store from now on, in their order. If the observer reads so slowly that too
/// many wait, the channel ends, and the observer begins anew.
pub type Subscription = Receiver<Change>;

#[derive(Debug, Default)]
pub(super) struct Watchers(Mutex<Vec<SyncSender<Change>>>);

impl Watchers {
    pub(super) fn subscribe(&self) -> Subscription {
        let (sender, receiver) = sync_channel(WAITING);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        receiver
    }

    /// Ends all subscriptions: the tree has changed in another way.
    #[cfg(feature = "etcd")]
    pub(super) fn end(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(super) fn tell(&self, changes: &[Change]) {
        let mut watchers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.retain(|watcher| {
            let sent = changes.iter().map(|change| watcher.try_send(change.clone()));
            sent.into_iter().all(|sent| match sent {
                Ok(()) => true,
                Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => false,
            })
        });
    }
}
