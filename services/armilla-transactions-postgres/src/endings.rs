//! How prepared transactions end: what cannot be rolled back because the database is away holds its
//! locks until it is.

use crate::sessions::{NotEnded, Sessions, lock};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// How often it is tried.
const PAUSE: Duration = Duration::from_secs(1);

/// Ends what was prepared.
pub(crate) struct Endings {
    pub(crate) sessions: Arc<Sessions>,
    /// What is still to be rolled back.
    left: Mutex<Vec<String>>,
}

impl Endings {
    pub(crate) fn new(sessions: Sessions) -> Self {
        Self { sessions: Arc::new(sessions), left: Mutex::default() }
    }

    /// Commits what is prepared. Returns whether there was something.
    pub(crate) fn commit(&self, gid: &str) -> Result<bool, NotEnded> {
        self.sessions.end_prepared(true, gid)
    }

    /// Rolls back what may be prepared: now, or once the database is there again.
    pub(crate) fn roll_back(self: &Arc<Self>, gid: &str) {
        let Err(NotEnded { error, .. }) = self.sessions.end_prepared(false, gid) else { return };
        let error = error.to_string();
        tracing::warn!(gid, error, "a prepared transaction is rolled back later");
        let mut left = lock(&self.left);
        left.push(gid.to_owned());
        if left.len() > 1 {
            // The thread is there.
            return;
        }
        let endings = Arc::downgrade(self);
        let named = thread::Builder::new().name("armilla-postgres".to_owned());
        let started = named.spawn(move || {
            loop {
                thread::sleep(PAUSE);
                let Some(endings) = endings.upgrade() else { return };
                if endings.roll_back_left() {
                    return;
                }
            }
        });
        if let Err(error) = started {
            // It is rolled back after the next start.
            left.clear();
            let error = error.to_string();
            tracing::error!(gid, error, "a prepared transaction keeps its locks until a restart");
        }
    }

    /// Returns whether nothing is left.
    fn roll_back_left(&self) -> bool {
        let all = lock(&self.left).clone();
        let done = |gid: &&String| self.sessions.end_prepared(false, gid).is_ok();
        let done: Vec<&String> = all.iter().take_while(done).collect();
        let mut left = lock(&self.left);
        left.retain(|gid| !done.contains(&gid));
        left.is_empty()
    }
}
