//! Which objects answer: what checks have found, and how often each was handed out.

use crate::client::Liveness;
use crate::model::{Candidate, ReferenceOctets};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time in which half of the load of an object is forgotten.
const HALF_LIFE: Duration = Duration::from_secs(30);

/// The most objects that are remembered. Beyond it, those that were checked longest ago go.
const MOST: usize = 2_000_000;

/// What is known of an object.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Status {
    /// What the last check found.
    pub liveness: Liveness,
    /// When.
    pub checked: Instant,
    /// How many checks in a row found it gone or unreachable.
    pub failures: u32,
}

#[derive(Debug, Default)]
struct Known {
    status: Option<Status>,
    load: f64,
    /// When the load was right.
    at: Option<Instant>,
}

impl Known {
    fn load(&self, now: Instant) -> f64 {
        let age = self.at.map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
        self.load * (-age.as_secs_f64() / HALF_LIFE.as_secs_f64()).exp2()
    }
}

/// What is known of the objects of a service, by their references.
#[derive(Debug, Default)]
pub(super) struct Statuses(Mutex<HashMap<u64, Known>>);

impl Statuses {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the last check of an object found.
    pub(super) fn status(&self, reference: &ReferenceOctets) -> Option<Status> {
        self.lock().get(&key(reference))?.status.clone()
    }

    /// Records a check, and returns how many in a row have found the object dead.
    pub(super) fn record(&self, reference: &ReferenceOctets, liveness: Liveness) -> u32 {
        let mut all = self.lock();
        if all.len() >= MOST {
            let oldest =
                all.values().filter_map(|known| known.status.as_ref()?.checked.into()).min();
            all.retain(|_, known| known.status.as_ref().map(|status| status.checked) > oldest);
        }
        let known = all.entry(key(reference)).or_default();
        let before = known.status.as_ref().map_or(0, |status| status.failures);
        let failures = if liveness.is_dead() { before.saturating_add(1) } else { 0 };
        known.status = Some(Status { liveness, checked: Instant::now(), failures });
        failures
    }

    /// What the choice of an object depends on.
    pub(super) fn candidate(&self, reference: &ReferenceOctets, nearness: u32) -> Candidate {
        let all = self.lock();
        let known = all.get(&key(reference));
        let status = known.and_then(|known| known.status.as_ref());
        let alive = status.is_none_or(|status| !status.liveness.is_dead());
        let load = known.map_or(0.0, |known| known.load(Instant::now()));
        Candidate { alive, load, nearness }
    }

    /// An object was handed out.
    pub(super) fn hand_out(&self, reference: &ReferenceOctets) {
        let (mut all, now) = (self.lock(), Instant::now());
        let known = all.entry(key(reference)).or_default();
        known.load = known.load(now) + 1.0;
        known.at = Some(now);
    }

    /// How many of the objects that were checked are alive, and how many are not.
    pub(super) fn counts(&self) -> (usize, usize) {
        let all = self.lock();
        let checked = all.values().filter_map(|known| known.status.as_ref());
        let (alive, others): (Vec<&Status>, Vec<_>) =
            checked.partition(|status| !status.liveness.is_dead());
        (alive.len(), others.len())
    }
}

/// The key of a reference. Two references with one key would share a status for a while; with 64
/// bits that is less likely than a lost message.
fn key(reference: &ReferenceOctets) -> u64 {
    let mut hasher = DefaultHasher::new();
    reference.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_count_in_a_row() {
        let statuses = Statuses::default();
        let reference = ReferenceOctets::from(&b"one"[..]);
        assert_eq!(statuses.record(&reference, Liveness::Gone), 1);
        assert_eq!(statuses.record(&reference, Liveness::Unreachable("why".into())), 2);
        assert_eq!(statuses.counts(), (0, 1));
        assert!(!statuses.candidate(&reference, 0).alive);
        assert_eq!(statuses.record(&reference, Liveness::Alive), 0);
        assert_eq!(statuses.record(&reference, Liveness::Gone), 1);
    }

    #[test]
    fn load_is_forgotten() {
        let now = Instant::now();
        let known = Known { status: None, load: 8.0, at: Some(now) };
        assert_eq!(known.load(now), 8.0);
        assert_eq!(known.load(now + HALF_LIFE), 4.0);
        assert_eq!(known.load(now + 3 * HALF_LIFE), 1.0);
    }
}
