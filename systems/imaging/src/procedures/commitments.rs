//! Requests for storage commitment (PS3.4, annex J) until they are reported. They outlive the
//! process; each has a number of attempts.

use super::rows::{Change, Table};
use super::{
    MOST_COMMITMENTS, MOST_COMMITMENTS_OF_HOST, MOST_OCTETS, MOST_REFERENCES, ProcedureError,
    Procedures, State, of_one_host,
};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// When a report is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// After the first attempt; the time doubles with each, up to an hour.
    pub first: Duration,
    /// How many attempts there are.
    pub most: u32,
}

impl Default for Retry {
    /// Within about 15 hours, 24 times.
    fn default() -> Self {
        Self { first: Duration::from_secs(10), most: 24 }
    }
}

impl Retry {
    fn pause(&self, attempts: u32) -> Duration {
        let doubled = self.first.saturating_mul(1 << attempts.saturating_sub(1).min(16));
        doubled.min(Duration::from_secs(3600))
    }
}

/// A request for storage commitment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commitment {
    /// Who has asked: its application entity title, and the address of its host.
    pub title: String,
    /// See `title`.
    pub host: String,
    /// Its UID for the request.
    pub transaction: String,
    /// SOP classes and instances.
    pub references: Vec<(String, String)>,
    /// How often the report was tried.
    pub attempts: u32,
    /// When it is tried, in milliseconds since 1970.
    pub next: u64,
}

impl Commitment {
    pub(super) fn from_row(row: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(row).map_err(|error| error.to_string())
    }

    fn to_row(&self) -> Vec<u8> {
        // Numbers and texts are always JSON.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// What it is known by: two peers may use the same transaction.
    fn key(&self) -> String {
        format!("{}\n{}", self.title, self.transaction)
    }

    /// About how many octets it has.
    fn octets(&self) -> usize {
        self.references.iter().map(|(class, uid)| class.len() + uid.len() + 64).sum()
    }
}

/// The time in milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

impl Procedures {
    /// Keeps a request, which the association on which it came reports while it lasts:
    /// [`let_go`](Self::let_go) ends that.
    ///
    /// # Errors
    /// There are as many as may be, or the disk fails.
    pub fn commit(&self, commitment: Commitment) -> Result<Arc<Commitment>, ProcedureError> {
        if commitment.references.len() > MOST_REFERENCES {
            let why = format!("a request names {MOST_REFERENCES} objects at most");
            return Err(ProcedureError::TooMany(why));
        }
        let (mut state, key) = (self.state(), commitment.key());
        let others = || state.commitments.iter().filter(|(other, _)| **other != key);
        let octets: usize = others().map(|(_, other)| other.octets()).sum();
        let own = others().filter(|(_, other)| of_one_host(&other.host, &commitment.host)).count();
        if others().count() >= MOST_COMMITMENTS
            || own >= MOST_COMMITMENTS_OF_HOST
            || octets + commitment.octets() > MOST_OCTETS
        {
            let why = "as many requests wait for their report as may wait".to_owned();
            return Err(ProcedureError::TooMany(why));
        }
        self.write(vec![Change::put(Table::Commitments, &key, commitment.to_row())])?;
        let commitment = Arc::new(commitment);
        state.held.insert(key.clone());
        state.commitments.insert(key, Arc::clone(&commitment));
        Ok(commitment)
    }

    /// The association of a request is over, and has not reported it: it is due, on another one, if
    /// there is an address for that; without one it is dropped.
    pub fn let_go(&self, commitment: &Commitment, has_address: bool) {
        let mut state = self.state();
        state.held.remove(&commitment.key());
        if has_address {
            self.0.changed.notify_all();
        } else {
            self.drop_commitment(&mut state, commitment);
        }
    }

    /// A request was reported, or never will be.
    pub fn reported(&self, commitment: &Commitment) {
        let mut state = self.state();
        state.held.remove(&commitment.key());
        self.drop_commitment(&mut state, commitment);
    }

    /// One that stays on the disk is reported again after a restart, which does no harm.
    fn drop_commitment(&self, state: &mut State, commitment: &Commitment) {
        let key = commitment.key();
        state.commitments.remove(&key);
        if let Err(error) = self.write(vec![Change::remove(Table::Commitments, &key)]) {
            tracing::warn!(%error, "a report that is done stays on the disk");
        }
    }

    /// An attempt has failed; whether there will be another one. Those of the same peer wait as long.
    pub fn failed(&self, commitment: &Commitment, retry: &Retry) -> bool {
        let mut state = self.state();
        let attempts = commitment.attempts + 1;
        if attempts >= retry.most {
            self.drop_commitment(&mut state, commitment);
            return false;
        }
        let next = now() + u64::try_from(retry.pause(attempts).as_millis()).unwrap_or(u64::MAX);
        let again = Commitment { attempts, next, ..commitment.clone() };
        let key = again.key();
        // Without the disk it is tried sooner after a restart.
        if let Err(error) = self.write(vec![Change::put(Table::Commitments, &key, again.to_row())])
        {
            tracing::warn!(%error, "an attempt to report is not on the disk");
        }
        for other in state.commitments.values_mut().filter(|other| other.title == again.title) {
            let other = Arc::make_mut(other);
            other.next = other.next.max(next);
        }
        state.commitments.insert(key, Arc::new(again));
        true
    }

    /// All that wait.
    pub fn commitments(&self) -> Vec<Arc<Commitment>> {
        self.state().commitments.values().cloned().collect()
    }

    /// Waits until a request is due that no association reports, and returns it.
    pub fn wait_for_due(&self) -> Arc<Commitment> {
        let mut state = self.state();
        loop {
            let free = state.commitments.iter().filter(|(key, _)| !state.held.contains(*key));
            let first = free.map(|(_, one)| one).min_by_key(|one| one.next).cloned();
            let changed = &self.0.changed;
            state = match first.map(|first| (first.next.saturating_sub(now()), first)) {
                Some((0, first)) => return first,
                Some((pause, _)) => {
                    let pause = Duration::from_millis(pause);
                    changed.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner).0
                }
                None => changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}
